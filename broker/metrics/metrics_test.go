package metrics

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/aoctl/aoctl/broker"
)

// scrape reads the page as Prometheus does.
func scrape(t *testing.T, m *Metrics) map[string]*dto.MetricFamily {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if format := expfmt.ResponseFormat(w.Header()); format.FormatType() != expfmt.TypeTextPlain {
		t.Errorf("%q is no type of text: %v", w.Header().Get("Content-Type"), format)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(w.Body.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, w.Body)
	}
	return families
}

// value is the sample of a family with these labels; a histogram's is its count.
func value(t *testing.T, f *dto.MetricFamily, labels ...string) float64 {
	t.Helper()
	for _, m := range f.GetMetric() {
		var has []string
		for _, l := range m.GetLabel() {
			has = append(has, l.GetName(), l.GetValue())
		}
		if strings.Join(has, " ") != strings.Join(labels, " ") {
			continue
		}
		return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount()) // it has one of them
	}
	t.Errorf("%s has no sample %q", f.GetName(), labels)
	return -1
}

func event(typ string, data any) broker.Event {
	raw, _ := json.Marshal(data)
	return broker.Event{Type: typ, SessionID: "secret session", RequestID: "secret request", Data: raw}
}

func decided(status broker.State, by broker.ActorKind, waited time.Duration) broker.Event {
	return event(broker.EventRequestDecided, broker.DecidedData{
		Status: status, By: broker.Actor{Kind: by, ID: "secret id", Exe: "/secret/exe"}, Reason: "secret reason", ToolName: "secret tool", WaitedMS: waited.Milliseconds(),
	})
}

func made() (m *Metrics, status *broker.Status) {
	status = &broker.Status{}
	return New(Options{
		Version: "1.2\"3\\\n", Status: func() broker.Status { return *status }, Head: func() (int64, string) { return 12345678, "" },
		Readers: func() int { return 3 }, Catch: func(context.Context) bool { return false },
	}), status
}

func TestPage(t *testing.T) {
	m, status := made()
	*status = broker.Status{Waiting: 2, Dangerous: 1, Held: 4, Sessions: 5, Stopped: 6, Observed: 7, Frozen: 8, PutOff: 9, Failed: 10, Alarms: 11, Observing: true, FrozenAll: true, Problem: "log_changed", OldestWaitMS: 1500, Oldest: &broker.Oldest{ToolName: "secret tool", SessionName: "secret name"}}
	m.Take(decided(broker.Allowed, broker.ByRule, 0))
	m.Take(decided(broker.Allowed, broker.ByOperator, 1500*time.Millisecond))
	m.Take(decided(broker.Allowed, broker.ByOperator, 2*time.Hour))
	m.Take(decided(broker.Answered, broker.ByObserve, 0))
	m.Take(event(broker.EventPostTool, broker.RanData{Failed: true, Output: "secret output"}))
	m.Take(event(broker.EventPostTool, broker.RanData{}))
	m.Take(broker.Event{Type: broker.EventMessage, Data: []byte(`{"message":"secret"}`)})
	m.New(broker.Request{ToolName: "secret tool"}, 3*time.Millisecond)

	got := scrape(t, m)
	for name, want := range map[string]float64{
		"aoctl_calls_waiting": 2, "aoctl_calls_waiting_dangerous": 1, "aoctl_calls_held": 4, "aoctl_sessions": 5, "aoctl_sessions_stopped": 6, "aoctl_sessions_observed": 7,
		"aoctl_sessions_frozen": 8, "aoctl_sessions_put_off": 9, "aoctl_sessions_failed": 10, "aoctl_sessions_alarmed": 11, "aoctl_frozen_all": 1, "aoctl_observing": 1,
		"aoctl_oldest_wait_seconds": 1.5, "aoctl_feed_readers": 3, "aoctl_log_last_event": 12345678, "aoctl_judge_seconds": 1,
	} {
		if v := value(t, got[name]); v != want {
			t.Errorf("%s is %v, not %v", name, v, want)
		}
	}
	for _, tc := range []struct {
		name   string
		want   float64
		labels []string
	}{
		{"aoctl_requests_total", 1, []string{"decision", "allowed", "by", "rule"}},
		{"aoctl_requests_total", 2, []string{"decision", "allowed", "by", "operator"}},
		{"aoctl_requests_total", 1, []string{"decision", "answered", "by", "observe"}},
		{"aoctl_requests_total", 0, []string{"decision", "expired", "by", "deadline"}},
		{"aoctl_decision_seconds", 2, []string{"by", "operator"}},
		{"aoctl_decision_seconds", 1, []string{"by", "rule"}},
		{"aoctl_calls_ended_total", 1, []string{"failed", "true"}},
		{"aoctl_log_events_total", 4, []string{"type", "request_decided"}},
		{"aoctl_log_events_total", 1, []string{"type", "message"}},
		{"aoctl_log_events_total", 0, []string{"type", "ran_otherwise"}},
		{"aoctl_problem", 1, []string{"problem", "log_changed"}},
		{"aoctl_problem", 0, []string{"problem", "not_recording"}},
	} {
		if v := value(t, got[tc.name], tc.labels...); v != tc.want {
			t.Errorf("%s %q is %v, not %v", tc.name, tc.labels, v, tc.want)
		}
	}
	if v := got["aoctl_build_info"].GetMetric()[0].GetLabel()[0].GetValue(); v != "1.2\"3\\\n" {
		t.Errorf("the version is %q", v)
	}
	if got["aoctl_consoles_attached"] != nil || got["aoctl_spans_sent_total"] != nil {
		t.Error("there is a number of what cannot be")
	}
}

// What a call says is in no name, label or text of the page, whatever is in its events.
func TestPageTellsNoContent(t *testing.T) {
	m, status := made()
	status.Oldest = &broker.Oldest{RequestID: "secret", SessionID: "secret", SessionName: "secret", ToolName: "secret"}
	for _, e := range []broker.Event{decided(broker.Denied, broker.ByProcess, 0), event(broker.EventPostTool, broker.RanData{ToolName: "secret", Output: "secret"}), event(broker.EventRequestCreated, broker.CreatedData{Agent: "secret", ToolName: "secret"})} {
		m.Take(e)
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if strings.Contains(w.Body.String(), "secret") || !strings.Contains(w.Body.String(), `decision="denied",by="process"} 1`) {
		t.Error(w.Body.String())
	}
}

// The buckets of a histogram grow, each has the values up to its own end, and the last has all.
func TestHistogram(t *testing.T) {
	m, _ := made()
	for _, d := range []time.Duration{0, time.Second, 1001 * time.Millisecond, time.Hour, 2 * time.Hour} {
		m.Take(decided(broker.Allowed, broker.ByOperator, d))
	}
	for _, f := range scrape(t, m)["aoctl_decision_seconds"].GetMetric() {
		h := f.GetHistogram()
		if h.GetSampleCount() == 0 {
			continue // of rules
		}
		for _, b := range h.GetBucket() {
			want := uint64(5)
			switch end := b.GetUpperBound(); {
			case end < 1:
				want = 1
			case end < 2:
				want = 2
			case end < 3600:
				want = 3
			case end == 3600:
				want = 4
			}
			if b.GetCumulativeCount() != want {
				t.Errorf("%d up to %v", b.GetCumulativeCount(), b.GetUpperBound())
			}
		}
		if h.GetSampleSum() != 1+1.001+3600+7200 || h.GetSampleCount() != 5 || len(h.GetBucket()) != len(waits)+1 {
			t.Errorf("%v", h)
		}
	}
}

// Consoles and spans are told of where there can be some.
func TestPageOfMore(t *testing.T) {
	m, _ := made()
	m.o.Screens = func() int { return 2 }
	m.o.Spans = func() (int, map[string]int) { return 7, map[string]int{"full": 1, "late": 0} }
	caught := false
	m.o.Catch = func(context.Context) bool {
		m.Take(decided(broker.Denied, broker.ByRule, 0)) // as a tap does it
		caught = true
		return true
	}
	got := scrape(t, m)
	if !caught || value(t, got["aoctl_requests_total"], "decision", "denied", "by", "rule") != 1 {
		t.Error("what is on record was not counted first")
	}
	if value(t, got["aoctl_consoles_attached"]) != 2 || value(t, got["aoctl_spans_sent_total"]) != 7 || value(t, got["aoctl_spans_dropped_total"], "reason", "full") != 1 {
		t.Errorf("%v", got)
	}
}
