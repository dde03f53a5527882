package orders

import (
	"fmt"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

// Need is what an order takes.
type Need struct {
	Role    members.Role // the least that may give it
	Acts    bool         // it changes something, so it is on record before it takes effect
	Refuses bool         // all that it can do is refuse: it holds without an owner, too
	MayWait bool         // for a machine that is out of reach
}

// The needs of the consoles' methods. One that is not here cannot be ordered from another machine:
// pairing, tokens, taking the broker over and reading any file are matters of the machine itself.
var (
	sees    = Need{Role: members.Watcher, Refuses: true}
	refuses = Need{Role: members.Guard, Acts: true, Refuses: true, MayWait: true}
	holds   = Need{Role: members.Guard, Acts: true, Refuses: true}
	allows  = Need{Role: members.Operator, Acts: true}

	needs = map[string]Need{
		"Calls.AssessEdited": sees,
		"Calls.History":      sees,
		"Calls.Story":        sees,
		"Calls.Defer":        holds,
		"Calls.Extend":       holds,

		"Sessions.Stop":          refuses,
		"Sessions.StopAll":       refuses,
		"Sessions.Kill":          holds, // not later: another process may have its number by then
		"Sessions.Processes":     sees,
		"Sessions.Interrupt":     holds,
		"Sessions.Acknowledge":   allows,
		"Sessions.ChangeSession": allows,
		"Sessions.Observe":       allows,
		"Sessions.Say":           allows,
		"Sessions.Launch":        allows,
		"Sessions.Resume":        allows,
		"Sessions.Timeline":      sees,
		"Sessions.Transcript":    sees,

		"Rules.SaveRule":       allows,
		"Rules.RemoveRule":     allows,
		"Rules.Preview":        sees,
		"Rules.Offer":          sees,
		"Rules.Suggest":        sees,
		"Rules.ProjectAt":      sees,
		"Rules.TrustFile":      allows,
		"Rules.Proposals":      sees,
		"Rules.AnswerProposal": allows,
		"Rules.Stats":          sees,
		"Rules.Tally":          sees,
		"Rules.Spending":       sees,
		"Rules.RuleTook":       sees,

		"Place.OtherHooks": sees,
		"Place.OurHooks":   sees,
	}
)

// NeedOf says what it takes to order a method with a body. Errors: ErrNoOrder, ErrNoDigest, and what
// is wrong with the body.
func NeedOf(method string, body []byte) (Need, error) {
	switch method {
	case "Calls.Decide", "Calls.DecideAll":
		var in consoles.Decided
		if err := keys.Decode(body, &in); err != nil {
			return Need{}, err
		}
		return ofDecision(&in)
	case "Calls.Freeze":
		var in consoles.Switch
		if err := keys.Decode(body, &in); err != nil {
			return Need{}, err
		}
		if in.On {
			return refuses, nil
		}
		return allows, nil
	}
	n, ok := needs[method]
	if !ok {
		return Need{}, fmt.Errorf("%w: %q", ErrNoOrder, broker.Clip(method))
	}
	return n, nil
}

// ofDecision is what a decision needs. Whatever lets a call run, or leaves it to its agent, names the
// call that was shown: the machine refuses another one under the same id.
func ofDecision(in *consoles.Decided) (Need, error) {
	if in.Decision.Verdict == broker.Deny {
		return refuses, nil
	}
	if in.ID != "" && in.Decision.Digest == "" {
		return Need{}, ErrNoDigest
	}
	for _, p := range in.Picks {
		if p.Digest == "" {
			return Need{}, ErrNoDigest
		}
	}
	return allows, nil
}
