package install

import (
	"slices"
	"strconv"
)

const cureShape = "Claude Code leaves out every hook of an event beside such a one: correct it by hand, then run this again; nothing was changed"

// claudeCheckShape refuses a text in which the hooks to be installed would be ignored
// because of what stands around or beside them. The error is a *SyntaxError.
func claudeCheckShape(d *document) error {
	if d.root.kind != kindObject {
		return d.wrong(d.root, "settings are an object, this is %s", kindNames[d.root.kind])
	}
	hooks := d.root.member("hooks")
	if hooks == nil {
		return nil
	}
	if hooks.kind != kindObject {
		return d.wrong(hooks, `"hooks" must be an object, this is %s`, kindNames[hooks.kind])
	}
	for i, k := range hooks.keys {
		if !isGate(k.name) && !slices.Contains(ClaudeEvents(), k.name) {
			continue // nothing is put there
		}
		if err := d.checkEvent(k.name, hooks.items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) wrong(at *node, format string, args ...any) error {
	return syntaxErrorAt(d.src, at.start, cureShape, format, args...)
}

func (d *document) checkEvent(event string, groups *node) error {
	if groups.kind != kindArray {
		return d.wrong(groups, `"hooks.%s" must be an array, this is %s`, event, kindNames[groups.kind])
	}
	for _, group := range groups.items {
		if group.kind != kindObject {
			return d.wrong(group, `an entry of "hooks.%s" must be an object, this is %s`, event, kindNames[group.kind])
		}
		if m := group.member("matcher"); m != nil && m.kind != kindString {
			return d.wrong(m, `"matcher" must be a string, this is %s`, kindNames[m.kind])
		}
		handlers := group.member("hooks")
		if handlers == nil {
			return d.wrong(group, `an entry of "hooks.%s" has no "hooks" array`, event)
		}
		if handlers.kind != kindArray {
			return d.wrong(handlers, `"hooks" of an entry of "hooks.%s" must be an array, this is %s`, event, kindNames[handlers.kind])
		}
		for _, handler := range handlers.items {
			if err := d.checkHandler(event, handler); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *document) checkHandler(event string, h *node) error {
	if h.kind != kindObject {
		return d.wrong(h, `a hook of %s must be an object, this is %s`, event, kindNames[h.kind])
	}
	typ := h.member("type")
	if typ == nil || typ.kind != kindString {
		return d.wrong(h, `a hook of %s has no "type"`, event)
	}
	if typ.text == "command" {
		if c := h.member("command"); c == nil || c.kind != kindString {
			return d.wrong(h, `a command hook of %s has no "command" text`, event)
		}
	}
	if t := h.member("timeout"); t != nil {
		if v, err := strconv.ParseFloat(t.text, 64); t.kind != kindNumber || err != nil || v <= 0 {
			return d.wrong(t, `"timeout" must be a positive number of seconds`)
		}
	}
	if f := h.member("onFailure"); f != nil && (f.kind != kindString || f.text != "block" && f.text != "continue") {
		return d.wrong(f, `"onFailure" must be "block" or "continue"`)
	}
	return nil
}
