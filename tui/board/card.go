package board

import (
	"reflect"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/guard"
)

// Card is one call as the console keeps it. What the operator has seen of it belongs
// to the call as it was drawn: when the call or its risk changes, that counts no more
// (Unread).
type Card struct {
	Req       broker.Request
	lateUntil int64 // Unix time in seconds; 0 while the call waits

	Sending  broker.Verdict // the verdict that is on its way to the broker, empty when none is
	Later    bool           // its machine is out of reach, and denies it when it is back
	SeenEnd  bool           // the call's last line has been on the screen
	SeenRow  bool           // the whole call has been on the screen as a row of the queue
	Changed  bool           // a file of the call changed while it waited
	Reminded bool           // the half-time bell has rung
	rev      int            // counts what has changed about the call since it came
	Code     string         // what allows a dangerous call, made when it is first drawn

	Files    map[string]change.File // what the call would change, or a plan's file, by path; nil until it is first drawn
	Sections []change.Section       // the call compared with them, nil when it changes no files
	Rest     []wire.Field           // of its input: what sections do not show
	Reading  *reading               // the call taken apart, until its files were read
	Ask      *callview.Answering    // a question's form, nil when it is none

	Sum      callview.Summary // computed when first needed
	kind     string           // what the call is alike to, computed when first needed
	haystack string           // lower-case text for the filter, computed when first needed
}

// Late reports whether the call ended without a person's answer, and may still be
// allowed.
func (c *Card) Late() bool { return c.lateUntil != 0 }

// Key names c as it is drawn now: a call that has become late, or of which something
// has changed, is another card to decide about.
func (c *Card) Key() guard.Drawn {
	return guard.Drawn{ID: c.Req.ID, Digest: c.Req.Digest, Late: c.Late(), Rev: c.rev}
}

// Still is the card that was drawn as k; nil when it is gone, or another one to decide
// about by now. Whatever acts on a drawn call asks it, just before it acts.
func (b *Board) Still(k guard.Drawn) *Card {
	c := b.Cards[k.ID]
	if c == nil || c.Key() != k {
		return nil
	}
	return c
}

// reading is a call taken apart.
type reading struct {
	change.Changes
	OK bool
}

// Read takes c's call apart. It is kept as long as that may be asked for again.
func (c *Card) Read() *reading {
	if c.Reading == nil {
		c.Reading = &reading{}
		c.Reading.Changes, c.Reading.OK = change.ChangesOf(c.Req)
		c.Reading.Known = map[[2]string][]diff.Line{}
	}
	return c.Reading
}

// PlanPath is PlanFile of c, when it is about a plan.
func (c *Card) PlanPath() (string, bool) {
	tool, input := c.Req.Call()
	if tool != agents.ExitPlanMode {
		return "", false
	}
	return callview.PlanFile(change.ReadInput(input), c.Req.CWD)
}

// PlanFile is what is known of the file that holds c's plan.
func (c *Card) PlanFile() change.File {
	path, _ := c.PlanPath()
	return c.Files[path]
}

// Dialog is the common name of c's tool when it is a question to the user or a plan,
// else "".
func (c *Card) Dialog() string { return callview.DialogOf(c.Req) }

// WantForm prepares the form of a question that waits, once for each card. There is
// none for an agent that takes no answers from a hook, and none for a call that is
// dangerous.
func (c *Card) WantForm() {
	if c.Ask != nil || c.Late() || c.Dialog() != agents.AskUserQuestion || c.Dangerous() {
		return
	}
	if t := agents.TraitsOf(c.Req.Agent); !t.Answers || !t.Edit {
		return
	}
	_, input := c.Req.Call()
	if f, err := forms.Read(input); err == nil {
		c.Ask = callview.NewAnswering(f)
	}
}

// Summary is the call on one line, worked out when it is first drawn.
func (c *Card) Summary() callview.Summary {
	if !c.Sum.Ready {
		tool, _ := c.Req.Call()
		if rd := c.Read(); rd.OK {
			c.Sum = callview.NewSummary(tool).OfChanges(rd.Changes, c.Req.CWD)
		} else {
			c.Sum = callview.SummaryOf(c.Req)
		}
	}
	return c.Sum
}

// Class is how dangerous the call is. What nobody has judged is normal.
func (c *Card) Class() risk.Class {
	if a := c.Req.Assessment; a != nil {
		return a.Class
	}
	return risk.Normal
}

// Dangerous reports whether only a typed code allows the call.
func (c *Card) Dangerous() bool { return c.Class() >= risk.Dangerous }

// renew takes in the new value of a call that still waits. Where the rules or its
// files have changed, what is drawn has too, and is another card to decide about; when
// it means something else now, it has not been read either.
func (c *Card) renew(r broker.Request) {
	before, after := c.Req.Assessment, r.Assessment
	// A new deadline deserves a reminder of its own.
	c.Reminded = c.Reminded && c.Req.ExtendedAt.Equal(r.ExtendedAt)
	c.Req = r
	if reflect.DeepEqual(before, after) {
		return
	}
	c.rev++
	if !sameMeaning(before, after) {
		c.Unread()
	}
}

// Unread forgets that anything of c was on the screen, and what was read of its files.
// The code goes too: one that was read for another meaning must not allow this one.
func (c *Card) Unread() {
	c.rev++
	c.SeenEnd, c.SeenRow, c.Code, c.kind = false, false, "", ""
	c.Files, c.Sections, c.Rest, c.Ask = nil, nil, nil, nil
}

// sameMeaning reports whether two assessments say the same of what a call does,
// whatever the rules say about it.
func sameMeaning(x, y *rules.Assessment) bool {
	if x == nil || y == nil {
		return x == y
	}
	if !reflect.DeepEqual(x.Risk, y.Risk) || len(x.Elements) != len(y.Elements) {
		return false
	}
	for i := range x.Elements {
		e, f := x.Elements[i], y.Elements[i]
		// Only what the rules say of an element is evened out; what it does is
		// compared.
		e.Verdict, e.Rule, e.Why, e.Matches, e.Idle = f.Verdict, f.Rule, f.Why, f.Matches, f.Idle
		if !reflect.DeepEqual(e, f) {
			return false
		}
	}
	return true
}

// Held reports whether a freeze keeps c from being allowed.
func (c *Card) Held() bool { return c.Req.Held != "" && !c.Late() }

// Span is since when the call of c waits for its present deadline, and how long that
// is as a whole.
func (c *Card) Span() (since time.Time, whole time.Duration) {
	since = c.Req.CreatedAt
	if c.Req.ExtendedAt.After(since) {
		since = c.Req.ExtendedAt
	}
	return since, c.Req.ExpiresAt.Sub(since)
}

// MayWait reports whether whoever asked would wait for longer than the deadline, as
// far as that is known.
func (c *Card) MayWait() bool {
	return c.Req.MayWaitUntil.IsZero() || c.Req.MayWaitUntil.Sub(c.Req.ExpiresAt) >= time.Second
}

// PutOff reports whether the call of c waits without holding its agent.
func (c *Card) PutOff() bool { return !c.Late() && c.Req.Checkpoint != nil }
