package service

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
)

const (
	maxRan    = 64 << 10 // bytes of an input that ran that are kept
	maxAlarms = 1000     // tools of a session that are told apart; a tenth of the reports
	mostOpen  = 100      // alarms of a session that nobody has acknowledged; more say nothing new

	alarmsRead = 1000 // events that a starting console reads at a time
)

// alarms are the alarms of the log. Guarded by Broker.mu.
type alarms struct {
	open  map[string]broker.Alarm // by session: the first one that nobody has acknowledged
	count map[string]int          // by session: how many there are of those
	of    map[string]broker.Alarm // by request
	seen  map[string]bool         // by session, tool use and kind: reports come twice when two hooks are installed
}

func (l *alarms) add(a broker.Alarm) {
	if _, ok := l.open[a.SessionID]; !ok {
		l.open[a.SessionID] = a
	}
	l.count[a.SessionID]++
	if a.RequestID != "" {
		l.of[a.RequestID] = a
	}
}

// seenIn takes note that somebody has acknowledged the alarms of a session.
func (l *alarms) seenIn(sessionID string) {
	delete(l.open, sessionID)
	delete(l.count, sessionID)
}

// noteAsks notes what a session asks for before it runs. Caller holds mu.
func (se *sessionEntry) noteAsks(req broker.Request) {
	if !se.turnSeen || req.Event != broker.GateOf(req.Agent) {
		return
	}
	if se.gated == nil {
		se.gated = map[string]bool{}
	}
	if len(se.gated) < maxAlarms {
		se.gated[req.ToolName] = true
	}
}

// noteTurn notes that this console saw a turn begin: what runs from now on was asked for
// from now on. Caller holds mu.
func (se *sessionEntry) noteTurn(h agents.Hook) {
	if h.Kind == agents.SessionStart || h.Kind == agents.Prompt && !h.FromApp {
		se.turnSeen = true
	}
}
