package history

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	tea "github.com/charmbracelet/bubbletea"
)

// numbers are those of the history screen.
type numbers struct {
	got     broker.Stats
	known   bool
	err     error
	session string // whose; "" for all
	newest  string // id of the newest decided call when they were asked for
	asking  bool
	at      time.Time
}

// wantStats asks for the numbers that the history screen lacks: when it is opened, when
// another session is looked at, and when calls have ended since.
func (h *Screen) wantStats() tea.Cmd {
	s := &h.numbers
	newest := ""
	if len(h.Board.Recent) > 0 {
		newest = h.Board.Recent[0].ID
	}
	session := h.Board.Filter.SessionID
	same := s.known && s.session == session && s.newest == newest
	if s.asking || same || s.known && s.session == session && h.At.Sub(s.at) < time.Second {
		return nil
	}
	s.asking, s.at = true, h.At
	ctx, console := h.Ctx, h.broker
	return func() tea.Msg {
		got, err := console.Stats(ctx, session, time.Time{})
		return statsMsg{session: session, newest: newest, stats: got, err: err}
	}
}

func (h *Screen) statsCame(msg statsMsg) {
	s := &h.numbers
	*s = numbers{got: msg.stats, err: msg.err, known: true, session: msg.session, newest: msg.newest, at: s.at}
}

// statsMost is how many rows the numbers may take; what does not fit is left out.
const statsMost = 2

// wholeParts is from how many cells on a number says what it is made of.
const wholeParts = 60

// statsRow are the numbers above the history; nothing before they are known.
func (h *Screen) statsRow(width int) []string {
	s := h.numbers
	if !s.known || width < draw.LeastPaper || s.session != h.Board.Filter.SessionID {
		return nil
	}
	rows := []*draw.Row{h.Styles.Row(width).Put(draw.Text, " ")}
	if s.err != nil {
		return []string{rows[0].Fit(draw.Warn, "no statistics: "+draw.SafeLine(s.err.Error()), width-2).To(width).String()}
	}
	r := rows[0]
	if s.session != "" {
		r.Fit(draw.Muted, h.Board.Label(s.session)+": ", width/2)
	}
	for i, p := range statsParts(s.got) {
		if width < wholeParts {
			p, _, _ = strings.Cut(p, " (")
		}
		if i > 0 && r.Width+draw.Cells(" · "+p) >= width {
			if len(rows) == statsMost {
				break
			}
			r = h.Styles.Row(width).Put(draw.Text, " ")
			rows = append(rows, r)
		} else if i > 0 {
			r.Put(draw.Muted, " · ")
		}
		r.Put(draw.Muted, p)
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.To(width).String()
	}
	return out
}

// statsParts are the numbers one by one: how the calls ended, which adds up to their count, and then what
// else there is to say.
func statsParts(s broker.Stats) []string {
	parts := []string{
		figures.Plural(s.Calls, "call"),
		figures.Count(s.ByHand+s.ByRule) + " allowed" + among(figures.Count(s.ByHand)+" by you, ", s.ByRule),
		figures.Count(s.Denied+s.RuleDeny) + " denied" + among("", s.RuleDeny),
		figures.Count(s.Expired) + " expired",
	}
	if s.Observed > 0 {
		parts = append(parts, figures.Count(s.Observed)+" observed")
	}
	if s.Other > 0 {
		parts = append(parts, figures.Count(s.Other)+" cancelled or answered elsewhere")
	}
	parts = append(parts, figures.Plural(s.Saved, "prompt")+" saved")
	if s.Median > 0 {
		parts = append(parts, "median wait "+figures.Brief(s.Median))
	}
	return parts
}

// among says how many of a number rules decided; "" for none.
func among(others string, byRules int) string {
	if byRules == 0 {
		return ""
	}
	return " (" + others + figures.Count(byRules) + " by rules)"
}
