package queue

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/fleet"
	"github.com/aoctl/aoctl/tui/safe"
)

// MachineKeys are what keys do on the line of a machine, for the help where there are several.
func MachineKeys() []key.Binding {
	return []key.Binding{desk.Enter("its calls only; where nothing waits, like space"), desk.Space("fold its sessions, or unfold them")}
}

// openMachine goes to the calls of a machine. Where no call is listed that would only hide what comes.
func openMachine(q *Screen, machine string) {
	if q.focus != paneSessions || q.Board.Rows() == 0 {
		q.roster.turn()
		return
	}
	q.list.filterBy(board.Filter{Machine: machine})
	q.focus = paneQueue
}

// forMachine are the keys about the line of a machine.
func (q keyline) forMachine(machine string, quiet bool) []desk.Key {
	turn := named("space", "fold")
	if q.Board.Fleet.Folded(machine) {
		turn.Short = "unfold"
	}
	if quiet {
		return []desk.Key{turn}
	}
	return []desk.Key{named("enter", "its calls only"), turn}
}

// refuses says why c cannot be allowed now because of its machine, the longest text first; nil when it can.
func refuses(d *desk.Desk, c *board.Card) []string {
	m := d.Board.MachineOf(c)
	if m.Out() && c.Later {
		return m.Waits()
	}
	return m.Refuses(d.At, d.Called("d"))
}

// whyNot is the same for a key about the drawn card, in one text; "" when it can act. A key about marked
// calls is judged with them.
func whyNot(q *Screen, c *board.Card, about key.Binding) string {
	needsReach := []string{allow.Help().Key, edit.Help().Key, moreTime.Help().Key, putOff.Help().Key, digits.Help().Key}
	if c == nil || q.marks.any() || !slices.Contains(needsReach, about.Help().Key) {
		return ""
	}
	if texts := refuses(q.Desk, c); texts != nil {
		return q.Fitting(texts...)
	}
	return ""
}

// reachLine is what stands above the drawn call about its machine, in width cells; "" for one that
// answers.
func reachLine(q *desk.Desk, c *board.Card, width int) string {
	if c == nil {
		return ""
	}
	i, texts := q.Board.MachineOf(c).Told(q.At, q.Called("d"), c.Later)
	if texts == nil {
		return ""
	}
	return q.Styles.Row(width).Put(draw.Text, " ").Fit(i, say(i, texts...).fitting(width-2), width-2).To(width).String()
}

// standsFar is the same for the edge of the drawn call's frame, where its clock runs on; "" likewise.
func standsFar(q *desk.Desk, c *board.Card) (string, draw.Ink) {
	m := q.Board.MachineOf(c)
	switch {
	case c.Later:
		return m.Waits()[1], draw.Warn
	case m.Out():
		return m.Standing(q.At), draw.Warn
	}
	return m.Standing(q.At), draw.Muted
}

// deniedLater takes in that a denial waits until the machine of the call is back: the call waits on, and
// can be decided anew when that machine has come and the denial has not.
func (q sender) deniedLater(c *board.Card, p fleet.Partial, name string) tea.Cmd {
	if c != nil {
		m := q.Board.MachineOf(c)
		c.Sending, c.Later = broker.Deny, true
		if m == nil || m.Settled() { // it came back meanwhile
			c.Sending, c.Later = "", false
		}
	}
	at := fleet.Names(p.Later())
	return q.Say(draw.Warn, name+": denied as soon as "+at+" is back", "denied as soon as "+at+" is back", "denied when it is back")
}

// laterMarked is the same of marked calls; some may have been denied at once.
func (m marks) laterMarked(msg markedMsg, p fleet.Partial) tea.Cmd {
	for _, k := range msg.keys {
		if c := m.Board.Cards[k.ID]; c != nil && c.Key().SameCall(k) {
			c.Later = !m.Board.MachineOf(c).Settled()
			if c.Later {
				continue
			}
			c.Sending = ""
		}
	}
	texts := m.Board.Fleet.Outcome(p, "denied", "denies its own", "deny their own")
	return m.Say(draw.Warn, texts...)
}

// mayNotReach says why these calls cannot be allowed together because of their machines; "" when they can.
func (m marks) mayNotReach(list []*board.Card) string {
	for _, c := range list {
		if machine := m.Board.MachineOf(c); machine.Out() {
			return safe.Line(machine.Standing(m.At)) + ": nothing can be allowed there"
		}
	}
	return ""
}
