package queue

import (
	"github.com/aoctl/aoctl/hookclient/profile"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// quiet is what the queue shows when nothing waits.
func (x *list) quiet(width, height int) []string {
	p := x.Styles.Paper(width - 2)
	b := x.Board
	switch {
	case b.Filter.Active() && len(b.Waiting) > 0:
		p.SayBehind(draw.Text, "", 1, draw.Muted, "no waiting call passes the filter; esc shows all")
	case len(b.Sessions) == 0 && len(b.Recent) == 0:
		return x.welcome(p, height)
	case b.Health.Observing:
		p.SayBehind(draw.Text, "", 1, draw.Warn, "nothing is held, so nothing waits")
	default:
		p.SayBehind(draw.Text, "", 1, draw.OK, "nothing waits")
	}
	x.elsewhereRows(p)
	if len(b.Recent) == 0 {
		return words.Pad(p.Rows, width)
	}
	p.Blank()
	p.SayBehind(draw.Text, "", 1, draw.Muted, "decided last")
	rows := words.Pad(p.Rows, width)
	for i := 0; i < len(b.Recent) && len(rows) < height; i++ {
		rows = append(rows, x.sheets.Row(b.Recent[i], width, false))
	}
	return rows
}

// welcome tells a newcomer what to do.
func (x *list) welcome(p *draw.Paper, height int) []string {
	tall := height > 8
	p.SayBehind(draw.Text, "", 1, draw.Bold, "no calls are waiting, and no agent has called yet")
	if tall {
		p.Blank()
	}
	const width = 24
	p.SayBehind(draw.Muted, " install into an agent", width, draw.Key, "aoctl install claude")
	p.SayBehind(draw.Muted, " see how it works", width, draw.Key, "aoctl demo")
	if tall {
		p.Blank()
		p.SayBehind(draw.Text, "", 1, draw.Muted, profile.RestartAny())
	}
	return words.Pad(p.Rows, p.Width+2)
}

// Some agents ask their user where only they can be answered. There is nothing to decide about
// that here, but somebody has to know.

// elsewhereRows says what is asked in other terminals.
func (x *list) elsewhereRows(p *draw.Paper) {
	for _, s := range x.Board.Elsewhere() {
		p.Prose(draw.Gutter{Width: 1}, draw.Piece{Ink: draw.Warn, Raw: x.Board.Label(s.ID) + " asks in its own terminal: "}, draw.Piece{Ink: draw.Agent, Raw: s.Asks.Text})
	}
}

// elsewhereNote is the same in few words; safe to draw, "" when nobody asks.
func (x *list) elsewhereNote() string {
	switch list := x.Board.Elsewhere(); len(list) {
	case 0:
		return ""
	case 1:
		return x.Board.Label(list[0].ID) + " asks in its terminal"
	default:
		return figures.Count(len(list)) + " ask in their terminals"
	}
}
