package tui

import (
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// past lists what was decided, newest first: what the broker told when asked, with
// what has happened since in front.
func (m *model) past() []broker.Request {
	if len(m.history) == 0 {
		return m.Board.Recent
	}
	newest := m.history[0].Outcome
	var list []broker.Request
	known := make(map[string]bool, len(m.history))
	for _, r := range m.history {
		known[r.ID] = true
	}
	for _, r := range m.Board.Recent {
		if newest != nil && r.Outcome.At.Before(newest.At) {
			break
		}
		if !known[r.ID] {
			list = append(list, r)
		}
	}
	return append(list, m.history...)
}

func (m *model) pastAt(list []broker.Request) int {
	for i := range list {
		if list[i].ID == m.historyAt {
			return i
		}
	}
	return max(0, min(m.historyRow, len(list)-1)) // it is no longer listed: what took its place
}

func (m *model) settleHistory() {
	if m.screen != screenHistory && m.screen != screenPast {
		return
	}
	list := m.past()
	l := m.layout()
	_, height := l.Inner(l.detail, 0)
	at := m.pastAt(list)
	if len(list) > 0 {
		m.historyAt, m.historyRow = list[at].ID, at
	}
	m.historyTop = window(m.historyTop, at, height-len(m.statsRow(l.detail.W)), len(list))
	if m.screen == screenPast && len(list) > 0 {
		width, height := l.Inner(l.detail, 1)
		d := m.pastDoc(list[at], width)
		m.pastScroll = max(0, min(m.pastScroll, len(d.Rows)-height))
	}
}

func (m *model) historyView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 0)
	list := m.past()
	rows := m.statsRow(width)
	height -= len(rows)
	f := draw.Caption{Title: "Decided", Note: "newest first", Focus: true}
	if len(list) > height {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(m.historyTop+1), figures.Count(min(m.historyTop+height, len(list))), figures.Count(len(list)))
	}
	if m.historyErr != nil {
		rows = append(rows, m.Styles.Row(width).Put(draw.Danger, " ! ").Fit(draw.Danger, draw.SafeLine(m.historyErr.Error()), width-4).To(width).String())
	}
	if len(list) == 0 && m.historyErr == nil {
		rows = append(rows, m.Styles.Row(width).Put(draw.Muted, " nothing was decided yet").To(width).String())
	}
	for i := m.historyTop; i < min(m.historyTop+height, len(list)); i++ {
		rows = append(rows, m.pastRow(list[i], width, list[i].ID == m.historyAt))
	}
	return l.Framed(a, f, 0, rows)
}

// pastRow draws one decided call on a line.
func (m *model) pastRow(r broker.Request, width int, chosen bool) string {
	o := r.Outcome
	if o == nil {
		return draw.Spaces(width)
	}
	line := m.Styles.Row(width).Choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	glyph, i := callview.VerdictGlyph(o.State)
	word := string(o.State)
	if callview.WasObserved(o) {
		glyph, i, word = "○", draw.Warn, "observed"
	}
	if r.Unheard {
		glyph, i, word = "-", draw.Warn, "unheard"
	}
	if r.Alarm != nil {
		glyph, i, word = "!", draw.Danger, "ALARM"
	}
	line.Put(draw.Key, bar)
	if width >= 50 {
		line.Put(draw.Muted, o.At.In(m.At.Location()).Format("15:04")+" ")
	}
	line.Put(i, glyph+" ")
	if width >= 90 { // in less room the sign alone: the call and its rule tell more
		line.Put(i, word).To(line.Width + 10 - len(word))
	}
	sum := m.pastSummary(r)
	tool := line.Width
	switch {
	case width >= 80:
		tool += 10
	case width >= 60:
		tool += 6
	default:
		tool += min(draw.Cells(sum.Tool), 8)
	}
	line.Fit(draw.Bold, sum.Tool, tool-line.Width).To(tool + 1)
	took := figures.Brief(o.At.Sub(r.CreatedAt))
	by, whose := m.Book.Actor(o.By), words.Whose(r, m.Board)
	if callview.WasObserved(o) {
		by = wouldHave(o)
	}
	end := width - 2
	if width >= 66 {
		end -= 8
	}
	byWidth, whoseWidth := 0, 0
	if width >= 66 {
		byWidth = 16
	}
	if width >= 50 {
		whoseWidth = 13
	}
	if width >= 80 {
		byWidth, whoseWidth = 16, min(width/5, 24)
	}
	if width >= 100 {
		byWidth = 20
	}
	if o.By.Kind == broker.ByRule && draw.Cells(by) >= byWidth { // its name tells more than the word
		by = `"` + strings.TrimPrefix(by, "rule ") + `"`
	}
	m.queueText(line, sum, draw.Text, end-byWidth-whoseWidth-line.Width-1)
	if whoseWidth > 0 {
		line.To(end-byWidth-whoseWidth).Fit(draw.Muted, whose, whoseWidth-1)
	}
	if byWidth > 0 {
		line.To(end-byWidth).Fit(draw.Muted, by, byWidth-1)
		line.Right(draw.Muted, took, width-1)
	}
	return line.To(width).String()
}

// summariesKept is how many decided calls' summaries are kept: more than any history
// screen lists, so that drawing one does not read all inputs again.
const summariesKept = 2 * historyKept

func (m *model) pastSummary(r broker.Request) callview.Summary {
	if s, ok := m.summaries[r.ID]; ok {
		return s
	}
	if m.summaries == nil || len(m.summaries) >= summariesKept {
		m.summaries = map[string]callview.Summary{}
	}
	s := callview.SummaryOf(r)
	m.summaries[r.ID] = s
	return s
}

// pastDoc lays a decided call out, its end first.
func (m *model) pastDoc(r broker.Request, width int) *callview.Doc {
	key := docKey{id: pastID(r.ID, m.unfolded), width: width}
	if r.Alarm != nil {
		key.id = "alarm " + key.id
	}
	if r.Unheard {
		key.id = "unheard " + key.id
	}
	return m.docs.get(key, func() *callview.Doc {
		d := callview.LayOut(m.Styles, r, m.Around(r), width)
		if o := r.Outcome; o != nil {
			top := &callview.Doc{Paper: *m.Styles.Paper(width)}
			_, i := callview.VerdictGlyph(o.State)
			if r.Unheard {
				i = draw.Warn
			}
			end := m.Book.Ended(r) + ", after " + figures.Brief(o.At.Sub(r.CreatedAt))
			if callview.WasObserved(o) {
				end = "was left to the agent (observing)" // the reason below says what would have been
			}
			top.Say(i, "this call "+end+", at "+o.At.In(m.At.Location()).Format("2006-01-02 15:04:05"))
			alarmRows(&top.Paper, r.Alarm)
			if o.Reason != "" {
				top.Write(draw.Fixed(draw.Label, "reason", 11), draw.Text, o.Reason)
			}
			top.Ran(m.stories.known[r.ID], m.At.Location(), m.unfolded)
			top.Blank()
			switch {
			case len(o.UpdatedInput) == 0:
			case top.Given(r):
				top.Blank()
			default:
				top.Say(draw.Title, "Ran with another input than was asked")
				top.Difference(r.ToolInput, o.UpdatedInput)
				top.LookAtAll()
				top.Blank()
				top.Say(draw.Title, "Asked")
			}
			d.Rows = append(top.Rows, d.Rows...)
		}
		return d
	})
}

func (m *model) pastView(l layout, a draw.Area) []string {
	list := m.past()
	if len(list) == 0 {
		return m.historyView(l, a)
	}
	width, height := l.Inner(a, 1)
	d := m.pastDoc(list[m.pastAt(list)], width)
	f := draw.Caption{Title: d.Title, Alarm: d.Alarm, Note: d.Note, Right: position(m.pastScroll, height, d), Focus: true}
	return l.Framed(a, f, 1, d.Rows[min(m.pastScroll, len(d.Rows)):min(m.pastScroll+height, len(d.Rows))])
}
