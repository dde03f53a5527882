package engine

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

const (
	maxRound   = 256                    // inputs that share one transaction
	recordTime = 10 * time.Second       // the longest a round may take to be recorded
	failedTime = time.Second            // the same while the store is known to fail
	stall      = 500 * time.Millisecond // a round that takes longer counts as a time in which nobody could be heard
)

// Recorder is where changes are recorded.
type Recorder interface {
	// Record applies all changes in one transaction, in order, or nothing. It returns when
	// that is durable: on the disk itself when one of them wants it. A *broker.ChangeError
	// says that one of them is at fault; after any other error nobody knows what is recorded.
	Record(ctx context.Context, changes ...*broker.Change) error
}

// World is what hears of effects, beside those who sent an input and those who watch. Its
// methods are called by the loop, one after the other, and must not wait.
type World interface {
	Answered(id string)           // those who wait for the call are to look
	Moved(id string)              // its deadline moved: who does not know of it is to be told
	SessionChanged(id string)     // its runner may have something to do
	StartRunner(s broker.Session) // a runner is to be started for it
	Released()                    // all that was recorded up to now holds, and those who wait were told
}

// Loop is the one goroutine that owns a State.
type Loop struct {
	state  *State
	view   View
	store  Recorder
	world  World
	log    *slog.Logger
	queue  chan job
	ended  chan struct{}
	timers timers

	watchers map[chan broker.Update]bool // guarded by view.mu
}

// job is an input with the one who waits for its reply; nobody may.
type job struct {
	in    Input
	reply chan *Reply
}

// NewLoop returns a loop over a state that was restored, with these effects. Run runs it.
func NewLoop(s *State, restored []Effect, store Recorder, world World, log *slog.Logger) *Loop {
	l := &Loop{
		state: s, view: View{state: s}, store: store, world: world, log: log,
		queue: make(chan job, maxRound), ended: make(chan struct{}), watchers: map[chan broker.Update]bool{},
	}
	for _, e := range restored {
		if t, ok := e.(Timer); ok {
			heap.Push(&l.timers, t)
		}
	}
	return l
}

// View is the state as others may read it.
func (l *Loop) View() *View { return &l.view }

// Do sends in, and returns its reply once that may be told, or ErrClosed after the loop has ended.
func (l *Loop) Do(in Input) Reply {
	j := job{in, make(chan *Reply, 1)}
	select {
	case l.queue <- j:
	case <-l.ended:
		return Reply{Err: broker.ErrClosed}
	}
	select {
	case r := <-j.reply:
		return *r
	case <-l.ended:
		select {
		case r := <-j.reply:
			return *r
		default:
			return Reply{Err: broker.ErrClosed}
		}
	}
}

// Tell sends in and waits for nothing.
func (l *Loop) Tell(in Input) {
	select {
	case l.queue <- job{in: in}:
	case <-l.ended:
	}
}

// Run takes inputs until ctx ends, and then those that are queued.
func (l *Loop) Run(ctx context.Context) {
	defer close(l.ended)
	for {
		jobs := l.gather(ctx)
		if len(jobs) == 0 {
			return
		}
		began := time.Now()
		if l.round(ctx, began, jobs); time.Since(began) > stall {
			_, effects := l.state.Step(time.Now(), stalled{})
			l.release([]*step{{effects: effects}})
		}
	}
}

// Round takes one round of inputs at a time that the caller chooses, and returns their replies.
// It is for a caller that is the loop itself, such as the simulator.
func (l *Loop) Round(ctx context.Context, now time.Time, inputs ...Input) []Reply {
	jobs := l.due(now)
	from := len(jobs)
	for _, in := range inputs {
		jobs = append(jobs, job{in, make(chan *Reply, 1)})
	}
	l.round(ctx, now, jobs)
	replies := make([]Reply, 0, len(inputs))
	for _, j := range jobs[from:] {
		replies = append(replies, *<-j.reply)
	}
	return replies
}

// NextTimer is when the earliest timer fires; false when there is none.
func (l *Loop) NextTimer() (time.Time, bool) {
	if l.timers.Len() == 0 {
		return time.Time{}, false
	}
	return l.timers[0].At, true
}

// due takes out the timers whose time has come.
func (l *Loop) due(now time.Time) []job {
	var jobs []job
	for l.timers.Len() > 0 && !now.Before(l.timers[0].At) {
		t, _ := heap.Pop(&l.timers).(Timer)
		jobs = append(jobs, job{in: Due{t.ID}})
	}
	return jobs
}

// gather waits for a first input, or for a timer, and takes what is queued behind it. There is
// none only when ctx has ended.
func (l *Loop) gather(ctx context.Context) []job {
	var jobs []job
	var fires <-chan time.Time
	if at, ok := l.NextTimer(); ok {
		t := time.NewTimer(time.Until(at))
		defer t.Stop()
		fires = t.C
	}
	select {
	case j := <-l.queue:
		jobs = append(jobs, j)
	case <-fires:
	case <-ctx.Done():
	}
	jobs = append(jobs, l.due(time.Now())...)
	// Those whom the last round released are about to send again: to let them run once or
	// twice costs a microsecond and saves a sync for each.
	for range 3 {
		n := len(jobs)
		for range min(len(l.queue), maxRound-n) { // nobody else takes from it
			jobs = append(jobs, <-l.queue)
		}
		if len(jobs) == n && n > 1 || len(jobs) >= maxRound {
			break
		}
		runtime.Gosched()
	}
	return jobs
}

// step is what one input of a round came to.
type step struct {
	job
	change  broker.Change
	effects []Effect
}

// round steps jobs, records what they change, and releases their effects.
func (l *Loop) round(ctx context.Context, now time.Time, jobs []job) {
	for len(jobs) > 0 {
		steps, broken := l.stepAll(now, jobs)
		if broken >= 0 {
			l.state.Undo()
			jobs[broken].answer(&Reply{Err: ErrBroken})
			jobs = slices.Concat(jobs[:broken], jobs[broken+1:])
			continue
		}
		var list []*broker.Change
		for _, st := range steps {
			if !st.change.Empty() {
				list = append(list, &st.change)
			}
		}
		var err error
		if len(list) > 0 {
			err = l.record(ctx, list)
		}
		if err == nil {
			l.release(steps)
			return
		}
		doubt := StoreFailed{err.Error(), l.state.sessions.Changed(), l.state.calls.Changed(), l.state.begun()}
		l.state.Undo()
		var fault *broker.ChangeError
		if errors.As(err, &fault) && fault.Index < len(list) {
			at := slices.IndexFunc(steps, func(st *step) bool { return &st.change == list[fault.Index] })
			l.release([]*step{l.alone(now, jobs[at], true, fault.Err)})
			jobs = slices.Concat(jobs[:at], jobs[at+1:])
			continue
		}
		l.log.Error("not recorded", "inputs", len(jobs), "err", err)
		if broker.StoreFailed(err) {
			_, effects := l.state.Step(now, doubt)
			l.release([]*step{{effects: effects}})
		}
		for _, st := range steps {
			l.release([]*step{l.alone(now, st.job, !st.change.Empty(), err)})
		}
		return
	}
}

// ErrBroken means that an input panicked. Nothing of it holds.
var ErrBroken = errors.New("the broker failed on this input")

// stepAll steps all jobs. broken is the index of one that panicked, -1 when none did.
func (l *Loop) stepAll(now time.Time, jobs []job) (steps []*step, broken int) {
	defer func() {
		if v := recover(); v != nil {
			l.log.Error("an input panicked", "input", fmt.Sprintf("%T", jobs[len(steps)].in), "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			broken = len(steps)
		}
	}()
	for _, j := range jobs {
		change, effects := l.state.Step(now, j.in)
		steps = append(steps, &step{j, change, effects})
	}
	return steps, -1
}

// alone is what becomes of one input of a round that could not be recorded. One that needed no
// record, and needs none now, takes its course.
func (l *Loop) alone(now time.Time, j job, changes bool, cause error) *step {
	if !changes {
		change, effects := l.state.Step(now, j.in)
		if change.Empty() {
			return &step{job: j, effects: effects}
		}
		l.state.Undo()
	}
	if _, is := j.in.(Insert); is && !broker.StoreFailed(cause) { // the store has the call from an earlier life
		return &step{job: j, effects: []Effect{&Reply{Err: cause}}}
	}
	return &step{job: j, effects: l.state.Unrecorded(now, j.in, cause)}
}

func (l *Loop) record(ctx context.Context, list []*broker.Change) error {
	limit := recordTime
	if l.state.kept.now.health.StoreErr != "" {
		limit = failedTime
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	return l.store.Record(ctx, list...)
}

func (j job) answer(r *Reply) {
	if j.reply != nil {
		j.reply <- r
	}
}

// release makes what was stepped hold, and tells the world of it: first those who watch, then
// those who wait.
func (l *Loop) release(steps []*step) {
	l.view.mu.Lock()
	l.state.Keep()
	l.show(steps)
	l.view.mu.Unlock()
	for _, st := range steps {
		for _, e := range st.effects {
			switch e := e.(type) {
			case *Reply:
				st.answer(e)
			case Answered:
				l.world.Answered(e.ID)
			case Moved:
				l.world.Moved(e.ID)
			case Timer:
				heap.Push(&l.timers, e)
			case ShowSession:
				l.world.SessionChanged(e.ID)
			case Wake:
				l.world.StartRunner(e.Session)
			}
		}
	}
	l.world.Released()
}

// timers are a heap, the earliest first. One that is no longer wanted is found to be so when it
// fires.
type timers []Timer

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].At.Before(t[j].At) }
func (t timers) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *timers) Push(x any)        { *t = append(*t, x.(Timer)) } //nolint:forcetypeassert // heap's own interface
func (t *timers) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// watchBuffer is how many updates a watcher may lag behind: the denial of a few thousand calls
// at once still fits.
const watchBuffer = 1 << 14

// Watch returns everything that is, and a channel of what changes from then on. The channel is
// closed when ctx ends, the loop ends, or the reader falls behind.
func (l *Loop) Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update) {
	w := make(chan broker.Update, watchBuffer)
	l.view.mu.Lock()
	defer l.view.mu.Unlock()
	snap := l.state.kept.snapshot(time.Now())
	if l.state.kept.now.closed {
		close(w)
		return snap, w
	}
	l.watchers[w] = true
	context.AfterFunc(ctx, func() {
		l.view.mu.Lock()
		defer l.view.mu.Unlock()
		l.drop(w)
	})
	return snap, w
}

// drop closes w, once. Caller holds view.mu.
func (l *Loop) drop(w chan broker.Update) {
	if l.watchers[w] {
		delete(l.watchers, w)
		close(w)
	}
}

// show tells watchers what changed: each call as often as it did, everything else once. Caller
// holds view.mu.
func (l *Loop) show(steps []*step) {
	if len(l.watchers) == 0 {
		return
	}
	seen := map[string]bool{}
	var order []string
	health, ruleBook, anew := false, false, l.state.kept.now.closed
	for _, st := range steps {
		for _, e := range st.effects {
			switch e := e.(type) {
			case ShowCall:
				l.publish(broker.Update{Request: e.Call})
			case ShowSession:
				if !seen[e.ID] {
					seen[e.ID] = true
					order = append(order, e.ID)
				}
			case ShowHealth:
				health = true
			case ShowRules:
				ruleBook = true
			case ShowRefused:
				l.publish(broker.Update{Refused: &e.Refused})
			case ShowAnew:
				anew = true
			}
		}
	}
	for _, id := range order {
		if se := l.state.kept.session(id); se != nil && se.known() {
			l.publish(broker.Update{Session: new(se.view())})
		}
	}
	if health {
		l.publish(broker.Update{Health: new(l.state.kept.now.health)})
	}
	if ruleBook {
		l.publish(broker.Update{Rules: new(l.state.kept.book.Shown(l.state.kept.now.rules.Problem()))})
	}
	if anew {
		for w := range l.watchers {
			l.drop(w)
		}
	}
}

// publish hands u to every watcher; one that is full is dropped and will ask for a new
// snapshot. Caller holds view.mu, which keeps updates in order.
func (l *Loop) publish(u broker.Update) {
	for w := range l.watchers {
		select {
		case w <- u:
		default:
			l.drop(w)
		}
	}
}
