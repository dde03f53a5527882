package callview

import (
	"encoding/json"
	"time"

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
	top.dangerOnRecord(r)
	top.Ran(a.Story, a.Loc, unfolded)
	top.Blank()
	RanInstead(top, r.Alarm, r.Outcome.UpdatedInput, a.Loc)
	top.Edited(r, r.Outcome.UpdatedInput)
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
	d.Alarm(r.Alarm, a.Loc)
	if o.Reason != "" {
		d.Write(draw.Fixed(draw.Label, "reason", LabelWidth), draw.Text, o.Reason)
	}
}

// dangerOnRecord says what was dangerous about a call of which only the record tells. Where the call is
// known as it was judged, its own rows say it.
func (d *Doc) dangerOnRecord(r broker.Request) {
	if r.Assessment == nil && r.Danger != "" {
		d.SayBehind(draw.Danger, "!!", dangerIndent, draw.Danger, dangerLead+draw.SafeLine(r.Danger))
	}
}

// Edited draws what was allowed in place of what was asked, and what a question was answered with; updated
// is that input, empty when that was the one asked for. The call as it was asked is to be
// drawn below.
func (d *Doc) Edited(r broker.Request, updated json.RawMessage) {
	switch {
	case len(updated) == 0:
	case d.given(r, updated):
		d.Blank()
	default:
		d.Say(draw.Title, "Allowed with another input than was asked")
		d.Difference(r.ToolInput, updated)
		d.LookAtAll()
		d.Blank()
		d.Say(draw.Title, "Asked")
	}
}

// Alarm says that a call ran otherwise than it was allowed.
func (d *Doc) Alarm(a *broker.Alarm, loc *time.Location) {
	if a != nil {
		d.Say(draw.Danger, "! "+a.Words()+", at "+a.At.In(loc).Format(time.TimeOnly))
	}
}

// RanInstead draws what ran when that was not what was allowed. Edited is to draw updated below it, and
// the call below that.
func RanInstead(d *Doc, a *broker.Alarm, updated json.RawMessage, loc *time.Location) {
	if a == nil || a.Kind != broker.RanChanged {
		return
	}
	d.Say(draw.Danger, "What ran: "+draw.SafeLine(a.ToolName))
	if len(a.Ran) == 0 {
		d.Say(draw.Danger, "it is too large to be kept; the agent's own transcript has it")
	} else {
		ran := broker.Request{ToolName: a.ToolName, ToolInput: a.Ran}
		tool, input := ran.Call()
		d.Call(ran, tool, change.ReadInput(input), Around{Loc: loc})
		d.LookAtAll()
	}
	d.Blank()
	if len(updated) == 0 {
		d.Say(draw.Title, "What was allowed")
	}
}
