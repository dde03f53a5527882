package timeline

import (
	"bytes"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/event"
)

// retoldWithin is how far apart an agent tells the same thing through two hooks at most: those of its
// settings and those that its runner put up.
const retoldWithin = time.Second

// once leaves out what was told a second time. The steps are in the order of their numbers. What could be
// another event of the same words stays: a call ends only once, and of two prompts or ends of turns with
// the same words nothing else of a turn must lie between them.
func once(steps []*event.Step) []*event.Step {
	kept := make([]*event.Step, 0, len(steps))
	ends := map[string]*event.Step{} // of calls, by the agent's own id
	var turn *event.Step             // the last prompt or end of a turn
	for _, s := range steps {
		switch {
		case s.Event.Type == broker.EventPostTool && s.Ran.ToolUseID != "":
			if retold(ends[s.Ran.ToolUseID], s) {
				continue
			}
			ends[s.Ran.ToolUseID] = s
		case s.Event.Type == broker.EventUser, s.Event.Type == broker.EventTurnEnd:
			if retold(turn, s) {
				continue
			}
			turn = s
		}
		kept = append(kept, s)
	}
	return kept
}

// retold reports whether s tells to the letter what before told, which may be nil.
func retold(before, s *event.Step) bool {
	if before == nil || len(s.Event.Data) == 0 {
		return false
	}
	a, b := before.Event, s.Event
	return a.Type == b.Type && a.RequestID == b.RequestID && bytes.Equal(a.Data, b.Data) && b.At.Sub(a.At).Abs() <= retoldWithin
}
