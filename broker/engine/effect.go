package engine

import (
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// Input is something that happened. Each kind is a struct beside the function that takes it.
type Input interface {
	step(s *State, now time.Time) Reply
}

// Effect is something that the world hears once the change of its step is on record.
type Effect interface{ effect() }

// The effects.
type (
	// Reply is what the sender of the input hears: the last effect of a step.
	Reply struct {
		Err      error
		Call     broker.Request
		Calls    []broker.Request
		Session  broker.Session
		Sessions int // that a stop of all stopped
		Look     *Look
		Done     bool   // whether the input did what it was for
		Replay   bool   // Ask: the call has an answer that may run it; see Replay
		Orders   Orders // of a runner
		Rule     rules.Rule
		Problem  string
		Unheld   []string // SetFreeze: waiting calls that the rules are to look at again, as if they came now
	}
	// Answered says that there is something to tell those who wait for a call.
	Answered struct{ ID string }
	// Moved says that a call's deadline is a later one. Who does not know of it is to be told.
	Moved struct{ ID string }
	// Timer says that Due is wanted for a call at a time.
	Timer struct {
		ID string
		At time.Time
	}
	// ShowCall is a call as those who watch see it now.
	ShowCall struct{ Call *broker.Request }
	// ShowSession says that a session changed, for those who watch and for its runner.
	ShowSession struct{ ID string }
	// ShowHealth says that the broker's health changed.
	ShowHealth struct{}
	// ShowRules says that the rules changed, or how often they spoke.
	ShowRules struct{}
	// ShowRefused is an attempt that was turned away.
	ShowRefused struct{ Refused broker.Refused }
	// ShowAnew says that watchers need all of it again: some of what they show is no longer known.
	ShowAnew struct{}
	// Wake says that a runner is to be started for a session.
	Wake struct{ Session broker.Session }
)

func (*Reply) effect()      {}
func (Answered) effect()    {}
func (Moved) effect()       {}
func (Timer) effect()       {}
func (ShowCall) effect()    {}
func (ShowSession) effect() {}
func (ShowHealth) effect()  {}
func (ShowRules) effect()   {}
func (ShowRefused) effect() {}
func (ShowAnew) effect()    {}
func (Wake) effect()        {}
