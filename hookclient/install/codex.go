package install

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// codexEvents are those that the console is told of.
var codexEvents = []string{
	"PostToolUse", "UserPromptSubmit", "SessionStart", "SessionEnd", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
}

func init() { installers["codex"] = codexAgent }

// codexAgent: hooks.json, strict JSON, timeouts in seconds. Codex runs a hook only once it
// is trusted, by its content and its place in the file: see Trust.
// Source: runs of Codex 0.169.0.
//
// Trust goes by place, so ours come last in each event: hooks of others then stay where they were
// trusted.
func codexAgent() agent {
	return agent{
		layout: layout{
			agent: "codex", line: "command", matched: []string{"PreToolUse", "PostToolUse"}, shape: codexShape,
		},
		gate: own("PreToolUse"), watched: codexEvents,
		hooks: func(p Program, _ Mode, timeout time.Duration) []Hook {
			write := func(line string, limit time.Duration) jsonc.Object {
				return jsonc.Object{{"type", "command"}, {"command", line}, {"timeout", seconds(limit)}}
			}
			gate := append(write(p.Gate("codex", timeout), p.GateTime("codex", timeout)), jsonc.Field{"statusMessage", "Waiting for aoctl"})
			return append([]Hook{{"PreToolUse", gate}}, watching(p, "codex", codexEvents, []string{"SessionEnd", "Interrupt"}, write)...)
		},
		notes: codexNotes, cleanUp: codexForget, moved: codexMoved,
	}
}

// codexForget takes out of config.toml that Codex trusted hooks which are gone. A hash that is
// left behind would let a hook with the same line run unasked later.
func codexForget(o Options, f *settingsFile, r *Report) error {
	d, err := codexAgent().document(f.data)
	if err != nil {
		return err
	}
	config, err := readSettings(filepath.Join(filepath.Dir(f.path), "config.toml"), false)
	// Without a config.toml nothing was ever trusted.
	if err != nil || !config.exists {
		return err
	}
	after := withoutTrust(config.data, codexKeys(f.path, d))
	if bytes.Equal(after, config.data) {
		return nil
	}
	config.disposable = len(bytes.TrimSpace(after)) == 0
	if config.disposable {
		after = nil
	}
	// It is shown with the rest: a user is to see every file that is touched.
	r.Diff += config.diff(after)
	// The file may have been nothing but trust in our hooks, and then goes as a whole.
	switch {
	case o.DryRun:
	case config.disposable:
		if _, err = config.remove(o.Now); err == nil && f.disposable {
			f.removeFolders()
		}
	default:
		_, err = config.write(after, o.Now)
	}
	return err
}

// codexShape refuses what makes Codex drop the whole file. A single hook of an unknown type is
// enough for that.
func codexShape(d *jsonc.Document) error {
	const cure = "Codex ignores the whole file because of it: correct it by hand, then run this again; nothing was changed"
	return nestedShape(d, cure, func(event string, h *jsonc.Node) error {
		if t := h.Member("type"); t == nil || t.Kind != jsonc.StringKind || t.Text == "http" {
			return d.Wrong(h, cure, `a hook of %s is of a "type" that Codex does not read: %s`, event, machine.Shorten(t.String()))
		}
		if t := h.Member("timeout"); t != nil && t.Kind != jsonc.NumberKind {
			return d.Wrong(t, cure, `"timeout" must be a number of seconds`)
		}
		return nil
	})
}

// codexNotes warns of features in Codex's own settings without which it runs no hooks. The file
// is only read. To switch a feature on is the user's own decision.
func codexNotes(_ Options, f *settingsFile, _ []byte) []string {
	config, path, err := ReadCodexConfig(filepath.Dir(f.path))
	if err != nil {
		return []string{fmt.Sprintf("cannot tell what is in %s: %v", path, err)}
	}
	var w []string
	for _, name := range []string{"hooks", "codex_hooks"} {
		if v, ok := config.Features[name].(bool); ok && !v {
			w = append(w, fmt.Sprintf("%s has %s = false under [features]: Codex runs no hooks, and nothing is asked; remove that line", path, name))
		}
	}
	return w
}

// maxConfig bounds a config.toml, bytes.
const maxConfig = 1 << 20

// CodexConfig is what of config.toml decides whether a hook runs.
type CodexConfig struct {
	Features map[string]any `toml:"features"`
	Hooks    map[string]any `toml:"hooks"`
}

// ReadCodexConfig reads the user's config.toml; one that is missing is empty. path is set in any
// case, for the caller's message.
func ReadCodexConfig(dir string) (config CodexConfig, path string, err error) {
	if dir == "" {
		return config, "config.toml", ErrNoHome
	}
	path = filepath.Join(dir, "config.toml")
	text, err := machine.ReadBounded(path, maxConfig)
	if errors.Is(err, machine.ErrNoFile) {
		return config, path, nil
	}
	if err == nil {
		err = toml.Unmarshal(text, &config)
	}
	return config, path, err
}

// codexMoved warns of other people's hooks that change their place from before to after. Codex
// knows by its place which hook is trusted. They are compared in the order of the text: the same
// hook at another index is one that Codex takes for a new one.
func codexMoved(path string, before, after []byte) []string {
	a := codexAgent()
	was, is := a.othersAt(before), a.othersAt(after)
	n := 0
	for i, place := range was {
		if i < len(is) && is[i] != place {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of others in %s now stand at another place, and Codex runs them only once you trust them again: start codex and type /hooks", machine.Count(n, "hook"), path)}
}

// othersAt lists where the hooks of others are, in the order of the text.
func (a agent) othersAt(text []byte) []string {
	d, err := a.document(text)
	if err != nil {
		return nil
	}
	var list []string
	hooks := d.Root.Member("hooks")
	for i := 0; hooks != nil && i < len(hooks.Items); i++ {
		for g, group := range hooks.Items[i].Children("") {
			for h, handler := range a.handlers(group) {
				if !a.isOurs(handler) {
					list = append(list, fmt.Sprintf("%s:%d:%d", hooks.Keys[i].Name, g, h))
				}
			}
		}
	}
	return list
}
