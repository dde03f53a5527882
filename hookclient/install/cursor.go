package install

import (
	"slices"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// cursorWatched are the events that the console is told of.
var cursorWatched = []string{
	"postToolUse", "postToolUseFailure", "beforeSubmitPrompt", "sessionStart", "sessionEnd", "subagentStart", "subagentStop", "stop",
}

func init() { installers["cursor"] = cursorAgent }

// cursorAgent: hooks.json with a version, timeouts in seconds. Cursor cuts away what
// follows "//" before it parses, and one entry that it does not like voids the file.
// Source: the hook loader of @cursor/sdk 1.0.32, run with fake homes.
func cursorAgent() agent {
	return agent{
		layout: layout{agent: "cursor", line: "command", flat: true, version: true, syntax: jsonc.Slashes, shape: cursorShape},
		gate:   own("preToolUse"), watched: cursorWatched,
		hooks: func(p Program, _ Mode, timeout time.Duration) []Hook {
			write := func(line string, limit time.Duration) jsonc.Object {
				return jsonc.Object{{"command", line}, {"timeout", seconds(limit)}}
			}
			gate := append(write(p.Gate("cursor", timeout), p.GateTime("cursor", timeout)), jsonc.Field{"failClosed", true})
			return append([]Hook{{"preToolUse", gate}}, watching(p, "cursor", cursorWatched, []string{"sessionEnd"}, write)...)
		},
		notes: func(o Options, _ *settingsFile, _ []byte) []string {
			return claudeToo(o, Title("cursor"), true)
		},
	}
}

// cursorShape refuses what makes Cursor drop the whole file.
//
// The version must stand beside hooks that are there already; where there are none,
// layout.install adds it.
func cursorShape(d *jsonc.Document) error {
	const cure = "Cursor ignores every hook in the file because of it: correct it by hand, then run this again; nothing was changed"
	hooks := d.Root.Member("hooks")
	v := d.Root.Member("version")
	// String of a member that is missing is "", and Atoi then fails.
	switch n, err := strconv.Atoi(v.String()); {
	case v == nil && hooks != nil && len(hooks.Items) > 0:
		return d.Wrong(d.Root, cure, `no "version": 1 beside the hooks`)
	case v != nil && (v.Kind != jsonc.NumberKind || err != nil || n < 1):
		return d.Wrong(v, cure, `"version" must be 1`)
	}
	if hooks != nil && hooks.Kind == jsonc.ObjectKind {
		for i, k := range hooks.Keys {
			if !slices.Contains(CursorEvents, k.Name) {
				return d.Wrong(hooks.Items[i], cure, "Cursor knows no event %q", machine.Shorten(k.Name))
			}
		}
	}
	return flatShape(d, cure, func(event string, h *jsonc.Node) error {
		var bad error
		CursorEntry(h, func(at *jsonc.Node, format string, args ...any) {
			if bad == nil {
				bad = d.Wrong(at, cure, "in a hook of "+event+", "+format, args...)
			}
		})
		return bad
	})
}

// CursorEntry calls wrong for each member of h that voids the file. wrong is called with the node
// at fault and a clause about it; a report may list several.
func CursorEntry(h *jsonc.Node, wrong func(at *jsonc.Node, format string, args ...any)) {
	if t := h.Member("timeout"); t != nil {
		if v, err := strconv.ParseFloat(t.Text, 64); err != nil || t.Kind != jsonc.NumberKind || v <= 0 {
			wrong(t, "an entry's timeout is %s", machine.Shorten(t.Text))
		}
	}
	if f := h.Member("failClosed"); f != nil && f.Kind != jsonc.BoolKind {
		wrong(f, "an entry's failClosed is not true or false")
	}
	if t := h.Member("type"); t != nil && t.Text != "command" && t.Text != "prompt" {
		wrong(t, "an entry's type is %q", machine.Shorten(t.Text))
	}
	if m := h.Member("matcher"); m != nil && m.Kind != jsonc.StringKind {
		wrong(m, "an entry's matcher is no text")
	}
}

// CursorEvents are all that Cursor knows: one other name voids the whole file.
// Source: the hook loader of @cursor/sdk 1.0.32, run with fake homes.
var CursorEvents = []string{
	"sessionStart", "sessionEnd", "preToolUse", "postToolUse", "postToolUseFailure",
	"beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution",
	"beforeReadFile", "afterFileEdit", "beforeTabFileRead", "afterTabFileEdit", "beforeSubmitPrompt",
	"afterAgentResponse", "afterAgentThought", "subagentStart", "subagentStop", "preCompact", "stop", "workspaceOpen",
}
