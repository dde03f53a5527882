package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine/undo"
)

// Phase says where a call stands.
type Phase uint8

// The phases of a call.
const (
	none    Phase = iota
	waiting       // for an answer, until its deadline
	putOff        // its agent was told that it waits; it has no deadline and no asker
	owed          // it was put off and has an answer, for which its agent has not asked yet
	ended         // nothing but how it ended is left to tell
)

// moves are the legal ones. A call that was put off waits again when its agent asks for it.
var moves = map[Phase][]Phase{
	none:    {waiting, ended, putOff, owed}, // the last two when a console starts
	waiting: {putOff, ended},
	putOff:  {waiting, owed, ended},
	owed:    {ended},
}

func (p Phase) String() string {
	return [...]string{"none", "waiting", "put off", "owed", "ended"}[p]
}

// Call is a request with what the broker knows of it beside. A Call that is in the state is
// never changed; see calls.edit.
type Call struct {
	Req       *broker.Request // never changed either
	Phase     Phase
	Asker     asker
	Clock     clock
	Told      told
	Stamp     string // of the files that it names, as they were when it was shown
	Start     How    // how its agent's process was started, where it can be put off
	LateUntil time.Time
}

// asker is who waits for the answer of a call, and how.
type asker struct {
	agent       broker.Process
	talk        string // correlation of the conversation in which it asks
	headless    bool
	bound       bool          // its leaving cancels the call
	polled      bool          // it has no connection of its own, but asks now and again
	polledAt    time.Time     // the last time
	pollGap     time.Duration // between the last two times
	pollsWithin time.Duration // how soon it said that it asks again, else the longer of its last two gaps; 0: not known
	hungUp      bool          // the last connection was closed before there was an answer
	attached    int           // connections that wait now
	leftAt      time.Time     // when the last of them left
}

// clock is how long a call waits. All times are monotonic where the caller's are.
type clock struct {
	deadline time.Time          // Req.ExpiresAt is for the eyes and for the next start
	most     time.Time          // when the latest asker would leave, with more time from the operator; zero: not known
	mayMore  bool               // they said that they would wait for longer than they asked for
	taken    *broker.Checkpoint // it was put off, and waits again since its agent asked again
}

// told is what was told of a call's end, and what was heard of it since.
type told struct {
	over     string    // why its answer is not given again, once that is known
	twin     bool      // it was asked about once more, without an id
	reported bool      // an agent without ids of calls told that it ran
	heardEnd bool      // a report of its end is on record; only of calls without an id
	withheld bool      // a freeze keeps its answer back
	since    time.Time // since when it is allowed and its asker was not told; zero: they were
	givenAt  time.Time // when the answer of a call that was put off was given
	heir     string    // the latest conversation that asked again for a call that is owed an answer
}

// How is how an agent's process was started, as the system tells.
type How struct {
	Program string
	Args    []string
	Forgets bool // it keeps nothing of its session, so it cannot be resumed
}

// shelved reports whether the store has to know that the call is, or was, put off.
func (c *Call) shelved() bool {
	return c.Phase == putOff || c.Phase == owed || c.Phase == waiting && c.Clock.taken != nil
}

// late reports whether allowing the ended call still helps. An end not on record may yet be another.
func (c *Call) late(now time.Time) bool { return now.Before(c.LateUntil) && !c.Req.Unrecorded }

// open reports whether the call may still be allowed.
func (c *Call) open(now time.Time) bool { return c.Req.State == broker.Pending || c.late(now) }

// overdue reports whether the call's time is over although its timer has not fired yet, as
// after the process was paused.
func (c *Call) overdue(now time.Time) bool {
	return c.Phase == waiting && !now.Before(c.Clock.deadline)
}

// calls are those in memory, by id: waiting, put off, late and lately ended ones.
type calls struct {
	undo.Map[string, *Call]
	idOf undo.Map[string, string] // by correlation key
}

// call is call id, nil when it is not in memory.
func (cs *calls) call(id string) *Call { return cs.At(id) }

// byKey is the call with a correlation key, nil when it is not in memory.
func (cs *calls) byKey(key string) *Call { return cs.At(cs.idOf.At(key)) }

// add makes c known, which is in no phase yet.
func (cs *calls) add(c *Call) {
	cs.Put(c.Req.ID, c)
	cs.idOf.Put(c.Req.Key, c.Req.ID)
}

// edit returns a copy of c that is in its place from now on. It may be changed until it is
// kept; its request may not: see own.
func (cs *calls) edit(c *Call) *Call {
	if d, ok := cs.Drafted(c.Req.ID); ok {
		return d
	}
	next := *c
	cs.Put(c.Req.ID, &next)
	return &next
}

// own returns a copy of c's request, in its place from now on.
func (c *Call) own() *broker.Request {
	r := *c.Req
	c.Req = &r
	return c.Req
}

// move takes c, which edit returned, to another phase.
func (c *Call) move(to Phase) {
	if !slices.Contains(moves[c.Phase], to) {
		panic(fmt.Sprintf("a call that is %s cannot become %s", c.Phase, to))
	}
	c.Phase = to
}
