package queue

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/sessionview"
)

// heldRow is a row about a managed session; its texts are safe to draw.
type heldRow struct {
	ink   draw.Ink
	texts []string // the first that fits is drawn
}

// heldRows are the rows of the sessions pane that only managed sessions have, and what went wrong.
func heldRows(s *broker.Session) []heldRow {
	if s.Run == nil {
		return failureRow(s)
	}
	var list []heldRow
	if parts := sessionview.Spent(s.Run); len(parts) > 0 {
		row := heldRow{ink: draw.Muted}
		for n := len(parts); n > 0; n-- {
			row.texts = append(row.texts, strings.Join(parts[:n], " · "))
		}
		list = append(list, row)
	}
	if t := s.Run.Told; t != nil {
		list = append(list, heldRow{draw.Muted, []string{"telling: " + draw.SafeLine(t.Text)}})
	}
	switch w := s.Message; {
	case w != nil && w.Failures > 0:
		list = append(list, heldRow{draw.Warn, []string{"not told: " + draw.SafeLine(w.Text)}})
	case w != nil:
		list = append(list, heldRow{draw.Key, []string{"next: " + draw.SafeLine(w.Text)}})
	}
	if n := len(s.Run.Steps); n > 0 && s.State.UnderStop() {
		list = append(list, heldRow{draw.Muted, []string{"· " + draw.SafeLine(s.Run.Steps[n-1])}})
	}
	return append(list, failureRow(s)...)
}

// failureRow says what went wrong last in session s, in the words of its agent when it has no
// others.
func failureRow(s *broker.Session) []heldRow {
	switch why := draw.SafeLine(s.Failure()); {
	case why == "":
		return nil
	case s.Run == nil:
		return []heldRow{{draw.Danger, []string{`! it says "` + why + `"`, `! "` + why + `"`}}}
	default:
		return []heldRow{{draw.Danger, []string{"! " + why}}}
	}
}

// heldLines draws heldRows.
func (x *roster) heldLines(s *broker.Session, width int, chosen bool) []string {
	var lines []string
	for _, h := range heldRows(s) {
		text := h.texts[len(h.texts)-1]
		for _, t := range h.texts {
			if draw.Cells(t) <= width-2 {
				text = t
				break
			}
		}
		r := x.Styles.Row(width).Choose(chosen).Put(draw.Text, "  ")
		lines = append(lines, r.Fit(h.ink, text, width-2).To(width).String())
	}
	return lines
}
