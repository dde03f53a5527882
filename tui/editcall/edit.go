package editcall

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/external"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
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

// Opens opens the editor on the drawn call, or the question again where the text was edited before.
func (x *Screen) Opens(on desk.Subject) tea.Cmd {
	form, err := newEditForm(*on.Call)
	if err != nil {
		return tea.Batch(x.Back(), x.Say(draw.Warn, "it cannot be edited: "+safe.Line(err.Error())))
	}
	x.gen++
	x.edit = &edit{gen: x.gen, card: on.Drawn, req: *on.Call, form: form, text: form.text()}
	if draft, ok := x.drafts[on.Drawn.Digest]; ok {
		x.edit.text = draft
		return x.judge()
	}
	return x.runEditor()
}

// runEditor gives the text to the editor.
func (x *Screen) runEditor() tea.Cmd {
	e := x.edit
	e.state = editOpen
	gen := e.gen
	return x.setup.Editor.Open(x.Ctx, e.form.file, e.text, func(run *external.Run, err error) tea.Msg {
		return backMsg{gen: gen, run: run, err: err}
	})
}

// tooSoon is how fast an editor comes back that does not wait for its window to be closed.
const tooSoon = time.Second

// cameBack takes the text back. Whatever was typed meanwhile was for the editor.
func (x *Screen) cameBack(msg backMsg) tea.Cmd {
	x.Guard.Doubt(x.At)
	again := tea.EnableMouseCellMotion // the terminal came back without
	e := x.edit
	if e == nil || e.gen != msg.gen || e.state != editOpen {
		return again
	}
	was := e.text
	e.text = msg.run.Got
	_, same, err := e.form.read(e.text)
	untouched := e.text == was || err == nil && same
	switch {
	case msg.err != nil && untouched:
		e.text = was
		x.leave()
		return tea.Batch(again, x.Say(draw.Danger, safe.Line(msg.err.Error())+"; nothing was changed"))
	case msg.err != nil:
		x.leave()
		return tea.Batch(again, x.Say(draw.Danger, safe.Line(msg.err.Error())+"; "+x.Called("e")+" shows what it left"))
	case err == nil && same:
		delete(x.drafts, e.card.Digest)
		ended := e.gone
		x.close()
		texts := []string{"nothing was changed: the call waits as it was asked", "nothing was changed"}
		switch {
		case ended != "":
			texts = []string{"nothing was changed; this call " + ended}
		case msg.run.Took < tooSoon:
			texts = append([]string{texts[0] + " (a graphical editor must be told to wait: EDITOR=\"code --wait\")"}, texts...)
		}
		return tea.Batch(again, x.Say(draw.Muted, texts...))
	}
	x.keepDraft()
	cmd := tea.Batch(again, x.judge())
	if e.gone != "" && x.edit == e {
		cmd = tea.Batch(cmd, x.keepGone())
	}
	return cmd
}

// keepDraft remembers the edited text for the call, and for its retry.
func (x *Screen) keepDraft() {
	if x.drafts == nil || len(x.drafts) >= draftsKept {
		x.drafts = map[string]string{}
	}
	x.drafts[x.edit.card.Digest] = x.edit.text
}

// close leaves the screen.
func (x *Screen) close() {
	x.edit = nil
	x.Back()
}

// leave goes back to the card. What was edited is kept for another e.
func (x *Screen) leave() {
	e := x.edit
	if _, same, err := e.form.read(e.text); err != nil || !same {
		x.keepDraft()
	}
	x.close()
	x.Guard.Doubt(x.At)
}

// judge asks the broker what the new input would do.
func (x *Screen) judge() tea.Cmd {
	e := x.edit
	e.version++
	e.top, e.seen, e.problem = 0, false, ""
	input, same, err := e.form.read(e.text)
	switch {
	case err != nil:
		e.state, e.problem = editBroken, safe.Line(err.Error())
		return nil
	case same:
		delete(x.drafts, e.card.Digest)
		x.close()
		return x.Say(draw.Muted, "nothing was changed: the call waits as it was asked")
	}
	e.state, e.input = editJudging, input
	ctx, b, id, gen, version := x.Ctx, x.broker, e.card.ID, e.gen, e.version
	hooks, asked, project := x.setup.OtherHooks, e.req, e.req.CWD
	if s := x.Board.Sessions[asked.SessionID]; s != nil && s.ProjectDir != "" {
		project = s.ProjectDir
	}
	return func() tea.Msg {
		msg := assessedMsg{gen: gen, version: version}
		msg.judged, msg.err = b.AssessEdited(ctx, id, input)
		if hooks != nil {
			msg.others = hooks(asked.Agent, asked.Event, asked.ToolName, project)
		}
		return msg
	}
}

func (x *Screen) assessed(msg assessedMsg) tea.Cmd {
	e := x.edit
	if e == nil || e.gen != msg.gen || e.version != msg.version || e.state != editJudging {
		return nil
	}
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case errors.Is(msg.err, broker.ErrNotFound):
		return x.hasGone("is no longer known to the broker")
	case msg.err != nil:
		e.state, e.problem = editBroken, safe.Line(words.WhatIsWrong(msg.err))
		return nil
	}
	e.state, e.judged, e.others = editAsking, msg.judged, msg.others
	e.code = ""
	if e.judged.Dangerous() {
		e.code = x.setup.NewCode()
	}
	return nil
}
