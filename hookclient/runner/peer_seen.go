package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

func (p *peer) system(m message) {
	if m.Mode != "" {
		p.mode = m.Mode
	}
	if m.Subtype == "init" {
		p.working()
	}
}

// assistant is what the model said.
func (p *peer) assistant(m message) {
	list, err := blocks(m.Message)
	if err != nil {
		p.note("assistant", "what the agent said cannot be read")
		return
	}
	p.working()
	if m.fromModel() {
		p.reachedModel(nil)
	}
	for _, b := range list {
		switch b.Type {
		case "text":
			if strings.TrimSpace(b.Text) == "" {
				continue
			}
			if m.Parent == "" {
				p.report(wire.RunReport{Kind: wire.ReportSaid, Text: cut(b.Text, maxSaid)})
			}
			p.see(Seen{Kind: SeenText, Text: b.Text, Sub: m.Parent != ""})
		case "tool_use":
			if len(p.names) < maxSeen {
				p.names[b.ID] = b.Name
			}
			p.see(Seen{Kind: SeenCall, Tool: b.Name, Input: b.Input, ID: b.ID, Sub: m.Parent != ""})
		}
	}
}

// user is what the tools gave back, or an echo of a message.
func (p *peer) user(m message) {
	if m.UUID != "" && m.IsReplay {
		p.tookUp(m.UUID)
	}
	list, err := blocks(m.Message)
	if err != nil {
		p.note("user", "what a tool gave back cannot be read")
		return
	}
	for _, b := range list {
		if b.Type != "tool_result" {
			continue
		}
		if !b.IsError && !p.ledger.mayRun(b.ToolUseID) {
			p.alarm(b.ToolUseID)
		}
		p.ledger.ended(b.ToolUseID)
		name := p.names[b.ToolUseID]
		delete(p.names, b.ToolUseID)
		p.see(Seen{Kind: SeenEnd, ID: b.ToolUseID, Tool: name, Text: resultText(b.Content), Error: b.IsError, Sub: m.Parent != ""})
	}
}

// alarm ends an agent of which something ran that did not come through the gate.
func (p *peer) alarm(id string) {
	name := cmp.Or(p.names[id], "a call")
	p.fail(fmt.Sprintf("ALARM: %s (%s) ran without having been allowed: the agent does not keep to its gate, and is ended", cut(name, 80), cut(id, 80)))
}

// result ends a turn.
func (p *peer) result(m message) {
	p.turns++
	p.used.add(m)
	p.last = wire.RunReport{Result: m.ending(), Cost: p.used.cost, Usage: p.used.usage, Turns: p.turns}
	p.failed = m.IsError || m.Subtype != "success"
	if p.failed {
		p.last.Error = cut(m.whyFailed(), maxReason)
	}
	p.busy = false
	p.names = map[string]string{}
	p.see(Seen{Kind: SeenResult, Text: p.last.Result, Error: p.failed, Cost: p.last.Cost, Usage: p.last.Usage})
	if !p.lifecycle {
		for uuid := range p.told {
			p.tookUp(uuid) // it never says so itself
		}
	}
	if p.failed && !strings.HasPrefix(p.last.Result, "aborted") { // not by somebody who interrupted it
		p.reachedModel(errors.New(p.last.Error))
	}
	p.reachedModel(nil)
	switch {
	case p.phase == stopping:
		p.step("it ended its turn: %s", p.last.Result)
		p.closeInput()
	case p.ending():
	case p.last.Result == putOff:
		p.leave()
	default:
		idle := p.last
		idle.Kind = wire.ReportIdle
		p.report(idle)
		p.sayNext()
		p.mayLeave()
	}
}

// mayLeave asks whether there is more to do, where the run is for one turn.
func (p *peer) mayLeave() {
	if p.phase == standing && !p.busy && !p.keep && !p.settling {
		p.settling = true
		p.do(settle{})
	}
}

// settled takes what the console still had after the turn; known is false when it could
// not be asked.
func (p *peer) settled(orders []wire.RunOrder, known bool) {
	p.settling = false
	if known {
		p.orders(orders)
	}
	if p.phase == standing && !p.busy && !p.keep && len(p.waiting) == 0 && len(p.told) == 0 {
		p.leave()
	}
}

// tookUp notes that the agent has taken up a message. It counts as told once a model has
// it: an agent that is not logged in takes up everything.
func (p *peer) tookUp(uuid string) {
	if order, ok := p.told[uuid]; ok {
		delete(p.told, uuid)
		p.taking = append(p.taking, order)
	}
}

// reachedModel notes that a model has the messages that were taken up, or why none has.
func (p *peer) reachedModel(err error) {
	for _, order := range p.taking {
		if p.done(order, err); err != nil && len(p.missed) < maxSeen {
			p.missed[order] = true
			delete(p.taken, order)
		}
	}
	p.taking = nil
}

// cut is the first bytes of s, at most most of them and whole runes, with a mark.
func cut(s string, most int) string {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// maxReason is the longest text of what went wrong, in bytes.
const maxReason = 2 << 10

// user message, as the agent reads it.
type userMessage struct {
	Type    string `json:"type"`
	Message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"message"`
	Parent    *string `json:"parent_tool_use_id"`
	SessionID string  `json:"session_id"`
	UUID      string  `json:"uuid"`
}

func userSays(session, uuid, text string) userMessage {
	m := userMessage{Type: "user", SessionID: session, UUID: uuid}
	m.Message.Role, m.Message.Content = "user", text
	return m
}

// plainObject reports whether raw is one JSON object.
func plainObject(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m != nil
}
