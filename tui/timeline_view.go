package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/tty"
)

func (m *model) timelineKey(msg tea.KeyMsg) tea.Cmd {
	t := &m.tl
	width, height := m.room()
	at := t.index(t.at)
	switch {
	case key.Matches(msg, m.keys.Events):
		return m.back()
	case key.Matches(msg, m.keys.Transcript):
		return m.openTranscript(t.session)
	case key.Matches(msg, m.keys.Filter):
		m.prompt = &prompt{purpose: askLine, what: "/", help: "enter keeps · esc shows all", text: []rune(t.filter), typed: m.filterTimeline}
	case key.Matches(msg, m.keys.Top):
		if t.atStart && len(t.steps) > 0 {
			t.at, t.follow, t.reveal = t.steps[0].seq(), false, true
			return nil
		}
		m.restart(oldest)
	case key.Matches(msg, m.keys.Bottom):
		if !t.atEnd || len(t.steps) == 0 {
			m.restart(newest)
			return nil
		}
		t.follow = true
	case at < 0:
	case key.Matches(msg, m.keys.Open, m.keys.Unfold):
		m.unfoldStep(t.steps[at], width)
	case key.Matches(msg, m.keys.Down):
		m.stepDown(at, height)
	case key.Matches(msg, m.keys.Up):
		m.stepUp(at, height)
	case key.Matches(msg, m.keys.PageDown, m.keys.PageUp):
		half := max(1, height/2)
		if key.Matches(msg, m.keys.PageUp) {
			half = -half
		}
		m.scrollTimeline(half, height)
	case key.Matches(msg, m.keys.Copy):
		return m.copyStep(t.steps[at])
	case key.Matches(msg, m.keys.Bytes):
		if t.steps[at].large > 0 {
			return m.say(draw.Muted, "its input is too large to be shown here: see the history (h)")
		}
		return m.openBytes(t.steps[at].call)
	}
	return nil
}

func (m *model) unfoldStep(s *moment, width int) {
	s.open = !s.open
	if s.open {
		s.layOut(m.st, width, m.at.Location())
	}
	m.tl.follow, m.tl.reveal = false, true
}

// stepDown goes to the next step, after the selected one's last row was on the screen.
func (m *model) stepDown(at, height int) {
	t := &m.tl
	if end := t.rows(at + 1); end > t.top+height {
		t.setTop(t.top+1, height)
		return
	}
	if at+1 < len(t.steps) {
		t.at, t.reveal = t.steps[at+1].seq(), true
	}
	t.follow = t.atEnd && at+2 >= len(t.steps)
}

func (m *model) stepUp(at, height int) {
	t := &m.tl
	t.follow = false
	if begin := t.rows(at); begin < t.top {
		t.setTop(t.top-1, height)
		return
	}
	if at > 0 {
		t.at, t.reveal = t.steps[at-1].seq(), true
	}
}

// scrollTimeline moves by rows; the selection stays on the screen.
func (m *model) scrollTimeline(by, height int) {
	t := &m.tl
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
			t.at = s.seq()
		}
	}
}

func (m *model) copyStep(s *moment) tea.Cmd {
	if s.event.Type == broker.EventPostTool && s.ran.Output != "" {
		return tea.Batch(m.beside(tty.ClipboardSequence(s.ran.Output)), m.say(draw.OK, "sent the output to the clipboard ("+figures.Size(len(s.ran.Output))+")"))
	}
	if s.call == nil || s.large > 0 {
		return m.say(draw.Muted, "there is nothing to copy in this row")
	}
	return m.copyText(*s.call)
}

func (m *model) mouseTimeline(l layout, msg tea.MouseMsg, step int) {
	t := &m.tl
	_, height := m.room()
	if len(t.steps) == 0 {
		return
	}
	if step != 0 {
		m.scrollTimeline(step*wheelRows, height)
		return
	}
	if s := t.stepAt(t.top + msg.Y - l.detail.Y - 1); s != nil && msg.Y > l.detail.Y {
		t.at, t.follow = s.seq(), false
	}
}

func (m *model) timelineView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 1)
	t := &m.tl
	f := draw.Caption{Title: "Events of " + m.board.Label(t.session), Focus: true}
	f.Note, f.NoteInk = m.timelineNote()
	f.Right = m.timelineRight()
	rows := make([]string, 0, height)
	if text := m.timelineEmpty(); text != "" {
		rows = append(rows, m.st.Row(width).Fit(draw.Muted, text, width).To(width).String())
	}
	skip := t.top
	for _, s := range t.steps {
		if h := s.height(); skip >= h {
			skip -= h
			continue
		}
		if len(rows) >= height {
			break
		}
		if skip == 0 {
			rows = append(rows, m.stepRow(s, width))
		}
		if s.open {
			rows = append(rows, s.rows[max(0, skip-1):]...)
		}
		skip = 0
	}
	return l.Framed(a, f, 1, rows[:min(len(rows), height)])
}

// timelineNote says what is special about the list.
func (m *model) timelineNote() (string, draw.Ink) {
	t := &m.tl
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
	if s := m.board.Sessions[t.session]; s != nil && stopTold(s) != "" {
		return stopTold(s), draw.Danger
	}
	return "", draw.Muted
}

func (m *model) timelineRight() string {
	t := &m.tl
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

func (m *model) timelineEmpty() string {
	t := &m.tl
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
func (m *model) stepRow(s *moment, width int) string {
	r := m.st.Row(width).Choose(s.seq() == m.tl.at)
	bar := " "
	if s.seq() == m.tl.at {
		bar = "▌"
	}
	r.Put(draw.Key, bar)
	at := s.event.At.In(m.at.Location())
	switch {
	case width >= 60:
		r.Put(draw.Muted, at.Format("15:04:05")+" ")
	case width >= 46:
		r.Put(draw.Muted, at.Format("15:04")+" ")
	}
	word, glyph, i := s.word()
	r.Put(i, glyph+" ").Fit(i, word, 9).To(r.Width + 10 - min(draw.Cells(word), 9))
	tail, whose := m.tail(s), s.whose()
	if width < 60 {
		whose = ""
	}
	end := width
	if tail != "" {
		end -= min(draw.Cells(tail), width/4) + 2
	}
	if tool := s.tool(); tool != "" {
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
	if s.event.Type == broker.EventPostTool {
		textInk = draw.Muted
	}
	r.Fit(textInk, s.text(), end-r.Width)
	if s.event.Type == broker.EventPostTool && s.ran.Failed && end-r.Width > 14 && s.ran.Output != "" {
		r.Put(draw.Muted, " · ").Fit(draw.Danger, callview.FirstLine(s.ran.Output), end-r.Width)
	}
	if s.event.Type == broker.EventRequestDecided && s.decided.Reason != "" && s.decided.By.Kind != broker.ByRule && end-r.Width > 14 {
		r.Put(draw.Muted, " · ").Fit(i, quoted(s.decided.Reason), end-r.Width)
	}
	if tail != "" {
		r.To(end+2).Fit(draw.Muted, tail, width-end-2)
	}
	return r.To(width).String()
}
