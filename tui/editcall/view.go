package editcall

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// settle notes when all of the question was on the screen.
func (x *Screen) settle() tea.Cmd {
	cmd := x.news()
	e := x.edit
	if e == nil || e.state == editOpen {
		return cmd
	}
	width, height := x.Inner()
	rows, end := x.rows(width)
	e.top = max(0, min(e.top, len(rows)-height))
	if e.state == editAsking && height > 0 && !x.Small && e.top+height >= end {
		e.seen = true
	}
	return cmd
}

// View draws the question whether the call is to be allowed with its new input.
func (x *Screen) View(_, _ int) []string {
	width, height := x.Inner()
	e := x.edit
	if e == nil {
		return x.Framed(draw.Caption{Title: "Edited"}, nil, 0)
	}
	rows, end := x.rows(width)
	top := max(0, min(e.top, len(rows)-height))
	f := draw.Caption{Title: "Edited: " + callview.SummaryOf(e.req).Tool, Focus: true, Note: "of " + x.Board.Label(e.req.SessionID)}
	if e.state == editAsking && e.judged.Dangerous() {
		f.Alarm = callview.AlarmOf(e.judged.Request)
		if f.Alarm == "" {
			// The broker found files of aoctl's own in it, which is a danger that no
			// program name shows.
			f.Alarm = "touches aoctl's own files"
		}
	}
	if len(rows) > height {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(top+1), figures.Count(min(top+height, len(rows))), figures.Count(len(rows)))
	}
	if more := end - top - height; e.state == editAsking && !e.seen && more > 0 {
		f.BelowRight = "▼ " + figures.Plural(more, "more row")
		if x.Stacked {
			f.Right = f.BelowRight
		}
	}
	// The call goes on waiting behind this screen, so its clock stands here too.
	if c := x.Board.Cards[e.card.ID]; c != nil && e.gone == "" {
		f.Below, f.BelowInk = words.Standing(c, x.At)
		f.BelowMore = words.NoLonger(c, x.At)
	}
	return x.Framed(f, rows, top)
}

// rows lays the question out: what changed, then the call as it would run, as any call
// is drawn. end is the row behind what must be read.
func (x *Screen) rows(width int) (rows []string, end int) {
	e := x.edit
	p := &callview.Doc{Paper: *x.Styles.Paper(width)}
	if e.gone != "" {
		p.SayBehind(draw.Warn, "!", 2, draw.Warn, "this call "+e.gone+": nothing can be allowed any more")
		if e.kept != "" {
			p.SayBehind(draw.Warn, "", 2, draw.Text, safe.Line(e.kept))
		}
		p.SayBehind(draw.Warn, "", 2, draw.Muted, "when the agent asks for exactly this again, e on that card brings your text back")
		p.Blank()
	}
	switch e.state {
	case editOpen:
		p.Say(draw.Muted, "the editor is open")
	case editBroken:
		p.SayBehind(draw.Danger, "!", 2, draw.Danger, "this cannot be run: "+e.problem)
		p.SayBehind(draw.Muted, "", 2, draw.Muted, "e opens the editor on it again, u takes the call as it was asked, esc keeps it for later")
		p.Blank()
		p.Write(draw.Gutter{}, draw.Text, e.text)
	case editJudging:
		p.Say(draw.Muted, "reading the new input …")
		p.Blank()
		// The difference needs no judgement, so the person can read it meanwhile.
		p.Difference(e.form.input, e.input)
	case editAsking, editSending:
		return x.question(p, width)
	}
	p.LookAtAll()
	return p.Rows, len(p.Rows)
}

// question is rows for an input that was judged. What another hook could still change
// is said before everything else: then what is shown here may not be what runs.
func (x *Screen) question(p *callview.Doc, width int) (rows []string, end int) {
	e := x.edit
	if e.judged.Deny != "" {
		p.SayBehind(draw.Danger, "✗", 2, draw.Danger, "a rule refuses it: "+draw.SafeLine(e.judged.Deny))
	}
	if len(e.others) > 0 {
		p.SayBehind(draw.Warn, "!", 2, draw.Warn, "another hook hears of this event too and could change the input again, after you allowed it:")
		for i, h := range e.others {
			if i == othersShown {
				p.SayBehind(draw.Warn, "", 2, draw.Muted, "and "+figures.Count(len(e.others)-i)+" more")
				break
			}
			p.Write(draw.Fixed(draw.Muted, "", 2), draw.Text, h)
		}
	}
	p.Blank()
	p.Say(draw.Title, "Changed")
	p.Difference(e.form.input, e.input)
	p.Blank()
	p.Say(draw.Title, "Runs in place of what was asked")
	p.LookAtAll()
	a := x.Around(e.judged.Request)
	a.Framed = false // the title here is another, and no key unfolds
	d := callview.LayOut(x.Styles, e.judged.Request, a, width)
	// What stands behind the call, such as its story, need not be read to allow it.
	end = len(p.Rows) + d.CallEnd
	return append(p.Rows, d.Rows...), end
}

// othersShown is how many other hooks are named.
const othersShown = 3

// Keys are named in the key line; Write takes them.
func (x *Screen) Keys() []desk.Key {
	e := x.edit
	if e == nil {
		return nil
	}
	again, asAsked := desk.Key{Binding: againKey, Short: "edit again"}, desk.Key{Binding: asAskedKey, Short: "as it was asked"}
	scroll := desk.Key{Binding: desk.Down, Name: "j k", Short: "scroll"}
	switch {
	case e.gone != "":
		return []desk.Key{scroll}
	case e.state == editBroken, e.state == editAsking && e.judged.Deny != "":
		return []desk.Key{again, asAsked, scroll}
	case e.state != editAsking:
		return nil
	case !e.seen:
		return []desk.Key{{Binding: desk.Bottom, Name: "G", Short: "read to the end to allow"}, again, asAsked}
	}
	return []desk.Key{x.allowing(), again, asAsked, scroll}
}

// allowing is the key, or the digits, that allow.
func (x *Screen) allowing() desk.Key {
	k := desk.Key{Binding: allowKey, Short: "allow as edited"}
	if code := x.edit.code; code != "" {
		k.Name, k.Short = "type "+code, "allow"
		if first := x.Guard.Begun(x.At); first != "" {
			k.Name, k.Short = first+"_", "then "+code[1:]+" allows"
		}
	}
	if x.Guard.Deaf(x.At) {
		k.Why = "this just came up: look first"
	}
	return k
}
