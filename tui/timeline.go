package tui

import (
	"sort"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
)

const (
	timelinePage = 200  // events read at a time
	stepsKept    = 2000 // of a session, around those on the screen
)

// timeline is the screen with all that happened in one session, the newest last. It
// holds a stretch of the log that grows at the end that is looked at and is cut at the
// other.
type timeline struct {
	session string
	from    screen // where esc leads

	begin       stretch   // newest or oldest: where reading begins
	steps       []*moment // oldest first; with a filter, those that pass
	first, last int64     // numbers of the events that were looked at; 0 before any was
	atStart     bool      // there is nothing before first
	atEnd       bool      // there was nothing after last
	stale       bool      // there may be something by now
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

// timelineMsg brings a page.
type timelineMsg struct {
	gen    int
	part   stretch
	steps  []*moment
	lo, hi int64 // numbers of the events that were looked at, 0 when there were none
	n      int   // how many
	err    error
}

// openSession opens a session's events, or its transcript.
func (m *model) openSession(msg tea.KeyMsg, id string) tea.Cmd {
	switch {
	case id == "":
		return m.say(draw.Muted, "no session is selected")
	case m.tooSmall():
		return m.say(draw.Warn, m.tooSmallText())
	case msg.String() == m.keys.Transcript.Keys()[0]:
		return m.openTranscript(id)
	}
	m.tl = timeline{session: id, from: m.screen, gen: m.tl.gen + 1, follow: true}
	m.screen = screenEvents
	return nil
}

// sessionInView is the session that a key on the main screen is about: the selected one
// while its pane has the focus, else that of the drawn call.
func (m *model) sessionInView() string {
	if c := m.drawnCard(); c != nil && m.focus != paneSessions {
		return c.Req.SessionID
	}
	return m.session
}

// load reads a page. The broker and the summaries take their time outside of Update.
func (m *model) loadTimeline(part stretch) tea.Cmd {
	t := &m.tl
	f := broker.EventFilter{SessionID: t.session, Limit: timelinePage}
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
	ctx, c, gen, words := m.ctx, m.console, t.gen, t.words
	return func() tea.Msg {
		list, err := c.Timeline(ctx, f)
		msg := timelineMsg{gen: gen, part: part, n: len(list), err: err}
		for _, mo := range list {
			if msg.lo == 0 || mo.Event.Seq < msg.lo {
				msg.lo = mo.Event.Seq
			}
			msg.hi = max(msg.hi, mo.Event.Seq)
			if s := newMoment(mo); s.passes(words) {
				msg.steps = append(msg.steps, s)
			}
		}
		sort.Slice(msg.steps, func(i, j int) bool { return msg.steps[i].seq() < msg.steps[j].seq() })
		return msg
	}
}

func (m *model) timelineCame(msg timelineMsg) {
	t := &m.tl
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
func (t *timeline) trim(grew stretch) {
	over := len(t.steps) - stepsKept
	switch {
	case over <= 0:
	case grew == later || grew == oldest:
		t.steps = append([]*moment(nil), t.steps[over:]...)
		t.first, t.atStart = t.steps[0].seq(), false
	default:
		t.steps = append([]*moment(nil), t.steps[:stepsKept]...)
		t.last, t.atEnd, t.follow = t.steps[stepsKept-1].seq(), false, false
	}
}

// restart has the log read anew from one end; settleTimeline asks.
func (m *model) restart(from stretch) {
	t := &m.tl
	*t = timeline{
		session: t.session, from: t.from, gen: t.gen + 1, begin: from, follow: from == newest, reveal: true, filter: t.filter, words: t.words,
	}
}

// filterTimeline lists only the steps that hold all words of text.
func (m *model) filterTimeline(text string) {
	if text == m.tl.filter {
		return
	}
	m.tl.filter, m.tl.words = text, strings.Fields(strings.ToLower(text))
	m.restart(newest)
}

// newsForTimeline notes that the session may have more to tell.
func (m *model) newsForTimeline(list []broker.Update) {
	for _, u := range list {
		if u.Session != nil && u.Session.ID == m.tl.session || u.Request != nil && u.Request.SessionID == m.tl.session {
			m.tl.stale = true
		}
	}
}

// index is where the step with this number is, or the one before it; -1 when there is none.
func (t *timeline) index(seq int64) int {
	return sort.Search(len(t.steps), func(i int) bool { return t.steps[i].seq() > seq }) - 1
}

// settleTimeline brings selection and place in line with what is there, and asks for
// what is missing on the screen.
func (m *model) settleTimeline() tea.Cmd {
	if m.screen != screenEvents {
		return nil
	}
	width, height := m.room()
	m.placeTimeline(width, height)
	t := &m.tl
	total := t.rows(len(t.steps))
	switch {
	case t.loading:
		return nil
	case t.last == 0 && !t.atEnd && !t.atStart:
		return m.loadTimeline(t.begin)
	case !t.atStart && (t.top < height || total < height):
		return m.loadTimeline(earlier)
	case !t.atEnd && t.top+2*height > total, t.atEnd && t.stale:
		t.stale = false
		return m.loadTimeline(later)
	}
	return nil
}

// placeTimeline finds the first row on the screen: the same one as before, whatever was
// added above it, unless the selected step is to be brought into sight.
func (m *model) placeTimeline(width, height int) {
	t := &m.tl
	for _, s := range t.steps {
		if s.open && s.width != width {
			s.layOut(m.st, width, m.at.Location())
		}
	}
	n := len(t.steps)
	if n == 0 {
		t.top = 0
		return
	}
	if t.follow {
		t.at, t.reveal = t.steps[n-1].seq(), true
	}
	at := max(0, t.index(t.at))
	t.at = t.steps[at].seq()
	if i := t.index(t.anchor); i >= 0 {
		t.top = t.rows(i) + min(t.offset, t.steps[i].height()-1)
	}
	if t.reveal {
		begin := t.rows(at)
		end := begin + t.steps[at].height()
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
func (t *timeline) setTop(n, height int) {
	total := t.rows(len(t.steps))
	t.top = max(0, min(n, total-height))
	rest := t.top
	for _, s := range t.steps {
		h := s.height()
		if rest < h {
			t.anchor, t.offset = s.seq(), rest
			return
		}
		rest -= h
	}
}

// rows is how many rows the first n steps have.
func (t *timeline) rows(n int) int {
	sum := 0
	for _, s := range t.steps[:n] {
		sum += s.height()
	}
	return sum
}

// stepAt is the step that row n of all belongs to, nil when there is none.
func (t *timeline) stepAt(n int) *moment {
	for _, s := range t.steps {
		if n -= s.height(); n < 0 {
			return s
		}
	}
	return nil
}
