package tui

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/guard"
)

// What happens, as Update hears of it. A number called gen tells an answer to the
// latest question from an answer to an older one.
type (
	watchStartedMsg struct {
		gen     int
		snap    broker.Snapshot
		updates <-chan broker.Update
	}
	updatesMsg struct {
		gen   int
		list  []broker.Update
		ended bool // the channel was closed
	}
	rewatchMsg struct{ gen int }
	tickMsg    struct{ gen int }
	beatMsg    struct{}          // the program runs
	awakeMsg   struct{}          // a deaf time is over: draw that
	quitMsg    struct{ gen int } // no key came behind the q that quits
	noteEndMsg struct{ gen int }
	decidedMsg struct {
		key     guard.Drawn
		verdict broker.Verdict
		req     broker.Request
		err     error
	}
	markedMsg struct { // the answer to a decision about the marked calls
		keys    []guard.Drawn
		verdict broker.Verdict
		err     error
	}
	moreTimeMsg struct { // the answer to giving a call more time
		req broker.Request
		err error
	}
	jumpedMsg struct { // an agent's pane was looked for
		label, pane string // safe to draw
		err         error
	}
	ruleSavedMsg struct { // the answer to a change on a screen about rules
		told string // what it comes to; safe to draw
		err  error
	}
	filesMsg struct { // what a call would change, and the call compared with it
		key      guard.Drawn
		files    map[string]change.File
		sections []change.Section
	}
	dressedMsg struct { // the same sections with their colours
		key      guard.Drawn
		of, list []change.Section
	}
	filesMovedMsg struct{ key guard.Drawn } // a file is not what it was when it was read
)
