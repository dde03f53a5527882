package engine

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Note puts events into the log that change nothing: what was ended, what was found.
type Note struct {
	Events []*broker.Event
	Sync   bool
}

func (in Note) step(s *State, _ time.Time) Reply {
	s.change.Events, s.change.Sync = in.Events, in.Sync
	return Reply{Done: true}
}

// A flood of attempts must not fill the log: of each kind, aim and peer the first ones of a
// minute are recorded one by one, and the others as a number.
const (
	refusalWindow  = time.Minute
	refusalsEach   = 5   // of one kind from one executable in a window
	refusalsInAll  = 60  // of all together in a window
	refusalSources = 256 // kinds and peers that are told apart
)

// window is the minute in which attempts are counted.
type window struct {
	since time.Time
	inAll int
}

// refusals are attempts of one kind, aim and peer in a window.
type refusals struct {
	count, skipped int
	last           broker.RefusedData
}

// Refused is an attempt that was turned away: recorded, unless there are very many, and shown.
type Refused struct {
	About broker.Request // its ID and SessionID; may be empty
	Data  broker.RefusedData
}

func (in Refused) step(s *State, now time.Time) Reply {
	d := in.Data
	name := strings.Join([]string{string(d.Kind), d.Wanted, d.By.Exe}, "\x00")
	if !s.notes.Has(name) && s.notes.Len() >= refusalSources {
		name = "" // somebody comes under ever new names
	}
	n := s.notes.At(name)
	n.last, n.count = d, n.count+1
	s.now.refused.inAll++
	if n.count > refusalsEach || s.now.refused.inAll > refusalsInAll {
		n.skipped++
	} else {
		in.record(s, now)
	}
	s.notes.Put(name, n)
	return Reply{}
}

// record puts the attempt into the log, and tells the console.
func (in Refused) record(s *State, now time.Time) {
	about, d := in.About, in.Data
	if s.cause == nil {
		s.note(now, d.EventType(), about, d)
	}
	s.emit(ShowRefused{broker.Refused{At: broker.Instant(now), SessionID: about.SessionID, RequestID: about.ID, RefusedData: d}})
}

// countRefusals closes a window that is over: what was only counted in it is recorded.
func (in Tick) countRefusals(s *State, now time.Time) {
	switch names := s.notes.Keys(); {
	case len(names) == 0:
		s.now.refused = window{since: now}
	case now.Sub(s.now.refused.since) >= refusalWindow:
		for _, name := range names {
			n := s.notes.At(name)
			if n.skipped > 0 {
				n.last.More = n.skipped - 1
				Refused{Data: n.last}.record(s, now)
			}
			s.notes.Drop(name)
		}
		s.now.refused = window{since: now}
	}
}

// SettingsFound is a settings file that switches hooks off, or no longer does.
type SettingsFound struct {
	Found  broker.SettingsFound
	Gone   bool // it is harmless now
	Record bool // in the log, unless the operator was told of it before
}

func (in SettingsFound) step(s *State, now time.Time) Reply {
	changed, fresh := s.now.health.NoteSettings(in.Found, in.Gone)
	if !changed {
		return Reply{}
	}
	if fresh && in.Record {
		s.note(now, broker.EventSettings, broker.Request{SessionID: in.Found.SessionID}, in.Found)
	}
	s.emit(ShowHealth{})
	return Reply{Done: fresh}
}

// Healthy says what the world found out about the console itself.
type Healthy struct{ Change func(*broker.Health) }

func (in Healthy) step(s *State, _ time.Time) Reply {
	in.Change(&s.now.health)
	s.emit(ShowHealth{})
	return Reply{}
}
