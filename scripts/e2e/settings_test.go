package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Attack: a call that was allowed brings another branch's settings into the project, which
// switch every hook off. The session does not read them: the next call comes to the
// console as before, which tells of the file. Without the hook on such changes the next
// call runs unasked, which shows that the settings would have counted.
func TestE2ESettings(t *testing.T) {
	p := findE2E(t)
	// Claude Code reads changed settings a moment after they came.
	switched := map[string]modelScript{"": {
		useBash("git switch -q feature && sleep 5"), useBash("echo hi > canary"), {Text: "all done"},
	}}
	start := func(t *testing.T) *rig {
		t.Helper()
		r := newRig(t, p, switched)
		r.projectSets(map[string]string{})
		r.run("git", "init", "-q", "-b", "main")
		commit := []string{"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-a", "-m", "x"}
		r.run("git", "add", ".claude")
		r.run("git", commit...)
		r.run("git", "switch", "-q", "-c", "feature")
		if err := os.WriteFile(filepath.Join(r.project, ".claude", "settings.json"), []byte(`{"disableAllHooks": true}`), 0o600); err != nil {
			t.Fatal(err)
		}
		r.run("git", commit...)
		r.run("git", "switch", "-q", "main")
		return r
	}
	t.Run("kept out", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		console := r.console("console")
		agent := r.agent("--dangerously-skip-permissions")
		console.press("a", r.waiting("feature"))
		q := r.waiting("canary")
		console.shows("can switch hooks off")
		console.press("d", q)
		agent.completed()
		r.refused("A person denied this call in aoctl")
	})
	t.Run("without a console", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		console := r.console("console")
		agent := r.agent("--dangerously-skip-permissions")
		q := r.waiting("feature")
		console.press("a", q)
		console.until("C-c", "the end of the console", func() bool { return r.api.get("/sessions", &[]any{}) != nil })
		agent.completed()
		r.refused("no console is listening")
	})
	t.Run("control", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		r.withoutHook("ConfigChange")
		console := r.console("console")
		agent := r.agent("--dangerously-skip-permissions")
		console.press("a", r.waiting("feature"))
		agent.completed()
		if !r.exists("canary") {
			t.Errorf("the settings switched nothing off; the control shows nothing: %s", r.model.Results())
		}
	})
}

// withoutHook takes an event out of the installed settings.
func (r *rig) withoutHook(event string) {
	r.t.Helper()
	text, err := os.ReadFile(r.hooks)
	if err != nil {
		r.t.Fatal(err)
	}
	var settings struct {
		Hooks map[string]json.RawMessage `json:"hooks"`
	}
	if err := json.Unmarshal(text, &settings); err != nil {
		r.t.Fatal(err)
	}
	if _, ok := settings.Hooks[event]; !ok {
		r.t.Fatalf("no hook on %s in %s", event, text)
	}
	delete(settings.Hooks, event)
	if text, err = json.Marshal(settings); err == nil {
		err = os.WriteFile(r.hooks, text, 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}
