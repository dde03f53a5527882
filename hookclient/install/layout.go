package install

import (
	"slices"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// layout is how the settings of an agent hold hooks.
//
// Shape: {"hooks": {EVENT: [{"matcher": M, "hooks": [HOOK]}]}}, or {"hooks": {EVENT: [HOOK]}}
// where it is flat. It knows where hooks stand and nothing of what they do.
type layout struct {
	agent   string       // its name in the line of a hook: "codex"
	line    string       // the member of a hook that holds its line
	flat    bool         // an event holds the hooks themselves, no groups of them
	version bool         // the file says "version": 1
	matched []string     // events matched on the tool's name, with a matcher for all
	syntax  jsonc.Syntax // what the file may hold beside JSON
	shape   func(*jsonc.Document) error
}

// Hook is one handler that should be there.
type Hook struct {
	Event   string
	Handler jsonc.Object
}

// title is the agent's name in a sentence.
func (l layout) title() string { return Title(l.agent) }

// document parses a settings text of the agent.
func (l layout) document(src []byte) (*jsonc.Document, error) {
	return jsonc.Parse(src, l.syntax, l.title())
}

// group wraps the handler the way an event's array holds it.
func (l layout) group(h Hook) jsonc.Object {
	switch {
	case l.flat:
		return h.Handler
	case slices.Contains(l.matched, h.Event):
		return jsonc.Object{{"matcher", "*"}, {"hooks", jsonc.Array{h.Handler}}}
	}
	return jsonc.Object{{"hooks", jsonc.Array{h.Handler}}}
}

// handlers lists the hooks of one item of an event's array. A flat item may still hold groups, as
// a user may have copied another agent's; both are looked through.
func (l layout) handlers(group *jsonc.Node) []*jsonc.Node {
	if l.flat && group.Member("hooks") == nil {
		return []*jsonc.Node{group}
	}
	return group.Children("hooks")
}

// install returns the settings text src with hooks in it. Entries of ours that are there
// already are brought up to date where they stand, or go; all else stays. New ones come
// last, so that no other hook changes its place.
//
// Doubles of ours go, because an agent would ask twice. A group of ours with a matcher for some
// tools goes too: it would gate only those.
func (l layout) install(src []byte, hooks []Hook) ([]byte, error) {
	d, err := l.document(src)
	if err != nil {
		return nil, err
	}
	if err = l.shape(d); err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, h := range hooks {
		left[h.Event] = true
	}
	if _, err = l.remove(d, func(event string, group *jsonc.Node) bool {
		// An event that the installation does not have any more loses its hook here.
		keep := left[event] && l.seesAll(group) // the first one; further ones are doubles
		left[event] = left[event] && !keep
		return keep
	}); err != nil {
		return nil, err
	}
	// An agent that wants a version voids a file without one.
	if l.version && d.Root.Member("version") == nil {
		if err = d.AppendMember(d.Root, "version", 1); err != nil {
			return nil, err
		}
	}
	for _, h := range hooks {
		if err = l.put(d, h); err != nil {
			return nil, err
		}
	}
	return d.Src, nil
}

// seesAll reports whether a group's matcher lets every call through.
func (l layout) seesAll(group *jsonc.Node) bool {
	m := group.Member("matcher")
	return m == nil || !l.flat && m.Kind == jsonc.StringKind && (m.Text == "" || m.Text == "*")
}

// put brings the entry of ours for h.Event up to date, or adds it. A handler that says the same
// already stays as it is, in the user's own formatting.
func (l layout) put(d *jsonc.Document, h Hook) error {
	all := d.Root.Member("hooks")
	groups := all.Member(h.Event)
	switch {
	case all == nil:
		return d.AppendMember(d.Root, "hooks", jsonc.Object{{h.Event, jsonc.Array{l.group(h)}}})
	case groups == nil:
		return d.AppendMember(all, h.Event, jsonc.Array{l.group(h)})
	}
	for _, group := range groups.Items {
		for _, handler := range l.handlers(group) {
			switch {
			// Hooks of others are passed over without a look at what they do.
			case !l.isOurs(handler):
			case Holds(d.Src[handler.Start:handler.End], h.Handler):
				return nil
			default:
				return d.Replace(handler, h.Handler)
			}
		}
	}
	return d.AppendItem(groups, l.group(h))
}

// Holds reports whether text holds exactly the members of want.
func Holds(text []byte, want jsonc.Object) bool { return wire.Same(text, jsonc.Compact(want)) }

// isOurs reports whether a handler runs aoctl's hook client and nothing else. A handler with
// "args" runs its command without a shell, which no line of ours does.
func (l layout) isOurs(handler *jsonc.Node) bool {
	command := handler.Member(l.line)
	return command != nil && command.Kind == jsonc.StringKind && handler.Member("args") == nil &&
		hookline.IsOurs(command.Text, l.agent)
}

// remove takes out the entries of ours that keep does not want, and the groups,
// events and "hooks" key that this leaves empty; what was empty before stays. It
// returns how many entries went.
//
// Containers that were empty before are not ours to take: a user may keep an empty event as a
// reminder.
func (l layout) remove(d *jsonc.Document, keep func(event string, group *jsonc.Node) bool) (int, error) {
	removed := 0
	hooks := d.Root.Member("hooks")
	if hooks == nil || hooks.Kind != jsonc.ObjectKind {
		return 0, nil
	}
	for i := 0; i < len(hooks.Items); i++ {
		event := hooks.Keys[i].Name
		n, emptied, err := l.removeEvent(d, event, keep)
		if err != nil {
			return removed, err
		}
		removed += n
		hooks = d.Root.Member("hooks")
		if !emptied {
			continue
		}
		if err = d.Remove(hooks, func(at int) bool { return at == i }); err != nil {
			return removed, err
		}
		// Every edit makes nodes void, so they are looked up again.
		hooks = d.Root.Member("hooks")
		// The next event has moved to this place.
		i--
	}
	if removed > 0 && d.IsBlank(d.Root, "hooks") {
		return removed, d.Remove(d.Root, func(at int) bool { return d.Root.Keys[at].Name == "hooks" })
	}
	return removed, nil
}

// removeEvent does so for one event, and reports whether nothing is left of it. When every hook
// of a group goes the group goes, with its matcher.
func (l layout) removeEvent(d *jsonc.Document, event string, keep func(string, *jsonc.Node) bool) (removed int, emptied bool, err error) {
	groups := func() *jsonc.Node { return d.Root.Member("hooks").Member(event) }
	for i := 0; i < len(groups().Children("")); i++ {
		group := groups().Items[i]
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
		// Something of another's stays in the group, so the group stays.
		if len(drop) < len(l.handlers(group)) {
			err = d.Remove(group.Member("hooks"), func(at int) bool { return drop[at] })
		} else {
			err = d.Remove(groups(), func(at int) bool { return at == i })
			i--
		}
		if err != nil {
			return removed, false, err
		}
	}
	return removed, removed > 0 && d.IsBlank(d.Root.Member("hooks"), event), nil
}

// bare is src without ours and without the empty containers that an installation
// may have filled. Two texts with the same bare form differ by an installation only; where
// there may be comments, white space and commas do not count. It is compared and never written.
func (l layout) bare(src []byte) ([]byte, error) {
	d, err := l.document(src)
	if err != nil {
		return nil, err
	}
	if _, err = l.remove(d, func(string, *jsonc.Node) bool { return false }); err != nil {
		return nil, err
	}
	if hooks := d.Root.Member("hooks"); hooks != nil && hooks.Kind == jsonc.ObjectKind {
		if err = d.Remove(hooks, func(at int) bool { return d.IsBlank(hooks, hooks.Keys[at].Name) }); err != nil {
			return nil, err
		}
	}
	if d.IsBlank(d.Root, "hooks") {
		if err = d.Remove(d.Root, func(at int) bool { return d.Root.Keys[at].Name == "hooks" }); err != nil {
			return nil, err
		}
	}
	if l.nothing(d) {
		return []byte("{}\n"), nil
	}
	if l.syntax != jsonc.Strict {
		return d.Tokens(), nil
	}
	return d.Src, nil
}

// nothing reports whether d says no more than that it is a file of settings. A comment is
// something: its author wants it kept.
func (l layout) nothing(d *jsonc.Document) bool {
	left := len(d.Root.Items)
	if v := d.Root.Member("version"); l.version && v != nil && v.Text == "1" {
		left--
	}
	return left == 0 && d.Root.Kind == jsonc.ObjectKind && !d.HasComments()
}
