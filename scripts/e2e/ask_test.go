package e2e

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
)

// What nobody answers in time goes to the real Claude Code's own prompt, whatever is allowed there: it runs
// once its user says so there, and without a user it does not run.
func TestE2EOnTimeoutAsk(t *testing.T) {
	p := findE2E(t)
	model := map[string]modelScript{"": {useBash("echo canary > canary.txt"), {Text: "all done"}}}
	t.Run("a user before it", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, p, model)
		r.console("console", "--timeout", "2s", "--on-timeout", "ask")
		claude := r.interactive("do it", "--allowedTools=Bash")
		claude.shows("Nobody answered in aoctl within 2s")
		if r.exists("canary.txt") {
			t.Fatal("it ran before anybody said yes")
		}
		claude.until("Enter", "the file", func() bool { return r.exists("canary.txt") })
		if r.alarmed() {
			t.Error("an answer in the agent's own prompt is an alarm")
		}
		if got := r.run(r.aoctl, "call", "list", "--all"); !strings.Contains(got, string(broker.Answered)) {
			t.Errorf("on record: %s", got)
		}
	})
	t.Run("nobody before it", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, p, model)
		r.console("console", "--timeout", "2s", "--on-timeout", "ask")
		r.agent("--permission-mode", "bypassPermissions").completed()
		if r.exists("canary.txt") {
			t.Error("it ran although nobody said yes")
		}
		r.told("Nobody answered in aoctl within 2s: decide here.")
	})
}

// Installed with --on-down ask, the real Claude Code's own prompt asks while no console is open; without a
// user before it the call does not run.
func TestE2EOnDownAsk(t *testing.T) {
	p := findE2E(t)
	r := newRig(t, p, map[string]modelScript{"": {useBash("echo canary > canary.txt"), {Text: "all done"}}}, "--on-down", "ask")
	r.agent("--permission-mode", "bypassPermissions").completed()
	if r.exists("canary.txt") {
		t.Fatal("it ran although nobody said yes")
	}
	r.told("no console is listening")
	claude := r.interactive("do it", "--allowedTools=Bash")
	claude.shows("no console is listening")
	claude.until("Enter", "the file", func() bool { return r.exists("canary.txt") })
}
