package main

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// oneCall is a model that makes one call, which leaves a file, and then ends its turn.
var oneCall = map[string]modelScript{"": {useBash("echo hi > canary"), {Text: "all done"}}}

func TestE2EClaude(t *testing.T) {
	p := findE2E(t)
	for name, scenario := range map[string]func(*testing.T, e2ePrograms){
		"allow":                              e2eAllow,
		"deny":                               e2eDeny,
		"deny with a reason":                 e2eDenyWithReason,
		"stop":                               e2eStop,
		"no console":                         e2eNoConsole,
		"console killed":                     e2eConsoleKilled,
		"console killed and restarted":       e2eConsoleRestarted,
		"console paused":                     e2eConsolePaused,
		"without permissions":                e2eBypass,
		"without permissions and no console": e2eBypassNoConsole,
		"sub-agent":                          e2eSubagent,
		"interactive":                        e2eInteractive,
		"only what Claude would ask":         e2ePrompts,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario(t, p)
		})
	}
}

func e2eAllow(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, oneCall)
	console := r.console("console")
	agent := r.agent()
	console.shows("echo hi > canary")
	shown := time.Now()
	q := r.waiting("canary")
	t.Logf("the call was on the screen %v after it reached the broker", shown.Sub(q.CreatedAt).Round(time.Millisecond))
	if r.exists("canary") {
		t.Fatal("the call ran before it was allowed")
	}
	console.press("a", q)
	agent.completed()
	if !r.exists("canary") {
		t.Error("the call was allowed and did not run")
	}
}

func e2eDeny(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, oneCall)
	console := r.console("console")
	agent := r.agent()
	q := r.waiting("canary")
	console.shows("echo hi > canary")
	console.press("d", q)
	agent.completed()
	r.refused("A person denied this call in aoctl")
}

func e2eDenyWithReason(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, oneCall)
	console := r.console("console")
	agent := r.agent()
	q := r.waiting("canary")
	console.shows("echo hi > canary")
	const reason = "Use the staging box (and ask first)"
	console.until("D", "a question for the reason", func() bool { return strings.Contains(console.screen(), "because:") })
	console.write(reason)
	console.shows(reason)
	console.press("Enter", q)
	agent.completed()
	r.refused("A person denied this call in aoctl", reason)
}

func e2eStop(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, oneCall)
	console := r.console("console")
	agent := r.agent()
	q := r.waiting("canary")
	console.shows("echo hi > canary")
	console.press("s", q)
	if res := agent.result(); res.TerminalReason != "hook_stopped" {
		t.Errorf("the turn ended with %+v, want hook_stopped", res)
	}
	r.refused()
}

func e2eNoConsole(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, oneCall)
	r.agent().completed()
	r.refused("no console is listening", `start one with "aoctl"`)
}

// killed for good: the hook's own deadline, below the agent's, ends the wait.
func e2eConsoleKilled(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, oneCall, "--timeout", "8s")
	r.console("console")
	agent := r.agent("--dangerously-skip-permissions")
	r.waiting("canary")
	r.signalConsole(syscall.SIGKILL)
	agent.completed()
	r.refused("the console ended while this call waited")
}

func e2eConsoleRestarted(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, oneCall)
	first := r.console("first")
	agent := r.agent("--dangerously-skip-permissions")
	q := r.waiting("canary")
	first.shows("echo hi > canary")
	r.signalConsole(syscall.SIGKILL)
	r.until("the console is gone", func() bool { return r.pending() == nil })

	second := r.console("second")
	second.shows("echo hi > canary")
	if again := r.waiting("canary"); again.ID != q.ID || again.ExpiresAt != q.ExpiresAt {
		t.Errorf("the restarted console shows %s until %v, want the same card %s until %v", again.ID, again.ExpiresAt, q.ID, q.ExpiresAt)
	}
	second.press("a", q)
	agent.completed()
	if !r.exists("canary") {
		t.Error("the call was allowed and did not run")
	}
}

func e2eConsolePaused(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, oneCall, "--timeout", "8s")
	r.console("console")
	agent := r.agent("--dangerously-skip-permissions")
	r.waiting("canary")
	r.signalConsole(syscall.SIGSTOP)
	t.Cleanup(func() { r.signalConsole(syscall.SIGCONT) })
	agent.completed()
	r.refused("the console accepted the connection but does not answer")
}

// Where Claude Code asks nobody, the hook still does.
func e2eBypass(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, map[string]modelScript{"": {useBash("echo hi > canary"), useBash("echo hi > second"), {Text: "all done"}}})
	console := r.console("console")
	agent := r.agent("--dangerously-skip-permissions")
	q := r.waiting("canary")
	console.shows("echo hi > canary")
	console.press("d", q)
	q = r.waiting("second")
	console.shows("echo hi > second")
	console.press("a", q)
	agent.completed()
	r.refused("A person denied this call in aoctl")
	if !r.exists("second") {
		t.Error("the second call was allowed and did not run")
	}
}

func e2eBypassNoConsole(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, oneCall)
	r.agent("--dangerously-skip-permissions").completed()
	r.refused("no console is listening")
}

// A sub-agent's call has a card of its own that says whose it is; what is decided
// about it is not decided about the main agent's.
func e2eSubagent(t *testing.T, p e2ePrograms) {
	task := map[string]any{"description": "look around", "prompt": "ERRAND for a helper", "subagent_type": "general-purpose"}
	r := newRig(t, p, map[string]modelScript{
		"":       {useTool("Agent", task), useBash("echo main > canary"), {Text: "all done"}},
		"ERRAND": {useBash("echo sub > helper"), {Text: "helped"}},
	})
	console := r.console("console")
	agent := r.agent("--dangerously-skip-permissions")
	console.press("a", r.waiting("ERRAND"))

	// Both may wait at once, in any order: walk to the helper's card and allow it.
	helper, own := r.waiting("helper"), r.waiting("canary")
	if helper.SubagentID == "" || helper.SubagentType != "general-purpose" || own.SubagentID != "" || helper.SessionID != own.SessionID {
		t.Errorf("the helper's call is %+v, the main agent's %+v", helper, own)
	}
	console.choose("echo sub > helper")
	console.shows("general-purpose")
	console.press("a", helper)
	r.until("the helper's call ran", func() bool { return r.exists("helper") })
	if r.exists("canary") || !r.isPending(own.ID) {
		t.Fatal("allowing the helper's call let the main agent's run")
	}
	console.choose("echo main > canary")
	console.press("d", own)
	agent.completed()
	r.refused("A person denied this call in aoctl")
}

// In a terminal of its own Claude Code starts in auto mode. A stop ends the turn and
// holds until the person speaks again.
func e2eInteractive(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, map[string]modelScript{"": {useBash("echo hi > canary"), useBash("echo hi > second"), {Text: "all done"}}})
	console := r.console("console")
	agent := r.interactive("do it")
	q := r.waiting("canary")
	console.shows("echo hi > canary")
	console.press("s", q)
	agent.shows("hook stopped Claude")
	if r.exists("canary") {
		t.Fatal("the stopped call ran")
	}

	agent.write("go on")
	agent.shows("go on")
	agent.key("Enter")
	q = r.waiting("second")
	console.shows("echo hi > second")
	console.press("a", q)
	agent.shows("all done")
	if !r.exists("second") {
		t.Error("the call was allowed and did not run")
	}
}

// Installed for prompts alone, the hook hears of what Claude Code would ask a person.
func e2ePrompts(t *testing.T, p e2ePrograms) {
	r := newRig(t, p, map[string]modelScript{"": {useBash("echo hi > canary"), useBash("echo hi > second"), {Text: "all done"}}}, "--mode", "prompts")
	console := r.console("console")
	agent := r.agent()
	q := r.waiting("canary")
	console.shows("echo hi > canary")
	console.press("d", q)
	q = r.waiting("second")
	if q.Event != "PermissionRequest" {
		t.Errorf("the event is %s, want PermissionRequest", q.Event)
	}
	console.shows("echo hi > second")
	console.press("a", q)
	agent.completed()
	r.refused("A person denied this call in aoctl")
	if !r.exists("second") {
		t.Error("the second call was allowed and did not run")
	}
}

// refused checks that the call left nothing behind and that the model was told why.
func (r *rig) refused(why ...string) {
	r.t.Helper()
	if r.exists("canary") {
		r.t.Error("the call ran")
	}
	r.told(why...)
}
