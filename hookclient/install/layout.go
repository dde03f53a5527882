package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker/wire"
)

// layout is how the settings of an agent hold hooks.
//
// Shape: {"hooks": {EVENT: [{"matcher": M, "hooks": [HOOK]}]}}, or {"hooks": {EVENT: [HOOK]}}
// where it is flat.
type layout struct {
	agent   string   // its name in the line of a hook: "codex"
	title   string   // as its makers write it: "Codex"
	line    string   // the member of a hook that holds its line
	flat    bool     // an event holds the hooks themselves, no groups of them
	version bool     // the file says "version": 1
	matched []string // events matched on the tool's name, with a matcher for all
	syntax  syntax   // what the file may hold beside JSON
	shape   func(*document) error
}

// hook is one handler that should be there.
type hook struct {
	event   string
	handler object
}

// document parses a settings text of the agent.
func (l layout) document(src []byte) (*document, error) {
	d, err := newDocumentAs(src, l.syntax, l.title)
	if syntax, ok := errors.AsType[*SyntaxError](err); ok && l.syntax == slashJSON {
		syntax.cutLine(src, l.title)
	}
	return d, err
}

// cutLine names "//" as what is wrong when the place is on a line that is cut off there.
func (e *SyntaxError) cutLine(src []byte, title string) {
	lines := bytes.Split(src, []byte("\n"))
	at := bytes.Index(lines[min(e.Line, len(lines))-1], []byte("//"))
	if at < 0 {
		return
	}
	e.Col = 1 + utf8.RuneCount(lines[e.Line-1][:at])
	e.Problem = fmt.Sprintf(`"//", at which %s cuts off the line`, title)
	e.Cure = title + ` ignores every hook in the file because of it: write "/\/" there; nothing was changed`
}

// group wraps the handler the way an event's array holds it.
func (l layout) group(h hook) object {
	switch {
	case l.flat:
		return h.handler
	case slices.Contains(l.matched, h.event):
		return object{{"matcher", "*"}, {"hooks", array{h.handler}}}
	}
	return object{{"hooks", array{h.handler}}}
}

// handlers lists the hooks of one item of an event's array.
func (l layout) handlers(group *node) []*node {
	if l.flat && group.member("hooks") == nil {
		return []*node{group}
	}
	return group.children("hooks")
}

// install returns the settings text src with hooks in it. Entries of ours that are there
// already are brought up to date where they stand, or go; all else stays. New ones come
// last, so that no other hook changes its place.
func (l layout) install(src []byte, hooks []hook) ([]byte, error) {
	d, err := l.document(src)
	if err != nil {
		return nil, err
	}
	if err = l.shape(d); err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, h := range hooks {
		left[h.event] = true
	}
	if _, err = l.remove(d, func(event string, group *node) bool {
		keep := left[event] && l.seesAll(group) // the first one; further ones are doubles
		left[event] = left[event] && !keep
		return keep
	}); err != nil {
		return nil, err
	}
	if l.version && d.root.member("version") == nil {
		if err = d.appendMember(d.root, "version", 1); err != nil {
			return nil, err
		}
	}
	for _, h := range hooks {
		if err = l.put(d, h); err != nil {
			return nil, err
		}
	}
	return d.src, nil
}

// seesAll reports whether a group's matcher lets every call through.
func (l layout) seesAll(group *node) bool {
	m := group.member("matcher")
	return m == nil || !l.flat && m.kind == kindString && (m.text == "" || m.text == "*")
}

// put brings the entry of ours for h.event up to date, or adds it.
func (l layout) put(d *document, h hook) error {
	all := d.root.member("hooks")
	groups := all.member(h.event)
	switch {
	case all == nil:
		return d.appendMember(d.root, "hooks", object{{h.event, array{l.group(h)}}})
	case groups == nil:
		return d.appendMember(all, h.event, array{l.group(h)})
	}
	for _, group := range groups.items {
		for _, handler := range l.handlers(group) {
			switch {
			case !l.isOurs(handler):
			case holds(d.src[handler.start:handler.end], h.handler):
				return nil
			default:
				return d.replace(handler, h.handler)
			}
		}
	}
	return d.appendItem(groups, l.group(h))
}

// holds reports whether text holds exactly the members of want.
func holds(text []byte, want object) bool {
	plain := &document{style: style{colon: ":", comma: ","}}
	return wire.Same(text, json.RawMessage(plain.compact(want)))
}

// isOurs reports whether a handler runs aoctl's hook client and nothing else.
func (l layout) isOurs(handler *node) bool {
	command := handler.member(l.line)
	return command != nil && command.kind == kindString && handler.member("args") == nil &&
		isOurs(command.text, l.agent)
}

// remove takes out the entries of ours that keep does not want, and the groups,
// events and "hooks" key that this leaves empty; what was empty before stays. It
// returns how many entries went.
func (l layout) remove(d *document, keep func(event string, group *node) bool) (int, error) {
	removed := 0
	hooks := d.root.member("hooks")
	if hooks == nil || hooks.kind != kindObject {
		return 0, nil
	}
	for i := 0; i < len(hooks.items); i++ {
		event := hooks.keys[i].name
		n, emptied, err := l.removeEvent(d, event, keep)
		if err != nil {
			return removed, err
		}
		removed += n
		hooks = d.root.member("hooks")
		if !emptied {
			continue
		}
		if err = d.removeChildren(hooks, func(at int) bool { return at == i }); err != nil {
			return removed, err
		}
		hooks = d.root.member("hooks")
		i--
	}
	if removed > 0 && d.blankMember(d.root, "hooks") {
		return removed, d.removeChildren(d.root, func(at int) bool { return d.root.keys[at].name == "hooks" })
	}
	return removed, nil
}

// removeEvent does so for one event, and reports whether nothing is left of it.
func (l layout) removeEvent(d *document, event string, keep func(string, *node) bool) (removed int, emptied bool, err error) {
	groups := func() *node { return d.root.member("hooks").member(event) }
	for i := 0; i < len(groups().children("")); i++ {
		group := groups().items[i]
		drop := map[int]bool{}
		for at, handler := range l.handlers(group) {
			if l.isOurs(handler) && !keep(event, group) {
				drop[at] = true
			}
		}
		if len(drop) == 0 {
			continue
		}
		removed += len(drop)
		if len(drop) < len(l.handlers(group)) {
			err = d.removeChildren(group.member("hooks"), func(at int) bool { return drop[at] })
		} else {
			err = d.removeChildren(groups(), func(at int) bool { return at == i })
			i--
		}
		if err != nil {
			return removed, false, err
		}
	}
	return removed, removed > 0 && d.blankMember(d.root.member("hooks"), event), nil
}

// blankMember reports whether nothing stands in obj's member of that name, which is a
// container: no comment either.
func (d *document) blankMember(obj *node, name string) bool {
	n := obj.member(name)
	if n == nil || n.kind != kindObject && n.kind != kindArray || len(n.items) > 0 {
		return false
	}
	i := slices.IndexFunc(obj.keys, func(k key) bool { return k.name == name })
	return len(d.remarks(obj.keys[i].end, n.end)) == 0
}

// bare is src without ours and without the empty containers that an installation
// may have filled. Two texts with the same bare form differ by an installation only; where
// there may be comments, white space and commas do not count.
func (l layout) bare(src []byte) ([]byte, error) {
	d, err := l.document(src)
	if err != nil {
		return nil, err
	}
	if _, err = l.remove(d, func(string, *node) bool { return false }); err != nil {
		return nil, err
	}
	if hooks := d.root.member("hooks"); hooks != nil && hooks.kind == kindObject {
		if err = d.removeChildren(hooks, func(at int) bool { return d.blankMember(hooks, hooks.keys[at].name) }); err != nil {
			return nil, err
		}
	}
	if d.blankMember(d.root, "hooks") {
		if err = d.removeChildren(d.root, func(at int) bool { return d.root.keys[at].name == "hooks" }); err != nil {
			return nil, err
		}
	}
	if l.nothing(d) {
		return []byte("{}\n"), nil
	}
	if l.syntax != strictJSON {
		return d.tokens(), nil
	}
	return d.src, nil
}

// nothing reports whether d says no more than that it is a file of settings.
func (l layout) nothing(d *document) bool {
	left := len(d.root.items)
	if v := d.root.member("version"); l.version && v != nil && v.text == "1" {
		left--
	}
	return left == 0 && d.root.kind == kindObject && len(d.remarks(0, d.root.start)) == 0 &&
		len(d.remarks(d.root.end, len(d.src))) == 0 && len(d.remarks(d.root.start+1, d.root.end-1)) == 0
}
