package spans

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// flood decides n calls, each of which is one span.
func (w *world) flood(n int) {
	for range n {
		w.decide(fmt.Sprint("f", w.seq), broker.Denied, broker.ByRule)
	}
}

// A collector that is gone costs no call anything: the queue stays bounded, what is dropped is
// counted, it is tried seldom, and it is said once. When it is back it gets what is left.
func TestCollectorIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		w.answers(func(*http.Request) (*http.Response, error) { return nil, syscall.ECONNREFUSED })
		began := time.Now()
		w.flood(mostQueued)
		if d := time.Since(began); d != 0 {
			t.Errorf("a decision waited %v", d)
		}
		later(3 * time.Second)
		w.flood(mostQueued)
		later(10 * time.Minute)
		if w.requests > 20 || w.requests < 10 {
			t.Errorf("it was tried %d times in ten minutes", w.requests)
		}
		if got := strings.Join(w.troubles, "; "); got != "the collector at http://collector.example:4318/v1/traces takes no spans: connection refused" {
			t.Errorf("%q", got)
		}
		// One batch is out of the queue.
		if n := len(w.out.queue); n != mostQueued {
			t.Errorf("%d queued", n)
		}
		if sent, dropped := w.Counts(); sent != 0 || dropped["full"] != mostQueued-mostSent {
			t.Errorf("%d sent, %v", sent, dropped)
		}
		w.answers(nil)
		later(lastPause + 2*time.Second)
		if sent, dropped := w.Counts(); sent != mostQueued+mostSent || dropped["full"] != mostQueued-mostSent || dropped["late"]+dropped["refused"] != 0 {
			t.Errorf("%d sent, %v", sent, dropped)
		}
		w.answers(func(*http.Request) (*http.Response, error) { return said(503, "") })
		w.flood(1)
		later(3 * time.Second)
		if len(w.troubles) != 2 {
			t.Errorf("a new failure is not said: %q", w.troubles)
		}
		w.Close()
		if _, dropped := w.Counts(); dropped["late"] != 1 {
			t.Errorf("%v", dropped)
		}
	})
}

// A collector that takes a request and never answers holds up neither calls nor the end.
func TestCollectorIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		w.answers(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		w.flood(10)
		later(2 * time.Second)
		began := time.Now()
		w.flood(10)
		if d := time.Since(began); d != 0 {
			t.Errorf("a decision waited %v", d)
		}
		later(sendTime)
		if len(w.troubles) != 1 {
			t.Errorf("%q", w.troubles)
		}
		began = time.Now()
		w.Close()
		if d := time.Since(began); d != closeTime {
			t.Errorf("closing took %v", d)
		}
		if sent, dropped := w.Counts(); sent != 0 || dropped["late"] != 20 {
			t.Errorf("%d sent, %v", sent, dropped)
		}
	})
}

// What a collector does not want is not sent to it again, nor anywhere else.
func TestCollectorRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			status                  int
			body                    string
			sent, refused, requests int
		}{
			{200, "", 2, 0, 1},
			{202, "not JSON", 2, 0, 1},
			{200, `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}`, 1, 1, 1},
			{200, `{"partialSuccess":{"rejectedSpans":7}}`, 0, 2, 1},
			{200, `{"partialSuccess":{"rejectedSpans":-7}}`, 2, 0, 1},
			{400, "", 0, 2, 1},
			{401, "", 0, 2, 1},
			{500, "", 0, 2, 1},
			{307, "", 0, 2, 1}, // with a Location
			{429, "", 0, 0, 2},
			{503, "", 0, 0, 2},
		} {
			w := newWorld(t, false)
			w.answers(func(r *http.Request) (*http.Response, error) {
				if r.URL.Host != "collector.example:4318" {
					t.Errorf("sent to %s", r.URL)
				}
				resp, err := said(tc.status, tc.body)
				resp.Header.Set("Location", "http://elsewhere.example/")
				return resp, err
			})
			w.out.client.Transport = answered{w.gathered}
			w.flood(2)
			later(3500 * time.Millisecond)
			sent, dropped := w.Counts()
			if sent != tc.sent || dropped["refused"] != tc.refused || w.requests != tc.requests || len(w.troubles) != min(1, len(w.troubles)) || (len(w.troubles) == 0) != (tc.status < 300) {
				t.Errorf("%d %q: %d sent, %v, %d requests, %q", tc.status, tc.body, sent, dropped, w.requests, w.troubles)
			}
			w.Close()
		}
	})
}

// answered gives the collector's own answer, also one that is fine.
type answered struct{ g *gathered }

func (a answered) RoundTrip(r *http.Request) (*http.Response, error) {
	a.g.requests++
	_, _ = io.Copy(io.Discard, r.Body)
	return a.g.answer(r)
}

func TestReasonIsTheLast(t *testing.T) {
	if err := reason(fmt.Errorf("a: %w", fmt.Errorf("b: %w", io.EOF))); !errors.Is(err, io.EOF) || err.Error() != "EOF" {
		t.Error(err)
	}
}
