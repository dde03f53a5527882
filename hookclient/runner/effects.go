package runner

import (
	"encoding/json"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// An effect is something that a peer wants done. They are values, so that a test can compare what
// a peer wants with what it should want.
type effect interface{ isEffect() }

type (
	// send writes a line to the agent.
	send struct{ line []byte }
	// ask puts payload before the console; answered tells what came of it.
	ask struct {
		id      string // of the agent's request
		serial  int    // of the ask: an agent may use an id again
		payload []byte
		sure    string        // a console's request: when its operator allowed it, nothing is asked
		patient bool          // wait for a console that is away
		given   time.Duration // how long a person has; 0: the operator's time
	}
	// drop ends an ask that nobody waits for any more.
	drop struct{ id string }
	// tell reports to the console.
	tell struct{ report wire.RunReport }
	// show is for the viewer.
	show struct{ seen Seen }
	// wake calls timeUp with the same name after a while.
	wake struct {
		name  string
		after time.Duration
	}
	// shut closes the agent's stdin behind what was sent.
	shut struct{}
	// kill sends a signal to the agent's process group.
	kill struct{ sig syscall.Signal }
	// ready says that the gate stands.
	ready struct{}
	// settle asks for what the console still has for the agent; settled tells.
	settle struct{}
	// finish is the last effect.
	finish struct{}
)

func (send) isEffect()   {}
func (ask) isEffect()    {}
func (drop) isEffect()   {}
func (tell) isEffect()   {}
func (show) isEffect()   {}
func (wake) isEffect()   {}
func (shut) isEffect()   {}
func (kill) isEffect()   {}
func (ready) isEffect()  {}
func (settle) isEffect() {}
func (finish) isEffect() {}

// SeenKind says what was seen of an agent.
type SeenKind int

// What is seen of an agent.
const (
	SeenLine   SeenKind = iota // Raw: a line of the agent's own
	SeenText                   // the agent said Text
	SeenCall                   // it wants to call Tool with Input
	SeenEnd                    // call ID ended, with Text
	SeenResult                 // the turn ended: Text, Cost, Usage
	SeenNote                   // Text: what the runner has to say
)

// Seen is one thing that was seen of an agent. Text and Raw are as the agent wrote them:
// the viewer makes them safe. Which fields are set depends on Kind.
type Seen struct {
	Kind  SeenKind
	Raw   []byte
	Text  string
	Tool  string
	Input json.RawMessage
	ID    string // of the call
	Sub   bool   // of a sub-agent
	Error bool   // of SeenEnd and SeenResult: it failed, or was refused
	Cost  float64
	Usage wire.RunUsage
}
