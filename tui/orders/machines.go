package orders

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/fleet"
)

// waits reports whether err says that an order waits for machines that are out of reach.
func waits(err error) bool {
	_, ok := fleet.Waits(err)
	return ok
}

// sayLater says that what was to happen to a session happens when its machine is back.
func sayLater(o *desk.Desk, err error, what string) tea.Cmd {
	p, _ := fleet.Waits(err)
	at := fleet.Names(p.Later())
	return o.Say(draw.Warn, what+" as soon as "+at+" is back; until then it goes on", what+" as soon as "+at+" is back", "as soon as "+at+" is back")
}

// sayPartly says which machines confirmed an order to all and which take it when they are back, until a key
// or until all of them are. The board may hear later than the broker that one is out of reach.
func sayPartly(o *desk.Desk, err error, did, one, several string) tea.Cmd {
	p, _ := fleet.Waits(err)
	later, wereAway := p.Later(), false
	holds := func() bool {
		away := o.Board.Fleet.Away(later)
		wereAway = wereAway || away
		return away || !wereAway
	}
	return o.Stay(holds, draw.Warn, o.Board.Fleet.Outcome(p, did, one, several)...)
}
