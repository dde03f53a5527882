//go:build linux

package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// Each way in which a log can say what nobody ordered is found, and nothing else.
func TestAuditFindsWhatNobodyOrdered(t *testing.T) {
	self := &exec.Cmd{Process: &os.Process{Pid: 7}}
	ana := party{Member: members.Member{Name: "ana", Role: members.Operator}}
	byAna := broker.Actor{Kind: broker.ByOperator, ID: broker.FleetID(ana.ID(), ana.Name)}
	order := broker.Event{Type: broker.EventFleetOrder, Data: broker.NewEvent(broker.Event{}.At, "", broker.Request{}, orders.Taken{Operator: ana.ID(), Name: ana.Name, Method: "Calls.Decide"}).Data}
	ended := func(by broker.Actor, s broker.State) broker.Event {
		e := broker.NewEvent(broker.Event{}.At, broker.EventRequestDecided, broker.Request{}, broker.DecidedData{Status: s, By: by})
		e.RequestID = "r"
		return *e
	}
	allowed, rule := ended(byAna, broker.Allowed), ended(broker.Actor{Kind: broker.ByRule}, broker.Allowed)
	for name, c := range map[string]struct {
		log                         []broker.Event
		presses                     []*press
		told                        string
		unordered, twice, otherwise int
	}{
		"by an order":          {log: []broker.Event{order, allowed}, presses: []*press{{who: 0, verdict: broker.Allow}}, told: "allow"},
		"by no order":          {log: []broker.Event{allowed}, presses: []*press{{who: 0, verdict: broker.Allow}}, told: "allow", unordered: 1},
		"by an order to deny":  {log: []broker.Event{order, allowed}, presses: []*press{{who: 0, verdict: broker.Deny}}, told: "allow", unordered: 1},
		"by nobody's key":      {log: []broker.Event{order, allowed}, told: "allow", unordered: 1},
		"by a stranger":        {log: []broker.Event{order, ended(broker.Actor{Kind: broker.ByOperator, ID: broker.FleetID("x", "y")}, broker.Allowed)}, told: "allow", unordered: 1},
		"by time":              {log: []broker.Event{ended(broker.Actor{Kind: broker.ByDeadline}, broker.Allowed)}, told: "allow", unordered: 1},
		"at the machine":       {log: []broker.Event{ended(broker.Actor{Kind: broker.ByOperator, PID: 7}, broker.Allowed)}, presses: []*press{{who: ownConsole, verdict: broker.Allow}}, told: "allow"},
		"of itself there":      {log: []broker.Event{ended(broker.Actor{Kind: broker.ByOperator, PID: 7}, broker.Allowed)}, told: "allow", unordered: 1},
		"by a rule":            {log: []broker.Event{rule}, told: "allow"},
		"twice":                {log: []broker.Event{rule, rule}, told: "allow", twice: 1},
		"told otherwise":       {log: []broker.Event{ended(broker.Actor{Kind: broker.ByRule}, broker.Denied)}, told: "allow", otherwise: 1},
		"told, not on record":  {told: "deny", otherwise: 1},
		"denied when too late": {log: []broker.Event{ended(broker.Actor{Kind: broker.ByDeadline}, broker.Expired)}, told: "deny"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := &trial{world: &world{people: []party{ana}}, journal: newJournal(), boxes: []*box{{last: 1, cmd: self}}}
			tr.journal.presses["r"] = c.presses
			tr.journal.told(asked{kind: held, answer: ask.Answer{RequestID: "r", Verdict: c.told}})
			a := audit{t: tr, ends: map[string]broker.DecidedData{}}
			given := map[string]int{}
			for i := range c.log {
				a.decision(0, &c.log[i], given)
			}
			a.answers()
			if len(a.unordered) != c.unordered || len(a.twice) != c.twice || len(a.otherwise) != c.otherwise {
				t.Errorf("it finds %q, %q, %q", a.unordered, a.twice, a.otherwise)
			}
		})
	}
}
