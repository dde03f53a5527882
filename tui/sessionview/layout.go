package sessionview

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/plainwords"
	"github.com/aoctl/aoctl/tui/safe"
)

// Around is what is told beyond the session. Loc must not be nil.
type Around struct {
	Waiting int              // calls of it that wait
	Calls   []broker.Request // the same, where they are listed
	Keys    bool             // there are keys to be told of
	Loc     *time.Location   // of the clock on the screen
	Said    string           // by its agent, last; raw
	SaidAt  time.Time
}

const maxSaid = 4000 // characters of what was said that are drawn

// keyed is text with what a key does about it, where there are keys.
func (a Around) keyed(text, key string) string {
	if a.Keys {
		return text + "; " + key
	}
	return text
}

// clock is the time of day on the clock of the screen.
func (a Around) clock(at time.Time) string { return at.In(a.Loc).Format("15:04:05") }

// LayOut lays out all that is known of a session. Nothing of it has to be read before
// a key may act, so it ends with its last row.
func LayOut(st *draw.Styles, s *broker.Session, a Around, width int) *callview.Doc {
	d := &callview.Doc{Paper: *st.Paper(width)}
	state(d, s, a)
	// Only a session that aoctl holds has a runner, a model and a log of its own.
	if s.Run != nil {
		run(d, s)
	}
	place(d, s, a)
	// What waits to be told comes after where the session runs: it may be long.
	message(d, s, a)
	if a.Said != "" {
		d.Blank()
		d.SayBehind(draw.Label, "said last", callview.LabelWidth, draw.Muted, a.keyed("at "+a.clock(a.SaidAt), "E shows the rest"))
		// The bar is the sign for an agent's own words, here as on a card.
		d.Write(draw.Gutter{Width: 2, Next: "┊", First: func(int) (draw.Ink, string) { return draw.Faint, "┊" }}, draw.Agent, headOf(a.Said, maxSaid))
	}
	d.LookAtAll()
	d.CallEnd = len(d.Rows)
	return d
}

// state says what the session does, and what is wrong with it. Under a stop it also
// says how one comes out of it.
func state(d *callview.Doc, s *broker.Session, a Around) {
	word, since := board.StatusOf(s, a.Waiting)
	row := d.Styles.Row(d.Width).Put(draw.Label, "state").To(callview.LabelWidth).Put(Ink(s, a.Waiting), word)
	if s.Frozen {
		row.Put(draw.Muted, ", ").Put(draw.Frozen, "frozen")
	}
	// While it works, since when it does says less than that it does.
	if !since.IsZero() && a.Waiting == 0 && (s.Run == nil || s.Run.Turn != broker.TurnWorking) {
		row.Put(draw.Muted, ", since "+a.clock(since))
	}
	d.Add(row)
	// Under a stop the calls are refused whatever a freeze says.
	if s.Frozen && !s.State.UnderStop() {
		d.SayBehind(draw.Text, "", callview.LabelWidth, draw.Muted, "its calls can be denied, and allowed once the freeze is lifted")
	}
	// A command has no key to tell of; it lists the calls instead.
	if a.Waiting > 0 && a.Keys {
		d.SayBehind(draw.Text, "", callview.LabelWidth, draw.Muted, "enter shows its "+figures.Plural(a.Waiting, "waiting call"))
	}
	calls(d, a.Calls)
	// What went wrong is the agent's own text or the runner's, and is made safe.
	if why := plainwords.Failure(s.Failure()); why != "" {
		d.SayBehind(draw.Danger, "problem", callview.LabelWidth, draw.Danger, safe.Line(why))
	}
	// A stop goes in steps where a runner holds the agent, and they are told one by
	// one.
	if s.State.UnderStop() {
		if s.Run != nil {
			for _, step := range s.Run.Steps {
				d.SayBehind(draw.Text, "", callview.LabelWidth, draw.Muted, "· "+safe.Line(step))
			}
		}
		text := "its calls are denied until you speak to it"
		if a.Keys {
			text += ": m"
		}
		d.SayBehind(draw.Text, "", callview.LabelWidth, draw.Muted, text)
	}
}

// calls lists what waits, a row a call, under the ids that commands take.
func calls(d *callview.Doc, list []broker.Request) {
	for _, r := range list {
		sum := callview.SummaryOf(r)
		// Commands take these ids, so they are shown whole.
		row := d.Styles.Row(d.Width).To(callview.LabelWidth).Put(draw.Muted, draw.SafeLine(r.ID)+"  ").Put(draw.Bold, sum.Tool+" ")
		d.Add(row.Fit(draw.Text, sum.Text, max(0, d.Width-row.Width)))
	}
}

// place draws where the session runs. What says the same twice is left out.
func place(d *callview.Doc, s *broker.Session, a Around) {
	// Paths are the agent's and go through Write, which shows every foreign sign.
	line := func(label, text string) {
		if text != "" {
			d.Write(draw.Fixed(draw.Label, label, callview.LabelWidth), draw.Text, text)
		}
	}
	// A managed session has a line about its agent further up.
	if s.Run == nil && !a.Keys {
		line("agent", s.Agent)
	}
	line("folder", s.CWD)
	if s.ProjectDir != s.CWD {
		line("project", s.ProjectDir)
	}
	line("mode", s.Mode)
	line("began", s.StartedAt.In(a.Loc).Format("2 Jan 15:04:05"))
	line("id", s.ID)
}

// message draws what the session's user says next, and what the agent was told and has
// not taken up.
func message(d *callview.Doc, s *broker.Session, a Around) {
	if s.Run != nil && s.Run.Told != nil {
		d.Blank()
		d.SayBehind(draw.Label, "telling", callview.LabelWidth, draw.Muted, "its agent has not taken it up yet")
		d.Write(draw.Fixed(draw.Muted, "", callview.LabelWidth), draw.Text, s.Run.Told.Text)
	}
	if s.Message == nil {
		return
	}
	d.Blank()
	// A message that could not be told stays, and the person must know that nobody has
	// heard it.
	if n := s.Message.Failures; n > 0 {
		d.SayBehind(draw.Label, "not told", callview.LabelWidth, draw.Warn, a.keyed("tried "+figures.Plural(n, "time"), "m and enter send it again"))
	}
	// When it is told depends on the turn, which changes while the person looks.
	d.SayBehind(draw.Label, "next", callview.LabelWidth, draw.Key, WhenTold(s)+", since "+a.clock(s.Message.QueuedAt))
	d.Write(draw.Fixed(draw.Muted, "", callview.LabelWidth), draw.Text, s.Message.Text)
}

// run says how a session is held. s.Run must not be nil.
func run(d *callview.Doc, s *broker.Session) {
	r := s.Run
	say := func(label, text string) {
		if text != "" {
			d.SayBehind(draw.Label, label, callview.LabelWidth, draw.Text, text)
		}
	}
	say("used", strings.Join(Spent(r), " · "))
	say("tokens", Usage(r.Usage))
	say("last turn", draw.SafeLine(r.Result))
	agent := []string{draw.SafeLine(s.Agent)}
	if r.Model != "" {
		agent = append(agent, "model "+draw.SafeLine(r.Model))
	}
	if r.MaxTurns > 0 {
		agent = append(agent, "at most "+figures.Plural(r.MaxTurns, "turn"))
	}
	say("agent", strings.Join(agent, " · "))
	// The program and its arguments are what a resume would run.
	d.Write(draw.Fixed(draw.Label, "program", callview.LabelWidth), draw.Text, strings.Join(append([]string{r.Program}, r.Args...), " "))
	say("processes", processesOf(s))
	if r.Log != "" {
		d.Write(draw.Fixed(draw.Label, "log", callview.LabelWidth), draw.Text, filepath.Clean(r.Log))
	}
}

// processesOf names the agent's process and its runner's.
func processesOf(s *broker.Session) string {
	var parts []string
	if s.Process.PID > 0 {
		parts = append(parts, "agent "+strconv.Itoa(s.Process.PID))
	}
	if s.Run.Runner.PID > 0 {
		parts = append(parts, "runner "+strconv.Itoa(s.Run.Runner.PID))
	}
	// A runner in the background outlives the terminal that it was started from.
	if s.Run.Detached {
		parts = append(parts, "in the background")
	}
	return strings.Join(parts, " · ")
}

// headOf is the beginning of a raw text, with a sign when there is more.
func headOf(text string, most int) string {
	if r := []rune(text); len(r) > most {
		// The beginning says what it is about; the console's E shows the rest.
		return string(r[:most]) + " …"
	}
	return text
}
