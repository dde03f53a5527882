package engine

import (
	"slices"
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

// Refused is an attempt that was turned away. It is recorded, unless there are very many, and
// the console is told.
type Refused struct {
	About broker.Request // its ID and SessionID; may be empty
	Data  broker.RefusedData
}

func (in Refused) step(s *State, now time.Time) Reply {
	d := in.Data
	name := strings.Join([]string{string(d.Kind), d.Wanted, d.By.Exe}, "\x00")
	if !s.notes.has(name) && s.notes.len() >= refusalSources {
		name = "" // whoever comes under ever new names
	}
	n, _ := s.notes.get(name)
	n.last, n.count = d, n.count+1
	s.now.refused.inAll++
	if n.count > refusalsEach || s.now.refused.inAll > refusalsInAll {
		n.skipped++
	} else {
		in.record(s, now)
	}
	s.notes.put(name, n)
	return Reply{}
}

// record puts the attempt into the log, and tells the console.
func (in Refused) record(s *State, now time.Time) {
	about, d := in.About, in.Data
	typ := broker.EventAccessRefused
	if slices.Contains([]string{string(broker.Allow), "rule", "observe", broker.WantsUnfreeze}, d.Wanted) {
		typ = broker.EventDecisionRefused
	}
	if s.cause == nil {
		s.note(now, typ, about, d)
	}
	s.emit(ShowRefused{broker.Refused{At: broker.Instant(now), SessionID: about.SessionID, RequestID: about.ID, RefusedData: d}})
}

// countRefusals closes a window that is over: what was only counted in it is recorded.
func (in Tick) countRefusals(s *State, now time.Time) {
	switch names := s.notes.keys(); {
	case len(names) == 0:
		s.now.refused = window{since: now}
	case now.Sub(s.now.refused.since) >= refusalWindow:
		for _, name := range names {
			n, _ := s.notes.get(name)
			if n.skipped > 0 {
				n.last.More = n.skipped - 1
				Refused{Data: n.last}.record(s, now)
			}
			s.notes.drop(name)
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

// settingsTold is how many files Health has, the oldest.
const settingsTold = 8

func (in SettingsFound) step(s *State, now time.Time) Reply {
	h := &s.now.health
	list := slices.Clone(h.Settings)
	at := slices.IndexFunc(list, func(f broker.SettingsFound) bool { return f.File == in.Found.File })
	switch {
	case in.Gone && at >= 0:
		list = slices.Delete(list, at, at+1)
	case in.Gone, at >= 0 && list[at].Why == in.Found.Why && (list[at].Kept || !in.Found.Kept), at < 0 && len(list) == settingsTold:
		return Reply{}
	case at >= 0:
		list[at] = in.Found
	default:
		list = append(list, in.Found)
		if in.Record {
			s.note(now, broker.EventSettings, broker.Request{SessionID: in.Found.SessionID}, in.Found)
		}
	}
	h.Settings = list
	s.emit(ShowHealth{})
	return Reply{Done: at < 0}
}

// Healthy says what the world found out about the console itself.
type Healthy struct{ Change func(*broker.Health) }

func (in Healthy) step(s *State, _ time.Time) Reply {
	in.Change(&s.now.health)
	s.emit(ShowHealth{})
	return Reply{}
}
