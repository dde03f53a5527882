package tui

import (
	"cmp"
	"time"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/text"
)

// line is the last row of the window when it is not the key line: a sentence, for some seconds or
// until a key; or a prompt, which takes every key.
type line struct {
	*desk.Desk
	chosen chosen // the keys that the operator chose
	width  int    // of the window, in cells
	note   note
	prompt *prompt // what is being typed or asked, nil when nothing is
}

// note is a sentence in place of the key line, or beside it.
type note struct {
	ink  draw.Ink
	text string // safe to draw
	gen  int    // tells its end from the end of one before it

	holds func() bool // reports whether it is still true; nil for one that ends by the clock
}

// brief reports whether n is a short result or hint, which leaves the key line in its place and stands
// beside it. Warnings take the whole line: they say why a key did not do what was meant.
func (n note) brief(width int) bool {
	return draw.Cells(n.text) <= width/3 && (n.ink == draw.OK || n.ink == draw.Text || n.ink == draw.Muted)
}

// noteEndMsg ends a sentence.
type noteEndMsg struct{ gen int }

// How long a sentence stays that takes the key line's place, and a short result beside it.
const (
	noteFor  = 6 * time.Second
	briefFor = 3 * time.Second
)

// prompt is a question for yes or no, or a line that is typed. While it is open no key is a command.
type prompt struct {
	question *desk.Question // nil for a line
	line     desk.Line
	text     []rune
	hint     string // why the last key did nothing
}

// Say puts a sentence of ours in the last line: the first of texts that has room.
func (l *line) Say(i draw.Ink, texts ...string) tea.Cmd {
	text, stays := l.Fitting(texts...), noteFor
	if (note{ink: i, text: text}).brief(l.width) {
		stays = briefFor
	}
	return l.sayFor(i, text, stays)
}

// sayFor is Say for another time than the usual one.
func (l *line) sayFor(i draw.Ink, text string, d time.Duration) tea.Cmd {
	l.put(i, text)
	gen := l.note.gen
	return tea.Tick(d, func(time.Time) tea.Msg { return noteEndMsg{gen} })
}

// Stay says a sentence that stays until a key, as long as it holds.
func (l *line) Stay(holds func() bool, i draw.Ink, texts ...string) tea.Cmd {
	l.put(i, l.Fitting(texts...))
	l.note.holds = holds
	return nil
}

// lapse takes away a sentence that is true no longer.
func (l *line) lapse() {
	if l.note.holds != nil && !l.note.holds() {
		l.unsay()
	}
}

func (l *line) put(i draw.Ink, text string) { l.note = note{ink: i, text: text, gen: l.note.gen + 1} }

// unsay takes the sentence away.
func (l *line) unsay() { l.note = note{gen: l.note.gen} }

// ended takes away the sentence whose time is over.
func (l *line) ended(msg noteEndMsg) {
	if msg.gen == l.note.gen {
		l.unsay()
	}
}

// Told reports whether a sentence stands there.
func (l *line) Told() bool { return l.note.text != "" }

// Fitting is the first of the texts that the last line has room for, else the last one.
func (l *line) Fitting(texts ...string) string {
	for _, t := range texts {
		if draw.Cells(t) <= l.width-2 {
			return t
		}
	}
	return texts[len(texts)-1]
}

// Ask asks a question for yes or no. The y must come after the question.
func (l *line) Ask(question, brief string, yes func() tea.Cmd) {
	l.Pose(desk.Question{Texts: func() []string { return []string{question + " ", brief + " "} }, Yes: yes})
}

// Pose asks a question.
func (l *line) Pose(q desk.Question) {
	if !q.Stricter {
		l.Guard.Doubt(l.At)
	}
	l.prompt = &prompt{question: &q}
}

// Read asks for a line.
func (l *line) Read(of desk.Line) {
	l.prompt = &prompt{line: of}
	l.prompt.insert([]rune(of.Text))
}

// promptKey takes a key, or pasted text, for the open prompt.
func (l *line) promptKey(msg tea.KeyMsg) tea.Cmd {
	p := l.prompt
	if p.question != nil {
		if p.question.Interrupted && matches(msg, "interrupt") {
			return p.question.Yes()
		}
		return l.answer(l.chosen.answer(msg))
	}
	msg = l.chosen.inText(msg)
	p.hint = ""
	switch {
	case msg.Paste:
		p.insert(msg.Runes)
	case matches(msg, "back"), matches(msg, "interrupt"):
		l.cancel()
		return nil
	case matches(msg, "send_line"):
		return l.enter(p)
	case matches(msg, "erase"):
		p.text = p.text[:max(0, len(p.text)-1)]
	case matches(msg, "erase_word"):
		p.eraseWord()
	case matches(msg, "clear_line"):
		p.text = nil
	case msg.Type == tea.KeyRunes && !msg.Alt, msg.Type == tea.KeySpace:
		p.insert(msg.Runes)
	}
	if p.line.Typed != nil {
		p.line.Typed(string(p.text))
	}
	if p.line.Hint != nil {
		p.hint = p.line.Hint(string(p.text))
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

// gone says how what the line is about ended meanwhile; "" while it is there.
func (p *prompt) gone() string {
	if p.line.Gone == nil {
		return ""
	}
	return p.line.Gone()
}

// cancel leaves a line without sending it.
func (l *line) cancel() {
	of := l.prompt.line
	l.prompt = nil
	switch {
	case of.Cancel != nil:
		of.Cancel()
	case of.Typed != nil:
		of.Typed("")
	}
}

// enter sends a line, if it may be sent now. An enter that came too fast may be part of a paste.
func (l *line) enter(p *prompt) tea.Cmd {
	send := func() tea.Cmd {
		l.prompt = nil
		if p.line.Send == nil {
			return nil
		}
		return p.line.Send(string(p.text))
	}
	if p.line.Send == nil || p.gone() != "" {
		return send()
	}
	if p.line.May != nil {
		if p.hint = p.line.May(); p.hint != "" {
			return nil
		}
		return send()
	}
	wait, refusal := l.Press("enter")
	if refusal != "" {
		p.hint = refusal
		return nil
	}
	return l.InAMoment(wait, send)
}

// answer takes y for yes and every other key for no. The yes lets something run, so it must pass
// the guard as any decision.
func (l *line) answer(msg tea.KeyMsg) tea.Cmd {
	q := l.prompt.question
	if !matches(msg, "yes") || msg.Paste || q.Stricter && l.Guard.Burst() {
		l.prompt = nil
		if msg.Paste || len(msg.Runes) > 1 || l.Guard.Burst() {
			l.Guard.Doubt(l.At)
		}
		return l.Say(draw.Muted, cmp.Or(q.No, "no: nothing was done"))
	}
	if q.Stricter {
		l.prompt = nil
		return q.Yes()
	}
	wait, refusal := l.Guard.Press(msg.String(), l.At)
	l.prompt.hint = refusal
	if refusal != "" {
		return nil
	}
	return l.Guard.Hold(guard.Held{Do: l.confirmed}, wait, l.At)
}

// confirmed does what the open question asked about.
func (l *line) confirmed() tea.Cmd {
	p := l.prompt
	l.prompt = nil
	if p == nil || p.question == nil {
		return nil
	}
	return p.question.Yes()
}

// promptView draws the prompt.
func (l *line) promptView() string {
	p := l.prompt
	if p.question != nil {
		return l.questionView(p)
	}
	r := l.Styles.Row(l.width).Put(draw.Text, " ")
	if gone := p.gone(); gone != "" {
		help := "esc closes"
		return r.Fit(draw.Warn, "this call "+gone+" ", l.width-draw.Cells(help)-3).Right(draw.Muted, help, l.width-1).To(l.width).String()
	}
	lead, help := p.line.Lead, p.line.Help
	if p.line.Brief != "" && draw.Cells(lead) > l.width/2 {
		lead = p.line.Brief
	}
	r.Fit(draw.Key, lead, max(0, l.width/2))
	if l.width < 60 {
		help = ""
	}
	if p.hint != "" {
		help = p.hint
	}
	room := l.width - r.Width - 2 - draw.Cells(help) - 2
	r.Put(draw.Text, draw.Tail(string(p.text), room)).Put(draw.Key, "█")
	return r.Right(draw.Muted, help, l.width-1).To(l.width).String()
}

// questionView draws a question for yes or no, in the first of its wordings that fits.
func (l *line) questionView(p *prompt) string {
	answers := "y yes · any other key: no"
	if l.width < 60 {
		answers = "y yes"
	}
	r := l.Styles.Row(l.width).Put(draw.Text, " ")
	if p.hint != "" {
		return r.Fit(draw.Warn, "… "+p.hint, l.width-2).To(l.width).String()
	}
	wordings := p.question.Texts()
	room := max(0, l.width-2-draw.Cells(answers))
	question := wordings[len(wordings)-1]
	for _, w := range wordings {
		if draw.Cells(w) <= room {
			question = w
			break
		}
	}
	return r.Fit(draw.Danger, question, room).Put(draw.Key, "y").Put(draw.Muted, answers[1:]).To(l.width).String()
}
