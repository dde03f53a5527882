package timeline

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/event"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

func (t *Screen) unfold(s *event.Step) {
	s.Open = !s.Open
	if s.Open {
		width, _ := t.Inner()
		s.LayOut(t.Styles, width, t.At.Location())
	}
	t.follow, t.reveal = false, true
}

// down goes to the next step, after the selected one's last row was on the screen.
func (t *Screen) down(at int) {
	_, height := t.Inner()
	if end := t.rows(at + 1); end > t.top+height {
		t.setTop(t.top+1, height)
		return
	}
	if at+1 < len(t.steps) {
		t.at, t.reveal = t.steps[at+1].Seq(), true
	}
	t.follow = t.atEnd && at+2 >= len(t.steps)
}

func (t *Screen) up(at int) {
	_, height := t.Inner()
	t.follow = false
	if begin := t.rows(at); begin < t.top {
		t.setTop(t.top-1, height)
		return
	}
	if at > 0 {
		t.at, t.reveal = t.steps[at-1].Seq(), true
	}
}

// scroll moves by rows; the selection stays on the screen.
func (t *Screen) scroll(by int) {
	_, height := t.Inner()
	t.follow = false
	t.setTop(t.top+by, height)
	if by > 0 && t.atEnd && t.top+height >= t.rows(len(t.steps)) {
		t.follow = true
		return
	}
	at := t.index(t.at)
	if begin, end := t.rows(at), t.rows(at+1); end <= t.top || begin >= t.top+height {
		row := t.top
		if by < 0 {
			row = t.top + height - 1
		}
		if s := t.stepAt(row); s != nil {
			t.at = s.Seq()
		}
	}
}

func (t *Screen) copyStep(s *event.Step) tea.Cmd {
	if s.Event.Type == broker.EventPostTool && s.Ran.Output != "" {
		return t.Copy("output", s.Ran.Output)
	}
	if s.Call == nil || s.Large > 0 {
		return t.Say(draw.Muted, "there is nothing to copy in this row")
	}
	return t.CopyCall(*s.Call)
}

// mouse scrolls, and selects the step that was clicked.
func (t *Screen) mouse(msg tea.MouseMsg) {
	steps, click := desk.Wheel(msg)
	switch {
	case len(t.steps) == 0:
	case steps != 0:
		t.scroll(steps * desk.WheelRows)
	case click && msg.Y > 0:
		if s := t.stepAt(t.top + msg.Y - 1); s != nil {
			t.at, t.follow = s.Seq(), false
		}
	}
}

// View draws the events.
func (t *Screen) View(width, height int) []string {
	a := draw.Area{W: width, H: height}
	frames := t.Frames()
	width, height = frames.Inner(a, 1)
	f := draw.Caption{Title: "Events of " + t.Board.Label(t.session), Focus: true}
	f.Note, f.NoteInk = t.note()
	f.Right = t.right()
	rows := make([]string, 0, height)
	if text := t.empty(); text != "" {
		rows = append(rows, t.Styles.Row(width).Fit(draw.Muted, text, width).To(width).String())
	}
	rows = t.drawn(rows, width, height)
	return frames.Framed(a, f, 1, rows[:min(len(rows), height)])
}

// drawn adds the rows of the steps that are in sight.
func (t *Screen) drawn(rows []string, width, height int) []string {
	skip := t.top
	for _, s := range t.steps {
		if h := s.Height(); skip >= h {
			skip -= h
			continue
		}
		if len(rows) >= height {
			break
		}
		if skip == 0 {
			rows = append(rows, t.stepRow(s, width))
		}
		if s.Open {
			rows = append(rows, s.Rows[max(0, skip-1):]...)
		}
		skip = 0
	}
	return rows
}

// note says what is special about the list.
func (t *Screen) note() (string, draw.Ink) {
	if t.err != nil {
		return "cannot be read: " + draw.SafeLine(t.err.Error()), draw.Danger
	}
	if t.filter != "" {
		text := "/" + draw.SafeLine(t.filter)
		if t.loading {
			text += fmt.Sprintf(" · %s looked at …", figures.Plural(t.looked, "event"))
		}
		return text, draw.Key
	}
	if s := t.Board.Sessions[t.session]; s != nil && words.StopTold(s) != "" {
		return words.StopTold(s), draw.Danger
	}
	return "", draw.Muted
}

func (t *Screen) right() string {
	switch {
	case t.follow && t.atEnd:
		return "following"
	case t.loading && t.filter == "":
		return "reading …"
	case len(t.steps) > 0:
		return fmt.Sprintf("event %s of %s", figures.Count(int(t.at)), figures.Count(int(max(t.last, t.at))))
	}
	return ""
}

func (t *Screen) empty() string {
	switch {
	case len(t.steps) > 0 || t.err != nil:
		return ""
	case t.loading || !t.atStart:
		return "reading …"
	case t.filter != "":
		return "nothing passes the filter; / and esc lists all"
	}
	return "nothing is on record of this session"
}

// stepRow draws a step's line.
func (t *Screen) stepRow(s *event.Step, width int) string {
	r := t.Styles.Row(width).Choose(s.Seq() == t.at)
	bar := " "
	if s.Seq() == t.at {
		bar = "▌"
	}
	r.Put(draw.Key, bar)
	at := s.Event.At.In(t.At.Location())
	switch {
	case width >= 60:
		r.Put(draw.Muted, at.Format("15:04:05")+" ")
	case width >= 46:
		r.Put(draw.Muted, at.Format("15:04")+" ")
	}
	word, glyph, i := s.Word()
	r.Put(i, glyph+" ").Fit(i, word, 9).To(r.Width + 10 - min(draw.Cells(word), 9))
	tail, whose := s.Tail(t.Book), s.Whose()
	if width < 60 {
		whose = ""
	}
	end := width
	if tail != "" {
		end -= min(draw.Cells(tail), width/4) + 2
	}
	if tool := s.Tool(); tool != "" {
		most := min(8, max(4, width/8))
		if width >= 110 {
			most = 12
		}
		r.Fit(draw.Bold, tool, most).To(r.Width + 1 + max(0, most-draw.Cells(tool)))
	}
	if whose != "" {
		r.Fit(draw.Muted, "› "+draw.SafeLine(whose)+" ", width/5)
	}
	textInk := draw.Text
	if s.Event.Type == broker.EventPostTool {
		textInk = draw.Muted
	}
	r.Fit(textInk, s.Text(), end-r.Width)
	if s.Event.Type == broker.EventPostTool && s.Ran.Failed && end-r.Width > 14 && s.Ran.Output != "" {
		r.Put(draw.Muted, " · ").Fit(draw.Danger, callview.FirstLine(s.Ran.Output), end-r.Width)
	}
	if s.Event.Type == broker.EventRequestDecided && s.Decided.Reason != "" && s.Decided.By.Kind != broker.ByRule && end-r.Width > 14 {
		r.Put(draw.Muted, " · ").Fit(i, words.Quoted(s.Decided.Reason), end-r.Width)
	}
	if tail != "" {
		r.To(end+2).Fit(draw.Muted, tail, width-end-2)
	}
	return r.To(width).String()
}
