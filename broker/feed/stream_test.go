package feed_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/feed"
)

// want reads events up to number last, and fails unless each comes once, in order.
func want(t *testing.T, r *reader, last int64) {
	t.Helper()
	for r.id < last {
		before := r.id
		m, ok := r.event()
		var e broker.Event
		if err := json.Unmarshal([]byte(m.data), &e); !ok || err != nil || m.id != before+1 || e.Seq != m.id {
			t.Fatalf("after event %d came %+v (%v, %v)", before, m, ok, err)
		}
	}
}

func TestLiveFromNow(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		w.happen("message", "message")
		r := w.open(t, "", -1)
		defer r.hang()
		if m, ok := r.next(); !ok || m.id != 2 || m.data != "" {
			t.Fatalf("the first thing said is %+v", m)
		}
		w.happen("user")
		m, _ := r.event()
		if m.id != 3 || m.name != "user" || m.data != `{"id":3,"at":"2000-01-01T00:00:00Z","event_type":"user","session_id":"s","hash":"00"}` {
			t.Errorf("%+v", m)
		}
	})
}

// Readers come at any time while events are written, and go on anywhere: each event comes once.
func TestReplayWhileEventsAreWritten(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		const events, readers = 3000, 20
		rnd := rand.New(rand.NewPCG(1, 2))
		var wg sync.WaitGroup
		defer wg.Wait()
		for range 100 {
			w.happen("message")
		}
		for range readers {
			after, wait := rnd.Int64N(100), time.Duration(rnd.IntN(500))*time.Millisecond
			wg.Go(func() {
				time.Sleep(wait)
				r := w.open(t, "", after)
				defer r.hang()
				want(t, r, events)
			})
		}
		for len(w.log) < events {
			for range min(1+rnd.IntN(20), events-len(w.log)) {
				w.happen("message")
			}
			time.Sleep(time.Duration(rnd.IntN(8)) * time.Millisecond)
		}
	})
}

// A reader is killed 1,000 times, in the middle of whatever it reads, and goes on behind what it
// saw. In half of its lives nobody else reads, so the ring begins anew with it.
func TestReaderThatIsKilledMissesNothing(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		const lives = 1000
		rnd := rand.New(rand.NewPCG(7, 7))
		ctx, written := t.Context(), make(chan struct{})
		stop := make(chan struct{})
		go func() {
			defer close(written)
			pace := rand.New(rand.NewPCG(3, 3))
			for {
				select {
				case <-stop:
					return
				case <-ctx.Done():
					return
				case <-time.After(time.Duration(pace.IntN(12)) * time.Millisecond):
					for range pace.IntN(40) {
						w.happen("message")
					}
				}
			}
		}()
		seen := int64(0)
		other := w.open(t, "", -1)
		for life := range lives {
			if life == lives/2 {
				other.hang()
			}
			if life < lives/2 {
				for range 3 { // the other one does not fall behind for ever
					_, _ = other.event()
				}
			}
			r := w.open(t, "", seen)
			want(t, r, seen+rnd.Int64N(50))
			seen = r.id
			// Part of the next line may have come already.
			_, _ = r.text.Peek(rnd.IntN(30))
			r.hang()
		}
		close(stop)
		<-written
		head, _ := w.Head()
		r := w.open(t, "", seen)
		want(t, r, head)
		r.hang()
		t.Logf("%d events", head)
	})
}

func TestNamesAndFilters(t *testing.T) {
	decided := func(s broker.State) any { return map[string]any{"status": s} }
	bubble(t, func(w *world) {
		t := w.t
		w.ask("r-1", "Bash")
		w.ask("r-2", "AskUserQuestion")
		w.happenIn("s", decided(broker.Allowed), broker.EventRequestDecided)
		w.happenIn("s", decided(broker.Cancelled), broker.EventRequestDecided)
		w.happen(broker.EventMessageQueued, broker.EventMessageSent, broker.EventTurnEnd)
		w.happenIn("", nil, broker.EventTokenMinted)
		w.happenIn("other", nil, broker.EventUser)
		for query, names := range map[string]string{
			"":                                      "approval-requested question-requested approval-resolved approval-cancelled message-queued message-sent turn_end user",
			"session=other":                         "user",
			"session=s&types=turn_end,message-sent": "message-sent turn_end",
			"types=request_decided":                 "approval-resolved approval-cancelled",
			"types=approval-cancelled":              "approval-cancelled",
			"session=other&types=turn_end":          "",
			"types=token_minted":                    "",
		} {
			r := w.open(t, query, 0)
			var got []string
			for r.id < 9 { // the number of what was passed over comes with a heartbeat
				m, ok := r.next()
				if !ok {
					t.Fatal("the stream ended")
				}
				if m.data != "" {
					got = append(got, m.name)
				}
			}
			if strings.Join(got, " ") != names {
				t.Errorf("%q: %q", query, got)
			}
			r.hang()
		}
	})
}

// The address says where to begin, and the header of a browser that comes again is newer.
func TestLastEventIDInTheAddress(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		w.happen("a", "b", "c")
		r := w.open(t, "last_event_id=1", -1)
		if m, _ := r.event(); m.name != "b" {
			t.Errorf("by address: %+v", m)
		}
		r.hang()
		r = w.open(t, "last_event_id=1", 2)
		if m, _ := r.event(); m.name != "c" {
			t.Errorf("by header: %+v", m)
		}
		r.hang()
		for _, bad := range []string{"x", "-1", "4", "1e3"} {
			resp, err := w.client().Get("http://aoctl/events/stream?last_event_id=" + bad)
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := io.ReadAll(resp.Body); resp.StatusCode == http.StatusOK {
				t.Errorf("%s: %s", bad, text)
			}
			_ = resp.Body.Close()
		}
	})
}

func TestHeartbeat(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		r := w.open(t, "", -1)
		defer r.hang()
		began := time.Now()
		var beats []time.Duration
		for len(beats) < 3 {
			line, err := r.text.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if line == ":\n" {
				beats = append(beats, time.Since(began))
			}
		}
		if fmt.Sprint(beats) != "[15s 30s 45s]" {
			t.Errorf("%v", beats)
		}
	})
}

// Events that were archived meanwhile are said to be missing.
func TestArchivedEventsAreTold(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		w.happen("a", "b", "c", "d", "e", "f")
		w.archived = map[int64]bool{2: true, 3: true, 5: true, 6: true}
		r := w.open(t, "session=none", 1)
		defer r.hang()
		for _, data := range []string{`{"from":2,"to":3}`, `{"from":5,"to":6}`} {
			if m, _ := r.event(); m.name != feed.EventsArchived || m.data != data {
				t.Errorf("%+v", m)
			}
		}
		w.happenIn("none", nil, "g")
		if m, _ := r.event(); m.name != "g" || m.id != 7 {
			t.Errorf("then %+v", m)
		}
	})
}

// A reader that takes nothing is closed once a write has waited for its time.
func TestReaderThatDoesNotReadIsClosed(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		r := w.open(t, "", -1)
		defer r.hang()
		for range 1000 {
			w.happenIn("s", strings.Repeat("x", 1000), "message")
		}
		time.Sleep(9 * time.Second)
		synctest.Wait()
		if w.f.Readers() != 1 {
			t.Fatal("it was closed too early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if w.f.Readers() != 0 {
			t.Fatal("it was not closed")
		}
	})
}

// A reader that reads, but more slowly than things happen, is closed; it goes on where it was.
func TestReaderThatFallsBehindIsClosed(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		r := w.open(t, "", -1)
		w.happen("message")
		want(t, r, 1)
		big := strings.Repeat("x", 4000)
		for range 20_000 {
			w.happenIn("s", big, "message")
			if len(w.log)%100 == 0 {
				time.Sleep(20 * time.Millisecond)
			}
		}
		seen := r.id
		for ok := true; ok; {
			var m message
			if m, ok = r.event(); ok && m.id != seen+1 {
				t.Fatalf("after %d came %d", seen, m.id)
			}
			if ok {
				seen = m.id
			}
		}
		r.hang()
		if head, _ := w.Head(); seen >= head {
			t.Fatal("it was not closed")
		}
		r = w.open(t, "", seen)
		defer r.hang()
		want(t, r, 20_001)
	})
}

// The ring has let go of what a reader needs, and another one keeps the ring as it is: the reader
// reads the store up to there.
func TestReaderFromBeforeTheRing(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		r := w.open(t, "", -1)
		defer r.hang()
		for n := range int64(200) {
			for range 50 {
				w.happen("message")
			}
			want(t, r, 50*(n+1))
		}
		late := w.open(t, "", 1)
		defer late.hang()
		want(t, late, 10_000)
		w.happen("message")
		want(t, r, 10_001)
		want(t, late, 10_001)
	})
}

func TestCloseEndsStreamsAndLetsNobodyIn(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		r := w.open(t, "", -1)
		defer r.hang()
		began := time.Now()
		w.f.Close()
		for ok := true; ok; {
			_, ok = r.next()
		}
		if time.Since(began) != 0 || w.f.Readers() != 0 {
			t.Errorf("%v, %d readers", time.Since(began), w.f.Readers())
		}
		resp, err := w.client().Get("http://aoctl/events/stream")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode != http.StatusServiceUnavailable {
			t.Error(resp.Status)
		}
	})
}

func TestReadersAreBounded(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		w.most = 2
		for range 2 {
			defer w.open(t, "", -1).hang()
		}
		resp, err := w.client().Get("http://aoctl/events/stream")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), feed.ErrReaders.Error()) {
			t.Errorf("%s: %s", resp.Status, text)
		}
	})
}

// A token that is revoked ends what it opened, at once.
func TestRevokedTokenEndsStream(t *testing.T) {
	bubble(t, func(w *world) {
		t := w.t
		r := w.open(t, "", -1)
		defer r.hang()
		began := time.Now()
		w.mu.Lock()
		w.still = false
		w.mu.Unlock()
		w.happenIn("", nil, broker.EventTokenRevoked)
		w.happen("message")
		if m, ok := r.event(); ok || time.Since(began) > time.Second {
			t.Errorf("after %v: %+v", time.Since(began), m)
		}
	})
}
