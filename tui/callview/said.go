package callview

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// said names the field that holds the agent's own words, when Words draws them.
func said(r broker.Request, c change.Input) string {
	if text, ok := c.Text("description"); ok && (r.Description == "" || r.Description == text) {
		return "description"
	}
	return ""
}

// Words draws what the agent says about its call, quoted as its own: a bar stands before each of
// their rows, so that no row of them looks like one of ours.
func (d *Doc) Words(r broker.Request, c change.Input) {
	text := r.Description
	if said(r, c) != "" {
		text, _ = c.Text("description")
	}
	if text == "" {
		return
	}
	d.Write(draw.Gutter{Width: 2, Next: "┊", First: func(int) (draw.Ink, string) { return draw.Faint, "┊" }},
		draw.Agent, `agent: "`+text+`"`)
}

// saidRows is how many rows of the agent's words a folded card has.
const saidRows = 3

// saidBriefly draws the agent's words, and of long ones only how they begin while the card is folded:
// they must not push what is dangerous off the screen.
func (d *Doc) saidBriefly(r broker.Request, c change.Input, a Around) {
	from := len(d.Rows)
	d.Words(r, c)
	more := len(d.Rows) - from - (saidRows - 1)
	if !a.folded() || more < 2 {
		return
	}
	d.Rows = d.Rows[:from+saidRows-1]
	d.SayBehind(draw.Faint, "┊", 2, draw.Muted, "… "+figures.Plural(more, "more row")+" of its words (+)")
}
