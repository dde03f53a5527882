package policy

import (
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/claude"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
)

// withSuggested are the offers for req's call, and behind them what its agent suggests beside.
// One of ours that the agent suggests as well says so, but for the first one, which is
// chosen when nobody turns further. The agent's patterns are text of its own, so they too
// are read elsewhere first.
func (p *Policy) withSuggested(req broker.Request, call *rules.Call, offers []rules.Rule, project string) []rules.Rule {
	if len(req.Suggestions) == 0 || len(offers) == 0 {
		return offers
	}
	list := claude.Suggested(textsOf(req.Suggestions, false), project, p.Home)
	list = append(list, claude.Suggested(textsOf(req.Suggestions, true), "", p.Home)...)
	for i := range list {
		// Offers have no scope yet, and are compared with these.
		list[i].Scope = rules.Scope{}
	}
	if p.Vet.File("", rulesfile.Format(list), project).Why != "" {
		return offers
	}
	for i := range offers[1:] {
		if slices.ContainsFunc(list, offers[i+1].Like) {
			offers[i+1].CreatedBy = broker.SuggestedByAgent
		}
	}
	for _, r := range rules.OfferSuggested(call, list, offers) {
		r.CreatedBy = broker.SuggestedByAgent
		offers = append(offers, r)
	}
	return offers
}

// textsOf are the suggestions for the user's settings, or those for the project's.
func textsOf(list []agents.Suggestion, user bool) []string {
	var texts []string
	for _, s := range list {
		if s.User == user {
			texts = append(texts, s.Rule)
		}
	}
	return texts
}
