package tui

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/text"
)

// edit is a call whose input the operator changes before allowing it. It lies over the
// screen, and while it is open every key is for it. Nothing of it holds before it is
// allowed, and nothing that was written is lost when it is not.
type edit struct {
	gen  int // tells answers for this edit from those for one before
	card guard.Drawn
	req  broker.Request // as it was asked
	form editForm
	text string // as it came back from the editor last

	state   editState
	version int             // counts what was judged: another one is another thing to decide about
	input   json.RawMessage // what the text says, once it is of use
	problem string          // why it is of none; safe to draw
	judged  broker.Edited
	others  []string // hooks that could change the input again, raw
	code    string   // what allows it when it is dangerous
	seen    bool     // the difference and the new call were on the screen to the end
	top     int

	gone string // how the call ended meanwhile; safe to draw
	kept string // where the text is kept then, or why not, raw
}

// editState is where an edit stands.
type editState int

// The states.
const (
	editOpen    editState = iota // the editor has the terminal
	editJudging                  // the broker reads the new input
	editBroken                   // the text is of no use as an input
	editAsking                   // the question is on the screen
	editSending                  // on its way to the broker
)

// key names what the question is about, for the guard.
func (e *edit) key() guard.Drawn {
	return guard.Drawn{ID: "edit of " + e.card.ID, Digest: e.judged.Request.Digest, Rev: e.version}
}

// draftsKept is how many edited texts are remembered for their calls.
const draftsKept = 32

// askEdit takes e on a card.
func (m *model) askEdit(wait time.Duration, refusal string) tea.Cmd {
	c := m.drawnCard()
	switch {
	case c == nil && m.tooSmall() && m.card() != nil:
		return m.Say(draw.Warn, m.tooSmallText())
	case c == nil:
		return m.Say(draw.Muted, "nothing waits")
	case refusal != "":
		return m.Say(draw.Warn, "… "+refusal)
	case len(m.Board.Marks) > 0:
		return m.Say(draw.Warn, "e is about one call: esc unmarks all")
	case c.Sending != "":
		return m.Say(draw.Muted, "already sent; waiting for the record")
	case c.Late():
		return m.Say(draw.Warn, "this call was refused already: its retry can pass only as it was asked", "refused already: nothing to edit")
	}
	switch tool := c.Tool(); tool {
	case "AskUserQuestion", "ExitPlanMode":
		return m.Say(draw.Muted, "questions and plans are answered on their card, not edited")
	}
	if why := c.Req.Fixed(); why != "" {
		m.instead = c.Key()
		return m.Say(draw.Warn, safe.Line(why)+": D denies it and says what to run instead", safe.Line(why)+": D denies it", "cannot be edited: D says what to run instead")
	}
	return m.InAMoment(wait, func() tea.Cmd { return m.openEdit(c.Key()) })
}

// insteadOf begins the reason of a denial with what to run instead, for an agent that
// takes no other input.
func insteadOf(c *board.Card) string {
	_, input := c.Req.Call()
	if command, ok := change.ReadInput(input).Text("command"); ok && !strings.ContainsAny(command, "\n\r\t") && len(command) < text.MaxTyped/2 {
		return "Run this instead: " + command
	}
	return "Do this instead: "
}

// openEdit opens the editor on the drawn call key, or the question again where the text
// was edited before.
func (m *model) openEdit(key guard.Drawn) tea.Cmd {
	c := m.Board.Still(key)
	if c == nil {
		return m.Say(draw.Warn, "this call is no longer waiting: nothing was opened")
	}
	form, err := newEditForm(c.Req)
	if err != nil {
		return m.Say(draw.Warn, "it cannot be edited: "+safe.Line(err.Error()))
	}
	m.editGen++
	m.edit = &edit{gen: m.editGen, card: key, req: c.Req, form: form, text: form.text()}
	m.note = note{}
	if draft, ok := m.drafts[key.Digest]; ok {
		m.edit.text = draft
		return m.judgeEdit()
	}
	return m.runEdit()
}

// runEdit gives the text to the editor.
func (m *model) runEdit() tea.Cmd {
	e := m.edit
	e.state = editOpen
	run := &editRun{
		ctx: m.Ctx, command: m.opts.Editor, folder: m.opts.EditFolder, file: e.form.file, text: e.text, hold: m.opts.Foreground,
	}
	run.SetStdin(m.opts.Input)
	run.SetStdout(m.opts.Output)
	gen := e.gen
	return m.exec(run, func(err error) tea.Msg { return editedMsg{gen: gen, run: run, err: err} })
}

// tooSoon is how fast an editor comes back that does not wait for its window to be closed.
const tooSoon = time.Second

// edited takes the text back. Whatever was typed meanwhile was for the editor.
func (m *model) edited(msg editedMsg) tea.Cmd {
	m.Guard.Doubt(m.At)
	again := tea.EnableMouseCellMotion // the terminal came back without
	e := m.edit
	if e == nil || e.gen != msg.gen || e.state != editOpen {
		return again
	}
	was := e.text
	e.text = msg.run.got
	_, same, err := e.form.read(e.text)
	untouched := e.text == was || err == nil && same
	switch {
	case msg.err != nil && untouched:
		e.text = was
		m.leaveEdit()
		return tea.Batch(again, m.Say(draw.Danger, safe.Line(msg.err.Error())+"; nothing was changed"))
	case msg.err != nil:
		m.leaveEdit()
		return tea.Batch(again, m.Say(draw.Danger, safe.Line(msg.err.Error())+"; e shows what it left"))
	case err == nil && same:
		delete(m.drafts, e.card.Digest)
		ended := e.gone
		m.edit = nil
		texts := []string{"nothing was changed: the call waits as it was asked", "nothing was changed"}
		switch {
		case ended != "":
			texts = []string{"nothing was changed; this call " + ended}
		case msg.run.took < tooSoon:
			texts = append([]string{texts[0] + " (a graphical editor must be told to wait: EDITOR=\"code --wait\")"}, texts...)
		}
		return tea.Batch(again, m.Say(draw.Muted, texts...))
	}
	m.keepDraft()
	cmd := tea.Batch(again, m.judgeEdit())
	if e.gone != "" && m.edit == e {
		cmd = tea.Batch(cmd, m.keepGone())
	}
	return cmd
}

// keepDraft remembers the edited text for the call, and for its retry.
func (m *model) keepDraft() {
	if m.drafts == nil || len(m.drafts) >= draftsKept {
		m.drafts = map[string]string{}
	}
	m.drafts[m.edit.card.Digest] = m.edit.text
}

// leaveEdit goes back to the card. What was edited is kept for another e.
func (m *model) leaveEdit() {
	e := m.edit
	if _, same, err := e.form.read(e.text); err != nil || !same {
		m.keepDraft()
	}
	m.edit = nil
	m.Guard.Doubt(m.At)
}

// judgeEdit asks the broker what the new input would do.
func (m *model) judgeEdit() tea.Cmd {
	e := m.edit
	e.version++
	e.top, e.seen, e.problem = 0, false, ""
	input, same, err := e.form.read(e.text)
	switch {
	case err != nil:
		e.state, e.problem = editBroken, safe.Line(err.Error())
		return nil
	case same:
		delete(m.drafts, e.card.Digest)
		m.edit = nil
		return m.Say(draw.Muted, "nothing was changed: the call waits as it was asked")
	}
	e.state, e.input = editJudging, input
	ctx, console, id, gen, version := m.Ctx, m.console, e.card.ID, e.gen, e.version
	hooks, asked, project := m.opts.OtherHooks, e.req, e.req.CWD
	if s := m.Board.Sessions[asked.SessionID]; s != nil && s.ProjectDir != "" {
		project = s.ProjectDir
	}
	return func() tea.Msg {
		msg := editJudgedMsg{gen: gen, version: version}
		msg.judged, msg.err = console.AssessEdited(ctx, id, input)
		if hooks != nil {
			msg.others = hooks(asked.Agent, asked.Event, asked.ToolName, project)
		}
		return msg
	}
}

func (m *model) editJudged(msg editJudgedMsg) tea.Cmd {
	e := m.edit
	if e == nil || e.gen != msg.gen || e.version != msg.version || e.state != editJudging {
		return nil
	}
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case errors.Is(msg.err, broker.ErrNotFound):
		return m.editGone("is no longer known to the broker")
	case msg.err != nil:
		e.state, e.problem = editBroken, safe.Line(withoutPath(msg.err))
		return nil
	}
	e.state, e.judged, e.others = editAsking, msg.judged, msg.others
	e.code = ""
	if e.judged.Dangerous() {
		e.code = m.makeCode()
	}
	return nil
}

// withoutPath is what is wrong, without what the broker was doing.
func withoutPath(err error) string {
	text := err.Error()
	if _, rest, ok := strings.Cut(text, broker.ErrInvalid.Error()+": "); ok {
		return rest
	}
	return text
}

// editNews looks whether the call of an open edit still waits.
func (m *model) editNews() tea.Cmd {
	e := m.edit
	if e == nil || e.gone != "" || e.state == editSending {
		return nil
	}
	switch c := m.Board.Cards[e.card.ID]; {
	case c == nil:
		return m.editGone("is no longer waiting")
	case c.Req.State.Terminal():
		return m.editGone(m.Book.Ended(c.Req))
	}
	return nil
}

// editGone notes that there is nothing left to allow, and keeps the text in a file.
func (m *model) editGone(how string) tea.Cmd {
	e := m.edit
	if e == nil || e.gone != "" {
		return nil
	}
	e.gone = how
	if e.state == editOpen {
		return nil // the editor is still at it
	}
	return m.keepGone()
}

// keepGone writes the text of a call that ended to a file.
func (m *model) keepGone() tea.Cmd {
	e := m.edit
	folder, id, name, text, at, gen := m.opts.EditFolder, e.card.ID, e.form.file, e.text, m.At, e.gen
	return func() tea.Msg {
		path, err := keepEdited(folder, id, name, text, at)
		return editKeptMsg{gen: gen, path: path, err: err}
	}
}

func (m *model) editKept(msg editKeptMsg) {
	if e := m.edit; e != nil && e.gen == msg.gen {
		e.kept = "your text is in " + msg.path
		if msg.err != nil {
			e.kept = msg.err.Error()
		}
	}
}
