package runner

import "github.com/aoctl/aoctl/broker/wire"

// turn is what the agent is doing right now, if anything, and what all its turns have come
// to so far. A turn begins when the agent is told a message or starts on something by
// itself, and ends with a result. last keeps its totals after the turn, for the report of the
// end.
type turn struct {
	out         *outbox
	busy        bool
	interrupted bool              // the person before the runner interrupted it
	tools       map[string]string // tools of the calls under way, by the call's id

	count  int            // of turns that ended
	used   tally          // by all of them
	last   wire.RunReport // the latest result
	failed bool           // that turn did
}

// newTurn is one that has not begun.
func newTurn(out *outbox) *turn { return &turn{out: out, tools: map[string]string{}} }

// begin notes that the agent is at work. Most signs of that come in the middle of a turn.
func (t *turn) begin() {
	if t.busy {
		return
	}
	t.busy = true
	t.out.report(wire.RunReport{Kind: wire.ReportWorking})
}

// callBegan keeps the tool's name for the viewer: a result names only the call.
func (t *turn) callBegan(id, tool string) {
	if len(t.tools) < maxSeen {
		t.tools[id] = tool
	}
}

// callEnded is the name of the tool that call id was for, "" when that is not known.
func (t *turn) callEnded(id string) string {
	tool := t.tools[id]
	delete(t.tools, id)
	return tool
}

// end takes the result of a turn. A result is believed whatever came before it: the agent says
// when its turn is over.
func (t *turn) end(m message) {
	t.count++
	t.used.add(m)
	t.last = wire.RunReport{Result: m.ending(), Cost: t.used.cost, Usage: t.used.usage, Turns: t.count}
	// Either sign is enough, as a turn that failed must not pass for one that did not.
	t.failed = m.IsError || m.Subtype != "success"
	if t.failed {
		t.last.Error = cut(m.whyFailed(), maxReason)
	}
	t.busy = false
	t.tools = map[string]string{}
	t.out.see(Seen{Kind: SeenResult, Text: t.last.Result, Error: t.failed, Cost: t.last.Cost, Usage: t.last.Usage})
}

// reportAs is the latest result as a report of another kind.
func (t *turn) reportAs(kind string) wire.RunReport {
	r := t.last
	r.Kind = kind
	return r
}
