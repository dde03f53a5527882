package callview

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// LayOutEnded draws a decided call for a width, its end first. end says how it ended, as Ended
// does; what its tool gave back is whole when unfolded.
func LayOutEnded(st *draw.Styles, r broker.Request, a Around, end string, unfolded bool, width int) *Doc {
	d := LayOut(st, r, a, width)
	if r.Outcome == nil {
		return d
	}
	top := &Doc{Paper: *st.Paper(width)}
	top.end(r, a, end)
	top.Ran(a.Story, a.Loc, unfolded)
	top.Blank()
	top.edited(r)
	d.Rows = append(top.Rows, d.Rows...)
	return d
}

// end says how a call ended, when, and why.
func (d *Doc) end(r broker.Request, a Around, end string) {
	o := r.Outcome
	_, i := VerdictGlyph(o.State)
	if r.Unheard {
		i = draw.Warn
	}
	end += ", after " + figures.Brief(o.At.Sub(r.CreatedAt))
	if WasObserved(o) {
		end = "was left to the agent (observing)" // the reason below says what would have been
	}
	d.Say(i, "this call "+end+", at "+o.At.In(a.Loc).Format("2006-01-02 15:04:05"))
	d.alarm(r.Alarm)
	if o.Reason != "" {
		d.Write(draw.Fixed(draw.Label, "reason", LabelWidth), draw.Text, o.Reason)
	}
}

// edited draws what ran in place of what was asked, and what a question was answered with.
func (d *Doc) edited(r broker.Request) {
	o := r.Outcome
	switch {
	case len(o.UpdatedInput) == 0:
	case d.Given(r):
		d.Blank()
	default:
		d.Say(draw.Title, "Ran with another input than was asked")
		d.Difference(r.ToolInput, o.UpdatedInput)
		d.LookAtAll()
		d.Blank()
		d.Say(draw.Title, "Asked")
	}
}

// alarm says above a decided call that something else ran, and what.
func (d *Doc) alarm(a *broker.Alarm) {
	if a == nil {
		return
	}
	d.Say(draw.Danger, "! "+a.Words()+", at "+a.At.Format("15:04:05")+" UTC")
	if a.Kind != broker.RanChanged {
		return
	}
	if len(a.Ran) == 0 {
		d.Say(draw.Danger, "  what ran is too large to be kept; the agent's own transcript has it")
		return
	}
	d.Write(draw.Fixed(draw.Danger, "ran", 11), draw.Text, change.ValueText(a.Ran))
	d.SayBehind(draw.Label, "allowed", 11, draw.Text, "what stands below")
}
