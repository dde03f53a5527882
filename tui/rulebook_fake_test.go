package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/tui/tuitest"
	"github.com/aoctl/aoctl/tui/words"
)

// fakeRules is the part of fakeConsole that is about rules; what it is asked for is
// written down.
type fakeRules struct {
	book      broker.RuleBook
	offers    []rules.Rule
	preview   func(rules.Rule) (broker.Preview, error)
	saves     []rules.Rule
	saveErr   error
	removed   []string
	trusted   []string // path and digest
	trustErr  error
	minted    []string
	mintTakes time.Duration
	tokens    []broker.Token
	revoked   []string
	stats     map[string]broker.Stats
	tried     []rules.Rule // by Preview
	projects  map[string]broker.Project
	proposals []broker.Proposal
	answers   []string // to proposals

	suggestions history.Suggestions
	suggested   int // times that Suggest was asked
}

func (f *fakeConsole) Suggest(context.Context) (history.Suggestions, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.suggested++
	s := f.suggestions
	// What is a rule by now is not suggested.
	s.List = slices.DeleteFunc(slices.Clone(s.List), func(s history.Suggestion) bool {
		return slices.ContainsFunc(f.book.Rules, func(r rules.Rule) bool { return words.RuleText(r) == words.RuleText(s.Rule) })
	})
	return s, nil
}

func (f *fakeConsole) Offer(context.Context, string) ([]rules.Rule, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.offers, nil
}

// ProjectAt knows a project that has no rules once a test says so, and else none at all.
func (f *fakeConsole) ProjectAt(_ context.Context, dir string) broker.Project {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.projects[dir]
}

func (f *fakeConsole) Proposals() []broker.Proposal {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.proposals)
}

func (f *fakeConsole) AnswerProposal(id string, saved *broker.SavedRule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.proposals = slices.DeleteFunc(slices.Clone(f.proposals), func(p broker.Proposal) bool { return p.ID == id })
	if saved == nil {
		f.answers = append(f.answers, id+" declined")
		return
	}
	f.answers = append(f.answers, id+" "+saved.Rule.Effects.String())
}

func (f *fakeConsole) Preview(_ context.Context, r rules.Rule) (broker.Preview, error) {
	f.mu.Lock()
	f.tried = append(f.tried, r)
	look, waiting := f.preview, f.coveredLocked(r)
	f.mu.Unlock()
	if look == nil {
		return broker.Preview{Past: 7, Waiting: waiting}, nil
	}
	return look(r)
}

// coveredLocked are the waiting calls that SaveRule ends.
func (f *fakeConsole) coveredLocked(r rules.Rule) []broker.Request {
	var list []broker.Request
	for _, id := range f.order {
		if c := f.requests[id]; r.Decision == rules.Allow && r.Enabled && !c.State.Terminal() && c.ToolName == r.Tool {
			list = append(list, c)
		}
	}
	return list
}

// saved are the rules that were given to SaveRule.
func (f *fakeConsole) saved() []rules.Rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.saves)
}

// SaveRule keeps the rule and, when it allows, allows every waiting call of its tool.
func (f *fakeConsole) SaveRule(_ context.Context, r rules.Rule, _ broker.Actor) (broker.SavedRule, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.saves = append(f.saves, r)
	if f.saveErr != nil {
		return broker.SavedRule{}, f.saveErr
	}
	if r.ID == "" {
		r.ID = "new-rule"
	}
	r.Version++
	f.book.Rules = append(slices.DeleteFunc(slices.Clone(f.book.Rules), func(o rules.Rule) bool { return o.ID == r.ID }), r)
	slices.SortStableFunc(f.book.Rules, func(x, y rules.Rule) int { return cmp.Compare(x.Priority, y.Priority) })
	book := f.book
	for _, w := range f.watches {
		w <- broker.Update{Rules: &book}
	}
	saved := broker.SavedRule{Rule: r}
	for _, c := range f.coveredLocked(r) {
		ended := settled(c, broker.Allowed, broker.Actor{Kind: broker.ByRule, ID: r.ID}, "", time.Now())
		f.publishLocked(ended)
		saved.Decided = append(saved.Decided, ended)
	}
	return saved, nil
}

func (f *fakeConsole) RemoveRule(_ context.Context, id string, _ broker.Actor) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.removed = append(f.removed, id)
	f.book.Rules = slices.DeleteFunc(slices.Clone(f.book.Rules), func(o rules.Rule) bool { return o.ID == id })
	return nil
}

func (f *fakeConsole) TrustFile(_ context.Context, path, digest string, _ broker.Actor) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trusted = append(f.trusted, strings.TrimSpace(path+" "+digest))
	return f.trustErr
}

func (f *fakeConsole) MintToken(_ context.Context, kind broker.TokenKind, label string, _ broker.Actor) (string, error) {
	time.Sleep(f.mintTakes)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.minted = append(f.minted, string(kind)+" "+label)
	f.tokens = append(f.tokens, broker.Token{ID: "t-" + label, Kind: kind, Label: label, CreatedAt: tuitest.Noon})
	return "aoctl_0123456789abcdef0123456789abcdef0123456789abcdef", nil
}

func (f *fakeConsole) Tokens(context.Context) []broker.Token {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.tokens)
}

func (f *fakeConsole) RevokeToken(_ context.Context, id string, _ broker.Actor) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.revoked = append(f.revoked, id)
	f.tokens = slices.DeleteFunc(f.tokens, func(t broker.Token) bool { return t.ID == id })
	return nil
}

func (f *fakeConsole) Stats(_ context.Context, session string, _ time.Time) (broker.Stats, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats[session], nil
}

// saved are the rules that were saved, one a line.
func (r *rig) saved() string {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	var lines []string
	for _, s := range r.c.saves {
		lines = append(lines, ruleLine(s))
	}
	return strings.Join(lines, "\n")
}

func ruleLine(r rules.Rule) string {
	parts := []string{string(r.Decision), r.Tool}
	for _, name := range words.Where(r) {
		parts = append(parts, name+"="+r.Where[name])
	}
	if r.Scope.Session != "" {
		parts = append(parts, "session="+r.Scope.Session)
	}
	if r.Scope.Project != "" {
		parts = append(parts, "project="+r.Scope.Project)
	}
	if r.Scope.Agent != "" {
		parts = append(parts, "agent="+r.Scope.Agent)
	}
	if !r.Enabled {
		parts = append(parts, "off")
	}
	return strings.Join(parts, " ")
}

// offered are drafts as the broker offers them for a command.
func offered(patterns ...string) []rules.Rule {
	var list []rules.Rule
	for _, p := range patterns {
		list = append(list, rules.Rule{
			Enabled: true, Priority: rules.DefaultPriority, Tool: "Bash", Decision: rules.Allow,
			Where: map[string]string{"command": p}, Scope: rules.Scope{Project: home},
		})
	}
	return list
}

// typeText types letter by letter, as fast as people do.
func (r *rig) typeText(text string) {
	for _, c := range text {
		r.send(keyMsg(string(c)))
		r.wait(60 * time.Millisecond)
	}
}

// ruleRig is a console over three waiting calls for which two rules are offered.
func ruleRig(t *testing.T) *rig {
	t.Helper()
	r := three(t)
	r.c.mu.Lock()
	r.c.offers = offered("npm run test", "npm run *")
	r.c.mu.Unlock()
	return r
}
