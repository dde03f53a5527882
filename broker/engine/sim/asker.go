package sim

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// asker is an agent's hook that wants one call answered. It does one thing at a time. What is
// next stands in next, and runs when the move "go on" picks it, so that other moves come in
// between at every point.
type asker struct {
	w       *world
	name    string
	session string
	use     string // the agent's id of the call
	key     string
	own     string // the id that it gives its request, "" when it leaves that to the broker
	talk    string
	// Commands are few, so that several agents ask for the same call and a rule or grant may fit
	// more than one.
	command int
	process broker.Process
	bound   bool

	next     func() // what it does next; nil while it waits for somebody else
	id       string // of its request, once it knows
	digest   string //
	attached bool   // a connection waits
	paused   bool   //
	dead     bool   //
	over     bool   // it has an answer, or gave up
	mayRun   bool   // and that was yes
}

// newAsker is an agent that is about to ask. It takes the slot of one that is done. Ids are never
// used twice in a world.
func (w *world) newAsker(who, n int) *asker {
	slot := who % slots
	w.ids++
	a := &asker{
		w: w, name: fmt.Sprintf("agent %d", w.ids), session: sessionID(n / 7), command: n % commands, bound: true,
		use: fmt.Sprintf("use-%d", w.ids), talk: fmt.Sprintf("talk-%d", w.ids), process: broker.Process{PID: 1000 + w.ids, Start: 1},
	}
	a.key = "tool " + a.session + " " + a.use
	if a.command == 1 {
		a.own = "own-" + a.use
	}
	a.digest = broker.Digest("Bash", input(a.command), "/src")
	w.askers[slot] = a
	a.next = a.ask
	return a
}

// done reports whether its slot may be taken by another one. It may still ask again; see repeat.
func (a *asker) done() bool { return a.over || a.dead }

// able reports whether there is anything for the agent to do.
func (a *asker) able() bool {
	return !a.paused && !a.dead && !a.over && (a.next != nil || a.attached && a.w.woken[a.id])
}

// goOn does what is next, unless the agent is paused or gone. A connection that was woken reads
// first; then comes whatever was begun before.
func (a *asker) goOn() {
	if a.paused || a.dead || a.over {
		return
	}
	if a.attached && a.id != "" && a.w.woken[a.id] {
		a.detach(false)
		a.next = a.listen
	}
	if do := a.next; do != nil {
		a.next = nil
		do()
	}
}

// question is what package calls would hand to the engine. Calls with an even command come from
// agents without a user, whose calls can be put off.
func (a *asker) question() broker.Question {
	return broker.Question{
		Request: broker.Request{
			ID: cmp.Or(a.own, a.w.newID("call")), Key: a.key, SessionID: a.session, Agent: "claude", Event: "PreToolUse", ToolUseID: a.use,
			ToolName: "Bash", ToolInput: input(a.command), CWD: "/src", Digest: a.digest, Asker: a.process,
		},
		Bound: a.bound, Headless: a.command%2 == 0, Correlation: a.talk, Session: broker.SessionHint{Process: broker.Process{PID: a.process.PID + 5000, Start: 1}},
		Waits: broker.Patience{Until: a.w.now.Add(timeout), Most: a.w.now.Add(2 * timeout)},
	}
}

// send hears the reply unless the agent has begun another conversation meanwhile. A reply that
// comes after that was meant for a connection that is gone.
func (a *asker) send(in engine.Input, then func(engine.Reply)) {
	talk := a.talk
	a.w.send(in, func(r engine.Reply) {
		if a.talk == talk {
			then(r)
		}
	})
}

// ask begins a conversation, or begins it anew when the engine says that what was seen is old.
func (a *asker) ask() {
	in := engine.Ask{Question: a.question()}
	a.send(in, func(r engine.Reply) { a.asked(in, r) })
}

// asked takes the reply to a question: an answer, or a look at what it takes to judge it. What
// package calls does between two inputs is done here in two moves, so that anything may happen in
// between.
func (a *asker) asked(in engine.Ask, r engine.Reply) {
	// An answer is taken in the order in which package calls looks at a reply.
	switch {
	case r.Look != nil:
		a.next = func() {
			j := judge(*r.Look, a.command, a.w.now)
			a.send(engine.Insert{Ask: in, Judged: j}, func(r engine.Reply) { a.asked(in, r) })
		}
	case errors.Is(r.Err, engine.ErrLookAgain):
		a.next = a.ask
	case errors.Is(r.Err, broker.ErrDuplicate):
		// The store knows the call from an earlier life of the console.
		old, ok := a.w.disk.now.requests[a.w.disk.now.keys[a.key]]
		if !ok || old.Digest != a.digest || !old.State.Terminal() || a.w.checks.owes(old.ID) {
			a.refused(r.Err)
			return
		}
		// What is on the disk already let the call run once, so its answer must go through a
		// replay.
		a.replay(old)
	case r.Err != nil:
		a.refused(r.Err)
	case r.Replay:
		a.replay(r.Call)
	default:
		a.got(r.Call)
	}
}

// replay asks for an answer that may let the call run once more. It knows of the log what speaks
// against it here: a world has no turns and no files that could say more.
func (a *asker) replay(old broker.Request) {
	if !broker.LetsRun(old) {
		a.got(old)
		return
	}
	why := ""
	switch disk := a.w.disk.now; { // what the log tells
	// The log tells that it was given before, which the engine may have forgotten with its
	// console.
	case disk.replays[old.ID] > 0:
		why = "it was given again before"
	case disk.withheld[old.ID]:
		why = "it was withheld when it was made"
	}
	a.send(engine.Replay{Call: old, Why: why}, func(r engine.Reply) {
		if r.Err != nil {
			a.refused(r.Err)
			return
		}
		a.got(r.Call)
	})
}

// got takes the request as it is: an answer, or that it waits.
func (a *asker) got(r broker.Request) {
	a.id = r.ID
	switch {
	case r.Digest != a.digest || r.SessionID != a.session || r.Key != a.key:
		a.w.fail("%s asked for %s in %s and is told of %s in %s", a.name, a.digest[:6], a.session, r.Digest[:6], r.SessionID)
	// Its process ends with that, and the slot is free.
	case r.Checkpoint != nil && r.State == broker.Pending:
		a.w.sayf("%s is told that %s is put off", a.name, r.ID)
		a.over = true
	// The call was put off and has an answer, which is given once, and only through Give.
	case r.Checkpoint != nil:
		a.send(engine.Give{ID: r.ID}, func(rep engine.Reply) {
			switch {
			case rep.Replay:
				a.next = a.ask
			case rep.Err != nil:
				a.refused(rep.Err)
			default:
				a.told(rep.Call)
			}
		})
	case r.State.Terminal():
		a.told(r)
	default:
		a.attach()
	}
}

// attach waits for the call's end, as a parked connection does. An agent that came back while its
// first question was still under way may have its answer by then, and waits for nothing more.
func (a *asker) attach() {
	if a.over {
		return
	}
	// A wake-up of an earlier wait is no news for this one.
	delete(a.w.woken, a.id)
	a.attached = true
	a.w.send(engine.Attach{ID: a.id}, nil)
	// The real server looks after it has joined the line, for the same reason.
	if r, ok := a.w.loop.View().Request(a.id); ok && r.State.Terminal() { // it ended before anybody waited
		a.w.woken[a.id] = true
	}
}

// detach ends the wait. hungUp says that the peer left by itself. The engine then gives it a
// while to come back.
func (a *asker) detach(hungUp bool) {
	if a.attached {
		a.attached = false
		a.w.send(engine.Detach{ID: a.id, HungUp: hungUp}, nil)
	}
}

// listen takes what there is to be told, as a connection that was woken does. It looks into
// memory, then on the disk, and asks anew when neither knows the call: a power cut may have lost
// it.
func (a *asker) listen() {
	r, ok := a.w.loop.View().Request(a.id)
	if !ok {
		if r, ok = a.w.disk.now.requests[a.id]; !ok {
			a.next = a.ask
			return
		}
	}
	if !r.State.Terminal() {
		a.got(r)
		return
	}
	if r.Checkpoint != nil {
		a.got(r)
		return
	}
	a.send(engine.Tell{Call: r}, func(rep engine.Reply) {
		switch {
		case rep.Replay:
			a.replay(rep.Call)
		default:
			a.told(rep.Call)
		}
	})
}

// told is the end: the agent hears its answer. Kept back by a freeze it goes on waiting.
func (a *asker) told(r broker.Request) {
	if !r.State.Terminal() {
		a.attach()
		return
	}
	// From here on the agent does what it was told, so the oracle looks at it now.
	a.over, a.mayRun = true, broker.LetsRun(r)
	a.w.sayf("%s is told %s of %s", a.name, r.State, r.ID)
	a.w.checks.heard(a, r)
	// Only a hearer says so. An allow that nobody heard is shown to the operator.
	a.w.send(engine.Heard{ID: r.ID}, nil)
}

// refused is an error in place of an answer: the client lets nothing run.
func (a *asker) refused(err error) {
	a.over, a.mayRun = true, false
	a.w.sayf("%s is refused: %v", a.name, err)
}

// hangUp closes the connection in the middle of the wait.
func (a *asker) hangUp() {
	if a.attached && !a.over {
		a.w.sayf("%s hangs up", a.name)
		a.leave(true)
	}
}

// leave is the connection's end, whatever the reason.
func (a *asker) leave(hungUp bool) { a.detach(hungUp) }

// comeBack is the same conversation asking again. It asks under the same key and in the same
// talk, as a client does whose connection broke.
func (a *asker) comeBack() {
	if !a.attached && !a.over && !a.dead && a.next == nil {
		a.next = a.ask
	}
}

// repeat is the agent asking once more under the same id, in another conversation; perhaps for
// another call. With other it is a fault of the agent, or an attack: the same id for another
// call. It must never get the first call's answer.
func (a *asker) repeat(other bool) {
	if a.dead {
		return
	}
	a.w.ids++
	// A new talk: this is another process of the agent, or a resumed one.
	a.over, a.mayRun, a.talk = false, false, fmt.Sprintf("talk-%d", a.w.ids)
	if other {
		a.command = (a.command + 1) % commands
		a.digest = broker.Digest("Bash", input(a.command), "/src")
	}
	a.w.sayf("%s asks again for %q", a.name, command(a.command))
	a.next = a.ask
}

// cutOff is the connection lost with the console. Its agent waits on and asks the next console,
// which may know nothing of it.
func (a *asker) cutOff() {
	a.attached = false
	if !a.over && !a.dead {
		a.next = a.ask
	}
}
