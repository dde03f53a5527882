package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
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
			return m.say(inkMuted, "its input is too large to be shown here: see the history (h)")
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
		return tea.Batch(m.beside(clipboardSequence(s.ran.Output)), m.say(inkOK, "sent the output to the clipboard ("+size(len(s.ran.Output))+")"))
	}
	if s.call == nil || s.large > 0 {
		return m.say(inkMuted, "there is nothing to copy in this row")
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
	if s := t.stepAt(t.top + msg.Y - l.detail.y - 1); s != nil && msg.Y > l.detail.y {
		t.at, t.follow = s.seq(), false
	}
}

func (m *model) timelineView(l layout, a area) []string {
	width, height := l.inner(a, 1)
	t := &m.tl
	f := caption{title: "Events of " + m.board.label(t.session), focus: true}
	f.note, f.noteInk = m.timelineNote()
	f.right = m.timelineRight()
	rows := make([]string, 0, height)
	if text := m.timelineEmpty(); text != "" {
		rows = append(rows, m.st.row(width).fit(inkMuted, text, width).to(width).String())
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
	return m.frame(l, a, f, 1, rows[:min(len(rows), height)])
}

// timelineNote says what is special about the list.
func (m *model) timelineNote() (string, ink) {
	t := &m.tl
	if t.err != nil {
		return "cannot be read: " + safeLine(t.err.Error()), inkDanger
	}
	if t.filter != "" {
		text := "/" + safeLine(t.filter)
		if t.loading {
			text += fmt.Sprintf(" · %s looked at …", plural(t.looked, "event"))
		}
		return text, inkKey
	}
	if s := m.board.sessions[t.session]; s != nil && stopTold(s) != "" {
		return stopTold(s), inkDanger
	}
	return "", inkMuted
}

func (m *model) timelineRight() string {
	t := &m.tl
	switch {
	case t.follow && t.atEnd:
		return "following"
	case t.loading && t.filter == "":
		return "reading …"
	case len(t.steps) > 0:
		return fmt.Sprintf("event %s of %s", count(int(t.at)), count(int(max(t.last, t.at))))
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
	r := m.st.row(width).choose(s.seq() == m.tl.at)
	bar := " "
	if s.seq() == m.tl.at {
		bar = "▌"
	}
	r.put(inkKey, bar)
	at := s.event.At.In(m.at.Location())
	switch {
	case width >= 60:
		r.put(inkMuted, at.Format("15:04:05")+" ")
	case width >= 46:
		r.put(inkMuted, at.Format("15:04")+" ")
	}
	word, glyph, i := s.word()
	r.put(i, glyph+" ").fit(i, word, 9).to(r.width + 10 - min(cells(word), 9))
	tail, whose := m.tail(s), s.whose()
	if width < 60 {
		whose = ""
	}
	end := width
	if tail != "" {
		end -= min(cells(tail), width/4) + 2
	}
	if tool := s.tool(); tool != "" {
		most := min(8, max(4, width/8))
		if width >= 110 {
			most = 12
		}
		r.fit(inkBold, tool, most).to(r.width + 1 + max(0, most-cells(tool)))
	}
	if whose != "" {
		r.fit(inkMuted, "› "+safeLine(whose)+" ", width/5)
	}
	textInk := inkText
	if s.event.Type == broker.EventPostTool {
		textInk = inkMuted
	}
	r.fit(textInk, s.text(), end-r.width)
	if s.event.Type == broker.EventPostTool && s.ran.Failed && end-r.width > 14 && s.ran.Output != "" {
		r.put(inkMuted, " · ").fit(inkDanger, firstLine(s.ran.Output), end-r.width)
	}
	if s.event.Type == broker.EventRequestDecided && s.decided.Reason != "" && s.decided.By.Kind != broker.ByRule && end-r.width > 14 {
		r.put(inkMuted, " · ").fit(i, quoted(s.decided.Reason), end-r.width)
	}
	if tail != "" {
		r.to(end+2).fit(inkMuted, tail, width-end-2)
	}
	return r.to(width).String()
}
