package orders

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// ResumeScreen shows the line that resumes a session in a terminal, whole. It has no frame: what is
// selected with the mouse is the line and nothing else.
type ResumeScreen struct {
	*desk.Desk
	orders *Orders
	opened opened // as it was when the screen came up: another answer may open another session meanwhile
	top    int
}

// NewResumeScreen makes the screen.
func NewResumeScreen(d *desk.Desk, o *Orders) *ResumeScreen {
	return &ResumeScreen{Desk: d, orders: o}
}

// Opens shows the session that was opened last.
func (s *ResumeScreen) Opens(desk.Subject) tea.Cmd {
	s.opened, s.top = s.orders.opened, 0
	return nil
}

// Subject is the session.
func (s *ResumeScreen) Subject() desk.Subject { return desk.Subject{Session: s.opened.session} }

// Keys copy the line again, and scroll.
func (s *ResumeScreen) Keys() []desk.Key {
	again := func(tea.KeyMsg) tea.Cmd { return s.Copy("line", s.orders.ShortLine(s.opened.session)) }
	list := []desk.Key{{Binding: desk.Copy("copy the line"), Short: "copy the line", Do: again}}
	return append(list, s.Scrolls(&s.top, s.length)...)
}

// Update keeps the place.
func (s *ResumeScreen) Update(msg tea.Msg) tea.Cmd {
	s.Scroll(msg, &s.top, s.length)
	return nil
}

func (s *ResumeScreen) length() int { return len(s.rows()) }

// View draws the rows in sight.
func (s *ResumeScreen) View(width, height int) []string {
	rows := s.rows()
	rows = rows[min(s.top, len(rows)):]
	list := append([]string{}, rows[:min(height, len(rows))]...)
	for len(list) < height {
		list = append(list, draw.Spaces(width))
	}
	return draw.Narrowed(list, width)
}

// rows are what there is to say, from the left edge on.
func (s *ResumeScreen) rows() []string {
	p := s.Styles.Paper(s.Width)
	told := s.opened.told
	p.Say(draw.Title, "Resume "+s.Board.Label(s.opened.session))
	p.Blank()
	p.Say(draw.Muted, "Run this in a terminal of yours, in any folder:")
	p.Blank()
	for _, row := range s.orders.shortRows(s.opened.session, p.Width) {
		p.Write(draw.Gutter{}, draw.Command, row)
	}
	p.Blank()
	p.Say(draw.Text, "The line went to the clipboard. A terminal does not say whether it took it: when nothing is pasted, "+
		"select the line with the mouse (hold shift, in some terminals alt) and copy it.")
	p.Blank()
	p.Say(draw.Text, "It starts the agent again in the foreground, in its folder, without a prompt. The agent asks for its "+
		"deferred call again, and hears your answer.")
	p.Blank()
	p.Say(draw.Text, s.good())
	p.Blank()
	p.Say(draw.Muted, "What it runs:")
	p.Blank()
	for _, row := range wrapped(told, p.Width) {
		p.Write(draw.Gutter{}, draw.Text, row)
	}
	return p.Rows
}

// good says for how long the line is good.
func (s *ResumeScreen) good() string {
	left := s.opened.until.Sub(s.At)
	if is := s.Board.Sessions[s.opened.session]; is == nil || is.Deferred == 0 {
		return "Nothing of it is deferred any more: the agent asked again, or the call has ended."
	}
	if left <= 0 {
		return "The time for it is over: " + s.Called("esc") + ", then " + s.Called("R") + " again."
	}
	return "It needs no token, and is good while this console is open for " + figures.Left(left) +
		" more. " + s.Called("R") + " in the list of calls or sessions makes it good for " + figures.Ago(broker.ResumeOpen) + " again."
}
