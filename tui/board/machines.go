package board

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/fleet"
)

// MachineOf is the machine that c is asked on; nil for this console's own broker, or when that is not
// known.
func (b *Board) MachineOf(c *Card) *fleet.Machine {
	if c == nil {
		return nil
	}
	return b.Fleet.Of(b.Sessions[c.Req.SessionID])
}

// machineCame takes in a machine as it is now. What one had that has left the fleet goes with it.
func machineCame(b *Board, m broker.Machine) {
	change := b.Fleet.Take(m)
	b.unsorted = b.unsorted || change.Named
	switch {
	case m.Gone:
		forget(b, m.ID)
	case change.Settled:
		settled(b)
	}
}

// forget forgets all that a machine had.
func forget(b *Board, machine string) {
	for _, c := range b.Cards {
		if s := b.Sessions[c.Req.SessionID]; s != nil && s.Machine == machine {
			b.Drop(c)
		}
	}
	for id, s := range b.Sessions {
		if s.Machine == machine {
			delete(b.Sessions, id)
		}
	}
	b.reroster()
	if b.Filter.Machine == machine {
		f := b.Filter
		f.Machine = ""
		b.SetFilter(f)
	}
}

// settled lets calls be decided anew that were to be denied when their machine is back, once that has
// taken all orders that waited for it. Those that it denied are told as ended.
func settled(b *Board) {
	for _, c := range b.Cards {
		if c.Later && b.MachineOf(c).Settled() {
			c.Later, c.Sending = false, ""
		}
	}
}

// byMachine are the sessions of each machine, by its id; all of them under "" at a broker's own console.
func byMachine(b *Board) map[string][]*broker.Session {
	of := map[string][]*broker.Session{}
	for _, s := range b.Sessions {
		of[s.Machine] = append(of[s.Machine], s)
	}
	return of
}
