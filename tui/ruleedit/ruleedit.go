// Package ruleedit is the rule editor: a rule is made from a call that waits or is over, from
// nothing, or from one that holds already. It covers the room, and while it is open
// every key is for it. Nothing of it holds before it is saved.
//
// How a rule comes about: on a call, the broker is asked which rules would cover it
// (open.go) and the form is filled with the narrowest one (fill.go). Keys change the
// form (keys.go, form.go); once it rests, the broker says what its rule would have
// done to past calls and which waiting ones it would decide (preview.go). Enter saves
// what refuses at once. What allows is put as a question first (confirm.go), which
// says in one sentence what will run from now on and until when, and a second enter,
// judged by the guard as a decision is, saves just what the question showed (save.go,
// saved.go). For a dangerous call the two digits of its card are typed too. The scope
// "once" makes no rule and decides the call alone.
//
// A rule that allows would decide the card that it was made from: that card must still
// be the one that was shown, and must have been read to its end.
//
// The editor does not judge. Which patterns fit, what is dangerous and what a rule
// would decide is asked of the broker each time; the form only refuses what is no rule
// at all. The broker checks a rule once more when it is saved, under the version that
// was opened, so two people who change one rule do not overwrite each other unseen.
//
// What became of the rule is a desk.RuleSaved, which the list of rules hears too.
package ruleedit

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/guard"
)

// Broker is what the editor needs of it. Offer returns rules that would cover a
// call on record, the narrowest first; none when no rule may allow it. Preview records
// nothing. All of them are called in commands and may take their time.
type Broker interface {
	Offer(ctx context.Context, id string) ([]rules.Rule, error)
	Preview(ctx context.Context, r rules.Rule) (broker.Preview, error)
	SaveRule(ctx context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error)
}

// Decide decides a call for once, as the queue does: the root gives it, since this
// screen knows no other one.
type Decide func(call guard.Drawn, v broker.Verdict, reason string) tea.Cmd

// Screen is the rule editor, open or not.
type Screen struct {
	*desk.Desk
	broker Broker
	decide Decide
	keys   keys
	gen    int
	editor *editor // nil while the screen is closed
}

// New makes the screen, closed.
func New(d *desk.Desk, b Broker, decide Decide) *Screen {
	return &Screen{Desk: d, broker: b, decide: decide, keys: defaultKeys()}
}

// editor is a rule that is being written. It is made anew at each opening.
type editor struct {
	gen int // tells answers for this rule from those for one before
	origin
	offer
	form
	sight
	ending
	preview preview
}

// origin is the call that the rule is made from; there is none when it has no ID. The card
// has none either when the call is over.
type origin struct {
	card guard.Drawn
	call broker.Request
	gone string // how the call ended meanwhile; safe to draw
}

// offer is what the broker offers for the call.
type offer struct {
	loading bool         // it is not here yet
	drafts  []rules.Rule // narrowest first
	draft   int
	noAllow string // why no rule may allow the call; safe to draw
}

// sight is how the form is looked at and moved in.
type sight struct {
	top  int    // first row on the screen
	free bool   // scrolled away from the focus
	hint string // why the last key did nothing; safe to draw

	wordAt time.Time // when a letter was last typed where there are choices
}

// ending is how the rule is being saved.
type ending struct {
	confirm *confirm
	saving  bool
	listed  map[string]bool // ids of the waiting calls that the rule was to decide
}

// Subject is nothing: no call counts as drawn, and no key of the root is taken.
func (x *Screen) Subject() desk.Subject { return desk.Subject{} }

// Writes reports that every key is for the editor.
func (x *Screen) Writes() bool { return x.editor != nil }

// close leaves the editor; nothing of what was typed stays.
func (x *Screen) close() tea.Cmd {
	x.editor = nil
	return x.Back()
}

// Update takes the broker's answers and news. They may come after the editor was left;
// each looks first whether there is still one, and the same one.
func (x *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case desk.Settle:
		return x.settle()
	case desk.News:
		return x.news(msg.List)
	case desk.RuleSaved:
		return x.saved(msg)
	case offerMsg:
		return x.offerCame(msg)
	case previewDueMsg:
		return x.previewDue(msg)
	case previewMsg:
		return x.previewCame(msg)
	}
	return nil
}
