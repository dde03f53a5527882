package queue

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/hookclient/profile"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// newcomer is what the console shows before any agent was heard of: what to do first. That depends on
// what was done already, so it looks which agents have hooks, and again while nothing is heard:
// they may be installed beside the open console.
type newcomer struct {
	*desk.Desk
	look   func() []string // the agents with hooks of aoctl
	asked  time.Time       // when it looked last
	known  bool            // it has looked
	hooked []string        // short names of agents
}

// hookedMsg says which agents have hooks.
type hookedMsg struct{ agents []string }

// lookEvery is how long it waits before it looks again.
const lookEvery = 3 * time.Second

// here reports whether no agent was heard of yet.
func (x *newcomer) here() bool { return len(x.Board.Sessions) == 0 && len(x.Board.Recent) == 0 }

// ask looks which agents have hooks. That reads files, so it is not done while drawing.
func (x *newcomer) ask() tea.Cmd {
	x.asked = x.At
	look := x.look
	return func() tea.Msg { return hookedMsg{look()} }
}

// again looks again when that is due.
func (x *newcomer) again() tea.Cmd {
	if !x.known || !x.here() || x.At.Sub(x.asked) < lookEvery {
		return nil
	}
	return x.ask()
}

// view tells a newcomer what to do.
func (x *newcomer) view(p *draw.Paper, height int) []string {
	tall := height > 8
	blank := func() {
		if tall {
			p.Blank()
		}
	}
	p.SayBehind(draw.Text, "", 1, draw.Bold, "no calls are waiting, and no agent has called yet")
	blank()
	const width = 24
	install := " install into an agent"
	if titles := x.titles(); len(titles) > 0 {
		p.SayBehind(draw.Text, "", 1, draw.OK, "aoctl is installed in "+inWords(titles)+""+startIt(len(titles)))
		blank()
		install = " install into another"
	}
	if x.known {
		p.SayBehind(draw.Muted, install, width, draw.Key, x.command())
	}
	p.SayBehind(draw.Muted, " see how it works", width, draw.Key, "aoctl demo")
	if tall && x.known {
		p.Blank()
		p.SayBehind(draw.Text, "", 1, draw.Muted, x.restart())
	}
	return words.Pad(p.Rows, p.Width+2)
}

// titles are the agents with hooks, as their makers write them.
func (x *newcomer) titles() []string {
	var list []string
	for _, name := range x.hooked {
		list = append(list, profile.Of(name).Title)
	}
	return list
}

// command installs into the first agent, or offers those that are left.
func (x *newcomer) command() string {
	if len(x.hooked) > 0 {
		return "aoctl install"
	}
	return "aoctl install claude"
}

// restart says what becomes of sessions that run already.
func (x *newcomer) restart() string {
	if len(x.hooked) == 1 {
		return profile.Of(x.hooked[0]).Restart()
	}
	return profile.RestartAny()
}

// startIt says what to do with n agents that have hooks.
func startIt(n int) string {
	if n > 1 {
		return ": start one, and its calls appear here"
	}
	return ": start it, and its calls appear here"
}

// inWords puts names in a sentence.
func inWords(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
