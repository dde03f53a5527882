package install

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/installtest"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Each agent gives the client more time than it takes, in that agent's own unit.
func TestTimeoutUnits(t *testing.T) {
	for _, tc := range []struct {
		agent, event, member string
		timeout              time.Duration
		want                 string
	}{
		{"codex", "PreToolUse", "timeout", 10 * time.Minute, "660"},
		{"gemini", "BeforeTool", "timeout", 10 * time.Minute, "660000"},
		{"gemini", "BeforeTool", "timeout", MaxTimeout, "86460000"},
		{"qwen", "PreToolUse", "timeout", 10 * time.Second, "60"},
		{"qwen", "PreToolUse", "timeout", time.Hour, "60"}, // it waits no longer, whatever it is told
		{"copilot", "PreToolUse", "timeoutSec", 1500 * time.Millisecond, "62"},
		{"cursor", "preToolUse", "timeout", 10 * time.Minute, "660"},
	} {
		a, _ := agentNamed(tc.agent)
		out, err := a.install(nil, a.hooks(testProgram, Gate, tc.timeout))
		if err != nil {
			t.Fatal(err)
		}
		d, err := a.document(out)
		if err != nil {
			t.Fatal(err)
		}
		gate := a.handlers(d.Root.Member("hooks").Member(tc.event).Items[0])[0]
		if got := gate.Member(tc.member).String(); got != tc.want {
			t.Errorf("%s, %v: %s is %s, want %s", tc.agent, tc.timeout, tc.member, got, tc.want)
		}
		l, ok := hookline.Read(gate.Member(a.line).Text, tc.agent)
		at := profile.Of(tc.agent)
		if !ok || !l.Guarded || l.Loud == (at.Death == profile.Blocks) || !l.Outlives || l.Timeout != at.Limit(tc.timeout) {
			t.Errorf("%s: line %+v", tc.agent, l)
		}
	}
}

// Every event but the one that decides ends well whatever becomes of the client, and none
// has a matcher on Copilot CLI, where some match nothing.
func TestWatchedHooks(t *testing.T) {
	for _, a := range agents() {
		if a.plugin != nil {
			continue
		}
		hooks := a.hooks(testProgram, Gate, time.Minute)
		for _, h := range hooks {
			var handler map[string]any
			if err := json.Unmarshal(jsonc.Compact(h.Handler), &handler); err != nil {
				t.Fatal(err)
			}
			line, _ := handler[a.line].(string)
			decides := h.Event == a.gate[Gate] || h.Event == ClaudeSettings || h.Event == ClaudeTexts || h.Event == GeminiPrompt
			if strings.Contains(line, "exit 2") != decides || strings.Contains(line, watchTail) == decides {
				t.Errorf("%s %s: %s", a.agent, h.Event, line)
			}
			if a.agent == "copilot" && bytes.Contains(jsonc.Compact(a.group(h)), []byte("matcher")) {
				t.Errorf("%s has a matcher", h.Event)
			}
		}
		if len(hooks) < 1+len(a.watched) {
			t.Errorf("%s: %d hooks for %d events", a.agent, len(hooks), len(a.watched))
		}
	}
}

// Nothing that aoctl writes for Cursor is cut off at "//", and it reads as it was meant.
func TestCursorSlashes(t *testing.T) {
	o := otherHome(t)
	o.Agent = "cursor"
	o.Program.Console = Console{URL: "http://localhost:8765"}
	r := install(t, o)
	text := installtest.Read(t, r.File)
	if strings.Contains(text, "//") {
		t.Errorf("cut off there:\n%s", text)
	}
	if programs := ProgramsIn(r.File); len(programs) != 1 || programs[0] != o.Program.Path {
		t.Errorf("programs %q", programs)
	}
	var file struct {
		Hooks map[string][]struct{ Command string }
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil || !strings.Contains(file.Hooks["preToolUse"][0].Command, "--url 'http://localhost:8765'") {
		t.Errorf("%v: %+v", err, file.Hooks["preToolUse"])
	}
}

// What was installed is looked through for programs, the hook client itself with it: a
// program is not read as settings.
func TestProgramsInNoSettings(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts no goroutine")
	}
	o := otherHome(t)
	o.Agent = "codex"
	text := installtest.Read(t, install(t, o).File)
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"settings":  {text, 1},
		"large":     {text + strings.Repeat(" ", MaxSettings-len(text)), 1},
		"too large": {text + strings.Repeat(" ", MaxSettings), 0},
		"a program": {text + "\x00", 0},
		"no file":   {"", 0},
	} {
		file := filepath.Join(t.TempDir(), "file")
		if c.text != "" {
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if programs := ProgramsIn(file); len(programs) != c.want {
			t.Errorf("%s: programs %q, want %d", name, programs, c.want)
		}
	}
}

// Agents that also run Claude Code's hooks are named when aoctl is in both.
func TestClaudeToo(t *testing.T) {
	o := otherHome(t)
	install(t, o)
	for agent, want := range map[string]bool{"cursor": true, "copilot": false, "gemini": false} {
		o.Agent = agent
		r := install(t, o)
		if got := strings.Contains(strings.Join(r.Warnings, "\n"), "both ask aoctl"); got != want {
			t.Errorf("%s: %q", agent, r.Warnings)
		}
	}
	o.Agent, o.Scope = "claude", Project
	install(t, o)
	o.Agent, o.Scope = "copilot", User
	if r := install(t, o); !strings.Contains(strings.Join(r.Warnings, "\n"), "settings.local.json, where aoctl is installed for Claude Code") {
		t.Errorf("copilot: %q", r.Warnings)
	}
}

// An agent is found by its program or by its folder.
func TestFind(t *testing.T) {
	otherHome(t)
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	installtest.Put(t, filepath.Join(bin, "qwen"), "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(bin, "qwen"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".codex", ".config/other"} {
		if err := os.MkdirAll(filepath.Join(os.Getenv("HOME"), dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]Found{}
	for _, f := range Find() {
		names[f.Agent] = f
	}
	if names["qwen"].Program == "" || names["codex"].Agent == "" || names["codex"].Program != "" {
		t.Errorf("found %+v", names)
	}
	for _, agent := range []string{"gemini", "opencode"} {
		if f, ok := names[agent]; ok && f.Program == "" {
			t.Errorf("%s is not there: %+v", agent, f)
		}
	}
}

// The console says what is installed: in the user's own settings, or in a file that was named.
func TestHooked(t *testing.T) {
	o := otherHome(t)
	if list := Hooked(); list != nil {
		t.Errorf("%q before anything was installed", list)
	}
	o.Agent = "codex"
	install(t, o)
	o.Agent, o.Scope, o.File = "claude", File, filepath.Join(t.TempDir(), "settings.json")
	install(t, o)
	if list := Hooked(o.File, filepath.Join(t.TempDir(), "gone.json")); !slices.Equal(list, []string{"claude", "codex"}) {
		t.Errorf("installed in claude, codex, but %q", list)
	}
	if list := Hooked(); !slices.Equal(list, []string{"codex"}) {
		t.Errorf("no file was named, but %q", list)
	}
}

// Codex shortens what is longer at the end of a session or of a turn, and warns of it at
// every start.
func TestCodexEnds(t *testing.T) {
	o := otherHome(t)
	o.Agent = "codex"
	var file struct {
		Hooks map[string][]struct{ Hooks []struct{ Timeout int } }
	}
	if err := json.Unmarshal([]byte(installtest.Read(t, install(t, o).File)), &file); err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{"SessionEnd", "Interrupt"} {
		if groups := file.Hooks[event]; len(groups) != 1 || len(groups[0].Hooks) != 1 || groups[0].Hooks[0].Timeout != 3 {
			t.Errorf("%s: %+v, want a timeout of 3 s", event, groups)
		}
	}
}

// Every agent that has a page can be installed for.
func TestEveryPageHasAnInstaller(t *testing.T) {
	for _, name := range profile.Names() {
		if a, ok := agentNamed(name); !ok || a.agent != name {
			t.Errorf("%s has a page, but no installer", name)
		}
	}
}
