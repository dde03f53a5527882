// Package stats is the screen that says what the gate costs and saves: how often
// somebody was asked, over time; how long the answers took; what rules decided and
// what people did; and which sessions, agents and tools ask the most. It shows what
// "aoctl stats" prints, from the same count (broker/tally), over today, a week, a
// month or the whole record.
//
// The screen asks for a Report when it is opened and when another span is chosen.
// Counting reads every call of the span, so it happens in a command and on a
// connection that only reads. While the screen is open it asks again when calls have
// ended since, but not more often than counting is cheap. A span that is left before
// its Report came is given up. What sessions spent comes after the counts: it stands
// in their agents' transcripts, which are long. Money is shown where an agent names
// it, else tokens alone. What aoctl itself adds to a call that a rule decides is not
// on record: there such a call ends in the millisecond in which it came. The console
// measures its own part, and the screen says that this is all that it knows.
//
// reading.go knows which Report is there; view.go lays the sections out, in two
// columns where there is room, and the screen scrolls over them; chart.go draws bars
// with ntcharts. That library only says which block stands in which cell: the inks are
// those of draw.Styles, so that themes, contrast and NO_COLOR hold here as elsewhere.
// No bar says anything that no number or sign says too.
//
// Names of tools and sessions come from agents: they are made safe before they are
// drawn.
package stats

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker/calls"
	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/tui/desk"
)

// Broker is what the screen needs of it.
type Broker interface {
	// Tally counts the calls that ended since a time. It may take its time.
	Tally(ctx context.Context, since time.Time) (tally.Report, error)
	// Spending adds to a Report what its sessions spent. It may take longer: agents tell that in files.
	Spending(ctx context.Context, r tally.Report) (tally.Report, error)
	// RuleTook says what this console itself added to calls that a rule decided at once.
	RuleTook() calls.Took
}

// Screen is the figures of one span of time. Which span was chosen stays when it is
// closed.
type Screen struct {
	*desk.Desk
	reading
	rows []string // the sections, laid out for form
	form form
	top  int
}

// form is what rows depend on. While it stays the same, nothing is laid out again.
type form struct {
	width, height int
	gen           int
	names         int // sessions that the board has
}

// New makes the screen.
func New(d *desk.Desk, b Broker) *Screen { return &Screen{Desk: d, reading: reading{broker: b}} }

// Opens begins at the top, with the span that was chosen last.
func (s *Screen) Opens(desk.Subject) tea.Cmd {
	s.top = 0
	return s.ask(s.Desk)
}

// Update takes figures and the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case countedMsg:
		return s.came(msg, s.Desk)
	case spentMsg:
		s.spent(msg, s.At)
	case desk.Settle:
		return s.settle()
	case tea.MouseMsg:
		if steps, click := desk.Wheel(msg); !click {
			s.top += steps * desk.WheelRows // settle keeps it within
		}
	}
	return nil
}

// settle lays the figures out again when something of it changed, and asks for newer
// ones.
func (s *Screen) settle() tea.Cmd {
	width, height := s.Inner()
	// The names of sessions may have changed, so their number counts too.
	if now := (form{width, s.Height, s.shown, len(s.Board.Sessions)}); now != s.form {
		s.form, s.rows = now, s.layout(width)
	}
	s.top = max(0, min(s.top, len(s.rows)-height))
	if s.due(s.Desk) {
		return s.ask(s.Desk)
	}
	return nil
}

// Subject is nothing: the figures are about all calls.
func (s *Screen) Subject() desk.Subject { return desk.Subject{} }

// Keys scroll, and choose the span.
func (s *Screen) Keys() []desk.Key {
	return append(desk.Moves("scroll", s.scroll),
		desk.Key{Binding: desk.Bind("→", "in the figures: of a longer time", "right", "]"), Name: "← →", Short: "time", Do: s.turn(1)},
		desk.Key{Binding: desk.Bind("←", "in the figures: of a shorter time", "left", "["), Do: s.turn(-1)},
	)
}

// scroll moves over the sections.
func (s *Screen) scroll(msg tea.KeyMsg) tea.Cmd {
	_, height := s.Inner()
	s.top = desk.Scrolled(msg, s.top, len(s.rows), height)
	return nil
}

// turn is a key's action: by that many spans further, around the end.
func (s *Screen) turn(by int) func(tea.KeyMsg) tea.Cmd {
	return func(tea.KeyMsg) tea.Cmd {
		s.choose(desk.Turned(s.span, by, len(spans))) // settle asks
		s.top = 0
		return nil
	}
}
