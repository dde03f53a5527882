package ruleedit

import (
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// scopeOption is one place where a rule may hold. The zero scope is everywhere.
type scopeOption struct {
	name  string // safe to draw
	scope rules.Scope
	once  bool // only this call, and no rule at all
}

// anyAgent is the choice that does not narrow a rule. It is drawn where the scope's
// agent is "".
const anyAgent = "any"

// offerScopes sets what a rule made from a call may be about: this project when it is
// known, for that is as narrow as what people mean mostly is, else this session.
// "everywhere" is offered and never chosen beforehand: the widest rule takes a key of
// its own.
func (f *form) offerScopes(call broker.Request, draft rules.Scope, b *board.Board) {
	id, project := call.SessionID, draft.Project
	// A draft may name no project; then the session's own is offered.
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
	// The last place so far is chosen: the project when there is one, else the session.
	// With neither it is "everywhere", which is added below.
	f.scope = max(1, len(f.scopes)-1)
	f.scopes = append(f.scopes, scopeOption{name: "everywhere"})
	f.agents([]string{call.Agent}, draft.Agent)
}

// leavePast takes away what a rule made from a call that is over cannot be about: that call alone, and a
// session that has ended.
func (f *form) leavePast(b *board.Board) {
	chosen := f.scopes[f.scope]
	f.scopes = slices.DeleteFunc(f.scopes, func(o scopeOption) bool {
		s := b.Sessions[o.scope.Session]
		return o.once || o.scope.Session != "" && (s == nil || s.State.Ended())
	})
	f.scope = max(0, slices.Index(f.scopes, chosen))
}

// ruleScopes sets what a rule from the list may be about: what it is about now,
// everywhere, and the projects and sessions that the console knows. What it is about
// now comes first and is chosen, so saving without a change changes nothing.
func (f *form) ruleScopes(now rules.Scope, b *board.Board) {
	agent := now.Agent
	// The agent has a field of its own and is no part of the place.
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
		// A rule about a session that has ended would never speak again.
		if !s.State.Ended() {
			f.addScope(rules.Scope{Session: id}, b)
		}
		kinds = append(kinds, s.Agent)
	}
	f.agents(kinds, agent)
}

// mostScopes bounds how many places are offered: more nobody turns through.
const mostScopes = 24

// addScope offers one more place, unless it is offered already or there are too many.
func (f *form) addScope(s rules.Scope, b *board.Board) {
	same := func(o scopeOption) bool { return o.scope == s }
	if s == (rules.Scope{}) || len(f.scopes) >= mostScopes || slices.ContainsFunc(f.scopes, same) {
		return
	}
	f.scopes = append(f.scopes, scopeOption{name: words.Scope(s, b), scope: s})
}

// agents sets which kinds of agent may be chosen. "" comes first and stands for any.
// chosen is among them even when no session of its kind is known.
func (f *form) agents(kinds []string, chosen string) {
	f.agentKinds = []string{""}
	// The chosen one goes first, so that it is offered even when its session is gone.
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

// place is the scope that is chosen; everywhere before any was offered.
func (f *form) place() scopeOption {
	if f.scope < len(f.scopes) {
		return f.scopes[f.scope]
	}
	return scopeOption{name: "everywhere"}
}

// scopeNames are the places that may be chosen, in their order.
func (f *form) scopeNames() []string {
	names := make([]string, len(f.scopes))
	for i, o := range f.scopes {
		names[i] = o.name
	}
	return names
}

// once reports whether no rule is to be made.
func (f *form) once() bool { return f.place().once }

// off reports whether the rule is to be saved switched off. A new rule never is.
func (f *form) off() bool { return f.old.ID != "" && f.state.at == 1 }

// verdict is the decision that is chosen, "" before there is a form.
func (f *form) verdict() rules.Verdict { return rules.Verdict(f.decision.chosen()) }

// decided is the chosen verdict for a call, for once. Whatever is not allow denies;
// unready keeps the verdicts away that can do neither.
func (f *form) decided() broker.Verdict {
	if f.verdict() == rules.Allow {
		return broker.Allow
	}
	return broker.Deny
}
