package sim

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aoctl/aoctl/broker"
)

// tables are what a disk has at one moment. They are maps of values, so a clone is a snapshot and
// nothing is written to a file.
type tables struct {
	requests    map[string]broker.Request
	keys        map[string]string
	sessions    map[string]broker.Session
	grants      map[string]broker.Grant
	checkpoints map[string]broker.Checkpoint
	extended    map[string]broker.Extension
	uses        map[string]broker.RuleUse
	facts       []broker.Event
	alarms      []broker.Event
	replays     map[string]int // answers given again, by request
	unheard     map[string]bool
	withheld    map[string]bool // that it is allowed was never told, and never will be
	frozen      map[string]bool // what is frozen, as the log has it; "" is everything
	freed       string          // the first call that ended so that it may run under one of these
	stopped     map[string]bool // sessions under a stop, as the log has it
	last        *logged         // the newest event of the log
}

// logged is an event of the log, with those before it.
type logged struct {
	broker.Event

	before *logged
}

// seq is the number of the newest event.
func (t *tables) seq() int64 {
	if t.last == nil {
		return 0
	}
	return t.last.Seq
}

func newTables() *tables {
	return &tables{
		requests: map[string]broker.Request{}, keys: map[string]string{}, sessions: map[string]broker.Session{}, grants: map[string]broker.Grant{},
		checkpoints: map[string]broker.Checkpoint{}, extended: map[string]broker.Extension{}, uses: map[string]broker.RuleUse{}, replays: map[string]int{}, unheard: map[string]bool{}, withheld: map[string]bool{},
		frozen: map[string]bool{}, stopped: map[string]bool{},
	}
}

// clone is a copy that shares no map. Slices are clipped, so that an append to one copy cannot
// write into the other.
func (t *tables) clone() *tables {
	return &tables{
		requests: maps.Clone(t.requests), keys: maps.Clone(t.keys), sessions: maps.Clone(t.sessions), grants: maps.Clone(t.grants),
		checkpoints: maps.Clone(t.checkpoints), extended: maps.Clone(t.extended), uses: maps.Clone(t.uses), replays: maps.Clone(t.replays), unheard: maps.Clone(t.unheard), withheld: maps.Clone(t.withheld),
		facts: slices.Clip(t.facts), alarms: slices.Clip(t.alarms), frozen: maps.Clone(t.frozen), freed: t.freed, stopped: maps.Clone(t.stopped), last: t.last,
	}
}

// fault is how the next commit goes wrong. Each of them is one that a real disk, kernel or
// battery has.
type fault int

const (
	sound    fault = iota
	refuses        // nothing is written, and it says so
	lies           // it is written, and says that it was not
	killed         // the console is killed before it is written
	killedOn       // the console is killed after it is written
)

var (
	errDisk   = errors.New("input/output error")
	errKilled = errors.New("killed")
)

// disk is a store that is drawn. It keeps what was written since the last sync apart: a power
// cut loses some of that. It belongs to the one goroutine of its world.
type disk struct {
	now    *tables
	synced *tables // as of the last sync
	tail   []*broker.Change
	faults []fault // of the next commits
	dead   bool    // the console was killed in a commit
}

func newDisk() *disk { return &disk{now: newTables(), synced: newTables()} }

// Record implements engine.Recorder.
//
// A fault of one change is found before anything is kept, as a transaction is rolled back. A
// drawn fault takes its turn whether or not the changes are sound.
func (d *disk) Record(_ context.Context, list ...*broker.Change) error {
	// Faults are used up one for each commit, in the order in which they were drawn.
	f := sound
	if len(d.faults) > 0 {
		f, d.faults = d.faults[0], d.faults[1:]
	}
	switch f {
	// Nothing is written, and the caller is told the truth.
	case refuses:
		return errDisk
	// The console is gone, so it does not matter what is returned.
	case killed:
		d.dead = true
		return errKilled
	case sound, lies, killedOn:
	}
	next := d.now.clone()
	sync := false
	// The changes apply to a copy, so that one that fails takes the others with it.
	for i, c := range list {
		if err := next.apply(c); err != nil {
			return &broker.ChangeError{Index: i, Err: err}
		}
		sync = sync || c.Sync
	}
	d.now = next
	d.tail = append(d.tail, list...)
	// A commit that syncs makes all earlier ones durable as well, as in a file that is written
	// front to back.
	if sync {
		d.synced, d.tail = next.clone(), nil
	}
	switch f {
	// The worst of them: what is on the disk and what the caller believes are two things.
	case lies:
		return errDisk
	case killedOn:
		d.dead = true
		return errKilled
	case sound, refuses, killed:
	}
	return nil
}

// cutPower loses all but the first keep changes since the last sync. A disk keeps the order of
// writes: what is lost is lost from some point on.
func (d *disk) cutPower(keep int) {
	at := d.synced.clone()
	for _, c := range d.tail[:min(keep, len(d.tail))] {
		if at.apply(c) != nil {
			break
		}
	}
	d.now, d.synced, d.tail = at, at.clone(), nil
}

// apply writes c, or says why it cannot be. It does not check hashes or seals, which package
// store's own tests do. On an error t is spoiled, so callers apply to a copy.
func (t *tables) apply(c *broker.Change) error {
	if c.Insert != nil {
		r := *c.Insert
		// Every call here has a key.
		if _, taken := t.requests[r.ID]; taken || t.keys[r.Key] != "" {
			return broker.ErrDuplicate
		}
		t.requests[r.ID], t.keys[r.Key] = plain(r), r.ID
		t.ended(r)
	}
	for _, s := range c.Settle {
		r, ok := t.requests[s.ID]
		switch {
		case !ok:
			return broker.ErrNotFound
		case r.State != broker.Pending:
			return broker.ErrAlreadyDecided
		}
		r.State, r.Outcome = s.Outcome.State, new(s.Outcome)
		t.requests[s.ID] = r
		t.ended(r)
	}
	for _, s := range c.Sessions {
		t.sessions[s.ID] = s
	}
	if c.Grant != nil {
		t.grants[c.Grant.ID] = *c.Grant
	}
	if u := c.UseGrant; u != nil {
		g, ok := t.grants[u.ID]
		switch {
		case !ok:
			return broker.ErrNotFound
		case g.UsedBy != "":
			return broker.ErrGrantUsed
		}
		g.UsedBy = u.By
		t.grants[u.ID] = g
	}
	if c.Checkpoint != nil {
		t.checkpoints[c.Checkpoint.RequestID] = *c.Checkpoint
	}
	for _, id := range c.DropCheckpoints {
		if _, ok := t.checkpoints[id]; !ok {
			return broker.ErrNotFound
		}
		delete(t.checkpoints, id)
	}
	for _, id := range c.Used {
		u := t.uses[id]
		t.uses[id] = broker.RuleUse{Uses: u.Uses + 1, Last: u.Last}
	}
	for _, e := range c.Events {
		t.log(*e)
	}
	return nil
}

// ended takes note of a call that ended so that it may run while the log has it frozen.
func (t *tables) ended(r broker.Request) {
	if broker.LetsRun(r) && (t.frozen[""] || t.frozen[r.SessionID]) {
		t.freed = cmp.Or(t.freed, r.ID)
	}
}

// log takes note of those events that a starting console is told of, or that speak against an
// answer.
func (t *tables) log(e broker.Event) {
	e.Seq = t.seq() + 1
	t.chain(&e)
	t.last = &logged{e, t.last}
	if f := (broker.FrozenData{}); e.Type == broker.EventFrozen && json.Unmarshal(e.Data, &f) == nil {
		t.frozen[f.Session] = f.On
	}
	switch {
	case slices.Contains(broker.FactTypes, e.Type):
		t.facts = append(t.facts, e)
	case e.Type == broker.EventAlarm || e.Type == broker.EventAlarmSeen:
		t.alarms = append(t.alarms, e)
	case e.Type == broker.EventExtended:
		var d broker.ExtendedData
		if json.Unmarshal(e.Data, &d) == nil {
			t.extended[e.RequestID] = broker.Extension{RequestID: e.RequestID, At: e.At, ExtendedData: d}
		}
	case e.Type == broker.EventStopRequested || e.Type == broker.EventStopLifted:
		t.stopped[e.SessionID] = e.Type == broker.EventStopRequested
	case e.Type == broker.EventAnsweredAgain:
		t.replays[e.RequestID]++
		delete(t.unheard, e.RequestID)
	case e.Type == broker.EventAnswerWithheld:
		t.withheld[e.RequestID] = true
	case e.Type == broker.EventUnheard:
		t.unheard[e.RequestID] = true
	}
}

// chain gives e a hash that differs with all that came before it, as a store does.
func (t *tables) chain(e *broker.Event) {
	h := sha256.New()
	if t.last != nil {
		_, _ = h.Write([]byte(t.last.Hash)) // it never fails
	}
	_, _ = fmt.Fprint(h, e.Type, e.SessionID, e.RequestID, e.At.UnixNano(), string(e.Data))
	e.Hash = hex.EncodeToString(h.Sum(nil))
}

// plain is r as a store keeps it. Annotations are not stored, and a request from the disk must
// not have them.
func plain(r broker.Request) broker.Request {
	r.Assessment, r.Checkpoint, r.Held, r.Deferrable, r.Legible, r.Suggestions, r.Alarm, r.Unheard, r.Danger = nil, nil, "", false, false, nil, nil, false, ""
	return r
}

// saved is what a starting console reads. The order is fixed, since a map's own would make two
// runs of one world differ.
func (t *tables) saved() broker.Saved {
	s := broker.Saved{Facts: t.facts, RuleUse: maps.Clone(t.uses)}
	for _, id := range sortedKeys(t.requests) {
		if r := t.requests[id]; r.State == broker.Pending {
			s.Requests = append(s.Requests, r)
			if x, ok := t.extended[id]; ok {
				s.Extensions = append(s.Extensions, x)
			}
		}
	}
	for _, id := range sortedKeys(t.sessions) {
		s.Sessions = append(s.Sessions, t.sessions[id])
	}
	for _, id := range sortedKeys(t.grants) {
		if g := t.grants[id]; g.UsedBy == "" {
			s.Grants = append(s.Grants, g)
		}
	}
	for _, id := range sortedKeys(t.checkpoints) {
		s.Checkpoints = append(s.Checkpoints, t.checkpoints[id])
	}
	return s
}

// sortedKeys is the order in which maps are walked here, for the same reason.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// String is how the story tells of it.
func (f fault) String() string {
	return [...]string{"works", "refuses", "writes and says that it did not", "is killed before it writes", "is killed after it wrote"}[f]
}

var _ fmt.Stringer = sound
