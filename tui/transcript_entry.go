package tui

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
)

const (
	resultFolded = 6        // rows of what a tool gave back that are shown while it is folded
	resultTail   = 2        // of them at its end
	saidMarkdown = 8 << 10  // bytes of the longest text that is drawn as Markdown here
	saidMost     = 64 << 10 // bytes of a text that are drawn
	sayIndent    = 2
)

// entry draws one part of a transcript.
func (m *model) entry(d *doc, it *item) {
	switch it.By {
	case agents.SaidUser:
		m.entryHead(d, it, inkKey, "» you")
		d.write(fixed(inkText, "", sayIndent), inkText, clipped(it.Text))
	case agents.SaidAgent:
		m.entryHead(d, it, inkTitle, "agent")
		d.said(clipped(it.Text))
	case agents.SaidCall:
		m.entryCall(d, it)
	case agents.SaidResult, agents.SaidFailed:
		d.gaveBack(it)
	case agents.SaidThought:
		m.entryFolded(d, it, "· thought")
	case agents.SaidOther:
		if it.Moment != nil {
			m.entryMoment(d, it)
			return
		}
		m.entryFolded(d, it, "·")
	}
}

// clipped is as much of a text as is drawn.
func clipped(text string) string {
	if len(text) <= saidMost {
		return text
	}
	cut := saidMost
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + "\n… " + size(len(text)-cut) + " more: y copies all of it"
}

// said draws what an agent said, as Markdown where it can be drawn whole.
func (d *doc) said(text string) {
	p := d.st.paper(d.width - sayIndent)
	if p.width > d.width-sayIndent { // too narrow for an indent
		p = d.st.paper(d.width)
	}
	md := &markup{paper: p, source: []byte(text)}
	if len(text) > saidMarkdown || !md.draw() {
		d.write(fixed(inkText, "", sayIndent), inkText, text)
		return
	}
	for _, r := range p.rows {
		d.rows = append(d.rows, spaces(d.width-p.width)+r)
	}
}

// entryHead is the row above what somebody said.
func (m *model) entryHead(d *doc, it *item, i ink, who string) {
	r := d.st.row(d.width).put(i, who)
	if it.Whose != "" {
		r.fit(inkMuted, " › "+safeLine(it.Whose), d.width/2)
	}
	r.right(inkFaint, m.entryTime(it), d.width)
	d.add(r)
}

// entryTime is when an entry came; "" when nobody tells.
func (m *model) entryTime(it *item) string {
	if it.AtMS == 0 {
		return ""
	}
	return time.UnixMilli(it.AtMS).In(m.at.Location()).Format("15:04:05")
}

// entryFolded draws what few want to read: its first line, or all of it.
func (m *model) entryFolded(d *doc, it *item, lead string) {
	r := d.st.row(d.width).put(inkFaint, lead+"  ")
	if it.Whose != "" {
		r.fit(inkFaint, "› "+safeLine(it.Whose)+"  ", d.width/3)
	}
	if it.open {
		d.add(r.right(inkFaint, m.entryTime(it), d.width))
		d.write(fixed(inkText, "", sayIndent), inkMuted, clipped(it.Text))
		return
	}
	d.add(r.fit(inkFaint, firstLine(it.Text), d.width-r.width))
}

// entryMoment draws an event of the log.
func (m *model) entryMoment(d *doc, it *item) {
	s := newMoment(*it.Moment)
	word, glyph, i := s.word()
	r := d.st.row(d.width).put(i, glyph+" "+word+"  ")
	d.add(r.fit(inkMuted, s.text(), d.width-r.width))
}

// entryCall draws a call, the verdict on it and what came of it.
func (m *model) entryCall(d *doc, it *item) {
	indent := ""
	if it.Whose != "" {
		indent = "  "
	}
	sum := summaryOf(*it.Call)
	r := d.st.row(d.width).put(inkText, indent).put(inkKey, "▸ ").fit(inkBold, sum.tool, d.width/3).put(inkText, " ")
	verdict, i := m.verdict(it)
	if it.Whose != "" {
		r.fit(inkMuted, "› "+safeLine(it.Whose)+" ", d.width/4)
	}
	end := d.width
	beside := cells(verdict)+2 <= (d.width-r.width)/2 && !it.waits()
	if beside {
		end -= cells(verdict) + 2
	}
	tail := ""
	if sum.edit {
		tail = "  +" + count(sum.added) + " −" + count(sum.gone)
	}
	text := sum.text
	if it.Large {
		text = "its input is too large to be kept here"
	}
	r.fit(inkText, text, end-r.width-cells(tail)).put(inkMuted, tail)
	if beside {
		r.to(end+2).put(i, verdict)
	}
	d.add(r)
	if !beside {
		d.sayBehind(inkText, "", len(indent)+sayIndent, i, verdict)
	}
	if f := it.InFile; f != nil {
		other := "! the agent's file has another call here: " + safeLine(f.ToolName) + " " + summaryOf(*f).text
		if it.open {
			d.sayBehind(inkText, "", len(indent)+sayIndent, inkWarn, other)
		} else {
			d.add(d.st.row(d.width).put(inkText, indent+spaces(sayIndent)).fit(inkWarn, other, d.width-len(indent)-sayIndent))
		}
	}
	if it.Retold {
		d.sayBehind(inkText, "", len(indent)+sayIndent, inkWarn, "! the call was too large to be kept here; this is what the agent's file has")
	}
	if it.open && !it.Large {
		m.entryInput(d, it)
	}
	if it.Ran != nil {
		d.gaveBack(it)
	}
}

// entryInput draws all of a call's input.
func (m *model) entryInput(d *doc, it *item) {
	tool, input := it.Call.Call()
	inner := &doc{paper: *d.st.paper(d.width - sayIndent)}
	if inner.width > d.width-sayIndent {
		inner = &doc{paper: *d.st.paper(d.width)}
	}
	inner.call(*it.Call, tool, readCall(input), around{loc: m.at.Location(), view: m.view})
	inner.lookAtAll()
	for _, r := range inner.rows {
		d.rows = append(d.rows, spaces(d.width-inner.width)+r)
	}
}

// verdict says what became of a call, in few words; safe to draw.
func (m *model) verdict(it *item) (string, ink) {
	r := it.Call
	if !it.OnRecord {
		return "not asked here", inkFaint
	}
	glyph, i := verdictGlyph(r.State)
	if r.State == broker.Pending {
		return glyph + " " + m.waiting(r), inkWarn
	}
	o := r.Outcome
	if o == nil {
		return glyph + " " + safeLine(string(r.State)), i
	}
	text := ended(*r)
	for _, lead := range []string{"was ", "is "} {
		text = strings.TrimPrefix(text, lead)
	}
	if o.By.Kind == broker.ByRule && o.By.ID != "" {
		text = strings.TrimSuffix(text, actor(o.By)) + m.actor(o.By)
	}
	if o.UpdatedInput != nil {
		text += ", with another input"
	}
	if o.Reason != "" && o.State == broker.Denied && o.By.Kind != broker.ByRule {
		text += ": " + quoted(o.Reason)
	}
	return glyph + " " + text, i
}

// waiting says what a call waits for.
func (m *model) waiting(r *broker.Request) string {
	if c := m.board.cards[r.ID]; c != nil {
		r = &c.req
		if c.sending != "" {
			return "your answer is being recorded"
		}
	}
	switch {
	case r.Checkpoint != nil:
		return "put off: it waits for your answer as long as it takes · enter: its card"
	case r.Held != "":
		return "held: " + safeLine(r.Held) + " · enter: its card"
	}
	return "waits for your answer · enter: its card"
}

// gaveBack draws what a tool gave back: its beginning and its end, or all that is kept.
func (d *doc) gaveBack(it *item) {
	r := it.Ran
	word, i := "gave back", inkMuted
	if r.Failed {
		word, i = "failed", inkDanger
	}
	if took := r.Took(); took > 0 {
		word += " after " + brief(took)
	}
	lines := countLines(r.Output)
	switch {
	case r.OutputBytes == 0:
		word += " nothing"
		if r.Failed {
			word = strings.TrimSuffix(word, " nothing")
		}
	case r.Output == "":
		word += " " + size(r.OutputBytes) + ", not kept"
	case r.Missing() > 0:
		word += " " + size(r.OutputBytes) + ", of which " + size(len(r.Output)) + " are kept"
	case lines > resultFolded:
		word += " " + plural(lines, "line")
	}
	d.add(d.st.row(d.width).put(inkText, spaces(sayIndent)).put(i, "↳ "+word))
	if r.Output == "" {
		return
	}
	bar := gutter{width: 2 * sayIndent, next: "  ↪", first: func(int) (ink, string) { return inkFaint, "  │" }}
	if it.open {
		if r.Missing() == 0 {
			d.write(bar, inkText, r.Output)
			return
		}
		at := max(0, min(r.CutAt, len(r.Output)))
		d.write(bar, inkText, r.Output[:at])
		d.sayBehind(inkFaint, "  ⋮", 2*sayIndent, inkWarn, plural(r.Missing(), "byte")+" were not kept")
		d.write(bar, inkText, r.Output[at:])
		return
	}
	list := strings.Split(strings.TrimRight(r.Output, "\n"), "\n")
	fold := len(list) - resultFolded
	for n, line := range list {
		if fold > 0 && n >= resultFolded-resultTail && n < len(list)-resultTail {
			if n == resultFolded-resultTail {
				d.add(d.st.row(d.width).put(inkFaint, "  ⋮ ").fit(inkMuted, plural(len(list)-resultFolded, "more line"), d.width-4))
			}
			continue
		}
		d.add(d.st.row(d.width).put(inkFaint, "  │ ").fit(inkMuted, safeLine(line), d.width-4))
	}
}
