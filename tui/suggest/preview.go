package suggest

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
)

// previewMsg brings what the rule of one suggestion would have done.
type previewMsg struct {
	gen     int
	rule    string // what it says
	preview broker.Preview
	err     error
}

// preview is what is known of what the selected suggestion would do. At most one question is under way,
// because judging many past calls costs the broker time.
type preview struct {
	known bool
	stale bool // calls came or went since
	got   broker.Preview
	err   error // why there is none
	at    time.Time
}

// try has the selected suggestion tried, if that was not done, or calls came since: then at most once a
// second.
func (x *Screen) try() tea.Cmd {
	s, ok := x.selected()
	p := &x.preview
	if !ok || x.trying || x.saving || p.known && (!p.stale || x.At.Sub(p.at) < time.Second) {
		return nil
	}
	x.trying, p.at, p.stale = true, x.At, false
	ctx, b, gen, of := x.Ctx, x.broker, x.gen, says(s.Rule)
	return func() tea.Msg {
		got, err := b.Preview(ctx, s.Rule)
		return previewMsg{gen, of, got, err}
	}
}

// previewCame takes the broker's answer, unless another suggestion is selected by now.
func (x *Screen) previewCame(msg previewMsg) {
	if msg.gen != x.gen {
		return
	}
	x.trying = false
	if s, ok := x.selected(); ok && says(s.Rule) == msg.rule {
		x.preview.known, x.preview.got, x.preview.err = true, msg.preview, msg.err
	}
}

// news notes that calls came or went: those that wait go on at once.
func (x *Screen) news(list []broker.Update) {
	for _, u := range list {
		x.preview.stale = x.preview.stale || u.Request != nil
	}
}
