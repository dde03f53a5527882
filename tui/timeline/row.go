package timeline

import (
	"cmp"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/event"
	"github.com/aoctl/aoctl/tui/words"
)

// line is what a row is about: a call, or an event that is about none.
type line interface {
	Seq() int64
	At() time.Time
	Word() (word, glyph string, i draw.Ink)
	Lead() (sign, name string)
	Helper() (id, name string)
	Put(r *draw.Row, room int)
	More() (string, draw.Ink)
	Tails(b *words.Book, now time.Time) []string
	Unfold(st *draw.Styles, b *words.Book, width int, loc *time.Location) []string
}

// row is a line of the list, and what stands below it while it is unfolded.
type row struct {
	key  rowKey
	line line
	n    int // events that it was made of

	open  bool
	width int      // for which below holds
	below []string // while open
}

// newRow makes the row of a group of events.
func newRow(group []*event.Step) *row {
	r := &row{key: keyOf(group[0]), n: len(group)}
	if r.key.call == "" {
		r.line = group[0]
	} else {
		r.line = event.NewCall(group)
	}
	return r
}

// again makes the row of a group of which old, which may be nil, was the row before.
func again(old *row, group []*event.Step) *row {
	r := newRow(group)
	r.open = old != nil && old.open
	return r
}

// height is how many rows of the screen it takes.
func (r *row) height() int {
	if !r.open {
		return 1
	}
	return 1 + len(r.below)
}

// call is what the row is about, nil when that is no call; large is how many bytes of input it has,
// when they are too many to be kept.
func (r *row) call() (call *broker.Request, large int) {
	switch l := r.line.(type) {
	case *event.Call:
		return l.Request()
	case *event.Step:
		return l.Call, l.Large
	}
	return nil, 0
}

// output is what the row's tool gave back; raw.
func (r *row) output() string {
	switch l := r.line.(type) {
	case *event.Call:
		return l.Output()
	case *event.Step:
		return l.Ran.Output
	}
	return ""
}

// whose names the sub-agent that the row is about, the same in every row; "" for the session's main
// agent. Safe to draw.
func (t *Screen) whose(l line) string {
	id, name := l.Helper()
	if name == "" {
		name = t.names[id]
	}
	if s := t.Board.Sessions[t.session]; s != nil && name == "" {
		for _, sub := range s.Subagents {
			if sub.ID == id {
				name = sub.Type
			}
		}
	}
	return draw.SafeLine(cmp.Or(name, draw.LastOf(id, 8)))
}
