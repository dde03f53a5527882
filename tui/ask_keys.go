package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
)

// askKeys are the keys of a question's form, while it is open.
type askKeys struct {
	Next, Pick, Digit, Other, Back, Decline key.Binding
}

func defaultAskKeys() askKeys {
	bind := func(name, help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(name, help))
	}
	return askKeys{
		Pick:    bind("space", "pick what the cursor is on", " "),
		Digit:   bind("1–9", "pick this option", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		Other:   bind("o", "answer in your own words", "o"),
		Next:    bind("enter", "on to the next question; on the last step: send the answers", "enter"),
		Back:    bind("h", "back to the question before; from the first one out of the form", "h", "left", "shift+tab"),
		Decline: bind("esc", "decline to answer; asks for a reason first", "esc"),
	}
}

func (k askKeys) help() []key.Binding {
	return []key.Binding{k.Pick, k.Digit, k.Other, k.Next, k.Back, k.Decline}
}

// inForm reports whether keys are for the form on card c: it has the whole screen, or
// its pane has the focus.
func (m *model) inForm(c *board.Card) bool {
	if c == nil || c.Ask == nil || c.Late() || m.tooSmall() {
		return false
	}
	return m.screen == screenFull || m.screen == screenMain && m.focus == paneDetail
}

// askKey takes a key for the form on the drawn card; ok is false when it is not one.
func (m *model) askKey(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	c := m.drawnCard()
	if !m.inForm(c) {
		return nil, false
	}
	k := m.askKeys
	switch {
	case key.Matches(msg, k.Next, k.Decline, k.Back, k.Pick, k.Other, k.Digit, m.keys.Up, m.keys.Down):
	default:
		return nil, false
	}
	m.note = note{}
	switch {
	case c.Sending != "":
		return m.Say(draw.Muted, "already sent; waiting for the record"), true
	case key.Matches(msg, k.Next):
		return m.askNext(c), true
	case m.Guard.Burst(), m.Guard.Deaf(m.At) && !m.Guard.Own:
		return m.Say(draw.Warn, "… this card just came up: look first, then press "+keyName(msg)+" again"), true
	case key.Matches(msg, k.Decline):
		m.openReason(c)
	case key.Matches(msg, k.Back):
		m.askBack(c)
	case c.Ask.Overview():
	default:
		return m.askPick(c, msg), true
	}
	return nil, true
}

// askPick moves among a question's options and picks some.
func (m *model) askPick(c *board.Card, msg tea.KeyMsg) tea.Cmd {
	a := c.Ask
	q, _ := a.Question()
	at := a.Cursor[a.Step]
	switch {
	case key.Matches(msg, m.askKeys.Other):
		return m.openOther(c)
	case key.Matches(msg, m.askKeys.Digit):
		if at = int(msg.Runes[0] - '1'); at >= len(q.Options) {
			return m.Say(draw.Muted, fmt.Sprintf("there is no option %d", at+1))
		}
		a.Pick(at)
	case key.Matches(msg, m.askKeys.Pick) && at == callview.OwnWords(q):
		return m.openOther(c)
	case key.Matches(msg, m.askKeys.Pick):
		a.Pick(at)
	default:
		a.Cursor[a.Step] = m.moved(msg, at, len(q.Options)+1)
		a.Rev++
	}
	m.showCursor(c)
	return nil
}

// askNext takes enter: it picks what is not picked yet, goes on, and on the last step
// sends. It is judged as every key that decides.
func (m *model) askNext(c *board.Card) tea.Cmd {
	wait, refusal := m.Guard.Press("enter", m.At)
	a := c.Ask
	switch {
	case refusal != "":
		return m.Say(draw.Warn, "… "+refusal)
	case !a.Seen[a.Step]:
		return m.Say(draw.Warn, "read to the end first: ctrl+d shows more", "read on: ctrl+d")
	case !a.Overview():
		if cmd, open := m.askOpen(c); open {
			return cmd
		}
	}
	if a.Last() {
		return m.Guard.Hold(guard.Held{Do: m.sendForm}, wait, m.At)
	}
	m.askStep(c, a.Step+1)
	return nil
}

// askOpen says what is missing on the question on the screen; open is false when
// nothing is.
func (m *model) askOpen(c *board.Card) (cmd tea.Cmd, open bool) {
	a := c.Ask
	q, answer := a.Question()
	then := "goes on"
	if a.Last() {
		then = "sends it"
	}
	at := a.Cursor[a.Step]
	switch {
	case !q.Multi && at == callview.OwnWords(q) && answer.Other == "":
		return m.openOther(c), true
	case !q.Multi && at < callview.OwnWords(q) && !callview.Picked(*answer, at):
		a.Pick(at)
		m.showCursor(c)
		return m.Say(draw.Text, "picked: "+draw.SafeLine(q.Options[at].Label)+" · enter "+then, "picked · enter "+then), true
	case answer.Empty():
		return m.Say(draw.Warn, "nothing is picked: space picks, o answers in your own words, esc declines", "space picks, o: your own words"), true
	}
	if i := a.Unlooked(); i >= 0 {
		a.Cursor[a.Step] = i
		a.Rev++
		m.showCursor(c)
		return m.Say(draw.Warn, "look at its preview first, then press enter again", "look at its preview first"), true
	}
	return nil, false
}

func (m *model) askBack(c *board.Card) {
	if c.Ask.Step > 0 {
		m.askStep(c, c.Ask.Step-1)
		return
	}
	m.screen, m.focus = screenMain, paneQueue
}

// askStep shows another step. What decides stays deaf for a moment, as for a new card.
func (m *model) askStep(c *board.Card, step int) {
	c.Ask.GoTo(step)
	m.scroll = 0
	m.askDeaf()
}

// askDeaf makes the keys that decide deaf after a move of the operator's own.
func (m *model) askDeaf() {
	m.Guard.Doubt(m.At)
	m.Guard.Own = true
}

// showCursor scrolls so that the option with the cursor is on the screen, and the top of
// the question or its end where they have room too.
func (m *model) showCursor(c *board.Card) {
	width, height := m.room()
	d := m.doc(c, width)
	q, _ := c.Ask.Question()
	from, to := d.At, d.AtEnd
	if c.Ask.Cursor[c.Ask.Step] == 0 && to <= height {
		from = 0
	}
	if c.Ask.Cursor[c.Ask.Step] == callview.OwnWords(q) && d.CallEnd-from <= height {
		to = d.CallEnd
	}
	if to > m.scroll+height {
		m.scroll = to - height
	}
	m.scroll = min(m.scroll, from)
}

// openOther takes the operator's own words.
func (m *model) openOther(c *board.Card) tea.Cmd {
	k, step := c.Key(), c.Ask.Step
	_, answer := c.Ask.Question()
	m.prompt = &prompt{
		purpose: askLine, what: "other: ", help: "enter keeps it · esc cancels", text: []rune(answer.Other),
		send: func(text string) tea.Cmd { return m.keepOther(k, step, text) },
	}
	return nil
}

func (m *model) keepOther(k guard.Drawn, step int, text string) tea.Cmd {
	c := m.drawnCard()
	if c == nil || c.Key() != k || c.Ask == nil || c.Ask.Step != step || c.Sending != "" {
		return m.Say(draw.Warn, "this question is no longer on the screen: nothing was kept")
	}
	c.Ask.Say(strings.TrimSpace(text))
	m.showCursor(c)
	return nil
}

// sendForm sends the answers of the form on the drawn card, as the call's own input.
func (m *model) sendForm() tea.Cmd {
	c := m.drawnCard()
	if !m.inForm(c) || c.Sending != "" {
		return m.Say(draw.Warn, "this question no longer waits: nothing was sent")
	}
	k := c.Key()
	filled, err := c.Ask.Form.Fill(c.Ask.Answers)
	if err != nil {
		return m.Say(draw.Warn, draw.SafeLine(err.Error())+": nothing was sent")
	}
	c.Sending = broker.Allow
	delete(m.Board.Marks, k.ID)
	m.moveOn()
	m.screen = screenMain // the next card comes up where it is listed, not over the whole window
	return m.decideWith(k, broker.Decision{Verdict: broker.Allow, By: m.Operator, UpdatedInput: filled, Digest: k.Digest})
}

// decideWith hands a decision about the call of k to the broker.
func (m *model) decideWith(k guard.Drawn, d broker.Decision) tea.Cmd {
	ctx, console := m.Ctx, m.console
	return func() tea.Msg {
		req, err := console.Decide(ctx, k.ID, d)
		return decidedMsg{key: k, verdict: d.Verdict, req: req, err: err}
	}
}

// askHints are the keys worth naming on a question's card.
func (m *model) askHints(c *board.Card) []hint {
	help := hint{m.keys.Help.Help().Key, "help"}
	if !m.inForm(c) {
		return []hint{{"enter", "answer"}, {"D", "decline"}, {"a", "let it ask in its terminal"}, {"s", "stop"}, {m.keys.MoreTime.Help().Key, "more time"}, help}
	}
	next := "next"
	if c.Ask.Last() {
		next = "send"
	}
	if c.Ask.Unread() && !c.Ask.Overview() {
		return []hint{{"ctrl+d", "read on"}, {"space", "pick"}, {"o", "other"}, {"esc", "decline"}, {"h", "back"}, help}
	}
	if c.Ask.Overview() {
		first := hint{"enter", next}
		if c.Ask.Unread() {
			first = hint{"ctrl+d", "read on"}
		}
		return []hint{first, {"h", "back"}, {"esc", "decline"}, help}
	}
	return []hint{{"enter", next}, {"space", "pick"}, {"o", "other"}, {"esc", "decline"}, {"h", "back"}, {"j k", "move"}, help}
}

// planHints are those on a plan's card.
func planHints(list []hint) []hint {
	return append([]hint{{"a", "approve"}, {"d", "send back"}}, list[4:]...)
}

// reasonLead is what stands before the words with which c is refused.
func reasonLead(c *board.Card) string {
	switch c.Dialog() {
	case agents.AskUserQuestion:
		return "decline to answer, because: "
	case agents.ExitPlanMode:
		return "changes to the plan: "
	}
	return ""
}

// mustBeSaid reports whether c is refused with words only.
func mustBeSaid(c *board.Card) bool { return c.Dialog() == agents.ExitPlanMode }
