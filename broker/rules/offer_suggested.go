package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// maxSuggested is how many rules are offered that an agent suggested.
const maxSuggested = 8

// Like reports whether r says the same of a call as o: scope, reason and end do not count.
func (r Rule) Like(o Rule) bool {
	return r.Tool == o.Tool && r.Effects == o.Effects && maps.Equal(r.Where, o.Where)
}

// OfferSuggested are those of suggested that are fit to stand behind the offers for c: each
// allows c by itself, is no wider than what is offered here for calls of its kind, and none is
// there already. There are none where nothing else is offered, and none for a dangerous call:
// that one is allowed in its exact form only. The order is the agent's; no more than
// maxSuggested are taken.
func OfferSuggested(c *Call, suggested, offers []Rule) []Rule {
	if len(offers) == 0 || slices.ContainsFunc(offers, func(o Rule) bool { return o.Dangerous }) {
		return nil
	}
	var list []Rule
	for _, r := range suggested {
		if len(list) == maxSuggested || slices.ContainsFunc(offers, r.Like) || slices.ContainsFunc(list, r.Like) {
			continue
		}
		if narrow(r, c.q.Place.Project) && c.allowedBy(r) {
			list = append(list, r)
		}
	}
	return list
}

// narrow reports whether an allow rule is no wider than an offer for a call in the project
// could be: it names more than a tool, of commands the same beginnings as ours, of files those
// of the project. The suggestion comes from an agent, and a person reads it in a list of our
// own offers.
func narrow(r Rule, project string) bool {
	if r.Decision != Allow || r.Dangerous || len(r.Where) == 0 {
		return false
	}
	root := patterns.EscapePath(project)
	for key, p := range r.Where {
		switch {
		case key == commandKey && !narrowCommand(p):
			return false
		case strings.HasSuffix(key, "path") && (root == "" || strings.Contains(p, "..") || strings.Contains(p, "|") ||
			strings.HasPrefix(p, "~") || strings.HasPrefix(p, "/") && !strings.HasPrefix(p, root+"/")):
			return false
		}
	}
	return true
}

// narrowCommand reports whether a command pattern is one that could be offered: a command
// word for word, or a beginning after which any words may follow.
func narrowCommand(pattern string) bool {
	beginning, open := strings.CutSuffix(pattern, " *")
	switch {
	// It names one line and nothing else.
	case strings.HasPrefix(pattern, patterns.LinePrefix):
		return true
	case strings.ContainsAny(beginning, "*|\\'\"") || strings.HasPrefix(pattern, patterns.Expression):
		return false
	}
	if !open {
		return true
	}
	words := strings.Fields(beginning)
	if len(words) == 0 {
		return false
	}
	ours, open := strings.CutSuffix(commandPrefix(words), "*")
	return open && strings.HasPrefix(beginning+" ", ours)
}
