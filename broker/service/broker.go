package service

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Broker is the state machine: the only place where a request changes state.
//
// Lock order: keeper.changing, then a session's record lock (sessionEntry.rec), then a call
// that is busy (entry.busy), then keeper.files.mu, then mu. mu covers the maps and is never held over I/O; a record lock is held while that session's row
// is written, so that rows reach the store in the order in which they were made.
type Broker struct {
	*story.Reader

	store broker.Store
	opts  Options
	log   *slog.Logger
	stop  context.CancelFunc
	wg    sync.WaitGroup

	mu          sync.Mutex
	closed      bool
	requests    map[string]*entry // pending, late and recently decided ones, by id
	byKey       map[string]*entry
	roots       roots
	recent      []string // ids of decided entries, oldest first; see forget
	pending     int
	sessions    map[string]*sessionEntry
	grants      map[grantKey]broker.Grant
	grantStamps map[string]string // by grant: of the call's files when it was allowed; none for an earlier console's
	watchers    map[*watcher]struct{}
	health      broker.Health
	unsaved     map[string]broker.Outcome // ends that the store could not take yet, by request id
	failures    int                       // commits that failed because of the store
	draining    bool                      // held polls answer at once
	parkedNow   sync.WaitGroup
	alarms      alarms
	aside       map[string]string // by digest: why a call is not parsed; not changed once the broker runs
	guarded     []string          // Options.Guarded as the disk had them at the start
	home        string            // the user's home folder; "" when there is none
	turn        chan struct{}     // one token for each call that is being recorded
	conns       conns             // of all listeners
	tcpConns    conns             // those among them that come over TCP
	keeper      rulekeeper
	history     pastCalls
	deadlines   deadlines
	newcomers   bucket // of sessions that were not known
	floods      map[floodKey]*flood
	observing   bool                 // nothing is held, in any session
	freezes     map[string]*freeze   // by session id; "" is that of all
	unheard     map[string]time.Time // since when calls are allowed whose asker was not told yet, by id
	withheld    map[string]struct{}  // ids of calls that were allowed and whose answer a freeze keeps back
	agentRuns   map[int]agentRun
	strays      map[string]string // calls whose being put off may have been recorded although nobody was told: request to session
	refusals    refusals
	nonces      nonces
	slow        chan struct{} // one token for each peer that waits for a no
	resumes     atomic.Bool   // resumeAnswered is under way
	rereading   atomic.Bool   // reread is under way
	watching    settingsWatch // of settings files
	capped      bool          // the operator chose ApprovalTimeout, so no asker may take longer
}

// entry is one request in memory. All fields are guarded by Broker.mu, but for
// done and tried, which may be waited on by anybody.
type entry struct {
	req       broker.Request
	saved     bool           // its row is in the store; not before may it be decided
	claimed   bool           // somebody is recording its end
	passing   bool           // and that end is one that a freeze would have kept it from
	unjudged  bool           // a freeze held it when it was asked, so no rule has spoken
	done      chan struct{}  // closed once req.State is terminal
	tried     chan struct{}  // closed once saving the row was tried: saved, or instead and failure, say what came of it
	instead   broker.Request // what the store had under the key already
	failure   error
	timer     *time.Timer
	deadline  time.Time     // monotonic; req.ExpiresAt is for the eyes and for the next start
	most      time.Time     // monotonic: when whoever asked last would leave, with more time from the operator; zero: not known
	mayMore   bool          // they said that they would wait for longer than they asked for
	bound     bool          // has an asker whose leaving cancels it
	polled    bool          // its asker has no connection of its own, but looks now and again
	again     time.Duration // how soon they said that they look again; 0: not said
	hungUp    bool          // the last of them did not wait until it was answered
	attached  int           // polls that wait for it now
	parked    []*parked     // the connections among them
	leftAt    time.Time     // when the last of them left
	lateUntil time.Time
	reported  bool               // an agent without ids of calls told that it ran
	heardEnd  bool               // a report of its end is on record; only of calls without an id
	over      string             // why its answer is not given again, once that is known here
	second    bool               // it was asked about again without an id; see takeFirst
	busy      chan struct{}      // not nil while it is being put off or taken up again; closed then
	extending chan struct{}      // not nil while it is being given more time; closed then
	taken     *broker.Checkpoint // it was put off, and waits again since its agent asked again
	heir      string             // the latest conversation that asked again for a call that was put off and has an answer
	givenAt   time.Time          // when the answer of a call that was put off was given
	// Who asked.
	agent       broker.Process
	correlation string
	headless    bool
	stamp       string // of the files that the call names, as they were when it was shown
}

// sessionEntry is one session in memory. s is guarded by Broker.mu.
type sessionEntry struct {
	rec     sync.Mutex
	s       broker.Session
	pending map[string]*entry

	deferred   map[string]*entry // calls that were put off and whose answer was not given
	putOffTurn bool              // the turn goes on in which one was
	resuming   *resumption       // the last one that was begun

	turnSeen bool            // this console saw its user speak, or the session begin
	gated    map[string]bool // tools that it has asked for since

	savedAt time.Time      // when its row was last written
	savedAs broker.Process // whose the session was in it
	asks    bucket         // of new calls
	tells   bucket         // of other events

	run runEntry
}

type grantKey struct{ session, subagent, digest string }

const (
	historyBytes  = 64 << 20         // of the inputs of a history; each may have a mebibyte
	keepDecided   = 4096             // decided requests kept in memory for re-asking hooks and late cards
	recordTimeout = 10 * time.Second // the longest an end may take to be recorded
	touchEvery    = 30 * time.Second // how stale a session's stored last-seen time may be
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
		o.Vet = trusting{}
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

// New returns a broker over st that has taken up what an earlier one left
// pending: those requests wait again, with what is left of their time. So do its late cards.
// Close releases it; the store stays the caller's.
func New(ctx context.Context, st broker.Store, opts Options) (*Broker, error) {
	capped := opts.ApprovalTimeout > 0
	opts = opts.withDefaults()
	saved, err := st.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load what was pending: %w", err)
	}
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b := &Broker{
		store: st, opts: opts, log: opts.Log, stop: cancel,
		requests: map[string]*entry{}, byKey: map[string]*entry{},
		sessions: map[string]*sessionEntry{}, grants: map[grantKey]broker.Grant{}, grantStamps: map[string]string{},
		watchers: map[*watcher]struct{}{}, unsaved: map[string]broker.Outcome{}, strays: map[string]string{},
		freezes: map[string]*freeze{}, withheld: map[string]struct{}{}, unheard: map[string]time.Time{},
		floods: map[floodKey]*flood{}, deadlines: usualDeadlines(), agentRuns: map[int]agentRun{},
		capped: capped, turn: make(chan struct{}, maxRecording), slow: make(chan struct{}, slowPeers),
		history: pastCalls{turn: make(chan struct{}, 1)}, aside: map[string]string{},
	}
	b.Reader = story.NewReader(b, st)
	b.health = broker.Health{Socket: opts.Socket} // before the first commit, which may fail and say so there
	if err = b.takeUp(ctx, &saved); err != nil {
		cancel()
		return nil, err
	}
	b.conns.limit = connLimit()
	b.tcpConns.limit = max(b.conns.limit/tcpShare, 8)
	b.opts.MaxPending = min(b.opts.MaxPending, b.conns.mayWait()) // each on a connection
	b.home = workspace.UserHome()
	for _, g := range opts.Guarded {
		b.guarded = append(b.guarded, workspace.RealPath(g))
	}
	b.health.LogSeq, b.health.LogHash = st.Head()
	b.observing, b.health.Observing = opts.Observe, opts.Observe
	b.mu.Lock()
	b.restore(saved)
	err = b.restoreFacts(saved)
	b.mu.Unlock()
	if err == nil {
		err = b.restoreAlarms(ctx)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	if err := b.restoreLate(ctx); err != nil {
		cancel()
		return nil, err
	}
	if err := b.restoreDecided(ctx, saved); err != nil {
		cancel()
		return nil, err
	}
	b.denyStopped(ctx)
	b.restamp()
	b.wg.Go(func() { b.sweep(run) })
	return b, nil
}

// restore takes up saved state. Caller holds mu.
func (b *Broker) restore(saved broker.Saved) {
	now := time.Now()
	for _, s := range saved.Sessions {
		b.sessions[s.ID] = &sessionEntry{s: s, pending: map[string]*entry{}, deferred: map[string]*entry{}, savedAt: s.LastSeenAt, savedAs: s.Process}
		b.remember(s.Process, s.ID)
		if s.Run.Running() {
			b.rememberRunner(s.Run.Runner, s.ID)
		}
	}
	for _, g := range saved.Grants {
		if now.Before(g.ExpiresAt) {
			b.grants[grantKey{g.SessionID, g.SubagentID, g.Digest}] = g
		}
	}
	putOff, extended := broker.CheckpointsOf(saved), broker.ExtensionsOf(saved)
	for _, r := range saved.Requests {
		e := &entry{req: r, saved: true, done: make(chan struct{}), tried: make(chan struct{}), bound: r.Asker.PID != 0 || r.Event != "", leftAt: now}
		close(e.tried)
		b.addEntry(e)
		if cp := putOff[r.ID]; cp != nil && !b.restorePutOff(e, cp) {
			continue
		}
		if x, ok := extended[r.ID]; ok {
			e.restoreExtended(x, e.waitsSince())
		}
		b.arm(e, e.req.ExpiresAt.Sub(now))
	}
}

// addEntry puts e in the maps. Caller holds mu.
func (b *Broker) addEntry(e *entry) {
	b.requests[e.req.ID] = e
	b.byKey[e.req.Key] = e
	if e.req.State == broker.Pending {
		b.pending++
		b.session(e.req.SessionID).pending[e.req.ID] = e
	}
}

// session returns the entry of id, made on the spot if need be. Caller holds mu.
func (b *Broker) session(id string) *sessionEntry {
	se, ok := b.sessions[id]
	if !ok {
		se = &sessionEntry{s: broker.Session{ID: id, State: broker.SessionActive, Frozen: b.held(id) != ""}, pending: map[string]*entry{}, deferred: map[string]*entry{}}
		b.sessions[id] = se
	}
	return se
}

// arm starts e's clock. Caller holds mu.
func (b *Broker) arm(e *entry, left time.Duration) {
	e.deadline = time.Now().Add(left)
	id := e.req.ID
	e.timer = time.AfterFunc(max(left, 0), func() { b.expire(id) })
}

// Close ends the background work and every Watch. Pending requests stay pending
// in the store: their hooks find them again at the next broker.
func (b *Broker) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	for _, e := range b.requests {
		if e.timer != nil {
			e.timer.Stop()
		}
	}
	for w := range b.watchers {
		b.dropWatcher(w)
	}
	pending := b.pending
	for _, se := range b.sessions {
		for _, e := range se.deferred {
			if e.req.State == broker.Pending {
				pending++
			}
		}
	}
	b.mu.Unlock()
	b.noteClosed(context.Background(), pending)
	b.stop()
	b.wg.Wait()
	b.noteFloods(context.Background(), true)
	return nil
}

// Wait returns request id once it has ended, or as it is when ctx ends first.
// While it waits, the request counts as having an asker. Errors: ErrNotFound.
func (b *Broker) Wait(ctx context.Context, id string) (broker.Request, error) {
	b.mu.Lock()
	e, ok := b.requests[id]
	if !ok {
		b.mu.Unlock()
		return b.store.Request(ctx, id)
	}
	if e.req.State.Terminal() {
		defer b.mu.Unlock()
		return e.req, nil
	}
	e.attached++
	b.mu.Unlock()

	select {
	case <-e.done:
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.attached--
	e.leftAt = time.Now()
	return e.req, nil
}

// Request returns request id from memory or the store; ErrNotFound.
func (b *Broker) Request(ctx context.Context, id string) (broker.Request, error) {
	b.mu.Lock()
	e, ok := b.requests[id]
	if ok && e.saved {
		defer b.mu.Unlock()
		return e.req, nil
	}
	b.mu.Unlock()
	return b.store.Request(ctx, id)
}

// Pending lists the waiting requests of one session, or of all for "", oldest first.
func (b *Broker) Pending(sessionID string) []broker.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []broker.Request
	for _, e := range b.requests {
		if e.req.State == broker.Pending && e.saved && (sessionID == "" || e.req.SessionID == sessionID) {
			list = append(list, e.req)
		}
	}
	broker.SortRequests(list)
	return list
}

// History lists decided requests, newest decision first; limit 0 means 1,000. There are
// fewer where their inputs are very large.
func (b *Broker) History(ctx context.Context, limit int) ([]broker.Request, error) {
	list, err := b.store.Requests(ctx, broker.RequestFilter{Decided: true, Limit: limit, MaxBytes: historyBytes})
	b.vetPast(list)
	b.markAlarms(list)
	if err == nil {
		err = b.markUnheard(ctx, list)
	}
	return list, err
}

// commit writes c and keeps the health line true. It gives up after recordTimeout,
// also when ctx ends: the one who asked may be the one who left.
func (b *Broker) commit(ctx context.Context, c *broker.Change) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := b.store.Commit(ctx, c)
	b.noteCommit(err)
	return err
}

// now is the moment as it is recorded.
func now() time.Time { return broker.Instant(time.Now()) }

// newID is an id that is larger than all made before it.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
