package feed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/aoctl/aoctl/broker"
)

// told is a message of the WebSocket, with the members of all types.
type told struct {
	Type     string `json:"type"`
	Sessions []struct {
		ID    string `json:"id"`
		State string `json:"state"`
	} `json:"sessions"`
	Name  string       `json:"name"`
	Event broker.Event `json:"event"`

	Session struct {
		ID    string `json:"id"`
		State string `json:"state"`
	} `json:"session"`
	SessionID string          `json:"session_id"`
	RequestID string          `json:"request_id"`
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
	Timeout   float64         `json:"timeout"`
	CreatedAt time.Time       `json:"created_at"`
}

// frontEnd is a front end of the kind that connects again by itself, more slowly each time, and
// keeps what it was told: sessions, waiting calls, and each event once.
type frontEnd struct {
	w        *world
	sessions map[string]string // state by id
	waiting  map[string]told
	stopping []string
	events   []int64
	doubles  int
	inits    []time.Duration // when they came
	began    time.Time
	conn     *websocket.Conn
}

// waits are how long it waits before it connects again, the last one from then on.
var waits = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second}

// follow connects until ctx ends.
func (fe *frontEnd) follow(ctx context.Context) {
	for tries := 0; ctx.Err() == nil; tries++ {
		c, _, err := websocket.Dial(ctx, "ws://aoctl/ws", &websocket.DialOptions{HTTPClient: fe.w.client()}) //nolint:bodyclose // there is none once it is a WebSocket
		if err == nil {
			c.SetReadLimit(1 << 20)
			fe.conn, tries = c, 0
			for fe.read(ctx, c) == nil {
			}
			_ = c.CloseNow()
		}
		select {
		case <-time.After(waits[min(tries, len(waits)-1)]):
		case <-ctx.Done():
		}
	}
}

func (fe *frontEnd) read(ctx context.Context, c *websocket.Conn) error {
	var m told
	if err := wsjson.Read(ctx, c, &m); err != nil {
		return err
	}
	switch m.Type {
	case "init":
		fe.sessions, fe.waiting = map[string]string{}, map[string]told{}
		for _, s := range m.Sessions {
			fe.sessions[s.ID] = s.State
		}
		fe.inits = append(fe.inits, time.Since(fe.began))
	case "event":
		if slices.Contains(fe.events, m.Event.Seq) {
			fe.doubles++
			return nil
		}
		fe.events = append(fe.events, m.Event.Seq)
	case "session_updated":
		fe.sessions[m.Session.ID] = m.Session.State
	case "session_deleted":
		delete(fe.sessions, m.SessionID)
	case "session_stopping":
		fe.stopping = append(fe.stopping, m.SessionID)
	case "approval_request":
		if _, twice := fe.waiting[m.RequestID]; twice {
			fe.doubles++
		}
		fe.waiting[m.RequestID] = m
	}
	return nil
}

// withFrontEnd is bubble with a front end that follows.
func withFrontEnd(t *testing.T, before func(*world), test func(w *world, fe *frontEnd)) {
	t.Helper()
	bubble(t, func(w *world) {
		t := w.t
		before(w)
		fe := &frontEnd{w: w, began: time.Now()}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); fe.follow(ctx) }()
		defer func() { cancel(); <-done }()
		synctest.Wait()
		test(w, fe)
	})
}

// settle lets everything that is due happen.
func settle(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestSocketTellsWhatIsAndWhatHappens(t *testing.T) {
	withFrontEnd(t, func(w *world) {
		w.change("s", broker.SessionActive)
		w.ask("r-1", "Bash")
	}, func(w *world, fe *frontEnd) {
		t := w.t
		settle(time.Second)
		if fmt.Sprint(fe.sessions) != "map[s:active]" || len(fe.events) != 0 || len(fe.waiting) != 1 {
			t.Fatalf("at the beginning: %+v", fe)
		}
		if m := fe.waiting["r-1"]; m.SessionID != "s" || m.ToolName != "Bash" || string(m.ToolInput) != `{"command":"make"}` || m.Timeout != 60 || !m.CreatedAt.Equal(fe.began) {
			t.Errorf("the waiting call: %+v", m)
		}
		w.change("s", broker.SessionStopping)
		w.change("s2", broker.SessionIdle)
		w.happen(broker.EventStopRequested, broker.EventTurnEnd)
		w.happenIn("", nil, broker.EventTokenMinted)
		w.ask("r-2", "Edit")
		settle(time.Second)
		if fmt.Sprint(fe.sessions) != "map[s:stopping s2:idle]" || fmt.Sprint(fe.events) != "[2 3 5]" || fmt.Sprint(fe.stopping) != "[s]" ||
			fmt.Sprint(slices.Sorted(maps.Keys(fe.waiting))) != "[r-1 r-2]" || fe.doubles != 0 {
			t.Errorf("then: %+v", fe)
		}
		// A session leaves the list without a word.
		w.mu.Lock()
		w.sessions = w.sessions[1:]
		w.mu.Unlock()
		settle(30 * time.Second)
		if fmt.Sprint(fe.sessions) != "map[s2:idle]" {
			t.Errorf("at the end: %v", fe.sessions)
		}
	})
}

// A call that is asked while a client is told how things stand is told once.
func TestCallOfTheMeantimeIsToldOnce(t *testing.T) {
	withFrontEnd(t, func(*world) {}, func(w *world, fe *frontEnd) {
		t := w.t
		w.mu.Lock()
		w.meantime = func() {
			w.ask("r-1", "Bash")
			settle(time.Second)
		}
		w.mu.Unlock()
		_ = fe.conn.CloseNow() // it comes again
		other := w.open(t, "", -1)
		defer other.hang()
		settle(5 * time.Second)
		if len(fe.inits) != 2 || len(fe.waiting) != 1 || fe.doubles != 0 || fmt.Sprint(fe.events) != "[1]" {
			t.Errorf("%+v", fe)
		}
	})
}

// The console goes away for a while, twice; the front end comes again after 1, 2, 4, 8, 16 and 30 s,
// and has each event once that was told while it was there.
func TestFrontEndComesAgain(t *testing.T) {
	withFrontEnd(t, func(w *world) { w.happen("message") }, func(w *world, fe *frontEnd) {
		t := w.t
		cut := func() { w.mu.Lock(); w.down = true; w.mu.Unlock(); _ = fe.conn.CloseNow() }
		back := func() { w.mu.Lock(); w.down = false; w.mu.Unlock() }
		w.happen("message", "message")
		settle(time.Second)
		cut()                    // at 1 s; it tries at 2, 4, 8, 16, 32, 62, 92
		settle(89 * time.Second) // 90 s
		w.happen("message")
		w.change("new", broker.SessionIdle)
		back()
		settle(10 * time.Second) // it is there at 92 s
		w.happen("message", "message")
		settle(time.Second) // 101 s
		cut()
		back()
		settle(2 * time.Second)
		w.happen("message")
		settle(time.Second)
		if fmt.Sprint(fe.inits) != "[0s 1m32s 1m42s]" || fmt.Sprint(fe.events) != "[2 3 5 6 7]" || fe.doubles != 0 || fmt.Sprint(fe.sessions) != "map[new:idle]" {
			t.Errorf("%+v", fe)
		}
	})
}

// A client that answers pings stays, whatever else it says; one that does not read is cut off.
func TestSocketOfSlowClientIsClosed(t *testing.T) {
	withFrontEnd(t, func(*world) {}, func(w *world, fe *frontEnd) {
		t := w.t
		for range 10 {
			if err := fe.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"decide","decision":"allow"}`)); err != nil {
				t.Fatal(err)
			}
			settle(31 * time.Second)
		}
		if len(fe.inits) != 1 {
			t.Fatalf("%v", fe.inits)
		}
		slow, _, err := websocket.Dial(t.Context(), "ws://aoctl/ws", &websocket.DialOptions{HTTPClient: w.client()}) //nolint:bodyclose // there is none once it is a WebSocket
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = slow.CloseNow() }()
		settle(time.Second)
		if w.f.Readers() != 2 {
			t.Fatal("two should read")
		}
		settle(10 * time.Second)
		if w.f.Readers() != 1 || len(fe.inits) != 1 {
			t.Errorf("%d read, %v", w.f.Readers(), fe.inits)
		}
	})
}

// More than a little from a client ends its connection.
func TestSocketTakesLittle(t *testing.T) {
	withFrontEnd(t, func(*world) {}, func(w *world, fe *frontEnd) {
		t := w.t
		_ = fe.conn.Write(t.Context(), websocket.MessageText, []byte(strings.Repeat("x", 5000)))
		settle(2 * time.Second)
		if len(fe.inits) != 2 {
			t.Errorf("%v", fe.inits)
		}
	})
}

func TestCloseEndsSockets(t *testing.T) {
	withFrontEnd(t, func(*world) {}, func(w *world, fe *frontEnd) {
		t := w.t
		w.f.Close()
		synctest.Wait()
		if w.f.Readers() != 0 {
			t.Error("it still reads")
		}
	})
}

// A client that does not answer a close is cut off soon.
func TestCloseWaitsForNoSocket(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		c, _, err := websocket.Dial(t.Context(), "ws://aoctl/ws", &websocket.DialOptions{HTTPClient: w.client()}) //nolint:bodyclose // there is none once it is a WebSocket
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.CloseNow() }()
		if _, _, err := c.Read(t.Context()); err != nil { // the init
			t.Fatal(err)
		}
		synctest.Wait()
		w.f.Close()
		settle(time.Second)
		if w.f.Readers() != 0 {
			t.Error("it still reads")
		}
	})
}

func TestRevokedTokenEndsSocket(t *testing.T) {
	withFrontEnd(t, func(*world) {}, func(w *world, fe *frontEnd) {
		t := w.t
		w.mu.Lock()
		w.still = false
		w.mu.Unlock()
		w.happenIn("", nil, broker.EventTokenRevoked)
		w.happen("message")
		settle(500 * time.Millisecond)
		if w.f.Readers() != 0 || len(fe.events) != 0 {
			t.Errorf("%d read, %v", w.f.Readers(), fe.events)
		}
	})
}

// A session that a person removed leaves at once, also one that was there before anybody followed.
func TestRemovedSessionLeavesAtOnce(t *testing.T) {
	withFrontEnd(t, func(w *world) { w.change("s", broker.SessionActive) }, func(w *world, fe *frontEnd) {
		settle(time.Second)
		w.remove("s")
		settle(time.Second)
		if len(fe.sessions) != 0 {
			w.t.Errorf("a second after it was removed: %+v", fe.sessions)
		}
	})
}
