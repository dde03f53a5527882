package sim

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/queue"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// streams are what the servers of a fleet keep. What they said that they have they keep, but for a
// server that is killed: it may have lost the last.
type streams struct {
	seq    uint64 // of the newest place
	places []kept // the last message of each place, in order
	events map[string]*events
}

// kept is a message of a stream.
type kept struct {
	link.Message

	seq uint64
	at  time.Time
}

// events are those of one machine.
type events struct {
	kept []kept
	seq  uint64 // the newest of the stream, which others use as well
	late *batch // an append whose sender has given up, and which is still under way
}

type batch struct {
	after uint64
	list  []link.Message
}

func (e *events) newest() (k kept) {
	if len(e.kept) > 0 {
		k = e.kept[len(e.kept)-1]
	}
	return k
}

// add stores messages if the newest one is still that of after.
func (e *events) add(after uint64, list []link.Message) error {
	if e.newest().seq != after {
		return link.ErrMoved
	}
	for _, m := range list {
		e.seq++
		e.kept = append(e.kept, kept{Message: m, seq: e.seq})
	}
	return nil
}

// land has an append that was under way arrive, when it still fits.
func (e *events) land() {
	if b := e.late; b != nil {
		e.late = nil
		_ = e.add(b.after, b.list) // nobody waits for it
	}
}

// put stores the last message of a place.
func (s *streams) put(m link.Message, at time.Time) {
	s.places = slices.DeleteFunc(s.places, func(k kept) bool { return k.Subject == m.Subject })
	s.seq++
	s.places = append(s.places, kept{m, s.seq, at})
}

// after is the first message of a place behind seq.
func (s *streams) after(seq uint64) (kept, bool) {
	i := slices.IndexFunc(s.places, func(k kept) bool { return k.seq > seq })
	if i < 0 {
		return kept{}, false
	}
	return s.places[i], true
}

// leaves is how long what is no more is still told, as in package jet.
const leaves = 5 * time.Minute

// expire forgets what was told long enough.
func (s *streams) expire(now time.Time) {
	s.places = slices.DeleteFunc(s.places, func(k kept) bool { return k.Leaves && now.Sub(k.at) > leaves })
}

// killed has the servers lose the last that they stored.
func (s *streams) killed(n int) {
	lost := min(n, len(s.places))
	s.places = s.places[:len(s.places)-lost]
	s.seq = 0
	if len(s.places) > 0 {
		s.seq = s.places[len(s.places)-1].seq
	}
	for _, e := range s.events {
		e.kept, e.late = e.kept[:len(e.kept)-min(n, len(e.kept))], nil
		e.seq = e.newest().seq
	}
}

// lineFault is how the next use of a line goes wrong.
type lineFault int

const (
	works     lineFault = iota
	lost                // nothing arrives
	unheard             // it is done, and nobody hears of it
	overtaken           // it arrives after its sender has given up; of several states some do at once
	full                // there is no room, and that is said
	crowded             // others store something as well
)

// String is how the story tells of it.
func (f lineFault) String() string {
	return [...]string{"works", "loses what is sent", "loses the answer", "brings it late", "ends at a stream that is full", "is used by others"}[f]
}

var errLine = errors.New("the line is cut")

// next is the fault of the next use of a line.
func next(list *[]lineFault) lineFault {
	if len(*list) == 0 {
		return works
	}
	f := (*list)[0]
	*list = (*list)[1:]
	return f
}

// wire is the line of a machine.
type wire struct {
	link.Line // what is not used here

	m *machine
}

func (l wire) Events(string) link.Events     { return l.m }
func (l wire) States(string) link.States     { return places{l.m} }
func (l wire) Queue() queue.Line             { return nil } // calls that any machine takes have a simulator of their own
func (l wire) Up() (bool, time.Time, string) { return !l.m.cut, l.m.since, "" }
func (l wire) Close()                        {}
func (m *machine) stored() *events           { return m.f.streams.events[m.id] }
func (m *machine) fault() (f lineFault, e error) {
	if m.cut {
		return lost, errLine
	}
	if f = next(&m.faults); f != works {
		m.f.sayf("the line of %s %s", m.name, f)
	}
	if f == lost {
		e = errLine
	}
	return f, e
}

// Newest implements link.Events.
func (m *machine) Newest(context.Context) (link.Last, error) {
	if f, err := m.fault(); err != nil || f == unheard {
		return link.Last{}, errLine
	}
	k := m.stored().newest()
	return link.Last{Seq: k.seq, Body: k.Body}, nil
}

// Find implements link.Events.
func (m *machine) Find(_ context.Context, same func([]byte) (int64, bool)) (most int64, err error) {
	if _, err := m.fault(); err != nil {
		return 0, err
	}
	for _, k := range m.stored().kept {
		if n, ok := same(k.Body); ok {
			most = max(most, n)
		}
	}
	return most, nil
}

// Append implements link.Events.
func (m *machine) Append(_ context.Context, after uint64, list []link.Message) (uint64, error) {
	f, err := m.fault()
	if err != nil {
		return 0, err
	}
	e := m.stored()
	switch f {
	case full:
		return 0, link.ErrFull
	case overtaken:
		e.late = &batch{after, list}
		return 0, errLine
	case crowded:
		e.seq += 3
	case works, lost, unheard:
	}
	if err := e.add(after, list); err != nil {
		return 0, err
	}
	if f == unheard {
		return 0, errLine
	}
	return e.seq, nil
}

// places are the states and keys of a machine.
type places struct{ m *machine }

// Places implements link.States.
func (p places) Places(context.Context) (list []string, err error) {
	if _, err := p.m.fault(); err != nil {
		return nil, err
	}
	for _, k := range p.m.f.streams.places {
		if id, place, ok := p.m.f.names.Split(k.Subject); ok && id == p.m.id && told.IsState(place) {
			list = append(list, place)
		}
	}
	return list, nil
}

// Put implements link.States.
func (p places) Put(_ context.Context, list []link.Message) error {
	f, err := p.m.fault()
	if err != nil {
		return err
	}
	switch f {
	case full:
		return link.ErrFull
	case overtaken:
		list, err = list[:len(list)/2], errLine
	case unheard:
		err = errLine
	case works, lost, crowded:
	}
	for _, m := range list {
		p.m.f.streams.put(m, p.m.f.now)
	}
	return err
}
