package orders

import (
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// ending is the end of a managed session that was stopped here, while it is being told.
type ending struct {
	session string // its id, "" when there is none
	told    int    // steps that were told, or were there before
}

// stopBegun tells that a managed session is being ended, unless its end was told already.
func (o *Orders) stopBegun(msg stoppedMsg) tea.Cmd {
	s := msg.session
	if now := o.Board.Sessions[s.ID]; o.Board.Held(s.ID) && now.State.UnderStop() {
		s = *now // it may be further already
	}
	if s.State == broker.SessionStopped && s.Run.Turn == broker.TurnEnded {
		return o.StepsCame(s)
	}
	if len(s.Run.Steps) > 0 {
		return nil // they are being told
	}
	return o.Say(draw.OK, "stopping "+msg.label+": denied what waits, interrupting its turn, then ending it", "stopping "+msg.label+": interrupting, then ending it")
}

// StepsCame tells the steps of ending a session, as they come, and how it ended.
func (o *Orders) StepsCame(s broker.Session) tea.Cmd {
	e := &o.ending
	if e.session != s.ID || s.Run == nil || !s.State.UnderStop() {
		return nil
	}
	label := o.Board.Label(s.ID)
	fresh := s.Run.Steps[min(e.told, len(s.Run.Steps)):]
	e.told = len(s.Run.Steps)
	switch {
	case s.State == broker.SessionStopped && s.Run.Turn == broker.TurnEnded:
		e.session = ""
		return o.Say(draw.OK, label+" is stopped: "+steps(s.Run.Steps)+"; "+o.Called("m")+" speaks to it again", label+" is stopped: "+steps(s.Run.Steps), label+" is stopped")
	case len(fresh) > 0:
		return o.Say(draw.Warn, "stopping "+label+": "+steps(fresh)+" …")
	}
	return nil
}

// steps are the steps of ending a process in one sentence; safe to draw.
func steps(list []string) string {
	if len(list) == 0 {
		return "its process has ended"
	}
	return draw.SafeLine(strings.Join(list, ", "))
}

// StopAll asks before all sessions are stopped.
func (o *Orders) StopAll(refusal string) tea.Cmd {
	switch {
	case refusal != "" && o.Guard.Drawn != (guard.Drawn{}):
		return o.Say(draw.Warn, "… "+refusal)
	case o.Board.Living() == 0:
		return o.Say(draw.Muted, "no session is running")
	}
	o.Pose(desk.Question{Stricter: true, No: "nothing was stopped", Yes: o.stopAll, Texts: func() []string {
		sessions, calls := figures.Plural(o.Board.Living(), "session"), figures.Plural(len(o.Board.Waiting), "waiting call")
		if on := o.Board.Fleet.On(); on != "" {
			return []string{
				fmt.Sprintf("stop all %s%s%s, and deny %s? ", sessions, on, o.Board.Fleet.WhenBack(), calls),
				"stop all" + on + o.Board.Fleet.WhenBack() + "? ", "stop all" + on + "? ", "stop the whole fleet? ",
			}
		}
		return []string{fmt.Sprintf("stop all %s and deny %s? ", sessions, calls), "stop all? "}
	}})
	return nil
}

// Stop asks before a session is stopped: its key lies between those that allow and deny.
func (o *Orders) Stop(id, refusal string) tea.Cmd {
	if refusal != "" && o.Guard.Burst() {
		return o.Say(draw.Warn, "… "+refusal)
	}
	if id == "" {
		return o.NoSession()
	}
	o.Pose(desk.Question{
		Stricter: true, No: "nothing was stopped",
		Texts: func() []string {
			label := o.Board.Label(id)
			return []string{"stop " + label + ", and deny its calls until its user speaks? ", "stop " + label + "? ", "stop it? "}
		},
		Yes: func() tea.Cmd { return o.stopNow(id) },
	})
	return nil
}

// stopNow stops a session.
func (o *Orders) stopNow(id string) tea.Cmd {
	label := o.Board.Label(id)
	if o.Board.Held(id) {
		o.ending = ending{session: id}
		if s := o.Board.Sessions[id]; s.State.UnderStop() {
			o.ending.told = len(s.Run.Steps)
		}
		return tea.Batch(o.stop(id, label), o.Say(draw.Warn,
			"stopping "+label+": its calls are denied, its turn is interrupted, then its process is ended …",
			"stopping "+label+": denying, interrupting, ending it …"))
	}
	return tea.Batch(o.stop(id, label), o.Say(draw.Warn, "stopping "+label+" …"))
}

func (o *Orders) stopped(msg stoppedMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, broker.ErrSessionEnded):
		return o.Say(draw.Warn, msg.label+" has ended: there is nothing to stop")
	case errors.Is(msg.err, broker.ErrNotFound):
		return o.Say(draw.Warn, msg.label+": the broker knows no such session")
	case waits(msg.err):
		return sayLater(o.Desk, msg.err, msg.label+" is stopped")
	case msg.err != nil:
		return o.Say(draw.Danger, msg.label+": "+safe.Line(broker.Plain(msg.err)))
	case msg.session.Run != nil:
		return o.stopBegun(msg)
	case words.StopTold(&msg.session) != "":
		return o.Say(draw.OK, msg.label+": "+words.StopTold(&msg.session)+"; its turn cannot be ended from here", msg.label+": "+words.StopTold(&msg.session), words.StopTold(&msg.session))
	case msg.session.State == broker.SessionStopped:
		return o.Say(draw.OK, msg.label+" is stopped: its calls are denied until its user speaks")
	}
	return o.Say(draw.OK, "stopping "+msg.label+": its calls are denied until its user speaks")
}

type (
	stoppedMsg struct {
		label   string
		session broker.Session
		err     error
	}
	allStoppedMsg struct {
		sessions, denied int
		err              error
	}
)

func (o *Orders) stop(id, label string) tea.Cmd {
	ctx, c, by := o.Ctx, o.broker, o.Operator
	return func() tea.Msg {
		s, err := c.Stop(ctx, id, by)
		return stoppedMsg{label: label, session: s, err: err}
	}
}

func (o *Orders) stopAll() tea.Cmd {
	ctx, c, by := o.Ctx, o.broker, o.Operator
	return func() tea.Msg {
		sessions, denied, err := c.StopAll(ctx, by)
		return allStoppedMsg{sessions: sessions, denied: denied, err: err}
	}
}

func (o *Orders) allStopped(msg allStoppedMsg) tea.Cmd {
	did := fmt.Sprintf("stopping %s, %s denied", figures.Plural(msg.sessions, "session"), figures.Plural(msg.denied, "waiting call"))
	switch {
	case waits(msg.err):
		return sayPartly(o.Desk, msg.err, did, "stops", "stop")
	case msg.err != nil:
		return o.Say(draw.Danger, "stop all: "+safe.Line(broker.Plain(msg.err)))
	case o.Board.Fleet.Many():
		return o.Say(draw.OK, did+o.Board.Fleet.On(), "stopping all"+o.Board.Fleet.On())
	}
	return o.Say(draw.OK, fmt.Sprintf("stopping %s; %s denied", figures.Plural(msg.sessions, "session"), figures.Plural(msg.denied, "waiting call")))
}
