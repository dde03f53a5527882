package install

import (
	"fmt"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// cureLoose goes with a file that has no place for hooks.
const cureLoose = "correct it by hand, then run this again; nothing was changed"

// hooksObject is the object that holds the events, nil when there is none yet. The cure says what
// the agent makes of the fault, so it differs from agent to agent.
func hooksObject(d *jsonc.Document, cure string) (*jsonc.Node, error) {
	if d.Root.Kind != jsonc.ObjectKind {
		return nil, d.Wrong(d.Root, cure, "settings are an object, this is %s", d.Root.Kind)
	}
	hooks := d.Root.Member("hooks")
	if hooks != nil && hooks.Kind != jsonc.ObjectKind {
		return nil, d.Wrong(hooks, cure, `"hooks" must be an object, this is %s`, hooks.Kind)
	}
	return hooks, nil
}

// nestedShape checks a file whose events hold groups of hooks; each is called for every
// hook.
func nestedShape(d *jsonc.Document, cure string, each func(event string, h *jsonc.Node) error) error {
	return eventsShape(d, cure, func(event string, group *jsonc.Node) error {
		handlers := group.Member("hooks")
		if handlers == nil || handlers.Kind != jsonc.ArrayKind {
			return d.Wrong(group, cure, `an entry of "hooks.%s" has no "hooks" array`, event)
		}
		for _, h := range handlers.Items {
			if h.Kind != jsonc.ObjectKind {
				return d.Wrong(h, cure, `a hook of %s must be an object, this is %s`, event, h.Kind)
			}
			if err := each(event, h); err != nil {
				return err
			}
		}
		return nil
	})
}

// flatShape checks a file whose events hold the hooks themselves; each may be nil.
func flatShape(d *jsonc.Document, cure string, each func(event string, h *jsonc.Node) error) error {
	return eventsShape(d, cure, func(event string, h *jsonc.Node) error {
		// The agent leaves out what it cannot read, so there is nothing to refuse.
		if each == nil {
			return nil
		}
		return each(event, h)
	})
}

// eventsShape checks that all events hold arrays of objects; each is called for every one. The
// first fault ends it. Names of events are foreign text and are shortened in an error.
func eventsShape(d *jsonc.Document, cure string, each func(event string, item *jsonc.Node) error) error {
	hooks, err := hooksObject(d, cure)
	if err != nil || hooks == nil {
		return err
	}
	for i, k := range hooks.Keys {
		if hooks.Items[i].Kind != jsonc.ArrayKind {
			return d.Wrong(hooks.Items[i], cure, `"hooks.%s" must be an array, this is %s`, machine.Shorten(k.Name), hooks.Items[i].Kind)
		}
		for _, item := range hooks.Items[i].Items {
			if item.Kind != jsonc.ObjectKind {
				return d.Wrong(item, cure, `an entry of "hooks.%s" must be an object, this is %s`, machine.Shorten(k.Name), item.Kind)
			}
			if err = each(machine.Shorten(k.Name), item); err != nil {
				return err
			}
		}
	}
	return nil
}

// looseShape is for an agent that leaves out what it cannot read: only what stands in the
// way of an edit is refused.
func looseShape(d *jsonc.Document) error {
	return nestedShape(d, cureLoose, func(string, *jsonc.Node) error { return nil })
}

// looseWarnings names what keeps an agent with comments in its settings from starting. Such an
// agent does not start at all, which its user notices; that it is because of this file, they may
// not.
func looseWarnings(path string, d *jsonc.Document, mark bool) []string {
	var w []string
	if mark && d.HasMark(d.Src) {
		w = append(w, fmt.Sprintf("%s begins with a byte order mark: %s does not start with it", path, d.Title))
	}
	for _, at := range d.SpareCommas() {
		line, col := jsonc.Locate(d.Src, at)
		w = append(w, fmt.Sprintf("%s:%d:%d: a comma before a closing bracket: %s does not start with it", path, line, col, d.Title))
	}
	return w
}
