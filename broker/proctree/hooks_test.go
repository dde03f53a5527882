package proctree

import (
	"fmt"
	"strings"
	"testing"
)

// Two sessions' hooks at one agent: shells around clients, and one client whose name tells
// nothing, which the target names.
var (
	hookShell   = Process{PID: 310, Start: 30, Parent: 100, Group: 310, Session: 310, Name: "bash", Command: "bash -c '/x/aoctl-hook' codex"}
	hookClient  = Process{PID: 311, Start: 31, Parent: 310, Group: 310, Session: 310, Name: "aoctl-hook", Command: "/x/aoctl-hook codex --timeout 10m"}
	otherShell  = Process{PID: 320, Start: 40, Parent: 100, Group: 320, Session: 320, Name: "sh"}
	otherClient = Process{PID: 321, Start: 41, Parent: 320, Group: 320, Session: 320, Name: "renamed"}
	newShell    = Process{PID: 330, Start: 50, Parent: 100, Group: 330, Session: 330, Name: "bash", Command: "bash -c { /x/aoctl hook codex; }"}
	hooksThere  = []Process{hookShell, hookClient, otherShell, otherClient, newShell}
)

func withHooks(more ...Process) (*fake, Target) {
	f := newFake(append([]Process{shell, root, tool, above, us}, more...)...)
	for _, p := range hooksThere {
		f.add(p)
	}
	tg := target(f)
	tg.Hooks = []int{otherClient.PID}
	return f, tg
}

// TestHooksEndLast: whether the agent ends when it is asked to or only when it is killed, none
// of its hooks is asked, killed or hit with its group before.
func TestHooksEndLast(t *testing.T) {
	for name, deaf := range map[string][]int{"agent ends": nil, "agent is killed": {100}, "hooks are deaf": {310, 311, 320, 321, 330}, "all are": {100, 110, 310, 311, 320, 321, 330}} {
		t.Run(name, func(t *testing.T) {
			f, tg := withHooks()
			for _, pid := range deaf {
				f.deaf[pid] = true
			}
			check := func(pid int, what string) {
				if _, lives := f.procs[100]; lives && pid >= 300 {
					t.Errorf("%s to %d while its agent lives", what, pid)
				}
			}
			f.onSend = func(pid int, s signal) {
				if s == term || s == kill {
					check(pid, fmt.Sprint("signal ", s))
				}
			}
			f.onGroup = func(group int) { check(group, "a kill of the group") }
			for pid, fate := range fates(t, tg, ended) {
				if fate != Ended {
					t.Errorf("%d %s", pid, fate)
				}
			}
		})
	}
}

// TestHooksOfASparedAgent go on unharmed: to end them would let their calls run.
func TestHooksOfASparedAgent(t *testing.T) {
	t.Parallel()
	f, tg := withHooks()
	tg.Spare = []int{100}
	got := fates(t, tg, ended)
	for _, p := range hooksThere {
		var last string
		for _, s := range f.sent {
			if pid, what, _ := strings.Cut(s, " "); pid == fmt.Sprint(p.PID) {
				last = what
				if what != "hold" && what != "resume" {
					t.Errorf("%d is sent %s", p.PID, what)
				}
			}
		}
		if last != "resume" || got[p.PID] != Survived {
			t.Errorf("%d is left with %q, %s", p.PID, last, got[p.PID])
		}
	}
	if got[110] != Ended {
		t.Errorf("the tool: %s", got[110])
	}
}

// TestHooksThatComeLate are held like those that were there.
func TestHooksThatComeLate(t *testing.T) {
	f, tg := withHooks()
	f.deaf[100] = true
	f.onSend = func(pid int, s signal) {
		if pid == 110 && s == term {
			f.add(Process{PID: 340, Start: 60, Parent: 100, Group: 340, Session: 340, Name: "aoctl", Command: "/x/aoctl hook codex"})
		}
		if _, lives := f.procs[100]; lives && pid == 340 && (s == term || s == kill) {
			t.Errorf("signal %d to a hook while its agent lives", s)
		}
	}
	if got := fates(t, tg, ended); got[340] != Ended {
		t.Errorf("it is %s", got[340])
	}
}
