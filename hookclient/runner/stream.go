package runner

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// system is what the agent says of itself. An init line is a sign that a turn begins.
func (p *peer) system(m message) {
	if m.Mode != "" {
		p.questions.mode = m.Mode
	}
	if m.Subtype == "init" {
		p.turn.begin()
	}
}

// maxSaid is how much of what the model said is reported, in bytes. The whole text is in the
// agent's transcript.
const maxSaid = 16 << 10

// assistant is what the model said. What a sub-agent says is shown, and not reported: it is no
// part of the conversation with the user.
func (p *peer) assistant(m message) {
	list, err := blocks(m.Message)
	if err != nil {
		p.out.note("assistant", "what the agent said cannot be read")
		return
	}
	p.turn.begin()
	if m.fromModel() {
		p.mailbox.reachedModel(nil)
	}
	for _, b := range list {
		switch b.Type {
		case "text":
			if strings.TrimSpace(b.Text) == "" {
				continue
			}
			if m.Parent == "" {
				p.out.report(wire.RunReport{Kind: wire.ReportSaid, Text: cut(b.Text, maxSaid)})
			}
			p.out.see(Seen{Kind: SeenText, Text: b.Text, Sub: m.Parent != ""})
		case "tool_use":
			p.turn.callBegan(b.ID, b.Name)
			p.out.see(Seen{Kind: SeenCall, Tool: b.Name, Input: b.Input, ID: b.ID, Sub: m.Parent != ""})
		}
	}
}

// user is what the tools gave back, or an echo of a message. What ran without having come
// through the gate ends the agent.
//
// A result without an error is a call that ran. That it was allowed stands in the ledger, or the
// agent went past its gate.
func (p *peer) user(m message) {
	if m.UUID != "" && m.IsReplay {
		p.mailbox.tookUp(m.UUID)
	}
	list, err := blocks(m.Message)
	if err != nil {
		p.out.note("user", "what a tool gave back cannot be read")
		return
	}
	for _, b := range list {
		if b.Type != "tool_result" {
			continue
		}
		tool := p.turn.callEnded(b.ToolUseID)
		if !b.IsError && !p.questions.ledger.mayRun(b.ToolUseID) {
			p.fail(fmt.Sprintf("ALARM: %s (%s) ran without having been allowed: the agent does not keep to its gate, and is ended",
				cut(cmp.Or(tool, "a call"), 80), cut(b.ToolUseID, 80)))
		}
		p.questions.ledger.ended(b.ToolUseID)
		p.out.see(Seen{Kind: SeenEnd, ID: b.ToolUseID, Tool: tool, Text: resultText(b.Content), Error: b.IsError, Sub: m.Parent != ""})
	}
}

// result ends a turn. A turn that somebody interrupted is no reason why a model should not
// have had its message. A call that was put off ends the process, so that it can be resumed when
// the call has its answer.
func (p *peer) result(m message) {
	p.turn.end(m)
	last := p.turn.last
	var why error
	// A turn that failed may have failed before any model was asked, so its message may come
	// again.
	if p.turn.failed && !strings.HasPrefix(last.Result, "aborted") {
		why = errors.New(last.Error)
	}
	p.mailbox.turnEnded(why)
	switch {
	case p.ending():
		p.shutdown.turnEnded(last.Result)
	case last.Result == putOff:
		p.leave()
	default:
		p.out.report(p.turn.reportAs(wire.ReportIdle))
		p.sayNext()
		p.mayLeave()
	}
}
