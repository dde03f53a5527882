package timeline

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

func (t *Screen) unfold(r *row) {
	r.open = !r.open
	if r.open {
		width, _ := t.Inner()
		t.layOut(r, width)
	}
	t.follow, t.reveal = false, true
}

func (t *Screen) layOut(r *row, width int) {
	r.below, r.width = r.line.Unfold(t.Styles, t.Book, width, t.At.Location()), width
}

// down goes to the next row, after the selected one's last line was on the screen.
func (t *Screen) down(at int) {
	_, height := t.Inner()
	if end := t.height(at + 1); end > t.top+height {
		t.setTop(t.top+1, height)
		return
	}
	if at+1 < len(t.rows) {
		t.at, t.reveal = t.rows[at+1].key, true
	}
	t.follow = t.atEnd && at+2 >= len(t.rows)
}

func (t *Screen) up(at int) {
	_, height := t.Inner()
	t.follow = false
	if begin := t.height(at); begin < t.top {
		t.setTop(t.top-1, height)
		return
	}
	if at > 0 {
		t.at, t.reveal = t.rows[at-1].key, true
	}
}

// scroll moves by lines; the selection stays on the screen.
func (t *Screen) scroll(by int) {
	_, height := t.Inner()
	t.follow = false
	t.setTop(t.top+by, height)
	if by > 0 && t.atEnd && t.top+height >= t.height(len(t.rows)) {
		t.follow = true
		return
	}
	at := t.selected()
	if begin, end := t.height(at), t.height(at+1); end <= t.top || begin >= t.top+height {
		n := t.top
		if by < 0 {
			n = t.top + height - 1
		}
		if r := t.rowAt(n); r != nil {
			t.at = r.key
		}
	}
}

func (t *Screen) copyRow(r *row) tea.Cmd {
	call, large := r.call()
	switch output := r.output(); {
	case output != "" && (r.open || call == nil || large > 0):
		return t.Copy("output", output)
	case call == nil || large > 0:
		return t.Say(draw.Muted, "there is nothing to copy in this row")
	}
	return t.CopyCall(*call)
}

// mouse scrolls, and selects the row that was clicked.
func (t *Screen) mouse(msg tea.MouseMsg) {
	steps, click := desk.Wheel(msg)
	switch {
	case len(t.rows) == 0:
	case steps != 0:
		t.scroll(steps * desk.WheelRows)
	case click && msg.Y > 0:
		if r := t.rowAt(t.top + msg.Y - 1); r != nil {
			t.at, t.follow = r.key, false
		}
	}
}

// View draws the events.
func (t *Screen) View(width, height int) []string {
	a := draw.Area{W: width, H: height}
	frames := t.Frames()
	width, height = frames.Inner(a, 1)
	f := draw.Caption{Title: "Events of " + t.Board.Label(t.session), Focus: true}
	f.Note, f.NoteInk = t.note()
	f.Right = t.right()
	rows := make([]string, 0, height)
	if text := t.empty(); text != "" {
		rows = append(rows, t.Styles.Row(width).Fit(draw.Muted, text, width).To(width).String())
	}
	rows = t.drawn(rows, width, height)
	return frames.Framed(a, f, 1, rows[:min(len(rows), height)])
}

// drawn adds the lines of the rows that are in sight.
func (t *Screen) drawn(lines []string, width, height int) []string {
	skip := t.top
	for _, r := range t.rows {
		if h := r.height(); skip >= h {
			skip -= h
			continue
		}
		if len(lines) >= height {
			break
		}
		if skip == 0 {
			lines = append(lines, t.line(r, width))
		}
		if r.open {
			lines = append(lines, r.below[max(0, skip-1):]...)
		}
		skip = 0
	}
	return lines
}

// note says what is special about the list.
func (t *Screen) note() (string, draw.Ink) {
	if t.err != nil {
		return "cannot be read: " + draw.SafeLine(t.err.Error()), draw.Danger
	}
	if t.filter != "" {
		text := "/" + draw.SafeLine(t.filter)
		if t.loading {
			text += fmt.Sprintf(" · %s looked at …", figures.Plural(t.looked, "event"))
		}
		return text, draw.Key
	}
	if s := t.Board.Sessions[t.session]; s != nil && words.StopTold(s) != "" {
		return words.StopTold(s), draw.Danger
	}
	return "", draw.Muted
}

func (t *Screen) right() string {
	switch {
	case t.follow && t.atEnd:
		return "following"
	case t.loading && t.filter == "":
		return "reading …"
	case len(t.rows) > 0:
		at := t.rows[t.selected()].line.Seq()
		return fmt.Sprintf("event %s of %s", figures.Count(int(at)), figures.Count(int(max(t.last, at))))
	}
	return ""
}

func (t *Screen) empty() string {
	switch {
	case len(t.rows) > 0 || t.err != nil:
		return ""
	case t.loading || !t.atStart:
		return "reading …"
	case t.filter != "":
		return "nothing passes; esc lists all"
	}
	return "nothing is on record of this session"
}

// line draws a row's line: when, what became of it, the call, and at the end who decided, how long
// it waited and how long it ran.
func (t *Screen) line(r *row, width int) string {
	l, chosen := r.line, r.key == t.at
	row := t.Styles.Row(width).Choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	row.Put(draw.Key, bar)
	if at := t.moment(l, width); at != "" {
		row.Put(draw.Muted, at+" ")
	}
	word, glyph, i := l.Word()
	most := 9 // but for a kind of event that is not known here
	if width >= 60 {
		most = 24
	}
	beside := row.Width + 2 + 10
	row.Put(i, glyph+" ").Fit(i, word, most).Put(draw.Text, " ").To(beside)
	t.lead(row, l, width)
	more, moreInk := l.More()
	tail := fitting(l.Tails(t.Book, t.At), tailRoom(width, more != ""))
	end := width
	if tail != "" {
		end -= draw.Cells(tail) + 2
	}
	l.Put(row, end-row.Width)
	if more != "" && end-row.Width > 14 {
		row.Put(draw.Muted, " · ").Fit(moreInk, more, end-row.Width)
	}
	if tail != "" {
		row.To(end+2).Put(draw.Muted, tail)
	}
	return row.To(width).String()
}

// moment is when it happened, as far as there is room: with the date where that is not today.
func (t *Screen) moment(l line, width int) string {
	at := l.At().In(t.At.Location())
	switch {
	case width >= 80 && !figures.SameDay(at, t.At):
		return at.Format("2 Jan 15:04:05")
	case width >= 60 && !figures.SameDay(at, t.At):
		return at.Format("2 Jan 15:04")
	case width >= 60:
		return at.Format(time.TimeOnly)
	case width >= 46:
		return figures.When(at, t.At)
	}
	return ""
}

// lead draws whose call it is, and what it is made with.
func (t *Screen) lead(row *draw.Row, l line, width int) {
	sign, name := l.Lead()
	if sign == "" {
		return
	}
	if whose := t.whose(l); whose != "" && width >= 60 {
		row.Fit(draw.Muted, "› "+whose, width/5).Put(draw.Text, " ")
	}
	row.Put(draw.Bold, sign+" ")
	if name != "" {
		row.Fit(draw.Bold, name, width/3).Put(draw.Text, " ")
	}
}

// tailRoom is how many cells the end of a line may take; less when there is more to say before it.
func tailRoom(width int, more bool) int {
	if width < 60 || more {
		return width / 4
	}
	return width * 2 / 5
}

// fitting is the first of texts that has room, the last one cut when none has; "" of none.
func fitting(texts []string, room int) string {
	for _, text := range texts {
		if draw.Cells(text) <= room {
			return text
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return safe.Cut(texts[len(texts)-1], room)
}
