// Package proposals keeps what processes ask the operator to let agents do in a project
// ("aoctl trust"), until the person at the console's keyboard answers or the asker leaves.
//
// A proposal goes in by Propose, is read by its asker with Proposed, again and again, and is shown
// by the console, which lists them with Proposals and says with AnswerProposal what became of one.
// Nothing here allows anything: what is granted is a rule, which the console saves in the
// operator's name as any other.
//
// Proposals are no part of the record. They live in memory and end with the console. One whose asker
// was not heard of for some seconds is gone, so that a card never asks for somebody who left.
// Every process of the user may propose, an agent too; so there are few at a time, one for each
// project, and who was told no is not heard again for a while. What an agent proposes makes way for a
// process that is no agent's, so that no agent can keep a person from asking.
//
// The room has a lock of its own, as it holds nothing that the engine decides by.
package proposals

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
)

const (
	// most is how many proposals wait at a time.
	most = 8
	// leaves is how long nothing is heard of an asker before it counts as gone. It asks every second.
	leaves = 10 * time.Second
	// kept is how long an answer waits for its asker, and how long a no holds.
	kept = time.Minute
	// quiet is how long a no to an agent holds: a program does not tire of asking.
	quiet = 10 * time.Minute
)

// List is the proposals. Several goroutines may use it.
type List struct {
	now func() time.Time

	mu   sync.Mutex
	list []*proposal // oldest first
}

type proposal struct {
	broker.Proposal
	heard    time.Time // of its asker
	answered time.Time // zero while it waits
}

// New makes an empty list; now is the clock.
func New(now func() time.Time) *List { return &List{now: now} }

// Propose takes a proposal in and returns it with its id. Errors: broker.ErrNotNow.
func (l *List) Propose(p broker.Proposal) (broker.Proposal, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tidy()
	if p.Agent == "" {
		l.makeRoom(p.Project)
	}
	for _, old := range l.list {
		switch {
		case old.Project != p.Project:
		case old.State == broker.Proposed:
			return broker.Proposal{}, notNow("something is proposed for this project already")
		// A no to an agent is none to a person.
		case old.State == broker.ProposalDeclined && (old.Agent == "" || p.Agent != ""):
			return broker.Proposal{}, notNow("one for this project was declined a while ago")
		}
	}
	if n := len(l.waiting()); n >= most {
		return broker.Proposal{}, notNow(fmt.Sprintf("%d proposals wait already", n))
	}
	p.ID, p.State, p.CreatedAt = uuid.NewString(), broker.Proposed, broker.Instant(l.now())
	l.list = append(l.list, &proposal{Proposal: p, heard: l.now()})
	return p, nil
}

// makeRoom takes off the list what an agent holds there and a person would have to wait for: its proposal
// for the project, and where the list is full, the oldest one of an agent.
func (l *List) makeRoom(project string) {
	agents := func(p *proposal) bool { return p.Agent != "" && p.State == broker.Proposed }
	l.list = slices.DeleteFunc(l.list, func(p *proposal) bool { return agents(p) && p.Project == project })
	if len(l.waiting()) < most {
		return
	}
	if i := slices.IndexFunc(l.list, agents); i >= 0 {
		l.list = slices.Delete(l.list, i, i+1)
	}
}

func notNow(why string) error { return fmt.Errorf("%w: %s", broker.ErrNotNow, why) }

// Proposed is a proposal as it stands, for its asker. Errors: broker.ErrNotFound.
func (l *List) Proposed(id string) (broker.Proposal, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tidy()
	p := l.find(id)
	if p == nil {
		return broker.Proposal{}, broker.While(broker.ErrNotFound, "proposal %s", broker.Clip(id))
	}
	p.heard = l.now()
	return p.Proposal, nil
}

// Proposals are those that wait, oldest first.
func (l *List) Proposals() (list []broker.Proposal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tidy()
	return l.waiting()
}

func (l *List) waiting() (list []broker.Proposal) {
	for _, p := range l.list {
		if p.State == broker.Proposed {
			list = append(list, p.Proposal)
		}
	}
	return list
}

// AnswerProposal notes what became of a proposal: the rule that was saved, or nil for a no. One that
// is gone, or was answered before, is left alone.
func (l *List) AnswerProposal(id string, saved *broker.SavedRule) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.find(id)
	if p == nil || p.State != broker.Proposed {
		return
	}
	p.State, p.answered = broker.ProposalDeclined, l.now()
	if saved != nil {
		p.State, p.Rule, p.Decided = broker.ProposalGranted, &saved.Rule, saved.Decided
	}
}

func (l *List) find(id string) *proposal {
	if i := slices.IndexFunc(l.list, func(p *proposal) bool { return p.ID == id }); i >= 0 {
		return l.list[i]
	}
	return nil
}

// tidy lets go of what nobody waits for.
func (l *List) tidy() {
	now := l.now()
	l.list = slices.DeleteFunc(l.list, func(p *proposal) bool {
		if p.State == broker.Proposed {
			return now.Sub(p.heard) > leaves
		}
		if p.Agent != "" && p.State == broker.ProposalDeclined {
			return now.Sub(p.answered) > quiet
		}
		return now.Sub(p.answered) > kept
	})
}
