package herald

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/tty"
)

// turn is the turn of a session that runs, as far as the console saw it.
type turn struct {
	since time.Time       // when it was seen to begin
	files map[string]bool // that allowed edits changed in it
}

// mostFiles is how many files of a turn are told apart.
const mostFiles = 999

// Changed notes the files of an edit that was allowed.
func (h *Herald) Changed(r broker.Request) {
	t := h.turns[r.SessionID]
	if t == nil || r.State != broker.Allowed {
		return
	}
	cs, ok := change.ChangesOf(r)
	if !ok {
		return
	}
	for _, path := range cs.Targets(r.CWD) {
		if len(t.files) < mostFiles {
			t.files[path] = true
		}
	}
}

// Turned tells that the turn of a session ended, with how long it took and what it changed. old is what was
// known of the session, nil when nothing was. It is said on the screen in any case; it rings unless
// the operator looks, muted the session, or wants no bell for turns.
func (h *Herald) Turned(old *broker.Session, s broker.Session) tea.Cmd {
	if s.State == broker.SessionActive {
		if old == nil || old.State != broker.SessionActive {
			h.turns[s.ID] = &turn{since: h.At, files: map[string]bool{}}
		}
		return nil
	}
	t := h.turns[s.ID]
	delete(h.turns, s.ID)
	if old == nil || old.State != broker.SessionActive || s.State.UnderStop() {
		return nil
	}
	label, level, end := h.Board.Label(s.ID), draw.OK, " is done"
	switch {
	case s.State == broker.SessionGone:
		level, end = draw.Warn, " is gone: its agent ended without a word"
	case s.Failure() != "":
		level, end = draw.Warn, " ended its turn with an error"
	}
	if t != nil {
		if worked := h.At.Sub(t.since); worked >= time.Second {
			end += " after " + figures.Brief(worked)
		}
		if n := len(t.files); n > 0 {
			end += ", and changed " + figures.Plural(n, "file")
		}
	}
	said := h.Say(level, label+end)
	if h.focused || h.muted[s.ID] || !h.turnsToo {
		return said
	}
	return tea.Batch(said, h.Ring("aoctl: "+tty.Bare(label)+end))
}
