package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// soon is until with the logs of the runners.
func (r *rig) soon(what string, met func() bool) {
	r.t.Helper()
	if !r.within(e2eWait, met) {
		r.t.Fatalf("waited %v for: %s\n%s%s", e2eWait, what, r.runLogs(), r.lastScreen())
	}
}

// runLogs is what console and runners of the scenario wrote down, for the report of a failure.
func (r *rig) runLogs() string {
	names, _ := filepath.Glob(filepath.Join(r.dir, "state", "runs", "*")) // the pattern is well-formed
	var b strings.Builder
	log := exec.CommandContext(r.t.Context(), r.aoctl, "log") // the console may be away: it reads the file
	log.Env = r.env()
	text, err := log.CombinedOutput()
	fmt.Fprintf(&b, "--- aoctl log (%v)\n%s", err, text)
	for _, name := range names {
		text, err := os.ReadFile(name)
		fmt.Fprintf(&b, "--- %s (%v)\n%s\n", filepath.Base(name), err, text[max(0, len(text)-4000):])
	}
	return b.String()
}

// managed starts a session in the background, whose agent asks nobody but us, and returns it
// once the console has it.
func (r *rig) managed(name string, words ...string) broker.Session {
	r.t.Helper()
	r.launch(append([]string{"--name", name, "--", r.claude, "--dangerously-skip-permissions"}, words...)...)
	var s broker.Session
	r.soon("the session "+name, func() bool {
		s = r.session(name)
		return s.Run != nil && s.Process.PID != 0
	})
	return s
}

// launch is aoctl run in the background. What it starts ends with the scenario.
func (r *rig) launch(words ...string) {
	r.t.Helper()
	r.t.Cleanup(r.endRuns)
	r.t.Logf("aoctl run says: %s", r.run(r.aoctl, append([]string{"run", "--detach"}, words...)...))
}

// endRuns kills what is left over of the scenario: every process that knows its folder, but
// for its terminals.
func (r *rig) endRuns() {
	killUnder(r.dir, func(pid int) bool {
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		return err == nil && !strings.HasPrefix(string(comm), "tmux")
	})
}

// sessions lists what the console knows; nothing while it is away.
func (r *rig) sessions() []broker.Session {
	var list []broker.Session
	if err := r.api.get("/sessions", &list); err != nil {
		return nil
	}
	return list
}

func (r *rig) session(name string) broker.Session {
	for _, s := range r.sessions() {
		if s.Name == name || s.ID == name {
			return s
		}
	}
	return broker.Session{}
}

// turns waits until the agent of a session is in that state.
func (r *rig) turns(name string, state broker.TurnState) broker.Session {
	r.t.Helper()
	var s broker.Session
	r.soon(fmt.Sprintf("session %s is %s", name, state), func() bool {
		s = r.session(name)
		return s.Run != nil && s.Run.Turn == state
	})
	return s
}

// lives reports whether a process is there and no zombie.
func lives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// say sends a session's next message with the console's key.
func (t *terminal) say(text string) {
	t.rig.t.Helper()
	t.until("m", "a line for the message", func() bool {
		if strings.Contains(t.screen(), "select a session first") { // no card says whose session is meant
			t.key("3")
		}
		return strings.Contains(t.screen(), messageLine)
	})
	t.write(text)
	t.shows(text)
	t.until("Enter", "the end of the line", func() bool { return !strings.Contains(t.screen(), messageLine) })
}

// selects goes to the sessions: keys about one act on the one that is seen to be selected.
func (t *terminal) selects() {
	t.rig.t.Helper()
	t.until("3", "a selected session", func() bool { return strings.Contains(t.screen(), "▸Sessions") })
}

// send says something to a session, in a terminal as its user would: a process whose parents
// have ended, as those of the tests may, is not heard.
func (r *rig) send(session, text string) {
	r.t.Helper()
	out := filepath.Join(r.dir, "sent")
	r.open(fmt.Sprint("send", time.Now().UnixNano()), "/bin/sh", "-c", `"$0" send "$1" "$2" >"$3" 2>&1; echo "exit $?" >>"$3"; sleep 1000`, r.aoctl, session, text, out)
	var said []byte
	r.until("the end of aoctl send", func() bool {
		said, _ = os.ReadFile(out)
		return bytes.Contains(said, []byte("exit "))
	})
	_ = os.Remove(out)
	if !bytes.HasSuffix(said, []byte("exit 0\n")) {
		r.t.Fatalf("aoctl send %s %s: %s", session, text, said)
	}
}
