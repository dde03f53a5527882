package e2e

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
)

// TestE2EDeferRun puts calls of a managed session off, kills the console, and has another one
// answer: the session is resumed by itself, or ends for good.
func TestE2EDeferRun(t *testing.T) {
	p := findE2E(t)
	for _, tt := range []struct {
		name  string
		play  func(r *rig)
		model map[string]modelScript
	}{
		{"allowed", e2eDeferRunAllowed, map[string]modelScript{"": {leaves("canary"), leaves("second"), {Text: "all done"}, leaves("third"), {Text: "done too"}}}},
		{"denied, and told why", e2eDeferRunDenied, map[string]modelScript{"": {leaves("canary"), leaves("second"), {Text: "all done"}}}},
		{"denied for good", e2eDeferRunRejected, map[string]modelScript{"": {leaves("canary"), leaves("second"), {Text: "all done"}}}},
		{"resumed before anybody answered", e2eDeferRunResumed, map[string]modelScript{"": {leaves("canary"), {Text: "all done"}}}},
		{"stopped", e2eDeferRunStopped, map[string]modelScript{"": {leaves("canary"), leaves("second"), {Text: "all done"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, p, tt.model)
			tt.play(r)
			if r.alarmed() {
				t.Errorf("there was an alarm, and nothing ran otherwise than allowed%s", r.lastScreen())
			}
		})
	}
}

// shelved starts a session whose first call is put off, and returns another console once no
// process of it is left.
func (r *rig) shelved() (*terminal, broker.Session, broker.Request) {
	r.t.Helper()
	console := r.console("console")
	s := r.managed("shop", "do it")
	q := console.putOff("canary", "echo hi > canary")
	r.turns("shop", broker.TurnDeferred)
	r.soon("the end of agent and runner", func() bool { return !lives(s.Process.PID) && !lives(s.Run.Runner.PID) })
	console = r.another("second")
	console.shows("deferred 1")
	if got := r.session("shop"); got.Deferred != 1 || got.Run.Turn != broker.TurnDeferred || r.exists("canary") {
		r.t.Fatalf("at the next console %+v has %d put off; canary %v", got.Run, got.Deferred, r.exists("canary"))
	}
	console.choose("echo hi > canary")
	return console, s, q
}

// goesOn checks that the session of s was taken up by another process.
func (r *rig) goesOn(s broker.Session) {
	r.t.Helper()
	now := r.turns("shop", broker.TurnIdle)
	if now.ID != s.ID || now.Process.PID == s.Process.PID || now.Deferred != 0 {
		r.t.Errorf("session %s is held as %+v by process %d, with %d put off", now.ID, now.Run, now.Process.PID, now.Deferred)
	}
}

func e2eDeferRunAllowed(r *rig) {
	console, s, q := r.shelved()
	r.send("shop", "MESSAGE for later")
	console.until("a", "the answer", func() bool { return r.request(q.ID).State == broker.Allowed })
	second := r.waiting("second")
	if !r.exists("canary") {
		r.t.Error("the call that was allowed did not run")
	}
	if strings.Contains(r.model.Heard(), "MESSAGE") {
		r.t.Error("the message was told before the turn was over")
	}
	console.allow("second", second)
	third := r.waiting("third")
	r.heard("MESSAGE for later")
	console.allow("third", third)
	r.goesOn(s)
	for _, file := range []string{"canary", "second", "third"} {
		if !r.exists(file) {
			r.t.Errorf("the call that leaves %s was allowed and did not run", file)
		}
	}
	r.recorded("request_deferred", "run_ended", "session_resumed", "request_taken_up", "message_sent")
}

func e2eDeferRunDenied(r *rig) {
	console, s, q := r.shelved()
	console.until("D", "a question for the reason", func() bool { return strings.Contains(console.screen(), "because:") })
	console.write("use the other folder")
	console.shows("use the other folder")
	console.until("Enter", "the answer", func() bool { return r.request(q.ID).State == broker.Denied })
	console.allow("second", r.waiting("second"))
	r.goesOn(s)
	r.told("use the other folder")
	if r.exists("canary") || !r.exists("second") {
		r.t.Errorf("canary %v, second %v", r.exists("canary"), r.exists("second"))
	}
}

// X starts nothing, also for a message that waits. A later one resumes the session.
func e2eDeferRunRejected(r *rig) {
	console, s, q := r.shelved()
	r.send("shop", "MESSAGE before")
	console.until("X", "the answer", func() bool { return r.request(q.ID).State == broker.Denied })
	r.within(5*e2eRepeat, func() bool { return false }) // what would be started by itself would be by now
	now := r.session("shop")
	if now.EndReason != broker.RejectedReason || now.Deferred != 0 || now.Message != nil || now.Run.Turn != broker.TurnEnded {
		r.t.Errorf("the session is %s because %q, held as %+v, with %d put off and message %v", now.State, now.EndReason, now.Run, now.Deferred, now.Message)
	}
	if calls := strings.Count(r.run(r.aoctl, "log", "--json"), `"session_resumed"`); calls != 0 {
		r.t.Errorf("the session was resumed %d times", calls)
	}
	console.shows("rejected")
	r.send("shop", "MESSAGE after")
	console.allow("second", r.waiting("second"))
	r.goesOn(s)
	r.heard("MESSAGE after")
	if strings.Contains(r.model.Heard(), "MESSAGE before") || r.exists("canary") || !r.exists("second") {
		r.t.Errorf("canary %v, second %v, heard %s", r.exists("canary"), r.exists("second"), r.model.Heard())
	}
}

// R resumes before there is an answer: the agent asks again and waits, and may be put off
// once more.
func e2eDeferRunResumed(r *rig) {
	console, s, q := r.shelved()
	console.until("R", "the call waiting again", func() bool { return r.request(q.ID).Checkpoint == nil })
	console.putOff("canary", "echo hi > canary")
	r.turns("shop", broker.TurnDeferred)
	console.until("R", "the call waiting again", func() bool { return r.request(q.ID).Checkpoint == nil })
	console.decide("a", "echo hi > canary", r.request(q.ID))
	r.goesOn(s)
	if !r.exists("canary") {
		r.t.Error("the call that was allowed did not run")
	}
}

// A stop denies what is put off, and a message from the console lifts it.
func e2eDeferRunStopped(r *rig) {
	console, s, q := r.shelved()
	console.until("s", "the end of the call", func() bool { return r.request(q.ID).State == broker.Denied })
	if now := r.turns("shop", broker.TurnEnded); now.State != broker.SessionStopped {
		r.t.Errorf("the session is %s", now.State)
	}
	console.say("MESSAGE after the stop")
	console.allow("second", r.waiting("second"))
	r.goesOn(s)
	r.heard("MESSAGE after the stop")
	if r.exists("canary") {
		r.t.Error("the call that was stopped ran")
	}
}
