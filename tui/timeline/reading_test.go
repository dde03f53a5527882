package timeline

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// aLog is a session's log, the oldest event first.
type aLog []story.Moment

func (l aLog) Timeline(_ context.Context, f broker.EventFilter) ([]story.Moment, error) {
	var list []story.Moment
	for _, m := range l {
		if m.Event.Seq > f.After && (f.Before == 0 || m.Event.Seq < f.Before) {
			list = append(list, m)
		}
	}
	if f.After == 0 {
		for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
	}
	return list[:min(len(list), f.Limit)], nil
}

func onLog(t *testing.T, n int) *Screen {
	t.Helper()
	l := make(aLog, n)
	for i := range l {
		l[i].Event = broker.Event{Seq: int64(i + 1), Type: broker.EventUser, SessionID: "s", Data: fmt.Appendf(nil, `{"text":"%d"}`, i)}
	}
	d := &desk.Desk{
		Board: board.NewBoard(), Book: words.NewBook(broker.RuleBook{}), Ctx: t.Context(), At: time.Unix(0, 0),
		Styles: draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false), Width: 100, Height: 30,
	}
	s := New(d, l)
	s.Opens(desk.Subject{Session: "s"})
	answer(s)
	return s
}

// answer lets the screen's questions be answered until it asks no more.
func answer(s *Screen) {
	for cmd := s.Update(desk.Settle{}); cmd != nil; cmd = s.Update(desk.Settle{}) {
		s.Update(cmd())
	}
}

func press(s *Screen, b key.Binding) {
	msg := map[string]tea.KeyMsg{"ctrl+u": {Type: tea.KeyCtrlU}, "ctrl+d": {Type: tea.KeyCtrlD}, "g": {Type: tea.KeyRunes, Runes: []rune("g")}}[b.Keys()[0]]
	for _, k := range s.Keys() {
		if key.Matches(msg, k.Binding) {
			k.Do(msg)
		}
	}
	answer(s)
}

// Of a long log only a stretch is kept, without a gap, wherever somebody looks.
func TestOnlyAStretchIsKept(t *testing.T) {
	const n = 12_000
	s := onLog(t, n)
	check := func() {
		t.Helper()
		if k := len(s.steps); k > stepsKept {
			t.Fatalf("%d steps are kept", k)
		}
		for i, st := range s.steps[1:] {
			if st.Seq() != s.steps[i].Seq()+1 {
				t.Fatalf("event %d after %d", st.Seq(), s.steps[i].Seq())
			}
		}
	}
	for range 400 {
		press(s, desk.PageUp)
		check()
	}
	if first := s.steps[0].Seq(); first > n-400*13 {
		t.Errorf("400 half pages back the first step is %d", first)
	}
	press(s, desk.Top)
	check()
	if s.steps[0].Seq() != 1 {
		t.Errorf("at the start the first step is %d", s.steps[0].Seq())
	}
	for range 300 {
		press(s, desk.PageDown)
		check()
	}
	if s.follow || s.steps[0].Seq() == 1 {
		t.Errorf("after 300 half pages: following %v, steps from %d", s.follow, s.steps[0].Seq())
	}
}

// An error is told; an answer to an older question does not count.
func TestWhatCannotBeRead(t *testing.T) {
	s := onLog(t, 0)
	s.Update(pageMsg{gen: s.gen, err: errors.New("disk I/O error\x1b[2J")})
	if note, _ := s.note(); note != `cannot be read: disk I/O error\x1b[2J` {
		t.Errorf("it says %q", note)
	}
	old := onLog(t, 1).steps
	s.Update(pageMsg{gen: s.gen - 1, steps: old, n: 1, lo: 1, hi: 1})
	if len(s.steps) != 0 {
		t.Error("an answer to an older question counts")
	}
}
