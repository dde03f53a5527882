package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

const (
	refusedFor     = 20 * time.Second // how long the sentence about an attempt stays, unless a key comes
	refusedCounted = 10 * time.Minute // how long the header counts attempts after the last one
)

// attempts are what was turned down lately.
type attempts struct {
	count int
	last  time.Time
}

// attempted tells of the attempts among what the broker told; the last one is in the end
// what is read.
func (m *model) attempted(list []broker.Update) tea.Cmd {
	var cmd tea.Cmd
	for _, u := range list {
		if u.Refused != nil {
			cmd = m.refused(*u.Refused)
		}
	}
	return cmd
}

// refused tells that somebody tried what they may not: in the last line until a key
// comes, and as a number in the header for longer. aoctl log has all of it.
func (m *model) refused(r broker.Refused) tea.Cmd {
	if r.Kind == broker.NotOpened { // the operator's own mistake is no attempt
		return m.Say(draw.Muted, "a terminal of yours wants to resume a session: "+m.Called("R")+" on it here comes first")
	}
	if m.At.Sub(m.attempts.last) > refusedCounted {
		m.attempts.count = 0
	}
	m.attempts.count += 1 + r.More
	m.attempts.last = m.At
	text := "refused: " + draw.SafeLine(r.Sentence())
	if r.SessionID != "" {
		text += " · in " + m.Board.Label(r.SessionID)
	}
	return m.sayFor(draw.Danger, text, refusedFor)
}

// lately is what the header says of attempts; empty when there were none lately.
func (a *attempts) lately(now time.Time) string {
	if a.count == 0 || now.Sub(a.last) > refusedCounted {
		return ""
	}
	return figures.Plural(a.count, "attempt") + " refused"
}
