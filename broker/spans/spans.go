// Package spans tells an OpenTelemetry collector how long each call took and what became of it.
//
// In go the ends of calls, from the log's events once they are on record (Take), and how long a
// call took until it was recorded (New). Out goes one trace a call over OTLP/HTTP: a span "call",
// and below it "judged" (from the read question to the record), "waited" (until somebody or
// something ended it) and "ran" (as its agent tells it). A call is sent once it is over: when it
// was refused, or its agent told its end. Of an allowed call that nobody tells the end of, what is
// known is sent after a minute, and "ran" by itself if it comes yet.
//
// A span says who asked, by agent and tool, how dangerous the call was, how it ended and who ended
// it. Of what the call says it tells nothing, unless Options.Content asks for that: no input, no
// path, no reason and no name of a session. Sessions have a number in its place that is keyed anew
// at each start. Names that an agent chooses, its own and its tools', are cut to a few plain
// characters (call.go).
//
// A collector that is slow, gone or in trouble holds up nobody: the table of calls and the queue of
// spans are bounded, one goroutine sends, with a deadline, and after a failure it waits, longer
// each time. What finds no room is dropped and counted (Counts). The package decides nothing and
// writes nothing to the store.
//
// The official SDK would take longer to begin than the whole hook, which is the same program; so
// the few messages that are needed are written here, as OTLP's JSON (otlp.go).
//
// Open spans.go first, then call.go, then send.go.
package spans

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Options say where spans go and what is in them.
type Options struct {
	To      Address
	Header  http.Header // of each request; see ParseHeaders
	Content bool        // tell also what calls say: input, folder, reason, names of sessions
	Version string      // of aoctl

	// Request is a call as it is on record.
	Request func(ctx context.Context, id string) (broker.Request, error)
	// SessionName is what people call a session. Only Content needs it.
	SessionName func(ctx context.Context, id string) string
	// Trouble is told once when the collector begins to fail. It must not wait.
	Trouble func(what string)
	Log     *slog.Logger
}

const (
	mostCalls = 8192        // that are followed at a time; of others less is told
	ranWithin = time.Minute // then an allowed call is told without its end
	ranAtMost = time.Hour   // then its end is no longer waited for
	settles   = 200 * time.Millisecond
)

// Spans follows calls and sends what is over. Several goroutines may use it.
type Spans struct {
	o   Options
	key []byte // of the sessions' numbers
	out *sender

	mu    sync.Mutex
	calls map[string]*call // by request id
}

// Start returns Spans that send from now on, until Close.
func Start(o Options) *Spans {
	return start(o, &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: answerRead})
}

func start(o Options, by http.RoundTripper) *Spans {
	s := &Spans{o: o, key: random(32), calls: map[string]*call{}}
	s.out = newSender(&s.o, s.over, by)
	return s
}

// New takes in a call that was just put on record, and how long that took.
func (s *Spans) New(r broker.Request, took time.Duration) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.call(r.ID); c != nil {
		c.read, c.recorded = now.Add(-took), now
	}
}

// call is the call with this id, a new one where it is not known; nil when there are too many.
// Caller holds mu.
func (s *Spans) call(id string) *call {
	c := s.calls[id]
	if c == nil && len(s.calls) < mostCalls {
		c = newCall()
		s.calls[id] = c
	}
	return c
}

// Take takes in an event of the log, which may cost a look into the store.
func (s *Spans) Take(e broker.Event) {
	switch e.Type {
	case broker.EventRequestDecided:
		s.decided(e)
	case broker.EventPostTool:
		s.ended(e)
	}
}

// lookTime bounds a look into the store.
const lookTime = 5 * time.Second

func (s *Spans) decided(e broker.Event) {
	var d broker.DecidedData
	if json.Unmarshal(e.Data, &d) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	// Without its row the event says enough, but for the agent's name.
	r, err := s.o.Request(ctx, e.RequestID)
	if err != nil {
		r = broker.Request{CreatedAt: e.At.Add(-time.Duration(d.WaitedMS) * time.Millisecond)}
	}
	about := s.about(ctx, e, d, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.call(e.RequestID)
	if c == nil { // no room to wait for what comes yet
		c = newCall()
		defer func() { s.out.put(c.spans()...) }()
	}
	c.asked, c.decided, c.about, c.heard = r.CreatedAt, e.At, about, time.Now()
	c.mayRun = d.Status == broker.Allowed || d.Status == broker.Answered
}

func (s *Spans) ended(e broker.Event) {
	var d broker.RanData
	if json.Unmarshal(e.Data, &d) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// An earlier console told of a call that is not known here.
	if c := s.calls[e.RequestID]; c != nil && c.ran == nil {
		c.ran = &run{took: time.Duration(d.DurationMS) * time.Millisecond, until: e.At, failed: d.Failed}
	}
}

// over takes the spans out of all calls that are over; at the end of all that were decided.
func (s *Spans) over(now time.Time, end bool) (list []span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, c := range s.calls {
		known := now.Sub(c.heard)
		switch {
		case c.decided.IsZero():
		case c.sent && c.ran == nil && known < ranAtMost && !end: // its end may come yet
		case c.sent && c.ran == nil:
			delete(s.calls, id)
		case c.sent, end, c.ran != nil || !c.mayRun:
			if !end && known < settles { // New may come after the event
				continue
			}
			list = append(list, c.spans()...)
			delete(s.calls, id)
		case known >= ranWithin:
			list = append(list, c.spans()...)
			c.sent, c.about = true, nil
		}
	}
	return list
}

// Counts are the spans that the collector took, and those that no collector has, by why: "full",
// there was no room for them; "refused", by the collector; "late", there was no time at the end.
func (s *Spans) Counts() (sent int, dropped map[string]int) { return s.out.counts() }

// Close sends what is over, within a second, and ends. Nothing comes in any more.
func (s *Spans) Close() { s.out.close() }

// random are n random bytes.
func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}
