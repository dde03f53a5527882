package runner

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker/wire"
)

// Command is what the person before the runner wants.
type Command int

// The commands.
const (
	Interrupt Command = iota // end the turn, keep the session
	End                      // end the session, in order
)

// command takes what the person in the foreground wants. A second Interrupt, or one without
// a turn, ends the session. A person who presses Ctrl-C twice wants out, whatever the agent does.
func (p *peer) command(c Command) {
	if p.phase == over {
		return
	}
	if c == Interrupt && p.phase == standing && p.turn.busy && !p.turn.interrupted {
		p.turn.interrupted = true
		p.interrupt(func(_ json.RawMessage, err error) {
			if err != nil {
				p.out.note("interrupt", err.Error())
			}
		})
		return
	}
	p.shutdown.wanted = true
	p.end()
}

// orders takes all that the console wants now, each once. The list is whole each time: what is
// not in it any more is no longer wanted.
func (p *peer) orders(list []wire.RunOrder) {
	if p.phase == over {
		return
	}
	p.mailbox.withdraw(list)
	for _, o := range list {
		if p.mailbox.admit(o.ID) {
			p.order(o)
		}
	}
}

var errEnding = errors.New("the session is being ended")

// order takes in one order of the console. A runner that is about to end carries out nothing
// more: a message is handed back for the next process, anything else is reported as not done. An
// order to end comes first, also while the agent is being started.
func (p *peer) order(o wire.RunOrder) {
	switch {
	case o.Kind == wire.OrderEnd:
		p.shutdown.order(o.ID)
		p.end()
	case p.ending() && o.Kind == wire.OrderMessage:
		p.mailbox.release(o.ID) // not done: another process may have it
	case p.ending():
		p.out.done(o.ID, errEnding)
	case o.Kind == wire.OrderMessage:
		p.mailbox.add(o)
		p.sayNext()
	// A message may wait for the gate; an interrupt or a mode has nothing to act on yet.
	case p.phase == greeting:
		p.out.done(o.ID, errors.New("the agent is still being started"))
	case o.Kind == wire.OrderInterrupt:
		p.interrupt(p.doneWith(o.ID))
	case o.Kind == wire.OrderMode:
		p.controls.send("set_permission_mode", map[string]any{"subtype": "set_permission_mode", "mode": o.Text}, p.o.times.control, p.doneWith(o.ID))
	case o.Kind == wire.OrderModel:
		p.controls.send("set_model", map[string]any{"subtype": "set_model", "model": o.Text}, p.o.times.control, p.doneWith(o.ID))
	default:
		p.out.done(o.ID, fmt.Errorf("this runner does not know the order %q", cut(o.Kind, 64)))
	}
}

// doneWith reports an order by what the agent answered to it.
func (p *peer) doneWith(order string) func(json.RawMessage, error) {
	return func(_ json.RawMessage, err error) { p.out.done(order, err) }
}

// interrupt asks the agent to end its turn. The agent ends the turn itself; the result that
// follows says how.
func (p *peer) interrupt(done func(json.RawMessage, error)) {
	p.controls.send("interrupt", map[string]any{"subtype": "interrupt"}, p.o.times.control, done)
}

// sayNext tells the agent what waits, when it does nothing else. It is called wherever a turn may
// just have ended.
func (p *peer) sayNext() {
	if p.phase != standing || p.turn.busy {
		return
	}
	if message, ok := p.mailbox.next(); ok {
		p.say(message)
	}
}

// say tells the agent a message, which begins a turn that may be interrupted again.
func (p *peer) say(message wire.RunOrder) {
	p.turn.interrupted = false
	p.mailbox.send(message)
	p.turn.begin()
}
