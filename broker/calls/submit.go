package calls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Submit records q and returns its request: pending, or already decided by a rule, a grant or a
// stop. The same key and digest again is the same request, with the recorded answer if it has
// one; see giveAgain.
//
// Errors: ErrInvalid, ErrConflict (known key, other call), ErrAnsweredBefore, ErrTooMany,
// ErrTooFast, ErrTooManySessions, ErrNotRecorded, ErrClosed. After an error the call must not run.
//
// The steps are these: the question is checked and gets its id, key and digest; the engine looks
// whether it knows the call or has room for it; if it is new the call is judged, and put in with
// the judgement in one transaction.
func (cs *Calls) Submit(ctx context.Context, q broker.Question) (broker.Request, error) {
	began := time.Now()
	if err := q.Validate(); err != nil {
		return broker.Request{}, err
	}
	q.LimitTimes(began)
	q.Waits = cs.patience(&q) // before a record is made, which takes from their time
	if q.ID == "" {
		v7, err := uuid.NewV7()
		if err != nil {
			return broker.Request{}, fmt.Errorf("make a request id: %w", err)
		}
		q.ID = v7.String()
	}
	q.Digest = broker.Digest(q.ToolName, q.ToolInput, q.CWD)
	if q.Key == "" {
		q.Key = broker.OwnKey(q.ID)
	}
	// What needs the process table is found here: the loop must not wait for it.
	ask := engine.Ask{Question: q, Living: cs.o.Records.Living(q), Start: startOf(q)}
	for range mostLooks {
		r := cs.o.Engine.Do(ask)
		if r.Look != nil {
			r = cs.insert(ctx, ask, *r.Look)
		}
		if r.Err == nil && !r.Done {
			cs.o.Log.DebugContext(ctx, "request asked again", "request_id", r.Call.ID)
		}
		switch {
		case errors.Is(r.Err, engine.ErrLookAgain):
		// The store has this id or key from an earlier life of the console.
		case errors.Is(r.Err, broker.ErrDuplicate):
			return cs.answeredEarlier(ctx, q)
		case r.Err != nil:
			return broker.Request{}, r.Err
		case r.Replay:
			return cs.giveAgain(ctx, r.Call, q.Asker.PID)
		default:
			if r.Done {
				cs.note(r.Call, time.Since(began))
			}
			return r.Call, nil
		}
	}
	return broker.Request{}, fmt.Errorf("%w: the rules keep changing", broker.ErrNotRecorded)
}

// startOf says how q's agent was started, where its call may be put off. It reads the process
// table, so it is not asked for calls that could not be put off anyway.
func startOf(q broker.Question) (how engine.How) {
	if q.Session.Process.PID == 0 || broker.WhyWaits(q.Request, q.Headless) != "" {
		return how
	}
	how.Program, how.Args = peers.StartedHow(q.Agent, q.Session.Process)
	how.Forgets = peers.Forgets(q.Agent, q.Session.Process)
	return how
}

// insert judges a new call and puts it in.
func (cs *Calls) insert(ctx context.Context, ask engine.Ask, look engine.Look) engine.Reply {
	q := &ask.Question
	call, legible := cs.o.Policy.Read(q.Request, look.Project, q.Trusted)
	j := cs.o.Policy.Judge(call, look.Project, legible)
	// Nobody looks at the files of a call that a rule ends, so their stamp, which costs reads of
	// the disk, is left out.
	ends := broker.EndsCall(j.Assessment) && !look.Moot
	if !ends { // a person may look at it
		j.Stamp = workspace.CallStamp(call)
		if q.Asker.PID != 0 && q.Asker.Start == 0 { // who is going to wait is watched, and a pid alone may be used again
			q.Asker = peers.FindProcess(q.Asker.PID)
		}
	}
	r := cs.o.Engine.Do(engine.Insert{Ask: ask, Judged: j})
	if r.Err == nil && r.Call.State == broker.Pending && ends { // a stop or a freeze came in between
		cs.lookAgain(r.Call.ID, assessing{anew: true})
	}
	if r.Err == nil && r.Call.State == broker.Pending && r.Call.Held == "" && j.Assessment.Verdict == rules.Defer {
		r.Call = cs.putOffByRule(ctx, r.Call, j)
	}
	return r
}

// answeredEarlier is the answer to q, which an earlier console has on record. Its context does
// not end with the caller's: who hangs up here must not turn a recorded answer into a failure.
func (cs *Calls) answeredEarlier(ctx context.Context, q broker.Question) (broker.Request, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	old, err := cs.o.Store.RequestByKey(ctx, q.Key)
	if errors.Is(err, broker.ErrNotFound) {
		old, err = cs.o.Store.Request(ctx, q.ID)
	}
	switch {
	case err != nil:
		return broker.Request{}, fmt.Errorf("look up the recorded answer: %w", err)
	case cs.o.View.Owes(old.ID): // its asker was told no, and the store does not know yet
		return broker.Request{}, broker.ErrUnsettled
	case !broker.SameCall(old, q) || !old.State.Terminal():
		return broker.Request{}, broker.ErrConflict
	// A restart is no reason to let a call run twice, so it is checked like any other replay.
	case q.Bound && broker.LetsRun(old): // who does not wait is told an id and no answer
		return cs.giveAgain(ctx, old, q.Asker.PID)
	}
	return old, nil
}

// patience is that of who asks q, counted from now. It is taken once, before anything is written,
// so that time spent on recording counts against the wait and the asker's clock agrees with ours.
func (cs *Calls) patience(q *broker.Question) broker.Patience {
	if !q.Waits.Until.IsZero() {
		return q.Waits
	}
	now, timeout := time.Now(), max(min(q.Timeout, broker.MaxTimeout), cs.o.Limits.Timeout(q))
	p := broker.Patience{Until: now.Add(timeout)}
	if q.AtMost > 0 {
		p.Most = now.Add(min(max(q.AtMost, timeout), broker.MaxTimeout))
	}
	return p
}
