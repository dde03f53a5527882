package install

import (
	"slices"
	"strconv"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

const cureShape = "Claude Code leaves out every hook of an event beside an entry like this: correct it by hand, then run this again; nothing was changed"

// ClaudeShape refuses a text in which the hooks to be installed would be ignored
// because of what stands around or beside them. The error is a *jsonc.SyntaxError. Only the
// events that we write to are looked at: a fault in another one does no harm to ours.
func ClaudeShape(d *jsonc.Document) error {
	if d.Root.Kind != jsonc.ObjectKind {
		return wrongShape(d, d.Root, "settings are an object, this is %s", d.Root.Kind)
	}
	hooks := d.Root.Member("hooks")
	if hooks == nil {
		return nil
	}
	if hooks.Kind != jsonc.ObjectKind {
		return wrongShape(d, hooks, `"hooks" must be an object, this is %s`, hooks.Kind)
	}
	for i, k := range hooks.Keys {
		// A broken entry silences the event that it stands in, and no other.
		if !isGate(k.Name) && !slices.Contains(ClaudeEvents(), k.Name) {
			continue // nothing is put there
		}
		if err := checkEvent(d, k.Name, hooks.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

// wrongShape is an error at a node, with the cure that is the same for all of them.
func wrongShape(d *jsonc.Document, at *jsonc.Node, format string, args ...any) error {
	return d.Wrong(at, cureShape, format, args...)
}

// checkEvent reports the first thing for which Claude Code would ignore the hooks of an event.
// The text of each error names the place in the words of the file.
func checkEvent(d *jsonc.Document, event string, groups *jsonc.Node) error {
	if groups.Kind != jsonc.ArrayKind {
		return wrongShape(d, groups, `"hooks.%s" must be an array, this is %s`, event, groups.Kind)
	}
	for _, group := range groups.Items {
		if group.Kind != jsonc.ObjectKind {
			return wrongShape(d, group, `an entry of "hooks.%s" must be an object, this is %s`, event, group.Kind)
		}
		// One entry at fault takes all hooks of its event with it.
		if m := group.Member("matcher"); m != nil && m.Kind != jsonc.StringKind {
			return wrongShape(d, m, `"matcher" must be a string, this is %s`, m.Kind)
		}
		handlers := group.Member("hooks")
		if handlers == nil {
			return wrongShape(d, group, `an entry of "hooks.%s" has no "hooks" array`, event)
		}
		if handlers.Kind != jsonc.ArrayKind {
			return wrongShape(d, handlers, `"hooks" of an entry of "hooks.%s" must be an array, this is %s`, event, handlers.Kind)
		}
		for _, handler := range handlers.Items {
			if err := checkHandler(d, event, handler); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHandler does the same for one hook. A hook of another type than "command" has members of
// its own, which are not looked at.
func checkHandler(d *jsonc.Document, event string, h *jsonc.Node) error {
	if h.Kind != jsonc.ObjectKind {
		return wrongShape(d, h, `a hook of %s must be an object, this is %s`, event, h.Kind)
	}
	typ := h.Member("type")
	if typ == nil || typ.Kind != jsonc.StringKind {
		return wrongShape(d, h, `a hook of %s has no "type"`, event)
	}
	if typ.Text == "command" {
		if c := h.Member("command"); c == nil || c.Kind != jsonc.StringKind {
			return wrongShape(d, h, `a command hook of %s has no "command" text`, event)
		}
	}
	// A timeout of 0 or less is a fault for Claude Code, not "for ever".
	if t := h.Member("timeout"); t != nil {
		if v, err := strconv.ParseFloat(t.Text, 64); t.Kind != jsonc.NumberKind || err != nil || v <= 0 {
			return wrongShape(d, t, `"timeout" must be a positive number of seconds`)
		}
	}
	if f := h.Member("onFailure"); f != nil && (f.Kind != jsonc.StringKind || f.Text != "block" && f.Text != "continue") {
		return wrongShape(d, f, `"onFailure" must be "block" or "continue"`)
	}
	return nil
}

// ParseClaude parses src as Claude Code does. A blank text counts as an empty object. The error
// is a *jsonc.SyntaxError.
func ParseClaude(src []byte) (*jsonc.Document, error) {
	return jsonc.Parse(src, jsonc.Strict, "Claude Code")
}
