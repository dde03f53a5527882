package sim

import (
	"errors"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/rules"
)

// oracle knows what was promised to whom. What it knows comes from replies and from what askers
// hear, never from the engine's memory: it believes only what somebody outside was told.
type oracle struct {
	world    *world
	presses  map[string]int             // keys that let run, by session, digest and end
	pressers map[string]bool            // who pressed them, likewise
	runs     map[string]map[string]bool // requests that an operator's word let run, likewise
	decided  map[string]broker.State    // what operators were told that they decided, by request
	deciders map[string]broker.Actor    // which of them, likewise
	told     map[string]broker.State    // what askers were told, by request
	stops    map[string]promise         // by session
	freezes  map[string]promise         // likewise; "" is that of all
	allowing map[string]bool            // rules that allow, by id
	gone     map[string]time.Time       // since when rules are removed
	observed bool                       // somebody ever let calls go unheld
	asking   bool                       // a broker ever left calls to their agent's prompt when time was over
}

// promise is one that was acknowledged. Some promises hold without being on the disk, and the
// reply says so. Those end with the console.
type promise struct {
	since    time.Time
	recorded bool // else a restart may forget it
}

// reset forgets everything but the world.
func (o *oracle) reset() {
	*o = oracle{
		world: o.world, presses: map[string]int{}, runs: map[string]map[string]bool{}, decided: map[string]broker.State{}, deciders: map[string]broker.Actor{}, pressers: map[string]bool{}, told: map[string]broker.State{},
		stops: map[string]promise{}, freezes: map[string]promise{}, allowing: map[string]bool{}, gone: map[string]time.Time{},
	}
}

// pressed notes that an operator let the call run that they saw, by allowing it or by leaving it to
// its agent's prompt. A key may be pressed on a card that is old. It counts for the call that was
// shown, which is what the digest says.
func (o *oracle) pressed(l look, v broker.Verdict, by broker.Actor) {
	if v == broker.Deny {
		return
	}
	// A call that memory has forgotten is looked up on the disk.
	x, _ := o.world.loop.View().Request(l.id)
	if x.ID == "" {
		x = o.world.disk.now.requests[l.id]
	}
	key := x.SessionID + l.digest + string(broker.Decision{Verdict: v}.Outcome().State)
	o.presses[key]++
	o.pressers[key+by.ID] = true
}

// startedWith notes how a broker was started. What it ended may be told by a later one.
func (o *oracle) startedWith(v broker.Verdict) { o.asking = o.asking || v == broker.Ask }

// ruleSent notes what a rule does. It is noted when it is sent: a rule may be on the disk
// although its sender heard nothing.
func (o *oracle) ruleSent(id string, v rules.Verdict) { o.allowing[id] = v == rules.Allow }

// before sees each round's inputs before the engine does. Letting calls go unheld counts from
// there on, for as long as the world lasts.
func (o *oracle) before(ins []engine.Input) {
	for _, in := range ins {
		if ob, is := in.(engine.Observe); is && ob.On {
			o.observed = true
		}
	}
}

// unheard takes note of what was sent and came to nobody knows what: it may hold. A lift that may
// be on the disk makes the promise one that a restart may end.
func (o *oracle) unheard(ins []engine.Input) {
	for _, in := range ins {
		switch in := in.(type) {
		case engine.FromHook:
			if p, stopped := o.stops[in.Hook.SessionID]; stopped && in.Hook.Kind == agents.Prompt {
				o.stops[in.Hook.SessionID] = promise{p.since, false}
			}
		case engine.SetFreeze:
			if p, frozen := o.freezes[in.SessionID]; frozen && !in.On {
				o.freezes[in.SessionID] = promise{p.since, false}
			}
		}
	}
}

// acknowledged takes note of what somebody was told.
//
// What failed to be recorded and is refused holds at once all the same (a stop, a freeze), so it
// is a promise of its own kind.
func (o *oracle) acknowledged(in engine.Input, r engine.Reply) {
	failed := errors.Is(r.Err, broker.ErrNotRecorded)
	switch in := in.(type) {
	case engine.Decide:
		for _, c := range append(slices.Clip(r.Calls), r.Call) {
			if r.Err == nil && r.Done && c.Outcome != nil && c.Outcome.By.Kind == broker.ByOperator {
				if by, known := o.deciders[c.ID]; known && by != in.Decision.By {
					o.world.fail("%s and %s were both told that they decided %s", by.You(), in.Decision.By.You(), c.ID)
				}
				o.decided[c.ID], o.deciders[c.ID] = c.State, in.Decision.By
				o.mayAllow(c)
			}
		}
	case engine.Stop:
		if r.Err != nil && !failed {
			return
		}
		for _, s := range o.world.loop.View().Sessions() {
			// The first stop counts: what was allowed before it may still be told.
			if _, known := o.stops[s.ID]; s.State.UnderStop() && (in.All || s.ID == in.SessionID) && !known {
				o.stops[s.ID] = promise{o.world.now, !failed}
			}
		}
	case engine.FromHook:
		p, stopped := o.stops[in.Hook.SessionID]
		switch {
		// Only its user's words lift a stop.
		case in.Hook.Kind != agents.Prompt || !stopped:
		case r.Err == nil && r.Done:
			delete(o.stops, in.Hook.SessionID)
		case failed: // it may be on the disk all the same: its user spoke, and a restart knows
			o.stops[in.Hook.SessionID] = promise{p.since, false}
		}
	case engine.SetFreeze:
		switch {
		// A freeze that was recorded once stays so, whatever a second one says.
		case in.On && (r.Err == nil || failed):
			was, known := o.freezes[in.SessionID]
			if !known {
				was.since = o.world.now
			}
			o.freezes[in.SessionID] = promise{was.since, was.recorded || !failed}
		case !in.On && r.Err == nil:
			delete(o.freezes, in.SessionID)
		// The lift may be on the disk, so after a restart the freeze may be gone.
		case !in.On && failed:
			if was, known := o.freezes[in.SessionID]; known {
				o.freezes[in.SessionID] = promise{was.since, false}
			}
		}
	// The disk has caught up: what only memory knew is on it now.
	case engine.PayRest:
		if r.Err == nil {
			for id, p := range o.freezes {
				o.freezes[id] = promise{p.since, true}
			}
			for id, p := range o.stops {
				o.stops[id] = promise{p.since, true}
			}
		}
	case engine.RemoveRule:
		if r.Err == nil && r.Done {
			o.gone[in.ID] = o.world.now
		}
	}
}

// mayAllow checks that nothing kept an operator from what they decided. A freeze or a stop that
// was acknowledged comes before any key that was pressed later, on whatever screen.
func (o *oracle) mayAllow(c broker.Request) {
	_, all := o.freezes[""]
	_, one := o.freezes[c.SessionID]
	_, stopped := o.stops[c.SessionID]
	if broker.LetsRun(c) && (all || one || stopped) {
		o.world.fail("an operator allowed %s, although its session is frozen or stopped", c.ID)
	}
}

// heard checks what an asker is told.
//
// It is the check that matters most: what an agent hears is what it does.
func (o *oracle) heard(a *asker, r broker.Request) {
	w := o.world
	was, known := o.told[r.ID]
	refused := was == broker.Denied || was == broker.Cancelled || was == broker.Expired
	// From one refusal to another, never to a yes.
	refused = refused && w.disk.now.withheld[r.ID] && !broker.LetsRun(r) // the log has both refusals: what is recorded, and what was told
	// Two askers of one call must hear the same end. The one exception is a call whose yes came
	// too late to be told, and whose no is on record beside it.
	if known && was != r.State && !refused {
		w.fail("%s was told that %s is %s, and %s is told that it is %s", "somebody", r.ID, was, a.name, r.State)
	}
	o.told[r.ID] = r.State
	if !broker.LetsRun(r) {
		return
	}
	// Only a yes must be on the disk before it is told. A no may be told first.
	if on := w.disk.now.requests[r.ID]; on.State != r.State {
		w.fail("%s is told that %s is %s, and the disk has it as %q", a.name, r.ID, r.State, on.State)
	}
	for _, id := range []string{"", r.SessionID} {
		if _, frozen := o.freezes[id]; frozen {
			w.fail("%s is told that %s may run, under a freeze of %q", a.name, r.ID, id)
		}
	}
	// What was decided before the stop may still be told after it.
	if p, stopped := o.stops[r.SessionID]; stopped && r.Outcome.At.After(p.since) {
		w.fail("%s was allowed after its session was stopped", r.ID)
	}
	o.mayRun(a, r)
}

// mayRun checks who let r run. The number of calls that an operator let run is never larger than
// the number of times that they pressed the key for such a call.
func (o *oracle) mayRun(a *asker, r broker.Request) {
	w, by := o.world, r.Outcome.By
	switch by.Kind {
	case broker.ByOperator:
		// A grant that a late key left behind is by the operator as well, for another request
		// with this digest.
		key := r.SessionID + r.Digest + string(r.State)
		if o.runs[key] == nil {
			o.runs[key] = map[string]bool{}
		}
		o.runs[key][r.ID] = true
		// Requests are counted, not times: a retry of the same request is not a second run.
		if len(o.runs[key]) > o.presses[key] {
			w.fail("%d calls like %s may run in %s, and an operator allowed %d", len(o.runs[key]), r.ID, r.SessionID, o.presses[key])
		}
		// A grant has its own id in place of the operator's.
		if _, isGrant := w.disk.now.grants[by.ID]; !isGrant && !o.pressers[key+by.ID] {
			w.fail("%s is on record as decided by %s, who did not", r.ID, by.You())
		}
	// A rule that is gone may not allow what comes after; what it allowed before may still be
	// told.
	case broker.ByRule:
		at, gone := o.gone[by.ID]
		switch {
		case !o.allowing[by.ID]:
			w.fail("%s was allowed by rule %q, which allows nothing", r.ID, by.ID)
		case gone && r.Outcome.At.After(at):
			w.fail("%s was allowed by rule %s after that was removed", r.ID, by.ID)
		}
	case broker.ByObserve:
		if !o.observed {
			w.fail("%s is not held, and nobody said so", r.ID)
		}
	case broker.ByDeadline:
		if !o.asking {
			w.fail("%s was left to its agent's prompt when its time was over, and nobody said so", r.ID)
		}
	case broker.ByProcess, broker.ByStop, broker.ByFreeze, broker.ByAgent, broker.ByBroker:
		w.fail("%s may run, says %q to %s", r.ID, by.Kind, a.name)
	}
}

// owes reports whether the disk could not take the end of a call yet. A call whose end is owed
// has one in memory that the disk does not know.
func (o *oracle) owes(id string) bool {
	calls, _, _ := o.world.loop.View().Debts()
	return slices.Contains(calls, id)
}

// state compares what the broker remembers with what the disk has. Differences that the engine
// knows of (its debts) are no differences.
func (o *oracle) state() {
	w := o.world
	v, disk := w.loop.View(), w.disk.now
	debts, _, _ := v.Debts()
	pending := 0
	for _, r := range v.Snapshot(w.now).Requests {
		on, known := disk.requests[r.ID]
		// Memory may be ahead of the disk only by what the engine itself says that it owes.
		if owed := slices.Contains(debts, r.ID) || disk.withheld[r.ID]; (!known || on.State != r.State) && !owed {
			w.fail("%s is %s in memory and %q on the disk", r.ID, r.State, on.State)
		}
		if r.State != broker.Pending {
			continue
		}
		pending++
		// A call that is put off has no deadline.
		if x, _ := v.Seen(r.ID, w.now); r.Checkpoint == nil && x.Left < 0 {
			w.fail("%s waits %s after its deadline", r.ID, -x.Left)
		}
		if s, _ := v.Session(r.SessionID); s.State.UnderStop() {
			w.fail("%s waits in a session that is stopped", r.ID)
		}
	}
	// And the other way round: a call that waits on the disk must wait in memory, or it would
	// come back with the next start.
	for _, id := range sortedKeys(disk.requests) {
		if r := disk.requests[id]; r.State == broker.Pending {
			if _, known := v.Request(id); !known && !slices.Contains(debts, id) {
				w.fail("%s waits on the disk, and the broker does not know it", id)
			}
		}
	}
	// It would run as soon as the freeze is lifted, and nobody would be asked any more.
	if disk.freed != "" {
		w.fail("%s ended so that it may run while its session was frozen", disk.freed)
	}
	// The store would call that tampering: a row that somebody else changed to have a stop undone.
	for _, id := range sortedKeys(disk.stopped) {
		if s := disk.sessions[id].State; disk.stopped[id] && (s == broker.SessionActive || s == broker.SessionIdle) {
			w.fail("%s is %s on the disk, and its log has it stopped", id, s)
		}
	}
	o.kept()
}

// kept checks that what was acknowledged holds. kept is looked at after every round, so a promise
// that breaks for one round only is seen.
func (o *oracle) kept() {
	w := o.world
	v := w.loop.View()
	for _, id := range sortedKeys(o.decided) {
		if on := w.disk.now.requests[id]; on.State != o.decided[id] {
			w.fail("an operator was told that %s is %s, and the disk has it as %q", id, o.decided[id], on.State)
		}
	}
	for _, id := range sortedKeys(o.stops) {
		// A session that ended runs nothing, so its stop needs no more looking after.
		if s, known := v.Session(id); known && !s.State.UnderStop() && !s.State.Ended() {
			w.fail("the stop of %s was acknowledged, and it is %s", id, s.State)
		}
	}
	for _, id := range sortedKeys(o.freezes) {
		// A freeze of everything must hold a session that nobody ever heard of.
		probe := id
		if id == "" {
			probe = "any"
		}
		if !v.Held(probe) {
			w.fail("the freeze of %q was acknowledged, and holds nothing", id)
		}
	}
}

// restarted forgets the promises that a restart may break: those that said so. It comes when a
// console begins, whatever ended the one before.
func (o *oracle) restarted() {
	for id, p := range o.stops {
		if !p.recorded {
			delete(o.stops, id)
		}
	}
	for id, p := range o.freezes {
		if !p.recorded {
			delete(o.freezes, id)
		}
	}
}

// crashed forgets what was told of calls whose end the disk could not take yet: the next
// console does not know of it.
func (o *oracle) crashed() {
	debts, _, _ := o.world.loop.View().Debts()
	for _, id := range debts {
		delete(o.told, id)
	}
}

// powerCut forgets what was told to agents that are gone with it, where the disk lost it: only
// what an operator decided is synced. Stops and freezes stay: they are synced before they are
// acknowledged.
func (o *oracle) powerCut() {
	for id, was := range o.told {
		if o.world.disk.now.requests[id].State != was {
			delete(o.told, id)
		}
	}
}
