package timeline

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/event"
)

const (
	pageSize  = 200  // events read at a time
	stepsKept = 2000 // of a session, around those on the screen
)

// reading is what is read of a session's events, and the place in it, the newest last. It
// holds a stretch of the log that grows at the end that is looked at and is cut at the
// other.
type reading struct {
	session string

	begin       stretch       // newest or oldest: where reading begins
	steps       []*event.Step // oldest first; with a filter, those that pass
	first, last int64         // numbers of the events that were looked at; 0 before any was
	atStart     bool          // there is nothing before first
	atEnd       bool          // there was nothing after last
	stale       bool          // there may be something by now
	loading     bool
	gen         int // of what is asked for
	err         error

	filter string
	words  []string      // lower case
	looked int           // events that were looked at for the filter
	rest   []*event.Step // of calls that did not pass yet

	list // what is there, as rows
}

// stretch says which part of a session's log is read.
type stretch int

// The stretches.
const (
	newest stretch = iota
	oldest
	earlier // than what is there
	later
)

// pageMsg brings a page.
type pageMsg struct {
	gen    int
	part   stretch
	steps  []*event.Step
	lo, hi int64 // numbers of the events that were looked at, 0 when there were none
	n      int   // how many
	err    error
}

// load reads a page. The broker and the summaries take their time outside of Update.
func (t *Screen) load(part stretch) tea.Cmd {
	f := broker.EventFilter{SessionID: t.session, Limit: pageSize}
	switch part {
	case newest:
	case oldest:
		f.After = -1
	case earlier:
		f.Before = t.first
	case later:
		f.After = max(t.last, -1)
		if t.last == 0 {
			f.After = -1
		}
	}
	t.loading = true
	ctx, c, gen := t.Ctx, t.broker, t.gen
	return func() tea.Msg {
		list, err := c.Timeline(ctx, f)
		msg := pageMsg{gen: gen, part: part, n: len(list), err: err}
		for _, mo := range list {
			if msg.lo == 0 || mo.Event.Seq < msg.lo {
				msg.lo = mo.Event.Seq
			}
			msg.hi = max(msg.hi, mo.Event.Seq)
			msg.steps = append(msg.steps, event.New(mo))
		}
		return msg
	}
}

func (t *Screen) came(msg pageMsg) {
	if msg.gen != t.gen {
		return
	}
	t.loading, t.err = false, msg.err
	if msg.err != nil {
		t.atStart, t.atEnd = true, true // do not ask again before a key or news
		return
	}
	t.looked += msg.n
	if msg.n > 0 {
		t.take(msg.steps)
	}
	switch msg.part {
	case newest, earlier:
		t.atStart = msg.n == 0
		t.atEnd = t.atEnd || msg.part == newest
	case oldest, later:
		t.atEnd = msg.n == 0
		t.atStart = t.atStart || msg.part == oldest
	}
	if msg.n > 0 {
		if t.first == 0 || msg.lo < t.first {
			t.first = msg.lo
		}
		t.last = max(t.last, msg.hi)
	}
	if msg.n > 0 {
		t.trim(msg.part)
		t.refold(t.steps)
	}
}

// take keeps what passes the filter of a page.
func (t *reading) take(page []*event.Step) {
	if len(t.words) == 0 {
		t.steps = once(merge(t.steps, page))
		return
	}
	kept := make(map[rowKey]bool, len(t.rows))
	for _, r := range t.rows {
		kept[r.key] = true
	}
	// What does not pass may lie between two that do, so only the page itself is looked through.
	pass, left := sift(t.words, kept, t.rest, once(merge(nil, page)))
	t.steps, t.rest = merge(t.steps, pass), left
}

// trim lets go of steps at the end that is not looked at.
func (t *reading) trim(grew stretch) {
	over := len(t.steps) - stepsKept
	switch {
	case over <= 0:
	case grew == later || grew == oldest:
		t.steps = append([]*event.Step(nil), t.steps[over:]...)
		t.first, t.atStart = t.steps[0].Seq(), false
	default:
		t.steps = append([]*event.Step(nil), t.steps[:stepsKept]...)
		t.last, t.atEnd, t.follow = t.steps[stepsKept-1].Seq(), false, false
	}
}

// restart has the log read anew from one end; settle asks.
func (t *Screen) restart(from stretch) {
	t.reading = reading{
		session: t.session, gen: t.gen + 1, begin: from, filter: t.filter, words: t.words,
		list: list{follow: from == newest, reveal: true},
	}
}

// filterBy lists only the steps that hold all words of text.
func (t *Screen) filterBy(text string) {
	if text == t.filter {
		return
	}
	t.filter, t.words = text, strings.Fields(strings.ToLower(text))
	t.restart(newest)
}

// heard notes that the session may have more to tell.
func (t *Screen) heard(list []broker.Update) {
	for _, u := range list {
		if u.Session != nil && u.Session.ID == t.session || u.Request != nil && u.Request.SessionID == t.session {
			t.stale = true
		}
	}
}

// settle brings selection and place in line with what is there, and asks for
// what is missing on the screen.
func (t *Screen) settle() tea.Cmd {
	width, height := t.Inner()
	t.place(width, height)
	total := t.height(len(t.rows))
	switch {
	case t.loading:
		return nil
	case t.last == 0 && !t.atEnd && !t.atStart:
		return t.load(t.begin)
	case !t.atStart && (t.top < height || total < height):
		return t.load(earlier)
	case !t.atEnd && t.top+2*height > total, t.atEnd && t.stale:
		t.stale = false
		return t.load(later)
	}
	return nil
}
