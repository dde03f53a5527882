package hooks

import (
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/peers"
)

// A prompt lifts a stop, so it must be the user's. An agent runs the hook that tells of one
// as a child of its own, with at most a shell between; whatever else the agent started, and
// whatever left its tree, looks otherwise or is older than the stop: under a stop nothing
// new is started for it.

// startsWithin is how long after it was allowed a call may still be about to start. An allowed
// command may take that long to be started on a busy machine, and could then send a prompt
// itself.
const startsWithin = time.Minute

// notTheUsers reports whether h, a prompt, comes from elsewhere than the hook runner of a
// stopped session's agent, and records it then.
//
// It is false for a session that is under no stop: there a false prompt changes nothing but a
// word on the screen.
func (hs *Hooks) notTheUsers(h agents.Hook, a Asker) bool {
	s, ok := hs.o.View.Session(h.SessionID)
	if ok && s.State.UnderStop() && s.Run.Running() { // what its user says comes through Say, which lifts the stop itself
		return true
	}
	if !ok || !s.State.UnderStop() || s.Process.PID == 0 { // an agent that cannot be seen, as in a container
		return false
	}
	agent, stopped, running := s.Process, s.StopAskedAt, hs.o.View.MayBeStarting(h.SessionID, time.Now(), startsWithin)
	client := a.clientHere()
	why := ""
	switch {
	case client.PID == 0:
		why = "its process cannot be seen from here"
	case running:
		why = "a call that was allowed just before the stop may still run"
	default:
		why = peers.NotFromRunner(client.PID, agent, stopped)
	}
	if why == "" {
		return false
	}
	by := broker.Actor{Kind: broker.ByProcess, PID: client.PID}
	if by.PID != 0 {
		by.Exe, by.TTY = peers.Describe(by.PID)
	}
	hs.o.Records.NoteRefusal(broker.Request{SessionID: h.SessionID}, broker.RefusedData{Wanted: broker.WantsLift, Kind: broker.ForeignPrompt, Detail: why, By: by})
	return true
}
