package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// mostLooks is how often something is looked at anew because the rules or the files change
// meanwhile.
const mostLooks = 100

// Submit records q and returns its request: pending, or already decided by a rule, a grant or a
// stop. The same key and digest again is the same request, with the recorded answer if it has
// one; see giveAgain.
//
// Errors: ErrInvalid, ErrConflict (known key, other call), ErrAnsweredBefore, ErrTooMany,
// ErrTooFast, ErrTooManySessions, ErrNotRecorded, ErrClosed. After an error the call must not run.
func (b *Broker) Submit(ctx context.Context, q broker.Question) (broker.Request, error) {
	if err := q.Validate(); err != nil {
		return broker.Request{}, err
	}
	q.LimitTimes(time.Now())
	q.Waits = b.patience(&q) // before a record is made, which takes from their time
	if q.ID == "" {
		v7, err := uuid.NewV7()
		if err != nil {
			return broker.Request{}, fmt.Errorf("make a request id: %w", err)
		}
		q.ID = v7.String()
	}
	q.Digest = broker.Digest(q.ToolName, q.ToolInput, q.CWD)
	if q.Key == "" {
		q.Key = "id:" + q.ID
	}
	ask := engine.Ask{Question: q, Living: b.living(q), Start: startOf(q)}
	for range mostLooks {
		r := b.loop.Do(ask)
		if r.Look != nil {
			r = b.insert(ctx, ask, *r.Look)
		}
		if r.Err == nil && !r.Done {
			b.log.DebugContext(ctx, "request asked again", "request_id", r.Call.ID)
		}
		switch {
		case errors.Is(r.Err, engine.ErrLookAgain):
		case errors.Is(r.Err, broker.ErrDuplicate):
			return b.answeredEarlier(ctx, q)
		case r.Err != nil:
			return broker.Request{}, r.Err
		case r.Replay:
			return b.giveAgain(ctx, r.Call, q.Asker.PID)
		default:
			return r.Call, nil
		}
	}
	return broker.Request{}, fmt.Errorf("%w: the rules keep changing", broker.ErrNotRecorded)
}

// living is the process of q's session if that is another one than asks now, and lives: under a
// stop it stays the session's.
func (b *Broker) living(q broker.Question) broker.Process {
	s, ok := b.view.Session(q.SessionID)
	if ok && s.State.UnderStop() && s.Process.PID != 0 && q.Session.Process.PID != 0 && s.Process != q.Session.Process && b.opts.Alive(s.Process) {
		return s.Process
	}
	return broker.Process{}
}

// startOf says how q's agent was started, where its call may be put off.
func startOf(q broker.Question) (how engine.How) {
	if q.Session.Process.PID == 0 || broker.WhyWaits(q.Request, q.Headless) != "" {
		return how
	}
	how.Program, how.Args = peers.StartedHow(q.Agent, q.Session.Process)
	how.Forgets = peers.Forgets(q.Agent, q.Session.Process)
	return how
}

// insert judges a new call and puts it in.
func (b *Broker) insert(ctx context.Context, ask engine.Ask, look engine.Look) engine.Reply {
	q := &ask.Question
	call, legible := b.policy.Read(q.Request, look.Project, q.Trusted, b.opts.Vet.Call)
	j := b.policy.Judge(call, look.Project, legible)
	ends := broker.EndsCall(j.Assessment) && !look.Moot
	if !ends { // a person may look at it
		j.Stamp = workspace.CallStamp(call)
		if q.Asker.PID != 0 && q.Asker.Start == 0 { // who is going to wait is watched, and a pid alone may be used again
			q.Asker = peers.FindProcess(q.Asker.PID)
		}
	}
	r := b.loop.Do(engine.Insert{Ask: ask, Judged: j})
	if r.Err == nil && r.Call.State == broker.Pending && ends { // a stop or a freeze came in between
		b.lookAgain(r.Call.ID, assessing{anew: true})
	}
	if r.Err == nil && r.Call.State == broker.Pending && r.Call.Held == "" && j.Assessment.Verdict == rules.Defer {
		r.Call = b.putOffByRule(ctx, r.Call, j)
	}
	return r
}

// answeredEarlier is the answer to q, which an earlier console has on record.
func (b *Broker) answeredEarlier(ctx context.Context, q broker.Question) (broker.Request, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	old, err := b.store.RequestByKey(ctx, q.Key)
	if errors.Is(err, broker.ErrNotFound) {
		old, err = b.store.Request(ctx, q.ID)
	}
	switch {
	case err != nil:
		return broker.Request{}, fmt.Errorf("look up the recorded answer: %w", err)
	case b.view.Owes(old.ID): // its asker was told no, and the store does not know yet
		return broker.Request{}, fmt.Errorf("%w: its record is not settled yet", broker.ErrNotRecorded)
	case !broker.SameCall(old, q) || !old.State.Terminal():
		return broker.Request{}, broker.ErrConflict
	case q.Bound && broker.LetsRun(old): // who does not wait is told an id and no answer
		return b.giveAgain(ctx, old, q.Asker.PID)
	}
	return old, nil
}

// maxAgain is how often an answer that lets a call run is given again.
const maxAgain = 16

// giveAgain gives an answer once more that lets req's call run, or says why not. pid is of who
// asks; 0: not known.
func (b *Broker) giveAgain(ctx context.Context, req broker.Request, pid int) (broker.Request, error) {
	r := b.loop.Do(engine.Replay{Call: req, Why: b.speaksAgainst(ctx, req), PID: pid})
	if errors.Is(r.Err, broker.ErrAnsweredBefore) {
		by := broker.Actor{Kind: broker.ByAgent, PID: pid}
		if pid != 0 {
			by.Exe, by.TTY = peers.Describe(pid)
		}
		b.noteReplayed(req, r.Err, by)
	}
	if r.Err != nil {
		return broker.Request{}, r.Err
	}
	return r.Call, nil
}

// noteReplayed records that an answer was not given again.
func (b *Broker) noteReplayed(req broker.Request, err error, by broker.Actor) {
	b.noteRefusal(req, broker.RefusedData{Wanted: broker.WantsAgain, Kind: broker.Replayed, Detail: engine.Why(err), By: by})
}

// speaksAgainst says what the log, the rules and the files have against giving an answer again
// that let req's call run; "" when nothing.
func (b *Broker) speaksAgainst(ctx context.Context, req broker.Request) string {
	if req.Outcome.By.Kind == broker.ByObserve { // it depends on whether calls are held now, and the engine knows that
		return ""
	}
	x, known := b.view.Seen(req.ID, time.Now())
	given := req.Outcome.At
	if known && !x.GivenAt.IsZero() {
		given = x.GivenAt
	}
	if away := time.Since(given); away > engine.ReplayFor || away < -engine.ReplayFor {
		return "its answer is too old"
	}
	if why := b.heardSince(ctx, req); why != "" {
		return why
	}
	look := b.view.Look(&req)
	call, _ := b.policy.Read(req, look.Project, req.Vouched(), b.opts.Vet.Call)
	if a := b.policy.Assess(call, look.Project); a.Verdict == rules.Deny {
		return "a rule denies it now: " + b.policy.DenyReason(a)
	}
	if req.Outcome.By.Kind == broker.ByRule { // whatever the files hold
		return ""
	}
	changed := workspace.TouchedSince(call, req.Outcome.At)
	if known {
		changed = workspace.CallStamp(call) != x.Stamp
	}
	if changed {
		return "a file that it names changed"
	}
	return ""
}

// heardSince says what the log has after req's decision that ends its answer.
func (b *Broker) heardSince(ctx context.Context, req broker.Request) string {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	events, err := b.store.Events(ctx, broker.EventFilter{
		SessionID: req.SessionID, Since: req.Outcome.At,
		Types: []string{broker.EventRequestDecided, broker.EventPostTool, broker.EventTurnEnd, broker.EventUser, broker.EventStopRequested, broker.EventAnsweredAgain, broker.EventTakenUpAgain, broker.EventAnswerWithheld},
	})
	if err != nil {
		return "what came since cannot be read"
	}
	again := 0
	for _, e := range events { // newest first
		switch e.Type {
		case broker.EventRequestDecided:
			if e.RequestID == req.ID {
				return ""
			}
		case broker.EventTakenUpAgain:
			if e.RequestID == req.ID {
				return "" // its answer was given then
			}
		case broker.EventPostTool:
			if broker.RanCall(e, req.ToolUseID) {
				return "the call has already run"
			}
		case broker.EventTurnEnd, broker.EventUser:
			return "its turn is over"
		case broker.EventStopRequested:
			return "its session was stopped meanwhile"
		case broker.EventAnswerWithheld:
			if e.RequestID == req.ID {
				return "its asker was refused when it was made"
			}
		case broker.EventAnsweredAgain:
			if e.RequestID == req.ID {
				if again++; again >= maxAgain {
					return "it was answered too often"
				}
			}
		}
	}
	return "too much happened since" // its decision is further back than is looked
}

// tellable is r as its asker may be told of it now. Errors: those of giveAgain.
func (b *Broker) tellable(ctx context.Context, r broker.Request) (broker.Request, error) {
	if !broker.LetsRun(r) || !b.view.MayBeKept(r.ID, r.SessionID) {
		return r, nil
	}
	told := b.loop.Do(engine.Tell{Call: r})
	switch {
	case told.Err != nil:
		return broker.Request{}, told.Err
	case told.Replay:
		return b.giveAgain(ctx, told.Call, r.Asker.PID)
	}
	return told.Call, nil
}

// heard notes that whoever asked for request id was told its end.
func (b *Broker) heard(id string) { b.loop.Tell(engine.Heard{ID: id}) }

// Some agents ask twice about one call, once before every tool and once before tools of one
// kind, and the second question has no id. Where both are hooked, what was allowed the first
// time is allowed the second time, once and at once, unless something came in between.

// allowedFirst reports whether h asks again about a call that was just allowed, and takes note
// of that. In all doubt it is a question of its own.
func (b *Broker) allowedFirst(ctx context.Context, h agents.Hook, a asking) bool {
	first := b.loop.Do(engine.Again{Hook: h})
	if !first.Done {
		return false
	}
	r := b.loop.Do(engine.Replay{Call: first.Call, Why: b.speaksAgainst(ctx, first.Call), PID: a.client.PID})
	if r.Err != nil {
		b.log.DebugContext(ctx, "asked twice, and a question of its own", "request_id", first.Call.ID, "err", r.Err)
	}
	return r.Err == nil && r.Done
}
