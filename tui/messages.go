package tui

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
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
	alarmSeenMsg struct {
		label string // of the session, safe to draw
		err   error
	}
	jumpedMsg struct { // an agent's pane was looked for
		label, pane string // safe to draw
		err         error
	}
	desktopMsg  struct{ err error } // the desktop was notified
	observedMsg struct {
		label string
		on    bool
		err   error
	}
	stoppedMsg struct {
		label   string
		session broker.Session
		err     error
	}
	processesMsg struct { // of a session that may be killed
		session, label string
		found          broker.Killed
		err            error
	}
	killedMsg struct {
		label string
		done  broker.Killed
		err   error
	}
	allStoppedMsg struct {
		sessions, denied int
		err              error
	}
	offerMsg struct { // rules that would cover the call that an editor was opened on
		gen    int // of the editor
		drafts []rules.Rule
		err    error
	}
	previewDueMsg struct{ gen, version int } // the form has rested
	previewMsg    struct {
		gen, version int
		preview      broker.Preview
		err          error
	}
	ruleSavedMsg struct {
		gen   int // of the editor that it came from, 0 for none
		asked rules.Rule
		saved broker.SavedRule
		told  string // what to say instead of what was saved; safe to draw
		err   error
	}
	ruleRemovedMsg struct {
		name string // safe to draw
		err  error
	}
	tokensMsg      struct{ list []broker.Token }
	tokenMintedMsg struct {
		kind         broker.TokenKind
		label, token string
		err          error
	}
	tokenRevokedMsg struct {
		name string // safe to draw
		err  error
	}
	fileTrustedMsg struct {
		path, digest string // digest is empty when trust was taken back
		err          error
	}
	statsMsg struct {
		session, newest string
		stats           broker.Stats
		err             error
	}
	historyMsg struct {
		list []broker.Request
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
