package rulebook

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// View draws the list, or the box with a new token.
func (t *Tokens) View(_, _ int) []string {
	if t.minted != nil {
		return t.box()
	}
	width, height := area(t.Desk)
	f := draw.Caption{Title: "Tokens " + figures.Count(len(t.list)), Note: "an operator's may allow calls and change rules, the others only ask"}
	if len(t.list) == 0 {
		p := t.Styles.Paper(width - 2)
		p.SayBehind(draw.Text, "", 1, draw.Muted, "no tokens: only this keyboard can allow anything. n makes one for a program of yours that may; N one with which hooks in containers may ask")
		return listed(t.Desk, f, words.Pad(p.Rows, width))
	}
	top := desk.Window(0, t.place(), height, len(t.list))
	f.Right = inSight(top, height, len(t.list))
	var rows []string
	for i := top; i < min(top+height, len(t.list)); i++ {
		rows = append(rows, t.row(t.list[i], i == t.place(), width))
	}
	return listed(t.Desk, f, rows)
}

// row is one token: what it is for and when it was made, never the token itself.
func (t *Tokens) row(token broker.Token, chosen bool, width int) string {
	// A token that may decide has the ink of a warning.
	kindInk, does := draw.Warn, "decides"
	switch token.Kind {
	case broker.AskingToken:
		kindInk, does = draw.Muted, "asks"
	case broker.ConsoleKey:
		does = "console"
	case broker.FleetToken:
		does = "fleet"
	case broker.OperatorToken:
	}
	line := begin(t.Desk, chosen, width).Put(draw.Muted, draw.SafeLine(draw.LastOf(token.ID, 8))).To(11).Put(kindInk, does).To(20)
	at := token.CreatedAt.In(t.At.Location())
	made := "made " + at.Format("2 Jan 2006 15:04")
	if width < 50 {
		made = at.Format("2 Jan")
	}
	line.Fit(draw.Text, draw.SafeLine(token.Label), width-line.Width-draw.Cells(made)-3)
	return line.Right(draw.Muted, made, width-1).To(width).String()
}

// box shows a new token, what to do with it and who may have it. It is written whole,
// however narrow the window is.
func (t *Tokens) box() []string {
	width, _ := t.Inner()
	p := t.Styles.Paper(width)
	if t.minted.kind != broker.ConsoleKey {
		p.Say(draw.Warn, "Shown once. Copy it now: it is stored nowhere, and never shown again.")
		p.Blank()
	}
	p.Write(draw.Fixed(draw.Label, "", 2), draw.Bold, t.minted.token)
	p.Blank()
	title, use, note := "New operator token", "set AOCTL_TOKEN to it where the program runs",
		"who has it may allow calls and change rules; a process of an agent may not, token or not"
	switch t.minted.kind {
	case broker.ConsoleKey:
		title, use, note = "Code for another console", `start aoctl or "aoctl attach" in another terminal, and type it there within five minutes`,
			"it is good once; the console may then do all that this one may, until you revoke its key here"
	case broker.OperatorToken, broker.FleetToken:
	case broker.AskingToken:
		title, use, note = "New token for asking", "set AOCTL_TOKEN to it, and AOCTL_URL to this console's address, where the agent runs",
			"who has it may ask, and nothing else: an agent may have it"
	}
	p.SayBehind(draw.Muted, "use", 6, draw.Text, use)
	if t.minted.label != "" {
		p.Write(draw.Fixed(draw.Muted, "label", 6), draw.Text, t.minted.label)
	}
	p.SayBehind(draw.Muted, "note", 6, draw.Muted, note)
	return t.Framed(draw.Caption{Title: title}, p.Rows, 0)
}
