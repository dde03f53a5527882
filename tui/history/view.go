package history

import (
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/sheet"
)

// area is the room for calls, which reach from edge to edge.
func (h *Screen) area() (width, height int) {
	width, height = h.Frames().Inner(h.Whole(), 0)
	return width, max(1, height-len(h.above(width)))
}

// above are the rows over the calls: the numbers, and what could not be read.
func (h *Screen) above(width int) []string {
	rows := h.statsRow(width)
	for _, err := range []error{h.list.err, h.record.err} {
		if err != nil {
			rows = append(rows, h.Styles.Row(width).Put(draw.Danger, " ! ").Fit(draw.Danger, draw.SafeLine(err.Error()), width-4).To(width).String())
		}
	}
	return rows
}

// View draws the list below the numbers.
func (h *Screen) View(_, _ int) []string {
	width, height := h.area()
	rows := h.above(width)
	f := draw.Caption{Title: "Decided", Note: "newest first", Right: h.right(height), Focus: true}
	if width >= sheet.WithWait { // what the numbers at the end are
		f.Right = strings.TrimPrefix(f.Right+" ─ waited", " ─ ")
	}
	if h.filter.active() {
		f.Note, f.NoteInk = "/"+draw.SafeLine(h.filter.text), draw.Key
	}
	if text := h.empty(); text != "" {
		rows = append(rows, h.Styles.Row(width).Fit(draw.Muted, " "+text, width).To(width).String())
	}
	for i := h.top; i < min(h.top+height, len(h.shown)); i++ {
		rows = append(rows, h.sheets.Row(*h.shown[i], width, h.shown[i].ID == h.at))
	}
	return h.Frames().Framed(h.Whole(), f, 0, rows)
}

// right says which calls are on the screen, how many passed the filter, and of how many.
func (h *Screen) right(height int) string {
	n := len(h.shown)
	of := figures.Count(n)
	if h.filter.active() {
		of += " of " + figures.Count(h.lately+h.record.looked)
	}
	if !h.record.whole {
		of += " read"
	}
	at := fmt.Sprintf("%s–%s", figures.Count(h.top+1), figures.Count(min(h.top+height, n)))
	switch filtered := h.filter.active(); {
	case filtered && (n <= height || h.Width < desk.StackBelow): // the words need the room
		return of
	case filtered:
		return at + " · " + of
	case n > height:
		return at + " of " + of
	}
	return ""
}

// empty says why no call is listed.
func (h *Screen) empty() string {
	switch {
	case len(h.shown) > 0 || h.list.err != nil || h.record.err != nil:
		return ""
	case h.filter.active() && !h.record.whole:
		return "reading …"
	case h.filter.active():
		return "nothing passes; esc lists all"
	}
	return "nothing was decided yet"
}
