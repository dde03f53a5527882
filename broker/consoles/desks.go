package consoles

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/calls"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/tally"
)

// The orders of a console: one method each, with what it takes and what it
// gives back. act is for those that change something, read for the others.
type (
	callDesk    struct{ *visit }
	sessionDesk struct{ *visit }
	ruleDesk    struct{ *visit }
	placeDesk   struct{ *visit }
)

// What orders take, where that is more than an id.
type (
	// Decided is a decision about some calls.
	Decided struct {
		ID       string          `json:"id,omitempty"`
		Picks    []broker.Pick   `json:"picks,omitempty"`
		Decision broker.Decision `json:"decision"`
	}
	// Edit is another input for a call.
	Edit struct {
		ID    string          `json:"id"`
		Input json.RawMessage `json:"input"`
	}
	// Switch switches something on or off for a session, "" for all.
	Switch struct {
		Session string `json:"session"`
		On      bool   `json:"on"`
	}
	// Changed is what is to be otherwise about a session.
	Changed struct {
		Session string               `json:"session"`
		Change  broker.SessionChange `json:"change"`
	}
	// Text is said to a session.
	Text struct {
		Session string `json:"session"`
		Text    string `json:"text"`
	}
	// Part of a transcript, and what the console has of it.
	Part struct {
		Session string               `json:"session"`
		Part    story.TranscriptPart `json:"part"`
		Have    story.TranscriptSpan `json:"have"`
	}
	// Trusted is a rules file with the content that was read.
	Trusted struct {
		Path   string `json:"path"`
		Digest string `json:"digest"`
	}
	// Answered is what became of a proposal.
	Answered struct {
		ID    string            `json:"id"`
		Saved *broker.SavedRule `json:"saved,omitempty"`
	}
	// Minted is a token to be made.
	Minted struct {
		Kind  broker.TokenKind `json:"kind"`
		Label string           `json:"label"`
	}
	// Since is a time from which a session's calls are counted, all for "".
	Since struct {
		Session string    `json:"session"`
		Since   time.Time `json:"since"`
	}
	// Heard is what an agent's hooks hear of.
	Heard struct {
		Agent   string `json:"agent"`
		Event   string `json:"event"`
		Tool    string `json:"tool"`
		Project string `json:"project"`
	}
	// StoppedAll says what StopAll did.
	StoppedAll struct {
		Sessions int `json:"sessions"`
		Denied   int `json:"denied"`
	}
	// Ended is a session whose processes were ended.
	Ended struct {
		Session broker.Session `json:"session"`
		Killed  broker.Killed  `json:"killed"`
	}
)

func (d callDesk) Decide(in Decided, out *Reply[broker.Request]) error {
	return act(d.visit, out, func(by broker.Actor) (broker.Request, error) {
		in.Decision.By = by
		return d.server.o.Broker.Decide(d.ctx, in.ID, in.Decision)
	})
}

func (d callDesk) DecideAll(in Decided, out *Reply[[]broker.Request]) error {
	return act(d.visit, out, func(by broker.Actor) ([]broker.Request, error) {
		in.Decision.By = by
		return d.server.o.Broker.DecideAll(d.ctx, in.Picks, in.Decision)
	})
}

func (d callDesk) AssessEdited(in Edit, out *Reply[broker.Edited]) error {
	return read(d.visit, out, func() (broker.Edited, error) { return d.server.o.Broker.AssessEdited(d.ctx, in.ID, in.Input) })
}

func (d callDesk) Defer(id string, out *Reply[broker.Request]) error {
	return act(d.visit, out, func(by broker.Actor) (broker.Request, error) { return d.server.o.Broker.Defer(d.ctx, id, by) })
}

func (d callDesk) Extend(id string, out *Reply[broker.Request]) error {
	return act(d.visit, out, func(by broker.Actor) (broker.Request, error) { return d.server.o.Broker.Extend(d.ctx, id, by) })
}

func (d callDesk) Freeze(in Switch, out *Reply[struct{}]) error {
	return act(d.visit, out, func(by broker.Actor) (struct{}, error) {
		return only(d.server.o.Broker.Freeze(d.ctx, in.Session, in.On, by))
	})
}

func (d callDesk) History(limit int, out *Reply[[]broker.Request]) error {
	return read(d.visit, out, func() ([]broker.Request, error) { return d.server.o.Broker.History(d.ctx, limit) })
}

func (d callDesk) Story(id string, out *Reply[story.Story]) error {
	return read(d.visit, out, func() (story.Story, error) { return d.server.o.Broker.Story(d.ctx, id) })
}

func (d sessionDesk) Stop(id string, out *Reply[broker.Session]) error {
	return act(d.visit, out, func(by broker.Actor) (broker.Session, error) { return d.server.o.Broker.Stop(d.ctx, id, by) })
}

func (d sessionDesk) StopAll(_ struct{}, out *Reply[StoppedAll]) error {
	return act(d.visit, out, func(by broker.Actor) (s StoppedAll, err error) {
		s.Sessions, s.Denied, err = d.server.o.Broker.StopAll(d.ctx, by)
		return s, err
	})
}

func (d sessionDesk) Processes(id string, out *Reply[broker.Killed]) error {
	return read(d.visit, out, func() (broker.Killed, error) { return d.server.o.Broker.Processes(d.ctx, id) })
}

func (d sessionDesk) Kill(id string, out *Reply[Ended]) error {
	return act(d.visit, out, func(by broker.Actor) (e Ended, err error) {
		e.Session, e.Killed, err = d.server.o.Broker.Kill(d.ctx, id, by)
		return e, err
	})
}

func (d sessionDesk) ChangeSession(in Changed, out *Reply[broker.Session]) error {
	return act(d.visit, out, func(by broker.Actor) (broker.Session, error) {
		return d.server.o.Broker.ChangeSession(d.ctx, in.Session, in.Change, by)
	})
}

func (d sessionDesk) Acknowledge(id string, out *Reply[struct{}]) error {
	return act(d.visit, out, func(by broker.Actor) (struct{}, error) { return only(d.server.o.Broker.Acknowledge(d.ctx, id, by)) })
}

func (d sessionDesk) Observe(in Switch, out *Reply[struct{}]) error {
	return act(d.visit, out, func(by broker.Actor) (struct{}, error) {
		return only(d.server.o.Broker.Observe(d.ctx, in.Session, in.On, by))
	})
}

func (d sessionDesk) Say(in Text, out *Reply[broker.Session]) error {
	return act(d.visit, out, func(by broker.Actor) (broker.Session, error) {
		return d.server.o.Broker.Say(d.ctx, in.Session, in.Text, by)
	})
}

func (d sessionDesk) Interrupt(id string, out *Reply[struct{}]) error {
	return act(d.visit, out, func(by broker.Actor) (struct{}, error) { return only(d.server.o.Broker.Interrupt(d.ctx, id, by)) })
}

func (d sessionDesk) Launch(n broker.NewRun, out *Reply[broker.Session]) error {
	return act(d.visit, out, func(by broker.Actor) (broker.Session, error) { return d.server.o.Broker.Launch(d.ctx, n, by) })
}

func (d sessionDesk) Resume(id string, out *Reply[broker.Resumption]) error {
	return act(d.visit, out, func(by broker.Actor) (broker.Resumption, error) { return d.server.o.Broker.Resume(d.ctx, id, by) })
}

func (d sessionDesk) Timeline(f broker.EventFilter, out *Reply[[]story.Moment]) error {
	return read(d.visit, out, func() ([]story.Moment, error) { return d.server.o.Broker.Timeline(d.ctx, f) })
}

func (d sessionDesk) Transcript(in Part, out *Reply[story.Transcript]) error {
	return read(d.visit, out, func() (story.Transcript, error) {
		return d.server.o.Broker.Transcript(d.ctx, in.Session, in.Part, in.Have)
	})
}

func (d ruleDesk) SaveRule(r rules.Rule, out *Reply[broker.SavedRule]) error {
	return act(d.visit, out, func(by broker.Actor) (broker.SavedRule, error) { return d.server.o.Broker.SaveRule(d.ctx, r, by) })
}

func (d ruleDesk) RemoveRule(id string, out *Reply[struct{}]) error {
	return act(d.visit, out, func(by broker.Actor) (struct{}, error) { return only(d.server.o.Broker.RemoveRule(d.ctx, id, by)) })
}

func (d ruleDesk) Preview(r rules.Rule, out *Reply[broker.Preview]) error {
	return read(d.visit, out, func() (broker.Preview, error) { return d.server.o.Broker.Preview(d.ctx, r) })
}

func (d ruleDesk) Offer(id string, out *Reply[[]rules.Rule]) error {
	return read(d.visit, out, func() ([]rules.Rule, error) { return d.server.o.Broker.Offer(d.ctx, id) })
}

func (d ruleDesk) Suggest(_ struct{}, out *Reply[history.Suggestions]) error {
	return read(d.visit, out, func() (history.Suggestions, error) { return d.server.o.Broker.Suggest(d.ctx) })
}

func (d ruleDesk) ProjectAt(dir string, out *Reply[broker.Project]) error {
	return read(d.visit, out, func() (broker.Project, error) { return d.server.o.Broker.ProjectAt(d.ctx, dir), nil })
}

func (d ruleDesk) TrustFile(in Trusted, out *Reply[struct{}]) error {
	return act(d.visit, out, func(by broker.Actor) (struct{}, error) {
		return only(d.server.o.Broker.TrustFile(d.ctx, in.Path, in.Digest, by))
	})
}

func (d ruleDesk) Proposals(_ struct{}, out *Reply[[]broker.Proposal]) error {
	return read(d.visit, out, func() ([]broker.Proposal, error) { return d.server.o.Broker.Proposals(), nil })
}

func (d ruleDesk) AnswerProposal(in Answered, out *Reply[struct{}]) error {
	return act(d.visit, out, func(broker.Actor) (struct{}, error) {
		d.server.o.Broker.AnswerProposal(in.ID, in.Saved)
		return struct{}{}, nil
	})
}

func (d ruleDesk) MintToken(in Minted, out *Reply[string]) error {
	return act(d.visit, out, func(by broker.Actor) (string, error) {
		return d.server.o.Broker.MintToken(d.ctx, in.Kind, in.Label, by)
	})
}

func (d ruleDesk) Tokens(_ struct{}, out *Reply[[]broker.Token]) error {
	return read(d.visit, out, func() ([]broker.Token, error) { return d.server.o.Broker.Tokens(d.ctx), nil })
}

func (d ruleDesk) RevokeToken(id string, out *Reply[struct{}]) error {
	return act(d.visit, out, func(by broker.Actor) (struct{}, error) { return only(d.server.o.Broker.RevokeToken(d.ctx, id, by)) })
}

func (d ruleDesk) Stats(in Since, out *Reply[broker.Stats]) error {
	return read(d.visit, out, func() (broker.Stats, error) { return d.server.o.Broker.Stats(d.ctx, in.Session, in.Since) })
}

func (d ruleDesk) Tally(since time.Time, out *Reply[tally.Report]) error {
	return read(d.visit, out, func() (tally.Report, error) { return d.server.o.Broker.Tally(d.ctx, since) })
}

func (d ruleDesk) Spending(r tally.Report, out *Reply[tally.Report]) error {
	return read(d.visit, out, func() (tally.Report, error) { return d.server.o.Broker.Spending(d.ctx, r) })
}

func (d ruleDesk) RuleTook(_ struct{}, out *Reply[calls.Took]) error {
	return read(d.visit, out, func() (calls.Took, error) { return d.server.o.Broker.RuleTook(), nil })
}

func (d placeDesk) ReadFile(path string, out *Reply[[]byte]) error {
	return read(d.visit, out, func() ([]byte, error) { return d.server.o.Place.ReadFile(path) })
}

func (d placeDesk) Stamp(path string, out *Reply[string]) error {
	return read(d.visit, out, func() (string, error) { return d.server.o.Place.Stamp(path), nil })
}

func (d placeDesk) OtherHooks(in Heard, out *Reply[[]string]) error {
	return read(d.visit, out, func() ([]string, error) {
		return d.server.o.Place.OtherHooks(in.Agent, in.Event, in.Tool, in.Project), nil
	})
}

func (d placeDesk) OurHooks(_ struct{}, out *Reply[[]string]) error {
	return read(d.visit, out, func() ([]string, error) { return d.server.o.Place.OurHooks(), nil })
}

// Leave ends the broker for the console that asks, as soon as that has hung up.
func (d placeDesk) Leave(_ struct{}, out *Reply[[]string]) error {
	return act(d.visit, out, func(by broker.Actor) ([]string, error) {
		if d.server.o.Leave == nil {
			return nil, ErrScreen
		}
		flags, end, err := d.server.o.Leave(by)
		if err == nil {
			context.AfterFunc(d.ctx, end)
		}
		return flags, err
	})
}

// JoinFleet has the broker be a machine of a fleet.
func (d placeDesk) JoinFleet(m Membership, out *Reply[struct{}]) error {
	return act(d.visit, out, func(by broker.Actor) (struct{}, error) {
		if d.server.o.Fleet == nil {
			return struct{}{}, ErrNoOrder
		}
		return only(d.server.o.Fleet.Join(d.ctx, m, by))
	})
}

// LeaveFleet ends that.
func (d placeDesk) LeaveFleet(_ struct{}, out *Reply[struct{}]) error {
	return act(d.visit, out, func(by broker.Actor) (struct{}, error) {
		if d.server.o.Fleet == nil {
			return struct{}{}, ErrNoOrder
		}
		return only(d.server.o.Fleet.Leave(d.ctx, by))
	})
}

// Fleet says how the broker's link with its fleet is.
func (d placeDesk) Fleet(_ struct{}, out *Reply[FleetStatus]) error {
	return read(d.visit, out, func() (FleetStatus, error) {
		if d.server.o.Fleet == nil {
			return FleetStatus{}, nil
		}
		return d.server.o.Fleet.Status(), nil
	})
}
