package proposals

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
)

func newList() (l *List, pass func(time.Duration)) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	return New(func() time.Time { return now }), func(d time.Duration) { now = now.Add(d) }
}

func propose(t *testing.T, l *List, project string) broker.Proposal {
	t.Helper()
	p, err := l.Propose(broker.Proposal{Project: project, Effects: effects.Of(effects.Look)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A proposal waits as long as its asker is heard of.
func TestAskerLeaves(t *testing.T) {
	l, pass := newList()
	p := propose(t, l, "/shop")
	for range 5 {
		pass(leaves)
		if got, err := l.Proposed(p.ID); err != nil || got.State != broker.Proposed {
			t.Fatalf("%+v %v", got, err)
		}
	}
	pass(leaves + 1)
	if list := l.Proposals(); len(list) != 0 {
		t.Errorf("its asker left, and there is %+v", list)
	}
	if _, err := l.Proposed(p.ID); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// The first answer counts, and its asker learns what was saved.
func TestAnswer(t *testing.T) {
	l, _ := newList()
	p := propose(t, l, "/shop")
	l.AnswerProposal(p.ID, &broker.SavedRule{Rule: rules.Rule{ID: "r"}})
	l.AnswerProposal(p.ID, nil)
	got, err := l.Proposed(p.ID)
	if err != nil || got.State != broker.ProposalGranted || got.Rule.ID != "r" || len(l.Proposals()) != 0 {
		t.Errorf("%+v %v", got, err)
	}
}

// Who was told no cannot ask again at once, and nobody fills the list.
func TestLimits(t *testing.T) {
	l, pass := newList()
	p := propose(t, l, "/shop")
	if _, err := l.Propose(broker.Proposal{Project: "/shop"}); !errors.Is(err, broker.ErrNotNow) {
		t.Errorf("a second one for the project: %v", err)
	}
	l.AnswerProposal(p.ID, nil)
	if _, err := l.Propose(broker.Proposal{Project: "/shop"}); !errors.Is(err, broker.ErrNotNow) {
		t.Errorf("after a no: %v", err)
	}
	for i := range most {
		propose(t, l, fmt.Sprint("/p", i))
	}
	if _, err := l.Propose(broker.Proposal{Project: "/one more"}); !errors.Is(err, broker.ErrNotNow) {
		t.Errorf("%v", err)
	}
	pass(kept + 1)
	propose(t, l, "/shop")
}

// An agent keeps nobody from asking: a person's proposal takes the place of its own, where that is about the
// project and where the list is full. Between agents, and between persons, the first one stays.
func TestAgentsMakeWay(t *testing.T) {
	l, _ := newList()
	agent := func(project string) (broker.Proposal, error) {
		return l.Propose(broker.Proposal{Project: project, Agent: "it comes from an agent"})
	}
	first, _ := agent("/shop")
	if _, err := agent("/shop"); !errors.Is(err, broker.ErrNotNow) {
		t.Errorf("a second agent: %v", err)
	}
	p := propose(t, l, "/shop")
	if _, err := l.Proposed(first.ID); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("the agent's is still there: %v", err)
	}
	if _, err := agent("/shop"); !errors.Is(err, broker.ErrNotNow) {
		t.Errorf("an agent after a person: %v", err)
	}
	l.AnswerProposal(p.ID, &broker.SavedRule{})
	for i := range most {
		if _, err := agent(fmt.Sprint("/p", i)); err != nil {
			t.Fatal(err)
		}
	}
	propose(t, l, "/one more")
	if list := l.Proposals(); len(list) != most || list[0].Project != "/p1" {
		t.Errorf("%+v", list)
	}
}

// A no to an agent holds for minutes, and only for agents.
func TestNoToAnAgent(t *testing.T) {
	l, pass := newList()
	asks := broker.Proposal{Project: "/shop", Agent: "it comes from an agent"}
	p, err := l.Propose(asks)
	if err != nil {
		t.Fatal(err)
	}
	l.AnswerProposal(p.ID, nil)
	pass(quiet)
	if _, err := l.Propose(asks); !errors.Is(err, broker.ErrNotNow) {
		t.Errorf("it asks again: %v", err)
	}
	propose(t, l, "/shop")
	pass(quiet)
	if _, err := l.Propose(asks); err != nil {
		t.Errorf("after a while: %v", err)
	}
}
