package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// A call of the real Claude Code is given more time with t. It outlives the deadline that it
// was asked with, and a console that is killed, and runs once it is allowed. The next one
// gets none, and is refused when its time is over.
func TestE2EMoreTime(t *testing.T) {
	const usual = 20 * time.Second
	p := findE2E(t)
	r := newRig(t, p, map[string]modelScript{"do it": {
		useBash("echo first > first.txt"), useBash("echo second > second.txt"), {Text: "all done"},
	}}, "--timeout", usual.String(), "--at-most", "5m")
	console := r.console("console")
	agent := r.agent("--permission-mode", "bypassPermissions")
	asked := r.waiting("first.txt")
	console.until("t", "more time", func() bool { return !r.waiting("first.txt").ExtendedAt.IsZero() })
	console.shows("more time: ")
	given := r.waiting("first.txt")
	if left := given.ExpiresAt.Sub(asked.CreatedAt); left < 4*time.Minute || left > 5*time.Minute {
		t.Errorf("it may wait %v, which is not what its hook waits", left)
	}
	r.signalConsole(syscall.SIGKILL)
	console = r.console("again")
	r.within(time.Until(asked.ExpiresAt.Add(5*time.Second)), func() bool { return false })
	if after := r.waiting("first.txt"); after.ID != asked.ID || !after.ExpiresAt.Equal(given.ExpiresAt) {
		t.Fatalf("the next console has it until %v, not until %v%s", after.ExpiresAt, given.ExpiresAt, r.lastScreen())
	}
	console.decide("a", "echo first > first.txt", asked)
	r.until("the first file", func() bool { return r.exists("first.txt") })

	second := r.waiting("second.txt")
	agent.completed()
	if r.exists("second.txt") {
		t.Error("the call that nobody answered ran")
	}
	if took := time.Since(second.CreatedAt); took < usual-time.Second {
		t.Errorf("it was refused after %v", took)
	}
	r.told("Nobody answered in aoctl within 20s")
	if verdict := r.run(r.aoctl, "log", "verify"); !strings.HasPrefix(verdict, "clean: ") {
		t.Errorf("the log: %s", verdict)
	}
}

// The console is killed after it gave a call more time, and stays away: the hook waits for as
// long as it was told, and refuses.
func TestE2EMoreTimeAndNoConsole(t *testing.T) {
	const usual, most = 15 * time.Second, 25 * time.Second
	p := findE2E(t)
	r := newRig(t, p, map[string]modelScript{"do it": {useBash("echo canary > canary.txt"), {Text: "all done"}}},
		"--timeout", usual.String(), "--at-most", most.String())
	console := r.console("console")
	agent := r.agent("--permission-mode", "bypassPermissions")
	asked := r.waiting("canary.txt")
	console.until("t", "more time", func() bool { return !r.waiting("canary.txt").ExtendedAt.IsZero() })
	r.within(2*time.Second, func() bool { return false }) // its hook hears of it
	r.signalConsole(syscall.SIGKILL)
	agent.completed()
	if r.exists("canary.txt") {
		t.Error("it ran")
	}
	if took := time.Since(asked.CreatedAt); took < usual {
		t.Errorf("it was refused after %v, and had more time", took)
	}
	r.told("did not come back within 24s")
}
