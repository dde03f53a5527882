// Package managed is the screen with all about one managed session: what it does, what it has
// spent, how it is run, what waits to be told to it, and what its agent said last. That is asked
// for again every few seconds while the screen is drawn.
package managed

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// Broker is what the screen needs of it.
type Broker interface {
	Timeline(ctx context.Context, f broker.EventFilter) ([]story.Moment, error)
}

// Screen is all about one session.
type Screen struct {
	*desk.Desk
	broker Broker
	about
}

// about is what is known of the session beyond what the board has.
type about struct {
	session string
	top     int
	said    string // by its agent, last; raw
	saidAt  time.Time
	asked   time.Time // when that was last asked for
	loading bool
}

// lastSaidMsg brings what a session's agent said last.
type lastSaidMsg struct {
	session string
	said    string
	at      time.Time
	err     error
}

const (
	saidAgain = 2 * time.Second
	maxSaid   = 4000 // characters of what was said that are drawn
)

// New makes the screen.
func New(d *desk.Desk, b Broker) *Screen { return &Screen{Desk: d, broker: b} }

// Opens shows a session.
func (a *Screen) Opens(on desk.Subject) tea.Cmd {
	a.about = about{session: on.Session}
	return nil
}

// Subject is the session.
func (a *Screen) Subject() desk.Subject { return desk.Subject{Session: a.session} }

// Keys scroll, and show the session's calls.
func (a *Screen) Keys() []desk.Key {
	list := []desk.Key{{Binding: desk.Enter("its calls only"), Short: "its calls", Do: a.calls}}
	return append(list, desk.Moves("scroll", a.scroll)...)
}

func (a *Screen) calls(tea.KeyMsg) tea.Cmd { return a.OnlyCallsOf(a.session) }

func (a *Screen) scroll(msg tea.KeyMsg) tea.Cmd {
	_, height := a.Inner()
	a.top = desk.Scrolled(msg, a.top, len(a.rows()), height)
	return nil
}

// Update takes what the agent said last, and the mouse.
func (a *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case lastSaidMsg:
		a.came(msg)
	case tea.MouseMsg:
		steps, _ := desk.Wheel(msg)
		a.top += steps * desk.WheelRows
	case desk.Settle:
		return a.settle()
	}
	return nil
}

// settle keeps the place, and asks what the agent said last.
func (a *Screen) settle() tea.Cmd {
	if a.Board.Sessions[a.session] == nil {
		return nil
	}
	_, height := a.Inner()
	a.top = max(0, min(a.top, len(a.rows())-height))
	if a.loading || a.At.Sub(a.asked) < saidAgain {
		return nil
	}
	a.loading, a.asked = true, a.At
	ctx, b, id := a.Ctx, a.broker, a.session
	return func() tea.Msg {
		list, err := b.Timeline(ctx, broker.EventFilter{SessionID: id, Types: []string{broker.EventMessage}, Limit: 1})
		msg := lastSaidMsg{session: id, err: err}
		msg.said, msg.at = lastSaid(list)
		return msg
	}
}

// lastSaid is what an agent said last, as list, which has its last message, tells; "" when
// it said nothing.
func lastSaid(list []story.Moment) (said string, at time.Time) {
	var d story.UserData
	if len(list) == 0 || json.Unmarshal(list[0].Event.Data, &d) != nil {
		return "", time.Time{}
	}
	return d.Words(), list[0].Event.At
}

func (a *Screen) came(msg lastSaidMsg) {
	if a.session != msg.session {
		return
	}
	a.loading = false
	if msg.err == nil && msg.said != "" {
		a.said, a.saidAt = msg.said, msg.at
	}
}

// View draws the rows in sight.
func (a *Screen) View(_, _ int) []string {
	width, height := a.Inner()
	if a.Board.Sessions[a.session] == nil {
		row := a.Styles.Row(width).Put(draw.Muted, "the broker no longer knows this session").To(width).String()
		return a.Framed(draw.Caption{Title: "Session"}, []string{row}, 0)
	}
	rows := a.rows()
	f := draw.Caption{Title: a.Board.Label(a.session), Note: "a managed session"}
	if len(rows) > height {
		f.Right = desk.Position(a.top, height, len(rows))
	}
	return a.Framed(f, rows, a.top)
}

// rows are all that is known of the session, laid out; none when the broker knows it no longer.
func (a *Screen) rows() []string {
	width, _ := a.Inner()
	if s := a.Board.Sessions[a.session]; s != nil {
		return a.layOut(s, width).Rows
	}
	return nil
}

// layOut lays out all that is known of a session.
func (a *Screen) layOut(s *broker.Session, width int) *callview.Doc {
	d := &callview.Doc{Paper: *a.Styles.Paper(width)}
	a.state(d, s)
	if s.Run != nil {
		run(d, s)
	}
	line := func(label, text string) {
		if text != "" {
			d.Write(draw.Fixed(draw.Label, label, callview.LabelWidth), draw.Text, text)
		}
	}
	line("folder", s.CWD)
	if s.ProjectDir != s.CWD {
		line("project", s.ProjectDir)
	}
	line("mode", s.Mode)
	line("began", s.StartedAt.In(a.At.Location()).Format("2 Jan 15:04:05"))
	line("id", s.ID)
	if s.Run != nil && s.Run.Told != nil {
		d.Blank()
		d.SayBehind(draw.Label, "telling", callview.LabelWidth, draw.Muted, "its agent has not taken it up yet")
		d.Write(draw.Fixed(draw.Muted, "", callview.LabelWidth), draw.Text, s.Run.Told.Text)
	}
	if s.Message != nil {
		d.Blank()
		if n := s.Message.Failures; n > 0 {
			d.SayBehind(draw.Label, "not told", callview.LabelWidth, draw.Warn, "tried "+figures.Plural(n, "time")+"; m and enter send it again")
		}
		d.SayBehind(draw.Label, "next", callview.LabelWidth, draw.Key, words.WhenTold(s)+", since "+s.Message.QueuedAt.In(a.At.Location()).Format("15:04:05"))
		d.Write(draw.Fixed(draw.Muted, "", callview.LabelWidth), draw.Text, s.Message.Text)
	}
	if said := a.said; said != "" {
		d.Blank()
		d.SayBehind(draw.Label, "said last", callview.LabelWidth, draw.Muted, "at "+a.saidAt.In(a.At.Location()).Format("15:04:05")+"; E shows the rest")
		d.Write(draw.Gutter{Width: 2, Next: "┊", First: func(int) (draw.Ink, string) { return draw.Faint, "┊" }}, draw.Agent, headOf(said, maxSaid))
	}
	d.LookAtAll()
	d.CallEnd = len(d.Rows)
	return d
}

// headOf is the beginning of a raw text, with a sign when there is more.
func headOf(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + " …"
	}
	return text
}

// state says what the session does, and what is wrong with it.
func (a *Screen) state(d *callview.Doc, s *broker.Session) {
	word, since := a.Board.Status(s)
	row := d.Styles.Row(d.Width).Put(draw.Label, "state").To(callview.LabelWidth).Put(words.StateInk(s, a.Board.Pending[s.ID]), word)
	if !since.IsZero() && a.Board.Pending[s.ID] == 0 && (s.Run == nil || s.Run.Turn != broker.TurnWorking) {
		row.Put(draw.Muted, ", since "+since.In(a.At.Location()).Format("15:04:05"))
	}
	d.Add(row)
	if n := a.Board.Pending[s.ID]; n > 0 {
		d.SayBehind(draw.Text, "", callview.LabelWidth, draw.Muted, "enter shows its "+figures.Plural(n, "waiting call"))
	}
	if why := s.Failure(); why != "" {
		d.SayBehind(draw.Danger, "problem", callview.LabelWidth, draw.Danger, safe.Line(why))
	}
	if words.UnderStop(s) {
		if s.Run != nil {
			for _, step := range s.Run.Steps {
				d.SayBehind(draw.Text, "", callview.LabelWidth, draw.Muted, "· "+safe.Line(step))
			}
		}
		d.SayBehind(draw.Text, "", callview.LabelWidth, draw.Muted, "its calls are denied until you speak to it: m")
	}
}

// run says how a session is held.
func run(d *callview.Doc, s *broker.Session) {
	r := s.Run
	say := func(label, text string) {
		if text != "" {
			d.SayBehind(draw.Label, label, callview.LabelWidth, draw.Text, text)
		}
	}
	say("used", strings.Join(words.Spent(r), " · "))
	say("tokens", words.Usage(r.Usage))
	say("last turn", draw.SafeLine(r.Result))
	agent := []string{draw.SafeLine(s.Agent)}
	if r.Model != "" {
		agent = append(agent, "model "+draw.SafeLine(r.Model))
	}
	if r.MaxTurns > 0 {
		agent = append(agent, "at most "+figures.Plural(r.MaxTurns, "turn"))
	}
	say("agent", strings.Join(agent, " · "))
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
	if s.Run.Detached {
		parts = append(parts, "in the background")
	}
	return strings.Join(parts, " · ")
}
