package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/aoctl/aoctl/broker"
)

// What resumes a session, the console for the answer to a call that was put off and for a
// message, knows another AWS_PROFILE than the shell that started it: none. The session goes on
// with its own. When that is gone, it does not go on at all, and says what is missing.
func e2eRunEnvironment(r *rig) {
	const profile = "staging-of-the-first-shell"
	console := r.console("console")
	r.more = []string{"AWS_PROFILE=" + profile}
	s := r.managed("shop", "do it")
	r.more = nil
	wants := func(file string) {
		r.t.Helper()
		got, err := os.ReadFile(filepath.Join(r.project, file))
		if strings.TrimSpace(string(got)) != profile {
			r.t.Errorf("the call that leaves %s ran with AWS_PROFILE=%q (%v)", file, got, err)
		}
	}

	q := console.putOff("canary", `echo "$AWS_PROFILE" > canary`)
	r.turns("shop", broker.TurnDeferred)
	r.soon("the end of the agent", func() bool { return !lives(s.Process.PID) })
	console.choose(`echo "$AWS_PROFILE" > canary`)
	console.until("a", "the answer", func() bool { return r.request(q.ID).State == broker.Allowed })
	now := r.turns("shop", broker.TurnIdle)
	wants("canary")

	end := func(pid int) {
		r.t.Helper()
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			r.t.Fatal(err)
		}
		r.turns("shop", broker.TurnEnded)
	}
	end(now.Process.PID)
	r.send("shop", "MESSAGE one")
	console.decide("a", `echo "$AWS_PROFILE" > second`, r.waiting("second"))
	now = r.turns("shop", broker.TurnIdle)
	wants("second")

	end(now.Process.PID)
	kept, _ := filepath.Glob(filepath.Join(r.dir, "state", "runs", "*.env")) // the pattern is well-formed
	for _, file := range kept {
		if err := os.Remove(file); err != nil {
			r.t.Fatal(err)
		}
	}
	r.send("shop", "MESSAGE two")
	r.soon("the session saying why", func() bool {
		run := r.session("shop").Run
		return strings.Contains(run.Error, "is gone") && strings.Contains(run.Error, "missing here: AWS_PROFILE")
	})
	if log := r.run(r.aoctl, "log", "--json"); strings.Contains(log, profile) || len(kept) == 0 {
		r.t.Errorf("the log has a value of the environment, or nothing was kept: %q", kept)
	}
}
