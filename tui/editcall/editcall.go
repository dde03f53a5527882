// Package editcall is the screen of a call whose input the operator changes before
// allowing it. It is opened from a card, by e.
//
// The operator's editor gets the text of the input first (file.go says which, form.go
// how), and the terminal with it. What comes back is made an input again, and the
// broker judges it as any call. Then the question is on the screen: the difference,
// and the call as it would run. It is allowed by the keys of a card, under the same
// guard: only when it has been on the screen for half a second and to its end, by a
// for a harmless call and by two digits for a dangerous one. Subject names the
// question to the guard, with a number that changes each time that the text is judged:
// a key that was meant for an older text allows nothing.
//
// Nothing holds before it is allowed, and nothing that was written is lost when it is
// not: the texts are remembered by the digest of their calls, also when the screen is
// closed, and go to a file when the call ends meanwhile (gone.go).
//
// The bytes that were not edited stay the agent's own. Of an input that is edited as
// JSON only the blanks between its parts change, so what is shown as the difference is
// all there is.
//
// While the screen is open every key is for it. The list behind it moves on when it
// hears desk.Allowed.
package editcall

import (
	"context"
	"encoding/json"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/external"
)

// Broker is what the screen needs of it. AssessEdited changes nothing; its Seal binds
// the judgement to the files as they were, and Decide refuses when they have changed
// since.
type Broker interface {
	AssessEdited(ctx context.Context, id string, input json.RawMessage) (broker.Edited, error)
	Decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error)
}

// Setup is what the screen takes beside the broker. OtherHooks may be nil.
type Setup struct {
	Editor     *external.Editor
	NewCode    func() string                                     // makes the code of a dangerous input
	OtherHooks func(agent, event, tool, project string) []string // of others that could change the input again
}

// Screen is an edited call.
type Screen struct {
	*desk.Desk
	broker Broker
	setup  Setup
	edit   *edit // nil when the screen is closed
	gen    int
	drafts map[string]string // edited texts by the digest of the call as it was asked
}

// The answers to what the screen asked for.
type (
	backMsg struct { // the editor is done
		gen int
		run *external.Run
		err error
	}
	assessedMsg struct { // what the new input would do
		gen, version int
		judged       broker.Edited
		others       []string // other hooks, raw
		err          error
	}
	sentMsg struct { // the answer to a decision with a new input
		gen int
		id  string
		req broker.Request
		err error
	}
	keptMsg struct { // the text of a call that ended was written to a file
		gen  int
		path string
		err  error
	}
	awakeMsg struct{} // the time for the second digit is over: draw that
)

// New makes the screen, closed.
func New(d *desk.Desk, b Broker, s Setup) *Screen { return &Screen{Desk: d, broker: b, setup: s} }

// Subject is the question, while it is drawn for a decision. In any other state no
// call counts as drawn, and no key can decide.
func (x *Screen) Subject() desk.Subject {
	// In a window that is too small the question is not drawn whole, so it is none.
	if e := x.edit; e != nil && e.state == editAsking && !x.Small {
		return desk.Subject{Drawn: e.key()}
	}
	return desk.Subject{}
}

// Update takes answers of the editor and the broker.
func (x *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case backMsg:
		return x.cameBack(msg)
	case assessedMsg:
		return x.assessed(msg)
	case sentMsg:
		return x.sent(msg)
	case keptMsg:
		x.wasKept(msg)
	case desk.Settle:
		return x.settle()
	}
	return nil
}
