package ruleedit

import (
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
)

// How long the form rests before its rule is tried, and how much of the result is
// listed.
const (
	// previewAfter is how long the form must rest before its rule is tried: a person
	// who types leaves shorter pauses.
	previewAfter = 120 * time.Millisecond
	// previewAgain is how soon it is tried again when the waiting calls have changed.
	previewAgain = 500 * time.Millisecond
	// waitingShown is how many of the calls are listed that a rule would decide.
	waitingShown = 5
	// waitingListed is how many of them the question before saving lists.
	waitingListed = 500
)

// previewDueMsg says that the form has rested. A version that is no longer the form's
// is late.
type previewDueMsg struct{ gen, version int }

// previewMsg brings what the rule of one version of the form would have done.
type previewMsg struct {
	gen, version int
	preview      broker.Preview
	err          error
}

// preview is what is known of what the form's rule would have done. At most one
// question is under way at a time: judging many past calls costs the broker time.
// Nothing can be saved while it is not fresh, since the person has not seen yet what
// saving would do.
type preview struct {
	version int  // of the form; grows with every change
	asking  bool // the broker is at work
	again   bool // the form has changed since it was asked
	renew   bool // the waiting calls have changed, and it will be asked anew
	of      int  // the version that got is about
	got     *broker.Preview
	err     error // why there is none; the rule itself is in order
}

// fresh reports whether what is known is about the form as it is.
func (p *preview) fresh() bool { return p.of == p.version && (p.got != nil || p.err != nil) }

// changed has the form's rule tried once it rests. Whatever changes the rule must call
// it: a preview of an earlier form would otherwise pass for that of this one.
func (x *Screen) changed() tea.Cmd {
	e := x.editor
	e.preview.version++
	e.wrong = nil
	return previewLater(e.gen, e.preview.version, previewAfter)
}

// previewLater sends a previewDueMsg after a while.
func previewLater(gen, version int, after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return previewDueMsg{gen: gen, version: version} })
}

// news has the rule tried again because calls came or went. Only one such try is
// waited for, so a flood of calls does not become a flood of previews.
func (x *Screen) news(list []broker.Update) tea.Cmd {
	e := x.editor
	if e == nil {
		return nil
	}
	requests := false
	for _, u := range list {
		if u.Request == nil {
			continue
		}
		requests = true
		// The call that the rule is made from has ended; the rule may still be of use
		// for the next ones.
		if r := *u.Request; r.ID == e.card.ID && r.State.Terminal() && e.gone == "" {
			e.gone = x.Book.Ended(r)
		}
	}
	if !requests || e.loading || e.preview.renew || e.once() {
		return nil
	}
	e.preview.renew = true
	return previewLater(e.gen, e.preview.version, previewAgain)
}

// previewDue asks the broker, unless the form has changed again or an answer is still
// to come. Then it is asked when that answer is here.
func (x *Screen) previewDue(msg previewDueMsg) tea.Cmd {
	e := x.editor
	if e == nil || e.gen != msg.gen {
		return nil
	}
	p := &e.preview
	p.renew = false
	switch {
	case msg.version != p.version || e.once() || e.loading:
		return nil
	case p.asking:
		p.again = true
		return nil
	}
	return x.askPreview()
}

// askPreview has the broker try the rule. A mistake that the form itself finds is
// shown without asking.
func (x *Screen) askPreview() tea.Cmd {
	e := x.editor
	r, problem := e.rule(x.At)
	if problem != nil {
		e.wrong = problem
		return nil
	}
	r.Enabled = true // also of a rule that is off: what would it match if it were on?
	e.preview.asking, e.preview.again = true, false
	ctx, b, gen, version := x.Ctx, x.broker, e.gen, e.preview.version
	return func() tea.Msg {
		got, err := b.Preview(ctx, r)
		return previewMsg{gen: gen, version: version, preview: got, err: err}
	}
}

// previewCame takes the broker's answer. One about an earlier form is dropped, and a
// question that was put off meanwhile is asked now.
func (x *Screen) previewCame(msg previewMsg) tea.Cmd {
	e := x.editor
	if e == nil || e.gen != msg.gen {
		return nil
	}
	p := &e.preview
	p.asking = false
	// The answer is about a form that is no longer there. When another question waits,
	// it is asked now.
	if msg.version != p.version {
		if p.again {
			return x.askPreview()
		}
		return nil
	}
	p.of, p.got, p.err = msg.version, nil, nil
	switch {
	// A rule that the broker refuses belongs to a field; any other error is told where
	// the result would be.
	case errors.Is(msg.err, broker.ErrInvalid):
		e.wrong = e.faultOf(msg.err)
		p.err = msg.err
	case msg.err != nil:
		p.err = msg.err
	default:
		p.got = &msg.preview
	}
	if p.again {
		return x.askPreview()
	}
	return nil
}
