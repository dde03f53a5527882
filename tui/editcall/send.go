package editcall

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// send allows the call with the input that is on the screen. The digest is that of the
// call as it was asked, the seal that of the judgement which was shown: the broker
// refuses when either is no longer so.
func (x *Screen) send() tea.Cmd {
	e := x.edit
	if e == nil {
		return nil
	}
	if i, why := x.mayAllow(); why != "" {
		return x.Say(i, why)
	}
	e.state = editSending
	// The card must not be decided a second time from the list.
	x.Board.Cards[e.card.ID].Sending = broker.Allow
	d := broker.Decision{
		Verdict: broker.Allow, By: x.Operator, Digest: e.card.Digest, UpdatedInput: e.input,
		Seal: e.judged.Seal, Dangerous: e.code != "",
	}
	ctx, b, id, gen := x.Ctx, x.broker, e.card.ID, e.gen
	return func() tea.Msg {
		// The console must go on drawing while the broker records.
		req, err := b.Decide(ctx, id, d)
		return sentMsg{gen: gen, id: id, req: req, err: err}
	}
}

// sent tells what became of the decision. When files or rules have changed meanwhile,
// the input is judged anew and the question comes again.
func (x *Screen) sent(msg sentMsg) tea.Cmd {
	c := x.Board.Cards[msg.id]
	if c != nil && msg.err != nil {
		// The card can be decided again: nothing was recorded.
		c.Sending = ""
	}
	e := x.edit
	if e == nil || e.gen != msg.gen {
		return nil
	}
	e.state = editAsking
	name := callview.SummaryOf(e.req).Tool
	switch {
	case msg.err == nil:
		delete(x.drafts, e.card.Digest)
		x.close()
		x.Guard.Doubt(x.At)
		return tea.Batch(func() tea.Msg { return desk.Allowed{ID: msg.id} }, x.Say(draw.OK, name+": allowed as you edited it; the log has both", name+": allowed as edited"))
	case errors.Is(msg.err, context.Canceled):
		return nil
	case errors.Is(msg.err, broker.ErrChanged), errors.Is(msg.err, broker.ErrReadAnew):
		return tea.Batch(x.judge(), x.Say(draw.Warn, name+": a file of the edited call changed meanwhile: look again", "a file changed: look again"))
	// Somebody else was first; the record says who.
	case errors.Is(msg.err, broker.ErrAlreadyDecided) && msg.req.Outcome != nil:
		return x.hasGone(x.Book.Ended(msg.req))
	case errors.Is(msg.err, broker.ErrNotRecorded):
		return tea.Batch(x.hasGone("could not be recorded, so the agent was told no"), x.Say(draw.Danger, name+": not recorded: the agent was told no"))
	case errors.Is(msg.err, broker.ErrNotFound), errors.Is(msg.err, broker.ErrAlreadyDecided):
		return x.hasGone("is no longer waiting")
	}
	// The rules may have changed: what they say now is shown.
	return tea.Batch(x.judge(), x.Say(draw.Danger, name+": "+safe.Line(words.WhatIsWrong(msg.err))))
}
