package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Broker is the engine with the world around it: the store, the routes, the rules' files, the
// processes that ask. It decides nothing itself: it looks things up, sends an input, and tells
// what came of it.
type Broker struct {
	*story.Reader

	store broker.Store
	opts  Options
	log   *slog.Logger
	loop  *engine.Loop
	view  *engine.View
	stop  context.CancelFunc
	wg    sync.WaitGroup

	lines    lines // connections that wait for news of a call, or of a session for its runner
	parked   sync.WaitGroup
	draining atomic.Bool // held polls answer at once
	gate     gate

	policy *policy.Policy

	sweeping sweeping
	watching settingsWatch // of settings files
	capped   bool          // the operator chose ApprovalTimeout, so no asker may take longer
}

// gate is what keeps peers from taking more than their part of the console.
type gate struct {
	conns     conns         // of all listeners
	tcpConns  conns         // those among them that come over TCP
	turn      chan struct{} // one token for each call that is being recorded
	slow      chan struct{} // one token for each peer that waits for a no
	deadlines deadlines
	nonces    nonces
}

const (
	historyBytes  = 64 << 20         // of the inputs of a history; each may have a mebibyte
	lateLoaded    = 2048             // late calls that a starting console takes up
	recordTimeout = 10 * time.Second // the longest a look into the store may take
	alarmsRead    = 1000             // events that a starting console reads at a time
)

func (o Options) withDefaults() Options {
	set := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	set(&o.ApprovalTimeout, 10*time.Minute)
	set(&o.LateFor, 5*time.Minute)
	set(&o.Hold, 25*time.Second)
	set(&o.AskerGrace, 30*time.Second)
	o.MaxPending = cmp.Or(max(o.MaxPending, 0), defaultPending)
	o.MaxPerSession = cmp.Or(max(o.MaxPerSession, 0), defaultPerSession)
	o.MaxSessions = cmp.Or(max(o.MaxSessions, 0), defaultSessions)
	o.Rate = cmp.Or(o.Rate, defaultRate)
	if o.Vet == nil {
		o.Vet = policy.Trusting{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Alive == nil {
		o.Alive = peers.Alive
	}
	if o.Age == nil {
		o.Age = peers.AgeOf
	}
	return o
}

// New returns a broker over st that has taken up what an earlier one left pending: those
// requests wait again, with what is left of their time. So do its late cards. Close releases
// it; the store stays the caller's.
func New(ctx context.Context, st broker.Store, opts Options) (*Broker, error) {
	capped := opts.ApprovalTimeout > 0
	opts = opts.withDefaults()
	saved, err := st.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load what was pending: %w", err)
	}
	b := &Broker{
		store: st, opts: opts, log: opts.Log, capped: capped,
		gate: gate{turn: make(chan struct{}, maxRecording), slow: make(chan struct{}, slowPeers), deadlines: usualDeadlines()},
	}
	b.lines.held = map[string][]waiter{}
	b.Reader = story.NewReader(b, st)
	b.gate.conns.limit = connLimit()
	b.gate.tcpConns.limit = max(b.gate.conns.limit/tcpShare, 8)
	b.opts.MaxPending = min(b.opts.MaxPending, b.gate.conns.mayWait()) // each on a connection
	aside := map[string]string{}
	start, err := b.takenUp(ctx, saved, aside)
	if err != nil {
		return nil, err
	}
	state := engine.New(b.limits())
	timers, err := state.Restore(time.Now(), start)
	if err != nil {
		return nil, err
	}
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b.stop = cancel
	b.loop = engine.NewLoop(state, timers, st, world{b}, b.log)
	b.view = b.loop.View()
	b.policy = policy.New(policy.Options{
		Engine: b.view, Tell: b.loop.Do, Store: st, Vet: opts.Vet, Home: workspace.UserHome(), Guarded: realPaths(opts.Guarded), Aside: aside, Log: b.log,
	})
	b.wg.Go(func() { b.loop.Run(run) })
	b.denyStopped()
	b.restamp()
	b.wg.Go(func() { b.sweep(run) })
	return b, nil
}

func realPaths(list []string) (real []string) {
	for _, path := range list {
		real = append(real, workspace.RealPath(path))
	}
	return real
}

func (b *Broker) limits() engine.Limits {
	o := &b.opts
	return engine.Limits{
		ApprovalTimeout: o.ApprovalTimeout, Capped: b.capped, LateFor: o.LateFor, AskerGrace: o.AskerGrace,
		MaxPerSession: o.MaxPerSession, MaxPending: o.MaxPending, MaxSessions: o.MaxSessions, Rate: o.Rate,
		OnTimeout: o.OnTimeout, Self: os.Getpid(), Launches: o.Launcher != nil, Difference: o.Difference,
	}
}

// takenUp is what a starting console knows from the store.
func (b *Broker) takenUp(ctx context.Context, saved broker.Saved, aside map[string]string) (engine.Start, error) {
	start := engine.Start{Health: broker.Health{Socket: b.opts.Socket, Observing: b.opts.Observe}}
	problem, err := b.takeUp(ctx, &saved, aside)
	if err != nil {
		return start, err
	}
	start.Health.StoreErr = problem
	start.Health.LogSeq, start.Health.LogHash = b.store.Head()
	start.Saved = saved
	if start.Alarms, err = b.alarmsOnRecord(ctx); err != nil {
		return start, err
	}
	if start.Late, err = b.lateOnRecord(ctx); err != nil {
		return start, err
	}
	waits := map[string]bool{}
	for _, r := range saved.Requests {
		waits[r.ID] = true
	}
	for _, cp := range saved.Checkpoints {
		if cp.Process.PID != 0 && b.opts.Alive(cp.Process) {
			start.Living = append(start.Living, cp.Process)
		}
		if waits[cp.RequestID] {
			continue
		}
		r, err := b.store.Request(ctx, cp.RequestID)
		switch {
		case errors.Is(err, broker.ErrTampered), errors.Is(err, broker.ErrNotFound): // one for which the log does not vouch has no answer
			b.log.WarnContext(ctx, "a call that was put off was left out", "request_id", cp.RequestID, "err", err)
		case err != nil:
			return start, fmt.Errorf("load calls that were put off: %w", err)
		case r.Outcome == nil || !cp.TakenUpAt.IsZero(): // its answer was told, and the rest could not be recorded
			start.Stray = append(start.Stray, cp)
		default:
			r.Checkpoint = &cp
			start.Owed = append(start.Owed, r)
		}
	}
	return start, nil
}

// alarmsOnRecord are all events of alarms, oldest first: one that was let go would no longer
// hold its session's rules.
func (b *Broker) alarmsOnRecord(ctx context.Context) (all []broker.Event, err error) {
	for after := int64(-1); ; {
		list, err := b.store.Events(ctx, broker.EventFilter{Console: true, Types: []string{broker.EventAlarm, broker.EventAlarmSeen}, After: after, Limit: alarmsRead})
		if err != nil {
			return nil, fmt.Errorf("read the alarms: %w", err)
		}
		all = append(all, list...)
		if len(list) < alarmsRead {
			return all, nil
		}
		after = list[len(list)-1].Seq
	}
}

// lateOnRecord are the cards that were late when an earlier console ended, oldest first: a
// person who comes back may still allow what the agent is about to ask again.
func (b *Broker) lateOnRecord(ctx context.Context) (late []broker.Request, err error) {
	list, err := b.store.Requests(ctx, broker.RequestFilter{Late: true, Decided: true, Since: time.Now().Add(-b.opts.LateFor), Limit: lateLoaded})
	if err != nil {
		return nil, fmt.Errorf("load late calls: %w", err)
	}
	for _, r := range slices.Backward(list) {
		r, err := b.store.Request(ctx, r.ID) // which asks the log, too
		if err != nil || r.Outcome == nil {
			b.log.WarnContext(ctx, "a late call was left out", "request_id", r.ID, "err", err)
			continue
		}
		late = append(late, r)
	}
	return late, nil
}

// denyStopped ends what waits in sessions under a stop, which a console may have left behind.
func (b *Broker) denyStopped() {
	for _, s := range b.view.Sessions() {
		if s.State.UnderStop() && s.Pending+s.Deferred > 0 {
			b.loop.Do(engine.Stop{SessionID: s.ID})
		}
	}
}

// restamp looks at the calls that an earlier console left waiting or late: nobody has seen
// them here yet. There may be very many, and agents wait for the broker.
func (b *Broker) restamp() {
	calls := make(chan string)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for id := range calls {
				b.lookAgain(id, assessing{anew: true})
			}
		})
	}
	for _, r := range b.view.Snapshot(time.Now()).Requests {
		calls <- r.ID
	}
	close(calls)
	wg.Wait()
}

// Close ends the background work and every Watch. Pending requests stay pending in the store:
// their hooks find them again at the next broker.
func (b *Broker) Close() error {
	b.loop.Do(engine.Closing{})
	b.stop()
	b.wg.Wait()
	return nil
}

// world hears of the engine's effects.
type world struct{ b *Broker }

func (w world) Answered(id string) { w.b.lines.wake(id) }

func (w world) Moved(id string) { w.b.lines.wake(id) }

func (w world) SessionChanged(id string) { w.b.lines.wake(runnerLine(id)) }

// StartRunner starts a runner beside everything else. It may take minutes, and Close does not
// wait for it: a runner that came is found by the next broker, and one that did not is missed
// by it.
func (w world) StartRunner(s broker.Session) {
	go func() {
		if err := w.b.opts.Launcher.Resume(s); err != nil {
			w.b.loop.Do(engine.NotStarted{SessionID: s.ID, Cause: err})
		}
	}()
}

// Wait returns request id once it has ended, or as it is when ctx ends first. While it waits,
// the request counts as having an asker. Errors: ErrNotFound.
func (b *Broker) Wait(ctx context.Context, id string) (broker.Request, error) {
	w := make(bell, 1)
	b.lines.join(id, w)
	defer b.lines.leave(id, w)
	b.loop.Tell(engine.Attach{ID: id})
	defer b.loop.Tell(engine.Detach{ID: id})
	for {
		r, err := b.Request(ctx, id)
		if err != nil || r.State.Terminal() {
			return r, err
		}
		select {
		case <-w:
		case <-ctx.Done():
			return b.Request(context.WithoutCancel(ctx), id)
		}
	}
}

// Request returns request id from memory or the store; ErrNotFound.
func (b *Broker) Request(ctx context.Context, id string) (broker.Request, error) {
	if r, ok := b.view.Request(id); ok {
		return r, nil
	}
	return b.store.Request(ctx, id)
}

// now is req as it is by now.
func (b *Broker) now(ctx context.Context, req broker.Request) broker.Request {
	if r, err := b.Request(ctx, req.ID); err == nil {
		return r
	}
	return req
}

// requestByKey finds a request in memory or the store.
func (b *Broker) requestByKey(ctx context.Context, key string) (broker.Request, error) {
	if r, ok := b.view.ByKey(key); ok {
		return r, nil
	}
	return b.store.RequestByKey(ctx, key)
}

// Pending lists the waiting requests of one session, or of all for "", oldest first.
func (b *Broker) Pending(sessionID string) []broker.Request { return b.view.Pending(sessionID) }

// History lists decided requests, newest decision first; limit 0 means 1,000. There are fewer
// where their inputs are very large.
func (b *Broker) History(ctx context.Context, limit int) ([]broker.Request, error) {
	list, err := b.store.Requests(ctx, broker.RequestFilter{Decided: true, Limit: limit, MaxBytes: historyBytes})
	b.policy.VetPast(list)
	for i := range list {
		list[i].Alarm = b.view.Alarm(list[i].ID)
	}
	if err == nil {
		err = b.markUnheard(ctx, list)
	}
	return list, err
}

// markUnheard marks in list, newest decision first, the allowed calls of which the log says
// that nobody heard it.
func (b *Broker) markUnheard(ctx context.Context, list []broker.Request) error {
	if len(list) == 0 {
		return nil
	}
	oldest := list[len(list)-1]
	events, err := b.store.Events(ctx, broker.EventFilter{Types: []string{broker.EventUnheard, broker.EventAnsweredAgain}, Since: oldest.Outcome.At})
	last := map[string]bool{} // whether the newest event about a call says so
	for _, e := range events {
		if _, newer := last[e.RequestID]; !newer {
			last[e.RequestID] = e.Type == broker.EventUnheard
		}
	}
	for i := range list {
		list[i].Unheard = last[list[i].ID]
	}
	return err
}

// Session returns one session; ErrNotFound.
func (b *Broker) Session(ctx context.Context, id string) (broker.Session, error) {
	if s, ok := b.view.Session(id); ok {
		return s, nil
	}
	list, err := b.store.Sessions(ctx, broker.SessionFilter{ID: id})
	if err != nil {
		return broker.Session{}, fmt.Errorf("session %s: %w", id, err)
	}
	if len(list) == 0 {
		return broker.Session{}, fmt.Errorf("session %s: %w", id, broker.ErrNotFound)
	}
	list[0].Frozen = b.view.Held(id)
	return list[0], nil
}

// Sessions lists the sessions in memory and the store, last seen first.
func (b *Broker) Sessions(ctx context.Context) ([]broker.Session, error) {
	list, err := b.store.Sessions(ctx, broker.SessionFilter{})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	for i, s := range list {
		if now, ok := b.view.Session(s.ID); ok {
			list[i] = now
			continue
		}
		list[i].Frozen = b.view.Held(s.ID)
	}
	return list, nil
}

// recall has the session id in memory: from the store, where it is not. Errors: ErrNotFound,
// and the store's.
func (b *Broker) recall(ctx context.Context, id string) (broker.Session, error) {
	if s, ok := b.view.Session(id); ok {
		return s, nil
	}
	s, err := b.Session(ctx, id)
	if err == nil {
		err = b.loop.Do(engine.Recall{Row: s}).Err
	}
	return s, err
}

// Preview says what r would have done and would do; see Console.
func (b *Broker) Preview(ctx context.Context, r rules.Rule) (broker.Preview, error) {
	return b.policy.Preview(ctx, r)
}

// Offer lists rules that would cover request id from now on; see Console.
func (b *Broker) Offer(ctx context.Context, id string) ([]rules.Rule, error) {
	req, err := b.Request(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("offer a rule: %w", err)
	}
	return b.policy.Offer(req), nil
}

// Stats counts how calls ended; see Console.
func (b *Broker) Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error) {
	return b.store.Stats(ctx, sessionID, since)
}

// Watch returns the state and a channel of every later change; see Console.
func (b *Broker) Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update) {
	return b.loop.Watch(ctx)
}

// Status counts what there is now.
func (b *Broker) Status() broker.Status { return b.view.Status(time.Now()) }

// Late reports whether r ended without a person's answer so lately that allowing it still
// helps: the agent may ask again.
func (b *Broker) Late(r broker.Request) bool {
	x, ok := b.view.Seen(r.ID, time.Now())
	return ok && x.Late
}

// now is the moment as it is recorded.
func now() time.Time { return broker.Instant(time.Now()) }

// newID is an id that is larger than all made before it.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
