package calls

import (
	"context"
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// maxAgain is how often an answer that lets a call run is given again. An honest client asks a
// few times when its connection breaks. More often it would be a way to run the same call without
// end.
const maxAgain = 16

// giveAgain gives an answer once more that lets req's call run, or says why not. pid is of who
// asks; 0: not known.
func (cs *Calls) giveAgain(ctx context.Context, req broker.Request, pid int) (broker.Request, error) {
	// What speaks against it is found before, since it takes the disk; the engine adds what it
	// knows itself.
	r := cs.o.Engine.Do(engine.Replay{Call: req, Why: cs.speaksAgainst(ctx, req), PID: pid})
	if errors.Is(r.Err, broker.ErrAnsweredBefore) {
		by := broker.Actor{Kind: broker.ByAgent, PID: pid}
		if pid != 0 {
			by.Exe, by.TTY = peers.Describe(pid)
		}
		cs.noteReplayed(req, r.Err, by)
	}
	if r.Err != nil {
		return broker.Request{}, r.Err
	}
	return r.Call, nil
}

// noteReplayed records that an answer was not given again.
func (cs *Calls) noteReplayed(req broker.Request, err error, by broker.Actor) {
	cs.o.Records.NoteRefusal(req, broker.RefusedData{Wanted: broker.WantsAgain, Kind: broker.Replayed, Detail: broker.WhyBefore(err), By: by})
}

// speaksAgainst says what the log, the rules and the files have against giving an answer again
// that let req's call run; "" when nothing.
//
// It is asked for every allow that is told twice: after a broken connection, a restart, or when
// two hooks ask about one call.
func (cs *Calls) speaksAgainst(ctx context.Context, req broker.Request) string {
	if req.Outcome.By.Kind == broker.ByObserve { // it depends on whether calls are held now, and the engine knows that
		return ""
	}
	x, known := cs.o.View.Seen(req.ID, time.Now())
	given := req.Outcome.At
	if known && !x.GivenAt.IsZero() {
		given = x.GivenAt
	}
	// A time in the future is a clock that was set back, and then nobody knows how old the answer
	// is.
	if away := time.Since(given); away > engine.ReplayFor || away < -engine.ReplayFor {
		return "its answer is too old"
	}
	if why := cs.heardSince(ctx, req); why != "" {
		return why
	}
	look := cs.o.View.Look(&req)
	call, _ := cs.o.Policy.Read(req, look.Project, req.Vouched())
	if a := cs.o.Policy.Assess(call, look.Project); a.Verdict == rules.Deny {
		return "a rule denies it now: " + cs.o.Policy.DenyReason(a)
	}
	if req.Outcome.By.Kind == broker.ByRule { // whatever the files hold
		return ""
	}
	// In memory there is the stamp of what was shown, which tells more than the times of files.
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
func (cs *Calls) heardSince(ctx context.Context, req broker.Request) string {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	events, err := cs.o.Store.Events(ctx, broker.EventFilter{
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
		// An agent in a later turn asks for something new, even if it looks the same.
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

// Tellable is r as its asker may be told of it now. Errors: those of giveAgain. A refusal is
// always told, also under a freeze: it lets nothing run.
func (cs *Calls) Tellable(ctx context.Context, r broker.Request) (broker.Request, error) {
	if !broker.LetsRun(r) || !cs.o.View.MayBeKept(r.ID, r.SessionID) {
		return r, nil
	}
	told := cs.o.Engine.Do(engine.Tell{Call: r})
	switch {
	case told.Err != nil:
		return broker.Request{}, told.Err
	case told.Replay:
		return cs.giveAgain(ctx, told.Call, r.Asker.PID)
	}
	return told.Call, nil
}

// Some agents ask twice about one call, once before every tool and once before tools of one
// kind, and the second question has no id. Where both are hooked, what was allowed the first
// time is allowed the second time, once and at once, unless something came in between.

// AllowedFirst reports whether h asks again about a call that was just allowed, and takes note
// of that. pid is of who asks; 0: not known. In all doubt it is a question of its own.
func (cs *Calls) AllowedFirst(ctx context.Context, h agents.Hook, pid int) bool {
	first := cs.o.Engine.Do(engine.TwinQuestion{Hook: h})
	if !first.Done {
		return false
	}
	r := cs.o.Engine.Do(engine.Replay{Call: first.Call, Why: cs.speaksAgainst(ctx, first.Call), PID: pid})
	if r.Err != nil {
		cs.o.Log.DebugContext(ctx, "asked twice, and a question of its own", "request_id", first.Call.ID, "err", r.Err)
	}
	return r.Err == nil && r.Done
}
