package rulebook

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/words"
)

// RulesBroker is what the list of rules needs of the broker. SaveRule refuses a rule
// whose version is no longer the one in force.
type RulesBroker interface {
	SaveRule(ctx context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error)
	RemoveRule(ctx context.Context, id string, by broker.Actor) error
}

// Rules is the list of the rules that hold, in the order in which they speak. Its keys
// are about the selected rule as it was drawn.
type Rules struct {
	*desk.Desk
	broker RulesBroker
	edit   func(id string) tea.Cmd // opens the rule editor; "" is a new rule
	listing
}

// NewRules makes the screen. edit is given by the root, since this screen knows no
// other one.
func NewRules(d *desk.Desk, b RulesBroker, edit func(id string) tea.Cmd) *Rules {
	return &Rules{Desk: d, broker: b, edit: edit, listing: listing{book: d.Book}}
}

// Opens lists the rules, with the one selected that on names.
func (l *Rules) Opens(on desk.Subject) tea.Cmd {
	l.takeIn(l.Book)
	if on.Rule != "" {
		l.find(on.Rule)
	}
	return nil
}

// Subject is the selected rule.
func (l *Rules) Subject() desk.Subject {
	r, _ := l.selected()
	return desk.Subject{Rule: r.ID}
}

// Update takes answers of the broker, and the mouse. A rule that was saved in the
// editor comes here too, and is selected.
func (l *Rules) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case savedMsg:
		return l.saved(msg)
	case removedMsg:
		return l.removed(msg)
	case desk.RuleSaved:
		if msg.Err == nil {
			l.made = msg.Saved.Rule.ID
			// The book may be here already, or come later; either way the new rule is
			// selected once.
			before := l.at
			// The selection has jumped to another rule by itself, so keys are deaf for
			// a moment.
			if l.goToSaved(); l.at != before {
				l.Guard.Doubt(l.At)
			}
		}
	case tea.MouseMsg:
		l.mouse(msg)
	case desk.Settle:
		l.settle()
	}
	return nil
}

// settle takes in a new book, and keeps the selected rule on the screen.
func (l *Rules) settle() {
	if l.book != l.Book && !l.takeIn(l.Book) {
		l.Guard.Doubt(l.At) // a key pressed just now was meant for what stood there before
	}
	if l.place() < 0 {
		// A list always has a selection, so that its keys are about something.
		l.choose(0)
	}
	width, height := area(l.Desk)
	list, _ := listHeights(height)
	l.top = desk.Window(l.top, l.place(), list-len(l.head(width)), len(l.shown))
}

// Keys are the keys of the list. Loosens marks those that may let more calls run,
// which the root holds back where it holds decisions back.
func (l *Rules) Keys() []desk.Key {
	r, ok := l.selected()
	none := ""
	if !ok {
		none = "no rule is selected"
	}
	// Rules of files and those that are built in cannot be changed here.
	fixed := words.Fixed(r)
	if none != "" {
		fixed = none
	}
	// The built-in grant is switched off by a rule beside it.
	switched, edited := fixed, none
	if ok && r.ID == rules.BuiltinLook {
		switched, edited = "", fixed
	}
	// The action gets the rule as it was drawn with these keys, not the one that is
	// selected later.
	about := func(do func(rules.Rule) tea.Cmd) func(tea.KeyMsg) tea.Cmd {
		return func(tea.KeyMsg) tea.Cmd { return do(r) }
	}
	list := []desk.Key{
		able(desk.Key{Binding: desk.Bind("enter", "edit the rule", "enter", "e"), Short: "edit", Why: edited, Do: about(l.editRule)}),
		able(desk.Key{Binding: desk.Space("switch the rule on or off"), Short: "on/off", Why: switched, Loosens: true, Do: about(l.toggle)}),
		able(desk.Key{Binding: desk.Bind("x", "delete the rule, after a question", "x"), Short: "delete", Why: fixed, Do: about(l.askDelete)}),
		{Binding: desk.Bind("n", "new rule", "n"), Short: "new", Do: l.newRule},
		able(desk.Key{Binding: desk.Bind("K", "let it speak before the rule above", "K"), Name: "K J", Short: "order", Why: fixed, Loosens: true, Do: about(l.earlier)}),
		{Binding: desk.Bind("J", "let it speak after the rule below", "J"), Why: fixed, Loosens: true, Do: about(l.later)},
		{Binding: desk.Filter("list only rules that have these words"), Short: l.ifAny("filter"), Do: l.askFilter},
		{Binding: desk.Bind("F", "rules files of projects", "F"), Short: "files", Do: l.opens(desk.RulesFiles)},
		{Binding: desk.Bind("t", "tokens for programs and hooks", "t"), Short: "tokens", Do: l.opens(desk.Tokens)},
	}
	// Without a filter esc is the root's and leaves the screen.
	if l.filter != "" {
		list = append(list, desk.Key{Binding: desk.Bind("esc", "list all rules", "esc", "q"), Do: l.unfilter})
	}
	return append(list, desk.Moves("", l.move)...)
}

// ifAny is a word of the key line that is of use only when there are rules.
func (l *Rules) ifAny(short string) string {
	if l.book.Own() == 0 {
		return ""
	}
	return short
}

// opens is a key's action that opens another screen.
func (l *Rules) opens(name string) func(tea.KeyMsg) tea.Cmd {
	return func(tea.KeyMsg) tea.Cmd { return l.Open(name, desk.Subject{}) }
}

// editRule and newRule open the editor.
func (l *Rules) editRule(r rules.Rule) tea.Cmd { return l.edit(r.ID) }
func (l *Rules) newRule(tea.KeyMsg) tea.Cmd    { return l.edit("") }

// askFilter reads the filter in the last line, and lists anew with every letter.
func (l *Rules) askFilter(tea.KeyMsg) tea.Cmd {
	l.Read(desk.Line{Lead: "/", Help: "enter keeps · esc shows all", Text: l.filter, Typed: l.filterBy})
	return nil
}

// unfilter lists all rules again.
func (l *Rules) unfilter(tea.KeyMsg) tea.Cmd {
	l.filterBy("")
	return nil
}

// move selects another rule.
func (l *Rules) move(msg tea.KeyMsg) tea.Cmd {
	_, height := area(l.Desk)
	list, _ := listHeights(height)
	l.choose(desk.Moved(msg, l.place(), len(l.shown), list))
	return nil
}

// mouse moves the selection, or selects what was clicked. It never changes a rule.
func (l *Rules) mouse(msg tea.MouseMsg) {
	steps, click := desk.Wheel(msg)
	at := l.place() + steps
	if click {
		width, _ := area(l.Desk)
		// The frame takes the first row, and a problem may stand above the list.
		at = l.top + msg.Y - 1 - len(l.head(width))
	}
	if at >= 0 && at < len(l.shown) {
		l.choose(at)
	}
}
