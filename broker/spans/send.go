package spans

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"
)

const (
	mostQueued = 4096 // spans; beyond it the oldest are dropped
	mostSent   = 512  // spans of one request

	sendEvery = time.Second
	sendTime  = 5 * time.Second // the longest that a request may take
	closeTime = time.Second     // the same for all at the end

	firstPause, lastPause = time.Second, time.Minute // after a failure, twice as long each time

	answerRead = 64 << 10 // bytes of a collector's answer
)

// sender has a queue of spans, and one goroutine that sends them.
type sender struct {
	o        *Options
	over     func(now time.Time, end bool) []span
	client   *http.Client
	resource resource
	cancel   context.CancelFunc
	done     sync.WaitGroup

	// These are the goroutine's alone.
	batch   []span // taken out of the queue, and not sent yet
	failing bool
	pause   time.Duration
	again   time.Time // not before

	mu      sync.Mutex
	queue   []span
	sent    int
	dropped map[string]int
}

// Why spans are dropped; see Counts.
const (
	full    = "full"
	refused = "refused"
	late    = "late"
)

// newSender sends what over has, until close.
func newSender(o *Options, over func(now time.Time, end bool) []span, by http.RoundTripper) *sender {
	ctx, cancel := context.WithCancel(context.Background())
	s := &sender{o: o, over: over, cancel: cancel, dropped: map[string]int{full: 0, refused: 0, late: 0}, resource: resource{[]attribute{
		text("service.name", "aoctl"), text("service.version", o.Version), text("service.instance.id", hex.EncodeToString(random(16))), text("os.type", runtime.GOOS),
	}}}
	// What answers with another address gets nothing there: the operator named this one.
	s.client = &http.Client{Transport: by, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.done.Go(func() { s.run(ctx) })
	return s
}

func (s *sender) run(ctx context.Context) {
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.put(s.over(time.Now(), false)...)
		for ctx.Err() == nil && !time.Now().Before(s.again) && s.sendOne(ctx) {
		}
	}
}

// close sends what is left, and counts what there was no time for.
func (s *sender) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	s.cancel()
	s.done.Wait()
	s.put(s.over(time.Now(), true)...)
	for s.sendOne(ctx) {
	}
	s.client.CloseIdleConnections()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.batch) + len(s.queue); n > 0 {
		s.dropped[late] += n
		s.o.Log.WarnContext(ctx, "spans were not sent before the end", "spans", n)
	}
}

// put queues spans. It never waits: the oldest give way.
func (s *sender) put(list ...span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, list...)
	if more := len(s.queue) - mostQueued; more > 0 {
		s.take(more)
		s.dropped[full] += more
	}
}

// take takes the first n out of the queue. Caller holds mu.
func (s *sender) take(n int) []span {
	list := slices.Clone(s.queue[:n])
	s.queue = slices.Delete(s.queue, 0, n)
	return list
}

func (s *sender) counts() (sent int, dropped map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent, maps.Clone(s.dropped)
}

// refusedError is an answer that would be the same to the same spans.
type refusedError struct{ status int }

func (e *refusedError) Error() string { return fmt.Sprintf("it answers %d", e.status) }

// sendOne sends what was not sent yet, and reports whether more may follow at once.
func (s *sender) sendOne(ctx context.Context) (more bool) {
	if len(s.batch) == 0 {
		s.mu.Lock()
		s.batch = s.take(min(len(s.queue), mostSent))
		s.mu.Unlock()
	}
	if len(s.batch) == 0 {
		return false
	}
	rejected, err := s.post(ctx, s.batch)
	if ctx.Err() != nil && err != nil {
		return false // asked to end, which is no failure
	}
	_, forGood := errors.AsType[*refusedError](err)
	if forGood {
		rejected = len(s.batch)
	}
	if err == nil || forGood {
		s.mu.Lock()
		s.sent += len(s.batch) - rejected
		s.dropped[refused] += rejected
		s.mu.Unlock()
		s.batch = nil
	}
	s.note(ctx, err)
	return err == nil
}

// note says of a failure that it began, and when it is over. After one it is not tried again for a
// while.
func (s *sender) note(ctx context.Context, err error) {
	switch {
	case err == nil:
		if s.failing {
			s.o.Log.InfoContext(ctx, "the collector takes spans again")
		}
		s.failing, s.pause = false, 0
		return
	case !s.failing:
		s.failing = true
		s.o.Log.WarnContext(ctx, "the collector takes no spans", "to", s.o.To.String(), "err", err)
		s.o.Trouble(fmt.Sprintf("the collector at %s takes no spans: %v", s.o.To, reason(err)))
	}
	s.pause = min(max(2*s.pause, firstPause), lastPause)
	s.again = time.Now().Add(s.pause)
}

// reason is the last of the errors in err: what was being done, and where, is said before it.
func reason(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// post sends one request. rejected are spans that the collector did not take of those in it. The
// error is a refusedError for what need not be tried again.
func (s *sender) post(ctx context.Context, batch []span) (rejected int, err error) {
	body, err := json.Marshal(traces{[]resourceSpans{{s.resource, []scopeSpans{{scope{"aoctl", s.o.Version}, batch}}}}})
	if err != nil {
		return 0, fmt.Errorf("write the spans: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.o.To.String(), bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("make the request: %w", err)
	}
	for name, values := range s.o.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "aoctl/"+s.o.Version)
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("send the spans: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	told, err := io.ReadAll(io.LimitReader(resp.Body, answerRead))
	switch {
	case resp.StatusCode/100 == 2 && err == nil:
		var a answer
		_ = json.Unmarshal(told, &a) // what says nothing of spans that were rejected took them all
		n, _ := a.Partial.Rejected.Int64()
		return int(min(max(n, 0), int64(len(batch)))), nil
	case resp.StatusCode/100 == 2:
		return 0, fmt.Errorf("read its answer: %w", err)
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout: // those of OTLP that may be tried again
		return 0, fmt.Errorf("it answers %d", resp.StatusCode)
	}
	return 0, &refusedError{resp.StatusCode}
}
