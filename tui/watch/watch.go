// Package watch is the screen with the files that allowed edits touched in the last
// hour, the newest first: who lets several agents work at once sees here what is being
// changed, and by whom. enter shows the call that changed the file last, with its
// difference.
//
// The screen knows what the record knows: calls that were allowed, by a person or a
// rule, and that name the files they change. What a command line writes is not among
// them, and an allowed edit may have failed; the call says so. It asks the broker when
// it is opened, and hears of later calls from the board.
//
// Nothing is read from the disk. The list is made from the edits that are kept, and
// those that are older than the hour are let go. Open watch.go: one file holds all of
// it.
package watch

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// Broker is what the screen needs of it: the calls that were decided last, the newest
// first.
type Broker interface {
	History(ctx context.Context, limit int) ([]broker.Request, error)
}

const (
	within = time.Hour // how far back files are listed
	most   = 1000      // calls that are looked at
	narrow = 60        // cells; below it a row has no room for whose session it was
)

// file is a file that allowed edits touched.
type file struct {
	path        string // as the agent would find it; raw
	last        broker.Request
	edits       int // of the hour
	added, gone int // lines, by all of them
}

// Screen is the list.
type Screen struct {
	*desk.Desk
	broker Broker
	told   []broker.Request // allowed edits, newest first
	known  map[string]bool  // their ids
	err    error
	files  []file
	at     string // path of the selected file
	row    int    // where it is listed
	top    int
}

// toldMsg brings what was decided.
type toldMsg struct {
	list []broker.Request
	err  error
}

// New makes the screen.
func New(d *desk.Desk, b Broker) *Screen { return &Screen{Desk: d, broker: b} }

// Opens begins with the newest file.
func (s *Screen) Opens(desk.Subject) tea.Cmd {
	s.at, s.row, s.top = "", 0, 0
	ctx, b := s.Ctx, s.broker
	return func() tea.Msg {
		list, err := b.History(ctx, most)
		return toldMsg{list, err}
	}
}

// Update takes what was decided, and the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case toldMsg:
		s.came(msg)
	case desk.News:
		s.heard(msg.List)
	case tea.MouseMsg:
		s.mouse(msg)
	case desk.Settle:
		s.settle()
	}
	return nil
}

// came begins anew with what the broker has. After an error the older list stays.
func (s *Screen) came(msg toldMsg) {
	if s.err = msg.err; msg.err != nil {
		return
	}
	s.told, s.known = nil, map[string]bool{}
	for _, r := range msg.list {
		s.add(r)
	}
	s.list()
}

// heard takes in the edits among what the broker told. Before the screen is opened for
// the first time nothing is kept.
func (s *Screen) heard(list []broker.Update) {
	if s.known == nil {
		return
	}
	for _, u := range list {
		if u.Request != nil {
			s.add(*u.Request)
		}
	}
	s.list()
}

// add keeps r if it is an allowed edit. Each call counts once, by whichever way it
// came.
func (s *Screen) add(r broker.Request) {
	// An observed or denied call may have changed nothing here; only what was allowed
	// is listed.
	if r.State != broker.Allowed || r.Outcome == nil || s.known[r.ID] {
		return
	}
	if _, ok := change.ChangesOf(r); !ok {
		return
	}
	s.known[r.ID] = true
	// Updates come nearly in order, but the record's list and later news may overlap.
	at, _ := slices.BinarySearchFunc(s.told, r, func(x, y broker.Request) int { return y.Outcome.At.Compare(x.Outcome.At) })
	s.told = slices.Insert(s.told, at, r)
}

// list makes the files of the last hour from the edits.
func (s *Screen) list() {
	s.files = s.files[:0]
	place := map[string]int{}
	for i, r := range s.told {
		// The edits are sorted, so all that follow are older still.
		if s.At.Sub(r.Outcome.At) > within {
			s.forget(i)
			break
		}
		cs, _ := change.ChangesOf(r)
		sum := callview.SummaryOf(r)
		// One call may touch several files, and is the last call of each of them.
		for _, path := range cs.Targets(r.CWD) {
			at, ok := place[path]
			if !ok {
				at = len(s.files)
				place[path] = at
				s.files = append(s.files, file{path: path, last: r})
			}
			f := &s.files[at]
			f.edits++
			if len(cs.List) == 1 { // else nobody knows which lines are whose
				f.added, f.gone = f.added+sum.Added, f.gone+sum.Gone
			}
		}
	}
}

// forget lets go of the edits from place i on: they are older than the hour.
func (s *Screen) forget(i int) {
	for _, r := range s.told[i:] {
		delete(s.known, r.ID)
	}
	s.told = s.told[:i]
}

// place is where the selected file is listed. A file that is gone gives way to the one
// that took its place.
func (s *Screen) place() int {
	if i := slices.IndexFunc(s.files, func(f file) bool { return f.path == s.at }); i >= 0 {
		return i
	}
	return max(0, min(s.row, len(s.files)-1))
}

// settle keeps the selection, and the hour.
func (s *Screen) settle() {
	if n := len(s.told); n > 0 && s.At.Sub(s.told[n-1].Outcome.At) > within {
		// The hour goes on while nothing happens, so old edits leave the list by
		// themselves.
		s.list()
	}
	at := s.place()
	if len(s.files) > 0 {
		s.at, s.row = s.files[at].path, at
	}
	_, height := s.area()
	s.top = desk.Window(s.top, at, height, len(s.files))
}

// area is the room for rows, which reach from edge to edge.
func (s *Screen) area() (width, height int) { return s.Frames().Inner(s.Whole(), 0) }

// Subject is the call that touched the selected file last.
func (s *Screen) Subject() desk.Subject {
	if len(s.files) == 0 {
		return desk.Subject{}
	}
	r := s.files[s.place()].last
	return desk.Subject{Session: r.SessionID, Call: &r}
}

// Keys move, and show the difference.
func (s *Screen) Keys() []desk.Key {
	why := ""
	if len(s.files) == 0 {
		why = "no allowed edit touched a file in the last hour"
	}
	show := desk.Key{Binding: desk.Enter("the call that changed it last, with its difference"), Short: "difference", Why: why, Do: s.show}
	return append(desk.Moves("move", s.move), show)
}

// show opens the call that touched the selected file last.
func (s *Screen) show(tea.KeyMsg) tea.Cmd { return s.Open(desk.Decided, s.Subject()) }

// move selects another file by key.
func (s *Screen) move(msg tea.KeyMsg) tea.Cmd {
	_, height := s.area()
	s.choose(desk.Moved(msg, s.place(), len(s.files), height))
	return nil
}

// choose selects the file listed at a place, or the nearest.
func (s *Screen) choose(at int) {
	if len(s.files) > 0 {
		s.at = s.files[max(0, min(at, len(s.files)-1))].path
	}
}

// mouse selects what was clicked, and moves with the wheel.
func (s *Screen) mouse(msg tea.MouseMsg) {
	steps, click := desk.Wheel(msg)
	switch {
	// The frame takes the first row.
	case click && msg.Y > 0:
		s.choose(s.top + msg.Y - 1)
	case steps != 0:
		s.choose(s.place() + steps)
	}
}

// View draws the list.
func (s *Screen) View(_, _ int) []string {
	width, height := s.area()
	f := draw.Caption{Title: "Watch", Note: "files that allowed edits touched in the last hour", Focus: true}
	if width < narrow {
		f.Note = "edits of an hour"
	}
	if n := len(s.files); n > 0 {
		f.Right = figures.Plural(n, "file")
	}
	var rows []string
	switch {
	case s.err != nil:
		rows = append(rows, s.Styles.Row(width).Put(draw.Danger, " ! ").Fit(draw.Danger, draw.SafeLine(s.err.Error()), width-4).To(width).String())
	case len(s.files) == 0:
		rows = append(rows, s.Styles.Row(width).Fit(draw.Muted, " no allowed edit in the last hour", width).To(width).String())
	}
	for i := s.top; i < min(s.top+height, len(s.files)); i++ {
		rows = append(rows, s.line(s.files[i], width))
	}
	return s.Frames().Framed(s.Whole(), f, 0, rows)
}

// line draws a file: its path, what changed in it, whose session that was, and how
// long ago.
func (s *Screen) line(f file, width int) string {
	chosen := f.path == s.at
	bar := " "
	if chosen {
		bar = "▌"
	}
	r := s.Styles.Row(width).Choose(chosen).Put(draw.Key, bar).Put(draw.Text, " ")
	age := figures.Ago(s.At.Sub(f.last.Outcome.At))
	end := width - 7
	whose := 0
	if width >= narrow {
		whose = min(width/4, 30)
	}
	tail := "  +" + figures.Count(f.added) + " −" + figures.Count(f.gone)
	if f.edits > 1 && width >= narrow {
		tail += " · " + figures.Plural(f.edits, "edit")
	} else if f.edits > 1 {
		tail += " ×" + figures.Count(f.edits)
	}
	room := end - whose - r.Width - 1 - draw.Cells(tail)
	r.Put(draw.Text, pathIn(callview.Within(f.path, f.last.CWD), max(8, room))).Put(draw.Muted, tail)
	if whose > 0 {
		r.To(end-whose).Fit(draw.Muted, words.Whose(f.last, s.Board), whose-1)
	}
	return r.Right(draw.Muted, age, width-1).To(width).String()
}

// pathIn is a path in so many cells: of a long one the end, which names the file.
func pathIn(path string, room int) string {
	if line := draw.SafeLine(path); draw.Cells(line) <= room {
		return line
	}
	return "…" + draw.Tail(path, room-1)
}
