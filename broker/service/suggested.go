package service

import (
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
)

// SuggestedByAgent stands in CreatedBy of a draft that the agent itself suggests. Who saves
// the rule is its author.
const SuggestedByAgent = "suggested by the agent"

// withSuggested are the offers for req's call, and behind them what its agent suggests beside.
// One of ours that the agent suggests as well says so, but for the first one, which is
// chosen when nobody turns further. The agent's patterns are text of its own, so they too
// are read elsewhere first.
func (b *Broker) withSuggested(req broker.Request, call *rules.Call, offers []rules.Rule, project string) []rules.Rule {
	if len(req.Suggestions) == 0 || len(offers) == 0 {
		return offers
	}
	list := rules.Suggested(textsOf(req.Suggestions, false), project, b.home)
	list = append(list, rules.Suggested(textsOf(req.Suggestions, true), "", b.home)...)
	for i := range list {
		list[i].Scope = rules.Scope{}
	}
	if b.opts.Vet.File("", rules.FormatTOML(list), project).Why != "" {
		return offers
	}
	for i := range offers[1:] {
		if slices.ContainsFunc(list, offers[i+1].Like) {
			offers[i+1].CreatedBy = SuggestedByAgent
		}
	}
	for _, r := range rules.OfferSuggested(call, list, offers) {
		r.CreatedBy = SuggestedByAgent
		offers = append(offers, r)
	}
	return offers
}

func textsOf(list []agents.Suggestion, user bool) []string {
	var texts []string
	for _, s := range list {
		if s.User == user {
			texts = append(texts, s.Rule)
		}
	}
	return texts
}
