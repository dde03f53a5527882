package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// findCursor is the folder of @cursor/sdk, Cursor's own package that runs its
// agents: its loader of hooks, its hook engine and its tools.
func findCursor(t *testing.T) (sdk string) {
	t.Helper()
	sdk = os.Getenv("AOCTL_E2E_CURSOR")
	if sdk == "" {
		t.Skip("no @cursor/sdk found: set AOCTL_E2E_CURSOR to its folder (…/node_modules/@cursor/sdk)")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node found on the PATH: @cursor/sdk needs it")
	}
	return sdk
}

// cursorScene is one story with Cursor alone.
type cursorScene struct {
	name    string
	play    func(r *rig, list []*visit)
	install []string
}

// Cursor's own agent, with a scripted server and the hook that "aoctl install cursor" put
// into its hooks.json. It has two shell tools, which hold their hooks in code of their own.
func TestE2ECursor(t *testing.T) {
	sdk := findCursor(t)
	p := findE2E(t)
	scenes := []cursorScene{
		{"allow", agentsAllowed, nil},
		{"deny with a reason", agentsDenied, nil},
		{"edit then allow", cursorEdited, nil},
		{"no console", agentsAlone, []string{"--timeout", "10s"}},
		{"rule", agentsByRule, nil},
		{"stop", agentsStopped, nil},
		{"console killed", agentsOrphaned, []string{"--timeout", "10s"}},
		{"junk from the console", agentsMisled, []string{"--timeout", "10s"}},
		{"hook gone", cursorHookGone, nil},
		{"hook killed", cursorHookKilled, nil},
		{"control without failClosed", cursorFailsOpen, nil},
	}
	play := func(tool string, scenes []cursorScene) {
		g := guest{name: "cursor", title: "Cursor", told: "aoctl", tool: tool}
		for _, s := range scenes {
			t.Run(tool+" "+s.name, func(t *testing.T) {
				r := newRig(t, p, oneCall)
				s.play(r, []*visit{r.welcome(g, sdk, s.install...)})
			})
		}
	}
	play("Shell", scenes)
	play("ShellStream", scenes[:4])
}

// cursorEdited has Cursor run what a person wrote in the place of its command.
func cursorEdited(r *rig, list []*visit) {
	console := r.editing(`sed -i s/canary-cursor/edited/ "$1"`)
	q := begin(r, list)[0]
	console.shows("$ touch canary-cursor")
	console.edit("+ touch edited")
	console.press("a", q)
	if list[0].end() || !r.exists("edited") {
		r.t.Errorf("Cursor did not run what was edited, and that alone: %s", list[0].model.Results())
	}
	if r.alarmed() {
		r.t.Errorf("there was an alarm, and what was edited is what was allowed%s", r.lastScreen())
	}
}

// cursorHookGone takes away the program that the hook starts: the rest of its line refuses.
func cursorHookGone(r *rig, list []*visit) {
	r.rewriteCursor(func(gate map[string]any) {
		command, _ := gate["command"].(string)
		gate["command"] = strings.ReplaceAll(command, filepath.Dir(r.aoctl), r.dir)
	})
	list[0].start()
	list[0].refusedWith("hook client failed, call refused")
}

// cursorHookKilled leaves nothing of the hook's line: "failClosed" beside it refuses.
func cursorHookKilled(r *rig, list []*visit) {
	r.rewriteCursor(func(gate map[string]any) { gate["command"] = "kill -9 $$" })
	list[0].start()
	list[0].refusedWith("configured to fail closed")
}

// cursorFailsOpen shows what "failClosed" is for, and that a call nobody holds leaves its
// file.
func cursorFailsOpen(r *rig, list []*visit) {
	r.rewriteCursor(func(gate map[string]any) {
		gate["command"] = "kill -9 $$"
		delete(gate, "failClosed")
	})
	list[0].start()
	if !list[0].end() {
		r.t.Errorf("Cursor refused a call whose hook failed open: %s\n%s", list[0].model.Results(), list[0].out.String())
	}
}

// rewriteCursor changes the entry of preToolUse in the installed hooks.json.
func (r *rig) rewriteCursor(change func(gate map[string]any)) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.home(), ".cursor", "hooks.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	var file struct {
		Version int                         `json:"version"`
		Hooks   map[string][]map[string]any `json:"hooks"`
	}
	if err := json.Unmarshal(text, &file); err != nil || len(file.Hooks["preToolUse"]) != 1 {
		r.t.Fatalf("want one hook for preToolUse: %v\n%s", err, text)
	}
	change(file.Hooks["preToolUse"][0])
	changed, err := json.Marshal(file)
	if err != nil {
		r.t.Fatal(err)
	}
	r.keep(".cursor/hooks.json", string(changed))
}
