package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// GiveDeferred gives the agent that asks again for the call of req the answer that is on record,
// however old it is. It does so once; who asks another time is answered as after any other call.
func (cs *Calls) GiveDeferred(ctx context.Context, req broker.Request) (broker.Request, error) {
	why := ""
	// Only an answer that would let the call run can be out of date. A refusal holds for ever.
	if x, ok := cs.o.View.Seen(req.ID, time.Now()); ok && x.Owed && req.State == broker.Allowed {
		why = cs.outdated(ctx, x)
	}
	r := cs.o.Engine.Do(engine.Give{ID: req.ID, Why: why})
	switch {
	// The answer was given before. It is now one like any other, and its second giving has the
	// rules of those.
	case r.Replay:
		req = cs.o.Records.Latest(ctx, req)
		if !broker.LetsRun(req) {
			return req, nil
		}
		return cs.giveAgain(ctx, req, 0)
	case errors.Is(r.Err, broker.ErrAnsweredBefore):
		detail := strings.TrimPrefix(broker.WhyBefore(r.Err), "it was allowed while it was deferred, and ")
		cs.o.Records.NoteRefusal(req, broker.RefusedData{Wanted: broker.WantsAgain, Kind: broker.Replayed, Detail: detail, By: broker.Actor{Kind: broker.ByAgent}})
	}
	if r.Err != nil {
		return broker.Request{}, r.Err
	}
	return r.Call, nil
}

// outdated says why what a person allowed while the call was put off must not run any more.
// It is neither the answer's age nor that the turn ended: both are as they should be.
//
// Days may lie between a person's yes and the agent's return, so more is asked here than
// elsewhere: the log since then, the rules, and every file.
func (cs *Calls) outdated(ctx context.Context, x engine.Seen) string {
	req, project, stamp := x.Request, x.Look.Project, x.Stamp
	r := x.Look.Rules
	switch doubt := cmp.Or(r.Doubt, r.Unread, r.Stuck); {
	case x.Look.Stopped:
		return "its session is stopped"
	case doubt != "":
		return "nothing is allowed without a person now: " + doubt
	case x.Look.Alarm != "":
		return "its session has an alarm that nobody has acknowledged"
	}
	if why := cs.ranMeanwhile(ctx, req); why != "" {
		return why
	}
	call, _ := cs.o.Policy.Read(req, project, req.Vouched())
	if len(req.Outcome.UpdatedInput) > 0 { // that is what would run
		edited := req
		edited.ToolInput = req.Outcome.UpdatedInput
		call, _ = cs.o.Policy.Read(edited, project, req.Vouched())
		stamp = ""
	}
	switch a := cs.o.Policy.Assess(call, project); {
	case a.Verdict == rules.Deny:
		return "a rule denies it now: " + cs.o.Policy.DenyReason(a)
	// A person's yes stands without a rule. A rule's yes needs the rule to say so still.
	case req.Outcome.By.Kind == broker.ByRule && a.Verdict != rules.Allow && !cs.hadLastUse(ctx, req, call):
		return "the rules do not allow it any more"
	}
	// Without a stamp, as after a restart, times of change must do.
	if stamp != "" && workspace.CallStamp(call) != stamp || stamp == "" && workspace.TouchedSince(call, req.Outcome.At) {
		return "a file that it names changed"
	}
	return ""
}

// hadLastUse reports whether the rules that allowed req would do so now, had it not had one
// of their uses. A rule with one use would otherwise never get its answer through: the use was
// this very call.
func (cs *Calls) hadLastUse(ctx context.Context, req broker.Request, call *rules.Call) bool {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	events, err := cs.o.Store.Events(ctx, broker.EventFilter{
		SessionID: req.SessionID, Since: req.Outcome.At, Until: req.Outcome.At, Types: []string{broker.EventRequestDecided},
	})
	if err != nil {
		return false
	}
	set := cs.o.View.Rules().Set
	for _, ev := range events {
		var d broker.DecidedData
		if ev.RequestID != req.ID || json.Unmarshal(ev.Data, &d) != nil {
			continue
		}
		for _, id := range d.Rules {
			if set, err = cs.withoutUse(set, id); err != nil {
				return false
			}
		}
	}
	return set.Judge(call, time.Now()).Verdict == rules.Allow
}

// withoutUse is set with one use of rule id given back. The set itself is not changed: it is
// shared by all who judge.
func (cs *Calls) withoutUse(set *rules.Set, id string) (*rules.Set, error) {
	r, ok := cs.o.View.Rule(id)
	if !ok || r.Uses == 0 {
		return set, nil
	}
	r.Uses--
	return set.With(r)
}

// mostSince is how many events are looked at after the answer of a call that was put off.
const mostSince = 10_000

// ranMeanwhile says what the log has after req's decision that speaks against its answer.
func (cs *Calls) ranMeanwhile(ctx context.Context, req broker.Request) string {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	events, err := cs.o.Store.Events(ctx, broker.EventFilter{
		SessionID: req.SessionID, Since: req.Outcome.At, Types: []string{broker.EventPostTool, broker.EventStopRequested, broker.EventAnswerWithheld}, Limit: mostSince,
	})
	switch {
	case err != nil:
		return "what came since cannot be read"
	// Not to know is a reason against it.
	case len(events) == mostSince:
		return "too much happened since" // there may be more
	}
	for _, ev := range events {
		switch {
		case ev.Type == broker.EventStopRequested:
			return "its session was stopped meanwhile"
		case ev.Type == broker.EventAnswerWithheld && ev.RequestID == req.ID:
			return "its asker was refused when it was made"
		case ev.Type == broker.EventAnswerWithheld:
			continue
		}
		if broker.RanCall(ev, req.ToolUseID) {
			return "the call has already run"
		}
	}
	return ""
}

// IsHeir reports whether the conversation talk may have the answer of request id. That of a
// call that was put off is for who asked again for the call, and not for who knows its id. A call
// that is no longer in memory, or is owed nothing, has no heir to look for.
func (cs *Calls) IsHeir(id, talk string) bool {
	x, ok := cs.o.View.Seen(id, time.Now())
	return !ok || !x.Owed || talk != "" && talk == x.Heir
}
