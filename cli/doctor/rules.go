package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/tui/figures"
)

const (
	maxRuleNotes = 5       // rules of a kind that are spelled out
	maxObserved  = 100_000 // events since the console's start that are looked through
)

// rules looks at what decides without a person. Reading them needs no console. A
// record that cannot be read was reported by the database's section, so it is only
// skipped here. No call is judged here: it is the form of the rules that is looked at.
func (e *examination) rules(ctx context.Context, o options) {
	if _, err := paths.Database(); err != nil {
		e.add(agentcheck.Skipped, "rules", "", "HOME is not set, so nobody knows where they are")
		return
	}
	err := state.WithRules(ctx, o.project, func(k *state.Rulebook) error {
		e.ruleList(k)
		e.rulesFile(k)
		return nil
	})
	if err != nil {
		e.add(agentcheck.Skipped, "rules", "see the database above", "cannot be read: %v", err)
	}
	e.observing(ctx, o)
}

// ruleList warns of rules that allow for ever and of rules that do nothing. It lists a
// few of each and counts the rest: a report that nobody reads to its end helps nobody.
// The cure of a lasting rule is to give it an end and not to remove it: it may be
// wanted.
func (e *examination) ruleList(k *state.Rulebook) {
	if k.Problem != "" {
		e.add(agentcheck.Fail, "rules", "aoctl log verify", "no rule allows anything: %s", k.Problem)
	}
	wide := 0
	for _, r := range k.All {
		if !lasting(r) {
			continue
		}
		if wide++; wide <= maxRuleNotes {
			e.add(agentcheck.Warn, "lasting rule", "give it an end: aoctl rules edit "+r.ID, "allows for ever: %s (%s)", show.Rule(r), show.Scope(r.Scope))
		}
	}
	if wide > maxRuleNotes {
		e.add(agentcheck.Warn, "lasting rule", "aoctl rules list", "and %d more that allow for ever", wide-maxRuleNotes)
	}
	found := rules.Lint(k.All, time.Now())
	for i, f := range found {
		if i == maxRuleNotes {
			e.add(agentcheck.Warn, "idle rule", "aoctl rules list", "and %d more that do nothing", len(found)-i)
			break
		}
		r := k.All[f.Index]
		e.add(agentcheck.Warn, "idle rule", "aoctl rules rm "+r.ID, "%s %s is %s: %s", r.Decision, show.Rule(r), f.Kind, f.Why)
	}
	if k.Problem == "" && wide == 0 && len(found) == 0 {
		e.add(agentcheck.OK, "rules", "", "%s, none that allows for ever by a pattern, none idle", figures.Plural(len(k.All), "rule"))
	}
}

// lasting reports whether r allows what fits a pattern, without an end. A rule for one
// exact command is none, and neither is one that ends with its session, its time or
// its uses. A rule that is off allows nothing, so it is none either.
func lasting(r rules.Rule) bool {
	if r.Decision != rules.Allow || !r.Enabled || !r.ExpiresAt.IsZero() || r.MaxUses > 0 || r.Scope.Session != "" {
		return false
	}
	for _, pattern := range r.Where {
		if strings.ContainsAny(pattern, "*?[|") {
			return true
		}
	}
	return len(r.Where) == 0
}

// rulesFile says whether the project's own file is trusted as it is now. No file is
// nothing to say. One that was changed since it was trusted still refuses and asks;
// only what it allows is gone. A file that cannot be read makes every call of the
// project ask, so it is a failure.
func (e *examination) rulesFile(k *state.Rulebook) {
	path := filepath.Join(k.Project, policy.RulesFileName)
	f, err := policy.ReadRulesFile(path, k.Project, k.Trusted[path])
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		e.add(agentcheck.Fail, "project rules", "correct it, then: aoctl rules list", "%s cannot be read, so every call of the project asks: %v", path, err)
	case f.Trusted:
		e.add(agentcheck.OK, "project rules", "", "%s, trusted as it is", path)
	case k.Trusted[path] != "":
		e.add(agentcheck.Warn, "project rules", "look at it and trust it again in the console (r)", "%s was changed since you trusted it: what it allows does not count", path)
	default:
		e.add(agentcheck.Warn, "project rules", "look at it and trust it in the console (r)", "%s is not trusted: what it allows does not count", path)
	}
}

// observing tells when calls are let through and only recorded. That is a choice of
// the operator's and no fault, so it is a warning; but who looks for a hole must find
// this one. A single observed session counts as well, as its calls are not held.
func (e *examination) observing(ctx context.Context, o options) {
	if o.socket == "" {
		return
	}
	pid, held, err := state.Holder(o.socket)
	if err != nil || !held {
		return // no console, nothing is let through
	}
	s, known := consoleStart(pid)
	on := map[string]bool{"": s.Observe}
	if known {
		e.observedSince(ctx, s.Time, on)
	}
	some := 0
	for id, observed := range on {
		if id != "" && observed {
			some++
		}
	}
	switch {
	case on[""]:
		e.add(agentcheck.Warn, "observe mode", `press "O" in the console, or start it without --observe`, "on: nothing is held, every call runs unless the agent itself asks")
	case some > 0:
		e.add(agentcheck.Warn, "observe mode", "switch it off with O in the console", "%s only observed: nothing they do is held", figures.Plural(some, "session"))
	case known:
		e.add(agentcheck.OK, "observe mode", "", "off")
	}
}

// observedSince brings on up to date: whether all (""), or a session, is only
// observed. That is not kept anywhere but in the log; a new console gates again. since
// is when the console began; events before it are another console's.
func (e *examination) observedSince(ctx context.Context, since time.Time, on map[string]bool) {
	r, err := state.OpenReader(ctx)
	if err != nil {
		return // an unreadable database was reported
	}
	defer func() { _ = r.Close() }() // it was only read
	events, err := r.Events(ctx, broker.EventFilter{Since: since, Limit: maxObserved})
	if err != nil {
		return
	}
	for _, ev := range events {
		var d struct {
			On bool `json:"on"`
		}
		if ev.Type == broker.EventObserve && json.Unmarshal(ev.Data, &d) == nil {
			on[ev.SessionID] = d.On
		}
	}
}
