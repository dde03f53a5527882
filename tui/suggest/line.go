package suggest

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

const (
	enough    = 30          // decisions by hand, since somebody looked, from which on there is a line
	more      = 10          // decisions after which suggestions are looked for again
	least     = time.Minute // between two times
	mostNoted = 1 << 10     // calls that are remembered as counted
)

// Line is the quiet line of the first screen, and what it knows: how many decisions were made by hand
// since somebody looked, and which rules would have saved them. Before there are thirty it asks the
// broker nothing but the number of those that an earlier console saw.
type Line struct {
	*desk.Desk
	broker  LineBroker
	by      int             // decisions by hand since somebody looked
	noted   map[string]bool // calls that are counted in it
	askedBy int             // what by was when the broker was asked
	askedAt time.Time
	asking  bool
	again   bool // rules have changed since it was asked
	found   found
	not     map[string]bool // rules that the operator does not want, by what they say
}

// LineBroker knows which rules would have saved decisions. Both are called in commands, and Suggest
// may take a second.
type LineBroker interface {
	Suggest(ctx context.Context) (history.Suggestions, error)
	Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error)
}

// found is an answer of the broker's.
type found struct {
	version int // 0: there is none yet
	history.Suggestions
	err error
}

// The broker's answers.
type (
	foundMsg struct {
		found history.Suggestions
		err   error
	}
	earlierMsg struct{ decided int }
)

// NewLine makes it. Nothing is asked for before the console starts.
func NewLine(d *desk.Desk, b LineBroker) *Line {
	return &Line{Desk: d, broker: b, noted: map[string]bool{}, not: map[string]bool{}, askedAt: d.At}
}

// Update counts decisions, and asks the broker when that is due.
func (l *Line) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case desk.Start:
		return l.earlier()
	case earlierMsg:
		l.by += msg.decided
	case desk.News:
		l.news(msg.List)
	case desk.Tick:
		if l.due() {
			return l.ask()
		}
	case foundMsg:
		return l.came(msg)
	}
	return nil
}

// earlier asks how many calls were allowed by hand before the console started.
func (l *Line) earlier() tea.Cmd {
	ctx, b := l.Ctx, l.broker
	return func() tea.Msg {
		s, err := b.Stats(ctx, "", time.Time{})
		if err != nil {
			return nil // the line then comes thirty decisions later
		}
		return earlierMsg{s.ByHand}
	}
}

// news counts the calls that a person decided. A call is told of again when something else about it changes.
func (l *Line) news(list []broker.Update) {
	for _, u := range list {
		r := u.Request
		if r == nil || !byHand(r) || l.noted[r.ID] {
			continue
		}
		if len(l.noted) >= mostNoted {
			clear(l.noted)
		}
		l.noted[r.ID] = true
		l.by++
	}
}

// byHand reports whether a person at the keyboard decided a call: no token, and no earlier answer.
func byHand(r *broker.Request) bool {
	return r.Outcome != nil && r.Outcome.By.Kind == broker.ByOperator && r.Outcome.By.ID == "" && (r.State == broker.Allowed || r.State == broker.Denied)
}

// due reports whether enough was decided to look, or to look again. It is asked once a second.
func (l *Line) due() bool {
	known := l.found.version > 0
	return l.by >= enough && !l.asking && l.At.Sub(l.askedAt) >= least && (!known || l.by-l.askedBy >= more)
}

// ask has the broker look, or notes that it is to look again.
func (l *Line) ask() tea.Cmd {
	if l.asking {
		l.again = true
		return nil
	}
	l.asking, l.again, l.askedBy, l.askedAt = true, false, l.by, l.At
	ctx, b := l.Ctx, l.broker
	return func() tea.Msg {
		got, err := b.Suggest(ctx)
		return foundMsg{got, err}
	}
}

// came takes the broker's answer in. One from before a change of the rules is not shown.
func (l *Line) came(msg foundMsg) tea.Cmd {
	l.asking = false
	if l.again {
		return l.ask()
	}
	l.found = found{l.found.version + 1, msg.found, msg.err}
	return nil
}

// looked says that somebody looks: the line goes, until thirty more decisions were made.
func (l *Line) looked() { l.by, l.askedBy = 0, 0 }

// list are the suggestions that the operator may want.
func (l *Line) list() (list []history.Suggestion) {
	for _, s := range l.found.List {
		if !l.not[says(s.Rule)] {
			list = append(list, s)
		}
	}
	return list
}

// Shown reports whether there is something to say.
func (l *Line) Shown() bool { return l.by >= enough && len(l.list()) > 0 }

// View draws the line: the longest one that has room.
func (l *Line) View(width int) string {
	list := l.list()
	rule, saved, of := figures.Plural(len(list), "rule"), figures.Count(saves(list)), figures.Count(l.found.Prompts+l.found.Observed)
	key, would := l.Called("P"), " "+rule+" would have saved "+saved+" of "
	r := l.Styles.Row(width)
	for _, text := range []struct{ lead, tail string }{
		{would + "your last " + of + " " + l.calls() + " · ", " shows them (" + key + " twice: not now)"},
		{would + "your last " + of + " " + l.calls() + " · ", " shows them"},
		{would + of + " " + l.calls() + " · ", " shows them"},
		{" " + rule + " would save " + saved + " of " + of + " · ", " shows"},
	} {
		if draw.Cells(text.lead+key+text.tail) <= width {
			return r.Put(draw.Muted, text.lead).Put(draw.Key, key).Put(draw.Muted, text.tail).To(width).String()
		}
	}
	return r.Put(draw.Text, " ").Put(draw.Key, key).Put(draw.Text, " ").Fit(draw.Muted, "shows "+rule+" to save prompts", width-r.Width).To(width).String()
}

// calls is what was decided, in a word: of an observed session nobody was asked here.
func (l *Line) calls() string {
	if l.found.Observed > 0 {
		return "calls"
	}
	return "prompts"
}

// saves is what some suggestions save together.
func saves(list []history.Suggestion) (n int) {
	for _, s := range list {
		n += s.Saves
	}
	return n
}
