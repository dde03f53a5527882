package tui

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// scopeOption is one place where a rule may hold.
type scopeOption struct {
	name  string // safe to draw
	scope rules.Scope
	once  bool // only this call, and no rule at all
}

// anyAgent is the choice that does not narrow a rule.
const anyAgent = "any"

// offerScopes sets what a rule made from a call may be about: this project when it is
// known, for that is as narrow as what people mean mostly is, else this session.
func (m *model) offerScopes(draft rules.Scope) {
	e := m.editor
	id := e.call.SessionID
	project := draft.Project
	s := m.Board.Sessions[id]
	if project == "" && s != nil {
		project = s.ProjectDir
	}
	e.scopes = []scopeOption{{name: "once", once: true}}
	if id != "" {
		e.scopes = append(e.scopes, scopeOption{name: "this session", scope: rules.Scope{Session: id}})
	}
	if project != "" {
		e.scopes = append(e.scopes, scopeOption{name: "this project", scope: rules.Scope{Project: project}})
	}
	e.scope = len(e.scopes) - 1
	e.scopes = append(e.scopes, scopeOption{name: "everywhere"})
	if e.scope == 0 {
		e.scope = 1
	}
	e.agents([]string{e.call.Agent}, draft.Agent)
}

// ruleScopes sets what a rule from the list may be about: what it is about now,
// everywhere, and the projects and sessions that the console knows.
func (m *model) ruleScopes(now rules.Scope) {
	e := m.editor
	agent := now.Agent
	now.Agent = ""
	e.scopes = nil
	if now != (rules.Scope{}) {
		e.scopes = append(e.scopes, scopeOption{name: words.Scope(now, m.Board), scope: now})
	}
	e.scopes = append(e.scopes, scopeOption{name: "everywhere"})
	var kinds []string
	for _, id := range m.Board.Roster {
		s := m.Board.Sessions[id]
		e.addScope(rules.Scope{Project: s.ProjectDir}, m)
		if !s.State.Ended() {
			e.addScope(rules.Scope{Session: id}, m)
		}
		kinds = append(kinds, s.Agent)
	}
	e.agents(kinds, agent)
}

// mostScopes bounds how many places are offered: more nobody turns through.
const mostScopes = 24

func (e *editor) addScope(s rules.Scope, m *model) {
	same := func(o scopeOption) bool { return o.scope == s }
	if s == (rules.Scope{}) || len(e.scopes) >= mostScopes || slices.ContainsFunc(e.scopes, same) {
		return
	}
	e.scopes = append(e.scopes, scopeOption{name: words.Scope(s, m.Board), scope: s})
}

// agents sets which kinds of agent may be chosen.
func (e *editor) agents(kinds []string, chosen string) {
	e.agentKinds = []string{""}
	for _, k := range append([]string{chosen}, kinds...) {
		if !slices.Contains(e.agentKinds, k) {
			e.agentKinds = append(e.agentKinds, k)
		}
	}
	e.agent = choice{}
	for i, k := range e.agentKinds {
		name := draw.SafeLine(k)
		if k == "" {
			name = anyAgent
		}
		e.agent.names = append(e.agent.names, name)
		if k == chosen {
			e.agent.at = i
		}
	}
}

// place is the scope that is chosen.
func (e *editor) place() scopeOption {
	if e.scope < len(e.scopes) {
		return e.scopes[e.scope]
	}
	return scopeOption{name: "everywhere"}
}

// once reports whether no rule is to be made.
func (e *editor) once() bool { return e.place().once }

// lifeKind is how long a rule holds.
type lifeKind int

// The lives, in the order in which they are drawn.
const (
	lifeKept lifeKind = iota // what the rule has already
	lifeQuarter
	lifeHour
	lifeSession // as long as the session that the rule is about
	lifeUses
	lifeForEver
)

const someUses = 20 // of lifeUses

// lives are the lives that go with the chosen scope: only a rule about one session
// ends with it.
func (e *editor) lives() []lifeKind {
	var list []lifeKind
	if e.old.ID != "" {
		list = append(list, lifeKept)
	}
	list = append(list, lifeQuarter, lifeHour)
	if e.place().scope.Session != "" {
		return append(list, lifeSession, lifeUses)
	}
	return append(list, lifeUses, lifeForEver)
}

// chosenLife is the operator's choice, or what is safest and still of use: what allows
// ends with the session or within the hour, what refuses stays.
func (e *editor) chosenLife() lifeKind {
	if e.lifeSet && slices.Contains(e.lives(), e.life) {
		return e.life
	}
	switch {
	case e.place().scope.Session != "":
		return lifeSession
	case e.verdict() == rules.Allow:
		return lifeHour
	}
	return lifeForEver
}

func (e *editor) turnLife(by int) {
	list := e.lives()
	i := slices.Index(list, e.chosenLife())
	e.life, e.lifeSet = list[turned(i, by, len(list))], true
}

// lifeName is what a life is called.
func (e *editor) lifeName(l lifeKind, now time.Time) string {
	switch l {
	case lifeKept:
		return "as it is: " + words.Life(e.old, now)
	case lifeQuarter:
		return "15 min"
	case lifeHour:
		return "1 h"
	case lifeSession:
		return "session"
	case lifeUses:
		return figures.Count(someUses) + " uses"
	case lifeForEver:
	}
	return "for ever"
}

// live gives r its end, as of now.
func (e *editor) live(r *rules.Rule, now time.Time) {
	life := e.chosenLife()
	if life == lifeKept {
		return
	}
	r.ExpiresAt, r.MaxUses = time.Time{}, 0
	switch life {
	case lifeQuarter:
		r.ExpiresAt = now.Add(15 * time.Minute)
	case lifeHour:
		r.ExpiresAt = now.Add(time.Hour)
	case lifeUses:
		r.MaxUses = r.Uses + someUses
	case lifeKept, lifeSession, lifeForEver:
	}
}

// off reports whether the rule is to be saved switched off.
func (e *editor) off() bool { return e.old.ID != "" && e.state.at == 1 }

// verdict is the decision that is chosen.
func (e *editor) verdict() rules.Verdict { return rules.Verdict(e.decision.chosen()) }

// decided is the chosen verdict for a call, for once.
func (e *editor) decided() broker.Verdict {
	if e.verdict() == rules.Allow {
		return broker.Allow
	}
	return broker.Deny
}
