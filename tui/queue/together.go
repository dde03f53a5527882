package queue

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/words"
)

// Together is the screen that shows the marked calls whole, one after the other, so that one look and
// one key decide calls whose rows do not tell all of them. Calls that are the same are drawn once.
//
// A call whose last row was on the screen counts as read, as on a card of its own, but for one that
// changes files: those are not compared here. When a marked call ends or changes the screen is laid
// out anew, and its keys are deaf for a moment.
type Together struct {
	*desk.Desk
	marks marks
	page  page
	top   int
}

// page is the marked calls laid out.
type page struct {
	calls []guard.Drawn
	width int
	rows  []string
	ends  []int // the row behind each call
}

// NewTogether makes the screen; q is the list with the marks.
func NewTogether(d *desk.Desk, q *Screen) *Together { return &Together{Desk: d, marks: q.marks} }

// Opens lays out what is marked now.
func (t *Together) Opens(desk.Subject) tea.Cmd {
	t.page, t.top = page{}, 0
	return nil
}

// Subject is all of the calls: they are decided together or not at all.
func (t *Together) Subject() desk.Subject {
	if len(t.page.calls) == 0 {
		return desk.Subject{}
	}
	sum := fnv.New64a()
	for _, k := range t.page.calls {
		fmt.Fprintln(sum, k)
	}
	return desk.Subject{Drawn: guard.Drawn{ID: "marked calls", Digest: fmt.Sprint(sum.Sum64()), Rev: t.page.width}}
}

// Keys decide the marked calls, and scroll.
func (t *Together) Keys() []desk.Key {
	n := figures.Count(len(t.page.calls)) + " marked"
	list := []desk.Key{
		{Binding: allow, Short: "allow " + n, Decides: true, Do: t.decide},
		{Binding: deny, Short: "deny " + n, Decides: true, Do: t.decide},
		{Binding: denyWhy, Short: "deny, say why", Decides: true, Do: t.decide},
	}
	if len(t.unread()) > 0 {
		list[0].Name, list[0].Short = "ctrl+d", "read to the end to allow "+n
	}
	return append(list, t.Scrolls(&t.top, t.length)...)
}

func (t *Together) decide(msg tea.KeyMsg) tea.Cmd {
	_, refusal := t.Guard.Press(msg.String(), t.At)
	if t.Small {
		return t.Say(draw.Warn, t.TooSmallText())
	}
	few := t.unread()
	if len(few) > 0 && key.Matches(msg, allow) && refusal == "" && !slices.ContainsFunc(few, alone) {
		return t.Say(draw.Warn, figures.Plural(len(few), "call")+" not read to the end yet: ctrl+d and ctrl+u go there")
	}
	return t.marks.judge(msg, refusal)
}

func (t *Together) length() int { return len(t.page.rows) }

// unread are the calls whose last row was not on the screen yet.
func (t *Together) unread() []*board.Card { return unread(t.marks.list()) }

// Update keeps the place, and closes the screen when nothing is marked any more.
func (t *Together) Update(msg tea.Msg) tea.Cmd {
	t.Scroll(msg, &t.top, t.length)
	if _, ok := msg.(desk.Settle); ok {
		return t.settle()
	}
	return nil
}

// settle lays the calls out when they are others than before, and notes which have been read.
func (t *Together) settle() tea.Cmd {
	list := t.marks.list()
	if len(list) == 0 {
		return t.Back()
	}
	width, height := t.Inner()
	if calls := keysOf(list); !slices.Equal(calls, t.page.calls) || width != t.page.width {
		t.page, t.top = t.layOut(list, width), 0
	}
	for i, c := range list {
		if end := t.page.ends[i]; !t.Small && !alone(c) && end > t.top && end <= t.top+height { // not what G jumped over
			c.SeenEnd = true
		}
	}
	return nil
}

// layOut draws the calls one below the other, each under its own line. Those that are the same call
// are drawn once, with all whose they are.
func (t *Together) layOut(list []*board.Card, width int) page {
	p := page{calls: keysOf(list), width: width, ends: make([]int, len(list))}
	for n, same := range sameCalls(list) {
		c := list[same[0]]
		d := callview.LayOut(t.Styles, c.Req, t.Around(c.Req), width)
		title := fmt.Sprintf("%d %s", n+1, d.Title)
		if len(same) > 1 {
			title = fmt.Sprintf("%d %s · %s, the same", n+1, draw.SafeLine(c.Req.ToolName), figures.Plural(len(same), "call"))
		}
		p.rows = append(p.rows, t.Styles.Row(width).Fit(draw.Title, title, width).To(width).String())
		p.rows = append(p.rows, d.Rows[:d.CallEnd]...)
		p.rows = append(p.rows, t.origin(list, same, width)...)
		for _, at := range same {
			p.ends[at] = len(p.rows)
		}
		p.rows = append(p.rows, draw.Spaces(width))
	}
	return p
}

// sameCalls are the places in list of calls that are the same: tool, input and folder.
func sameCalls(list []*board.Card) (groups [][]int) {
	at := map[string]int{}
	for i, c := range list {
		n, known := at[c.Req.Digest]
		if !known || c.Req.Digest == "" {
			n = len(groups)
			at[c.Req.Digest] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	return groups
}

// origin says where calls that are the same run and whose each is, whole: a row may have been held
// back for just that.
func (t *Together) origin(list []*board.Card, same []int, width int) []string {
	const label = 4
	p := t.Styles.Paper(width)
	p.Write(draw.Fixed(draw.Label, "in", label), draw.Muted, list[same[0]].Req.CWD)
	var said []string
	for _, at := range same {
		if whose := words.Whose(list[at].Req, t.Board); !slices.Contains(said, whose) {
			said = append(said, whose)
			p.SayBehind(draw.Label, "of", label, draw.Muted, whose)
		}
	}
	return p.Rows
}

// View draws the rows in sight.
func (t *Together) View(_, _ int) []string {
	_, height := t.Inner()
	f := draw.Caption{Title: figures.Plural(len(t.page.calls), "marked call"), Right: desk.Position(t.top, height, t.length())}
	if more := t.length() - 1 - t.top - height; len(t.unread()) > 0 && more > 0 {
		f.BelowRight = "▼ " + figures.Plural(more, "more row")
	}
	return t.Framed(f, t.page.rows, t.top)
}

// unread are the calls of list that were not on the screen whole, as a row or as a card.
func unread(list []*board.Card) []*board.Card {
	return slices.DeleteFunc(slices.Clone(list), func(c *board.Card) bool { return !locked(c) || c.SeenRow })
}

// alone reports whether a call is looked at on a card of its own only: what it changes is compared
// with files there.
func alone(c *board.Card) bool {
	_, plan := c.PlanPath()
	return plan || c.Read().OK
}
