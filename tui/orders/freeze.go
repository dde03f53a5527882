package orders

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// FreezeOne freezes a session, or asks to let it go on.
func (o *Orders) FreezeOne(id string) tea.Cmd {
	s := o.Board.Sessions[id]
	switch {
	case s == nil:
		return o.NoSession()
	case o.Board.Health.Frozen:
		return o.Say(draw.Muted, "everything is frozen already: "+o.Called("f")+" lifts that", "all is frozen: "+o.Called("f")+" lifts that")
	case s.Frozen:
		return o.askUnfreeze(s.ID, o.Board.Label(s.ID))
	}
	return o.freeze(s.ID, o.Board.Label(s.ID), true)
}

// askUnfreeze asks before agents go on.
func (o *Orders) askUnfreeze(id, label string) tea.Cmd {
	name := "f"
	if id != "" {
		name = "F"
	}
	if _, refusal := o.Press(name); refusal != "" {
		return o.Say(draw.Warn, "… "+refusal)
	}
	question, brief := "let all agents go on"+o.Board.Fleet.On()+"? Rules and you decide again:", "let all go on"+o.Board.Fleet.On()+"?"
	if id != "" {
		question, brief = "let "+label+" go on? Rules and you decide again:", "let it go on?"
	}
	o.Ask(question, brief, func() tea.Cmd { return o.freeze(id, label, false) })
	return nil
}

// Freeze freezes every agent, or asks to let them go on. To freeze needs no question: it only makes
// things safer.
func (o *Orders) Freeze() tea.Cmd {
	if o.Board.Health.Frozen {
		return o.askUnfreeze("", "")
	}
	return o.freeze("", "", true)
}

// frozenMsg is the answer to a freeze, or to its end.
type frozenMsg struct {
	id, label string // safe to draw; empty for everything
	on        bool
	err       error
}

func (o *Orders) freeze(id, label string, on bool) tea.Cmd {
	ctx, c, by := o.Ctx, o.broker, o.Operator
	return func() tea.Msg {
		return frozenMsg{id: id, label: label, on: on, err: c.Freeze(ctx, id, on, by)}
	}
}

func (o *Orders) frozen(msg frozenMsg) tea.Cmd {
	who := msg.label
	if msg.id == "" {
		who = "everything"
	}
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case errors.Is(msg.err, broker.ErrNotFound):
		return o.Say(draw.Warn, who+": the broker knows no such session")
	case waits(msg.err) && msg.id != "":
		return sayLater(o.Desk, msg.err, who+" is frozen")
	case waits(msg.err) && msg.on:
		return sayPartly(o.Desk, msg.err, "every agent there waits at its next call", "freezes", "freeze")
	case errors.Is(msg.err, broker.ErrNotRecorded) && msg.on:
		return o.Say(draw.Danger, who+" is frozen until this console ends: the freeze could not be recorded", "frozen, but not recorded: a restart forgets it")
	case errors.Is(msg.err, broker.ErrNotRecorded):
		return o.Say(draw.Danger, who+" is still frozen: its end could not be recorded", "still frozen: not recorded")
	case msg.err != nil:
		return o.Say(draw.Danger, who+": "+safe.Line(broker.Plain(msg.err)))
	case msg.on && msg.id == "" && o.Board.Fleet.Many():
		return o.Say(draw.Frozen, "frozen"+o.Board.Fleet.On()+": every agent waits at its next call; "+o.Called("f")+" lets them go on", "frozen"+o.Board.Fleet.On()+": "+o.Called("f")+" lets them go on", "frozen"+o.Board.Fleet.On())
	case msg.on && msg.id == "":
		return o.Say(draw.Frozen, "frozen: every agent waits at its next call; "+o.Called("f")+" lets them go on", "frozen: "+o.Called("f")+" lets them go on")
	case msg.on:
		return o.Say(draw.Frozen, who+" is frozen: held at its next call; "+o.Called("F")+" lets it go on", "frozen: "+o.Called("F")+" lets it go on")
	case msg.id == "":
		return tea.Tick(heardAfter, func(time.Time) tea.Msg { return unfrozenMsg{} })
	}
	return o.Say(draw.OK, who+" goes on")
}

// unfrozenMsg says that the board has heard by now what the end of the freeze left.
type unfrozenMsg struct{}

// heardAfter is how long the board may be behind the broker's answer: what changed is gathered for a
// moment before it is told.
const heardAfter = 150 * time.Millisecond

// unfrozen says what is still frozen after the freeze of all was lifted.
func (o *Orders) unfrozen() tea.Cmd {
	switch n := o.Board.FrozenSessions(); n {
	case 0:
		return o.Say(draw.OK, "Unfrozen: the agents go on")
	case 1:
		return o.Say(draw.Warn, "Unfrozen. 1 session is still frozen (F)")
	default:
		return o.Say(draw.Warn, "Unfrozen. "+figures.Plural(n, "session")+" are still frozen (F)")
	}
}
