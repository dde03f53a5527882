package far

import (
	"maps"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// at is something of a machine, by the machine's id and what the machine calls it.
type at struct{ machine, id string }

// ids tells apart what machines call the same. What one machine alone has goes by its own id here,
// too; where another machine has that id already, the machine's name is added. Whatever was called so
// once keeps that name as long as it is there.
type ids struct {
	of    map[string]at // by the id here
	other map[at]string // what is called otherwise here than on its machine
}

func newIDs() *ids { return &ids{of: map[string]at{}, other: map[at]string{}} }

// mostIDs is how many are kept before those are forgotten that are no more.
const mostIDs = 1 << 16

// out is what something of a machine is called here. "" stays "".
func (n *ids) out(machine broker.Machine, id string) string {
	if id == "" {
		return ""
	}
	k := at{machine.ID, id}
	if here, ok := n.other[k]; ok {
		return here
	}
	for _, here := range []string{id, id + "@" + machine.Name, id + "@" + machine.ID} {
		if has, ok := n.of[here]; ok && has != k {
			continue
		}
		n.of[here] = k
		if here != id {
			n.other[k] = here
		}
		return here
	}
	return id + "@" + machine.ID // it stands for another one's: nobody's id looks like that by chance
}

// in is what is called so here.
func (n *ids) in(here string) (at, bool) {
	k, ok := n.of[here]
	return k, ok
}

// prune forgets what is no more, once there is much of it.
func (n *ids) prune(lives func() map[at]bool) {
	if len(n.of) < mostIDs {
		return
	}
	live := lives()
	maps.DeleteFunc(n.of, func(_ string, k at) bool { return !live[k] })
	maps.DeleteFunc(n.other, func(k at, _ string) bool { return !live[k] })
}

// naming gives what machines tell the ids that it has here.
type naming struct {
	sessions, requests, proposals *ids
	live                          func() map[at]bool // all calls and sessions that are drawn
}

// drawn is an update of a machine with the ids that things have here. What u points to is left as it
// is.
func (n *naming) drawn(m broker.Machine, u broker.Update) broker.Update {
	n.sessions.prune(n.live)
	n.requests.prune(n.live)
	switch {
	case u.Session != nil:
		return broker.Update{Session: new(n.session(m, *u.Session))}
	case u.Request != nil:
		return broker.Update{Request: new(n.request(m, *u.Request))}
	case u.Health != nil:
		h := *u.Health
		h.Floods, h.Settings = slices.Clone(h.Floods), slices.Clone(h.Settings)
		for i := range h.Floods {
			h.Floods[i].SessionID = n.sessions.out(m, h.Floods[i].SessionID)
		}
		for i := range h.Settings {
			h.Settings[i].SessionID = n.sessions.out(m, h.Settings[i].SessionID)
		}
		return broker.Update{Health: &h}
	case u.Rules != nil:
		b := *u.Rules
		b.Rules = slices.Clone(b.Rules)
		for i := range b.Rules {
			b.Rules[i] = n.rule(m, b.Rules[i])
		}
		return broker.Update{Rules: &b}
	}
	return u
}

func (n *naming) session(m broker.Machine, s broker.Session) broker.Session {
	s.ID, s.Machine = n.sessions.out(m, s.ID), m.ID
	if s.Alarm != nil {
		s.Alarm = n.alarm(m, *s.Alarm)
	}
	return s
}

func (n *naming) request(m broker.Machine, r broker.Request) broker.Request {
	r.ID, r.SessionID = n.requests.out(m, r.ID), n.sessions.out(m, r.SessionID)
	if r.Alarm != nil {
		r.Alarm = n.alarm(m, *r.Alarm)
	}
	return r
}

func (n *naming) alarm(m broker.Machine, a broker.Alarm) *broker.Alarm {
	a.SessionID, a.RequestID = n.sessions.out(m, a.SessionID), n.requests.out(m, a.RequestID)
	return &a
}

func (n *naming) rule(m broker.Machine, r rules.Rule) rules.Rule {
	r.Scope.Session = n.sessions.out(m, r.Scope.Session)
	return r
}
