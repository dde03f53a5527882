package hookclient

import (
	"net"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// What the console says of more time makes the wait longer, never shorter, and never longer
// than the arguments allow.
func TestMoreTimeIsBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		most  time.Duration // 0: no --at-most
		told  []time.Duration
		want  time.Duration
		words string
	}{
		"more":               {time.Hour, []time.Duration{19 * time.Minute}, 19 * time.Minute, "19m"},
		"more and more":      {time.Hour, []time.Duration{19 * time.Minute, 30 * time.Minute}, 30 * time.Minute, "30m"},
		"less":               {time.Hour, []time.Duration{time.Minute}, 10 * time.Minute, "10m"},
		"less than was told": {time.Hour, []time.Duration{19 * time.Minute, 12 * time.Minute}, 19 * time.Minute, "19m"},
		"nothing":            {time.Hour, []time.Duration{0}, 10 * time.Minute, "10m"},
		"beyond the most":    {time.Hour, []time.Duration{24 * time.Hour}, time.Hour, "1h"},
		"an old line":        {0, []time.Duration{19 * time.Minute}, 10 * time.Minute, "10m"},
		"a moment more":      {time.Hour, []time.Duration{10*time.Minute + time.Millisecond}, 10*time.Minute + time.Millisecond, "10m"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				heard := begun.Add(10 * time.Minute)
				d := within(begun, 10*time.Minute, tc.most)
				d.granted = func(until time.Time) { heard = until }
				for _, left := range tc.told {
					d.grant(left)
				}
				time.Sleep(2 * time.Hour)
				d.grant(0) // a console that only says wait
				if got := d.until.Sub(begun); got != tc.want || !heard.Equal(d.until) || shortDuration(d.whole()) != tc.words {
					t.Errorf("waits %v (%s, told the run %v), want %v (%s)", got, shortDuration(d.whole()), heard.Sub(begun), tc.want, tc.words)
				}
			})
		})
	}
}

func TestPendingFor(t *testing.T) {
	for body, want := range map[string]time.Duration{
		`{"request_id":"r-1","wait_ms":1500}`:        1500 * time.Millisecond,
		`{"request_id":"r-1"}`:                       0,
		`{"request_id":"r-1","wait_ms":0}`:           0,
		`{"request_id":"r-1","wait_ms":-5}`:          0,
		`{"request_id":"r-1","wait_ms":86400000}`:    24 * time.Hour,
		`{"request_id":"r-1","wait_ms":86400001}`:    0,
		`{"request_id":"r-1","wait_ms":"1500"}`:      0,
		`{"request_id":"r-1","wait_ms":1e9}`:         0,
		`{"request_id":"r-1","wait_ms":15.5}`:        0,
		`{"wait_ms":1,"request_id":"r","wait_ms":2}`: 0,
		`{"wait_ms":99999999999999999999}`:           0,
		`wait`:                                       0,
	} {
		if got := pendingFor(response{body: []byte(body)}); got != want {
			t.Errorf("%s lets wait %v, want %v", body, got, want)
		}
	}
}

// A console that says wait again and again, and nothing of time, gives none.
func TestWaitForEverIsNoMoreTime(t *testing.T) {
	t.Parallel()
	b := newBroker(t, reply(202, `{"request_id":"r-1","status":"pending"}`))
	got := runWith(t, &hook{}, "claude", "--socket", b.socket, "--timeout", "4s", "--at-most", "1h")
	wantRefused(t, got, "within 4s")
}

// The hook hears that there is more time and is still there after the time that it had at
// first; without --at-most the same answers change nothing.
func TestMoreTimeIsTaken(t *testing.T) {
	t.Parallel()
	const usual = 5 * time.Second
	for _, atMost := range []string{"", "5m"} {
		t.Run("at most "+atMost, func(t *testing.T) {
			t.Parallel()
			gone := make(chan struct{})
			later := func(c net.Conn, r heard) bool {
				select {
				case <-time.After(usual + time.Second):
				case <-gone:
					return false
				}
				return reply(200, allow)(c, r)
			}
			b := newBroker(t, reply(202, `{"request_id":"r-1","wait_ms":120000}`), later)
			args := []string{"claude", "--socket", b.socket, "--timeout", usual.String()}
			if atMost != "" {
				args = append(args, "--at-most", atMost)
			}
			got := runWith(t, &hook{}, args...)
			close(gone)
			r := <-b.requests
			ms, err := strconv.Atoi(r.header.Get(HeaderAtMostMS))
			if atMost == "" {
				wantRefused(t, got, "nobody answered within 5s")
				if r.header.Get(HeaderAtMostMS) != "" {
					t.Errorf("it says that it would wait %s", r.header.Get(HeaderAtMostMS))
				}
				return
			}
			if got != (outcome{0, allow, ""}) {
				t.Errorf("got %+v", got)
			}
			if err != nil || ms > 300_000 || ms < 200_000 {
				t.Errorf("it says that it would wait %d ms: %v", ms, err)
			}
		})
	}
}

// A console that promises more time and then says nothing more is waited for up to the
// most, and one that goes away without a promise no longer than ever.
func TestMoreTimeEnds(t *testing.T) {
	t.Parallel()
	l := testLimits()
	l.hung = 50 * time.Millisecond
	b := newBroker(t, reply(202, `{"request_id":"r-1","wait_ms":86400000}`), silent)
	got := runWith(t, &hook{limits: l}, "claude", "--socket", b.socket, "--timeout", "100ms", "--at-most", "400ms")
	wantRefused(t, got, "aoctl: ")

	b = newBroker(t, silent)
	done := make(chan outcome)
	go func() {
		done <- runWith(t, &hook{}, "claude", "--socket", b.socket, "--timeout", "4s", "--at-most", "24h")
	}()
	<-b.requests
	b.kill()
	wantRefused(t, <-done, `the console ended while this call waited, and did not come back within 4s; start it again with "aoctl"`)
}
