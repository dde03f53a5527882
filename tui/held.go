package tui

import (
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// heldMark stands before the agent of a session that aoctl holds by both ends.
const heldMark = "⇄ "

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
	if parts := spent(s.Run); len(parts) > 0 {
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
	if n := len(s.Run.Steps); n > 0 && underStop(s) {
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

// underStop reports whether a session is stopped, or about to be.
func underStop(s *broker.Session) bool {
	return s.State == broker.SessionStopping || s.State == broker.SessionStopped
}

// spent is what a managed session has used so far, the most telling first; nothing before
// its first turn was over.
func spent(r *broker.Run) []string {
	var parts []string
	if r.Cost > 0 {
		parts = append(parts, cost(r.Cost))
	}
	if r.Turns > 0 {
		parts = append(parts, figures.Plural(r.Turns, "turn"))
	}
	if n := r.Usage.Input + r.Usage.Output + r.Usage.CacheRead + r.Usage.CacheWrite; n > 0 {
		parts = append(parts, tokens(n)+" tokens")
	}
	return parts
}

// cost is an amount of dollars: small ones to the hundredth of a cent.
func cost(dollars float64) string {
	if dollars < 0.1 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// tokens is a number of tokens in few cells: 812, 12.3k, 1.2M.
func tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 99_950:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// heldLines draws heldRows.
func (m *model) heldLines(s *broker.Session, width int, chosen bool) []string {
	var lines []string
	for _, h := range heldRows(s) {
		text := h.texts[len(h.texts)-1]
		for _, t := range h.texts {
			if draw.Cells(t) <= width-2 {
				text = t
				break
			}
		}
		r := m.st.Row(width).Choose(chosen).Put(draw.Text, "  ")
		lines = append(lines, r.Fit(h.ink, text, width-2).To(width).String())
	}
	return lines
}

// usage tells tokens one by one; safe to draw.
func usage(u wire.RunUsage) string {
	var parts []string
	for _, p := range []struct {
		n    int64
		name string
	}{{u.Input, "in"}, {u.Output, "out"}, {u.CacheRead, "read from the cache"}, {u.CacheWrite, "written to it"}} {
		if p.n > 0 {
			parts = append(parts, tokens(p.n)+" "+p.name)
		}
	}
	return strings.Join(parts, " · ")
}
