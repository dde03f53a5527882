package tui

import (
	"strings"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// footer is the last row: a question, a sentence, or the keys.
func (m *model) footer() string {
	r := m.Styles.Row(m.width)
	switch {
	case m.prompt != nil:
		return m.promptView()
	case m.note.text != "":
		return r.Put(draw.Text, " ").Fit(m.note.ink, m.note.text, m.width-2).To(m.width).String()
	case m.tooSmall() && (m.open() == m.rooms[desk.EditCall] || m.open() == nil && (m.screen == screenMain || m.screen == screenFull)):
		return r.Put(draw.Text, " ").Fit(draw.Warn, m.tooSmallText(), m.width-2).To(m.width).String()
	}
	c := m.drawnCard()
	deaf := c != nil && m.Guard.Deaf(m.At)
	lead := " "
	if deaf {
		lead = "…"
	}
	r.Put(draw.Warn, lead)
	list := m.hints(c)
	names := make([]string, len(list)) // as the operator has them
	for i, h := range list {
		names[i] = m.chosen.call(h.key)
	}
	help := list[len(list)-1]
	room := m.width - 1 - draw.Cells(" · "+names[len(list)-1]+" "+help.does)
	for i, h := range list {
		sep := " · "
		if i == 0 {
			sep = ""
		}
		if i == len(list)-1 {
			room = m.width - 1
		}
		if r.Width+draw.Cells(sep+names[i]+" "+h.does) > room {
			continue
		}
		keyInk, doesInk := draw.Key, draw.Muted
		if !m.possible(c, h.key, deaf) {
			keyInk, doesInk = draw.Faint, draw.Faint
		}
		r.Put(draw.Faint, sep).Put(keyInk, names[i]).Put(doesInk, " "+h.does)
	}
	return r.To(m.width).String()
}

func (m *model) tooSmallText() string {
	return m.TooSmallText()
}

// hints lists the keys worth naming now.
func (m *model) hints(c *board.Card) []hint {
	if s := m.open(); s != nil {
		return m.openHints(s)
	}
	list := m.keys.shortHelp(m.screen)
	if m.screen == screenMain && m.focus == paneSessions {
		here := []hint{{"s", "stop this session"}, m.observeHint(), {"enter", "its calls only"}, {"tab", "next pane"}, m.freezeHint(), {"n", "new session"}, list[6]}
		if m.Board.Held(m.session) {
			here = []hint{{"m", "message"}, {"i", "interrupt"}, {"s", "stop"}, {"enter", "all about it"}, {"tab", "next pane"}, m.freezeHint(), {"n", "new session"}, list[6]}
		}
		if s := m.Board.Sessions[m.session]; s != nil && s.Deferred > 0 {
			here = append([]hint{{"R", "resume"}}, here...)
		}
		return append(here, list[8:]...)
	}
	if c == nil {
		if m.screen == screenMain && m.Board.Rows() == 0 {
			return append([]hint{{"tab", "sessions"}, {"n", "new session"}}, list[9:]...)
		}
		return list
	}
	if n := len(m.Board.Marks); n > 0 {
		what := figures.Count(n) + " marked"
		if m.width < 60 {
			what = figures.Count(n)
		}
		return append([]hint{
			{"a", "allow " + what},
			{"d", "deny " + what},
			{"space", "mark"},
			{"*", "mark alike"},
			{"esc", "unmark all"},
		}, list[2:]...)
	}
	list = moreTimeHint(c, m.keys, list)
	if c.Held() {
		return append([]hint{{"held", "by a freeze"}}, list[1:]...)
	}
	if c.Ask != nil && !c.Late() {
		return m.askHints(c)
	}
	if locked(c) {
		read := "read to the end to allow"
		if m.width < 60 {
			read = "read on to allow"
		}
		if mustBeSaid(c) {
			return append([]hint{{"G", strings.Replace(read, "allow", "approve", 1)}}, planHints(list)[1:]...)
		}
		return append([]hint{{"G", read}}, list[1:]...)
	}
	allow := list[0]
	if c.PutOff() {
		return m.putOffHints(c, list)
	}
	switch {
	case c.Dangerous():
		allow = m.codeHint(c)
	case c.Late():
		allow = hint{"a", "allow its retry"}
	}
	if c.Late() {
		return append([]hint{allow, {"d", "dismiss"}, list[4]}, list[6:]...)
	}
	if mustBeSaid(c) {
		return planHints(list)
	}
	if m.Board.Held(c.Req.SessionID) {
		return append([]hint{allow, list[1], list[2], {"m", "message"}, {"i", "interrupt"}}, list[4:]...)
	}
	return append([]hint{allow}, list[1:]...)
}

// possible reports whether a key of the hints would act now.
func (m *model) possible(c *board.Card, key string, deaf bool) bool {
	if s := m.open(); s != nil {
		return possibleOn(s, key)
	}
	switch key {
	case "held":
		return false
	case "e":
		return c != nil && !deaf && c.Sending == "" && !c.Late()
	case "t":
		return c != nil && !deaf && c.Sending == "" && c.MayWait()
	case "a", "d", "D":
		return c != nil && !deaf && c.Sending == ""
	}
	return !strings.HasPrefix(key, "type ") || !deaf && c.Sending == "" // a code
}

// possibleOn is possible for a key of an open screen.
func possibleOn(s desk.Screen, name string) bool {
	for _, k := range s.Keys() {
		if k.Short != "" && k.Named() == name {
			return k.Why == ""
		}
	}
	return true
}

// locked reports whether c cannot be allowed because its end was not on the screen.
func locked(c *board.Card) bool { return !c.SeenEnd }

func (m *model) promptView() string {
	p := m.prompt
	r := m.Styles.Row(m.width).Put(draw.Text, " ")
	lead, help := "", "enter sends · esc cancels"
	switch p.purpose {
	case askMarked:
		lead := string(p.verdict) + " "
		return m.askView(p, lead+p.what+"? ", lead+figures.Plural(len(p.picks), "marked call")+"? ", lead+figures.Count(len(p.picks))+"? ")
	case askYes:
		return m.askView(p, p.question.Texts()...)
	case askLine:
		lead, help = p.what, p.help
	case askFilter:
		lead, help = "/", "enter keeps · esc shows all"
	case askReason:
		lead = "deny " + p.what + ", because: "
		if p.picks != nil && draw.Cells(lead) > m.width/2 {
			lead = "deny " + figures.Plural(len(p.picks), "marked call") + ", because: "
		}
		if p.lead != "" {
			lead = p.lead
		}
		if p.gone != "" {
			lead, help = "this call "+p.gone+" ", "esc closes"
			return r.Fit(draw.Warn, lead, m.width-draw.Cells(help)-3).Right(draw.Muted, help, m.width-1).To(m.width).String()
		}
	}
	r.Fit(draw.Key, lead, max(0, m.width/2))
	if m.width < 60 {
		help = ""
	}
	if p.hint != "" {
		help = p.hint
	}
	room := m.width - r.Width - 2 - draw.Cells(help) - 2
	r.Put(draw.Text, draw.Tail(string(p.text), room)).Put(draw.Key, "█")
	return r.Right(draw.Muted, help, m.width-1).To(m.width).String()
}

// askView draws a question for yes or no, in the first of the wordings that fits.
func (m *model) askView(p *prompt, wordings ...string) string {
	answers := "y yes · any other key: no"
	if m.width < 60 {
		answers = "y yes"
	}
	r := m.Styles.Row(m.width).Put(draw.Text, " ")
	if p.hint != "" {
		return r.Fit(draw.Warn, "… "+p.hint, m.width-2).To(m.width).String()
	}
	room := max(0, m.width-2-draw.Cells(answers))
	question := wordings[len(wordings)-1]
	for _, w := range wordings {
		if draw.Cells(w) <= room {
			question = w
			break
		}
	}
	return r.Fit(draw.Danger, question, room).Put(draw.Key, "y").Put(draw.Muted, answers[1:]).To(m.width).String()
}
