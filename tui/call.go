package tui

import (
	"fmt"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

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
	f.Below, f.BelowInk = m.standing(c)
	f.BelowMore = m.noLonger(c)
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

// standing says how long the call has waited and what may still be done.
func (m *model) standing(c *board.Card) (string, draw.Ink) {
	if c.Late() {
		return "late: " + callview.Ended(c.Req), draw.Warn
	}
	if c.PutOff() {
		return "put off " + figures.Ago(m.At.Sub(c.Req.Checkpoint.At)) + " ago · no deadline", draw.Muted
	}
	d := c.Req.ExpiresAt.Sub(m.At)
	text := fmt.Sprintf("asked %s ago · %s left", figures.Clock(m.At.Sub(c.Req.CreatedAt)), figures.Left(d))
	if c.Held() {
		return "held by a freeze · " + text, draw.Frozen
	}
	if c.Changed {
		return "a file of it changed · " + text, draw.Warn
	}
	return text, draw.Muted
}

// noLonger says of a call whose time is half over that it can be given no more.
func (m *model) noLonger(c *board.Card) string {
	_, whole := c.Span()
	if c.Late() || c.PutOff() || c.MayWait() || c.Req.ExpiresAt.Sub(m.At) >= whole/2 {
		return ""
	}
	return " · its asker waits no longer than that"
}
