package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/proctree"
)

func process(pid int, command string, fate proctree.Fate) proctree.Found {
	return proctree.Found{Process: proctree.Process{PID: pid, Command: command}, Why: "the agent", Fate: fate}
}

func TestKillNamesAndAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("shift+tab", "ctrl+k")
		r.shows("no process of api was found")
		r.c.tree = broker.Killed{Processes: []proctree.Found{process(41, "claude", broker.ProcessRunning), process(42, "/bin/\x1b[2Jmake all", broker.ProcessRunning)}}
		r.press("ctrl+k")
		r.shows("kill 2 processes of api: claude 41, \\x1b[2Jmake 42? y yes")
		r.press("n")
		r.c.tree.Shared = []proctree.Sharer{{SessionID: "s2", Name: "web", PID: 41}}
		r.press("ctrl+k")
		r.shows("kill 2 processes of api AND END s2 with it? y yes")
		r.press("n")
		if len(r.c.killed) > 0 {
			t.Fatal("n killed")
		}
		r.c.tree.Shared = nil
		r.c.after = broker.Killed{Processes: []proctree.Found{process(41, "claude", broker.ProcessEnded), process(42, "make", broker.ProcessSurvived)}}
		r.press("ctrl+k")
		r.wait(time.Second)
		r.press("y")
		r.wait(time.Second)
		if len(r.c.killed) != 1 || r.c.killed[0] != "s1" {
			t.Fatalf("killed %v", r.c.killed)
		}
		r.shows("api: 1 still run: make 42; 1 process ended")
		r.c.after.Processes = r.c.after.Processes[:1]
		r.press("ctrl+k")
		r.wait(time.Second)
		r.press("y")
		r.shows("api is stopped, 1 process ended")
	})
}
