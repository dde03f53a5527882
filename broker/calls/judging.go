package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/vet"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Between showing a call and allowing it, a link may be pointed elsewhere and a script be
// rewritten: what runs would not be what was shown. A stamp covers, for every path that the call
// names, where it leads, and for files that the call would change or run also which content they
// have.

// assessing is how a call is looked at again.
type assessing struct {
	anew bool   // its files count as they are now: nobody has seen them here yet, or they changed
	ends bool   // it also gets the end that it would have if it came now
	rule string // of which this rule must be one that speaks
}

// Refresh brings the card of a waiting or late call up to date, with its files as they are now.
// It ends nothing: whoever calls it wants the card to be true, not decided.
func (cs *Calls) Refresh(id string) { cs.lookAgain(id, assessing{anew: true}) }

// Reread is Refresh, and gives the call the end that it would have if it came now.
func (cs *Calls) Reread(id string) { cs.lookAgain(id, assessing{anew: true, ends: true}) }

// RulesChanged brings the cards of all waiting calls up to date, and ends those that rule id
// decides; "" ends none. It returns those that it ended. A rule that has few uses decides the
// oldest calls, in the order in which they were asked.
func (cs *Calls) RulesChanged(rule string) []broker.Request {
	return cs.reassess(cs.o.Records.PendingIDs(), assessing{ends: rule != "", rule: rule})
}

// lookAgain brings the card of a waiting or late call up to date. It returns the call, and
// whether that ended it.
func (cs *Calls) lookAgain(id string, how assessing) (broker.Request, bool) {
	return cs.assessed(cs.assessment(workspace.NewPaths(), id, how), how)
}

// assessment is what is found out of call id now; nil when there is nothing to find out.
func (cs *Calls) assessment(f *workspace.Paths, id string, how assessing) *engine.Assess {
	x, ok := cs.o.View.Seen(id, time.Now())
	if !ok {
		return nil
	}
	call, legible := cs.o.Policy.ReadAt(f, x.Request, x.Look.Project, x.Request.Vouched())
	// The parse guard has no room now. The card keeps what it says rather than say less.
	if x.Request.Assessment != nil && call.Unread() == vet.Busy {
		return nil // still busy
	}
	in := engine.Assess{ID: id, Judged: cs.o.Policy.Judge(call, x.Look.Project, legible), Was: x.Stamp, Anew: how.anew, Ends: how.ends, Rule: how.rule}
	// The stamp is taken after the judgement, of the same reading of the paths, so both speak of
	// the same files.
	in.Judged.Stamp = workspace.CallStamp(call)
	if a := &in.Judged.Assessment; a.NeedsTwo {
		a.AllowedBy = cs.firsts.allowedBy(&x.Request, in.Judged.Stamp)
	}
	return &in
}

// assessed sends in, and looks again where that is old by now. nil means that there was nothing
// to find out, and is no error.
func (cs *Calls) assessed(in *engine.Assess, how assessing) (broker.Request, bool) {
	for range mostLooks {
		if in == nil {
			return broker.Request{}, false
		}
		r := cs.o.Engine.Do(*in)
		if !errors.Is(r.Err, engine.ErrLookAgain) {
			return cs.deferred(r, in.Judged, how), r.Done
		}
		in = cs.assessment(workspace.NewPaths(), in.ID, how)
	}
	return broker.Request{}, false
}

// deferred puts a waiting call off where the rules say so now, as one that came now. A rule's
// change does not put calls off: it is only for what comes, or comes back, on its own.
func (cs *Calls) deferred(r engine.Reply, j engine.Judged, how assessing) broker.Request {
	c := r.Call
	if how.ends && how.rule == "" && c.State == broker.Pending && j.Assessment.Verdict == rules.Defer && c.Deferrable && c.Checkpoint == nil && c.Held == "" {
		return cs.putOffByRule(context.Background(), c, j)
	}
	return c
}

// lookedAt is how many waiting calls are looked at before those that are decided end.
const lookedAt = 256

// reassess looks at waiting calls again, many together: they share what is known of the disk.
// It returns those that it ended. The disk is read beside, and the inputs are sent one after the
// other: which call a rule with one use left decides must not depend on which file was read
// first.
func (cs *Calls) reassess(ids []string, how assessing) []broker.Request {
	var ended []broker.Request
	for list := range slices.Chunk(ids, lookedAt) {
		found := make([]*engine.Assess, len(list))
		workspace.InParallel(len(list), func(i int, f *workspace.Paths) { found[i] = cs.assessment(f, list[i], how) })
		for _, in := range found { // in their order: a rule may have few uses
			if r, done := cs.assessed(in, how); done {
				ended = append(ended, r)
			}
		}
	}
	return ended
}

// unchanged compares the files of a waiting or late call with what they were when it was shown,
// and returns their stamp. When one changed, the card starts anew with what is there now, and
// the error is ErrChanged: whoever wants to allow the call has to look again.
//
// The stamp goes to the engine with the decision. There it is compared with the card's once more,
// so nothing can slip in between.
func (cs *Calls) unchanged(ctx context.Context, id string) (stamp string, err error) {
	x, ok := cs.o.View.Seen(id, time.Now())
	if !ok || !x.Open() {
		return "", nil // ended already: the caller learns that next
	}
	call, _ := cs.o.Policy.Read(x.Request, x.Look.Project, x.Request.Vouched())
	if stamp = workspace.CallStamp(call); stamp == x.Stamp {
		return stamp, nil
	}
	cs.lookAgain(id, assessing{anew: true})
	after, _ := cs.o.View.Request(id)
	// The files may be the same: what differs is that the text could be read this time, or could
	// not. The card says so, and the operator looks again.
	if was, is := x.Request.Assessment, after.Assessment; was != nil && is != nil && was.Unread != is.Unread {
		return "", broker.ErrReadAnew
	}
	cs.o.Log.InfoContext(ctx, "a file of a waiting call changed", "request_id", id)
	return "", broker.ErrChanged
}

// A call may be allowed with another input than it was asked with. That input comes from an
// operator and is judged like any other: by rules and risk, through the vetter, when it is shown
// and again when it is allowed.

// AssessEdited says what request id would be with input in place of its own, and what the rules
// say of that, and how dangerous it is then. It decides nothing. Errors: ErrNotFound, ErrInvalid (the
// agent or the tool takes no such input). The seal that it returns covers the files that the new
// input names. Decide compares it when the input is allowed.
func (cs *Calls) AssessEdited(ctx context.Context, id string, input json.RawMessage) (broker.Edited, error) {
	req, err := cs.o.Records.Request(ctx, id)
	if err == nil {
		err = broker.TakesInput(req, input)
	}
	if err != nil {
		return broker.Edited{}, broker.While(err, "edit %s", id)
	}
	e, _ := cs.o.Policy.Edited(req, input)
	return e, nil
}

// mayEdit reports why d must not allow req with the input that it brings, else the version of
// the rules that say so.
func (cs *Calls) mayEdit(req broker.Request, d broker.Decision) (version int, err error) {
	if err := broker.TakesInput(req, d.UpdatedInput); err != nil {
		return 0, err
	}
	e, version := cs.o.Policy.Edited(req, d.UpdatedInput)
	switch {
	case e.Request.NeedsTwo():
		return 0, fmt.Errorf("%w with its new input: deny it and say what to run instead", broker.ErrTwo)
	case e.Deny != "":
		return 0, fmt.Errorf("%w: %s", broker.ErrRefused, e.Deny)
	case d.Seal != "" && d.Seal != e.Seal:
		return 0, broker.ErrChanged
	case e.Dangerous() && !d.Dangerous:
		return 0, fmt.Errorf("%w with its new input: %s", broker.ErrDangerous, cmp.Or(e.Request.Assessment.Why, "it touches aoctl's own files"))
	}
	return version, nil
}
