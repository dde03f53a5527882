// Package metrics shows a broker in numbers to Prometheus: GET /metrics, in its text format 0.0.4.
//
// In go the events of the log, each once it is on record (Take), how long calls took until they
// were (New), and what the broker says of itself at the moment of a scrape (Options). Out comes a
// page of text. Gauges tell how things stand; counters and histograms count from this start of the
// broker on, which Prometheus expects and HELP says. A scrape counts up to the log's end first, so
// a decision that somebody was told of is on the page.
//
// No number says what a call was about: labels have only words of ours (how a call ended, who
// ended it, the type of an event), never a session, a tool, an agent, a path or a rule. So there
// are never more series than those words allow. The package decides nothing, writes nothing and
// keeps no call.
//
// It writes the format itself, because Prometheus' own client would take longer to begin than the
// whole hook, which is the same program.
//
// Open metrics.go first; page.go has the format.
package metrics

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Options are what a page is made from beside the log's events.
type Options struct {
	Version string                                    // of aoctl
	Status  func() broker.Status                      // as GET /status
	Head    func() (seq int64, hash string)           // of the log
	Readers func() int                                // of the feed
	Screens func() int                                // consoles in other processes; nil when none can attach
	Spans   func() (sent int, dropped map[string]int) // the latter by why; nil when none are sent
	Catch   func(ctx context.Context) bool            // has Take told of all that is on record; whether that was anything
}

// Metrics counts, and shows what it counted. Several goroutines may use it.
type Metrics struct {
	o       Options
	started time.Time

	mu      sync.Mutex
	ends    map[end]int
	waited  map[string]*histogram // by who ended the call
	judging *histogram
	ran     map[bool]int // by whether it failed
	events  map[string]int
}

// end is how a call ended, and who ended it.
type end struct{ decision, by string }

// The upper ends of the histograms' buckets, in seconds: how long people take, and how long the
// broker does.
var (
	waits  = []float64{0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}
	judges = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1}
)

// New returns metrics that have counted nothing. The usual ends of calls, and events that one may
// want to be called for, are there from the beginning with 0: a series that begins with 1 hides its
// first increase.
func New(o Options) *Metrics {
	m := &Metrics{o: o, started: time.Now(), ends: map[end]int{}, waited: map[string]*histogram{}, judging: newHistogram(judges), ran: map[bool]int{false: 0, true: 0}, events: map[string]int{}}
	for decision, by := range map[broker.State][]broker.ActorKind{
		broker.Allowed: {broker.ByOperator, broker.ByRule}, broker.Denied: {broker.ByOperator, broker.ByRule, broker.ByProcess, broker.ByStop},
		broker.Expired: {broker.ByDeadline}, broker.Cancelled: {broker.ByAgent},
	} {
		for _, kind := range by {
			m.ends[end{string(decision), string(kind)}] = 0
		}
	}
	for _, kind := range []broker.ActorKind{broker.ByOperator, broker.ByRule} {
		m.waited[string(kind)] = newHistogram(waits)
	}
	for _, t := range []string{broker.EventRanOtherwise, broker.EventAccessRefused, broker.EventDecisionRefused, broker.EventCallsRefused, broker.EventUnheard, broker.EventStopRequested} {
		m.events[t] = 0
	}
	return m
}

// New counts a call that was just put on record, and how long that took from the read question on.
func (m *Metrics) New(_ broker.Request, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.judging.add(took.Seconds())
}

// Take counts an event of the log. Data that cannot be read counts as that of an empty one.
func (m *Metrics) Take(e broker.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events[e.Type]++
	switch e.Type {
	case broker.EventRequestDecided:
		var d broker.DecidedData
		_ = json.Unmarshal(e.Data, &d)
		by := string(d.By.Kind)
		m.ends[end{string(d.Status), by}]++
		if m.waited[by] == nil {
			m.waited[by] = newHistogram(waits)
		}
		m.waited[by].add((time.Duration(d.WaitedMS) * time.Millisecond).Seconds())
	case broker.EventPostTool:
		var d struct{ Failed bool }
		_ = json.Unmarshal(e.Data, &d)
		m.ran[d.Failed]++
	}
}

// ServeHTTP writes the page.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.o.Catch(r.Context())
	var p page
	m.now(&p)
	m.counted(&p)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(p.text)))
	_, _ = w.Write(p.text) // a peer that is gone reads none
}

// now has what holds at this moment.
func (m *Metrics) now(p *page) {
	p.family("aoctl_build_info", "gauge", "Which aoctl this is; always 1.")
	p.sample("aoctl_build_info", 1, "version", m.o.Version, "go_version", runtime.Version())
	p.gauge("aoctl_start_time_seconds", "When this broker began, in seconds since 1970.", float64(m.started.UnixMilli())/1000)
	s := m.o.Status()
	seq, _ := m.o.Head()
	for _, g := range []struct {
		name, help string
		value      int
	}{
		{"aoctl_calls_waiting", "Calls that wait for an answer.", s.Waiting},
		{"aoctl_calls_waiting_dangerous", "Dangerous calls among those that wait.", s.Dangerous},
		{"aoctl_calls_held", "Waiting calls that a freeze holds.", s.Held},
		{"aoctl_sessions", "Sessions that are open.", s.Sessions},
		{"aoctl_sessions_stopped", "Open sessions that are stopping or stopped.", s.Stopped},
		{"aoctl_sessions_observed", "Open sessions of which nothing is held.", s.Observed},
		{"aoctl_sessions_frozen", "Open sessions whose calls are held.", s.Frozen},
		{"aoctl_sessions_put_off", "Open sessions with a deferred call and no process.", s.PutOff},
		{"aoctl_sessions_failed", "Open sessions in whose last turn something went wrong.", s.Failed},
		{"aoctl_sessions_alarmed", "Sessions with an alarm that nobody has acknowledged.", s.Alarms},
		{"aoctl_frozen_all", "1 while every call is held.", number(s.FrozenAll)},
		{"aoctl_observing", "1 while nothing is held, in any session.", number(s.Observing)},
		{"aoctl_feed_readers", "Readers of /events/stream and /ws.", m.o.Readers()},
		{"aoctl_log_last_event", "Number of the newest event of the whole log, also of earlier starts.", int(seq)},
	} {
		p.gauge(g.name, g.help, float64(g.value))
	}
	p.gauge("aoctl_oldest_wait_seconds", "How long the oldest call waits; 0 when none does.", float64(s.OldestWaitMS)/1000)
	p.family("aoctl_problem", "gauge", "1 while no rule may allow anything, for this reason.")
	for _, problem := range broker.Problems {
		p.sample("aoctl_problem", float64(number(s.Problem == problem)), "problem", problem)
	}
	if m.o.Screens != nil {
		p.gauge("aoctl_consoles_attached", "Consoles in other processes that are attached.", float64(m.o.Screens()))
	}
}

// counted has what was counted since this broker began.
func (m *Metrics) counted(p *page) {
	const since = " Since this start of the broker."
	m.mu.Lock()
	defer m.mu.Unlock()
	p.family("aoctl_requests_total", "counter", "Calls that ended, by how and by whom."+since)
	for _, e := range slices.SortedFunc(maps.Keys(m.ends), func(a, b end) int { return strings.Compare(a.decision+" "+a.by, b.decision+" "+b.by) }) {
		p.sample("aoctl_requests_total", float64(m.ends[e]), "decision", e.decision, "by", e.by)
	}
	p.family("aoctl_decision_seconds", "histogram", "From a call's record to its end, by who ended it; what a rule ends at once takes 0."+since)
	for _, by := range slices.Sorted(maps.Keys(m.waited)) {
		p.histogram("aoctl_decision_seconds", m.waited[by], "by", by)
	}
	p.family("aoctl_judge_seconds", "histogram", "From the read question to the call's record: what the broker adds to each new call."+since)
	p.histogram("aoctl_judge_seconds", m.judging)
	p.family("aoctl_calls_ended_total", "counter", "Calls that agents told the end of."+since)
	for _, failed := range []bool{false, true} {
		p.sample("aoctl_calls_ended_total", float64(m.ran[failed]), "failed", strconv.FormatBool(failed))
	}
	p.family("aoctl_log_events_total", "counter", "Events in the log, by type."+since)
	for _, t := range slices.Sorted(maps.Keys(m.events)) {
		p.sample("aoctl_log_events_total", float64(m.events[t]), "type", t)
	}
	if m.o.Spans == nil {
		return
	}
	sent, dropped := m.o.Spans()
	p.family("aoctl_spans_sent_total", "counter", "Spans that the collector took."+since)
	p.sample("aoctl_spans_sent_total", float64(sent))
	p.family("aoctl_spans_dropped_total", "counter", "Spans that no collector has: there was no room for them, or the collector refused them."+since)
	for _, why := range slices.Sorted(maps.Keys(dropped)) {
		p.sample("aoctl_spans_dropped_total", float64(dropped[why]), "reason", why)
	}
}

// number is 1 for what holds.
func number(holds bool) int {
	if holds {
		return 1
	}
	return 0
}
