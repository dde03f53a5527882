package queue

import (
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
		p.SayBehind(draw.Text, "", 1, draw.Muted, "no waiting call passes the filter; "+x.Called("esc")+" shows all")
	case x.newcomer.here():
		return x.newcomer.view(p, height)
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
