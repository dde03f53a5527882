// Package jump shows an agent's own pane of tmux.
//
// A hook names the pane that its agent runs in, and any program can name any pane: so
// the agent's process must be found in that pane, in the tmux server that this console
// is in, before tmux is told to go there.
//
// A tmux client does what its server says, so a server that a hook names is never
// spoken to. Jumping changes nothing about any call.
package jump

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tmux"
)

// Jumper takes the key that goes to an agent's pane.
type Jumper struct {
	*desk.Desk
	to func(ctx context.Context, s broker.Session) error // shows the pane; To, or a test's
}

// New makes one; to shows a pane, To when nil.
func New(d *desk.Desk, to func(ctx context.Context, s broker.Session) error) *Jumper {
	if to == nil {
		to = To
	}
	return &Jumper{Desk: d, to: to}
}

// jumpedMsg says that an agent's pane was looked for.
type jumpedMsg struct {
	label, pane string // safe to draw
	err         error
}

// problem is a reason for a person to read; what agents chose in it is safe to draw.
type problem string

func (p problem) Error() string { return string(p) }

// Jump shows the pane of session s. Asking tmux takes time, so it happens in a
// command. Where several sessions share a process, nobody can say whose pane it is.
func (j *Jumper) Jump(s *broker.Session) tea.Cmd {
	ctx, jump, to, label := j.Ctx, j.to, *s, j.Board.Label(s.ID)
	if j.Board.InOneProcess(s) {
		return j.Say(draw.Warn, label+": its agent serves several sessions from one process, so nobody knows which of them is in pane "+safe.Line(s.Pane))
	}
	return func() tea.Msg { return jumpedMsg{label: label, pane: to.Pane, err: jump(ctx, to)} }
}

// Update says what came of it.
func (j *Jumper) Update(msg tea.Msg) tea.Cmd {
	m, ok := msg.(jumpedMsg)
	if !ok {
		return nil
	}
	if p, ok := errors.AsType[problem](m.err); ok {
		return j.Say(draw.Warn, m.label+": "+p.Error())
	}
	if m.err != nil {
		return j.Say(draw.Danger, m.label+": "+safe.Line(m.err.Error()))
	}
	return j.Say(draw.OK, m.label+" is in pane "+m.pane)
}

// To shows the pane of s, if that is still where its agent runs. Errors: a problem, or
// what tmux says.
func To(ctx context.Context, s broker.Session) error {
	if s.Pane == "" {
		return problem("its agent does not run in tmux")
	}
	if !tmux.ValidPane(s.Pane) {
		return problem("it names a pane that cannot be one: " + safe.Line(s.Pane))
	}
	here, err := tmux.Here()
	switch {
	case errors.Is(err, tmux.ErrOutside):
		return problem("the agent is in pane " + s.Pane + " of tmux, and this console is not in tmux")
	case errors.Is(err, tmux.ErrNoProgram):
		return problem(tmux.ErrNoProgram.Error())
	case err != nil:
		return err
	// The hook named another server; a pane of the same number here is another pane.
	case s.TmuxServer != "" && s.TmuxServer != here.Socket:
		return problem("the agent is in pane " + s.Pane + " of another tmux server: " + safe.Line(s.TmuxServer))
	}
	panes, err := here.Panes(ctx)
	if err != nil {
		return err
	}
	pane, found := here.Find(panes, s.Pane)
	if !found {
		return problem("pane " + s.Pane + " is gone")
	}
	if err := stillIn(s, pane); err != nil {
		return err
	}
	return here.Jump(ctx, pane)
}

// stillIn makes sure that the agent of s runs in pane: ids outlive what they were for,
// and a hook can name any.
func stillIn(s broker.Session, pane tmux.Pane) error {
	if s.Process.PID == 0 {
		return problem("its process is not known, so pane " + s.Pane + " may be anybody's")
	}
	in, err := peers.Within(s.Process, pane.PID)
	switch {
	case err != nil || s.State.Ended():
		return problem(fmt.Sprintf("its process %d has ended; pane %s is no longer its own", s.Process.PID, s.Pane))
	case pane.Dead || !in:
		return problem(fmt.Sprintf("pane %s is no longer its own: process %d is not in it", s.Pane, s.Process.PID))
	}
	return nil
}
