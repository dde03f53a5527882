package tui

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// Around gathers what a call is drawn with beyond itself.
func (m *model) Around(r broker.Request) callview.Around { return m.sheets.Around(r) }

// detailView draws the selected call.
func (m *model) detailView(l layout, a draw.Area) []string {
	if a.H <= 0 {
		return nil
	}
	width, height := l.Inner(a, 1)
	c := m.drawnCard()
	if c == nil {
		f := draw.Caption{Title: "Call", Focus: m.focus == paneDetail}
		i, text := draw.Muted, "nothing waits"
		if m.card() != nil {
			i, text = draw.Warn, m.tooSmallText()
		}
		return l.Framed(a, f, 1, []string{m.Styles.Row(width).Fit(i, text, width).To(width).String()})
	}
	d := m.doc(c, width)
	f := draw.Caption{
		Title: d.Title, Alarm: d.Alarm, Note: d.Note, Right: callview.Position(m.scroll, height, d),
		Focus: m.focus == paneDetail || m.screen == screenFull,
	}
	f.Below, f.BelowInk = words.Standing(c, m.At)
	f.BelowMore = words.NoLonger(c, m.At)
	if l.Stacked && c.Held() && f.Alarm == "" {
		f.Note, f.NoteInk = "held", draw.Frozen
	}
	if l.Stacked && f.Note == "" && f.Alarm == "" { // such a frame has no lower edge
		f.Note = "asked " + figures.Clock(m.At.Sub(c.Req.CreatedAt)) + " ago"
	}
	if more := d.CallEnd - m.scroll - height; (locked(c) || c.Ask.Unread()) && more > 0 {
		f.BelowRight = "▼ " + figures.Plural(more, "more row")
		if l.Stacked {
			f.Right = f.BelowRight
		}
	}
	return l.Framed(a, f, 1, d.Look(m.scroll, m.scroll+height))
}
