package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/sheet"
	"github.com/aoctl/aoctl/tui/words"
)

// aBroker has a record of events, the oldest first. It tells only the last few calls at once.
type aBroker struct {
	events []story.Moment
	tells  int // calls, when it is asked for the history
	pages  int // that were read
	err    error
	asked  int   // for the history
	lost   error // what History answers instead
}

// decide puts a call on record.
func (b *aBroker) decide(command string, state broker.State) *broker.Request {
	n := len(b.events)
	r := decided(state)
	r.ID = fmt.Sprint("r", n)
	r.ToolInput = fmt.Appendf(nil, `{"command":%q}`, command)
	r.Outcome.At = time.Unix(int64(n), 0)
	b.tell(broker.EventRequestDecided, r, "")
	return r
}

// tell puts an event about a call on record.
func (b *aBroker) tell(kind string, r *broker.Request, data string) {
	e := broker.Event{Seq: int64(len(b.events) + 1), Type: kind, RequestID: r.ID, SessionID: r.SessionID, Data: []byte(data)}
	if kind == broker.EventAlarm {
		e.SessionID = ""
	}
	b.events = append(b.events, story.Moment{Event: e, Call: r})
}

func (b *aBroker) History(_ context.Context, limit int) ([]broker.Request, error) {
	b.asked++
	if b.lost != nil {
		return nil, b.lost
	}
	var list []broker.Request
	for _, m := range slices.Backward(b.events) {
		if m.Event.Type == broker.EventRequestDecided && len(list) < min(limit, b.tells) {
			list = append(list, *m.Call)
		}
	}
	return list, nil
}

func (b *aBroker) Timeline(_ context.Context, f broker.EventFilter) ([]story.Moment, error) {
	b.pages++
	var list []story.Moment
	for _, m := range slices.Backward(b.events) {
		e := m.Event
		if len(list) < f.Limit && slices.Contains(f.Types, e.Type) && (f.Before == 0 || e.Seq < f.Before) && (!f.Console || e.SessionID == "") {
			list = append(list, m)
		}
	}
	return list, b.err
}

func (b *aBroker) Stats(context.Context, string, time.Time) (broker.Stats, error) {
	return broker.Stats{}, nil
}

// over opens the screen over a record, in a window in which 18 calls are drawn.
func over(t *testing.T, b *aBroker) *Screen {
	t.Helper()
	d := &desk.Desk{
		Board: board.NewBoard(), Book: words.NewBook(broker.RuleBook{}), Ctx: t.Context(), At: time.Unix(1e6, 0),
		Styles: draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false), Width: 100, Height: 20,
	}
	s := New(d, b, sheet.New(d, nil), NewList(d.Board), Rules{})
	s.numbers.known, s.numbers.at = true, d.At // they are not what is tried here
	run(s, s.Opens(desk.Subject{}))
	return s
}

// run answers what the screen asks for, until it asks no more.
func run(s *Screen, cmd tea.Cmd) {
	for range 1000 {
		for _, msg := range answers(cmd) {
			s.Update(msg)
		}
		if cmd = s.Update(desk.Settle{}); cmd == nil {
			return
		}
	}
	panic("the screen asks for ever")
}

func answers(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	batch, ok := msg.(tea.BatchMsg)
	if !ok {
		return []tea.Msg{msg}
	}
	var list []tea.Msg
	for _, c := range batch {
		list = append(list, answers(c)...)
	}
	return list
}

func typed(s *Screen, text string) {
	s.filterBy(text)
	run(s, nil)
}

// wholeRecord checks that all calls of the record are listed once, the newest first.
func wholeRecord(t *testing.T, s *Screen, want int) {
	t.Helper()
	for range 2 * want {
		run(s, s.move(tea.KeyMsg{Type: tea.KeyEnd}))
	}
	if len(s.shown) != want {
		t.Fatalf("%d calls are listed of %d", len(s.shown), want)
	}
	for i, r := range s.shown[1:] {
		if !r.Outcome.At.Before(s.shown[i].Outcome.At) {
			t.Fatalf("%s stands behind %s", r.ID, s.shown[i].ID)
		}
	}
}

// A filter finds a call that is far back in the record, and says of how many; it reads no more than
// it must, and what is typed next is looked for in all again.
func TestFilterLooksInTheRecord(t *testing.T) {
	b := &aBroker{tells: 50}
	for i := range 1200 {
		b.decide(fmt.Sprintf("make step-%d.", i), broker.Allowed)
	}
	s := over(t, b)
	if b.pages != 0 {
		t.Errorf("%d pages are read although the screen is full", b.pages)
	}
	typed(s, "step-7.")
	if len(s.shown) != 1 || s.right(18) != "1 of 1,200" {
		t.Fatalf("%d calls are listed; it says %q", len(s.shown), s.right(18))
	}
	pages := b.pages
	typed(s, "step-10")
	if s.record.whole || b.pages != pages+1 {
		t.Errorf("%d calls fill the screen after %d more pages", len(s.shown), b.pages-pages)
	}
	if got := s.right(18); got != "1–18 · 100 of 200 read" {
		t.Errorf("it says %q", got)
	}
	typed(s, "")
	wholeRecord(t, s, 1200)
}

// What is decided while the screen is open stands in front, once, and the record behind it has no
// gap; also when more was decided than the board keeps.
func TestDecidedMeanwhile(t *testing.T) {
	for _, n := range []int{1, board.RecentKept + 20} {
		b := &aBroker{tells: 150}
		for i := range 500 {
			b.decide(fmt.Sprint("make ", i), broker.Allowed)
		}
		s := over(t, b)
		for i := range n {
			s.Board.Remember(*b.decide(fmt.Sprint("later ", i), broker.Allowed))
		}
		run(s, nil)
		wholeRecord(t, s, 500+n)
	}
}

// An older call keeps its alarm, and that nobody heard its answer: the newest event about that counts.
func TestOlderCallsKeepTheirMarks(t *testing.T) {
	b := &aBroker{tells: 20}
	ran, gone, again := b.decide("ran", broker.Denied), b.decide("gone", broker.Allowed), b.decide("again", broker.Allowed)
	b.tell(broker.EventAlarm, ran, `{"kind":"refused"}`)
	b.tell(broker.EventUnheard, gone, `{}`)
	b.tell(broker.EventUnheard, again, `{}`)
	b.tell(broker.EventAnsweredAgain, again, `{}`)
	for range 30 {
		b.decide("x", broker.Allowed)
	}
	s := over(t, b)
	for text, want := range map[string]string{"alarm": ran.ID, "unheard": gone.ID} {
		if typed(s, text); len(s.shown) != 1 || s.shown[0].ID != want {
			t.Errorf("%q lists %d calls, want %s alone", text, len(s.shown), want)
		}
	}
}

// An alarm about a call that is listed shows at once.
func TestAlarmShowsAtOnce(t *testing.T) {
	b := &aBroker{tells: 20}
	r := *b.decide("ls", broker.Allowed)
	b.decide("pwd", broker.Allowed)
	s := over(t, b)
	r.Alarm = &broker.Alarm{Kind: broker.RanChanged}
	s.Board.Remember(r)
	run(s, nil)
	if s.shown[1].Alarm == nil {
		t.Error("the row says nothing of it")
	}
}

// What cannot be read is said, and not asked for for ever.
func TestRecordThatCannotBeRead(t *testing.T) {
	b := &aBroker{tells: 5, err: errors.New("disk I/O error\x1b[2J")}
	for range 8 {
		b.decide("ls", broker.Allowed)
	}
	s := over(t, b)
	if rows := s.above(100); len(rows) != 2 || len(s.shown) != 5 {
		t.Errorf("it says %q over %d calls", rows, len(s.shown))
	}
}

// When what was decided meanwhile cannot be had, that is said once, and nothing of it stands among
// older calls.
func TestDecidedMeanwhileAndLost(t *testing.T) {
	b := &aBroker{tells: 150}
	for range 200 {
		b.decide("ls", broker.Allowed)
	}
	s := over(t, b)
	b.lost = errors.New("disk I/O error")
	for range board.RecentKept + 20 {
		s.Board.Remember(*b.decide("pwd", broker.Allowed))
	}
	run(s, nil)
	if s.list.err == nil || b.asked != 2 {
		t.Errorf("asked %d times: %v", b.asked, s.list.err)
	}
	wholeRecord(t, s, 200+board.RecentKept)
}

// The numbers of the header add up to the calls.
func TestStatsPartsAddUp(t *testing.T) {
	got := statsParts(broker.Stats{Calls: 12, ByRule: 4, ByHand: 5, Denied: 2, Other: 1})
	for _, part := range []string{"12 calls", "9 allowed (5 by you, 4 by rules)", "2 denied", "0 expired", "1 cancelled or answered elsewhere"} {
		if !slices.Contains(got, part) {
			t.Errorf("no %q among %q", part, got)
		}
	}
}

// Calls of the record that were dangerous say so, as those told at once do.
func TestRecordSaysWhatWasDangerous(t *testing.T) {
	b := &aBroker{tells: 1}
	r := b.decide("rm -rf /srv", broker.Allowed)
	b.events[0].Event.Data = []byte(`{"danger":"deletes outside the project"}`)
	b.decide("make", broker.Allowed)
	s := over(t, b)
	if i := slices.IndexFunc(s.shown, func(got *broker.Request) bool { return got.ID == r.ID }); i < 0 || s.shown[i].DangerKnown() == "" {
		t.Error("the dangerous call is not listed as one")
	}
}
