package callview

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/agents"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// maxAsked is how much of what the user said a card shows, in cells.
const maxAsked = 300

// background draws what led to the call: what its user asked for, and the calls before it.
func (d *Doc) background(a Around) {
	if a.Story.Asked != "" {
		d.SayBehind(draw.Label, "you asked", LabelWidth, draw.Text, `"`+safe.Head(a.Story.Asked, maxAsked)+`"`)
	}
	label := "before"
	for _, p := range a.Story.Before {
		glyph, i := pastGlyph(p)
		sum := SummaryOf(p.Request)
		end, endInk := pastEnd(p)
		r := d.Styles.Row(d.Width).Put(draw.Label, label).To(LabelWidth).Put(i, glyph+" ")
		sum.PutWhole(r, draw.Bold, draw.Text, max(0, d.Width-r.Width-draw.Cells(end)-2))
		d.Add(r.Put(draw.Text, "  ").Put(endInk, end))
		label = ""
	}
}

// pastGlyph is the sign for an earlier call: that of its verdict, but a call that failed has no
// tick.
func pastGlyph(p story.EarlierCall) (string, draw.Ink) {
	if p.Ran != nil && p.Ran.Failed {
		return "✗", draw.Danger
	}
	return VerdictGlyph(p.Request.State)
}

// pastEnd is how an earlier call ended, in a word or two; safe to draw.
func pastEnd(p story.EarlierCall) (string, draw.Ink) {
	switch {
	case p.Ran != nil:
		return ranWords(*p.Ran)
	case p.Request.Outcome == nil:
		return "waits", draw.Warn
	case p.Request.State == broker.Allowed:
		return "allowed by " + Actor(p.Request.Outcome.By), draw.Muted
	case p.Request.State == broker.Denied:
		return refusedWords(p.Request), draw.Danger
	}
	return string(p.Request.State), draw.Muted
}

// ranWords is how a call ran, in a word or two; safe to draw.
func ranWords(d broker.RanData) (string, draw.Ink) {
	word, i := "ran", draw.Muted
	if d.Failed {
		word, i = "failed", draw.Danger
	}
	if took := d.Took(); took > 0 {
		word += " " + figures.Brief(took)
	}
	return word, i
}

// Ran draws how a call ended and, folded or not, what its tool gave back.
func (d *Doc) Ran(s story.Story, loc *time.Location, unfolded bool) {
	if s.Ran == nil {
		return
	}
	word, i := "it ran to its end", draw.OK
	if s.Ran.Failed {
		word, i = "it failed", draw.Danger
	}
	if took := s.Ran.Took(); took > 0 {
		word += ", after " + figures.Brief(took)
	}
	d.Say(i, word+", at "+s.RanAt.In(loc).Format("15:04:05"))
	d.Output(*s.Ran, unfolded)
}

// Output draws what a tool gave back; folded, its size and first line.
func (d *Doc) Output(r broker.RanData, unfolded bool) {
	if r.OutputBytes == 0 {
		d.SayBehind(draw.Label, "output", LabelWidth, draw.Muted, "none")
		return
	}
	if r.Output == "" {
		d.SayBehind(draw.Label, "output", LabelWidth, draw.Muted, figures.Size(r.OutputBytes)+", not kept")
		return
	}
	about := figures.Plural(draw.CountLines(r.Output), "line") + ", " + figures.Size(r.OutputBytes)
	if missing := r.Missing(); missing > 0 {
		about = figures.Size(r.OutputBytes) + ", of which " + figures.Size(len(r.Output)) + " are kept"
	}
	if !unfolded {
		row := d.Styles.Row(d.Width).Put(draw.Label, "output").To(LabelWidth).Put(draw.Muted, about+"  ")
		d.Add(row.Fit(draw.Text, FirstLine(r.Output), d.Width-row.Width))
		return
	}
	d.SayBehind(draw.Label, "output", LabelWidth, draw.Muted, about)
	bar := draw.Gutter{Width: 2, Next: "↪", First: func(int) (draw.Ink, string) { return draw.Faint, "│" }}
	if r.Missing() == 0 {
		d.Write(bar, draw.Text, r.Output)
		return
	}
	at := max(0, min(r.CutAt, len(r.Output)))
	d.Write(bar, draw.Text, r.Output[:at])
	d.SayBehind(draw.Faint, "⋮", 2, draw.Warn, figures.Plural(r.Missing(), "byte")+" were not kept")
	d.Write(bar, draw.Text, r.Output[at:])
}

// FirstLine is the first line of an output that says something; safe to draw.
func FirstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n\t "), "\n")
	return draw.SafeLine(first)
}

// checkpoint tells since when a call is put off, by whom, and how its session goes on.
func (d source) checkpoint(width int) {
	r, a, cp := d.r, d.a, d.r.Checkpoint
	if cp == nil {
		if r.Event != "" && r.State == broker.Pending && !agents.TraitsOf(r.Agent).Defer {
			d.SayBehind(draw.Label, "deferred", width, draw.Muted, "not possible with this agent: it waits as before")
		}
		if limit := broker.HardWait(r); limit != "" && r.State == broker.Pending {
			d.SayBehind(draw.Label, "waits", width, draw.Warn, limit+"; allow it later than that, and its next try passes")
		}
		return
	}
	d.SayBehind(draw.Label, "deferred", width, draw.Warn, cp.At.In(a.Loc).Format("2 Jan 15:04:05")+", "+putOffBy(cp.By)+"; no deadline, nobody waits for it")
	switch {
	case a.Session != nil && a.Session.Run != nil:
		d.SayBehind(draw.Label, "goes on", width, draw.Text, "by itself, when it is answered; R resumes it")
	case cp.Program == "":
		d.SayBehind(draw.Label, "goes on", width, draw.Text, "by hand: how its agent was started is not known")
	default:
		d.SayBehind(draw.Label, "goes on", width, draw.Text, "in a terminal of yours, once it is answered: R shows the line")
	}
	if !cp.ResumedAt.IsZero() {
		d.SayBehind(draw.Label, "resumed", width, draw.Text, cp.ResumedAt.In(a.Loc).Format("2 Jan 15:04:05")+", and its agent has not asked again yet")
	}
}

// putOffBy names who put a call off.
func putOffBy(by broker.Actor) string {
	switch by.Kind {
	case broker.ByRule:
		return "by a rule"
	case broker.ByDeadline:
		return "because nobody answered in time"
	case broker.ByOperator, broker.ByProcess, broker.ByStop, broker.ByFreeze, broker.ByAgent, broker.ByBroker, broker.ByObserve:
	}
	return "by hand"
}
