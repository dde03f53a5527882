package install

import (
	"bytes"
	"fmt"
)

// cureLoose goes with a file that has no place for hooks.
const cureLoose = "correct it by hand, then run this again; nothing was changed"

// wrongFor is wrong with a cure of its own.
func (d *document) wrongFor(at *node, cure, format string, args ...any) error {
	return syntaxErrorAt(d.src, at.start, cure, format, args...)
}

// hooksObject is the object that holds the events, nil when there is none yet.
func (d *document) hooksObject(cure string) (*node, error) {
	if d.root.kind != kindObject {
		return nil, d.wrongFor(d.root, cure, "settings are an object, this is %s", kindNames[d.root.kind])
	}
	hooks := d.root.member("hooks")
	if hooks != nil && hooks.kind != kindObject {
		return nil, d.wrongFor(hooks, cure, `"hooks" must be an object, this is %s`, kindNames[hooks.kind])
	}
	return hooks, nil
}

// nestedShape checks a file whose events hold groups of hooks; each is called for every
// hook.
func (d *document) nestedShape(cure string, each func(event string, h *node) error) error {
	return d.eventsShape(cure, func(event string, group *node) error {
		handlers := group.member("hooks")
		if handlers == nil || handlers.kind != kindArray {
			return d.wrongFor(group, cure, `an entry of "hooks.%s" has no "hooks" array`, event)
		}
		for _, h := range handlers.items {
			if h.kind != kindObject {
				return d.wrongFor(h, cure, `a hook of %s must be an object, this is %s`, event, kindNames[h.kind])
			}
			if err := each(event, h); err != nil {
				return err
			}
		}
		return nil
	})
}

// flatShape checks a file whose events hold the hooks themselves; each may be nil.
func (d *document) flatShape(cure string, each func(event string, h *node) error) error {
	return d.eventsShape(cure, func(event string, h *node) error {
		if each == nil {
			return nil
		}
		return each(event, h)
	})
}

// eventsShape checks that all events hold arrays of objects; each is called for every one.
func (d *document) eventsShape(cure string, each func(event string, item *node) error) error {
	hooks, err := d.hooksObject(cure)
	if err != nil || hooks == nil {
		return err
	}
	for i, k := range hooks.keys {
		if hooks.items[i].kind != kindArray {
			return d.wrongFor(hooks.items[i], cure, `"hooks.%s" must be an array, this is %s`, shorten(k.name), kindNames[hooks.items[i].kind])
		}
		for _, item := range hooks.items[i].items {
			if item.kind != kindObject {
				return d.wrongFor(item, cure, `an entry of "hooks.%s" must be an object, this is %s`, shorten(k.name), kindNames[item.kind])
			}
			if err = each(shorten(k.name), item); err != nil {
				return err
			}
		}
	}
	return nil
}

// looseShape is for an agent that leaves out what it cannot read: only what stands in the
// way of an edit is refused.
func looseShape(d *document) error {
	return d.nestedShape(cureLoose, func(string, *node) error { return nil })
}

// looseWarnings names what keeps an agent with comments in its settings from starting.
func looseWarnings(path string, d *document, mark bool) []string {
	var w []string
	if mark && bytes.HasPrefix(d.src, []byte(byteOrderMark)) {
		w = append(w, fmt.Sprintf("%s begins with a byte order mark: %s does not start with it", path, d.title))
	}
	for i, c := range blankJSON(d.src, false) {
		if c == ',' && d.plain[i] == ' ' {
			line, col := locate(d.src, i)
			w = append(w, fmt.Sprintf("%s:%d:%d: a comma before a closing bracket: %s does not start with it", path, line, col, d.title))
		}
	}
	return w
}
