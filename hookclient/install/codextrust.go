package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// codexTime bounds a conversation with Codex, its start included.
const codexTime = 30 * time.Second

// CodexHook is a hook as Codex itself sees it. Shape: an entry of the answer to hooks/list.
// Source: runs of Codex 0.169.0.
type CodexHook struct {
	Key         string `json:"key"` // file:event:group:handler
	Command     string `json:"command"`
	SourcePath  string `json:"sourcePath"`
	Enabled     bool   `json:"enabled"`
	CurrentHash string `json:"currentHash"`
	TrustStatus string `json:"trustStatus"` // managed, untrusted, trusted, modified
}

// Runs reports whether Codex calls the hook.
func (h CodexHook) Runs() bool {
	return h.Enabled && (h.TrustStatus == "trusted" || h.TrustStatus == "managed")
}

// CodexSkips is how many hooks of aoctl in hooks.json of its folder home Codex does not run. It
// starts Codex, and changes nothing.
func CodexSkips(ctx context.Context, program, home string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, codexTime)
	defer cancel()
	s, err := startCodex(ctx, program, home)
	if err != nil {
		return 0, err
	}
	defer s.end()
	hooks, err := s.ours(home)
	return len(slices.DeleteFunc(hooks, CodexHook.Runs)), err
}

// TrustCodex has Codex trust the hooks of aoctl in hooks.json of its folder home, through
// Codex's own program, and looks whether it now does. It returns how many there are.
//
// Codex computes the hash itself and writes it into its own config.toml; aoctl only tells it
// which hooks. Whoever calls it has asked the user.
func TrustCodex(ctx context.Context, program, home string) (trusted int, err error) {
	ctx, cancel := context.WithTimeout(ctx, codexTime)
	defer cancel()
	config, err := readSettings(filepath.Join(home, "config.toml"), false)
	if err != nil {
		return 0, err
	}
	// Codex writes the file anew. Run under sudo it would belong to root afterwards.
	defer func() { err = errors.Join(err, config.likeBefore()) }()
	s, err := startCodex(ctx, program, home)
	if err != nil {
		return 0, err
	}
	defer s.end()
	hooks, err := s.ours(home)
	if err != nil {
		return 0, err
	}
	state := map[string]map[string]any{}
	for _, h := range hooks {
		state[h.Key] = map[string]any{"trusted_hash": h.CurrentHash}
		if !h.Enabled {
			// A hook that the user has switched off would stay so although it is trusted.
			state[h.Key]["enabled"] = true
		}
	}
	edit := map[string]any{"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
	if err = s.call("config/batchWrite", map[string]any{"edits": []any{edit}, "reloadUserConfig": true}, nil); err != nil {
		return 0, err
	}
	if hooks, err = s.ours(home); err != nil {
		return 0, err
	}
	// What Codex itself says afterwards is what counts.
	for _, h := range hooks {
		if !h.Runs() {
			return 0, fmt.Errorf("codex still does not run %s: it is %s", h.Key, h.TrustStatus)
		}
	}
	return len(hooks), nil
}

// CodexHooks is what Codex would run in the folder project. It is for a report on a project:
// hooks of the project itself are among them.
func CodexHooks(program, home, project string) ([]CodexHook, error) {
	ctx, cancel := context.WithTimeout(context.Background(), codexTime)
	defer cancel()
	s, err := startCodex(ctx, program, home)
	if err != nil {
		return nil, err
	}
	defer s.end()
	return s.list(project)
}

// list asks for the hooks that count in the folder project.
func (s *codexServer) list(project string) ([]CodexHook, error) {
	var result struct {
		Data []struct{ Hooks []CodexHook }
	}
	if err := s.call("hooks/list", map[string]any{"cwds": []string{project}}, &result); err != nil {
		return nil, err
	}
	if len(result.Data) == 0 {
		return nil, errors.New("codex app-server, hooks/list: nothing is said of the folder")
	}
	return result.Data[0].Hooks, nil
}

// ours lists those of aoctl in hooks.json of home.
func (s *codexServer) ours(home string) ([]CodexHook, error) {
	all, err := s.list(home)
	if err != nil {
		return nil, err
	}
	var hooks []CodexHook
	for _, h := range all {
		if machine.SameFile(h.SourcePath, filepath.Join(home, "hooks.json")) && hookline.IsOurs(h.Command, "codex") {
			hooks = append(hooks, h)
		}
	}
	if len(hooks) == 0 {
		return nil, errors.New("codex does not see the hooks of aoctl in " + filepath.Join(home, "hooks.json"))
	}
	return hooks, nil
}

// codexKeys are the names under which Codex keeps whether it trusts hooks of ours that
// stand in a hooks.json with this text.
func codexKeys(path string, d *jsonc.Document) []string {
	var keys []string
	l := codexAgent().layout
	hooks := d.Root.Member("hooks")
	for i := 0; hooks != nil && i < len(hooks.Items); i++ {
		for g, group := range hooks.Items[i].Children("") {
			for h, handler := range l.handlers(group) {
				if l.isOurs(handler) {
					keys = append(keys, fmt.Sprintf("%s:%s:%d:%d", path, SnakeCase(hooks.Keys[i].Name), g, h))
				}
			}
		}
	}
	return keys
}

// SnakeCase turns PreToolUse into pre_tool_use.
func SnakeCase(s string) string {
	var b strings.Builder
	for i, r := range s {
		if 'A' <= r && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// withoutTrust is a config.toml without the tables, as Codex writes them, in which it keeps
// that it trusts keys. All else stays byte for byte. It works on the text, because a parser would
// write the whole file anew, in its own style.
func withoutTrust(config []byte, keys []string) []byte {
	text := string(config)
	for _, key := range keys {
		begin := headerAt(text, "[hooks.state."+jsonc.Quote(key)+"]")
		if begin < 0 {
			continue
		}
		end := nextHeader(text, begin+1)
		text = join(text[:begin], text[end:])
	}
	if text == string(config) {
		return config
	}
	// The table above them goes only when it says nothing itself and has no others below it.
	if begin := headerAt(text, "[hooks.state]"); begin >= 0 {
		end := nextHeader(text, begin+1)
		if strings.TrimSpace(text[begin:end]) == "[hooks.state]" && !strings.HasPrefix(text[end:], "[hooks.state.") {
			text = join(text[:begin], text[end:])
		}
	}
	return []byte(text)
}

// headerAt is where the line header begins in text, -1 when there is none.
func headerAt(text, header string) int {
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		if strings.TrimSuffix(line, "\r") == header {
			return at
		}
		at += len(line) + 1
	}
	return -1
}

// nextHeader is where the next table begins at or behind from, or the end of text.
func nextHeader(text string, from int) int {
	if i := strings.Index(text[from:], "\n["); i >= 0 {
		return from + i + 1
	}
	return len(text)
}

// join puts together what a table stood between: the empty line before it goes with it
// when nothing follows.
func join(before, after string) string {
	if after == "" && strings.HasSuffix(before, "\n\n") {
		before = before[:len(before)-1]
	}
	return before + after
}
