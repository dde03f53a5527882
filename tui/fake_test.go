package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// fakeConsole is a broker in memory: what it is told to publish reaches the watcher.
type fakeConsole struct {
	fakeRules
	fakeStories
	fakeTally

	mu         sync.Mutex
	sessions   map[string]broker.Session
	requests   map[string]broker.Request
	order      []string
	late       bool // allowing an ended call leaves a grant
	watches    []chan broker.Update
	history    []broker.Request
	historyErr error
	stopErr    error // what Stop answers instead
	storeErr   string
	machines   []broker.Machine // of a fleet
	stopAllErr error            // what StopAll answers beside its counts

	decided             []broker.Decision
	ids                 []string // of decided
	stopped             []string
	stopAlls            int
	together            [][]string // ids of what DecideAll was asked about
	observed            []string
	sayErr, launchErr   error         // what Say and Launch answer instead
	deferErr, resumeErr error         // likewise Defer and Resume
	command             []string      // what Resume tells; nil for the usual
	slow                string        // session whose Resume takes a second
	extendErr           error         // likewise Extend
	failFreeze          error         // what Freeze answers instead
	noted               []string      // sessions whose observing was switched, with on or off
	tree                broker.Killed // what Processes finds
	after               broker.Killed // what Kill says
	killed              []string
	failWith            error           // what Decide answers instead
	extended            *broker.Request // what Extend answers instead

	refuseEdit error                             // what AssessEdited answers instead
	judge      func(broker.Edited) broker.Edited // what it says; a normal call when nil
	onDecide   func(id string)
}

func newFake(sessions []broker.Session, requests ...broker.Request) *fakeConsole {
	f := &fakeConsole{sessions: map[string]broker.Session{}, requests: map[string]broker.Request{}, late: true}
	for _, s := range sessions {
		f.sessions[s.ID] = s
	}
	for _, r := range requests {
		f.requests[r.ID] = r
		f.order = append(f.order, r.ID)
	}
	return f
}

func (f *fakeConsole) snapshot() broker.Snapshot {
	s := broker.Snapshot{Rules: f.book, Health: broker.Health{
		Socket: "/run/user/1000/aoctl/broker.sock", LogSeq: 12, LogHash: "4f2a91c0ffee", StoreErr: f.storeErr,
	}}
	s.Machines = f.machines
	for _, se := range f.sessions {
		s.Sessions = append(s.Sessions, se)
	}
	for _, id := range f.order {
		s.Requests = append(s.Requests, f.requests[id])
	}
	return s
}

func (f *fakeConsole) Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ch := make(chan broker.Update, 1<<14)
	f.watches = append(f.watches, ch)
	context.AfterFunc(ctx, func() { f.cut(ch) })
	return f.snapshot(), ch
}

// cut closes a watcher's channel, as a broker does with a slow one.
func (f *fakeConsole) cut(ch chan broker.Update) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, w := range f.watches {
		if w == ch {
			f.watches = append(f.watches[:i], f.watches[i+1:]...)
			close(ch)
			return
		}
	}
}

// machine tells the watchers of a machine as it is now.
func (f *fakeConsole) machine(m broker.Machine) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.watches {
		w <- broker.Update{Machine: &m}
	}
}

// publish takes r in and tells the watchers.
func (f *fakeConsole) publish(r broker.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.publishLocked(r)
}

func (f *fakeConsole) publishLocked(r broker.Request) {
	if _, ok := f.requests[r.ID]; !ok {
		f.order = append(f.order, r.ID)
	}
	f.requests[r.ID] = r
	for _, w := range f.watches {
		w <- broker.Update{Request: &r}
	}
}

func (f *fakeConsole) Decide(_ context.Context, id string, d broker.Decision) (broker.Request, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids, f.decided = append(f.ids, id), append(f.decided, d)
	if f.onDecide != nil {
		f.onDecide(id)
	}
	r, ok := f.requests[id]
	switch {
	case f.failWith != nil:
		return r, f.failWith
	case !ok:
		return r, broker.ErrNotFound
	case d.Digest != r.Digest:
		return r, broker.ErrStale
	case r.State.Terminal() && f.late && d.Verdict == broker.Allow:
		return r, nil
	case r.State.Terminal():
		return r, broker.ErrAlreadyDecided
	}
	state := broker.Denied
	if d.Verdict == broker.Allow {
		state = broker.Allowed
	}
	r = settled(r, state, d.By, d.Reason, time.Now())
	if d.End {
		r.Checkpoint = nil
	}
	f.history = append([]broker.Request{r}, f.history...)
	f.publishLocked(r)
	return r, nil
}

func (f *fakeConsole) AssessEdited(_ context.Context, id string, input json.RawMessage) (broker.Edited, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.requests[id]
	switch {
	case !ok:
		return broker.Edited{}, broker.ErrNotFound
	case f.refuseEdit != nil:
		return broker.Edited{}, f.refuseEdit
	}
	r.ToolInput, r.Digest = input, broker.Digest(r.ToolName, input, r.CWD)
	e := broker.Edited{Request: r, Seal: "sealed"}
	if f.judge != nil {
		e = f.judge(e)
	} else {
		e.Request = judgedAsRisk(r, risk.Normal, "")
	}
	return e, nil
}

func (f *fakeConsole) DecideAll(_ context.Context, picks []broker.Pick, d broker.Decision) ([]broker.Request, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []string
	for _, p := range picks {
		ids = append(ids, p.ID)
	}
	f.together = append(f.together, ids)
	if f.failWith != nil {
		return nil, f.failWith
	}
	for _, p := range picks {
		r, ok := f.requests[p.ID]
		switch {
		case !ok:
			return nil, broker.ErrNotFound
		case p.Digest != r.Digest:
			return nil, broker.ErrStale
		case r.State.Terminal():
			return nil, broker.ErrAlreadyDecided
		case d.Verdict == broker.Allow && len(picks) > 1 && r.Assessment != nil && r.Assessment.Class == risk.Dangerous:
			return nil, broker.ErrInvalid
		}
	}
	var ended []broker.Request
	for _, p := range picks {
		f.ids, f.decided = append(f.ids, p.ID), append(f.decided, d)
		if f.onDecide != nil {
			f.onDecide(p.ID)
		}
		state := broker.Denied
		if d.Verdict == broker.Allow {
			state = broker.Allowed
		}
		r := settled(f.requests[p.ID], state, d.By, d.Reason, time.Now())
		f.publishLocked(r)
		ended = append(ended, r)
	}
	return ended, nil
}

func (f *fakeConsole) ChangeSession(_ context.Context, id string, c broker.SessionChange, by broker.Actor) (broker.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.sessions[id]
	if !ok {
		return s, broker.ErrNotFound
	}
	if c.Removed && !s.Over() && s.Process.PID != 0 {
		return s, broker.ErrSessionLives
	}
	_, err := broker.ChangeSession(time.Now(), &s, c, by)
	f.sessions[id] = s
	for _, w := range f.watches {
		w <- broker.Update{Session: &s}
	}
	return s, err
}

func (f *fakeConsole) Acknowledge(_ context.Context, id string, _ broker.Actor) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.sessions[id]
	if !ok || s.Alarm == nil {
		return broker.ErrNotFound
	}
	s.Alarm = nil
	f.sessions[id] = s
	for _, w := range f.watches {
		w <- broker.Update{Session: &s}
	}
	return nil
}

func (f *fakeConsole) Observe(_ context.Context, id string, on bool, _ broker.Actor) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.observed = append(f.observed, fmt.Sprintf("%s %v", id, on))
	s, ok := f.sessions[id]
	switch {
	case id == "":
		for _, w := range f.watches {
			w <- broker.Update{Health: &broker.Health{Observing: on}}
		}
	case !ok:
		return broker.ErrNotFound
	default:
		s.Observed = on
		f.sessions[id] = s
		for _, w := range f.watches {
			w <- broker.Update{Session: &s}
		}
	}
	return nil
}

func (f *fakeConsole) Stop(_ context.Context, id string, _ broker.Actor) (broker.Session, error) {
	if f.stopErr != nil {
		return broker.Session{}, f.stopErr
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = append(f.stopped, id)
	s, ok := f.sessions[id]
	if !ok {
		return s, broker.ErrNotFound
	}
	if s.State.Ended() {
		return s, broker.ErrSessionEnded
	}
	s.State = broker.SessionStopping
	f.sessions[id] = s
	for _, w := range f.watches {
		w <- broker.Update{Session: &s}
	}
	return s, nil
}

func (f *fakeConsole) StopAll(context.Context, broker.Actor) (sessions, denied int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopAlls++
	return len(f.sessions), len(f.requests), f.stopAllErr
}

func (f *fakeConsole) History(context.Context, int) ([]broker.Request, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.history, f.historyErr
}

func settled(r broker.Request, s broker.State, by broker.Actor, reason string, at time.Time) broker.Request {
	r.State = s
	r.Outcome = &broker.Outcome{State: s, By: by, Reason: reason, At: at}
	return r
}

func bash(id, session string, at time.Time, command string) broker.Request {
	return tuitest.NewCall(id, session, "Bash", at, map[string]string{"command": command})
}

// rig runs a model as Bubble Tea would, inside a synctest bubble: commands in
// goroutines of their own, their messages one after the other.
type rig struct {
	t    *testing.T
	m    *model
	c    *fakeConsole
	msgs chan tea.Msg
	quit bool
	seen func() // after every Update
}

func newRig(t *testing.T, c *fakeConsole, width, height int) *rig {
	t.Helper()
	o := Options{Output: new(strings.Builder)}.withDefaults()
	o.ReadFile = func(string) ([]byte, error) { return []byte("one\ntwo\n"), nil }
	m := newModel(t.Context(), c, o, draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false))
	m.newCode = func() string { return codeInTests }
	r := &rig{t: t, m: m, c: c, msgs: make(chan tea.Msg)}
	t.Cleanup(func() { time.Sleep(time.Minute) }) // the bubble's clock: every timer rings, every command ends
	r.exec(m.Init())
	r.send(tea.WindowSizeMsg{Width: width, Height: height})
	r.wait(time.Second)
	return r
}

func (r *rig) exec(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		select {
		case r.msgs <- cmd():
		case <-r.t.Context().Done():
		}
	}()
}

func (r *rig) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.BatchMsg:
		for _, c := range msg {
			r.exec(c)
		}
		return
	case tea.QuitMsg:
		r.quit = true
		return
	}
	_, cmd := r.m.Update(msg)
	if r.seen != nil {
		r.seen()
	}
	r.exec(cmd)
}

// wait lets d go by, and all that happens in it happen.
func (r *rig) wait(d time.Duration) {
	end := time.NewTimer(d)
	defer end.Stop()
	for {
		select {
		case msg := <-r.msgs:
			r.send(msg)
		case <-end.C:
			return
		}
	}
}

// press sends keys by their names, half a second and more apart.
func (r *rig) press(names ...string) {
	for _, n := range names {
		r.send(keyMsg(n))
		r.wait(700 * time.Millisecond)
	}
}

func (r *rig) view() string { return r.m.View() }

// shows fails the test unless the screen has text.
func (r *rig) shows(text string) {
	r.t.Helper()
	if !strings.Contains(r.view(), text) {
		r.t.Errorf("screen lacks %q:\n%s", text, r.view())
	}
}

func (r *rig) decisions() string {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	var b strings.Builder
	for i, d := range r.c.decided {
		fmt.Fprintf(&b, "%s %s;", d.Verdict, r.c.ids[i])
	}
	return b.String()
}

var namedKeys = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "ctrl+c": tea.KeyCtrlC,
	"ctrl+d": tea.KeyCtrlD, "ctrl+u": tea.KeyCtrlU, "ctrl+w": tea.KeyCtrlW, "up": tea.KeyUp, "down": tea.KeyDown,
	"backspace": tea.KeyBackspace, "ctrl+z": tea.KeyCtrlZ, "left": tea.KeyLeft, "right": tea.KeyRight, "ctrl+n": tea.KeyCtrlN,
	"ctrl+p": tea.KeyCtrlP, "ctrl+s": tea.KeyCtrlS, "home": tea.KeyHome, "end": tea.KeyEnd, "delete": tea.KeyDelete, "ctrl+k": tea.KeyCtrlK,
	"pgdown": tea.KeyPgDown,
}

func keyMsg(name string) tea.KeyMsg {
	if t, ok := namedKeys[name]; ok {
		return tea.KeyMsg{Type: t}
	}
	if name == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func (f *fakeConsole) Processes(context.Context, string) (broker.Killed, error) { return f.tree, nil }

func (f *fakeConsole) Kill(_ context.Context, id string, _ broker.Actor) (broker.Session, broker.Killed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.killed = append(f.killed, id)
	return f.sessions[id], f.after, nil
}
