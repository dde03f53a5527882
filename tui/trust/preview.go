package trust

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
)

// previewMsg brings what the rule of one version of the form would have done.
type previewMsg struct {
	gen, version int
	preview      broker.Preview
	err          error
}

// preview is what is known of what the ticks would have done. At most one question is under way at a
// time, because judging many past calls costs the broker time.
type preview struct {
	version int // of the ticks
	of      int // the version that got is about; 0 for none
	asking  bool
	again   bool // the ticks have changed since it was asked
	stale   bool // calls came or went since
	at      time.Time
	got     broker.Preview
	err     error // why there is none
}

// fresh reports whether what is known is about the ticks as they are.
func (p *preview) fresh() bool { return p.version > 0 && p.of == p.version }

// askPreview has the ticks tried.
func (x *Screen) askPreview() tea.Cmd {
	x.preview.version++
	x.seen = false
	return x.try()
}

// try asks the broker, or notes that it is to be asked when its answer is here.
func (x *Screen) try() tea.Cmd {
	p := &x.preview
	switch {
	case x.ticks == 0: // no rule at all
		p.of, p.got, p.err = p.version, broker.Preview{}, nil
		return nil
	case p.asking:
		p.again = true
		return nil
	}
	p.asking, p.again, p.stale, p.at = true, false, false, x.At
	ctx, b, gen, version, r := x.Ctx, x.broker, x.gen, p.version, x.rule()
	return func() tea.Msg {
		got, err := b.Preview(ctx, r)
		return previewMsg{gen, version, got, err}
	}
}

// previewCame takes the broker's answer. One about earlier ticks is dropped.
func (x *Screen) previewCame(msg previewMsg) tea.Cmd {
	p := &x.preview
	if msg.gen != x.gen {
		return nil
	}
	p.asking = false
	if msg.version == p.version {
		p.of, p.got, p.err = msg.version, msg.preview, msg.err
	}
	if p.again {
		return x.try()
	}
	return nil
}

// news notes that calls came or went: those that wait go on at once.
func (x *Screen) news(list []broker.Update) {
	for _, u := range list {
		x.preview.stale = x.preview.stale || u.Request != nil
	}
}

// renew has the ticks tried again after such news, once a second: a flood of calls is no flood of
// previews. It is called while the form is drawn.
func (x *Screen) renew() tea.Cmd {
	p := &x.preview
	if !p.stale || p.asking || !x.ready() || x.saving || x.At.Sub(p.at) < time.Second {
		return nil
	}
	return x.try()
}
