package install

import (
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// cursorWatched are the events that the console is told of.
var cursorWatched = []string{
	"postToolUse", "postToolUseFailure", "beforeSubmitPrompt", "sessionStart", "sessionEnd", "subagentStart", "subagentStop", "stop",
}

// cursorAgent: hooks.json with a version, timeouts in seconds. Cursor cuts away what
// follows "//" before it parses, and one entry that it does not like voids the file.
// Source: the hook loader of @cursor/sdk 1.0.32, run with fake homes.
func cursorAgent() agent {
	const title = "Cursor"
	return agent{
		layout: layout{agent: "cursor", title: title, line: "command", flat: true, version: true, syntax: slashJSON, shape: cursorShape},
		gate:   own("preToolUse"), watched: cursorWatched,
		home: inHomeFolder(title, "", ".cursor"), file: "hooks.json", shared: filepath.Join(".cursor", "hooks.json"),
		hooks: func(p Program, _ Mode, timeout time.Duration) []hook {
			write := func(line string, limit time.Duration) object {
				return object{{"command", line}, {"timeout", seconds(limit)}}
			}
			gate := append(write(p.gateCommand("cursor", timeout), p.gateTime("cursor", timeout)), field{"failClosed", true})
			return append([]hook{{"preToolUse", gate}}, watching(p, "cursor", cursorWatched, []string{"sessionEnd"}, write)...)
		},
		notes: func(o Options, _ *settingsFile, _ []byte) []string {
			return claudeToo(o, title, true)
		},
	}
}

// cursorShape refuses what makes Cursor drop the whole file.
func cursorShape(d *document) error {
	const cure = "Cursor ignores every hook in the file because of it: correct it by hand, then run this again; nothing was changed"
	hooks := d.root.member("hooks")
	v := d.root.member("version")
	switch n, err := strconv.Atoi(textOf(v)); {
	case v == nil && hooks != nil && len(hooks.items) > 0:
		return d.wrongFor(d.root, cure, `no "version": 1 beside the hooks`)
	case v != nil && (v.kind != kindNumber || err != nil || n < 1):
		return d.wrongFor(v, cure, `"version" must be 1`)
	}
	if hooks != nil && hooks.kind == kindObject {
		for i, k := range hooks.keys {
			if !slices.Contains(cursorEvents, k.name) {
				return d.wrongFor(hooks.items[i], cure, "Cursor knows no event %q", shorten(k.name))
			}
		}
	}
	return d.flatShape(cure, func(event string, h *node) error {
		var bad error
		cursorEntry(h, func(at *node, format string, args ...any) {
			if bad == nil {
				bad = d.wrongFor(at, cure, "in a hook of "+event+", "+format, args...)
			}
		})
		return bad
	})
}

// cursorEntry calls wrong for each member of h that voids the file.
func cursorEntry(h *node, wrong func(at *node, format string, args ...any)) {
	if t := h.member("timeout"); t != nil {
		if v, err := strconv.ParseFloat(t.text, 64); err != nil || t.kind != kindNumber || v <= 0 {
			wrong(t, "an entry's timeout is %s", shorten(t.text))
		}
	}
	if f := h.member("failClosed"); f != nil && f.kind != kindBool {
		wrong(f, "an entry's failClosed is not true or false")
	}
	if t := h.member("type"); t != nil && t.text != "command" && t.text != "prompt" {
		wrong(t, "an entry's type is %q", shorten(t.text))
	}
	if m := h.member("matcher"); m != nil && m.kind != kindString {
		wrong(m, "an entry's matcher is no text")
	}
}
