package tui

import (
	"cmp"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/text"
)

// purpose is what a prompt is for.
type purpose int

// The purposes.
const (
	askReason purpose = iota // why a call is denied
	askFilter                // what to list
	askMarked                // whether the marked calls are to be decided
	askYes                   // a question for yes or no
	askLine                  // a line that such a screen needs
)

// prompt is a question in the last line. While it is open no key is a command.
type prompt struct {
	purpose purpose
	text    []rune
	key     guard.Drawn // askReason: the call it is about
	what    string      // what it is about, safe to draw
	gone    string      // askReason: how the call ended meanwhile, safe to draw
	hint    string      // why the last key did nothing
	lead    string      // askReason: what stands before the words, where it is not about denying a call

	picks   []guard.Drawn  // askMarked, and askReason about several: the calls
	verdict broker.Verdict // askMarked

	question desk.Question             // askYes
	help     string                    // askLine: what the keys do
	typed    func(text string)         // askLine: hears of each change; may be nil
	hints    func(text string) string  // askLine: what to say beside the text; may be nil
	send     func(text string) tea.Cmd // askLine: takes the text; may be nil
}

func (m *model) openReason(c *board.Card) {
	m.Guard.Words = "" // they are for this
	m.prompt = &prompt{purpose: askReason, key: c.Key(), what: c.Summary().Tool, lead: reasonLead(c)}
	if m.instead == c.Key() {
		m.prompt.insert([]rune(insteadOf(c)))
	}
}

func (m *model) openFilter() {
	m.prompt = &prompt{purpose: askFilter, text: []rune(m.Board.Filter.Text)}
}

// updatePrompt takes a key, or pasted text, for the open prompt.
func (m *model) updatePrompt(msg tea.KeyMsg) tea.Cmd {
	p := m.prompt
	switch p.purpose {
	case askMarked, askYes:
		return m.answer(msg)
	case askReason, askFilter, askLine:
	}
	p.hint = ""
	switch {
	case msg.Paste:
		p.insert(msg.Runes)
	case key.Matches(msg, m.keys.Back, m.keys.Interrupt):
		return m.closePrompt()
	case key.Matches(msg, m.keys.SendLine):
		return m.sendPrompt()
	case key.Matches(msg, m.keys.Erase):
		p.text = p.text[:max(0, len(p.text)-1)]
	case key.Matches(msg, m.keys.EraseWord):
		p.eraseWord()
	case key.Matches(msg, m.keys.ClearLine):
		p.text = nil
	case msg.Type == tea.KeyRunes && !msg.Alt, msg.Type == tea.KeySpace:
		p.insert(msg.Runes)
	}
	if p.purpose == askFilter {
		m.filterBy(board.Filter{Text: string(p.text), SessionID: m.Board.Filter.SessionID})
	}
	if p.typed != nil {
		p.typed(string(p.text))
	}
	if p.hints != nil {
		p.hint = p.hints(string(p.text))
	}
	return nil
}

func (p *prompt) insert(runes []rune) {
	for _, r := range runes {
		if r == '\n' || r == '\r' || r == '\t' {
			r = ' '
		}
		if len(p.text) < text.MaxTyped && !unicode.IsControl(r) {
			p.text = append(p.text, r)
		}
	}
}

func (p *prompt) eraseWord() {
	n := len(p.text)
	for n > 0 && p.text[n-1] == ' ' {
		n--
	}
	for n > 0 && p.text[n-1] != ' ' {
		n--
	}
	p.text = p.text[:n]
}

// closePrompt leaves without doing anything. Leaving the filter lists all again.
func (m *model) closePrompt() tea.Cmd {
	if m.prompt.purpose == askFilter {
		m.filterBy(board.Filter{})
	}
	if m.prompt.typed != nil {
		m.prompt.typed("")
	}
	m.prompt = nil
	return nil
}

func (m *model) sendPrompt() tea.Cmd {
	p := m.prompt
	if p.purpose == askFilter {
		m.prompt = nil
		return nil
	}
	if p.purpose == askLine {
		return m.sendLine(p)
	}
	if p.gone != "" {
		m.prompt = nil
		return m.Say(draw.Warn, "nothing was denied: this call "+p.gone)
	}
	if p.picks == nil && !m.Guard.Drawn.SameCall(p.key) {
		p.hint = "the call is not on the screen"
		return nil
	}
	if m.Guard.Burst() || m.Guard.Deaf(m.At) {
		p.hint = "too fast: press enter again"
		return nil
	}
	m.prompt = nil
	m.Guard.MayGoOn()
	if p.picks != nil {
		return m.sendMarked(p.picks, broker.Deny, string(p.text))
	}
	return m.send(m.Guard.Drawn, broker.Deny, string(p.text))
}

// sendLine takes the enter behind a line that a screen has asked for.
func (m *model) sendLine(p *prompt) tea.Cmd {
	if p.send == nil {
		m.prompt = nil
		return nil
	}
	wait, refusal := m.Press("enter")
	if refusal != "" {
		p.hint = refusal
		return nil
	}
	return m.InAMoment(wait, func() tea.Cmd {
		m.prompt = nil
		return p.send(string(p.text))
	})
}

// answer takes y for yes and every other key for no. The yes lets something run, so
// it must pass the guard as any decision.
func (m *model) answer(msg tea.KeyMsg) tea.Cmd {
	no, yes, stricter := m.prompt.question.No, m.prompt.question.Yes, m.prompt.question.Stricter
	if !key.Matches(msg, m.keys.Yes) || msg.Paste || stricter && m.Guard.Burst() {
		m.prompt = nil
		if msg.Paste || len(msg.Runes) > 1 || m.Guard.Burst() {
			m.Guard.Doubt(m.At)
		}
		return m.Say(draw.Muted, cmp.Or(no, "no: nothing was done"))
	}
	if stricter {
		m.prompt = nil
		return yes()
	}
	wait, refusal := m.Guard.Press(msg.String(), m.At)
	if refusal != "" {
		m.prompt.hint = refusal
		return nil
	}
	m.prompt.hint = ""
	return m.Guard.Hold(guard.Held{Do: m.confirmed}, wait, m.At)
}

// confirmed does what the open question asked about.
func (m *model) confirmed() tea.Cmd {
	p := m.prompt
	m.prompt = nil
	switch {
	case p == nil:
	case p.purpose == askMarked:
		return m.sendMarked(p.picks, p.verdict, "")
	case p.purpose == askYes:
		return p.question.Yes()
	}
	return nil
}

// promptNews tells an open reason prompt that its call has ended.
func (m *model) promptNews(r broker.Request) {
	if p := m.prompt; p != nil && p.purpose == askReason && p.key.ID == r.ID && r.State.Terminal() && p.gone == "" {
		p.gone = m.Book.Ended(r)
	}
}
