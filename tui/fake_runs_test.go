package tui

import (
	"context"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// note keeps what a console asked for, in words.
func (f *fakeConsole) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noted = append(f.noted, fmt.Sprintf(format, args...))
}

func (f *fakeConsole) Say(_ context.Context, id, text string, by broker.Actor) (broker.Session, error) {
	f.note("say %s %q", id, text)
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.sessions[id]
	switch {
	case f.sayErr != nil:
		return s, f.sayErr
	case !ok:
		return broker.Session{}, broker.ErrNotFound
	case s.Run == nil:
		return s, broker.ErrNotManaged
	}
	s.Message = nil
	if text != "" {
		s.Message = &broker.Message{ID: "m1", Text: text, By: by}
	}
	f.sessions[id] = s
	for _, w := range f.watches {
		w <- broker.Update{Session: &s}
	}
	return s, nil
}

func (f *fakeConsole) Interrupt(_ context.Context, id string, _ broker.Actor) error {
	f.note("interrupt %s", id)
	return nil
}

func (f *fakeConsole) Launch(_ context.Context, n broker.NewRun, _ broker.Actor) (broker.Session, error) {
	f.note("launch %+v", n)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.launchErr != nil {
		return broker.Session{}, f.launchErr
	}
	return broker.Session{ID: "new", Agent: n.Agent, Name: n.Name, CWD: n.Folder}, nil
}

func (f *fakeConsole) Defer(_ context.Context, id string, by broker.Actor) (broker.Request, error) {
	f.note("defer %s", id)
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.requests[id]
	if f.deferErr != nil {
		return r, f.deferErr
	}
	r.Checkpoint = &broker.Checkpoint{RequestID: id, SessionID: r.SessionID, By: by, At: time.Now()}
	f.publishLocked(r)
	return r, nil
}

// standard is the time that a fakeConsole gives.
const standard = 10 * time.Minute

func (f *fakeConsole) Extend(_ context.Context, id string, _ broker.Actor) (broker.Request, error) {
	f.note("extend %s", id)
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.requests[id]
	if f.extended != nil {
		return *f.extended, nil
	}
	if f.extendErr != nil {
		return r, f.extendErr
	}
	r.ExtendedAt, r.ExpiresAt = time.Now(), time.Now().Add(standard)
	if most := r.MayWaitUntil; !most.IsZero() && r.ExpiresAt.After(most) {
		r.ExpiresAt = most
	}
	f.publishLocked(r)
	return r, nil
}

func (f *fakeConsole) Resume(_ context.Context, id string, _ broker.Actor) (broker.Resumption, error) {
	f.mu.Lock()
	slow := f.slow == id
	f.mu.Unlock()
	if slow {
		time.Sleep(time.Second)
	}
	f.note("resume %s", id)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.resumeErr != nil:
		return broker.Resumption{}, f.resumeErr
	case f.sessions[id].Run != nil:
		return broker.Resumption{Started: true}, nil
	}
	command := f.command
	if command == nil {
		command = []string{"/usr/bin/claude", "-p", "--resume", id}
	}
	return broker.Resumption{CWD: "/src/my api", Command: command}, nil
}

func (f *fakeConsole) Freeze(_ context.Context, id string, on bool, by broker.Actor) error {
	f.note("freeze %q %v", id, on)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failFreeze != nil {
		return f.failFreeze
	}
	why := map[bool]string{true: "everything is frozen"}[on]
	if id == "" {
		for _, w := range f.watches {
			w <- broker.Update{Health: &broker.Health{Frozen: on, FrozenBy: by}}
		}
		for _, s := range f.sessions { // the row is not changed: it has the session's own freeze
			s.Frozen = s.Frozen || on
			for _, w := range f.watches {
				w <- broker.Update{Session: &s}
			}
		}
	} else {
		s, ok := f.sessions[id]
		if !ok {
			return broker.ErrNotFound
		}
		s.Frozen, why = on, map[bool]string{true: "its session is frozen"}[on]
		f.sessions[id] = s
		for _, w := range f.watches {
			w <- broker.Update{Session: &s}
		}
	}
	for _, rid := range f.order {
		if r := f.requests[rid]; r.State == broker.Pending && (id == "" || r.SessionID == id) {
			r.Held = why
			f.publishLocked(r)
		}
	}
	return nil
}
