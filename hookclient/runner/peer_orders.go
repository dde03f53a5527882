package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"syscall"

	"github.com/aoctl/aoctl/broker/wire"
)

// Command is what the person before the runner wants.
type Command int

// The commands.
const (
	Interrupt Command = iota // end the turn, keep the session
	End                      // end the session, in order
)

// command takes what the person in the foreground wants.
func (p *peer) command(c Command) {
	if p.phase == over {
		return
	}
	if c == Interrupt && p.phase == standing && p.busy && !p.signalled {
		p.signalled = true
		p.interrupt(func(_ json.RawMessage, err error) {
			if err != nil {
				p.note("interrupt", err.Error())
			}
		})
		return
	}
	p.ordered = true
	p.end("")
}

// orders takes all that the console wants now, each once.
func (p *peer) orders(list []wire.RunOrder) {
	if p.phase == over {
		return
	}
	p.withdraw(list)
	for _, o := range list {
		if o.ID == "" || p.taken[o.ID] {
			continue
		}
		if len(p.taken) >= maxSeen {
			clear(p.taken)
		}
		p.taken[o.ID] = true
		p.order(o)
	}
}

// withdraw forgets messages that wait here and are no longer wanted.
func (p *peer) withdraw(list []wire.RunOrder) {
	p.waiting = slices.DeleteFunc(p.waiting, func(w wire.RunOrder) bool {
		gone := !slices.ContainsFunc(list, func(o wire.RunOrder) bool { return o.ID == w.ID })
		if gone {
			delete(p.taken, w.ID)
		}
		return gone
	})
}

var errEnding = errors.New("the session is being ended")

func (p *peer) order(o wire.RunOrder) {
	switch {
	case o.Kind == wire.OrderEnd:
		p.ordered = true
		p.end(o.ID)
	case p.ending() && o.Kind == wire.OrderMessage:
		delete(p.taken, o.ID) // not done: another process may have it
	case p.ending():
		p.done(o.ID, errEnding)
	case o.Kind == wire.OrderMessage:
		p.waiting = append(p.waiting, o)
		p.sayNext()
	case p.phase == greeting:
		p.done(o.ID, errors.New("the agent is still being started"))
	case o.Kind == wire.OrderInterrupt:
		p.interrupt(p.doneWith(o.ID))
	case o.Kind == wire.OrderMode:
		p.control("set_permission_mode", map[string]any{"subtype": "set_permission_mode", "mode": o.Text}, p.times.control, p.doneWith(o.ID))
	case o.Kind == wire.OrderModel:
		p.control("set_model", map[string]any{"subtype": "set_model", "model": o.Text}, p.times.control, p.doneWith(o.ID))
	default:
		p.done(o.ID, fmt.Errorf("this runner does not know the order %q", cut(o.Kind, 64)))
	}
}

func (p *peer) doneWith(order string) func(json.RawMessage, error) {
	return func(_ json.RawMessage, err error) { p.done(order, err) }
}

func (p *peer) interrupt(done func(json.RawMessage, error)) {
	p.control("interrupt", map[string]any{"subtype": "interrupt"}, p.times.control, done)
}

// sayNext tells the agent what waits, when it does nothing else.
func (p *peer) sayNext() {
	if p.phase != standing || p.busy || len(p.waiting) == 0 {
		return
	}
	next := p.waiting[0]
	p.waiting = p.waiting[1:]
	p.say(next)
}

// isUUID is the form of id that the agent takes for a message.
var isUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// say tells the agent a message of its user. It counts as done once it is taken up.
func (p *peer) say(o wire.RunOrder) {
	uuid := o.ID
	if !isUUID.MatchString(uuid) || p.missed[o.ID] {
		uuid = p.newID()
	}
	p.told[uuid] = o.ID
	p.signalled = false
	p.write(userSays(p.session, uuid, o.Text))
	p.working()
}

// fail ends the agent because something is wrong.
func (p *peer) fail(why string) {
	if p.failure == "" {
		p.failure = why
		p.report(wire.RunReport{Kind: wire.ReportNote, Text: why, Error: why})
		p.see(Seen{Kind: SeenNote, Text: why, Error: true})
	}
	p.end("")
}

// end ends the session in order, and by force where it must be: what waits is refused, the
// turn is interrupted, stdin closed, then come the signals.
func (p *peer) end(order string) {
	if order != "" {
		p.enders = append(p.enders, order)
	}
	if p.ending() {
		return
	}
	p.refuseAll()
	if p.phase == standing && p.busy {
		p.phase = stopping
		p.interrupt(func(_ json.RawMessage, err error) {
			if err != nil && p.phase == stopping {
				p.step("%v", err)
			}
		})
		p.step("interrupted its turn")
		p.await(p.times.turn)
		return
	}
	p.closeInput()
}

// refuseAll denies what waits and takes it from the console.
func (p *peer) refuseAll() {
	n := 0
	for id, c := range p.calls {
		p.do(drop{id})
		switch {
		case c.permit:
			n++
			p.denyPermission(id, "aoctl: the session is being ended.", true)
		default:
			if c.name == gateEvent {
				n++
			}
			p.reply(id, json.RawMessage(failed(c.name, "aoctl: the session is being ended.")))
		}
		p.forget(id)
	}
	if n > 0 {
		p.step("refused %d waiting calls", n)
	}
}

// closeInput tells the agent that there is nothing more.
func (p *peer) closeInput() {
	p.phase = closing
	p.do(shut{})
	p.step("closed its input")
	p.await(p.times.exit)
}

// leave ends a session that has nothing more to do.
func (p *peer) leave() {
	p.phase = closing
	p.do(shut{})
	p.await(p.times.leave)
}

// escalate goes one step on, because the last one did not help.
func (p *peer) escalate() {
	switch p.phase {
	case stopping:
		p.step("it did not end its turn within %s", p.times.turn)
		p.closeInput()
	case closing:
		p.phase = terminating
		p.step("it did not end; sent SIGTERM to its process group")
		p.do(kill{syscall.SIGTERM})
		p.await(p.times.exit)
	case terminating:
		p.phase = killing
		p.step("it did not end within %s; sent SIGKILL to its process group", p.times.exit)
		p.do(kill{syscall.SIGKILL})
		p.await(p.times.dead)
	case killing:
		p.step("it was not seen to end within %s of SIGKILL", p.times.dead)
		p.ended(wire.RunReport{Error: "the agent's process could not be ended"})
	case standing: // a session was taken up again, and there was nothing to go on with
		p.mayLeave()
	case greeting, over:
	}
}

// exit is how a process ended.
type exit struct {
	code   int            // -1 after a signal
	signal syscall.Signal // 0 for none
	said   string         // its last lines on standard error
}

func (e exit) String() string {
	if e.signal != 0 {
		return "was ended by " + e.signal.String()
	}
	return fmt.Sprintf("ended with exit code %d", e.code)
}

// lastWords is what the agent said of its end, and where there is more.
func (e exit) lastWords(log string) string {
	text := ""
	if e.said != "" {
		text = ": " + cut(e.said, maxReason/2)
	}
	if log != "" {
		text += " (its log: " + log + ")"
	}
	return text
}

// exited takes the end of the agent's process, after its last line.
func (p *peer) exited(e exit) {
	if p.phase == over {
		return
	}
	p.exit = e.code
	r := wire.RunReport{ExitCode: &e.code}
	switch {
	case p.ending() && (p.ordered || p.failure != ""):
		p.step("it %s", e)
	case p.phase == greeting:
		r.Error = "the agent " + e.String() + " before it said that it put up the gate" + e.lastWords(p.log)
	case p.busy:
		r.Error = "the agent " + e.String() + " in the middle of its turn" + e.lastWords(p.log)
	}
	p.ended(r)
}

// ended is the last thing that happens.
func (p *peer) ended(r wire.RunReport) {
	for id := range p.calls {
		p.do(drop{id})
		p.forget(id)
	}
	for _, id := range p.enders {
		p.done(id, nil)
	}
	last := p.last
	last.Kind, last.ExitCode = wire.ReportEnded, r.ExitCode
	last.Error = cmp.Or(p.failure, r.Error, last.Error)
	p.failure = cmp.Or(p.failure, r.Error)
	p.phase = over
	p.report(last)
	p.do(finish{})
}
