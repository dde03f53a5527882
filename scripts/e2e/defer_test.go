package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

// TestE2EDefer puts calls of the real Claude Code off: its process ends, the console is
// killed, and another console has the answer for the process that resumes the session.
func TestE2EDefer(t *testing.T) {
	p := findE2E(t)
	for _, tt := range []struct {
		name  string
		play  func(r *rig)
		model map[string]modelScript
	}{
		{"allowed the next day", e2eDeferAllowed, map[string]modelScript{"": {useBash("echo hi > canary"), useBash("echo hi > second"), {Text: "all done"}}}},
		{"denied, and told why", e2eDeferDenied, map[string]modelScript{"": {useBash("echo hi > canary"), {Text: "I see."}}}},
		{"asked again before anybody answered", e2eDeferUndecided, map[string]modelScript{"": {useBash("echo hi > canary"), {Text: "all done"}}}},
		{"one of three in a reply", e2eDeferParallel, map[string]modelScript{"": {
			{Calls: parallelCalls("touch one", "touch two", "touch three")}, useBash("touch later"), {Text: "all done"},
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.play(newRig(t, p, tt.model))
		})
	}
}

// putOff presses x on the card of a command, of which word is a part, until its agent was
// told so.
func (t *terminal) putOff(word, command string) broker.Request {
	t.rig.t.Helper()
	q := t.rig.waiting(word)
	t.choose(command)
	t.until("x", "the call being put off", func() bool { return t.rig.request(q.ID).Checkpoint != nil })
	return t.rig.request(q.ID)
}

// request is a call as the console has it.
func (r *rig) request(id string) broker.Request {
	r.t.Helper()
	var q broker.Request
	if err := r.api.get("/approval-requests/"+id, &q); err != nil {
		r.t.Fatal(err)
	}
	return q
}

// deferred waits for the agent's orderly end because of a call that was put off.
func (a *agentRun) deferred() {
	a.rig.t.Helper()
	if res := a.result(); res.TerminalReason != "tool_deferred" || res.Subtype != "success" {
		a.rig.t.Errorf("the agent ended with %+v, want it deferred", res)
	}
}

// another kills the console and opens a new one.
func (r *rig) another(name string) *terminal {
	r.t.Helper()
	r.signalConsole(syscall.SIGKILL)
	r.until("the console to be gone", func() bool { return r.api.get("/sessions", &[]broker.Session{}) != nil })
	return r.console(name)
}

var operatorToken = regexp.MustCompile(`aoctl_op_[A-Za-z0-9_-]+`)

// token has the person at the console mint an operator's token.
func (t *terminal) token() string {
	t.rig.t.Helper()
	t.until("r", "the rules", func() bool { return strings.Contains(t.screen(), "Rules") })
	t.until("t", "the tokens", func() bool { return strings.Contains(t.screen(), "Tokens") })
	t.until("n", "the question for its label", func() bool { return strings.Contains(t.screen(), "label of the new") })
	t.rig.within(e2eRepeat, func() bool { return false })
	t.write("resume")
	var token string
	t.rig.within(e2eRepeat, func() bool { return false })
	t.until("Enter", "a token on the screen", func() bool {
		token = operatorToken.FindString(t.screen())
		return token != ""
	})
	for range 3 {
		t.key("Escape")
		t.rig.within(e2eRepeat, func() bool { return false })
	}
	return token
}

// resume runs aoctl resume and returns what the agent printed.
func (r *rig) resume(token, session string) (agentResult, string) {
	r.t.Helper()
	out, name := filepath.Join(r.dir, "resumed"), fmt.Sprint("resume", time.Now().UnixNano())
	// In a terminal, as its user would: a process whose parents have ended is no operator.
	r.open(name, "/bin/sh", "-c", `AOCTL_TOKEN=$2 "$0" resume --yes "$1" >"$3" 2>&1; echo "exit $?" >>"$3"; sleep 1000`, r.aoctl, session, token, out)
	var text []byte
	r.until("the end of the resumed agent", func() bool {
		text, _ = os.ReadFile(out)
		return bytes.Contains(text, []byte("exit "))
	})
	_ = os.Remove(out)
	var res agentResult
	for line := range strings.Lines(string(text)) {
		_ = json.Unmarshal([]byte(line), &res) // one of them is the result
	}
	return res, string(text)
}

func e2eDeferAllowed(r *rig) {
	console := r.console("console")
	agent := r.agent()
	q := console.putOff("canary", "echo hi > canary")
	agent.deferred()
	if q.Checkpoint.Program == "" || !strings.Contains(strings.Join(q.Checkpoint.Args, " "), "--settings "+r.hooks) {
		r.t.Errorf("it is not known how the agent was started: %+v", q.Checkpoint)
	}
	console = r.another("second")
	token := console.token()
	console.shows("deferred 1")
	if r.exists("canary") {
		r.t.Fatal("the call ran before it was allowed")
	}
	console.choose("echo hi > canary")
	console.until("a", "the answer", func() bool { return r.request(q.ID).State == broker.Allowed })
	console.shows("how to resume it in a terminal")
	console = r.another("third")
	if r.exists("canary") {
		r.t.Fatal("the call ran without its agent")
	}

	done := make(chan agentResult)
	go func() {
		res, out := r.resume(token, q.SessionID)
		if !strings.Contains(out, "--resume "+q.SessionID) {
			r.t.Errorf("what was run was not shown: %s", out)
		}
		done <- res
	}()
	second := r.waiting("second")
	if !r.exists("canary") {
		r.t.Error("the call that was allowed did not run")
	}
	console.press("a", second)
	if res := <-done; res.TerminalReason != "completed" || !r.exists("second") {
		r.t.Errorf("the resumed agent ended with %+v", res)
	}
	var s broker.Session
	if err := r.api.get("/sessions/"+q.SessionID, &s); err != nil || s.Deferred != 0 {
		r.t.Errorf("%d calls are still put off (%v)", s.Deferred, err)
	}
	record := r.run(r.aoctl, "log", "--json")
	at := 0
	for _, event := range []string{"request_created", "request_deferred", "session_stop", "request_decided", "session_resumed", "request_taken_up", "post_tool"} {
		i := strings.Index(record[at:], `"`+event+`"`)
		if i < 0 {
			r.t.Fatalf("no %s in its place in the log:\n%s", event, record)
		}
		at += i
	}
	if r.alarmed() {
		r.t.Error("an alarm was raised for what was allowed")
	}
}

func e2eDeferDenied(r *rig) {
	console := r.console("console")
	agent := r.agent()
	q := console.putOff("canary", "echo hi > canary")
	agent.deferred()
	console = r.another("second")
	token := console.token()
	r.run(r.aoctl, "deny", q.ID, "-m", "use the other folder")
	res, _ := r.resume(token, q.SessionID)
	if res.TerminalReason != "completed" || r.exists("canary") {
		r.t.Errorf("ended with %+v, canary %v", res, r.exists("canary"))
	}
	r.told("use the other folder")
}

// An agent that asks again before anybody answered waits, and can be put off once more.
func e2eDeferUndecided(r *rig) {
	console := r.console("console")
	token := console.token()
	agent := r.agent()
	q := console.putOff("canary", "echo hi > canary")
	agent.deferred()
	done := make(chan agentResult)
	said := ""
	resume := func() {
		res, out := r.resume(token, q.SessionID)
		said = out
		done <- res
	}
	go resume()
	r.until("the call waiting again", func() bool { return r.request(q.ID).Checkpoint == nil })
	console.putOff("canary", "echo hi > canary")
	if res := <-done; !strings.Contains(said, `"stop_reason":"tool_deferred"`) { // a resumed process tells no terminal_reason then
		r.t.Fatalf("put off again it ended with %+v: %s", res, said)
	}
	go resume()
	r.until("the call waiting again", func() bool { return r.request(q.ID).Checkpoint == nil })
	console.decide("a", "echo hi > canary", r.request(q.ID))
	if res := <-done; res.TerminalReason != "completed" || !r.exists("canary") {
		r.t.Errorf("it ended with %+v", res)
	}
}

func parallelCalls(commands ...string) []fakemodel.Call {
	var list []fakemodel.Call
	for _, c := range commands {
		list = append(list, useBash(c).Calls...)
	}
	return list
}

// Of several calls in a reply one is put off. The others are answered, or refused with words
// that make the model ask again, and nothing is lost.
func e2eDeferParallel(r *rig) {
	console := r.console("console")
	token := console.token()
	agent := r.agent()
	q := console.putOff("touch one", "touch one")
	for _, name := range []string{"touch two", "touch three"} { // those that waited already, if any
		r.within(e2eRepeat, func() bool { return false })
		for _, other := range r.pending() {
			if strings.Contains(string(other.ToolInput), name) {
				console.decide("a", name, other)
			}
		}
	}
	agent.deferred()
	if r.exists("one") {
		r.t.Fatal("the call that is put off ran")
	}
	console.choose("touch one")
	console.until("a", "the answer", func() bool { return r.request(q.ID).State == broker.Allowed })
	done := make(chan agentResult)
	go func() {
		res, _ := r.resume(token, q.SessionID)
		done <- res
	}()
	console.press("a", r.waiting("touch later"))
	if res := <-done; res.TerminalReason != "completed" {
		r.t.Errorf("it ended with %+v", res)
	}
	for _, name := range []string{"one", "later"} {
		if !r.exists(name) {
			r.t.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"two", "three"} {
		if !r.exists(name) && !strings.Contains(r.model.Results(), "Make it again once the deferred call is answered") {
			r.t.Errorf("%s did not run, and the model was not told to ask again:\n%s", name, r.model.Results())
		}
	}
}
