package service_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/service"
)

// slashWorld is a project with texts, below a folder with more, and its user's.
type slashWorld struct {
	dir, home, above, project string
}

func newSlashWorld(t *testing.T) slashWorld {
	t.Helper()
	dir := t.TempDir()
	w := slashWorld{dir, filepath.Join(dir, "home"), filepath.Join(dir, "src"), filepath.Join(dir, "src", "shop")}
	w.write(t, map[string]string{
		"home/.claude/commands/words.md":           "Only words.",
		"home/.claude/commands/runs.md":            "!`id`",
		"home/.claude/skills/both/SKILL.md":        "Only words.",
		"src/.claude/commands/above.md":            "Only words.",
		"src/.claude/commands/twice.md":            "!`above`",
		"src/shop/.claude/commands/twice.md":       "Only words.",
		"src/shop/.claude/commands/words.md":       "---\ndescription: x\n---\nOnly words.",
		"src/shop/.claude/commands/runs.md":        "!`git status` and !`git diff`",
		"src/shop/.claude/commands/front/up.md":    "Only words.",
		"src/shop/.claude/skills/skill/SKILL.md":   "Only words.",
		"src/shop/.claude/skills/hooks/SKILL.md":   "---\nhooks: {Stop: []}\n---\nOnly words.",
		"src/shop/.claude/commands/inner/SKILL.md": "!`id`",
		"src/shop/.claude/commands/big.md":         strings.Repeat("words ", 50_000),
	})
	if err := os.Mkdir(filepath.Join(w.project, ".claude", "commands", "folder.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.settle(t)
	return w
}

// write writes files below the world's folder.
func (w slashWorld) write(t *testing.T, files map[string]string) {
	t.Helper()
	for file, text := range files {
		path := filepath.Join(w.dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// settle waits until a session that begins now has begun after all files were written.
func (w slashWorld) settle(t *testing.T) {
	t.Helper()
	last := filepath.Join(w.dir, "last")
	if err := os.WriteFile(last, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for time.Since(changeOf(t, last)) < 5*time.Millisecond {
		continue
	}
}

// begun is a broker that heard a session begin, whose process it cannot see.
func (w slashWorld) begun(t *testing.T) *client {
	t.Helper()
	return w.begunBy(t, func(broker.Process) (time.Duration, bool) { return 0, false })
}

// begunBy is begun by a process of the age that is told.
func (w slashWorld) begunBy(t *testing.T, age func(broker.Process) (time.Duration, bool)) *client {
	t.Helper()
	c := serve(t, service.Options{Hold: time.Millisecond, Age: age})
	start := `{"hook_event_name":"SessionStart","session_id":"s","cwd":"/w","source":"startup"}`
	if status, got := c.do(http.MethodPost, "/hooks/claude", start); status != http.StatusOK {
		t.Fatalf("%d %v", status, got)
	}
	return c
}

// payload is the event of a typed command.
func (w slashWorld) payload(t *testing.T, name, source string) string {
	t.Helper()
	kind := "slash_command"
	if source == "mcp_prompt" {
		kind, source = source, "mcp"
	}
	text, err := json.Marshal(map[string]string{
		"hook_event_name": "UserPromptExpansion", "session_id": "s", "cwd": w.project, "prompt_id": "p-" + name + "-" + source,
		"transcript_path": filepath.Join(w.home, ".claude", "projects", "-src-shop", "s.jsonl"),
		"expansion_type":  kind, "command_name": name, "command_args": "now", "command_source": source, "prompt": "/" + name + " now",
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Attack: the text of what the user types has shell commands in it, or hooks, which run
// unasked. It is put before the operator unless all files that may be meant were read and
// nothing in them runs.
func TestSlash(t *testing.T) {
	w := newSlashWorld(t)
	c := w.begun(t)
	at := func(parts ...string) string {
		return filepath.Join(append([]string{w.project, ".claude"}, parts...)...)
	}
	for _, tt := range []struct {
		name, source string
		want         *agents.SlashInput // what is asked, nil for nothing
	}{
		{"words", "projectSettings", nil},
		{"above", "projectSettings", nil},
		{"front:up", "projectSettings", nil},
		{"skill", "projectSettings", nil},
		{"words", "userSettings", nil},
		{"both", "userSettings", nil},
		{"security-review", "builtin", nil},
		{"simplify", "bundled", nil},
		{"runs", "projectSettings", &agents.SlashInput{Files: []string{at("commands", "runs.md")}, Runs: []string{"git status", "git diff"}}},
		{"runs", "userSettings", &agents.SlashInput{Files: []string{filepath.Join(w.home, ".claude", "commands", "runs.md")}, Runs: []string{"id"}}},
		{"inner", "projectSettings", &agents.SlashInput{Files: []string{at("commands", "inner", "SKILL.md")}, Runs: []string{"id"}}},
		{"hooks", "projectSettings", &agents.SlashInput{Files: []string{at("skills", "hooks", "SKILL.md")}, Head: "hooks: {Stop: []}"}},
		{"twice", "projectSettings", &agents.SlashInput{
			Files: []string{at("commands", "twice.md"), filepath.Join(w.above, ".claude", "commands", "twice.md")}, Runs: []string{"above"},
		}},
		{"both", "projectSettings", &agents.SlashInput{Unknown: "its text was not found"}},
		{"words", "plugin", &agents.SlashInput{Unknown: "its text was not found"}},
		{"words", "policySettings", &agents.SlashInput{Unknown: "its text was not found"}},
		{"words", "mcp_prompt", &agents.SlashInput{Source: "mcp_prompt", Unknown: "its text was not found"}},
		{"..:commands:words", "projectSettings", &agents.SlashInput{Unknown: "its text was not found"}},
		{"x/../words", "projectSettings", &agents.SlashInput{Unknown: "its text was not found"}},
		{"folder", "projectSettings", &agents.SlashInput{Files: []string{at("commands", "folder.md")}, Unknown: "its text cannot be read: it is no file"}},
		{"big", "projectSettings", &agents.SlashInput{Files: []string{at("commands", "big.md")}, Unknown: "its text cannot be read: it has more than 256 KiB"}},
	} {
		status, got := c.do(http.MethodPost, "/hooks/claude", w.payload(t, tt.name, tt.source))
		if tt.want == nil {
			if status != http.StatusOK || len(got) != 0 {
				t.Errorf("%s of %s: %d %v", tt.name, tt.source, status, got)
			}
			continue
		}
		id, _ := got["request_id"].(string)
		if status != http.StatusAccepted || id == "" {
			t.Errorf("%s of %s: %d %v", tt.name, tt.source, status, got)
			continue
		}
		req, err := c.b.Request(t.Context(), id)
		want := *tt.want
		want.Typed = "/" + tt.name + " now"
		if want.Source == "" {
			want.Source = tt.source
		}
		if err != nil || req.ToolName != agents.SlashCommand || string(req.ToolInput) != string(want.JSON()) {
			t.Errorf("%s of %s: %v, asked for %s %s\nwant %s", tt.name, tt.source, err, req.ToolName, req.ToolInput, want.JSON())
		}
	}
}

// asked is the input of the call that a typed command became, "" when it was let through.
func (w slashWorld) asked(t *testing.T, c *client, name string) string {
	t.Helper()
	status, got := c.do(http.MethodPost, "/hooks/claude", w.payload(t, name, "projectSettings"))
	id, _ := got["request_id"].(string)
	if status == http.StatusOK && len(got) == 0 {
		return ""
	}
	req, err := c.b.Request(t.Context(), id)
	if status != http.StatusAccepted || err != nil {
		t.Fatalf("%s: %d %v, %v", name, status, got, err)
	}
	return string(req.ToolInput)
}

// Attack: beside a text of words lies one that runs something, in a place from which Claude
// Code 2.1.329 takes it under the same name.
func TestSlashElsewhere(t *testing.T) {
	w := newSlashWorld(t)
	git := filepath.Join(w.above, "main", ".git", "worktrees", "shop")
	w.write(t, map[string]string{
		"src/shop/.claude/commands/a/b.md":               "Only words.",
		"src/shop/.claude/commands/a:b.md":               "!`file`",
		"src/shop/.claude/commands/c/d.md":               "Only words.",
		"src/shop/.claude/skills/c:d/SKILL.md":           "!`skill`",
		"src/shop/.claude/commands/e/f/g.md":             "Only words.",
		"src/shop/.claude/commands/e:f/g/sKILL.MD":       "!`folder`",
		"src/shop/.claude/commands/lower.md":             "Only words.",
		"src/shop/.claude/commands/lower/skill.md":       "!`lower`",
		"src/shop/.claude/commands/main.md":              "Only words.",
		"src/main/.claude/skills/main/SKILL.md":          "!`main`",
		"src/shop/.git":                                  "gitdir: " + git + "\n",
		"src/main/.git/worktrees/shop/commondir":         "../..\n",
		"src/shop/.claude/skills/paths/SKILL.md":         "---\npaths: x\n---\nOnly words.",
		"src/shop/.claude/skills/plug/SKILL.md":          "Only words.",
		"src/shop/.claude/skills/plug/.claude-plugin/x":  "",
		"src/shop/.claude/skills/other/SKILL.md":         "Only words.",
		"src/shop/.claude/skills/heads/SKILL.md":         "---\nhooks: a\n---\n",
		"src/shop/.claude/commands/heads.md":             "---\nhooks: b\n---\n",
		"src/shop/.claude/commands/other.md":             "Only words.",
		"src/shop/.claude/skills/sub/nested/SKILL.md":    "Only words.",
		"src/shop/.claude/commands/a/b/c/d/e/f/g/low.md": "Only words.",
		"src/shop/.agents/skills/link/SKILL.md":          "Only words.",
	})
	claude := filepath.Join(w.project, ".claude")
	for link, to := range map[string]string{"skills/twin": "other", "skills/link": "../../.agents/skills/link", "commands/twice2.md": "other.md"} {
		if err := os.Symlink(to, filepath.Join(claude, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(claude, "commands", "words.md"), filepath.Join(claude, "commands", "hard.md")); err != nil {
		t.Fatal(err)
	}
	w.settle(t)
	c := w.begun(t)
	for name, want := range map[string]string{
		"a:b": `"runs":["file"]`, "c:d": `"runs":["skill"]`, "e:f:g": `"runs":["folder"]`,
		"lower": `"runs":["lower"]`, "main": `"runs":["main"]`,
		"paths": "for some files only", "plug": "of a plugin", "sub:nested": "was not found", "a:b:c:d:e:f:g:low": "was not found",
		"heads": `"head":"hooks: b\n---\nhooks: a"`,
		"twin":  "under another name", "twice2": "under another name", "hard": "under another name",
		"link": "", "above": "", "front:up": "", "skill": "",
	} {
		if got := w.asked(t, c, name); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: asked with %q, want %q", name, got, want)
		}
	}
}

// Attack: the folder's name is part of a skill's text, and of what ${CLAUDE_PROJECT_DIR}
// stands for.
func TestSlashFolderNames(t *testing.T) {
	w := newSlashWorld(t)
	w.project = filepath.Join(w.above, "x !`date`")
	w.write(t, map[string]string{"src/x !`date`/.claude/commands/own.md": "Only words."})
	w.settle(t)
	c := w.begun(t)
	for _, name := range []string{"own", "above"} {
		if got := w.asked(t, c, name); !strings.Contains(got, "may be taken for a command") {
			t.Errorf("%s: asked with %q", name, got)
		}
	}
}

// A session may be heard of long after its agent read its texts: then the process tells.
func TestSlashTextBeforeSession(t *testing.T) {
	w := newSlashWorld(t)
	for name, tt := range map[string]struct {
		age   time.Duration
		known bool
		want  string
	}{
		"an old process":     {time.Hour, true, "has changed since the session began"},
		"a new process":      {-time.Hour, true, ""},
		"an unknown process": {0, false, ""},
	} {
		c := w.begunBy(t, func(broker.Process) (time.Duration, bool) { return tt.age, tt.known })
		if got := w.asked(t, c, "words"); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: asked with %q, want %q", name, got, tt.want)
		}
	}
	c := serve(t, service.Options{Hold: time.Millisecond, Age: func(broker.Process) (time.Duration, bool) { return 0, false }})
	if got := w.asked(t, c, "words"); !strings.Contains(got, "not known when the session began") {
		t.Errorf("nothing known: asked with %q", got)
	}
}

// A text that was changed after the session began may not be the one that its agent read.
func TestSlashTextChanged(t *testing.T) {
	w := newSlashWorld(t)
	c := w.begun(t)
	file := filepath.Join(w.project, ".claude", "commands", "words.md")
	session, err := c.b.Session(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	for now := time.Now(); !changeOf(t, file).After(session.StartedAt); { // clocks of file systems are coarse
		if time.Since(now) > time.Minute {
			t.Fatal("the file's time does not move")
		}
		if err := os.WriteFile(file, []byte("Other words."), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status, got := c.do(http.MethodPost, "/hooks/claude", w.payload(t, "words", "projectSettings"))
	id, _ := got["request_id"].(string)
	if status != http.StatusAccepted {
		t.Fatalf("%d %v", status, got)
	}
	if req, err := c.b.Request(t.Context(), id); err != nil || !strings.Contains(string(req.ToolInput), "has changed since the session began") {
		t.Errorf("%v: %s", err, req.ToolInput)
	}
	if status, got := c.do(http.MethodPost, "/hooks/claude", w.payload(t, "above", "projectSettings")); status != http.StatusOK {
		t.Errorf("one that has not changed: %d %v", status, got)
	}
}

func changeOf(t *testing.T, file string) time.Time {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}
