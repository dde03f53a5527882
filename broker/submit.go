package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Question is a call that somebody wants answered.
type Question struct {
	Request                   // ID (optional), Key, SessionID, Agent, Event, ToolName, ToolInput, CWD … ; the broker fills in the rest
	Timeout     time.Duration // the operator's time; 0 means the broker's default
	AtMost      time.Duration // how long the asker would wait if the operator gave the call more time; 0 means no longer than Timeout
	Bound       bool          // the asker waits for the answer: when it leaves for good, the request is cancelled
	Session     SessionHint   // what is known of the session beside
	Headless    bool          // no user sits before the agent
	Correlation string        // of the conversation in which its hook asks
	asker       patience      // as a client says it itself; where it does not, Timeout and AtMost tell
	Trusted     bool          // the dialect vouches for ToolName's meaning, so the built-in read-only rule may speak
}

// maxTimeout is the longest a call may wait.
const maxTimeout = 24 * time.Hour

// SessionHint is what a hook tells of its session beside the call.
type SessionHint struct {
	Name       string
	ProjectDir string
	Pane       string // as TMUX_PANE says
	TmuxServer string // path of a socket, as TMUX says
	Process    Process
	Transcript string // file; a sub-agent's own is not told here
}

// Submit records q and returns its request: pending, or already decided by a rule,
// a grant or a stop. The same key and digest again is the same request, with the
// recorded answer if it has one; see giveAgain.
//
// Errors: ErrInvalid, ErrConflict (known key, other call), ErrAnsweredBefore, ErrTooMany, ErrTooFast,
// ErrTooManySessions, ErrNotRecorded, ErrClosed. After an error the call must not run.
func (b *Broker) Submit(ctx context.Context, q Question) (Request, error) {
	if err := q.validate(); err != nil {
		return Request{}, err
	}
	q.limit()
	q.asker = b.patience(&q) // before a record is made, which takes from their time
	e, known, err := b.reserve(&q)
	if err != nil {
		return Request{}, err
	}
	if known {
		return b.join(ctx, e, q)
	}
	return b.insert(ctx, e, q)
}

func (q *Question) validate() error {
	switch {
	case !validSessionID(q.SessionID):
		return fmt.Errorf("%w: session_id must not be empty, \".\" or \"..\"", ErrInvalid)
	case q.ToolName == "":
		return fmt.Errorf("%w: tool_name is empty", ErrInvalid)
	case len(q.ToolInput) == 0:
		return fmt.Errorf("%w: tool_input is missing", ErrInvalid)
	}
	return nil
}

// validSessionID leaves out what no route could name: paths are cleaned of dots.
func validSessionID(id string) bool { return id != "" && id != "." && id != ".." }

// reserve finds q's request or claims its key for a new one.
func (b *Broker) reserve(q *Question) (e *entry, known bool, err error) {
	id := q.ID
	if id == "" {
		v7, err := uuid.NewV7()
		if err != nil {
			return nil, false, fmt.Errorf("make a request id: %w", err)
		}
		id = v7.String()
	}
	q.Digest = Digest(q.ToolName, q.ToolInput, q.CWD)
	if q.Key == "" {
		q.Key = "id:" + id
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, false, ErrClosed
	}
	if e, ok := b.byKey[q.Key]; ok {
		return e, true, nil
	}
	if e, ok := b.requests[id]; ok {
		return e, true, nil
	}
	if err := b.admit(q.SessionID); err != nil {
		return nil, false, err
	}
	e = &entry{req: q.Request, done: make(chan struct{}), tried: make(chan struct{}), bound: q.Bound, leftAt: time.Now()}
	e.agent, e.correlation, e.headless = q.Session.Process, q.Correlation, q.Headless
	e.req.ID = id
	e.req.Deferrable = whyWaits(e.req, q.Headless) == ""
	e.req.State = Pending
	e.req.CreatedAt = time.Now().UTC().Truncate(time.Millisecond)
	e.req.ExpiresAt = e.req.CreatedAt.Add(b.timeout(q))
	b.addEntry(e)
	return e, false, nil
}

// timeout is the operator's time for q: what the asker grants, and no more than the
// operator chose.
func (b *Broker) timeout(q *Question) time.Duration {
	if q.Timeout > 0 && (!b.capped || q.Timeout < b.opts.ApprovalTimeout) {
		return min(q.Timeout, maxTimeout)
	}
	return b.opts.ApprovalTimeout
}

// insert records the new request e, together with its end where a rule, a grant or
// a stop already speaks.
func (b *Broker) insert(ctx context.Context, e *entry, q Question) (Request, error) {
	b.mu.Lock()
	se := b.session(q.SessionID)
	project := cmp.Or(se.s.ProjectDir, q.Session.ProjectDir, folderOf(q.Request))
	moot := b.moot(se)
	se.noteAsks(e.req)
	se.asked(agents.Hook{Kind: agents.Gate, SubagentID: q.SubagentID, ToolUseID: q.ToolUseID})
	b.mu.Unlock()
	call, legible := b.read(e.req, project, q.Trusted, b.opts.Vet.Call)
	assessment, ruled := b.ruling(call, project, !moot)
	assessment = asWaits(assessment, e.req, q.Headless)
	stamp := ""
	if ruled == nil { // a person will look at it
		stamp = workspace.CallStamp(call)
	}

	b.mu.Lock()
	e.req.Assessment, e.req.Legible = &assessment, legible
	e.stamp = stamp
	end, grant := b.firstEnd(se, e.req, stamp, ruled)
	e.passing = end != nil
	e.unjudged = end == nil && b.held(q.SessionID) != ""
	b.mu.Unlock()
	if ruled != nil && end != ruled { // a stop or a freeze came in between
		b.unspend(assessment.Rules)
		b.stampLate(e, call)
	}

	var spoke []string
	if end != nil && end.By.Kind == ByRule {
		spoke = assessment.Rules
	}
	c := b.creation(b.withAsker(e, end == nil), end, spoke)
	if grant != nil {
		c.UseGrant = &GrantUse{ID: grant.ID, By: e.req.ID}
		c.Events = append(c.Events, newEvent(EventGrantUsed, e.req, map[string]string{"grant": grant.ID}))
	}
	unlock := b.withSession(c, se, q)
	err := b.commit(ctx, c)
	unlock(err)
	if err != nil {
		b.giveBack(grant, err)
		old, err := b.notInserted(ctx, e, q, err)
		if err != nil {
			return Request{}, err
		}
		return b.giveAgain(ctx, old, nil, q)
	}
	req := b.inserted(ctx, e, end, q)
	if end == nil && assessment.Verdict == rules.Defer && req.Held == "" {
		req = b.putOffByRule(ctx, req, assessment)
	}
	return req, nil
}

// moot reports whether rules have no say about se's calls now. Caller holds mu.
func (b *Broker) moot(se *sessionEntry) bool {
	return se.s.State == SessionStopping || se.s.State == SessionStopped || b.observing || se.s.Observed || b.held(se.s.ID) != ""
}

// firstEnd is the end that a new request has at once, nil when it must wait: a stop
// comes before everything, then a freeze, then that nothing is held, then a rule, then
// what the operator allowed late. Caller holds mu.
func (b *Broker) firstEnd(se *sessionEntry, req Request, stamp string, ruled *Outcome) (end *Outcome, used *Grant) {
	switch {
	case se.s.State == SessionStopping || se.s.State == SessionStopped:
		end = &Outcome{State: Denied, By: Actor{Kind: ByStop}}
	case b.held(se.s.ID) != "":
		return nil, nil
	case b.observing || se.s.Observed:
		end = &Outcome{State: Answered, By: Actor{Kind: ByObserve}, Reason: observed(*req.Assessment)}
	case ruled != nil:
		end = ruled
	case asksElsewhere(req):
		end = leftToAgent()
	case b.notRecording() != "": // a person may still allow it
		return b.besidePutOff(se, req), nil
	default:
		grant, ok := b.takeGrant(req, stamp)
		if !ok {
			end = b.besidePutOff(se, req)
			break
		}
		by := grant.By
		by.ID = grant.ID
		end, used = &Outcome{State: Allowed, By: by}, &grant
	}
	if end != nil {
		end.At = req.CreatedAt
	}
	return end, used
}

// withAsker returns e's request. Who is going to wait is watched, and a pid alone may
// be used again, so a waiting asker gets its start time.
func (b *Broker) withAsker(e *entry, waits bool) Request {
	b.mu.Lock()
	asker := e.req.Asker
	b.mu.Unlock()
	if waits && asker.PID != 0 && asker.Start == 0 {
		asker = FindProcess(asker.PID)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.req.Asker = asker
	return e.req
}

// creation is the change that records req, with its end when it has one, for which
// these rules spoke.
func (b *Broker) creation(req Request, end *Outcome, rules []string) *Change {
	c := &Change{Used: rules}
	if end == nil {
		c.Events = append(c.Events, newEvent(EventRequestCreated, req, createdData{
			Agent: req.Agent, Event: req.Event, ToolName: req.ToolName, Digest: req.Digest,
			SubagentID: req.SubagentID, ToolUseID: req.ToolUseID,
		}))
	} else {
		req.State, req.Outcome = end.State, end
		c.Events = append(c.Events, b.decidedEvent(req, *end, rules...))
		c.Sync = end.By.Kind == ByOperator
	}
	c.Insert = &req
	return c
}

type createdData struct {
	Agent      string `json:"agent"`
	Event      string `json:"event,omitempty"`
	ToolName   string `json:"tool_name"`
	Digest     string `json:"digest"`
	SubagentID string `json:"subagent_id,omitempty"`
	ToolUseID  string `json:"tool_use_id,omitempty"`
}

// inserted makes the recorded request visible: to watchers, deciders and its clock.
func (b *Broker) inserted(ctx context.Context, e *entry, end *Outcome, q Question) Request {
	b.mu.Lock()
	e.saved = true
	e.leftAt = time.Now() // who asked could not wait for it before, however long the disk took
	close(e.tried)
	if end != nil {
		if end.State == Answered && end.By.Kind == ByAgent {
			b.session(e.req.SessionID).asking(e.req)
		}
		b.finish(e, *end)
		defer b.mu.Unlock()
		return e.req
	}
	b.arm(e, e.req.ExpiresAt.Sub(e.req.CreatedAt))
	b.noteAsker(e, q.asker)
	e.req.Held = b.held(e.req.SessionID)
	b.publish(Update{Request: ptr(e.req)})
	se := b.session(e.req.SessionID)
	b.publishSession(se)
	stopped := se.s.State == SessionStopping || se.s.State == SessionStopped
	freed := e.unjudged && e.req.Held == ""
	asked := e.req
	b.mu.Unlock()
	if freed { // the freeze was lifted while the row was being written
		b.judgeAgain(asked)
	}
	if stopped { // the stop came while the row was being written
		_, _ = b.end(ctx, e.req.ID, Outcome{State: Denied, By: Actor{Kind: ByStop}})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return e.req
}

// notInserted undoes a reservation whose record failed. When the store knows the
// key from an earlier life, that request is the answer; everything else refuses.
func (b *Broker) notInserted(ctx context.Context, e *entry, q Question, cause error) (Request, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout) // others wait for this answer too
	defer cancel()
	old, err := b.recordedBefore(ctx, e.req.ID, q, cause)
	told := Outcome{State: Denied, By: Actor{Kind: ByBroker}, Reason: "not recorded", At: time.Now().UTC().Truncate(time.Millisecond)}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.instead, e.failure = old, err
	close(e.tried)
	b.finish(e, told)
	if storeFailed(cause) {
		b.unsaved[e.req.ID] = told // it may have been recorded after all
	}
	delete(b.requests, e.req.ID)
	if b.byKey[e.req.Key] == e {
		delete(b.byKey, e.req.Key)
	}
	return old, err
}

// recordedBefore is what the store has in place of q, whose record failed with cause.
func (b *Broker) recordedBefore(ctx context.Context, id string, q Question, cause error) (Request, error) {
	if !errors.Is(cause, ErrDuplicate) {
		b.log.ErrorContext(ctx, "request not recorded", "request_id", id, "session_id", q.SessionID, "err", cause)
		return Request{}, fmt.Errorf("%w: %w", ErrNotRecorded, cause)
	}
	old, err := b.store.RequestByKey(ctx, q.Key)
	if errors.Is(err, ErrNotFound) {
		old, err = b.store.Request(ctx, id)
	}
	if err != nil {
		return Request{}, fmt.Errorf("look up the recorded answer: %w", err)
	}
	if b.wasRefused(old.ID) {
		return Request{}, fmt.Errorf("%w: its record is not settled yet", ErrNotRecorded)
	}
	if !sameCall(old, q) || !old.State.Terminal() {
		return Request{}, ErrConflict
	}
	return old, nil
}

// wasRefused reports whether the asker of request id was told no, and the store does not
// know yet.
func (b *Broker) wasRefused(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, told := b.unsaved[id]
	return told
}

// giveBack puts back a grant whose use failed to be recorded: it still holds. If the
// use was recorded after all, the store refuses a second one.
func (b *Broker) giveBack(g *Grant, cause error) {
	if g == nil || errors.Is(cause, ErrGrantUsed) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	k := grantKey{g.SessionID, g.SubagentID, g.Digest}
	if _, newer := b.grants[k]; !newer {
		b.grants[k] = *g
	}
}

// join answers a question that was asked before. Who asks while the first one's record
// is still being made waits for it: what is not recorded is not accepted.
func (b *Broker) join(ctx context.Context, e *entry, q Question) (Request, error) {
	select {
	case <-e.tried:
	case <-ctx.Done():
		return Request{}, fmt.Errorf("%w: %w", ErrNotRecorded, ctx.Err())
	}
	b.mu.Lock()
	same, saved := sameCall(e.req, q), e.saved
	b.mu.Unlock()
	switch {
	case !same && saved:
		return Request{}, ErrConflict
	case !same: // what it would clash with came to nothing
		return b.Submit(ctx, q)
	case !saved && e.failure != nil:
		return Request{}, e.failure
	case !saved:
		return b.giveAgain(ctx, e.instead, nil, q)
	}
	b.mu.Lock()
	if e.req.Checkpoint != nil || e.busy != nil {
		b.mu.Unlock()
		return b.askedAgain(ctx, e, q)
	}
	if e.req.State.Terminal() {
		req := e.req
		b.mu.Unlock()
		return b.giveAgain(ctx, req, e, q)
	}
	defer b.mu.Unlock()
	e.agent, e.correlation, e.headless = q.Session.Process, q.Correlation, q.Headless
	before := e.req.MayWaitUntil
	if b.noteAsker(e, q.asker); e.req.MayWaitUntil != before {
		b.publish(Update{Request: ptr(e.req)})
	}
	if able := whyWaits(e.req, q.Headless) == ""; able != e.req.Deferrable { // a restart forgot it
		e.req.Deferrable = able
		b.publish(Update{Request: ptr(e.req)})
	}
	if q.Asker.PID != 0 && q.Asker.PID != e.req.Asker.PID {
		e.req.Asker = q.Asker // a pid without a start time: enough for the rest of one wait
	}
	e.bound = e.bound || q.Bound
	e.leftAt, e.hungUp = time.Now(), false
	b.log.DebugContext(ctx, "request asked again", "request_id", e.req.ID)
	return e.req, nil
}

// sameCall reports whether q asks for the very call that r is about. Two agents of
// one session never share a request.
func sameCall(r Request, q Question) bool {
	return r.Digest == q.Digest && r.SessionID == q.SessionID && r.SubagentID == q.SubagentID && r.Agent == q.Agent && r.Event == q.Event
}

// takeGrant removes and returns the grant that covers r, whose files have stamp now. It
// covers none whose files changed since it was allowed. Caller holds mu.
func (b *Broker) takeGrant(r Request, stamp string) (Grant, bool) {
	k := grantKey{r.SessionID, r.SubagentID, r.Digest}
	g, ok := b.grants[k]
	if allowed := b.grantStamps[g.ID]; !ok || allowed != "" && allowed != stamp {
		return Grant{}, false
	}
	delete(b.grants, k)
	return g, time.Now().Before(g.ExpiresAt)
}

func sortRequests(list []Request) {
	slices.SortFunc(list, func(a, b Request) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

func ptr[T any](v T) *T { return &v }
