package tui

import (
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/safe"
)

// View draws the window: exactly its height in rows, none wider than it.
func (m *model) View() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	rows := make([]string, 0, m.height)
	rows = append(rows, m.header())
	if text := m.banner(); text != "" {
		rows = append(rows, m.st.row(false).fit(inkDanger, text, m.width).to(m.width).String())
	}
	rows = append(rows, m.body()...)
	rows = append(rows, m.footer())
	if len(rows) > m.height { // a window of one or two rows
		rows = rows[len(rows)-m.height:]
	}
	return strings.Join(rows, "\n")
}

func (m *model) body() []string {
	l := m.layout()
	switch m.screen {
	case screenFull:
		return m.detailView(l, l.detail)
	case screenHistory:
		return m.historyView(l, l.detail)
	case screenPast:
		return m.pastView(l, l.detail)
	case screenHelp:
		return m.helpView(l, l.detail)
	case screenMain:
	}
	right := m.queueView(l, l.queue)
	right = append(right, m.detailView(l, l.detail)...)
	left := m.sessionsView(l, l.sessions)
	if l.stacked || m.tooSmall() {
		return append(left, right...)
	}
	for i := range right {
		right[i] = left[i] + right[i]
	}
	return right
}

// frame puts a border around rows, which fill its inner width, and fills it up with
// empty ones.
func (m *model) frame(l layout, a area, f caption, padding int, rows []string) []string {
	width, height := l.inner(a, padding)
	if a.h <= 0 || a.w <= 0 {
		return nil
	}
	if l.stacked {
		return m.ruled(a, f, padding, rows)
	}
	edge := inkBorder
	if f.focus {
		edge = inkFocus
	}
	side := m.st.row(false).put(edge, "│").String()
	left, right := side+spaces(padding), spaces(padding)+side
	out := make([]string, 0, a.h)
	out = append(out, m.topEdge(a.w, f, edge))
	for i := range height {
		if i < len(rows) {
			out = append(out, left+rows[i]+right)
		} else {
			out = append(out, left+spaces(width)+right)
		}
	}
	return append(out, m.bottomEdge(a.w, f, edge))
}

// caption is what a frame says on its edges; all safe to draw.
type caption struct {
	title, note, right string
	below, belowRight  string
	belowInk           ink
	focus              bool
}

func (m *model) topEdge(width int, f caption, edge ink) string {
	r := m.st.row(false).put(edge, "╭")
	m.captions(r, width-1, f, edge)
	return r.put(edge, "╮").String()
}

// captions writes title, note and right text on a line up to column end.
func (m *model) captions(r *row, end int, f caption, edge ink) {
	lead := " "
	if f.focus {
		lead = "▸"
	}
	r.put(edge, lead)
	room := end - r.width - 1
	right := f.right
	if cells(right)+3 > room/2 && cells(right)+cells(f.title)+4 > room {
		right = ""
	}
	if right != "" {
		room -= cells(right) + 3
	}
	r.fit(inkTitle, f.title, room)
	if left := room - cells(f.title) - 3; f.note != "" && left > 3 {
		r.put(inkMuted, " · ").fit(inkMuted, f.note, left)
	}
	r.put(edge, " ")
	if right == "" {
		r.line(edge, "─", end)
		return
	}
	r.line(edge, "─", end-cells(right)-3)
	r.put(edge, " ").put(inkMuted, right).put(edge, " ")
	r.line(edge, "─", end)
}

func (m *model) bottomEdge(width int, f caption, edge ink) string {
	r := m.st.row(false).put(edge, "╰")
	if f.below != "" && cells(f.below)+6 < width {
		r.put(edge, "─ ").put(f.belowInk, f.below).put(edge, " ")
	}
	if f.belowRight != "" && r.width+cells(f.belowRight)+5 < width {
		r.line(edge, "─", width-1-cells(f.belowRight)-3)
		r.put(edge, " ").put(inkMuted, f.belowRight).put(edge, " ")
	}
	return r.line(edge, "─", width-1).put(edge, "╯").String()
}

// ruled is a frame for narrow windows: one rule above, no sides.
func (m *model) ruled(a area, f caption, padding int, rows []string) []string {
	edge := inkBorder
	if f.focus {
		edge = inkFocus
	}
	r := m.st.row(false).put(edge, "─")
	m.captions(r, a.w, f, edge)
	out := []string{r.String()}
	width := max(0, a.w-2*padding)
	for i := range a.h - 1 {
		if i < len(rows) {
			out = append(out, spaces(padding)+rows[i]+spaces(a.w-width-padding))
		} else {
			out = append(out, spaces(a.w))
		}
	}
	return out
}

// header is the first row: counts on the left, the broker's health and the clock on
// the right.
func (m *model) header() string {
	r := m.st.row(false).put(inkTitle, " aoctl")
	if m.opts.Demo {
		r.put(inkMuted, " demo")
	}
	b := m.board
	for _, part := range []string{
		plural(b.living(), "session"), count(len(b.waiting)) + " waiting", lateCount(len(b.late)),
	} {
		sep := " · "
		if r.width < 14 {
			sep = "  "
		}
		if part != "" && r.width+cells(sep+part) < m.width-7 {
			i := inkMuted
			if strings.HasSuffix(part, "waiting") && len(b.waiting) > 0 {
				i = inkWarn
			}
			r.put(inkMuted, sep).put(i, part)
		}
	}
	right := m.health(m.width - r.width - 2)
	if n := m.width - 1 - right.width; n > r.width {
		r.to(n)
		return r.String() + right.String() + " "
	}
	return r.to(m.width).String()
}

func lateCount(n int) string {
	if n == 0 {
		return ""
	}
	return count(n) + " late"
}

// health is what the broker says of itself, and the time, in at most width cells.
func (m *model) health(width int) *row {
	now := m.at.Format("15:04:05")
	h := m.board.health
	state, i := "socket ok", inkMuted
	if m.newsMissing {
		state, i = "no word from the broker", inkWarn
	}
	log := ""
	if len(h.LogHash) >= 6 {
		log = "log " + safe.Line(h.LogHash[:6]) + " ✓"
	}
	logInk := inkMuted
	if h.StoreErr != "" {
		log, logInk = "log ✗ not recording", inkDanger
	}
	full := cells(log) + 3 + cells(state) + 3 + len(now)
	r := m.st.row(false)
	if full <= width {
		if log != "" {
			r.put(logInk, log).put(inkMuted, " · ")
		}
		return r.put(i, state).put(inkMuted, "   ").put(inkText, now)
	}
	if m.newsMissing && cells(state)+3+len(now) <= width {
		return r.put(i, state).put(inkMuted, "   ").put(inkText, now)
	}
	if len(now) > width {
		now = m.at.Format("15:04")
	}
	if len(now) <= width {
		r.put(inkText, now)
	}
	return r
}

// banner is a sentence that must not be missed, empty when all is well.
func (m *model) banner() string {
	if e := m.board.health.StoreErr; e != "" {
		return " ! nothing can be recorded, so every call is refused: " + safeLine(e)
	}
	return ""
}

// footer is the last row: a question, a sentence, or the keys.
func (m *model) footer() string {
	r := m.st.row(false)
	switch {
	case m.prompt != nil:
		return m.promptView()
	case m.note.text != "":
		return r.put(inkText, " ").fit(m.note.ink, m.note.text, m.width-2).to(m.width).String()
	case m.tooSmall() && m.screen == screenMain:
		return r.put(inkText, " ").fit(inkWarn, m.tooSmallText(), m.width-2).to(m.width).String()
	}
	c := m.drawnCard()
	deaf := c != nil && m.guard.deaf(m.at)
	lead := " "
	if deaf {
		lead = "…"
	}
	r.put(inkWarn, lead)
	list := m.hints(c)
	help := list[len(list)-1]
	room := m.width - 1 - cells(" · "+help.key+" "+help.does)
	for i, h := range list {
		sep := " · "
		if i == 0 {
			sep = ""
		}
		if i == len(list)-1 {
			room = m.width - 1
		}
		if r.width+cells(sep+h.key+" "+h.does) > room {
			continue
		}
		keyInk, doesInk := inkKey, inkMuted
		if !m.possible(c, h.key, deaf) {
			keyInk, doesInk = inkFaint, inkFaint
		}
		r.put(inkFaint, sep).put(keyInk, h.key).put(doesInk, " "+h.does)
	}
	return r.to(m.width).String()
}

func (m *model) tooSmallText() string {
	return m.fitting(
		fmt.Sprintf("window too small to show the call: make it at least %d×%d", leastWidth, leastHeight),
		fmt.Sprintf("too small to decide: needs %d×%d", leastWidth, leastHeight),
		fmt.Sprintf("needs %d×%d", leastWidth, leastHeight),
	)
}

// hints lists the keys worth naming now.
func (m *model) hints(c *card) []hint {
	list := m.keys.shortHelp(m.screen)
	if m.screen == screenMain && m.focus == paneSessions {
		return append([]hint{{"s", "stop this session"}, {"enter", "its calls only"}, {"tab", "next pane"}}, list[4:]...)
	}
	if c == nil {
		if m.screen == screenMain && m.board.rows() == 0 {
			return append([]hint{{"tab", "sessions"}}, list[7:]...)
		}
		return list
	}
	if locked(c) {
		return append([]hint{{"G", "read to the end to allow"}}, list[1:]...)
	}
	if c.late() {
		return append([]hint{{"a", "allow its retry"}, {"d", "put away"}}, list[3:]...)
	}
	return list
}

// possible reports whether a key of the hints would act now.
func (m *model) possible(c *card, key string, deaf bool) bool {
	switch key {
	case "a", "d", "D":
		return c != nil && !deaf && c.sending == ""
	}
	return true
}

// locked reports whether c cannot be allowed because its end was not on the screen.
func locked(c *card) bool { return !c.seenEnd }

func (m *model) promptView() string {
	p := m.prompt
	r := m.st.row(false).put(inkText, " ")
	lead, help := "", "enter sends · esc cancels"
	switch p.purpose {
	case askStopAll:
		r.put(inkDanger, fmt.Sprintf("stop all %s and deny %s? ",
			plural(m.board.living(), "session"), plural(len(m.board.waiting), "waiting call")))
		return r.put(inkKey, "y").put(inkMuted, " yes · any other key: no").to(m.width).String()
	case askFilter:
		lead, help = "/", "enter keeps · esc shows all"
	case askReason:
		lead = "deny " + p.what + ", because: "
		if p.gone != "" {
			lead, help = "this call "+p.gone+" ", "esc closes"
			return r.fit(inkWarn, lead, m.width-cells(help)-3).right(inkMuted, help, m.width-1).to(m.width).String()
		}
	}
	r.fit(inkKey, lead, max(0, m.width/2))
	if m.width < 60 {
		help = ""
	}
	room := m.width - r.width - 2 - cells(help) - 2
	text := safe.Line(string(p.text))
	for cells(text) > room && len(text) > 0 { // the end of what is typed stays in sight
		_, text = cutFront(text)
	}
	r.put(inkText, text).put(inkKey, "█")
	return r.right(inkMuted, help, m.width-1).to(m.width).String()
}

func cutFront(s string) (string, string) {
	for i := range s {
		if i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// ended says how a decided call ended; safe to draw.
func ended(r broker.Request) string {
	o := r.Outcome
	if o == nil {
		return "is still waiting"
	}
	by := actor(o.By)
	switch o.State {
	case broker.Allowed:
		return "was allowed by " + by
	case broker.Denied:
		return "was denied by " + by
	case broker.Expired:
		return "expired: nobody answered in time"
	case broker.Cancelled:
		return "was cancelled: its agent no longer waits"
	case broker.Answered:
		return "was answered in the agent's own terminal"
	case broker.Pending:
	}
	return "is " + safe.Line(string(o.State))
}

// actor names who decided, in few letters; safe to draw.
func actor(a broker.Actor) string {
	switch a.Kind {
	case broker.ByOperator:
		return "you"
	case broker.ByProcess:
		return fmt.Sprintf("process %d", a.PID)
	case broker.ByRule:
		return "rule " + safeLine(strings.TrimPrefix(a.ID, "builtin:"))
	case broker.ByStop, broker.ByFreeze, broker.ByDeadline, broker.ByAgent, broker.ByBroker:
	}
	return safe.Line(string(a.Kind))
}
