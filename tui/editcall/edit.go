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

// editState is where an edit stands. It goes from open over judging to broken or
// asking, back to open as often as the person likes, and from asking to sending.
type editState int

// The states.
const (
	editOpen    editState = iota // the editor has the terminal
	editJudging                  // the broker reads the new input
	editBroken                   // the text is of no use as an input
	editAsking                   // the question is on the screen
	editSending                  // on its way to the broker
)

// key names what the question is about, for the guard. The version is part of it: a
// text that was judged again is another thing to decide about.
func (e *edit) key() guard.Drawn {
	return guard.Drawn{ID: "edit of " + e.card.ID, Digest: e.judged.Request.Digest, Rev: e.version}
}

// draftsKept is how many edited texts are remembered for their calls.
const draftsKept = 32

// Opens opens the editor on the drawn call, or the question again where the text was
// edited before. An input that cannot be taken apart closes the screen at once, with a
// sentence.
func (x *Screen) Opens(on desk.Subject) tea.Cmd {
	form, err := newEditForm(*on.Call)
	if err != nil {
		return tea.Batch(x.Back(), x.Say(draw.Warn, "it cannot be edited: "+safe.Line(err.Error())))
	}
	x.gen++
	x.edit = &edit{gen: x.gen, card: on.Drawn, req: *on.Call, form: form, text: form.text()}
	// A text that was edited before is judged anew: rules and files may have changed
	// since.
	if draft, ok := x.drafts[on.Drawn.Digest]; ok {
		x.edit.text = draft
		return x.judge()
	}
	return x.runEditor()
}

// runEditor gives the text to the editor. It has the terminal until it ends.
func (x *Screen) runEditor() tea.Cmd {
	e := x.edit
	e.state = editOpen
	gen := e.gen
	// The loop stands still until the editor ends, so no message of ours can come in
	// between.
	return x.setup.Editor.Open(x.Ctx, e.form.file, e.text, func(run *external.Run, err error) tea.Msg {
		return backMsg{gen: gen, run: run, err: err}
	})
}

// tooSoon is how fast an editor comes back that does not wait for its window to be
// closed.
const tooSoon = time.Second

// cameBack takes the text back. Whatever was typed meanwhile was for the editor. An
// editor that failed and changed nothing is as if it had not been opened; one that
// failed after a change leaves its text as a draft, which nobody has to allow.
func (x *Screen) cameBack(msg backMsg) tea.Cmd {
	x.Guard.Doubt(x.At)
	// Bubble Tea switches the mouse off when another program gets the terminal.
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
		// The text is the call's own again, so there is nothing to remember.
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
	// The call ended while the editor was open, so its text goes to a file now.
	if e.gone != "" && x.edit == e {
		cmd = tea.Batch(cmd, x.keepGone())
	}
	return cmd
}

// keepDraft remembers the edited text for the call, and for its retry. A full memory
// is emptied: an old draft is worth less than the rule for which to drop.
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

// leave goes back to the card. What was edited is kept for another e. The card must be
// looked at again before a key decides about it.
func (x *Screen) leave() {
	e := x.edit
	if _, same, err := e.form.read(e.text); err != nil || !same {
		x.keepDraft()
	}
	x.close()
	x.Guard.Doubt(x.At)
}

// judge asks the broker what the new input would do. Each time counts as a new
// version, and what was seen of an older one does not count for this one.
func (x *Screen) judge() tea.Cmd {
	e := x.edit
	e.version++
	// Nothing of an earlier judgement may be left: not what was read, and not the
	// place.
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
	// Settings of a project lie in its folder, which need not be the one that the call
	// runs in.
	if s := x.Board.Sessions[asked.SessionID]; s != nil && s.ProjectDir != "" {
		project = s.ProjectDir
	}
	// Hooks of others are looked for in files, so that belongs into the command as
	// well.
	return func() tea.Msg {
		msg := assessedMsg{gen: gen, version: version}
		msg.judged, msg.err = b.AssessEdited(ctx, id, input)
		if hooks != nil {
			msg.others = hooks(asked.Agent, asked.Event, asked.ToolName, project)
		}
		return msg
	}
}

// assessed takes the broker's judgement. One about an earlier text is dropped. A
// dangerous input gets a code of its own, whatever the call's own danger was.
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
	// A harmless input gets no code, even when an earlier text was dangerous.
	e.code = ""
	if e.judged.Dangerous() {
		e.code = x.setup.NewCode()
	}
	return nil
}
