package far

import (
	"bytes"
	"maps"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// run is what a machine told in one run of its broker.
type run struct {
	boot string

	last   map[string]uint64     // by place: the number of what came last
	states map[string]told.State // by place: what was said last, of what could be opened
	shut   map[string]*told.Told // by place: what came last and cannot be opened yet
	ended  map[string]ended      // calls that ended without an answer, by their place: see lateFor
	past   int                   // bytes of their messages
	floor  uint64                // of places that are not known, what has no larger number is old
	upTo   uint64                // all up to this number is there, so what comes of it now is old
	pass   *pass                 // nil once all that there was has come
	most   uint64                // the largest number of all
	newest time.Time             // by the machine's clock: when it told the newest
	bytes  int                   // of last's messages, or what they weigh once they are opened
	sizes  map[string]int        // the same, by place
	lacks  bool                  // something found no room

	beat    told.Beat
	beats   uint64    // the number of the newest beat
	said    time.Time // when that was said, by our clock
	whole   time.Time // when what there is was all that there was
	behind  time.Time // since when something is missing; zero for nothing
	matched bool      // the newest beat's sum is ours
}

// pass is the time in which all that there is comes, each place once, in the order of numbers but for
// what nobody can open yet.
type pass struct {
	came map[string]bool   // places that came
	left map[string]uint64 // by place: the number of what Leaves
}

func newPass() *pass { return &pass{came: map[string]bool{}, left: map[string]uint64{}} }

// ended is a call that ended without an answer.
type ended struct {
	request *broker.Request
	until   time.Time // it is shown
	size    int       // of its message
}

func newRun(boot string, p *pass) *run {
	return &run{
		boot: boot, pass: p, last: map[string]uint64{}, states: map[string]told.State{}, shut: map[string]*told.Told{}, ended: map[string]ended{}, sizes: map[string]int{},
	}
}

// Bounds of what is kept of one run of a machine. One that tells more is drawn as behind.
const (
	mostPlaces = 1 << 14
	mostBytes  = 32 << 20
	mostEnded  = 1 << 10
	mostPast   = 4 << 20 // bytes of those
)

// lateFor is how long a call that ended without an answer is kept, as brokers do.
const lateFor = 5 * time.Minute

// take notes what came for a place, unless that is old or there is no room for it.
func (r *run) take(t *told.Told, size int) bool {
	n, known := r.last[t.Place]
	if !known {
		n = r.floor
	}
	if r.pass != nil {
		if r.pass.came[t.Place] = true; !known {
			n = r.pass.left[t.Place]
		}
	}
	switch {
	case t.Number <= max(n, r.upTo):
		return false
	case !known && len(r.last) >= mostPlaces, r.bytes+size-r.sizes[t.Place] > mostBytes:
		r.lacks = true
		return false
	}
	r.bytes += size - r.sizes[t.Place]
	r.sizes[t.Place], r.last[t.Place], r.shut[t.Place] = size, t.Number, t
	r.most = max(r.most, t.Number)
	if t.At.After(r.newest) {
		r.newest = t.At
	}
	return true
}

// open takes in what a place says now, and what that weighs, unless there is no room for it. before is
// what it said before that.
func (r *run) open(t *told.Told, s told.State, weight int, now time.Time) (before told.State) {
	before = r.states[t.Place]
	delete(r.shut, t.Place)
	r.expire(t.Place)
	r.bytes += weight - r.sizes[t.Place]
	r.sizes[t.Place] = weight
	if r.bytes > mostBytes {
		r.forget(t.Place)
		r.lacks = true
		return before
	}
	if !s.Leaves() {
		r.states[t.Place] = s
		return before
	}
	// Nothing older may come back in its place.
	r.floor = max(r.floor, t.Number)
	if r.pass != nil {
		r.pass.left[t.Place] = t.Number
	}
	size := r.sizes[t.Place]
	r.forget(t.Place)
	if q := s.Update.Request; !s.Gone && q != nil && q.Outcome != nil && q.Outcome.Unanswered() && len(r.ended) < mostEnded && r.past+size <= mostPast {
		r.ended[t.Place] = ended{q, now.Add(lateFor), size}
		r.past += size
	}
	return before
}

// expire has a call that ended be shown no longer.
func (r *run) expire(place string) {
	r.past -= r.ended[place].size
	delete(r.ended, place)
}

func (r *run) forget(place string) {
	r.bytes -= r.sizes[place]
	delete(r.states, place)
	delete(r.shut, place)
	delete(r.last, place)
	delete(r.sizes, place)
}

// sweep ends the pass, and forgets what did not come in it: that is no more. It reports whether there
// was any.
func (r *run) sweep() (any bool) {
	if r.pass == nil {
		return false
	}
	for place := range r.last {
		if !r.pass.came[place] {
			r.forget(place)
			any, r.matched, r.upTo = true, false, 0
		}
	}
	r.pass = nil
	return any
}

// hear takes in a beat that was said at a time of our clock.
func (r *run) hear(number uint64, b told.Beat, said time.Time) {
	r.beats, r.beat, r.said, r.matched = number, b, said, false
}

// look compares what there is with the newest beat.
func (r *run) look(now time.Time) {
	switch {
	case r.beats == 0 || r.matched:
	case r.all():
		r.matched, r.whole, r.behind, r.lacks = true, r.said, time.Time{}, false
		r.upTo = max(r.upTo, r.beat.States)
	case r.behind.IsZero() && (r.most <= r.beat.States || len(r.shut) > 0):
		r.behind = now // what is missing may be on its way
	}
}

// all reports whether there is all that the newest beat tells of. What cannot be opened and is not in its
// sum is none of that: it leaves, and was sealed before we could see. It is forgotten.
func (r *run) all() bool {
	last := r.last
	if len(r.shut) > 0 {
		last = maps.Clone(r.last)
		for place := range r.shut {
			delete(last, place)
		}
	}
	if !bytes.Equal(told.Sum(last), r.beat.Sum) {
		return false
	}
	for place := range r.shut {
		r.forget(place)
	}
	return true
}
