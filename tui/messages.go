package tui

import (
	"time"

	"github.com/aoctl/aoctl/broker"
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
	awakeMsg   struct{} // a deaf time is over: draw that
	heldMsg    struct{ gen int }
	quitMsg    struct{ gen int } // no key came behind the q that quits
	noteEndMsg struct{ gen int }
	decidedMsg struct {
		key     drawnKey
		verdict broker.Verdict
		req     broker.Request
		err     error
	}
	stoppedMsg struct {
		label   string
		session broker.Session
		err     error
	}
	allStoppedMsg struct {
		sessions, denied int
		err              error
	}
	historyMsg struct {
		list []broker.Request
		err  error
	}
	fileMsg struct {
		key  drawnKey
		data []byte
		err  error
		at   time.Time
	}
)
