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
	case b.Fleet.Out() > 0:
		p.SayBehind(draw.Text, "", 1, draw.Warn, "nothing waits on the machines that can be reached")
	default:
		p.SayBehind(draw.Text, "", 1, draw.OK, "nothing waits")
	}
	x.elsewhereRows(p)
	if len(b.Recent) == 0 {
		return words.Pad(p.Rows, width)
	}
	p.Blank()
	if x.line.Shown() {
		p.Rows = append(p.Rows, x.line.View(p.Width))
		p.Blank()
	}
	p.SayBehind(draw.Text, "", 1, draw.Muted, "decided last")
	rows := words.Pad(p.Rows, width)
	for i := 0; i < len(b.Recent) && len(rows) < height; i++ {
		rows = append(rows, x.sheets.Row(b.Recent[i], width, false))
	}
	return rows
}

// leastBefore is how many rows are worth a look back below the list.
const leastBefore = 4

// before is what was decided last in the session of the selected call, in so many rows. None of it can
// be selected.
func (x *list) before(width, height int) []string {
	c := x.card()
	if c == nil || height < leastBefore {
		return nil
	}
	p := x.Styles.Paper(width - 2)
	p.Blank()
	p.SayBehind(draw.Text, "", 1, draw.Muted, "decided last in "+x.Board.Label(c.Req.SessionID))
	rows := words.Pad(p.Rows, width)
	head := len(rows)
	for _, r := range x.Board.Recent {
		if r.SessionID == c.Req.SessionID && len(rows) < height {
			rows = append(rows, x.sheets.Row(r, width, false))
		}
	}
	if len(rows) == head {
		return nil
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
