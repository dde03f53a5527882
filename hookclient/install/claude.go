package install

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"
)

// Claude Code's hooks: what is written, what counts as ours, what is taken out again.
//
// Shape: {"hooks": {EVENT: [{"matcher": M, "hooks": [{"type": "command", …}]}]}} in a
// strict JSON file; timeouts in seconds.
// Source: Claude Code's hook reference, and runs of version 2.1.329.
const (
	claudeGrace       = 60 * time.Second // the agent gives up this much after the client, never before it
	claudeWatch       = 10 * time.Second
	claudeWatchClient = 3 * time.Second
	claudeEnd         = 5 * time.Second // SessionEnd: Claude Code's exit waits for it
	claudeEndClient   = 2 * time.Second

	claudeSettingsClient = 10 * time.Second
)

// claudeGates names the event that decides, per mode.
var claudeGates = map[Mode]string{Gate: "PreToolUse", Prompts: "PermissionRequest"}

// claudeSettings is the event before a session reads its settings anew. A refusal keeps
// the change out: without it, a file that comes with a change of branch could switch the
// gate off in the middle of a session.
const claudeSettings = "ConfigChange"

// claudeWatched lists the events that the console is only told of, in the order written.
var claudeWatched = []string{
	"PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd",
	"Stop", "SubagentStart", "SubagentStop", "Notification",
}

// claudeToolEvents are matched on the tool's name.
var claudeToolEvents = []string{"PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"}

// hook is one handler that should be there.
type hook struct {
	event   string
	handler object
}

// group wraps the handler the way an event's array holds it.
func (h hook) group() object {
	if slices.Contains(claudeToolEvents, h.event) {
		return object{{"matcher", "*"}, {"hooks", array{h.handler}}}
	}
	return object{{"hooks", array{h.handler}}}
}

// claudeHooks lists the handlers that an installation consists of.
func claudeHooks(p Program, mode Mode, timeout time.Duration) []hook {
	hooks := []hook{{claudeGates[mode], object{
		{"type", "command"},
		{"command", p.gateCommand("claude", timeout)},
		{"timeout", seconds(timeout + claudeGrace)},
		{"onFailure", "block"},
		{"statusMessage", "Waiting for aoctl"},
	}}, {claudeSettings, object{
		{"type", "command"},
		{"command", p.gateCommand("claude", claudeSettingsClient)},
		{"timeout", seconds(claudeSettingsClient + claudeGrace)},
		{"onFailure", "block"},
	}}}
	for _, event := range claudeWatched {
		client, agent := claudeWatchClient, claudeWatch
		if event == "SessionEnd" {
			client, agent = claudeEndClient, claudeEnd
		}
		hooks = append(hooks, hook{event, object{
			{"type", "command"},
			{"command", p.watchCommand("claude", client)},
			{"timeout", seconds(agent)},
		}})
	}
	return hooks
}

// seconds rounds up: the agent must never give up before the client does.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// claudeInstall returns the settings text src with hooks in it. Entries of ours that
// are there already are brought up to date where they stand, or go; all else stays.
func claudeInstall(src []byte, hooks []hook) ([]byte, error) {
	d, err := newDocument(src)
	if err != nil {
		return nil, err
	}
	if err = claudeCheckShape(d); err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, h := range hooks {
		left[h.event] = true
	}
	if _, err = claudeRemove(d, func(event string, group *node) bool {
		keep := left[event] && seesAll(group) // the first one; further ones are doubles
		left[event] = left[event] && !keep
		return keep
	}); err != nil {
		return nil, err
	}
	for _, h := range hooks {
		if err = claudePut(d, h); err != nil {
			return nil, err
		}
	}
	return d.src, nil
}

// seesAll reports whether a group's matcher lets every call through.
func seesAll(group *node) bool {
	m := group.member("matcher")
	return m == nil || m.kind == kindString && (m.text == "" || m.text == "*")
}

// claudePut brings the entry of ours for h.event up to date, or adds it.
func claudePut(d *document, h hook) error {
	all := d.root.member("hooks")
	groups := all.member(h.event)
	switch {
	case all == nil:
		return d.appendMember(d.root, "hooks", object{{h.event, array{h.group()}}})
	case groups == nil:
		return d.appendMember(all, h.event, array{h.group()})
	}
	for _, group := range groups.items {
		for _, handler := range group.children("hooks") {
			switch {
			case !claudeIsOurs(handler):
			case sameJSON(d.src[handler.start:handler.end], h.handler):
				return nil
			default:
				return d.replace(handler, h.handler)
			}
		}
	}
	return d.appendItem(groups, h.group())
}

// sameJSON reports whether text holds exactly the members of want.
func sameJSON(text []byte, want object) bool {
	plain := &document{style: style{colon: ":", comma: ","}}
	var a, b any
	return json.Unmarshal(text, &a) == nil &&
		json.Unmarshal([]byte(plain.compact(want)), &b) == nil && reflect.DeepEqual(a, b)
}

// claudeIsOurs reports whether a handler runs aoctl's hook client and nothing else.
func claudeIsOurs(handler *node) bool {
	command := handler.member("command")
	return command != nil && command.kind == kindString && handler.member("args") == nil &&
		isOurs(command.text, "claude")
}

// claudeRemove takes out the entries of ours that keep does not want, and the groups,
// events and "hooks" key that this leaves empty; what was empty before stays. It
// returns how many entries went.
func claudeRemove(d *document, keep func(event string, group *node) bool) (int, error) {
	removed := 0
	hooks := d.root.member("hooks")
	if hooks == nil || hooks.kind != kindObject {
		return 0, nil
	}
	for i := 0; i < len(hooks.items); i++ {
		event := hooks.keys[i].name
		n, emptied, err := claudeRemoveEvent(d, event, keep)
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
	if removed > 0 && len(hooks.items) == 0 {
		return removed, d.removeChildren(d.root, func(at int) bool { return d.root.keys[at].name == "hooks" })
	}
	return removed, nil
}

// claudeRemoveEvent does so for one event, and reports whether nothing is left of it.
func claudeRemoveEvent(d *document, event string, keep func(string, *node) bool) (removed int, emptied bool, err error) {
	groups := func() *node { return d.root.member("hooks").member(event) }
	for i := 0; i < len(groups().children("")); i++ {
		group := groups().items[i]
		drop := map[int]bool{}
		for at, handler := range group.children("hooks") {
			if claudeIsOurs(handler) && !keep(event, group) {
				drop[at] = true
			}
		}
		if len(drop) == 0 {
			continue
		}
		removed += len(drop)
		if len(drop) < len(group.children("hooks")) {
			err = d.removeChildren(group.member("hooks"), func(at int) bool { return drop[at] })
		} else {
			err = d.removeChildren(groups(), func(at int) bool { return at == i })
			i--
		}
		if err != nil {
			return removed, false, err
		}
	}
	return removed, removed > 0 && len(groups().items) == 0, nil
}

// claudeBare is src without ours and without the empty containers that an installation
// may have filled. Two texts with the same bare form differ by an installation only.
func claudeBare(src []byte) ([]byte, error) {
	d, err := newDocument(src)
	if err != nil {
		return nil, err
	}
	if _, err = claudeRemove(d, func(string, *node) bool { return false }); err != nil {
		return nil, err
	}
	empty := func(n *node) bool {
		return (n.kind == kindObject || n.kind == kindArray) && len(n.items) == 0
	}
	if hooks := d.root.member("hooks"); hooks != nil && hooks.kind == kindObject {
		if err = d.removeChildren(hooks, func(at int) bool { return empty(hooks.items[at]) }); err != nil {
			return nil, err
		}
	}
	if hooks := d.root.member("hooks"); hooks != nil && empty(hooks) {
		if err = d.removeChildren(d.root, func(at int) bool { return d.root.keys[at].name == "hooks" }); err != nil {
			return nil, err
		}
	}
	if empty(d.root) {
		return []byte("{}\n"), nil
	}
	return d.src, nil
}
