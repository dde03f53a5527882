package feed_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/feed"
)

// world is what a feed reads from, and a server that serves it over pipes. All of it may live in a
// bubble of synctest.
type world struct {
	t *testing.T // of the bubble
	f *feed.Feed

	mu       sync.Mutex
	log      []broker.Event
	archived map[int64]bool
	sessions []broker.Session
	pending  []broker.Request
	watchers []chan broker.Update
	most     int
	meantime func() // happens once, while the sessions are listed

	conns chan net.Conn
	down  bool
	still bool
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	w := &world{archived: map[int64]bool{}, most: 1 << 10, still: true, conns: make(chan net.Conn)}
	w.f = feed.New(feed.Options{
		Log: w, Records: w, Watch: w.watch, Most: func() int { return w.most }, Logger: slog.New(slog.DiscardHandler),
		View: func(s broker.Session) any { return map[string]any{"id": s.ID, "state": s.State} },
	})
	srv := &http.Server{Handler: http.HandlerFunc(w.serve)}
	go func() { _ = srv.Serve(listener{w.conns, make(chan struct{})}) }()
	tb.Cleanup(func() {
		w.f.Close()
		_ = srv.Close()
	})
	return w
}

func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	still := func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.still }
	var err error
	if r.URL.Path == "/ws" {
		err = w.f.Socket(rw, r, still)
	} else {
		var wish feed.Wish
		if wish, err = feed.WishOf(r); err == nil {
			wish.Still = still
			err = w.f.Stream(rw, r, wish)
		}
	}
	if err != nil {
		http.Error(rw, err.Error(), http.StatusServiceUnavailable)
	}
}

// listener accepts the pipes of clients.
type listener struct {
	conns chan net.Conn
	ended chan struct{}
}

func (l listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}
func (l listener) Close() error   { close(l.ended); return nil }
func (l listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// client dials the world, and hangs up for good when a request is over.
func (w *world) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		w.mu.Lock()
		down := w.down
		w.mu.Unlock()
		if down {
			return nil, net.ErrClosed
		}
		here, there := net.Pipe()
		w.conns <- there
		return here, nil
	}}}
}

// Events and the others are what the feed sees of the world. Events lists as a store does.
func (w *world) Events(_ context.Context, f broker.EventFilter) ([]broker.Event, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.After == 0 {
		return nil, fmt.Errorf("the newest are asked for")
	}
	var list []broker.Event
	for i := max(f.After, 0); i < int64(len(w.log)) && len(list) < f.Limit; i++ {
		if !w.archived[w.log[i].Seq] {
			list = append(list, w.log[i])
		}
	}
	return list, nil
}

func (w *world) Head() (int64, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return int64(len(w.log)), ""
}

func (w *world) Sessions(context.Context) ([]broker.Session, error) {
	w.mu.Lock()
	if f := w.meantime; f != nil {
		w.meantime = nil
		w.mu.Unlock()
		f()
		w.mu.Lock()
	}
	defer w.mu.Unlock()
	return slices.Clone(w.sessions), nil
}

func (w *world) Request(_ context.Context, id string) (broker.Request, error) {
	for _, r := range w.Pending("") {
		if r.ID == id {
			return r, nil
		}
	}
	return broker.Request{}, broker.ErrNotFound
}

func (w *world) Pending(string) []broker.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.pending)
}

func (w *world) watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := make(chan broker.Update, 1<<10)
	w.watchers = append(w.watchers, c)
	context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if at := slices.Index(w.watchers, c); at >= 0 {
			w.watchers = slices.Delete(w.watchers, at, at+1)
			close(c)
		}
	})
	return broker.Snapshot{Sessions: slices.Clone(w.sessions)}, c
}

// happen records events of session s, and says so.
func (w *world) happen(types ...string) { w.happenIn("s", nil, types...) }

func (w *world) happenIn(session string, data any, types ...string) {
	raw, _ := json.Marshal(data)
	w.mu.Lock()
	for _, t := range types {
		e := broker.Event{Seq: int64(len(w.log)) + 1, At: time.Now().UTC(), Type: t, SessionID: session, Hash: "00"}
		if data != nil {
			e.Data = raw
		}
		w.log = append(w.log, e)
	}
	w.mu.Unlock()
	w.f.Committed()
}

// ask has a call wait.
func (w *world) ask(id, tool string) {
	w.mu.Lock()
	now := time.Now().UTC()
	r := broker.Request{ID: id, SessionID: "s", Agent: "claude", ToolName: tool, ToolInput: json.RawMessage(`{"command":"make"}`), CreatedAt: now, ExpiresAt: now.Add(time.Minute), State: broker.Pending}
	w.pending = append(w.pending, r)
	raw, _ := json.Marshal(broker.CreatedDataOf(&r))
	w.log = append(w.log, broker.Event{Seq: int64(len(w.log)) + 1, At: now, Type: broker.EventRequestCreated, SessionID: "s", RequestID: id, Data: raw, Hash: "00"})
	w.mu.Unlock()
	w.f.Committed()
}

// change has a session change; it is new when it was not there.
func (w *world) change(id string, state broker.SessionState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := broker.Session{ID: id, State: state}
	w.sessions = append(slices.DeleteFunc(w.sessions, func(o broker.Session) bool { return o.ID == id }), s)
	for _, c := range w.watchers {
		c <- broker.Update{Session: &s}
	}
}

// remove has a person remove a session.
func (w *world) remove(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions = slices.DeleteFunc(w.sessions, func(o broker.Session) bool { return o.ID == id })
	s := broker.Session{ID: id, State: broker.SessionFinished, SessionMarks: broker.SessionMarks{Archived: true}}
	for _, c := range w.watchers {
		c <- broker.Update{Session: &s}
	}
}

// message is one event of a stream, as a browser reads it.
type message struct {
	id   int64 // the newest id that was said
	name string
	data string // empty when only an id was said
}

// reader reads a stream.
type reader struct {
	text *bufio.Reader
	hang func() // up
	id   int64
}

// open begins a stream. With after below 0 it does not say where it goes on.
func (w *world) open(tb testing.TB, query string, after int64) *reader {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://aoctl/events/stream?"+query, nil)
	if err != nil {
		tb.Fatal(err)
	}
	if after >= 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(after, 10))
	}
	resp, err := w.client().Do(req) //nolint:bodyclose // hang closes it
	if err != nil {
		tb.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		text, _ := io.ReadAll(resp.Body)
		tb.Fatalf("%s, %s: %s", resp.Status, resp.Header.Get("Content-Type"), text)
	}
	return &reader{text: bufio.NewReader(resp.Body), hang: func() { cancel(); _ = resp.Body.Close() }, id: max(after, 0)}
}

// next is the next event, or the next block that only says an id; false at the end. Comments are
// passed over.
func (r *reader) next() (m message, ok bool) {
	said := false
	for {
		line, err := r.text.ReadString('\n')
		if err != nil {
			return m, false
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			r.id, _ = strconv.ParseInt(value, 10, 64)
			said = true
		case "event":
			m.name = value
		case "data":
			m.data = value
		case "":
			if said || m.data != "" {
				m.id = r.id
				return m, true
			}
		}
	}
}

// event is the next event with data.
func (r *reader) event() (message, bool) {
	for {
		if m, ok := r.next(); !ok || m.data != "" {
			return m, ok
		}
	}
}

// bubble runs test with a clock of its own. The server's goroutines are over when it ends.
func bubble(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.t = t
		test(w)
	})
}
