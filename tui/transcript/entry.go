package transcript

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/event"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/plainwords"
	"github.com/aoctl/aoctl/tui/words"
)

// saidMost is how many bytes of a text are drawn. An agent may write megabytes, and
// each byte of them would be looked at for every frame that lays it out.
const saidMost = 64 << 10

// painter draws entries. It has the desk for the clock, the names and the cards.
type painter struct{ *desk.Desk }

// layOut draws an entry, with a blank row above what somebody says unless it is the
// first. One cell is left for the bar of the selected entry.
func (p painter) layOut(it *item, behind bool, width int) []string {
	d := &callview.Doc{Paper: *p.Styles.Paper(max(width-1, 1))}
	if behind && (it.By == agents.SaidUser || it.By == agents.SaidAgent) {
		d.Rows = append(d.Rows, draw.Spaces(d.Width))
	}
	p.entry(d, it)
	return d.Rows
}

// entry draws one part of a transcript. Texts are an agent's or come from tools, and
// every one of them goes through a function that makes it safe.
func (p painter) entry(d *callview.Doc, it *item) {
	switch it.By {
	case agents.SaidUser:
		p.head(d, it, draw.Key, "» you")
		d.Prose(draw.Fixed(draw.Text, "", callview.SayIndent), draw.Piece{Ink: draw.Text, Raw: clipped(it.Text)})
	case agents.SaidAgent:
		p.head(d, it, draw.Title, "agent")
		d.Said(clipped(it.Text))
	case agents.SaidCall:
		p.call(d, it)
	// A result whose call is not known stands alone.
	case agents.SaidResult, agents.SaidFailed:
		gaveBack(d, it, false)
	case agents.SaidThought:
		p.folded(d, it, "· thought")
	case agents.SaidOther:
		if it.Moment != nil {
			p.moment(d, it)
			return
		}
		p.folded(d, it, "·")
	}
}

// clipped is as much of a text as is drawn, cut between two characters, and says what
// is missing.
func clipped(text string) string {
	if len(text) <= saidMost {
		return text
	}
	cut := saidMost
	// A byte that continues a character must not begin the rest.
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + "\n… " + figures.Size(len(text)-cut) + " more: y copies all of it"
}

// head is the row above what somebody said: who, and when as far as somebody tells.
func (p painter) head(d *callview.Doc, it *item, i draw.Ink, who string) {
	r := d.Styles.Row(d.Width).Put(i, who)
	if it.Whose != "" {
		r.Fit(draw.Muted, " › "+draw.SafeLine(it.Whose), d.Width/2)
	}
	r.Right(draw.Faint, p.time(it), d.Width)
	d.Add(r)
}

// time is when an entry came, in the console's time zone; "" when nobody tells.
func (p painter) time(it *item) string {
	if it.AtMS == 0 {
		return ""
	}
	return time.UnixMilli(it.AtMS).In(p.At.Location()).Format("15:04:05")
}

// folded draws what few want to read, such as thoughts: its first line, or all of it.
func (p painter) folded(d *callview.Doc, it *item, lead string) {
	r := d.Styles.Row(d.Width).Put(draw.Faint, lead+"  ")
	if it.Whose != "" {
		r.Fit(draw.Faint, "› "+draw.SafeLine(it.Whose), d.Width/3).Put(draw.Text, "  ")
	}
	if it.open {
		d.Add(r.Right(draw.Faint, p.time(it), d.Width))
		d.Write(draw.Fixed(draw.Text, "", callview.SayIndent), draw.Muted, clipped(it.Text))
		return
	}
	d.Add(r.Fit(draw.Faint, callview.FirstLine(plainwords.Said(it.Text)), d.Width-r.Width))
}

// moment draws an event of the log.
func (p painter) moment(d *callview.Doc, it *item) {
	s := event.New(*it.Moment)
	word, glyph, i := s.Word()
	text, gap := s.Text(), "  "
	if strings.HasPrefix(text, "by ") { // one sentence with the word
		gap = " "
	}
	r := d.Styles.Row(d.Width).Put(i, glyph+" "+word+gap)
	d.Add(r.Fit(draw.Muted, text, d.Width-r.Width))
}

// call draws a call, the verdict on it and what came of it. The verdict stands beside
// the call where both have room, else below it. What an agent's file says of a call is
// drawn only as a difference: the record is what counts.
func (p painter) call(d *callview.Doc, it *item) {
	indent := ""
	if it.Whose != "" {
		indent = "  "
	}
	sum := callview.SummaryOf(*it.Call)
	r := d.Styles.Row(d.Width).Put(draw.Text, indent).Put(draw.Key, "▸ ").Fit(draw.Bold, sum.Tool, d.Width/3).Put(draw.Text, " ")
	verdict, i := p.verdict(it)
	if it.Whose != "" {
		r.Fit(draw.Muted, "› "+draw.SafeLine(it.Whose), d.Width/4).Put(draw.Text, " ")
	}
	end := d.Width
	// A call that waits has a sentence of its own below it, as that is what the person
	// looks for.
	beside := draw.Cells(verdict)+2 <= (d.Width-r.Width)/2 && !it.waits()
	if beside {
		end -= draw.Cells(verdict) + 2
	}
	tail := ""
	if sum.Edit {
		tail = "  +" + figures.Count(sum.Added) + " −" + figures.Count(sum.Gone)
	}
	text := sum.Text
	if it.Large {
		text = "its input is too large to be kept here"
	}
	r.Fit(draw.Text, text, end-r.Width-draw.Cells(tail)).Put(draw.Muted, tail)
	if beside {
		r.To(end+2).Put(i, verdict)
	}
	d.Add(r)
	if !beside {
		d.SayBehind(draw.Text, "", len(indent)+callview.SayIndent, i, verdict)
	}
	if f := it.InFile; f != nil {
		other := "! the agent's file has another call here: " + draw.SafeLine(f.ToolName) + " " + callview.SummaryOf(*f).Text
		// Folded, it is one row: that there is a difference is what must not be
		// overlooked.
		if it.open {
			d.SayBehind(draw.Text, "", len(indent)+callview.SayIndent, draw.Warn, other)
		} else {
			d.Add(d.Styles.Row(d.Width).Put(draw.Text, indent+draw.Spaces(callview.SayIndent)).Fit(draw.Warn, other, d.Width-len(indent)-callview.SayIndent))
		}
	}
	if it.Retold {
		d.SayBehind(draw.Text, "", len(indent)+callview.SayIndent, draw.Warn, "! the call was too large to be kept here; this is what the agent's file has")
	}
	// An input that was not kept cannot be shown, whoever unfolds it.
	if it.open && !it.Large {
		p.input(d, it)
	}
	if it.Ran != nil {
		gaveBack(d, it, it.OnRecord && !broker.ToldToRun(*it.Call))
	}
}

// input draws all of a call's input, as its card does, set in below the call.
func (p painter) input(d *callview.Doc, it *item) {
	tool, input := it.Call.Call()
	inner := &callview.Doc{Paper: *d.Styles.Paper(d.Width - callview.SayIndent)}
	// A paper has a least width; in a very narrow window there is no room to set it
	// in.
	if inner.Width > d.Width-callview.SayIndent {
		inner = &callview.Doc{Paper: *d.Styles.Paper(d.Width)}
	}
	inner.Call(*it.Call, tool, change.ReadInput(input), callview.Around{Loc: p.At.Location(), View: p.Around(*it.Call).View})
	// Nothing here is decided, so nothing counts as unread.
	inner.LookAtAll()
	for _, r := range inner.Rows {
		d.Rows = append(d.Rows, draw.Spaces(d.Width-inner.Width)+r)
	}
}

// verdict says what became of a call, in few words; safe to draw. A call that is not
// on record was not asked here, whatever the file says.
func (p painter) verdict(it *item) (string, draw.Ink) {
	r := it.Call
	if !it.OnRecord {
		return "not asked here", draw.Faint
	}
	glyph, i := callview.VerdictGlyph(r.State)
	if r.State == broker.Pending {
		return glyph + " " + p.waiting(r), draw.Warn
	}
	o := r.Outcome
	if o == nil {
		return glyph + " " + draw.SafeLine(string(r.State)), i
	}
	// The words are those of a card, and begin there with a verb that has no place
	// here.
	text := callview.Ended(*r)
	for _, lead := range []string{"was ", "is "} {
		text = strings.TrimPrefix(text, lead)
	}
	// A rule is called by its name in the book, which says more than its id.
	if o.By.Kind == broker.ByRule && o.By.ID != "" {
		text = strings.TrimSuffix(text, callview.Actor(o.By)) + p.Book.Actor(o.By)
	}
	if o.UpdatedInput != nil {
		text += ", with another input"
	}
	// A reason is shown where a person gave it; a rule's is found with the rule.
	if o.Reason != "" && o.State == broker.Denied && o.By.Kind != broker.ByRule {
		text += ": " + words.Quoted(o.Reason)
	}
	if it.Ran != nil && it.Ran.Failed && r.State == broker.Allowed {
		return text, draw.Muted // no tick beside a failure
	}
	return glyph + " " + text, i
}

// waiting says what a call waits for. The board knows more than the record: an answer
// that is being recorded, or a freeze that came since.
func (p painter) waiting(r *broker.Request) string {
	if c := p.Board.Cards[r.ID]; c != nil {
		r = &c.Req
		if c.Sending != "" {
			return "your answer is being recorded"
		}
	}
	switch {
	case r.Checkpoint != nil:
		return "deferred: waits for you, without a deadline · enter: its card"
	case r.Held != "":
		return "frozen: " + draw.SafeLine(r.Held) + " · enter: its card"
	}
	return "waits for you · enter: its card"
}
