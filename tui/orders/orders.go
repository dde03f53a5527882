// Package orders does what a key does to a session, or to all of them: stop, kill, freeze and let go
// on, observe and hold again, acknowledge an alarm, resume, name and put away. It asks where an order may lose work or
// loosens what holds, sends it to the broker, and says what came of it. Where that is a line for the operator
// to run, ResumeScreen shows it. No order is about a call: those are decided where the call is drawn.
//
// The root calls it for a key, with the session that the screen on top is about; refusal is what
// the guard has against the key. What makes things stricter (stop, freeze) acts at once, also on a
// card that came up a moment ago; what loosens them must pass the guard.
package orders

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
)

// Broker takes the orders.
type Broker interface {
	Stop(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, error)
	StopAll(ctx context.Context, by broker.Actor) (sessions, denied int, err error)
	Processes(ctx context.Context, sessionID string) (broker.Killed, error)
	Kill(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, broker.Killed, error)
	Freeze(ctx context.Context, sessionID string, on bool, by broker.Actor) error
	Observe(ctx context.Context, sessionID string, on bool, by broker.Actor) error
	ChangeSession(ctx context.Context, sessionID string, c broker.SessionChange, by broker.Actor) (broker.Session, error)
	Acknowledge(ctx context.Context, sessionID string, by broker.Actor) error
	Interrupt(ctx context.Context, sessionID string, by broker.Actor) error
	Resume(ctx context.Context, sessionID string, by broker.Actor) (broker.Resumption, error)
}

// Orders sends orders and says what came of them.
type Orders struct {
	*desk.Desk
	broker Broker
	ending ending
	opened opened
}

// New makes one.
func New(d *desk.Desk, b Broker) *Orders { return &Orders{Desk: d, broker: b} }

// Update takes the broker's answers, and the news of a session that is being ended.
func (o *Orders) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case stoppedMsg:
		return o.stopped(msg)
	case allStoppedMsg:
		return o.allStopped(msg)
	case processesMsg:
		return o.askKill(msg)
	case killedMsg:
		return o.killed(msg)
	case frozenMsg:
		return o.frozen(msg)
	case unfrozenMsg:
		return o.unfrozen()
	case observedMsg:
		return o.observed(msg)
	case changedMsg:
		return o.Marks().changed(msg)
	case alarmSeenMsg:
		return o.alarmSeen(msg)
	case interruptedMsg:
		return o.interrupted(msg)
	case resumedMsg:
		return o.resumed(msg)
	}
	return nil
}
