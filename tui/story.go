package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

const (
	storiesKept = 64
	storyAgain  = time.Second // how often one is asked for again whose call may still run
	maxAsked    = 300         // cells of what the user said that a card shows
)

// storyMsg brings what led to a call, and what came of it.
type storyMsg struct {
	id    string
	story story.Story
	err   error
}

// stories are what is known of what led to calls, by request.
type stories struct {
	known  map[string]story.Story
	asking string // id; one at a time is enough for one screen
	asked  time.Time
}

// wantStory asks what led to the call on the screen, and goes on asking for the end of
// one that may still run.
func (m *model) wantStory() tea.Cmd {
	r := m.storyCall()
	if r == nil || m.stories.asking == r.ID {
		return nil
	}
	s, known := m.stories.known[r.ID]
	if known && (!mayRun(r) || s.Ran != nil || m.at.Sub(m.stories.asked) < storyAgain) {
		return nil
	}
	m.stories.asking, m.stories.asked = r.ID, m.at
	ctx, c, id := m.ctx, m.console, r.ID
	return func() tea.Msg {
		s, err := c.Story(ctx, id)
		return storyMsg{id: id, story: s, err: err}
	}
}

// mayRun reports whether the call may have an end of its own.
func mayRun(r *broker.Request) bool {
	return r.State == broker.Allowed || r.State == broker.Answered
}

// storyCall is the call on the screen whose story is drawn; nil when there is none.
func (m *model) storyCall() *broker.Request {
	if m.screen != screenPast {
		return m.drawnRequest()
	}
	list := m.past()
	if len(list) == 0 {
		return nil
	}
	return &list[m.pastAt(list)]
}

func (m *model) storyCame(msg storyMsg) {
	if m.stories.asking == msg.id {
		m.stories.asking = ""
	}
	if msg.err != nil { // the call itself is drawn all the same
		msg.story = m.stories.known[msg.id]
	}
	if m.stories.known == nil || len(m.stories.known) >= storiesKept {
		m.stories.known = map[string]story.Story{}
	}
	m.stories.known[msg.id] = msg.story
	m.docs.forget(msg.id)
	for _, unfolded := range []bool{false, true} {
		m.docs.forget(pastID(msg.id, unfolded))
		m.docs.forget("alarm " + pastID(msg.id, unfolded))
	}
}

// pastID is the id under which the decided call id is kept laid out.
func pastID(id string, unfolded bool) string {
	if unfolded {
		return "unfolded " + id
	}
	return "past " + id
}

// background draws what led to the call: what its user asked for, and the calls before it.
func (d *doc) background(a around) {
	if a.story.Asked != "" {
		d.SayBehind(draw.Label, "you asked", labelWidth, draw.Text, `"`+safe.Head(a.story.Asked, maxAsked)+`"`)
	}
	label := "before"
	for _, p := range a.story.Before {
		glyph, i := verdictGlyph(p.Request.State)
		sum := summaryOf(p.Request)
		end, endInk := pastEnd(p)
		r := d.Styles.Row(d.Width).Put(draw.Label, label).To(labelWidth).Put(i, glyph+" ")
		r.Fit(draw.Bold, sum.tool, 8).Put(draw.Text, " ")
		r.Fit(draw.Text, sum.text, max(0, d.Width-r.Width-draw.Cells(end)-2))
		d.Add(r.Put(draw.Text, "  ").Put(endInk, end))
		label = ""
	}
}

// pastEnd is how an earlier call ended, in a word or two; safe to draw.
func pastEnd(p story.EarlierCall) (string, draw.Ink) {
	switch {
	case p.Ran != nil:
		return ranWords(*p.Ran)
	case p.Request.Outcome == nil:
		return "waits", draw.Warn
	case p.Request.State == broker.Allowed:
		return "allowed by " + actor(p.Request.Outcome.By), draw.Muted
	case p.Request.State == broker.Denied:
		return "denied by " + actor(p.Request.Outcome.By), draw.Danger
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
		word += " " + draw.Brief(took)
	}
	return word, i
}

// ran draws how a call ended and, folded or not, what its tool gave back.
func (d *doc) ran(s story.Story, loc *time.Location, unfolded bool) {
	if s.Ran == nil {
		return
	}
	word, i := "it ran to its end", draw.OK
	if s.Ran.Failed {
		word, i = "it failed", draw.Danger
	}
	if took := s.Ran.Took(); took > 0 {
		word += ", after " + draw.Brief(took)
	}
	d.Say(i, word+", at "+s.RanAt.In(loc).Format("15:04:05"))
	d.output(*s.Ran, unfolded)
}

// output draws what a tool gave back; folded, its size and first line.
func (d *doc) output(r broker.RanData, unfolded bool) {
	if r.OutputBytes == 0 {
		d.SayBehind(draw.Label, "output", labelWidth, draw.Muted, "none")
		return
	}
	if r.Output == "" {
		d.SayBehind(draw.Label, "output", labelWidth, draw.Muted, draw.Size(r.OutputBytes)+", not kept")
		return
	}
	about := draw.Plural(draw.CountLines(r.Output), "line") + ", " + draw.Size(r.OutputBytes)
	if missing := r.Missing(); missing > 0 {
		about = draw.Size(r.OutputBytes) + ", of which " + draw.Size(len(r.Output)) + " are kept"
	}
	if !unfolded {
		row := d.Styles.Row(d.Width).Put(draw.Label, "output").To(labelWidth).Put(draw.Muted, about+"  ")
		d.Add(row.Fit(draw.Text, firstLine(r.Output), d.Width-row.Width))
		return
	}
	d.SayBehind(draw.Label, "output", labelWidth, draw.Muted, about)
	bar := draw.Gutter{Width: 2, Next: "↪", First: func(int) (draw.Ink, string) { return draw.Faint, "│" }}
	if r.Missing() == 0 {
		d.Write(bar, draw.Text, r.Output)
		return
	}
	at := max(0, min(r.CutAt, len(r.Output)))
	d.Write(bar, draw.Text, r.Output[:at])
	d.SayBehind(draw.Faint, "⋮", 2, draw.Warn, draw.Plural(r.Missing(), "byte")+" were not kept")
	d.Write(bar, draw.Text, r.Output[at:])
}

// firstLine is the first line of an output that says something; safe to draw.
func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n\t "), "\n")
	return draw.SafeLine(first)
}

// stopTold is what a stop means for an agent whose turn cannot be ended from here; "" for
// others, and without a stop. Safe to draw.
func stopTold(s *broker.Session) string {
	if s.Agent == "" || s.EndsTurns() || s.State != broker.SessionStopping && s.State != broker.SessionStopped {
		return ""
	}
	return "each call is refused until its user speaks"
}

// stopLines is stopTold for the sessions pane.
func (m *model) stopLines(s *broker.Session, width int, chosen bool) []string {
	if stopTold(s) == "" {
		return nil
	}
	lines := make([]string, 0, stopRows)
	for _, text := range [stopRows]string{"each call is refused", "until its user speaks"} {
		if width <= len("until its user speaks") {
			text = strings.NewReplacer(" is", "", "its ", "").Replace(text)
		}
		lines = append(lines, m.st.Row(width).Choose(chosen).Put(draw.Text, " ").Fit(draw.Muted, text, width-1).To(width).String())
	}
	return lines
}

// stopRows is how many rows stopLines has, if any.
const stopRows = 2
