package words

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// Where are the parameters of a rule, the one that tells most first.
func Where(r rules.Rule) []string {
	names := make([]string, 0, len(r.Where))
	for name := range r.Where {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := slices.Index(callview.MainFields, a), slices.Index(callview.MainFields, b)
		switch {
		case x >= 0 && y >= 0 && x != y:
			return x - y
		case x >= 0 && y < 0:
			return -1
		case x < 0 && y >= 0:
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

// Project is what a project's folder is called; safe to draw.
func Project(path string) string { return draw.SafeLine(filepath.Base(path)) }

// What a grant of edit and check comes to, and the same for a narrow window.
const (
	EditAndCheck      = "edit + check: it can run what it writes, like auto-accept; everything beyond the project still asks"
	EditAndCheckBrief = "edit + check: it runs what it writes"
)

// Span is a rule's life for people: 15 min, 1 h, 3 d. A minute that has begun counts
// whole, so that a rule for an hour is one for an hour while it is looked at.
func Span(d time.Duration) string {
	minutes := int((d + time.Minute - 1) / time.Minute)
	switch {
	case minutes < 60:
		return fmt.Sprintf("%d min", minutes)
	case minutes < 48*60:
		return fmt.Sprintf("%d h", minutes/60)
	}
	return fmt.Sprintf("%d d", minutes/(24*60))
}

// RuleTitle is the pattern that tells most, or the tool; of a rule about effects these.
func RuleTitle(r rules.Rule) string {
	if r.Effects != 0 {
		return r.Effects.String()
	}
	for _, name := range Where(r) {
		return Pattern(r, name)
	}
	return draw.SafeLine(r.Tool)
}

// Pattern is a rule's pattern on one line; a path in the rule's own project begins
// there. Safe to draw.
func Pattern(r rules.Rule, name string) string {
	p := r.Where[name]
	if strings.HasSuffix(name, "path") && r.Scope.Project != "" {
		if short := callview.Within(p, r.Scope.Project); short != p {
			p = "./" + short
		}
	}
	return draw.SafeLine(p)
}

// RuleText is tool and patterns on one line, or the effects; safe to draw.
func RuleText(r rules.Rule) string {
	if r.Effects != 0 {
		return r.Effects.String()
	}
	text := draw.SafeLine(r.Tool)
	for i, name := range Where(r) {
		if i == 0 && slices.Contains(callview.MainFields, name) {
			text += ` "` + Pattern(r, name) + `"`
			continue
		}
		text += " " + draw.SafeLine(name) + `="` + Pattern(r, name) + `"`
	}
	return text
}

// RuleSays is what a rule does, in a phrase: allows "npm run test *" in api for 1 h.
func RuleSays(r rules.Rule, b *board.Board, now time.Time) string {
	verb := map[rules.Verdict]string{rules.Allow: "allows", rules.Deny: "denies", rules.Ask: "asks about", rules.Defer: "defers"}[r.Decision]
	text := RuleTitle(r)
	switch {
	case r.Effects != 0:
	case len(r.Where) > 0:
		text = `"` + text + `"`
	default:
		text = "every " + text + " call"
	}
	agent := r.Scope.Agent
	r.Scope.Agent = ""
	where := " in " + Scope(r.Scope, b)
	if r.Scope == (rules.Scope{}) {
		where = " everywhere"
	}
	if agent != "" {
		where += " by " + draw.SafeLine(agent)
	}
	return verb + " " + text + where + lifeTail(r, now)
}

func lifeTail(r rules.Rule, now time.Time) string {
	switch {
	case !r.ExpiresAt.IsZero():
		return " for " + Span(r.ExpiresAt.Sub(now))
	case r.MaxUses > 0:
		return ", " + figures.Plural(max(0, r.MaxUses-r.Uses), "time")
	}
	return ""
}

// Scope is where a rule holds, in few words; safe to draw.
func Scope(s rules.Scope, b *board.Board) string {
	var parts []string
	if s.Session != "" {
		parts = append(parts, "session "+b.Label(s.Session))
	}
	if s.Project != "" {
		parts = append(parts, Project(s.Project))
	}
	if s.Agent != "" {
		parts = append(parts, draw.SafeLine(s.Agent)+" only")
	}
	if len(parts) == 0 {
		return "everywhere"
	}
	return strings.Join(parts, " · ")
}

// Over reports in words why a rule no longer speaks; empty when it does.
func Over(r rules.Rule, now time.Time) string {
	switch {
	case !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt):
		return "expired"
	case r.MaxUses > 0 && r.Uses >= r.MaxUses:
		return "used up"
	}
	return ""
}

// Life is how long a rule still holds, in few letters.
func Life(r rules.Rule, now time.Time) string {
	if word := Over(r, now); word != "" {
		return word
	}
	switch {
	case !r.ExpiresAt.IsZero() && r.MaxUses > 0:
		return Span(r.ExpiresAt.Sub(now)) + ", " + figures.Count(r.MaxUses-r.Uses) + "×"
	case !r.ExpiresAt.IsZero():
		return Span(r.ExpiresAt.Sub(now))
	case r.MaxUses > 0:
		return figures.Plural(r.MaxUses-r.Uses, "use")
	case r.Scope.Session != "":
		return "session"
	}
	return "for ever"
}

// LastHit is when a rule spoke last.
func LastHit(r rules.Rule, now time.Time) string {
	if r.LastUsedAt.IsZero() {
		if r.Uses > 0 {
			return "?"
		}
		return "never"
	}
	return figures.Ago(now.Sub(r.LastUsedAt)) + " ago"
}

// Until says when a rule ends.
func Until(r rules.Rule, now time.Time) string {
	var parts []string
	if !r.ExpiresAt.IsZero() {
		at := r.ExpiresAt.In(now.Location())
		text := at.Format("15:04")
		if at.YearDay() != now.YearDay() || at.Year() != now.Year() {
			text = at.Format("2 Jan 2006 15:04")
		}
		parts = append(parts, "until "+text+" ("+Span(at.Sub(now))+")")
	}
	if r.MaxUses > 0 {
		parts = append(parts, figures.Plural(max(0, r.MaxUses-r.Uses), "time"))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, " and at most ")
	case r.Scope.Session != "":
		return "as long as that session"
	}
	return "for ever"
}

// Fixed says why a rule cannot be changed in the console; empty when it can. Safe to draw.
func Fixed(r rules.Rule) string {
	switch {
	case r.ID == rules.BuiltinLook:
		return "this grant is built in; space switches it off and on"
	case r.ID == rules.BuiltinReadOnly || r.Source == "built in":
		return "this rule is built in and cannot be changed"
	case r.Source != "":
		return "it stands in " + draw.SafeLine(r.Source) + ": change it there"
	}
	return ""
}

// NotSaved says why a rule was not saved; empty when the console ends. Safe to draw.
func NotSaved(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return ""
	case errors.Is(err, broker.ErrConflict):
		return "not saved: the rule was changed meanwhile; look, then press the key again"
	case errors.Is(err, broker.ErrNotRecorded):
		return "not saved: it could not be recorded, so it does not hold"
	case errors.Is(err, broker.ErrNotFound):
		return "not saved: the rule was removed meanwhile"
	}
	return "not saved: " + draw.SafeLine(err.Error())
}
