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
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/calls"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/feed"
	"github.com/aoctl/aoctl/broker/hooks"
	"github.com/aoctl/aoctl/broker/once"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/proposals"
	"github.com/aoctl/aoctl/broker/records"
	"github.com/aoctl/aoctl/broker/runs"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Broker is the engine with the world around it: the store, the rooms that look at files, rules
// and processes, and the server. It decides nothing itself. The embedded rooms share one engine
// and one view, so what one of them did is seen by the others at once. Several goroutines may use
// it.
type Broker struct {
	*records.Records
	*calls.Calls
	*policy.Rulings
	*proposals.List
	*runs.Runs
	*story.Reader
	*api.Server

	opts     Options
	store    broker.Store
	loop     *engine.Loop
	view     *engine.View
	policy   *policy.Policy
	hooks    *hooks.Hooks
	settings *hooks.Settings
	feed     *feed.Feed
	once     once.Tokens

	stop     context.CancelFunc
	wg       sync.WaitGroup
	sweeping sweeping
	capped   bool // the operator chose ApprovalTimeout, so no asker may take longer
}

const (
	lateLoaded    = 2048             // late calls that a starting console takes up
	recordTimeout = 10 * time.Second // the longest a look into the store may take
	alarmsRead    = 1000             // events that a starting console reads at a time
)

// withDefaults is o with the defaults that its fields name. Negative sizes count as none given; a
// negative Rate means that there is no limit.
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
	o.Silence = max(cmp.Or(o.Silence, time.Hour), 0)
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
	return open(ctx, st, opts, sweepEvery)
}

// open is New with a sweeper that looks every so often.
func open(ctx context.Context, st broker.Store, opts Options, every time.Duration) (*Broker, error) {
	capped := opts.ApprovalTimeout > 0
	opts = opts.withDefaults()
	saved, err := st.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load what was pending: %w", err)
	}
	b := &Broker{store: st, opts: opts, capped: capped, Server: api.NewServer()}
	// A call that waits needs a connection, so the system's limit of open files bounds both.
	b.opts.MaxPending = min(b.opts.MaxPending, b.MayWait())
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
	b.loop = engine.NewLoop(state, timers, st, world{b}, b.opts.Log)
	b.view = b.loop.View()
	b.furnish(aside)
	if o := opts.Guard; o.Eyes != nil {
		b.policy.SetEyes(o.Eyes(b))
	}
	b.wg.Go(func() { b.loop.Run(run) })
	// From here on the loop runs. Stopped sessions come first: nothing of them may be allowed in
	// between.
	b.denyStopped()
	b.restamp()
	b.wg.Go(func() { b.sweep(run, every) })
	return b, nil
}

// furnish makes the rooms. aside says of calls, by digest, why they are not parsed. The order is
// that of who needs whom. The server is opened last, when all rooms are there.
func (b *Broker) furnish(aside map[string]string) {
	o := &b.opts
	b.policy = policy.New(policy.Options{
		Engine: b.view, Tell: b.loop.Do, Store: b.store, Vet: o.Vet, Home: workspace.UserHome(), Guarded: realPaths(o.Guard.Paths), Port: o.Guard.Port, Aside: aside, Log: b.opts.Log,
	})
	b.Records = records.New(records.Options{View: b.view, Do: b.loop.Do, Store: b.store, VetRecorded: b.policy.VetRecorded, Alive: o.Alive})
	b.Calls = calls.New(calls.Options{Engine: b.loop, View: b.view, Records: b.Records, Store: b.store, Policy: b.policy, Limits: b.limits(), Log: b.opts.Log})
	b.Rulings = policy.NewRulings(b.policy, b.Records, b.RulesChanged)
	b.Runs = runs.New(runs.Options{Engine: b.loop, View: b.view, Records: b.Records, Launcher: o.Launcher, Alive: o.Alive, Log: b.opts.Log})
	b.List = proposals.New(time.Now)
	b.Reader = story.NewReader(b.Records, b.store)
	heard := hooks.Options{
		Engine: b.loop, View: b.view, Records: b.Records, Store: b.store, NoOutput: o.Recording.NoOutput, Silences: o.Guard.Silences, Alive: o.Alive, Age: o.Age, Log: b.opts.Log,
	}
	b.hooks, b.settings = hooks.New(heard), hooks.NewSettings(heard)
	b.feed = feed.New(feed.Options{Log: b.store, Records: b.Records, Watch: b.Watch, View: api.ViewOf, Most: b.MayRead, Logger: b.opts.Log})
	b.Open(api.Options{
		Engine: b.loop, View: b.view, Records: b.Records, Log: b.store, Calls: b.Calls, Sessions: b, Rules: b.Rulings, Proposals: b.List, Judge: b.policy, Runs: b.Runs,
		Hooks: b.hooks, Settings: b.settings, Feed: b.feed, Once: &b.once, Hold: o.Hold, ListenOperators: o.ListenOperators, Logger: b.opts.Log,
	})
}

// realPaths follows links, since a call names a file by any path that leads there.
func realPaths(list []string) (real []string) {
	for _, path := range list {
		real = append(real, workspace.RealPath(path))
	}
	return real
}

// limits are the options that the engine itself needs.
func (b *Broker) limits() engine.Limits {
	o := &b.opts
	return engine.Limits{
		ApprovalTimeout: o.ApprovalTimeout, Capped: b.capped, LateFor: o.LateFor, AskerGrace: o.AskerGrace,
		MaxPerSession: o.MaxPerSession, MaxPending: o.MaxPending, MaxSessions: o.MaxSessions, Rate: o.Rate,
		OnTimeout: o.OnTimeout, Silence: o.Silence, Self: os.Getpid(), Launches: o.Launcher != nil, Difference: o.Recording.Difference,
	}
}

// takenUp is what a starting console knows from the store. It reads and changes nothing but what
// takeUp records. An error keeps the console from starting: to go on without what waits would
// leave agents unanswered.
func (b *Broker) takenUp(ctx context.Context, saved broker.Saved, aside map[string]string) (engine.Start, error) {
	start := engine.Start{Health: broker.Health{Socket: b.opts.Socket, Observing: b.opts.Observe}}
	problem, err := b.takeUp(ctx, &saved, aside)
	if err != nil {
		return start, err
	}
	start.Health.StoreErr = problem
	start.Health.LogSeq, start.Health.LogHash = b.store.Head()
	start.Saved = saved
	if start.Alarms, err = alarmsOnRecord(ctx, b.store); err != nil {
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
		// An agent that was told to end may still be ending.
		if cp.Process.PID != 0 && b.opts.Alive(cp.Process) {
			start.Living = append(start.Living, cp.Process)
		}
		if waits[cp.RequestID] {
			continue
		}
		r, err := b.store.Request(ctx, cp.RequestID)
		switch {
		case errors.Is(err, broker.ErrTampered), errors.Is(err, broker.ErrNotFound): // one for which the log does not vouch has no answer
			b.opts.Log.WarnContext(ctx, "a call that was put off was left out", "request_id", cp.RequestID, "err", err)
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
func alarmsOnRecord(ctx context.Context, st broker.Store) (all []broker.Event, err error) {
	for after := int64(-1); ; {
		list, err := st.Events(ctx, broker.EventFilter{Console: true, Types: []string{broker.EventAlarm, broker.EventAlarmSeen}, After: after, Limit: alarmsRead})
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
	// A list tells what the rows say; the second look below has the log vouch for each.
	list, err := b.store.Requests(ctx, broker.RequestFilter{Late: true, Decided: true, Since: time.Now().Add(-b.opts.LateFor), Limit: lateLoaded})
	if err != nil {
		return nil, fmt.Errorf("load late calls: %w", err)
	}
	for _, r := range slices.Backward(list) {
		r, err := b.store.Request(ctx, r.ID) // which asks the log, too
		if err != nil || r.Outcome == nil {
			b.opts.Log.WarnContext(ctx, "a late call was left out", "request_id", r.ID, "err", err)
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
				b.Refresh(id)
			}
		})
	}
	for _, r := range b.view.Snapshot(time.Now()).Requests {
		calls <- r.ID
	}
	close(calls)
	wg.Wait()
}

// Close ends the background work, every Watch and every stream of the feed. Pending requests stay pending in the store:
// their hooks find them again at the next broker.
func (b *Broker) Close() error {
	b.feed.Close()
	b.loop.Do(engine.Closing{})
	b.stop()
	b.wg.Wait()
	return nil
}

// world hears of the engine's effects.
type world struct{ b *Broker }

// Answered wakes those who wait for a call. The loop calls it, so it must not wait itself.
func (w world) Answered(id string) {
	w.b.callEnded(id)
	w.b.CallChanged(id)
}

// Moved wakes the same peers: they are told the later deadline.
func (w world) Moved(id string) { w.b.CallChanged(id) }

// SessionChanged wakes the session's runner, which asks for its orders.
func (w world) SessionChanged(id string) { w.b.SessionChanged(id) }

// Released has the feed look at what was recorded.
func (w world) Released() { w.b.feed.Committed() }

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

// Watch returns all that is, and a channel of what changes from then on. The channel is closed when
// ctx ends, the broker closes, or the reader falls behind: the reader calls Watch again.
func (b *Broker) Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update) {
	return b.loop.Watch(ctx)
}

// now is the moment as it is recorded.
func now() time.Time { return broker.Instant(time.Now()) }
