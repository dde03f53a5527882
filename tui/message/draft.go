package message

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/draw"
)

// drafts are messages that were written and not sent, by session.
type drafts map[string]string

// draftsKept is for how many sessions texts are remembered.
const draftsKept = 64

// keepUnsent remembers what was written to a session. A full memory is emptied.
func (x *Screen) keepUnsent(session, text string) {
	// A text that is kept already takes no new place.
	if x.unsent == nil || len(x.unsent) >= draftsKept && x.unsent[session] == "" {
		x.unsent = drafts{}
	}
	x.unsent[session] = text
}

// leave closes the text and keeps it for the session, unless it is empty or what waits
// already.
func (x *Screen) leave() tea.Cmd {
	c := x.compose
	closed := x.close()
	text, waits := c.text.String(), x.Board.Sessions[c.session]
	if strings.TrimSpace(text) == "" || waits != nil && waits.Message != nil && waits.Message.Text == text {
		delete(x.unsent, c.session)
		return closed
	}
	x.keepUnsent(c.session, text)
	// On its way it is not lost, so there is nothing to say.
	if c.state == sent {
		return closed
	}
	return tea.Batch(closed, x.Say(draw.Muted, "not sent; "+x.Called("m")+" shows what you wrote to "+x.Board.Label(c.session)+" again", "not sent; "+x.Called("m")+" shows it again"))
}
