package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// Start is what a starting console knows from the store.
type Start struct {
	Saved  broker.Saved
	Late   []broker.Request // that were late when an earlier console ended, the oldest first
	Owed   []broker.Request // that were put off and have an answer that was not given; with their checkpoints
	Stray  []broker.Checkpoint
	Alarms []broker.Event   // of alarms, and of those that were acknowledged, the oldest first
	Living []broker.Process // of the processes of calls that were put off
	Health broker.Health
}

// Restore takes up what an earlier console left. Calls that waited wait again, with what is
// left of their time. Its effects are the timers.
func (s *State) Restore(now time.Time, st Start) ([]Effect, error) {
	s.out = out{}
	s.now.health, s.now.observing = st.Health, st.Health.Observing
	none, err := rules.Compile(nil)
	if err != nil {
		return nil, fmt.Errorf("compile no rules: %w", err)
	}
	s.now.rules = &Rules{Set: none, Doubt: st.Saved.Doubt}
	st.sessions(s, now)
	for _, g := range st.Saved.Grants {
		if now.Before(g.ExpiresAt) {
			s.grants.Put(grantKey(g.SessionID, g.SubagentID, g.Digest), Grant{Grant: g})
		}
	}
	st.facts(s)
	st.calls(s, now)
	st.alarms(s)
	s.showHeld("")
	_ = s.compile() // rules that cannot be made ready allow nothing, and keep nobody from the console
	timers := slices.DeleteFunc(s.effects, func(e Effect) bool { _, is := e.(Timer); return !is })
	s.change = broker.Change{}
	s.Keep()
	return timers, nil
}

func (st Start) sessions(s *State, now time.Time) {
	for _, row := range st.Saved.Sessions {
		se := &Session{Row: row, savedAt: row.LastSeenAt, savedAs: row.Process}
		if !se.known() {
			se.savedAt = now
		}
		s.sessions.Put(row.ID, se)
		s.remember(row.Process, row.ID)
		if row.Run.Running() {
			s.rememberRunner(row.Run.Runner, row.ID)
		}
	}
}

// doubt notes that an event of the log cannot be read.
func (f *facts) doubt(e broker.Event, err error) {
	f.rules.Doubt = cmp.Or(f.rules.Doubt, fmt.Sprintf("event %d of the log cannot be read: %v", e.Seq, err))
}

// facts replays the log's facts.
func (st Start) facts(s *State) {
	saved := st.Saved
	for id, u := range maps.All(saved.RuleUse) {
		s.book.Uses.Put(id, u)
	}
	lost := saved.Lost
	for _, e := range saved.Facts {
		if lost != 0 && e.Seq > lost { // it may have been a freeze, until the operator has lifted it
			s.presumeFrozen()
			lost = 0
		}
		if e.Type != broker.EventFrozen {
			if err := s.book.Fold(e); err != nil {
				s.now.doubt(e, err)
			}
			continue
		}
		var d broker.FrozenData
		switch err := json.Unmarshal(e.Data, &d); {
		case err != nil: // one that cannot be read counts as one of everything
			s.presumeFrozen()
			s.now.doubt(e, err)
		case d.On:
			s.freezes.Put(d.Session, Freeze{By: d.By, recorded: true})
		default:
			s.freezes.Drop(d.Session)
		}
	}
	if lost != 0 {
		s.presumeFrozen()
	}
}

// presumeFrozen holds everything, unless somebody's freeze does so.
func (ss *sessions) presumeFrozen() {
	if !ss.freezes.Has("") {
		ss.freezes.Put("", Freeze{By: broker.Actor{Kind: broker.ByBroker}, recorded: true})
	}
}

func (st Start) calls(s *State, now time.Time) {
	checkpoints, extensions := broker.CheckpointsOf(st.Saved), broker.ExtensionsOf(st.Saved)
	for _, r := range st.Saved.Requests {
		c := &Call{Req: &r, Asker: asker{bound: r.Asker.PID != 0 || r.Event != "", leftAt: now}}
		s.add(c)
		se := s.editSession(r.SessionID)
		cp := checkpoints[r.ID]
		if cp != nil {
			c.Asker.agent, c.Asker.talk, c.Asker.headless = cp.Process, cp.Correlation, true
		}
		if cp != nil && cp.TakenUpAt.IsZero() {
			r.Checkpoint, c.Asker.bound = cp, false
			c.move(putOff)
			se.deferred = append(se.deferred, r.ID)
			se.putOffTurn = slices.Contains(st.Living, cp.Process)
			continue
		}
		since := time.Time{}
		if cp != nil {
			c.Clock.taken, r.ExpiresAt, since = cp, cp.ExpiresAt, cp.TakenUpAt
		}
		if x, ok := extensions[r.ID]; ok && !x.At.Before(since) && x.ExpiresAt.After(r.ExpiresAt) {
			r.ExpiresAt, r.ExtendedAt = x.ExpiresAt, x.At
		}
		s.queue(c)
		s.arm(c, now.Add(r.ExpiresAt.Sub(now)))
	}
	for _, r := range st.Owed {
		c := &Call{Req: &r, Asker: asker{agent: r.Checkpoint.Process, talk: r.Checkpoint.Correlation, headless: true}}
		s.add(c)
		c.move(owed)
		se := s.editSession(r.SessionID)
		se.deferred = append(se.deferred, r.ID)
	}
	for _, cp := range st.Stray {
		s.strays.Put(cp.RequestID, cp.SessionID)
	}
	for _, r := range st.Late {
		if s.calls.Has(r.ID) || r.Outcome.Withdrawn() {
			continue
		}
		c := &Call{Req: &r, LateUntil: r.Outcome.At.Add(s.limits.LateFor)}
		s.add(c)
		s.retire(c)
	}
}

// alarms takes up the alarms of the log. In doubt about one of them no rule may allow
// anything, in any session.
func (st Start) alarms(s *State) {
	for _, e := range st.Alarms {
		var a broker.Alarm
		switch err := json.Unmarshal(e.Data, &a); {
		case err != nil: // whose it is nobody knows
			s.now.doubt(e, err)
		case e.Type == broker.EventAlarm:
			s.addAlarm(a)
		default:
			s.alarmed.Drop(a.SessionID)
		}
	}
	for id, list := range s.alarmed.All() {
		if s.session(id) != nil {
			s.editSession(id).Row.Alarm = new(list.first)
		}
	}
}

// TakeUp records which calls a starting console takes up, and denies those that it must not:
// two consoles ended without a word while each of them waited. Stopped sessions' calls are
// denied with it.
type TakeUp struct {
	Ends  map[string]int // by request id: how many consoles ended without a word while it waited
	Aside []string       // ids
}

func (in TakeUp) step(s *State, now time.Time) Reply {
	for _, id := range in.Aside {
		if c := s.call(id); c != nil && c.Phase == waiting {
			s.end(now, c, refused(broker.AsideID, broker.ReasonAside))
		}
	}
	for _, id := range s.sessions.Keys() {
		if s.underStop(id) {
			s.denyStopped(now, id, broker.Actor{})
		}
	}
	if len(in.Ends) > 0 {
		s.note(now, broker.EventTakenUp, broker.Request{}, broker.TakenUpData{Ends: in.Ends})
	}
	return Reply{Done: true}
}
