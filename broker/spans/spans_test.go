package spans

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	collector "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
)

// gathered is a collector. It reads strictly what comes.
type gathered struct {
	t *testing.T

	mu       sync.Mutex
	answer   func(*http.Request) (*http.Response, error) // nil: takes all
	requests int
	got      []*collector.Span
	bodies   []string
	headers  []http.Header
	resource map[string]string
}

func said(status int, body string) (*http.Response, error) {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// hexIDs are the ids of OTLP's JSON, which are bytes as hex in the place of protobuf's base64.
var hexIDs = regexp.MustCompile(`"(traceId|spanId|parentSpanId)":"([0-9a-f]+)"`)

func (g *gathered) RoundTrip(r *http.Request) (*http.Response, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.requests++
	body, _ := io.ReadAll(r.Body)
	if answer := g.answer; answer != nil {
		g.mu.Unlock()
		resp, err := answer(r)
		g.mu.Lock()
		if err != nil || resp.StatusCode != 200 {
			return resp, err
		}
	}
	g.bodies, g.headers = append(g.bodies, string(body)), append(g.headers, r.Header)
	if r.Header.Get("Content-Type") != "application/json" || r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/v1/traces") {
		g.t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
	}
	var data collector.TracesData
	asBase64 := hexIDs.ReplaceAllStringFunc(string(body), func(pair string) string {
		m := hexIDs.FindStringSubmatch(pair)
		raw, _ := hex.DecodeString(m[2])
		return fmt.Sprintf("%q:%q", m[1], base64.StdEncoding.EncodeToString(raw))
	})
	if err := protojson.Unmarshal([]byte(asBase64), &data); err != nil { // a member that OTLP does not know is an error
		g.t.Errorf("%v in %s", err, body)
	}
	for _, rs := range data.GetResourceSpans() {
		g.resource = map[string]string{}
		for _, a := range rs.GetResource().GetAttributes() {
			g.resource[a.GetKey()] = a.GetValue().GetStringValue()
		}
		for _, ss := range rs.GetScopeSpans() {
			g.got = append(g.got, ss.GetSpans()...)
		}
	}
	return said(200, "{}")
}

// names are those of what came, and how long each took.
func (g *gathered) names() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []string
	for _, s := range g.got {
		list = append(list, fmt.Sprint(s.GetName(), " ", time.Duration(s.GetEndTimeUnixNano()-s.GetStartTimeUnixNano())))
	}
	return strings.Join(list, ", ")
}

// answers has it answer so from now on; nil: it takes all.
func (g *gathered) answers(f func(*http.Request) (*http.Response, error)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answer = f
}

// later lets time pass, and what is then due happen.
func later(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (g *gathered) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.got, g.bodies = nil, nil
}

// world is a broker that knows of some calls.
type world struct {
	*Spans
	*gathered

	troubles []string
	asked    map[string]broker.Request
	seq      int64
}

func newWorld(t *testing.T, content bool) *world {
	t.Helper()
	to, err := ParseAddress("http://collector.example:4318")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{gathered: &gathered{t: t}, asked: map[string]broker.Request{}}
	w.Spans = start(Options{
		To: to, Content: content, Version: "1.2", Header: http.Header{"X-Key": {"k"}}, Log: slog.New(slog.DiscardHandler),
		Trouble:     func(what string) { w.troubles = append(w.troubles, what) },
		SessionName: func(context.Context, string) string { return "secret name" },
		Request: func(_ context.Context, id string) (broker.Request, error) {
			if r, ok := w.asked[id]; ok {
				return r, nil
			}
			return broker.Request{}, broker.ErrNotFound
		},
	}, w.gathered)
	return w
}

// ask has a call on record, after took.
func (w *world) ask(id string, took time.Duration) {
	later(took)
	r := broker.Request{
		ID: id, SessionID: "secret session", Agent: "claude", ToolName: "Bash", ToolInput: json.RawMessage(`{"command":"secret command"}`), CWD: "/secret/folder", CreatedAt: broker.Instant(time.Now()),
		Annotations: broker.Annotations{Assessment: &rules.Assessment{Risk: risk.Risk{Class: risk.Normal}}},
	}
	w.asked[id] = r
	w.New(r, took)
}

func (w *world) decide(id string, status broker.State, by broker.ActorKind) {
	w.seq++
	raw, _ := json.Marshal(broker.DecidedData{Status: status, By: broker.Actor{Kind: by, ID: "secret actor"}, Reason: "secret reason", ToolName: "Bash"})
	w.Take(broker.Event{Seq: w.seq, At: broker.Instant(time.Now()), Type: broker.EventRequestDecided, SessionID: "secret session", RequestID: id, Data: raw})
}

func (w *world) ran(id string, took time.Duration, failed bool) {
	w.seq++
	raw, _ := json.Marshal(broker.RanData{ToolName: "Bash", Failed: failed, Output: "secret output", DurationMS: took.Milliseconds()})
	w.Take(broker.Event{Seq: w.seq, At: broker.Instant(time.Now()), Type: broker.EventPostTool, SessionID: "secret session", RequestID: id, Data: raw})
}

// A call that was asked, waited, was allowed and ran is one trace of four spans.
func TestCallIsOneTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		w.ask("a", 5*time.Millisecond)
		later(3 * time.Second)
		w.decide("a", broker.Allowed, broker.ByOperator)
		later(2 * time.Second)
		if n := w.names(); n != "" {
			t.Errorf("sent before its end: %s", n)
		}
		w.ran("a", 1500*time.Millisecond, true)
		later(2 * time.Second)
		if n := w.names(); n != "call 5.005s, judged 5ms, waited 3s, ran 1.5s" {
			t.Errorf("%s", n)
		}
		root := w.got[0]
		for _, s := range w.got {
			if len(s.GetTraceId()) != 16 || len(s.GetSpanId()) != 8 || string(s.GetTraceId()) != string(root.GetTraceId()) || s.GetKind() != collector.Span_SPAN_KIND_INTERNAL {
				t.Errorf("%v", s)
			}
			if s != root && (string(s.GetParentSpanId()) != string(root.GetSpanId()) || s.GetStartTimeUnixNano() < root.GetStartTimeUnixNano() || s.GetEndTimeUnixNano() > root.GetEndTimeUnixNano()) {
				t.Errorf("%v is not within %v", s, root)
			}
			if failed := s.GetStatus().GetCode() == collector.Status_STATUS_CODE_ERROR; failed != (s.GetName() == "ran") {
				t.Errorf("%v", s)
			}
		}
		got := map[string]string{}
		for _, a := range root.GetAttributes() {
			got[a.GetKey()] = strings.Trim(fmt.Sprint(a.GetValue().GetValue()), "&{}")
		}
		delete(got, "aoctl.session")
		want := map[string]string{"aoctl.agent": "claude", "aoctl.tool": "Bash", "aoctl.status": "allowed", "aoctl.decided_by": "operator", "aoctl.dangerous": "false", "aoctl.event": "1", "aoctl.risk": "normal"}
		if !maps.Equal(got, want) {
			t.Errorf("%v", got)
		}
		if w.resource["service.name"] != "aoctl" || w.resource["service.version"] != "1.2" || w.headers[0].Get("X-Key") != "k" {
			t.Errorf("%v, %v", w.resource, w.headers)
		}
		if sent, _ := w.Counts(); sent != 4 {
			t.Errorf("%d sent", sent)
		}
		w.Close()
		if len(w.calls) != 0 || w.requests != 1 {
			t.Errorf("%d calls, %d requests", len(w.calls), w.requests)
		}
	})
}

// Calls end in many ways, and each is told as far as it is known.
func TestEndsOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			name string
			do   func(w *world)
			want string
		}{
			{"a rule refuses at once", func(w *world) {
				w.ask("a", 2*time.Millisecond)
				w.decide("a", broker.Denied, broker.ByRule)
			}, "call 2ms, judged 2ms"},
			{"a rule refuses within a millisecond", func(w *world) {
				time.Sleep(2*time.Millisecond + 300*time.Microsecond)
				w.ask("a", 400*time.Microsecond)
				w.decide("a", broker.Denied, broker.ByRule)
			}, "call 400µs, judged 400µs"},
			{"the event comes before the record is told of", func(w *world) {
				w.decide("a", broker.Denied, broker.ByRule)
				w.ask("a", 2*time.Millisecond)
			}, "call 2ms, judged 2ms"},
			{"nobody answers", func(w *world) {
				w.ask("a", 2*time.Millisecond)
				later(time.Hour)
				w.decide("a", broker.Expired, broker.ByDeadline)
			}, "call 1h0m0.002s, judged 2ms, waited 1h0m0s"},
			{"one of an earlier console", func(w *world) {
				w.asked["a"] = broker.Request{CreatedAt: time.Now().Add(-time.Hour)}
				w.decide("a", broker.Denied, broker.ByOperator)
			}, "call 1h0m0s, waited 1h0m0s"},
			{"one whose row cannot be read", func(w *world) { w.decide("a", broker.Denied, broker.ByOperator) }, "call 0s"},
			{"nobody says how long it ran", func(w *world) {
				w.ask("a", 2*time.Millisecond)
				w.decide("a", broker.Allowed, broker.ByRule)
				later(4 * time.Second)
				w.ran("a", 0, false)
			}, "call 4.002s, judged 2ms, ran 4s"},
			{"it says to have run longer than since it was allowed", func(w *world) {
				w.ask("a", 2*time.Millisecond)
				w.decide("a", broker.Allowed, broker.ByRule)
				later(4 * time.Second)
				w.ran("a", time.Hour, false)
			}, "call 4.002s, judged 2ms, ran 4s"},
			{"it ran before its end was known", func(w *world) { // the agent's own user allowed it
				w.ask("a", 2*time.Millisecond)
				later(time.Second)
				w.ran("a", 0, false)
				w.decide("a", broker.Answered, broker.ByAgent)
			}, "call 1.002s, judged 2ms, waited 1s, ran 0s"},
			{"one that ran is not known", func(w *world) { w.ran("a", time.Second, false) }, ""},
			{"events that cannot be read", func(w *world) {
				w.Take(broker.Event{Type: broker.EventRequestDecided, RequestID: "a", Data: []byte(`[]`)})
				w.Take(broker.Event{Type: broker.EventPostTool, RequestID: "a"})
				w.Take(broker.Event{Type: broker.EventMessage})
			}, ""},
		} {
			w := newWorld(t, false)
			later(time.Until(time.Now().Truncate(time.Second).Add(time.Second - 2*time.Millisecond))) // so that records are in whole milliseconds
			tc.do(w)
			later(2 * time.Second)
			if n := w.names(); n != tc.want {
				t.Errorf("%s: %q, not %q", tc.name, n, tc.want)
			}
			if n := len(w.calls); n != 0 {
				t.Errorf("%s: %d are left", tc.name, n)
			}
			w.Close()
		}
	})
}

// The log may be read before the call's asker hears that it is on record: a call is not sent in between.
func TestRecordIsToldAfterItsEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		later(sendEvery - 50*time.Millisecond)
		w.decide("a", broker.Denied, broker.ByRule)
		w.ask("a", 100*time.Millisecond)
		later(2 * sendEvery)
		if n := w.names(); n != "call 100ms, judged 100ms" {
			t.Errorf("%s", n)
		}
		w.Close()
	})
}

// An allowed call whose end nobody tells is not kept back; a late end comes by itself.
func TestEndThatComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		w.ask("late", 0)
		w.ask("never", 0)
		w.decide("late", broker.Allowed, broker.ByRule)
		w.decide("never", broker.Allowed, broker.ByRule)
		later(ranWithin + 2*time.Second)
		if n := w.names(); n != "call 0s, judged 0s, call 0s, judged 0s" {
			t.Errorf("%s", n)
		}
		trace := map[string]bool{}
		for _, s := range w.got {
			trace[string(s.GetTraceId())+string(s.GetSpanId())] = true
		}
		w.forget()
		w.ran("late", time.Second, false)
		later(2 * time.Second)
		if n := w.names(); n != "ran 1s" || !trace[string(w.got[0].GetTraceId())+string(w.got[0].GetParentSpanId())] {
			t.Errorf("%s", n)
		}
		later(ranAtMost)
		if n := len(w.calls); n != 0 {
			t.Errorf("%d are left", n)
		}
		w.Close()
	})
}

// At the end all that was decided is sent, and what still waits is not.
func TestCloseSendsWhatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		w.ask("allowed", 0)
		w.ask("waits", 0)
		w.decide("allowed", broker.Allowed, broker.ByRule)
		w.Close()
		if n := w.names(); n != "call 0s, judged 0s" {
			t.Errorf("%s", n)
		}
	})
}

// Attack: what a call says gets to somebody else's machine, in a value or in a name that an agent
// chose.
func TestTellsNoContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, content := range []bool{false, true} {
			w := newWorld(t, content)
			w.ask("secret request", time.Millisecond)
			w.decide("secret request", broker.Allowed, broker.ByOperator)
			w.ran("secret request", 0, true)
			later(2 * time.Second)
			w.Close()
			sent := strings.Join(w.bodies, "")
			for _, word := range []string{"command", "folder", "reason", "name", "session", "request"} {
				if (strings.Contains(sent, "secret "+word) || strings.Contains(sent, "secret/"+word)) != content {
					t.Errorf("content %v: %q in %s", content, word, sent)
				}
			}
			if strings.Contains(sent, "secret actor") || strings.Contains(sent, "secret output") || !strings.Contains(sent, `"aoctl.status"`) {
				t.Errorf("%s", sent)
			}
		}
	})
}

// A session has one number, which is another one after the next start.
func TestSessionsAreNumbered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newWorld(t, false), newWorld(t, false)
		if n := a.number("s"); n != a.number("s") || n == a.number("t") || n == b.number("s") || len(n) != 16 {
			t.Errorf("%q", n)
		}
		a.Close()
		b.Close()
	})
}

// More calls than are followed are told all the same.
func TestTooManyCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		for n := range mostCalls {
			w.New(broker.Request{ID: fmt.Sprint(n)}, 0)
		}
		w.decide("one more", broker.Allowed, broker.ByRule)
		later(2 * time.Second)
		if n := w.names(); n != "call 0s" || len(w.calls) != mostCalls {
			t.Errorf("%s, %d followed", n, len(w.calls))
		}
		w.Close()
	})
}

func FuzzPlain(f *testing.F) {
	for _, name := range []string{"Bash", "mcp__a__b", "rm -rf /\x1b[31m", strings.Repeat("ä", 100), "\xff"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := plain(name)
		if len(got) > plainMost || regexp.MustCompile(`[^0-9A-Za-z_./:-]`).MatchString(got) || plain(got) != got || (got == "") != (name == "") {
			t.Errorf("%q of %q", got, name)
		}
	})
}

func TestAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"http://localhost:4318": "http://localhost:4318/v1/traces", "https://otel.example/base/": "https://otel.example/base/v1/traces",
		"http://[::1]:4318/v1/traces": "http://[::1]:4318/v1/traces", "http://u:p@host": "", "localhost:4318": "", "ftp://host": "", "http://": "", "http://h?key=1": "", "http://h/#a": "", "": "", "http://a b": "",
	} {
		a, err := ParseAddress(in)
		if a.String() != want || (err == nil) != (want != "") || a.None() != (want == "") {
			t.Errorf("%q is %q, %v", in, a, err)
		}
	}
}

func TestHeaders(t *testing.T) {
	for in, want := range map[string]http.Header{
		"":                       {},
		"api-key=a%20b, x=y=z ,": {"Api-Key": {"a b"}, "X": {"y=z"}},
	} {
		if h, err := ParseHeaders(in); err != nil || !maps.EqualFunc(h, want, slices.Equal) {
			t.Errorf("%q is %v, %v", in, h, err)
		}
	}
	for _, in := range []string{"secret", "=secret", "a b=secret", "a=secret%0d%0ax: y", "a=secret%zz"} {
		if h, err := ParseHeaders(in); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is %v, %v", in, h, err)
		}
	}
}
