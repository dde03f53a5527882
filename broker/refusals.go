package broker

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// RefusalKind says why somebody was turned away.
type RefusalKind string

// The kinds of refusal.
const (
	NoOperator     RefusalKind = "no_operator"      // what only the operator may do, without a token
	BadToken       RefusalKind = "bad_token"        // a token that is not, or no longer, one
	UnderAgent     RefusalKind = "under_agent"      // an operator's token, from a process that is an agent's or cannot be told from one
	AskToken       RefusalKind = "ask_token"        // an asking token, for something else than asking
	OperatorAsks   RefusalKind = "operator_token"   // an operator's token in a hook: the agent could answer itself with it
	OtherUser      RefusalKind = "other_user"       // a process of another user
	FromBrowser    RefusalKind = "browser"          // a request that a web page makes, or may make
	NoToken        RefusalKind = "no_token"         // TCP without a token
	Replayed       RefusalKind = "replayed"         // an allowed call asked again, although its answer holds no longer
	ForeignPrompt  RefusalKind = "foreign_prompt"   // a prompt that would lift a stop, from elsewhere than the agent's hook runner
	NotProgramming RefusalKind = "bad_content_type" // TCP with a body that is not said to be JSON
)

// RefusedData is the data of an EventDecisionRefused and an EventAccessRefused.
type RefusedData struct {
	Wanted string      `json:"wanted"` // "allow", "rule", "observe", "unfreeze", or a method and route
	Kind   RefusalKind `json:"kind"`
	Detail string      `json:"detail,omitempty"`
	By     Actor       `json:"by"`
	Rule   *rules.Rule `json:"rule,omitempty"`
	More   int         `json:"more,omitempty"` // as many others like it were only counted
}

// Refused is an attempt that was turned down, as a console tells of it.
type Refused struct {
	At        time.Time
	SessionID string // of the call it was about; may be empty
	RequestID string
	RefusedData
}

// Sentence says who tried what and why it was refused. It holds text from outside.
func (d RefusedData) Sentence() string {
	who := "somebody"
	switch {
	case d.By.PID > 0 && d.By.Exe != "":
		who = fmt.Sprintf("process %d (%s)", d.By.PID, d.By.Exe)
	case d.By.PID > 0:
		who = fmt.Sprintf("process %d", d.By.PID)
	case d.By.Exe != "":
		who = d.By.Exe
	}
	what := "to call " + d.Wanted
	switch d.Wanted {
	case string(Allow):
		what = "to allow a call"
	case "rule":
		what = "to change a rule"
	case "observe":
		what = "to have calls not held"
	case wantsUnfreeze:
		what = "to lift a freeze"
	case wantsLift:
		what = "to lift a stop with a prompt"
	case wantsResume:
		what = "to resume a session"
	case wantsAgain:
		what = "to use the answer to a call again"
	}
	more := ""
	if d.More > 0 {
		more = fmt.Sprintf(" (and %d more like it)", d.More)
	}
	return who + " tried " + what + ": " + cmp.Or(d.Detail, string(d.Kind), "refused") + more
}

// A flood of attempts must not fill the log: of each kind, aim and peer the first ones of
// a minute are recorded one by one, and the others as a number.
const (
	refusalWindow  = time.Minute
	refusalsEach   = 5   // of one kind from one executable in a window
	refusalsInAll  = 60  // of all together in a window
	refusalSources = 256 // kinds and peers that are told apart
)

// refusals counts attempts. Guarded by Broker.mu.
type refusals struct {
	since   time.Time
	inAll   int
	sources map[string]*refusalSource
}

type refusalSource struct {
	count   int
	skipped int
	last    RefusedData
}

// admit reports whether d is to be recorded by itself. Caller holds the broker's mu.
func (c *refusals) admit(d RefusedData) bool {
	if c.sources == nil {
		c.sources = map[string]*refusalSource{}
	}
	name := strings.Join([]string{string(d.Kind), d.Wanted, d.By.Exe}, "\x00")
	s, ok := c.sources[name]
	if !ok && len(c.sources) >= refusalSources {
		name = "" // whoever comes under ever new names
		s, ok = c.sources[name]
	}
	if !ok {
		s = &refusalSource{}
		c.sources[name] = s
	}
	s.last, s.count, c.inAll = d, s.count+1, c.inAll+1
	if s.count > refusalsEach || c.inAll > refusalsInAll {
		s.skipped++
		return false
	}
	return true
}

// noteRefusal records an attempt, unless there are very many, and tells the console.
func (b *Broker) noteRefusal(ctx context.Context, req Request, d RefusedData) {
	b.mu.Lock()
	alone := b.refusals.admit(d)
	b.mu.Unlock()
	if alone {
		b.recordRefusal(ctx, req, d)
	}
}

func (b *Broker) recordRefusal(ctx context.Context, req Request, d RefusedData) {
	typ := EventAccessRefused
	switch d.Wanted {
	case string(Allow), "rule", "observe", wantsUnfreeze:
		typ = EventDecisionRefused
	}
	ev := newEvent(typ, req, d)
	if err := b.commit(ctx, &Change{Events: []*Event{ev}}); err != nil {
		b.log.ErrorContext(ctx, "refused attempt not recorded", "request_id", req.ID, "kind", d.Kind, "err", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.publish(Update{Refused: &Refused{At: ev.At, SessionID: req.SessionID, RequestID: req.ID, RefusedData: d}})
}

// countRefusals closes a window that is over: what was only counted in it is recorded.
func (b *Broker) countRefusals(ctx context.Context, now time.Time) {
	b.mu.Lock()
	c := &b.refusals
	var told []RefusedData
	switch {
	case len(c.sources) == 0:
		c.since = now
	case now.Sub(c.since) >= refusalWindow:
		for _, s := range c.sources {
			if s.skipped > 0 {
				s.last.More = s.skipped - 1
				told = append(told, s.last)
			}
		}
		*c = refusals{since: now}
	}
	b.mu.Unlock()
	for _, d := range told {
		b.recordRefusal(ctx, Request{}, d)
	}
}

// refused notes that r was turned away.
func (b *Broker) refused(r *http.Request, kind RefusalKind, detail string) {
	d := RefusedData{Wanted: wantedBy(r), Kind: kind, Detail: detail, By: actorOf(r)}
	b.noteRefusal(r.Context(), b.aboutRequest(r), d)
}

// wantedBy says what r asks for.
func wantedBy(r *http.Request) string {
	pattern := cmp.Or(r.Pattern, r.Method+" "+clip(r.URL.Path))
	switch {
	case strings.HasSuffix(pattern, "/cancel"):
	case strings.HasPrefix(pattern, "POST /approval-requests/") || strings.HasPrefix(pattern, "POST /tool-decisions/"):
		return string(Allow) // refusing is open
	case strings.HasSuffix(pattern, "/rules") && r.Method != http.MethodGet, strings.HasSuffix(pattern, "/rules/{id}"):
		return "rule"
	case pattern == "POST /observe":
		return "observe"
	case pattern == "POST /unfreeze":
		return wantsUnfreeze
	}
	return pattern
}

// aboutRequest is the call that r is about, as far as it is known in memory.
func (b *Broker) aboutRequest(r *http.Request) Request {
	if wantedBy(r) != string(Allow) {
		return Request{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.requests[r.PathValue("id")]; ok && e.saved {
		return Request{ID: e.req.ID, SessionID: e.req.SessionID}
	}
	return Request{}
}
