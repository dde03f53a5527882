package service_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/spans"
)

// sentSpans is a collector over real HTTP.
type sentSpans struct {
	mu   sync.Mutex
	body []string
}

func (s *sentSpans) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = append(s.body, r.URL.Path+" "+string(body))
}

// names are those of all spans, sorted. One that was sent again, because the answer came too late, is one.
func (s *sentSpans) names() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := map[string]string{}
	for _, m := range regexp.MustCompile(`"spanId":"(\w+)",(?:"parentSpanId":"\w*",)?"name":"(\w+)","kind"`).FindAllStringSubmatch(strings.Join(s.body, ""), -1) {
		sent[m[1]] = m[2]
	}
	return strings.Join(slices.Sorted(maps.Values(sent)), " ")
}

// page is GET /metrics.
func (c *client) page() (status int, text string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, "http://aoctl/metrics", nil)
	must(c.t, err)
	resp, err := c.Do(req)
	must(c.t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	must(c.t, err)
	return resp.StatusCode, string(raw)
}

// measured serves a broker that shows metrics and sends spans. stop ends it in order.
func measured(t *testing.T, st broker.Store) (c *client, to *sentSpans, stop func()) {
	t.Helper()
	to = &sentSpans{}
	srv := httptest.NewServer(to)
	t.Cleanup(srv.Close)
	address, err := spans.ParseAddress(srv.URL)
	must(t, err)
	var end func()
	c = serveOver(t, st, service.Options{}, func(b *service.Broker) {
		end = b.Measure(service.Telemetry{Version: "1.2", Metrics: true, Spans: spans.Options{To: address, Trouble: func(what string) { t.Error(what) }}})
	})
	return c, to, func() {
		must(t, c.b.Close())
		end()
	}
}

// Calls end by a rule, a person and nobody; one of them runs. What was answered is on the page at
// once, and each call is told to the collector, by the time that the broker has ended.
func TestCallsAreCountedAndTimed(t *testing.T) {
	t.Parallel()
	c, to, stop := measured(t, brokertest.NewMemory())
	save(t, c.b, denying("make secret", "secret"))
	for n := range 2 { // what is decided is counted, each time
		_, got := c.do("POST", "/request-approval", `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make secret"},"agent":"secret agent!"}`)
		if got["decision"] != "deny" {
			t.Fatalf("%v", got)
		}
		if _, text := c.page(); !strings.Contains(text, fmt.Sprintf("aoctl_requests_total{decision=\"denied\",by=\"rule\"} %d\n", n+1)) {
			t.Errorf("after %d calls: %s", n+1, text)
		}
	}
	q := bash("s", "1", "make")
	q.Event = "" // a program's
	r := submit(t, c.b, q)
	if _, text := c.page(); !strings.Contains(text, "aoctl_calls_waiting 1\n") {
		t.Error(text)
	}
	_, err := c.b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
	must(t, err)
	status, _ := c.do("POST", "/events", `{"event_type":"post_tool","session_id":"s","agent":"claude","request_id":"`+r.ID+`","tool_name":"Bash","tool_input":{"command":"make"},"duration_ms":5,"error":"secret"}`)
	if status != 200 {
		t.Fatal(status)
	}
	submit(t, c.b, bash("s", "2", "make secret plans")) // waits
	status, text := c.page()
	for _, line := range []string{
		`aoctl_requests_total{decision="allowed",by="operator"} 1`, `aoctl_decision_seconds_count{by="operator"} 1`, `aoctl_judge_seconds_count 4`,
		`aoctl_calls_ended_total{failed="true"} 1`, `aoctl_calls_waiting 1`, `aoctl_log_events_total{type="request_created"} 2`, `aoctl_build_info{version="1.2",`, `aoctl_feed_readers 0`, `aoctl_spans_dropped_total{reason="full"} 0`,
	} {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("no %s in %s", line, text)
		}
	}
	if status != 200 || strings.Contains(text, "secret") {
		t.Errorf("%d %s", status, text)
	}
	began := time.Now()
	stop()
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("it took %v to end", d)
	}
	if got := to.names(); got != "call call call judged judged judged ran waited" && got != "call call call judged judged judged ran" { // it may have waited for less than a millisecond
		t.Errorf("%s", got)
	}
	for _, body := range to.body {
		if !strings.HasPrefix(body, "/v1/traces {") || strings.Contains(body, "secret plans") || strings.Contains(body, "make") || !json.Valid([]byte(body[len("/v1/traces "):])) {
			t.Errorf("%s", body)
		}
	}
	if !strings.Contains(strings.Join(to.body, ""), `"secret_agent_"`) {
		t.Errorf("%s", to.body)
	}
}

// What is told was on record before: a call that could not be recorded is in no span and no number.
func TestUnrecordedIsNotTold(t *testing.T) {
	t.Parallel()
	st := brokertest.NewMemory()
	c, to, stop := measured(t, st)
	failCommits(st, io.ErrUnexpectedEOF)
	if _, err := c.b.Submit(t.Context(), bash("s", "1", "make")); err == nil {
		t.Fatal("it was recorded")
	}
	if _, text := c.page(); !strings.Contains(text, `aoctl_problem{problem="not_recording"} 1`) || !strings.Contains(text, "aoctl_judge_seconds_count 0") {
		t.Error(text)
	}
	stop()
	if got := to.names(); got != "" {
		t.Errorf("%s", got)
	}
}

// Without the flag there is no such page, and its absence says how to have one.
func TestNoMetricsUnlessAskedFor(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	if status, text := c.page(); status != 404 || !strings.Contains(text, "no_metrics") || !strings.Contains(text, "--metrics") {
		t.Errorf("%d %s", status, text)
	}
}

// Over TCP a token for asking opens the page, and nothing else opens it.
func TestMetricsOverTCP(t *testing.T) {
	t.Parallel()
	b := serveTCP(t, service.Options{}, (*service.Broker).AnswerWrongTokensAtOnce, func(b *service.Broker) { b.Measure(service.Telemetry{Metrics: true}) })
	host := "Host: " + b.addr
	for name, tc := range map[string]struct {
		want int
		head []string
	}{
		"asking":     {200, []string{host, "Authorization: Bearer " + b.ask}},
		"operator":   {200, []string{host, "Authorization: Bearer " + b.operator}},
		"no token":   {401, []string{host}},
		"wrong":      {401, []string{host, "Authorization: Bearer aoctl_ask_guess"}},
		"a web page": {403, []string{host, "Authorization: Bearer " + b.ask, "Origin: http://" + b.addr}},
	} {
		if status, answer := b.raw(t, message("GET /metrics", "", tc.head...)); status != tc.want {
			t.Errorf("%s: %d, %s", name, status, answer)
		}
	}
}

// BenchmarkMeasured is a call that a rule allows, with nobody who counts and times it, and with both.
func BenchmarkMeasured(b *testing.B) {
	srv := httptest.NewServer(&sentSpans{})
	defer srv.Close()
	address, err := spans.ParseAddress(srv.URL)
	must(b, err)
	for name, t := range map[string]service.Telemetry{"off": {}, "on": {Metrics: true, Spans: spans.Options{To: address, Trouble: func(what string) { b.Error(what) }}}} {
		b.Run(name, func(b *testing.B) {
			br, err := service.New(b.Context(), brokertest.NewMemory(), service.Options{Rate: -1, Alive: func(broker.Process) bool { return true }})
			must(b, err)
			end := br.Measure(t)
			_, err = br.SaveRule(b.Context(), allowing("npm run *"), operator)
			must(b, err)
			dir, n := b.TempDir(), 0
			for b.Loop() {
				n++
				q := bash(fmt.Sprint("s", n/1000), fmt.Sprint(n), "npm run test -- src/app.test.ts")
				q.CWD, q.Trusted = dir, true
				if r, err := br.Submit(b.Context(), q); err != nil || r.State != broker.Allowed {
					b.Fatal(r.State, err)
				}
			}
			must(b, br.Close())
			end()
		})
	}
}
