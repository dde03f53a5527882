package proctree

import (
	gocmp "cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fake is a process table that a test writes.
type fake struct {
	procs   map[int]Process
	envs    map[int]string
	folders map[int]string
	refuse  map[int]bool // signals are not permitted
	deaf    map[int]bool // only a kill ends it
	sent    []string
	onSend  func(pid int, s signal)
	broken  error // of looking at the table
	onGroup func(group int)
}

func newFake(procs ...Process) *fake {
	f := &fake{procs: map[int]Process{}, envs: map[int]string{}, folders: map[int]string{}, refuse: map[int]bool{}, deaf: map[int]bool{}}
	f.add(Process{PID: 1, Start: 1, Group: 1, Session: 1, Name: "init"})
	for _, p := range procs {
		f.add(p)
	}
	return f
}

func (f *fake) add(p Process) {
	p.orphan = p.Parent == 1
	f.procs[p.PID] = p
}

func (f *fake) self() int { return 900 }

func (f *fake) list() ([]Process, error) {
	if f.broken != nil {
		return nil, f.broken
	}
	var list []Process
	for pid := range 1000 {
		if p, ok := f.procs[pid]; ok {
			list = append(list, p)
		}
	}
	return list, nil
}

func (f *fake) environ(p Process) []string { return strings.Fields(f.envs[p.PID]) }
func (f *fake) folder(p Process) string    { return f.folders[p.PID] }
func (f *fake) command(p Process) string   { return gocmp.Or(p.Command, p.Name) }

func (f *fake) open(p Process) (handle, error) {
	if f.procs[p.PID].id() != p.id() {
		return nil, errGone
	}
	return &fakeHandle{f, p.id()}, nil
}

func (f *fake) signalGroup(group int, _ signal) error {
	if f.onGroup != nil {
		f.onGroup(group)
	}
	return nil
}

type fakeHandle struct {
	f *fake
	id
}

func (h *fakeHandle) send(s signal) error {
	if !h.alive() {
		return errGone
	}
	if h.f.refuse[h.pid] {
		return errors.New("not permitted")
	}
	h.f.sent = append(h.f.sent, fmt.Sprint(h.pid, " ", []string{"hold", "term", "resume", "kill"}[s]))
	if s == kill || s == term && !h.f.deaf[h.pid] {
		delete(h.f.procs, h.pid)
	}
	if h.f.onSend != nil {
		h.f.onSend(h.pid, s)
	}
	return nil
}

func (h *fakeHandle) alive() bool { return h.f.procs[h.pid].id() == h.id }
func (h *fakeHandle) close()      {}

// A terminal with a shell in it, in which the agent 100 was started as a job.
var (
	shell  = Process{PID: 50, Start: 5, Parent: 1, Group: 50, Session: 50, Name: "bash"}
	root   = Process{PID: 100, Start: 10, Parent: 50, Group: 100, Session: 50, Name: "claude"}
	tee    = Process{PID: 101, Start: 10, Parent: 50, Group: 100, Session: 50, Name: "tee"}
	tool   = Process{PID: 110, Start: 20, Parent: 100, Group: 110, Session: 110, Name: "bash"}
	editor = Process{PID: 60, Start: 30, Parent: 50, Group: 60, Session: 50, Name: "vim"}
	us     = Process{PID: 900, Start: 7, Parent: 890, Group: 900, Session: 890, Name: "aoctl"}
	above  = Process{PID: 890, Start: 6, Parent: 1, Group: 890, Session: 890, Name: "bash"}
)

func target(f *fake) Target {
	return Target{PID: 100, Start: 10, SessionID: "abc", Folder: "/src/shop", sys: f, pace: &patience{time.Second, 30 * time.Millisecond, time.Second, time.Millisecond}}
}

func fates(t *testing.T, tg Target, do func(Target) (Report, error)) map[int]Fate {
	t.Helper()
	r, err := do(tg)
	if err != nil {
		t.Fatal(err)
	}
	m := map[int]Fate{}
	for _, p := range r.Processes {
		m[p.PID] = p.Fate
	}
	return m
}

func ended(tg Target) (Report, error) { return End(context.Background(), tg) }

func TestWhatCounts(t *testing.T) {
	orphan := func(pid, group, session int) Process {
		return Process{PID: pid, Start: 40, Parent: 1, Group: group, Session: session, Name: "x"}
	}
	for name, tc := range map[string]struct {
		more []Process
		envs map[int]string
		dirs map[int]string
		want map[int]Fate // beside the agent and its tool
	}{
		"nothing more":                             {},
		"the rest of a pipeline":                   {more: []Process{tee}},
		"an orphan of the agent's group":           {more: []Process{orphan(200, 100, 50)}, want: map[int]Fate{200: Running}},
		"an orphan of a tool's group":              {more: []Process{orphan(200, 110, 110)}, want: map[int]Fate{200: Running}},
		"an orphan of a tool's session":            {more: []Process{orphan(200, 200, 110)}, want: map[int]Fate{200: Running}},
		"another job of the terminal":              {more: []Process{editor}},
		"an orphan of the terminal":                {more: []Process{orphan(200, 60, 50)}},
		"environment":                              {more: []Process{orphan(200, 200, 200)}, envs: map[int]string{200: "X=1 CLAUDE_PID=100"}, want: map[int]Fate{200: Running}},
		"environment, by session":                  {more: []Process{orphan(200, 200, 200)}, envs: map[int]string{200: "CLAUDE_CODE_SESSION_ID=abc"}, want: map[int]Fate{200: Running}},
		"the session's id under another name":      {more: []Process{orphan(200, 200, 200)}, envs: map[int]string{200: "NOTE=abc"}},
		"another agent's":                          {more: []Process{orphan(200, 200, 200)}, envs: map[int]string{200: "CLAUDE_PID=1000"}},
		"beside one that is known by environment":  {more: []Process{orphan(200, 300, 300), orphan(201, 300, 300)}, envs: map[int]string{200: "CLAUDE_PID=100"}, want: map[int]Fate{200: Running, 201: Running}},
		"older than the agent":                     {more: []Process{{PID: 200, Start: 9, Parent: 1, Group: 200, Session: 200}}, envs: map[int]string{200: "CLAUDE_PID=100"}},
		"a terminal server and what it serves":     {more: []Process{{PID: 200, Start: 20, Parent: 1, Group: 200, Session: 200, Name: "tmux: server"}, {PID: 201, Start: 30, Parent: 200, Group: 201, Session: 201, Name: "bash"}}, envs: map[int]string{200: "CLAUDE_PID=100"}, want: map[int]Fate{200: Spared}},
		"us, started by the agent":                 {more: []Process{{PID: 890, Start: 20, Parent: 110, Group: 890, Session: 890, Name: "bash"}, {PID: 900, Start: 30, Parent: 890, Group: 900, Session: 890, Name: "aoctl"}}, want: map[int]Fate{900: Spared, 890: Spared, 100: Spared, 110: Spared}},
		"no parent, in the folder":                 {more: []Process{orphan(200, 200, 200)}, dirs: map[int]string{200: "/src/shop/a"}, want: map[int]Fate{200: Unsure}},
		"no parent, in a folder that sounds alike": {more: []Process{orphan(200, 200, 200)}, dirs: map[int]string{200: "/src/shop2"}},
		"a parent, in the folder":                  {more: []Process{editor}, dirs: map[int]string{60: "/src/shop"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(shell, root, tool, above, us)
			for _, p := range tc.more {
				f.add(p)
			}
			f.envs, f.folders = tc.envs, tc.dirs
			want := map[int]Fate{100: Running, 110: Running}
			for pid, fate := range tc.want {
				want[pid] = fate
			}
			if diff := cmp.Diff(want, fates(t, target(f), Find)); diff != "" {
				t.Errorf("want (-), found (+):\n%s", diff)
			}
		})
	}
}

// TestAnotherProcessHasThePID: the agent is gone, and its pid is somebody else's now.
func TestAnotherProcessHasThePID(t *testing.T) {
	other := root
	other.Start = 35
	f := newFake(shell, other, above, us,
		Process{PID: 200, Start: 30, Parent: 1, Group: 200, Session: 200, Name: "left"},
		Process{PID: 201, Start: 40, Parent: 100, Group: 201, Session: 201, Name: "the other's child"})
	f.envs[200], f.envs[201] = "CLAUDE_PID=100", "CLAUDE_PID=100"
	if diff := cmp.Diff(map[int]Fate{200: Ended}, fates(t, target(f), ended)); diff != "" {
		t.Errorf("want (-), found (+):\n%s", diff)
	}
	if _, lives := f.procs[100]; !lives {
		t.Error("the other process was ended")
	}
}

// TestThePIDChangesHands: between the look and the signal.
func TestThePIDChangesHands(t *testing.T) {
	f := newFake(shell, root, tool, above, us)
	f.onSend = func(pid int, s signal) {
		if pid == 100 && s == hold { // the tool ends, and its pid goes to the editor
			e := editor
			e.PID = 110
			f.add(e)
		}
	}
	if diff := cmp.Diff(map[int]Fate{100: Ended, 110: Ended}, fates(t, target(f), ended)); diff != "" {
		t.Error(diff)
	}
	if f.procs[110].Name != "vim" || strings.Contains(fmt.Sprint(f.sent), "110") {
		t.Errorf("sent %v, left %v", f.sent, f.procs)
	}
}

func TestOrderOfSignals(t *testing.T) {
	f := newFake(shell, root, tool, above, us)
	f.deaf[110] = true
	fates(t, target(f), ended)
	want := []string{"100 hold", "110 hold", "100 term", "110 term", "110 resume", "110 kill"}
	if diff := cmp.Diff(want, f.sent); diff != "" {
		t.Errorf("want (-), sent (+):\n%s", diff)
	}
}

// TestWhatComesWhileHolding is held and ended as well.
func TestWhatComesWhileHolding(t *testing.T) {
	f := newFake(shell, root, tool, above, us)
	next := 300
	f.onSend = func(_ int, s signal) {
		if s == hold && next < 310 {
			f.add(Process{PID: next, Start: uint64(next), Parent: 1, Group: 110, Session: 110, Name: "late"})
			next++
		}
	}
	for pid, fate := range fates(t, target(f), ended) {
		if fate != Ended {
			t.Errorf("%d %s", pid, fate)
		}
	}
	if next != 310 || len(f.procs) != 4 {
		t.Errorf("%d came, left are %v", next-300, f.procs)
	}
}

// TestNoEndOfThem: what comes faster than it can be ended ends with a report.
func TestNoEndOfThem(t *testing.T) {
	f := newFake(shell, root, tool, above, us)
	next := 300
	f.onSend = func(int, signal) {
		next++
		f.add(Process{PID: 300 + next%550, Start: uint64(next), Parent: 1, Group: 110, Session: 110, Name: "more"})
	}
	tg := target(f)
	tg.pace = &patience{20 * time.Millisecond, 20 * time.Millisecond, 20 * time.Millisecond, time.Millisecond}
	r, err := End(t.Context(), tg)
	if err != nil || r.Over() {
		t.Errorf("%d processes, %q, %v: want it to say that it is not over", len(r.Processes), r.Unfinished, err)
	}
}

// TestSlowLooks: a machine on which each look takes longer than the time that there is for all of
// them ends everything nevertheless.
func TestSlowLooks(t *testing.T) {
	t.Parallel()
	f := newFake(shell, root, tool, above, us)
	f.deaf[110] = true
	tg := target(f)
	tg.pace = &patience{1, 1, 1, time.Millisecond}
	r, err := End(t.Context(), tg)
	if err != nil || !r.Over() || r.Count(Ended) != 2 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestNotPermitted(t *testing.T) {
	t.Parallel()
	f := newFake(shell, root, tool, above, us)
	f.refuse[110] = true
	r, err := End(t.Context(), target(f))
	if err != nil || r.Over() || r.Count(Survived) != 1 || r.Count(Ended) != 1 || r.Processes[1].Note != "not permitted" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestAgentUnknown(t *testing.T) {
	f := newFake(shell, root, tool, above, us)
	for name, tg := range map[string]Target{"no pid": {SessionID: "abc"}, "no start": {PID: 100}} {
		tg.sys = f
		if r, err := End(t.Context(), tg); err != nil || len(r.Processes) != 0 || r.Over() || len(f.sent) > 0 {
			t.Errorf("%s: %+v %v, sent %v", name, r, err, f.sent)
		}
	}
}

// When the table can no longer be read, what is held is asked to end and let go.
func TestNothingStaysHeld(t *testing.T) {
	f := newFake(shell, root, tool)
	f.deaf = map[int]bool{100: true, 110: true}
	full := errors.New("too many open files")
	f.onSend = func(int, signal) { f.broken = full }
	if _, err := End(t.Context(), target(f)); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
	want := []string{"100 hold", "110 hold", "100 term", "100 resume", "110 term", "110 resume"}
	if d := cmp.Diff(want, f.sent); d != "" {
		t.Errorf("signals (-want +got):\n%s", d)
	}
}
