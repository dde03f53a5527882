// Package managed is the screen with all about one managed session: what it does, what
// it has spent, how it is run, what waits to be told to it, and what its agent said
// last. That is asked for again every few seconds while the screen is drawn.
//
// All else comes from the board, so it is as new as the list of sessions is. How it is
// laid out is for package sessionview to say, which "aoctl session view" uses too.
// Stopping is given by the root; the keys m and i are the root's own and act on the
// session that Subject names.
//
// The words of the agent are drawn as its own.
package managed

import (
	"context"
	"encoding/json"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/sessionview"
)

// Broker is what the screen needs of it.
type Broker interface {
	Timeline(ctx context.Context, f broker.EventFilter) ([]story.Moment, error)
}

// Screen is all about one session.
type Screen struct {
	*desk.Desk
	broker Broker
	stop   func(session, refusal string) tea.Cmd
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

// saidAgain is how long what was said counts as new.
const saidAgain = 2 * time.Second

// New makes the screen; stop stops a session, refusal is what the guard has against
// that.
func New(d *desk.Desk, b Broker, stop func(session, refusal string) tea.Cmd) *Screen {
	return &Screen{Desk: d, broker: b, stop: stop}
}

// Opens shows a session. Nothing that another one said stays.
func (a *Screen) Opens(on desk.Subject) tea.Cmd {
	a.about = about{session: on.Session}
	return nil
}

// Subject is the session.
func (a *Screen) Subject() desk.Subject { return desk.Subject{Session: a.session, Speaks: true} }

// Keys scroll, and show the session's calls.
func (a *Screen) Keys() []desk.Key {
	var list []desk.Key
	if a.Board.Held(a.session) {
		list = []desk.Key{{Name: "m", Short: "message"}, {Name: "i", Short: "interrupt"}}
	}
	list = append(list,
		desk.Key{Binding: desk.Bind("s", "stop this session", "s"), Short: "stop", Decides: true, Do: a.stopIt},
		desk.Key{Binding: desk.Enter("its calls only"), Short: "its calls", Do: a.calls},
	)
	return append(list, a.Scrolls(&a.top, a.length)...)
}

// stopIt stops the session. The guard judges the key as one that decides.
func (a *Screen) stopIt(msg tea.KeyMsg) tea.Cmd {
	_, refusal := a.Guard.Press(msg.String(), a.At)
	return a.stop(a.session, refusal)
}

// calls shows the session's calls in the list.
func (a *Screen) calls(tea.KeyMsg) tea.Cmd {
	return a.Open(desk.Queue, desk.Subject{Session: a.session})
}

func (a *Screen) length() int { return len(a.rows()) }

// Update keeps the place, and takes what the agent said last.
func (a *Screen) Update(msg tea.Msg) tea.Cmd {
	a.Scroll(msg, &a.top, a.length)
	switch msg := msg.(type) {
	case lastSaidMsg:
		a.came(msg)
	case desk.Settle:
		return a.settle()
	}
	return nil
}

// settle asks what the agent said last, unless that is known well enough.
func (a *Screen) settle() tea.Cmd {
	if a.Board.Sessions[a.session] == nil {
		return nil
	}
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

// lastSaid is what an agent said last, as list, which has its last message, tells; ""
// when it said nothing.
func lastSaid(list []story.Moment) (said string, at time.Time) {
	var d story.UserData
	if len(list) == 0 || json.Unmarshal(list[0].Event.Data, &d) != nil {
		return "", time.Time{}
	}
	return d.Words(), list[0].Event.At
}

// came takes the answer, unless another session is drawn by now.
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

// rows are all that is known of the session, laid out; none when the broker knows it
// no longer.
func (a *Screen) rows() []string {
	width, _ := a.Inner()
	if s := a.Board.Sessions[a.session]; s != nil {
		return sessionview.LayOut(a.Styles, s, sessionview.Around{
			Waiting: a.Board.Pending[s.ID], Keys: true, Loc: a.At.Location(), Said: a.said, SaidAt: a.saidAt,
		}, width).Rows
	}
	return nil
}
