package feed

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
)

const (
	// eventsRead is how many events are read from the store at a time. Each may have a mebibyte.
	eventsRead = 64
	// pace is how long the tail waits after it read something. What is recorded meanwhile is told
	// together: one write for each reader in place of one for each event.
	pace = 10 * time.Millisecond
	// pollEvery is for what nobody says, such as a round whose outcome was unknown and that was
	// recorded after all.
	pollEvery = time.Second
	// listEvery is how often the list of sessions is compared with what was told of it. A session
	// leaves the list without a word when it is archived or when many newer ones came.
	listEvery = 30 * time.Second
)

// tail follows the log and the sessions, and puts what it finds into its ring.
type tail struct {
	*ring
	o      *Options
	wake   chan struct{}
	cancel context.CancelFunc
	done   sync.WaitGroup

	told map[string]bool // ids of sessions that readers know; only the tail's goroutine uses it
}

func newTail(o *Options) *tail {
	head, _ := o.Log.Head()
	return &tail{ring: newRing(head), o: o, wake: make(chan struct{}, 1), told: map[string]bool{}}
}

func (t *tail) nudge() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// start watches before it returns, so that what changes from now on is heard.
func (t *tail) start() {
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	_, updates := t.o.Watch(ctx)
	t.done.Go(func() { t.run(ctx, updates) })
}

func (t *tail) stop() {
	t.cancel()
	t.done.Wait()
}

// run reads until ctx ends. A watch that was closed, because the tail lagged or a session was
// forgotten, is begun again at the next poll; the list then shows what was missed.
func (t *tail) run(ctx context.Context, updates <-chan broker.Update) {
	poll, list := time.NewTicker(pollEvery), time.NewTicker(listEvery)
	defer poll.Stop()
	defer list.Stop()
	t.compare(ctx)
	for ctx.Err() == nil {
		if t.read(ctx) {
			pause(ctx, pace)
		}
		select {
		case <-ctx.Done():
		case <-t.wake:
		case <-poll.C:
			if updates == nil {
				var snap broker.Snapshot
				snap, updates = t.o.Watch(ctx)
				t.sessions(snap.Sessions)
			}
		case <-list.C:
			t.compare(ctx)
		case u, ok := <-updates:
			if updates = t.gather(u, ok, updates); updates == nil {
				t.compare(ctx)
			}
		}
	}
}

// gather tells of u and of all that is queued behind it, each session once. When the watch has
// ended it returns nil.
func (t *tail) gather(u broker.Update, ok bool, updates <-chan broker.Update) <-chan broker.Update {
	newest := map[string]*broker.Session{}
	for n := len(updates); ok; n-- {
		if u.Session != nil {
			newest[u.Session.ID] = u.Session
		}
		if n <= 0 {
			break
		}
		u, ok = <-updates
	}
	for _, id := range slices.Sorted(maps.Keys(newest)) {
		t.sessions([]broker.Session{*newest[id]})
	}
	if !ok {
		return nil
	}
	return updates
}

// read puts new events into the ring, and reports whether there were any.
func (t *tail) read(ctx context.Context) (any bool) {
	for {
		_, after := t.end()
		if head, _ := t.o.Log.Head(); head <= after {
			return any
		}
		list, err := eventsAfter(ctx, t.o.Log, after)
		if err != nil {
			if ctx.Err() == nil {
				t.o.Logger.WarnContext(ctx, "the feed cannot read the log", "err", err)
			}
			return any
		}
		t.put(t.withMessages(ctx, list)...)
		if any = any || len(list) > 0; len(list) < eventsRead {
			return any
		}
	}
}

// withMessages adds, behind an event, the message that a WebSocket has for it.
func (t *tail) withMessages(ctx context.Context, list []*entry) (all []*entry) {
	for _, e := range list {
		all = append(all, e)
		switch e.event {
		case broker.EventStopRequested:
			all = append(all, &entry{seq: e.seq, session: e.session, whole: encoded(sessionMessage{Type: "session_stopping", SessionID: e.session})})
		case broker.EventRequestCreated:
			// One that was decided meanwhile asks nobody any more.
			if r, err := t.o.Records.Request(ctx, e.request); err == nil && r.State == broker.Pending {
				all = append(all, &entry{seq: e.seq, session: e.session, request: r.ID, whole: encoded(approvalOf(r))})
			}
		}
	}
	return all
}

// sessions tells of sessions as they are now.
func (t *tail) sessions(list []broker.Session) {
	_, seq := t.end()
	for i := range list {
		if list[i].Removed() {
			t.left(seq, list[i].ID)
			continue
		}
		t.told[list[i].ID] = true
		t.put(&entry{seq: seq, session: list[i].ID, whole: encoded(sessionMessage{Type: "session_updated", Session: t.o.View(list[i])})})
	}
}

// compare tells which sessions have left the list. What was told of a session had been recorded
// before, so it is in the list if it belongs there.
func (t *tail) compare(ctx context.Context) {
	list, err := t.o.Records.Sessions(ctx)
	if err != nil {
		return // it is looked at again soon
	}
	now := map[string]bool{}
	for i := range list {
		now[list[i].ID] = true
	}
	_, seq := t.end()
	for _, id := range slices.Sorted(maps.Keys(t.told)) {
		if !now[id] {
			t.left(seq, id)
		}
	}
	t.told = now
}

// left tells that a session has left the list.
func (t *tail) left(seq int64, id string) {
	t.put(&entry{seq: seq, session: id, whole: encoded(sessionMessage{Type: "session_deleted", SessionID: id})})
	delete(t.told, id)
}

// eventsAfter reads the next events behind number after. Where numbers are missing, events were
// archived, and an entry says so.
func eventsAfter(ctx context.Context, log Log, after int64) (all []*entry, err error) {
	f := broker.EventFilter{After: after, Limit: eventsRead}
	if after == 0 {
		f.After = -1 // 0 would list the newest first
	}
	list, err := log.Events(ctx, f)
	for i := range list {
		e := &list[i]
		if e.Seq > after+1 {
			all = append(all, archived(after+1, e.Seq-1))
		}
		after = e.Seq
		all = append(all, entryOf(e))
	}
	return all, err
}

// entryOf is e as it is told. An event of no session has a number, and nothing else is told of it.
func entryOf(e *broker.Event) *entry {
	en := &entry{seq: e.Seq, event: e.Type, session: e.SessionID, request: e.RequestID}
	if e.SessionID != "" {
		en.say(NameOf(*e), e)
	}
	return en
}

// say makes the text of an event once for all readers: what a stream sends is a part of what a
// WebSocket sends.
func (e *entry) say(name string, event any) {
	before := append(append([]byte(`{"type":"event","name":`), encoded(name)...), `,"event":`...)
	e.name, e.whole = name, append(append(before, encoded(event)...), '}')
	e.json = e.whole[len(before) : len(e.whole)-1]
}

// archived stands for events that are no longer in the database.
func archived(from, to int64) *entry {
	e := &entry{seq: to, event: EventsArchived}
	e.say(EventsArchived, map[string]int64{"from": from, "to": to})
	return e
}

// encoded is v as JSON on one line. What comes from the store is valid, so null stands for what
// cannot happen.
func encoded(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return raw
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
