package timeline

import (
	"sort"
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
	words  []string // lower case
	looked int      // events that were looked at for the filter

	at     int64 // number of the selected step
	follow bool  // stay at the end
	reveal bool  // bring the selected step into sight
	top    int   // first row on the screen
	anchor int64 // the step that this row belongs to, and how far into it
	offset int
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
	ctx, c, gen, words := t.Ctx, t.broker, t.gen, t.words
	return func() tea.Msg {
		list, err := c.Timeline(ctx, f)
		msg := pageMsg{gen: gen, part: part, n: len(list), err: err}
		for _, mo := range list {
			if msg.lo == 0 || mo.Event.Seq < msg.lo {
				msg.lo = mo.Event.Seq
			}
			msg.hi = max(msg.hi, mo.Event.Seq)
			if s := event.New(mo); s.Passes(words) {
				msg.steps = append(msg.steps, s)
			}
		}
		sort.Slice(msg.steps, func(i, j int) bool { return msg.steps[i].Seq() < msg.steps[j].Seq() })
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
	switch msg.part {
	case newest, earlier:
		t.steps = append(msg.steps, t.steps...)
		t.atStart = msg.n == 0
		t.atEnd = t.atEnd || msg.part == newest
	case oldest, later:
		t.steps = append(t.steps, msg.steps...)
		t.atEnd = msg.n == 0
		t.atStart = t.atStart || msg.part == oldest
	}
	if msg.n > 0 {
		if t.first == 0 || msg.lo < t.first {
			t.first = msg.lo
		}
		t.last = max(t.last, msg.hi)
	}
	t.trim(msg.part)
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
		session: t.session, gen: t.gen + 1, begin: from, follow: from == newest, reveal: true, filter: t.filter, words: t.words,
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

// index is where the step with this number is, or the one before it; -1 when there is none.
func (t *reading) index(seq int64) int {
	return sort.Search(len(t.steps), func(i int) bool { return t.steps[i].Seq() > seq }) - 1
}

// settle brings selection and place in line with what is there, and asks for
// what is missing on the screen.
func (t *Screen) settle() tea.Cmd {
	width, height := t.Inner()
	t.place(width, height)
	total := t.rows(len(t.steps))
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

// place finds the first row on the screen: the same one as before, whatever was
// added above it, unless the selected step is to be brought into sight.
func (t *Screen) place(width, height int) {
	for _, s := range t.steps {
		if s.Open && s.Width != width {
			s.LayOut(t.Styles, width, t.At.Location())
		}
	}
	n := len(t.steps)
	if n == 0 {
		t.top = 0
		return
	}
	if t.follow {
		t.at, t.reveal = t.steps[n-1].Seq(), true
	}
	at := max(0, t.index(t.at))
	t.at = t.steps[at].Seq()
	if i := t.index(t.anchor); i >= 0 {
		t.top = t.rows(i) + min(t.offset, t.steps[i].Height()-1)
	}
	if t.reveal {
		begin := t.rows(at)
		end := begin + t.steps[at].Height()
		if end > t.top+height {
			t.top = end - height
		}
		if begin < t.top && (!t.follow || end-begin <= height) {
			t.top = begin
		}
		t.reveal = false
	}
	t.setTop(t.top, height)
}

// setTop puts row n on top, as far as there are rows, and remembers whose it is.
func (t *reading) setTop(n, height int) {
	total := t.rows(len(t.steps))
	t.top = max(0, min(n, total-height))
	rest := t.top
	for _, s := range t.steps {
		h := s.Height()
		if rest < h {
			t.anchor, t.offset = s.Seq(), rest
			return
		}
		rest -= h
	}
}

// Rows is how many rows the first n steps have.
func (t *reading) rows(n int) int {
	sum := 0
	for _, s := range t.steps[:n] {
		sum += s.Height()
	}
	return sum
}

// stepAt is the step that row n of all belongs to, nil when there is none.
func (t *reading) stepAt(n int) *event.Step {
	for _, s := range t.steps {
		if n -= s.Height(); n < 0 {
			return s
		}
	}
	return nil
}
