package history

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/sheet"
)

// Decided is the screen with one decided call: how it ended, what came of it, and the call.
type Decided struct {
	*desk.Desk
	sheets   *sheet.Sheets
	list     *List
	rules    Rules
	id       string         // of the call
	last     broker.Request // as it was last listed
	top      int
	unfolded bool // the output
}

// NewDecided makes the screen of one call.
func NewDecided(d *desk.Desk, s *sheet.Sheets, l *List, r Rules) *Decided {
	return &Decided{Desk: d, sheets: s, list: l, rules: r}
}

// Opens shows a call.
func (p *Decided) Opens(on desk.Subject) tea.Cmd {
	p.id, p.last, p.top, p.unfolded = on.Call.ID, *on.Call, 0, false
	return nil
}

// call is the call as it is known now.
func (p *Decided) call() *broker.Request {
	if r := p.list.find(p.id); r != nil {
		p.last = *r
	}
	return &p.last
}

// Subject is the call.
func (p *Decided) Subject() desk.Subject {
	return desk.Subject{Session: p.last.SessionID, Call: &p.last}
}

// Keys scroll, unfold what the call gave back, and lead to the rule that decided it. The key line
// names those that have something to act on.
func (p *Decided) Keys() []desk.Key {
	r := *p.call()
	unfold := desk.Key{Binding: desk.Space("unfold what the call gave back"), Do: p.unfold}
	if ran := p.sheets.Story(p.id).Ran; ran != nil && ran.Output != "" {
		unfold.Short = "output"
	}
	rule := desk.Key{Binding: desk.Enter("the rule that decided it"), Do: func(tea.KeyMsg) tea.Cmd { return p.rules.Open(r) }}
	off := desk.Key{Binding: revoke, Do: func(tea.KeyMsg) tea.Cmd { return p.rules.Revoke(r) }}
	made := desk.Key{Binding: makeRule, Short: makesRule, Do: func(tea.KeyMsg) tea.Cmd { return p.rules.Make(r) }}
	if byRule(&r) {
		rule.Short, off.Short, made.Short = "its rule", switchOff, ""
	}
	keys := append(p.Scrolls(&p.top, p.length), unfold, rule, made, off)
	return append(keys, p.sheets.Keys(sheet.Drawn{LayOut: p.laidOut, Top: &p.top})...)
}

// byRule reports whether a rule decided the call.
func byRule(r *broker.Request) bool { return r.Outcome != nil && r.Outcome.By.Kind == broker.ByRule }

// switchOff is what the key line says of revoke.
const switchOff = "switch its rule off"

func (p *Decided) unfold(tea.KeyMsg) tea.Cmd {
	p.unfolded = !p.unfolded
	return nil
}

func (p *Decided) length() int { return len(p.laidOut().Rows) }

// Update keeps the place, and asks what came of the call.
func (p *Decided) Update(msg tea.Msg) tea.Cmd {
	p.Scroll(msg, &p.top, p.length)
	if _, ok := msg.(desk.Settle); ok {
		return p.sheets.Want(p.call())
	}
	return nil
}

// View draws the rows in sight.
func (p *Decided) View(_, _ int) []string {
	_, height := p.Inner()
	d := p.laidOut()
	f := draw.Caption{Title: d.Title, Note: d.Note, Right: d.Size}
	if len(d.Rows) > height {
		f.Right = callview.Position(p.top, height, d)
	}
	return p.Framed(f, d.Rows, p.top)
}

// laidOut is the call laid out for the width that the screen has.
func (p *Decided) laidOut() *callview.Doc {
	width, _ := p.Inner()
	r := *p.call()
	kind := fmt.Sprintf("decided, unfolded %v, alarm %v, unheard %v", p.unfolded, r.Alarm != nil, r.Unheard)
	return p.sheets.Get(sheet.Key{ID: r.ID, Width: width, Kind: kind}, func() *callview.Doc {
		return callview.LayOutEnded(p.Styles, r, p.sheets.Around(r), p.Book.Ended(r), p.unfolded, width)
	})
}
