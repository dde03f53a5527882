package ruleedit

import (
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
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
func (f *form) offerScopes(call broker.Request, draft rules.Scope, b *board.Board) {
	id, project := call.SessionID, draft.Project
	if s := b.Sessions[id]; project == "" && s != nil {
		project = s.ProjectDir
	}
	f.scopes = []scopeOption{{name: "once", once: true}}
	if id != "" {
		f.scopes = append(f.scopes, scopeOption{name: "this session", scope: rules.Scope{Session: id}})
	}
	if project != "" {
		f.scopes = append(f.scopes, scopeOption{name: "this project", scope: rules.Scope{Project: project}})
	}
	f.scope = max(1, len(f.scopes)-1)
	f.scopes = append(f.scopes, scopeOption{name: "everywhere"})
	f.agents([]string{call.Agent}, draft.Agent)
}

// ruleScopes sets what a rule from the list may be about: what it is about now,
// everywhere, and the projects and sessions that the console knows.
func (f *form) ruleScopes(now rules.Scope, b *board.Board) {
	agent := now.Agent
	now.Agent = ""
	f.scopes = nil
	if now != (rules.Scope{}) {
		f.scopes = append(f.scopes, scopeOption{name: words.Scope(now, b), scope: now})
	}
	f.scopes = append(f.scopes, scopeOption{name: "everywhere"})
	var kinds []string
	for _, id := range b.Roster {
		s := b.Sessions[id]
		f.addScope(rules.Scope{Project: s.ProjectDir}, b)
		if !s.State.Ended() {
			f.addScope(rules.Scope{Session: id}, b)
		}
		kinds = append(kinds, s.Agent)
	}
	f.agents(kinds, agent)
}

// mostScopes bounds how many places are offered: more nobody turns through.
const mostScopes = 24

func (f *form) addScope(s rules.Scope, b *board.Board) {
	same := func(o scopeOption) bool { return o.scope == s }
	if s == (rules.Scope{}) || len(f.scopes) >= mostScopes || slices.ContainsFunc(f.scopes, same) {
		return
	}
	f.scopes = append(f.scopes, scopeOption{name: words.Scope(s, b), scope: s})
}

// agents sets which kinds of agent may be chosen.
func (f *form) agents(kinds []string, chosen string) {
	f.agentKinds = []string{""}
	for _, k := range append([]string{chosen}, kinds...) {
		if !slices.Contains(f.agentKinds, k) {
			f.agentKinds = append(f.agentKinds, k)
		}
	}
	f.agent = choice{}
	for i, k := range f.agentKinds {
		name := draw.SafeLine(k)
		if k == "" {
			name = anyAgent
		}
		f.agent.names = append(f.agent.names, name)
		if k == chosen {
			f.agent.at = i
		}
	}
}

// place is the scope that is chosen.
func (f *form) place() scopeOption {
	if f.scope < len(f.scopes) {
		return f.scopes[f.scope]
	}
	return scopeOption{name: "everywhere"}
}

// scopeNames are the places that may be chosen.
func (f *form) scopeNames() []string {
	names := make([]string, len(f.scopes))
	for i, o := range f.scopes {
		names[i] = o.name
	}
	return names
}

// once reports whether no rule is to be made.
func (f *form) once() bool { return f.place().once }

// off reports whether the rule is to be saved switched off.
func (f *form) off() bool { return f.old.ID != "" && f.state.at == 1 }

// verdict is the decision that is chosen.
func (f *form) verdict() rules.Verdict { return rules.Verdict(f.decision.chosen()) }

// decided is the chosen verdict for a call, for once.
func (f *form) decided() broker.Verdict {
	if f.verdict() == rules.Allow {
		return broker.Allow
	}
	return broker.Deny
}
