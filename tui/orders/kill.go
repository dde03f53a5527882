package orders

import (
	"path"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// namedProcesses is how many processes the question about a kill names.
const namedProcesses = 4

// Kill asks which processes the session has; the question follows.
func (o *Orders) Kill(id, refusal string) tea.Cmd {
	if refusal != "" && o.Guard.Burst() {
		return o.Say(draw.Warn, "… "+refusal)
	}
	if id == "" {
		return o.NoSession()
	}
	ctx, c, label := o.Ctx, o.broker, o.Board.Label(id)
	return tea.Batch(o.Say(draw.Muted, "looking for the processes of "+label+" …"), func() tea.Msg {
		found, err := c.Processes(ctx, id)
		return processesMsg{session: id, label: label, found: found, err: err}
	})
}

// askKill names what is going to end.
func (o *Orders) askKill(msg processesMsg) tea.Cmd {
	running := msg.found.Count(broker.ProcessRunning)
	switch {
	case msg.err != nil:
		return o.Say(draw.Danger, msg.label+": "+safe.Line(broker.Plain(msg.err)))
	case o.Busy():
		return o.Say(draw.Muted, "nothing was killed: something else was opened meanwhile")
	case running == 0:
		return o.Say(draw.Warn, "no process of "+msg.label+" was found; "+o.Called("s")+" stops it without")
	}
	question := "kill " + processCount(running) + " of " + msg.label + ": " + nameProcesses(msg.found, namedProcesses) + "?"
	short := "kill " + nameProcesses(msg.found, 1) + "?"
	if others := len(msg.found.Shared); others > 0 { // who may lose their work comes before the processes
		also := strings.Join(o.sharers(msg.found), ", ")
		question = "kill " + processCount(running) + " of " + msg.label + " AND END " + also + " with it?"
		short = "kill, and END " + sessionCount(others) + " more?"
	}
	o.Ask(question, short, func() tea.Cmd { return o.kill(msg.session, msg.label) })
	return nil
}

// sharers names the sessions that end with the one that is to be killed.
func (o *Orders) sharers(k broker.Killed) []string {
	names := []string{}
	for i, s := range k.Shared {
		if i == namedProcesses {
			return append(names, figures.Count(len(k.Shared)-i)+" more")
		}
		names = append(names, o.Board.Label(s.SessionID))
	}
	return names
}

func sessionCount(n int) string {
	if n == 1 {
		return "1 session"
	}
	return figures.Count(n) + " sessions"
}

func (o *Orders) kill(id, label string) tea.Cmd {
	ctx, c, by := o.Ctx, o.broker, o.Operator
	return tea.Batch(o.Say(draw.Warn, "stopping "+label+" and ending its processes …"), func() tea.Msg {
		_, done, err := c.Kill(ctx, id, by)
		return killedMsg{label: label, done: done, err: err}
	})
}

// killed tells what was seen to end, and what was not.
func (o *Orders) killed(msg killedMsg) tea.Cmd {
	ended := processCount(msg.done.Count(broker.ProcessEnded)) + " ended"
	left := broker.Killed{}
	for _, p := range msg.done.Processes {
		if p.Fate == broker.ProcessSurvived || p.Fate == broker.ProcessSpared {
			left.Processes = append(left.Processes, p)
		}
	}
	switch {
	case len(left.Processes) > 0:
		return o.Say(draw.Danger, msg.label+": "+strconv.Itoa(len(left.Processes))+" still run: "+nameProcesses(left, namedProcesses)+"; "+ended)
	case msg.done.Unfinished != "":
		return o.Say(draw.Danger, msg.label+": "+ended+", and there may be more: "+safe.Line(msg.done.Unfinished))
	case msg.err != nil:
		return o.Say(draw.Danger, msg.label+": "+ended+", but: "+safe.Line(broker.Plain(msg.err)))
	}
	return o.Say(draw.OK, msg.label+" is stopped, "+ended)
}

func processCount(n int) string {
	if n == 1 {
		return "1 process"
	}
	return figures.Count(n) + " processes"
}

// nameProcesses names the first few processes, with their pids.
func nameProcesses(k broker.Killed, most int) string {
	text := ""
	for i, p := range k.Processes {
		if i == most {
			return text + " and " + figures.Count(len(k.Processes)-i) + " more"
		}
		if i > 0 {
			text += ", "
		}
		program, _, _ := strings.Cut(p.Command, " ")
		text += safe.Cut(safe.Line(path.Base(program)), 20) + " " + strconv.Itoa(p.PID)
	}
	return text
}

type (
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
)
