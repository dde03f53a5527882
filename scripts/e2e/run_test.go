package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aoctl/aoctl/broker"
)

const (
	messageLine    = "To shop" // above the text that is typed for the session
	e2eInputTokens = 20_000    // that each reply of the model is said to have read
)

// leaves is a call that leaves a file.
func leaves(file string) modelStep { return useBash("echo hi > " + file) }

// The real Claude Code under "aoctl run", with the real console in tmux.
func TestE2ERun(t *testing.T) {
	p := findE2E(t)
	for _, tt := range []struct {
		name  string
		play  func(r *rig)
		model map[string]modelScript
	}{
		{"a day's work", e2eRunStory, storyModel},
		{"console killed and restarted", e2eRunRestarted, map[string]modelScript{"": {leaves("canary"), leaves("second"), {Text: "all done"}}}},
		{"hook installed too", e2eRunHooked, oneCall},
		{"ask rule of the user", e2eRunAskRule, twoCalls},
		{"disableAllHooks", e2eRunNoHooks, oneCall},
		{"command in a command's text", e2eRunText, wordsOnly},
		{"hook in a command's text", e2eRunTextHooks, wordsOnly},
		{"sub-agent", e2eRunSubagent, helped},
		{"stop", e2eRunStopped, map[string]modelScript{"": {leaves("canary"), leaves("second"), leaves("second"), {Text: "all done"}}}},
		{"no console", e2eRunNoConsole, oneCall},
		{"in the foreground", e2eRunForeground, oneCall},
		{"its own environment", e2eRunEnvironment, map[string]modelScript{"": {
			useBash(`echo "$AWS_PROFILE" > canary`), {Text: "done"}, useBash(`echo "$AWS_PROFILE" > second`), {Text: "done too"},
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, p, nil)
			r.model.InputTokens = e2eInputTokens // so that a turn costs what can be seen
			r.model.Play(tt.model)
			tt.play(r)
			if r.alarmed() {
				t.Errorf("there was an alarm, and nothing ran otherwise than allowed%s", r.lastScreen())
			}
		})
	}
}

// storyModel is what the model does in e2eRunStory, message by message.
var storyModel = map[string]modelScript{"": {
	leaves("first"),
	leaves("second"),
	leaves("canary"),
	asks("Which database?", false, "Postgres", "SQLite"),
	{Text: "the first turn is done"},
	leaves("third"),
	{Text: "the second turn is done"},
	leaves("canary"), // while it waits, the turn is interrupted
	leaves("fourth"),
	{Text: "the third turn is done"},
	leaves("fifth"),
	{Text: "the resumed turn is done"},
}}

// Two calls are allowed, one is denied with a reason, a question is answered; a message that
// came meanwhile begins the second turn; the third is interrupted with a card open; the
// session ends and a message resumes it.
func e2eRunStory(r *rig) {
	console := r.console("console")
	s := r.managed("shop", "do it")
	console.allows("first", "second")

	q := r.waiting("canary")
	console.drawn("canary")
	r.send("shop", "never to be told")
	r.send("shop", "MSG one")
	console.shows("next: MSG one")
	console.say(", too") // m opens what waits
	r.soon("the queued message", func() bool {
		m := r.session("shop").Message
		return m != nil && m.Text == "MSG one, too"
	})
	console.shows("next: MSG one, too")
	console.denies("canary", "not on Friday", q)
	r.opens(console, "Which database?")
	if strings.Contains(r.model.Heard(), "MSG") {
		r.t.Error("the message was told before the turn was over")
	}
	console.marks("2", "(•) SQLite")
	console.press("Enter", r.waiting("Which database?"))

	q = r.waiting("third")
	r.heard("MSG one, too")
	if heard := r.model.Heard(); strings.Contains(heard, "never to be told") {
		r.t.Errorf("the message that another one took the place of was told too: %s", heard)
	}
	console.allow("third", q)
	r.turns("shop", broker.TurnIdle)
	console.until("Escape", "the sessions", func() bool { return strings.Contains(console.screen(), "Sessions") })
	console.until("BTab", "what the session cost", func() bool { return strings.Contains(console.screen(), "$0.") })
	console.key("1")
	if cost := r.session("shop").Run.Cost; cost <= 0 {
		r.t.Errorf("the session cost %v", cost)
	}

	r.send("shop", "MESSAGE two")
	q = r.waiting("canary")
	console.drawn("canary")
	console.until("i", "the end of the card", func() bool { return !r.isPending(q.ID) })
	r.turns("shop", broker.TurnIdle)
	if got := r.session("shop").Process.PID; got != s.Process.PID || !lives(got) {
		r.t.Errorf("after the interrupt the agent is process %d, want %d alive", got, s.Process.PID)
	}
	console.say("MESSAGE three")
	q = r.waiting("fourth")
	r.heard("MESSAGE three")
	console.allow("fourth", q)
	r.turns("shop", broker.TurnIdle)

	if err := syscall.Kill(s.Process.PID, syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
	before := r.turns("shop", broker.TurnEnded)
	r.send("shop", "MESSAGE four")
	q = r.waiting("fifth")
	if q.SessionID != s.ID {
		r.t.Errorf("the resumed session is %s, want %s", q.SessionID, s.ID)
	}
	r.heard("MSG one, too", "MESSAGE three", "MESSAGE four")
	console.allow("fifth", q)
	after := r.turns("shop", broker.TurnIdle)
	if after.Run.Cost <= before.Run.Cost {
		r.t.Errorf("the session cost %v before it was resumed and %v after", before.Run.Cost, after.Run.Cost)
	}
	if got, want := after.Run.Usage.Input, int64(len(storyModel[""])*e2eInputTokens); got != want {
		r.t.Errorf("the session read %d tokens, want %d: what each turn of both processes read, once", got, want)
	}
	for _, file := range []string{"first", "second", "third", "fourth", "fifth"} {
		if !r.exists(file) {
			r.t.Errorf("the call that leaves %s was allowed and did not run", file)
		}
	}
	r.refused("A person denied this call in aoctl", "not on Friday", `"Which database?"="SQLite"`)
	r.recorded("run_started", "message_queued", "message_sent", "interrupt_requested", "run_ended")
}

// When a console is killed with a card open, the next one has session, card and message, and
// so has one after an end in order; runner and agent notice nothing.
func e2eRunRestarted(r *rig) {
	first := r.console("first")
	s := r.managed("shop", "do it")
	q := r.waiting("canary")
	first.drawn("canary")
	r.send("shop", "MESSAGE to keep")
	for i, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} { // a call that two consoles died of is set aside
		r.signalConsole(sig)
		r.soon("the console is gone", func() bool { return r.sessions() == nil })
		if !lives(s.Process.PID) || !lives(s.Run.Runner.PID) {
			r.t.Fatal("runner and agent did not outlive the console")
		}
		console := r.console(fmt.Sprintf("again-%d", i))
		console.drawn("canary")
		if again := r.pending(); len(again) != 1 || again[0].ID != q.ID {
			r.t.Fatalf("the restarted console shows %+v, want card %s\n%s%s", again, q.ID, r.runLogs(), r.lastScreen())
		}
		r.soon("the message again", func() bool {
			m := r.session("shop").Message
			return m != nil && m.Text == "MESSAGE to keep"
		})
		if i == 1 {
			console.allow("canary", q)
			console.allow("second", r.waiting("second"))
		}
	}
	r.soon("the message", func() bool { return strings.Contains(r.model.Heard(), "MESSAGE to keep") })
	after := r.turns("shop", broker.TurnIdle)
	if after.Process.PID != s.Process.PID || after.Run.Runner.PID != s.Run.Runner.PID {
		r.t.Errorf("the session has processes %d and %d, had %d and %d", after.Run.Runner.PID, after.Process.PID, s.Run.Runner.PID, s.Process.PID)
	}
	if !r.exists("canary") || !r.exists("second") {
		r.t.Error("the calls were allowed and did not run")
	}
}

// With our hook in the user's settings as well, each call asks once.
func e2eRunHooked(r *rig) {
	r.run(r.aoctl, "install", "claude")
	console := r.console("console")
	r.managed("shop", "do it")
	q := r.waiting("canary")
	console.drawn("canary")
	console.allow("canary", q)
	r.turns("shop", broker.TurnIdle)
	if !r.exists("canary") {
		r.t.Error("the call was allowed and did not run")
	}
	if n := strings.Count(r.run(r.aoctl, "log", "--json"), `"event_type":"request_created"`); n != 1 {
		r.t.Errorf("one call asked %d times:\n%s", n, r.run(r.aoctl, "log"))
	}
}

// The user's own rule that asks makes the agent ask its host once more about the same call:
// it is answered as the person has decided.
func e2eRunAskRule(r *rig) {
	r.keep(".claude/settings.json", `{"permissions": {"ask": ["Bash(echo:*)"]}}`)
	console := r.console("console")
	r.launch("--name", "shop", "--", r.claude, "do it")
	console.allows("canary")
	console.denies("second", "once is enough", r.waiting("second"))
	r.turns("shop", broker.TurnIdle)
	if !r.exists("canary") || r.exists("second") {
		r.t.Errorf("canary is there: %v, second is there: %v", r.exists("canary"), r.exists("second"))
	}
	r.told("once is enough")
}

// A project that switches all hooks off does not switch this off.
func e2eRunNoHooks(r *rig) {
	if err := os.MkdirAll(filepath.Join(r.project, ".claude"), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.project, ".claude", "settings.json"), []byte(`{"disableAllHooks": true}`), 0o600); err != nil {
		r.t.Fatal(err)
	}
	console := r.console("console")
	r.managed("shop", "do it")
	q := r.waiting("canary")
	console.denies("canary", "not here", q)
	r.turns("shop", broker.TurnIdle)
	r.refused("not here")
}

// A custom command of the project brings a shell command in its text, and its own permission.
func e2eRunText(r *rig) {
	text := "---\nallowed-tools: Bash(*)\n---\nContext: !`echo hi > canary`\n"
	for name, content := range map[string]string{"commands/x.md": text, "settings.local.json": `{"disableSkillShellExecution": false}`} {
		file := filepath.Join(r.project, ".claude", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.console("console")
	r.managed("shop", "/x")
	r.turns("shop", broker.TurnIdle)
	r.heard("Context: ")
	if r.exists("canary") {
		r.t.Error("a command in the text of a custom command ran, and nobody was asked")
	}
}

// A custom command of the project brings a hook, which is no call and runs for itself.
func e2eRunTextHooks(r *rig) {
	file := filepath.Join(r.project, ".claude", "commands", "x.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(slashHooks), 0o600); err != nil {
		r.t.Fatal(err)
	}
	console := r.console("console")
	r.managed("shop", "/x")
	q := r.waiting("touch canary")
	console.shows("touch canary")
	console.press("d", q)
	r.turns("shop", broker.TurnIdle)
	if r.exists("canary") {
		r.t.Error("a hook of a custom command ran that was denied")
	}
}

func e2eRunSubagent(r *rig) {
	console := r.console("console")
	r.managed("shop", "do it")
	console.press("a", r.waiting("ERRAND"))
	helper, own := r.waiting("helper"), r.waiting("canary")
	if helper.SubagentID == "" || own.SubagentID != "" || helper.SessionID != own.SessionID {
		r.t.Errorf("the helper's call is %+v, the main agent's %+v", helper, own)
	}
	console.decide("a", "echo sub > helper", helper)
	r.soon("the helper's call ran", func() bool { return r.exists("helper") })
	if r.exists("canary") || !r.isPending(own.ID) {
		r.t.Fatal("allowing the helper's call let the main agent's run")
	}
	console.decide("d", "echo main > canary", own)
	r.turns("shop", broker.TurnIdle)
	r.refused("A person denied this call in aoctl")
}

// A stop refuses what waits, ends the turn, then the process, and says what was seen.
func e2eRunStopped(r *rig) {
	console := r.console("console")
	s := r.managed("shop", "do it")
	q := r.waiting("canary")
	console.drawn("canary")
	console.press("s", q)
	r.turns("shop", broker.TurnEnded)
	r.soon("the end of the agent's process", func() bool { return !lives(s.Process.PID) })
	r.refused()
	r.recorded("stop_requested", "run_ended")

	console.say("MESSAGE after the stop") // the person's own word lifts it
	q = r.waiting("second")
	console.press("d", q)
	// Whether the refusal or the interrupt ended the turn that was stopped decides how much
	// of it the model is told, and so whether it comes to its second call once or twice.
	r.until("the end of the turn", func() bool {
		for _, again := range r.pending() {
			console.press("d", again)
		}
		return r.within(e2eRepeat, func() bool { return r.session("shop").Run.Turn == broker.TurnIdle })
	})
	r.heard("MESSAGE after the stop")
}

// Without a console nothing is started.
func e2eRunNoConsole(r *rig) {
	cmd := exec.CommandContext(r.t.Context(), r.aoctl, "run", "--detach", "--", r.claude, "--dangerously-skip-permissions", "do it")
	cmd.Env, cmd.Dir = r.env(), r.project
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no console is listening") {
		r.t.Errorf("aoctl run said %v: %s", err, out)
	}
	if heard := r.model.Heard(); heard != "" || r.exists("canary") {
		r.t.Errorf("the model was told %q", heard)
	}
}

// In the foreground the agent's words come to the terminal.
func e2eRunForeground(r *rig) {
	console := r.console("console")
	r.t.Cleanup(r.endRuns)
	agent := r.open("agent", r.aoctl, "run", "--name", "shop", "--", r.claude, "--dangerously-skip-permissions", "do it")
	q := r.waiting("canary")
	console.drawn("canary")
	console.allow("canary", q)
	agent.shows("all done")
	if !r.exists("canary") {
		r.t.Error("the call was allowed and did not run")
	}
}

// allows allows the calls that leave these files, as they come.
func (t *terminal) allows(files ...string) {
	t.rig.t.Helper()
	for _, file := range files {
		t.allow(file, t.rig.waiting(file))
		t.rig.soon("the file "+file, func() bool { return t.rig.exists(file) })
	}
}

// drawn waits until the card of the call that leaves a file is on the screen.
func (t *terminal) drawn(file string) {
	t.rig.t.Helper()
	t.shows("echo hi > " + file)
}

// allow allows the call that leaves a file.
func (t *terminal) allow(file string, q broker.Request) {
	t.rig.t.Helper()
	t.drawn(file)
	t.press("a", q)
}

// denies denies the call that leaves a file, for a reason.
func (t *terminal) denies(file, reason string, q broker.Request) {
	t.rig.t.Helper()
	t.drawn(file)
	t.until("D", "a question for the reason", func() bool { return strings.Contains(t.screen(), "because:") })
	t.write(reason)
	t.shows(reason)
	t.press("Enter", q)
}

// heard waits until the model was told something by its user: a message that comes while a
// turn is under way may be told after it.
func (r *rig) heard(parts ...string) {
	r.t.Helper()
	for _, part := range parts {
		if !r.within(e2eWait, func() bool { return strings.Contains(r.model.Heard(), part) }) {
			r.t.Errorf("the model was not told %q by its user, but %s\n%s", part, r.model.Heard(), r.runLogs())
		}
	}
}

// recorded checks which events the log has.
func (r *rig) recorded(types ...string) {
	r.t.Helper()
	log := r.run(r.aoctl, "log", "--json")
	for _, typ := range types {
		if !strings.Contains(log, fmt.Sprintf(`"event_type":%q`, typ)) {
			r.t.Errorf("the log has no %s:\n%s", typ, log)
		}
	}
}
