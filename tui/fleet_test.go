package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// someMachines are machines of a fleet: one answers, one was heard a while ago, one is out of reach.
func someMachines() []broker.Machine {
	return []broker.Machine{
		{ID: "m1", Name: "api-1", Reach: broker.ReachLive, Heard: seconds(1)},
		{ID: "m2", Name: "ci-runner", Reach: broker.ReachLate, Heard: seconds(12)},
		{ID: "m3", Name: "dev-box", Reach: broker.ReachOut, Heard: seconds(240), Waiting: 1, Problem: "it says less than it said before: its log was put back"},
	}
}

// fleetSnapshot is what a console of a fleet begins with: the sessions of someSessions, one on each of
// the first two machines, the others on dev-box.
func fleetSnapshot(machines []broker.Machine, requests ...broker.Request) broker.Snapshot {
	snap := broker.Snapshot{Sessions: someSessions(), Requests: requests, Machines: machines}
	for i, m := range []string{"m1", "m2", "m3", "m3"} {
		snap.Sessions[i].Machine = m
	}
	return snap
}

// ofOne puts all sessions of a snapshot on one machine.
func ofOne(snap broker.Snapshot, machine broker.Machine) broker.Snapshot {
	snap.Machines = []broker.Machine{machine}
	for i := range snap.Sessions {
		snap.Sessions[i].Machine = machine.ID
	}
	return snap
}

// farCall is a call of the session on dev-box, which is out of reach.
func farCall() broker.Request { return bash("r6", "s3", seconds(400), "terraform plan -out tf.plan") }

func TestGoldenFleet(t *testing.T) {
	calm := someMachines()
	calm[2].Problem, calm[2].Waiting = "", 0
	for name, sc := range map[string]struct {
		snap broker.Snapshot
		keys []string
	}{
		"fleet one":        {snap: ofOne(fleetSnapshot(nil, mixedCalls()...), someMachines()[0])},
		"fleet one out":    {snap: ofOne(fleetSnapshot(nil, farCall()), calm[2])},
		"fleet":            {snap: fleetSnapshot(someMachines(), mixedCalls()...), keys: []string{"shift+tab", "G", "k", "k"}},
		"fleet folded":     {snap: fleetSnapshot(someMachines(), mixedCalls()...), keys: []string{"shift+tab", "g", " "}},
		"fleet filtered":   {snap: fleetSnapshot(calm, mixedCalls()...), keys: []string{"shift+tab", "g", "enter"}},
		"fleet late card":  {snap: fleetSnapshot(calm, builtCall(bash("r3", "s2", seconds(25), "npm run build && git push origin dev")))},
		"fleet out card":   {snap: fleetSnapshot(calm, farCall())},
		"fleet out key":    {snap: fleetSnapshot(calm, farCall()), keys: []string{"a"}},
		"fleet out danger": {snap: fleetSnapshot(calm, deadly(bash("r1", "s3", seconds(9), "rm -rf ~/old")))},
		"fleet out full":   {snap: fleetSnapshot(calm, farCall()), keys: []string{"enter"}},
		"fleet quiet":      {snap: fleetSnapshot(calm)},
		"fleet stop all":   {snap: fleetSnapshot(calm, mixedCalls()...), keys: []string{"S"}},
		"fleet frozen": {snap: func() broker.Snapshot {
			s := fleetSnapshot(calm, farCall())
			s.Health = broker.Health{Frozen: true, FrozenBy: broker.Actor{Kind: broker.ByOperator, ID: broker.FleetID("abc", "Ada")}}
			return s
		}()},
		"fleet help": {snap: fleetSnapshot(calm), keys: []string{"?", "G"}},
	} {
		t.Run(name, func(t *testing.T) {
			goldenScene(t, name, func(width, height int) *still {
				s := newStill(t, sc.snap, nil, termenv.Ascii)
				s.draw(width, height)
				s.draw(width, height, sc.keys...)
				s.pass(tuitest.Noon.Sub(s.at))
				return s
			})
		})
	}
}

// manyMachines are n machines with so many sessions each, of which one in ten has a call that waits.
func manyMachines(n, sessions int) broker.Snapshot {
	var snap broker.Snapshot
	for i := range n {
		m := broker.Machine{ID: fmt.Sprintf("m%d", i), Name: fmt.Sprintf("machine-%03d", i), Reach: broker.ReachLive, Heard: seconds(1)}
		if i%20 == 3 {
			m.Reach, m.Heard, m.Waiting = broker.ReachOut, seconds(600), i%3
		}
		snap.Machines = append(snap.Machines, m)
		for j := range sessions {
			s := broker.Session{ID: fmt.Sprintf("s%d-%d", i, j), Machine: m.ID, Agent: "claude", Name: fmt.Sprintf("project-%d", j), State: broker.SessionActive, StartedAt: seconds(600)}
			snap.Sessions = append(snap.Sessions, s)
			if (i+j)%10 == 0 {
				r := benchCall(len(snap.Requests), seconds(60))
				r.SessionID = s.ID
				snap.Requests = append(snap.Requests, r)
			}
		}
	}
	return snap
}

// BenchmarkFleet is a key press and the frame after it among 200 machines with 2,000 sessions, while
// every machine is heard each two seconds, eight sessions change and one of them gets another name: what
// comes between two frames.
func BenchmarkFleet(b *testing.B) {
	snap := manyMachines(200, 10)
	s := newStill(b, snap, nil, termenv.TrueColor)
	s.draw(120, 40)
	s.m.Update(keyMsg("3"))
	keys := []string{"j", "k", "G", "g", " ", "j", "j"}
	worst := time.Duration(0)
	for n := 0; b.Loop(); n++ {
		var list []broker.Update
		for i := range 8 {
			m := snap.Machines[(8*n+i)%len(snap.Machines)]
			m.Heard = s.at
			se := snap.Sessions[(8*n+i)%len(snap.Sessions)]
			if se.LastSeenAt = s.at; i == 0 {
				se.Name = fmt.Sprintf("renamed-%d", n)
			}
			list = append(list, broker.Update{Machine: &m}, broker.Update{Session: &se})
		}
		s.at = s.at.Add(time.Second)
		start := time.Now()
		s.m.Update(updatesMsg{gen: 1, list: list})
		s.m.View()
		s.m.Update(keyMsg(keys[n%len(keys)]))
		s.m.View()
		worst = max(worst, time.Since(start))
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/repaint")
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms/worst")
}

// awayError is what a broker of a fleet answers to an order that waits for machines out of reach.
type awayError struct{ confirmed, later []string }

func (e awayError) Error() string       { return "some machines are out of reach" }
func (e awayError) Confirmed() []string { return e.confirmed }
func (e awayError) Later() []string     { return e.later }

// farRig has a call on dev-box, which is out of reach, selected, and one on api-1, which answers.
func farRig(t *testing.T, calls ...broker.Request) (*rig, broker.Machine) {
	t.Helper()
	now := time.Now()
	out := broker.Machine{ID: "m3", Name: "dev-box", Reach: broker.ReachOut, Heard: now.Add(-4 * time.Minute)}
	c := newFake([]broker.Session{
		{ID: "s1", Machine: "m1", Agent: "claude", Name: "api", State: broker.SessionActive, StartedAt: now},
		{ID: "s3", Machine: "m3", Agent: "claude", Name: "infra", State: broker.SessionActive, StartedAt: now},
	}, calls...)
	c.machines = []broker.Machine{{ID: "m1", Name: "api-1", Reach: broker.ReachLive, Heard: now}, out}
	return newRig(t, c, 120, 30), out
}

// farCalls are a call on dev-box and one on api-1.
func farCalls() []broker.Request {
	now := time.Now()
	far := bash("r1", "s3", now.Add(-time.Minute), "make")
	far.Deferrable = true
	return []broker.Request{far, bash("r2", "s1", now, "ls")}
}

// No key lets a call run whose machine is out of reach, or asks anything about it; each says why. The
// broker's next word that the machine is back makes keys deaf for a moment, so that one that is held
// down does not act then.
func TestOutOfReachNothingIsAllowed(t *testing.T) {
	why := "dev-box is out of reach since"
	for _, key := range []string{"a", "e", "t", "x"} {
		t.Run(key, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, m := farRig(t, farCalls()...)
				r.shows("d deny when it is back")
				r.press(key)
				r.shows(why)
				if got := r.decisions() + r.asked(); got != "" || r.m.Busy() {
					t.Fatalf("%s did something: %q\n%s", key, got, r.view())
				}
				m.Reach, m.Heard = broker.ReachLive, time.Now()
				r.c.machine(m)
				r.wait(300 * time.Millisecond)
				for range 20 { // it is still held down
					r.send(keyMsg(key))
					r.wait(35 * time.Millisecond)
				}
				r.wait(time.Second)
				if got := r.decisions() + r.asked(); got != "" {
					t.Errorf("a key held down did something: %s", got)
				}
				r.wait(3 * time.Second)
				r.press("a")
				if got := r.decisions(); got != "allow r1;" {
					t.Errorf("once it is back, a decided %q", got)
				}
			})
		})
	}
}

// The first key after the news that a machine is back does nothing: it was pressed for what was drawn
// before.
func TestJustBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := farRig(t, farCalls()...)
		m.Reach = broker.ReachLive
		r.c.machine(m)
		r.wait(300 * time.Millisecond)
		r.press("a")
		if got := r.decisions(); got != "" {
			t.Errorf("decided %s", got)
		}
	})
}

// A screen on top that had a call allowed, such as the rule editor, cannot when its machine is out of reach.
func TestOutOfReachFromAbove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := farRig(t, farCalls()...)
		r.exec(r.m.queueScreen().Send(r.m.Guard.Drawn, broker.Allow, ""))
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Errorf("decided %s", got)
		}
		r.exec(r.m.queueScreen().Send(r.m.Guard.Drawn, broker.Deny, ""))
		r.wait(time.Second)
		if got := r.decisions(); got != "deny r1;" {
			t.Errorf("decided %s", got)
		}
	})
}

// A decision that is held for a moment is not sent when its machine goes out of reach in that moment.
func TestOutOfReachMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := farRig(t, farCalls()...)
		m.Reach = broker.ReachLive
		r.c.machine(m)
		r.wait(3 * time.Second)
		r.send(keyMsg("a"))
		m.Reach = broker.ReachOut
		r.send(updatesMsg{gen: r.m.feed.gen, list: []broker.Update{{Machine: &m}}})
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Errorf("decided %s", got)
		}
	})
}

// The digits of a dangerous call are not shown while its machine is out of reach, and do nothing.
func TestOutOfReachDangerous(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := farRig(t, deadly(bash("r1", "s3", time.Now(), "rm -rf ~/old")))
		if strings.Contains(r.view(), codeInTests) {
			t.Errorf("the card shows a code:\n%s", r.view())
		}
		r.press(codeInTests[:1], codeInTests[1:])
		r.shows("nothing can be allowed")
		if got := r.decisions(); got != "" {
			t.Errorf("decided %s", got)
		}
	})
}

// Marked calls of which one is on a machine out of reach are not allowed together.
func TestOutOfReachMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := farRig(t, farCalls()...)
		r.press(" ", "j", " ", "a")
		r.shows("dev-box is out of reach since")
		r.press("y")
		if len(r.c.together) > 0 {
			t.Errorf("asked for %v", r.c.together)
		}
	})
}

// Marked calls of several machines are decided by each for itself: when one of them did, nobody is told
// that nothing was decided.
func TestMarkedInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := farRig(t, farCalls()...)
		m.Reach = broker.ReachLive
		r.c.machine(m)
		r.wait(3 * time.Second)
		r.c.failWith = awayError{confirmed: []string{"api-1"}}
		r.press(" ", "j", " ", "a", "y")
		r.shows("some machines are out of reach")
		if len(r.c.together) != 1 || strings.Contains(r.view(), "nothing was decided") {
			t.Errorf("asked for %v:\n%s", r.c.together, r.view())
		}
	})
}

// A denial that waits until its machine is back is shown as that, not as done, and is not sent twice.
// When the machine has taken what waited and the call is still there, it can be decided anew.
func TestDeniedWhenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := farRig(t, farCalls()...)
		r.c.failWith = awayError{later: []string{"dev-box"}}
		r.press("d")
		r.shows("Bash: denied as soon as dev-box is back")
		r.shows("dev-box:infra        to deny │")
		r.shows("Waiting 2")
		m.Waiting = 1
		r.c.machine(m)
		r.wait(time.Second)
		r.shows("1 order waits")
		r.press("k", "d", "a")
		r.shows("denied as soon as dev-box is back")
		if got := r.decisions(); got != "deny r1;" {
			t.Fatalf("decided %s", got)
		}
		m.Reach, m.Heard = broker.ReachLive, time.Now()
		r.c.machine(m) // it is back, and has not taken the order yet
		r.wait(3 * time.Second)
		r.shows("its denial is on the way")
		r.press("a")
		if got := r.decisions(); got != "deny r1;" {
			t.Fatalf("decided %s", got)
		}
		r.c.failWith, m.Waiting = nil, 0
		r.c.machine(m)
		r.wait(3 * time.Second)
		if strings.Contains(r.view(), "to deny") {
			t.Errorf("the denial still waits:\n%s", r.view())
		}
		r.press("a")
		if got := r.decisions(); got != "deny r1;allow r1;" {
			t.Errorf("decided %s", got)
		}
	})
}

// Stopping and freezing everything say that they reach the whole fleet, which machines confirmed, and
// which ones do it when they are back; that is true until they are.
func TestWholeFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := farRig(t, farCalls()...)
		r.c.stopAllErr = awayError{confirmed: []string{"api-1"}, later: []string{"dev-box"}}
		r.press("S")
		r.shows("stop all 2 sessions on all 2 machines, 1 when it is back, and deny 2 waiting calls?")
		r.press("y")
		r.shows("api-1 confirmed: stopping 2 sessions, 2 waiting calls denied; dev-box stops when it is back")
		r.wait(time.Minute)
		r.shows("dev-box stops when it is back")
		m.Reach = broker.ReachLive
		r.c.machine(m)
		r.wait(time.Second)
		if strings.Contains(r.view(), "when it is back") {
			t.Errorf("it is back:\n%s", r.view())
		}
		r.c.stopAllErr = nil
		r.press("S", "y")
		r.shows("stopping 2 sessions, 2 waiting calls denied on all 2 machines")
		r.press("f")
		r.shows("frozen on all 2 machines: every agent waits at its next call")
		r.press("f")
		r.shows("let all agents go on on all 2 machines?")
		r.press("n")
		m.Reach = broker.ReachOut
		r.c.machine(m)
		r.wait(time.Second)
		r.shows("not known of 1 machine out of reach")
	})
}

// A machine that leaves the fleet takes its sessions and calls with it.
func TestMachineLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := farRig(t, farCalls()...)
		r.press("shift+tab", "G", "k", "enter") // its calls only
		r.shows("of dev-box")
		m.Gone = true
		r.c.machine(m)
		r.wait(time.Second)
		if view := r.view(); strings.Contains(view, "dev-box") || strings.Contains(view, "infra") {
			t.Errorf("it is still drawn:\n%s", view)
		}
		r.shows("Waiting 1")
		r.shows("$ ls")
		if got := r.m.Board.Pending; len(got) != 1 || got["s1"] != 1 {
			t.Errorf("waiting calls are counted as %v", got)
		}
	})
}

// Calls are filtered by their machine: with enter on its line, and by its name in words. Space folds it.
func TestMachineIsChosen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := farRig(t, farCalls()...)
		r.press("shift+tab", "g", "enter")
		r.shows("Waiting 1 of 2 · of api-1")
		r.press("esc")
		r.shows("Waiting 2")
		r.press("/", "d", "e", "v", "-", "enter")
		r.shows("Waiting 1 of 2 · /dev-")
		r.press("esc", "shift+tab", "g", "j", " ")
		r.shows("▾ api-1") // space on a session folds nothing
		r.press("k", " ")
		r.shows("▸ api-1 (1)")
		r.press(" ")
		r.shows("▾ api-1")
	})
}

// Machines have names and problems of others, and lines in windows of any size.
func TestHostileMachines(t *testing.T) {
	for _, p := range tuitest.Payloads {
		machines := someMachines()
		for i := range machines {
			machines[i].Name, machines[i].Problem = p, p
		}
		for _, keys := range [][]string{nil, {"shift+tab", "g"}, {"shift+tab", "g", " ", "enter"}} {
			s := newStill(t, fleetSnapshot(machines, mixedCalls()...), nil, termenv.TrueColor)
			tuitest.CheckView(t, s.draw(120, 40, keys...), 120, 40)
			tuitest.CheckView(t, s.draw(80, 24), 80, 24)
			tuitest.CheckView(t, s.draw(40, 12), 40, 12)
		}
	}
	s := newStill(t, fleetSnapshot(someMachines(), farCall()), nil, termenv.Ascii)
	s.draw(80, 24, "shift+tab", "G", "k", "k")
	s.fitsEveryWindow(t)
}

// An edited call is not allowed whose machine went out of reach while it was edited.
func TestOutOfReachEdited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := farRig(t, farCalls()...)
		r.m.shared.outside.Folder = t.TempDir()
		r.editsTo("make all\n", nil, 5*time.Second)
		m.Reach = broker.ReachLive
		r.c.machine(m)
		r.wait(3 * time.Second)
		r.press("e")
		r.wait(6 * time.Second)
		r.shows("a allow as edited")
		m.Reach = broker.ReachOut
		r.c.machine(m)
		r.wait(3 * time.Second)
		r.press("a")
		r.shows("dev-box is out of reach since")
		if got := r.decisions(); got != "" {
			t.Errorf("decided %s", got)
		}
	})
}
