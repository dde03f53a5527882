package ruleedit

import (
	"context"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/words"
)

// offerMsg brings rules that would cover the call that the editor was opened on. gen
// tells for which opening.
type offerMsg struct {
	gen    int
	drafts []rules.Rule
	err    error
}

// Opens begins with a rule for the drawn call, for one that is over, with the rule that is
// named, or with a new one. Nothing of an earlier rule is left.
func (x *Screen) Opens(on desk.Subject) tea.Cmd {
	x.editor = nil
	switch {
	case on.Drawn != (guard.Drawn{}):
		return x.fromCall(on.Drawn)
	case on.Call != nil:
		e := x.start(rules.Rule{Enabled: true, Priority: rules.DefaultPriority, CreatedFrom: on.Call.ID})
		e.call, e.loading = *on.Call, true
		return offers(x.Ctx, x.broker, e.gen, on.Call.ID)
	case on.Rule != "":
		return x.fromRule(on.Rule)
	}
	return x.fromNothing()
}

// refuse closes the screen that was just opened, and says why.
func (x *Screen) refuse(why string) tea.Cmd { return tea.Batch(x.close(), x.Say(draw.Warn, why)) }

// fromCall asks the broker for rules that would cover the drawn call. key is the call
// as it was on the screen; another one under the same id is not taken.
func (x *Screen) fromCall(key guard.Drawn) tea.Cmd {
	// The card may be another one by now: then a rule made from it would be about what
	// nobody saw.
	c := x.Board.Still(key)
	if c == nil {
		return x.refuse("this call is no longer waiting: no rule was made")
	}
	// CreatedFrom is for the log: it says from which call the rule was made.
	e := x.start(rules.Rule{Enabled: true, Priority: rules.DefaultPriority, CreatedFrom: key.ID})
	e.card, e.call, e.loading = key, c.Req, true
	// The digits are those of the card, which the person has in mind. A rule can be as
	// dangerous as the call that it is made from.
	if c.Dangerous() {
		e.code = c.Code
	}
	return offers(x.Ctx, x.broker, e.gen, key.ID)
}

// offers asks which rules would cover a call. The command runs in a goroutine of its own,
// so it gets copies and not the screen.
func offers(ctx context.Context, b Broker, gen int, id string) tea.Cmd {
	return func() tea.Msg {
		drafts, err := b.Offer(ctx, id)
		return offerMsg{gen: gen, drafts: drafts, err: err}
	}
}

// start begins with an empty form for old. The generation grows, so that answers for
// an earlier form do not reach this one.
func (x *Screen) start(old rules.Rule) *editor {
	x.gen++
	e := &editor{gen: x.gen, form: form{old: old, decision: choice{names: verdictNames}}}
	// The limit is in bytes and the line counts characters, which take up to four.
	e.reason.Most, e.priority.Most, e.typed.Most = rules.MaxReason/4, 7, 8
	x.editor = e
	return e
}

// verdictNames are the decisions in the order in which they are offered; their words
// are those of rules files.
var verdictNames = []string{string(rules.Allow), string(rules.Deny), string(rules.Ask), string(rules.Defer)}

// refusals are the verdicts that remain for a call that no rule may allow.
var refusals = verdictNames[1:]

// offerCame fills the form with what the broker offers. When it offers nothing, or
// could not be asked, a rule for this call can still refuse: then allow is not among
// the decisions.
func (x *Screen) offerCame(msg offerMsg) tea.Cmd {
	e := x.editor
	if e == nil || e.gen != msg.gen || !e.loading {
		return nil
	}
	e.loading, e.drafts = false, msg.drafts
	// Without a card a rule for dangerous calls takes a code of its own.
	if e.card.ID == "" && slices.ContainsFunc(msg.drafts, func(r rules.Rule) bool { return r.Dangerous }) {
		e.code = guard.NewCode()
	}
	first := rules.Rule{}
	switch {
	case msg.err != nil:
		e.noAllow = "no rule can be offered: " + draw.SafeLine(msg.err.Error())
	case len(msg.drafts) == 0:
		e.noAllow = "no rule may allow this call"
		// What the rules said of the call is the best reason that there is.
		if a := e.call.Assessment; a != nil && a.Reason != "" {
			e.noAllow = draw.SafeLine(a.Reason)
		}
	default:
		e.draft = firstDraft(msg.drafts)
		first = msg.drafts[e.draft]
	}
	if e.noAllow != "" {
		e.decision.names = refusals
		first = exactRule(e.call)
	}
	e.fill(first)
	e.offerScopes(e.call, first.Scope, x.Board)
	if e.card.ID == "" {
		e.leavePast(x.Board)
	}
	// Whoever lets an agent accept edits by itself said so of this session.
	if i := slices.IndexFunc(e.scopes, func(o scopeOption) bool { return o.scope.Session != "" }); i >= 0 && e.call.Mode == "acceptEdits" && first.Effects == effects.Of(effects.Edit) {
		e.scope = i
	}
	return x.changed()
}

// firstDraft is the draft that is shown first: the one that goes by what the call does, since that is
// what a person decides about. Without one it is the narrowest.
func firstDraft(drafts []rules.Rule) int {
	return max(0, slices.IndexFunc(drafts, func(r rules.Rule) bool { return r.Effects != 0 }))
}

// fromRule begins with a rule that holds. A rule that stands in a file cannot be
// changed here. One that may allow dangerous calls gets a code of its own, as it has
// no card.
func (x *Screen) fromRule(id string) tea.Cmd {
	r, ok := x.Book.Rule(id)
	switch {
	case !ok:
		return x.refuse("this rule was removed meanwhile")
	case id == rules.BuiltinLook:
		return x.refuse(words.Fixed(r))
	case r.Source != "":
		return x.refuse("this rule stands in " + draw.SafeLine(r.Source) + ": it can only be changed there")
	}
	e := x.start(r)
	if r.Dangerous {
		e.code = guard.NewCode()
	}
	e.decision.choose(string(r.Decision))
	e.state = choice{names: []string{"on", "off"}}
	if !r.Enabled {
		e.state.at = 1
	}
	e.reason = text.NewLine(r.Reason)
	if r.Priority != rules.DefaultPriority {
		e.priority = text.NewLine(strconv.Itoa(r.Priority))
	}
	e.fill(r)
	// Opening a rule and saving it again must not make its life longer.
	e.life, e.lifeSet = lifeKept, true
	e.ruleScopes(r.Scope, x.Board)
	return x.changed()
}

// fromNothing begins with a rule about Bash that has no pattern yet, with the focus on
// the pattern. An empty pattern cannot be saved.
func (x *Screen) fromNothing() tea.Cmd {
	e := x.start(rules.Rule{Enabled: true, Priority: rules.DefaultPriority})
	e.fill(rules.Rule{Tool: "Bash"})
	e.focus = field{kind: fieldWhere}
	e.ruleScopes(rules.Scope{}, x.Board)
	return x.changed()
}
