package runner

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// phase is how far a peer has come.
type phase int

const (
	greeting phase = iota // the gate does not stand: the agent is told nothing else
	standing              // the gate stands
	stopping              // the agent is being ended; shutdown knows how far that is
	over                  // it has ended
)

// peerOptions are what a peer takes. events are asked of the agent as hooks. newID and times are
// handed in, so that a peer has no clock and no chance in it.
type peerOptions struct {
	session string
	cwd     string
	events  []string // those that the agent shall ask about or tell of
	keep    bool     // take messages when the turn is over
	prompt  string   // the first message; "" for none
	log     string   // the file that says more; may be empty
	newID   func() string
	times   times
}

// peer is the runner's side of the conversation with one agent's process: what comes in
// changes it and makes effects, nothing else does. It is for one goroutine.
//
// It keeps the phase and hands each input to the part that it is for. Only the peer knows
// all the parts; they share the outbox, and questions tell the turn that it began.
type peer struct {
	o     peerOptions
	phase phase

	out       *outbox
	controls  *controls  // what we ask of the agent
	questions *questions // what the agent asks of us
	turn      *turn
	mailbox   *mailbox // the console's orders, and the messages on their way to the agent
	shutdown  *shutdown

	settling bool // the console was asked for what it still has
}

// newPeer has said nothing yet; begin greets.
func newPeer(o peerOptions) *peer {
	out := newOutbox()
	turn := newTurn(out)
	return &peer{
		o: o, out: out, turn: turn,
		controls: newControls(out),
		questions: &questions{
			out: out, turn: turn, session: o.session, cwd: o.cwd, given: o.times.event,
			ledger: ledger{}, open: map[string]*call{},
		},
		mailbox:  newMailbox(out, o.session, o.newID),
		shutdown: &shutdown{out: out, times: o.times},
	}
}

// ending reports whether nothing new is taken on.
func (p *peer) ending() bool { return p.phase >= stopping }

// begin greets the agent. Nothing else is said before its answer.
func (p *peer) begin() {
	hooks := map[string]any{}
	for _, name := range p.o.events {
		h := map[string]any{"matcher": "*", "hookCallbackIds": []string{callbackPrefix + name}, "timeout": int(eventTime / time.Second)}
		// These three decide. A hook that fails must block, and a person may take as long as they
		// like.
		if name == gateEvent || name == textEvent || name == settingsEvent {
			h["timeout"], h["onFailure"] = int(gateTime/time.Second), "block"
		}
		hooks[name] = []any{h}
	}
	p.controls.send("initialize", map[string]any{"subtype": "initialize", "hooks": hooks}, p.o.times.greet, p.greeted)
}

// gateSettings come before those of the agent's user and of its folder. Shell commands in
// the text of a skill or of a custom command run as that is read, and no hook is asked.
var gateSettings = map[string]any{"disableSkillShellExecution": true}

// settingsID is the id of that request, beside the numbered ones of all others.
const settingsID = "aoctl-settings"

// greeted sees whether the gate stands. Where it does not, the agent is ended before it was
// told anything.
func (p *peer) greeted(answer json.RawMessage, err error) {
	if p.phase != greeting {
		return
	}
	var a struct {
		Applied bool   `json:"hooks_applied"`
		Mode    string `json:"current_permission_mode"`
	}
	if err == nil {
		err = json.Unmarshal(answer, &a)
	}
	switch {
	case err != nil:
		p.fail("the gate could not be put up, so nothing was told to the agent: " + err.Error())
		return
	// An agent that does not know the request ignores it, and would then run calls unasked.
	case !a.Applied:
		p.fail("the agent does not say that it put up the gate, so nothing was told to it; is it older than 2.1.243? then update it (claude update)")
		return
	}
	p.questions.mode = a.Mode
	set := map[string]any{"subtype": "apply_flag_settings", "settings": gateSettings}
	p.controls.sendAs(settingsID, "the settings of its gate", set, p.o.times.greet, p.stand)
}

// stand begins the talk once the agent has taken the settings of its gate. What the agent asked
// before is answered now, in its order, before it is told anything.
func (p *peer) stand(_ json.RawMessage, err error) {
	// The agent may have been ended since it was asked.
	if p.phase != greeting {
		return
	}
	if err != nil {
		p.fail("commands in the text of skills could run unasked, so nothing was told to the agent: " + err.Error())
		return
	}
	p.phase = standing
	p.out.do(ready{})
	for _, l := range p.questions.release() {
		p.line(l)
	}
	if p.o.prompt != "" {
		p.say(wire.RunOrder{Text: p.o.prompt})
	}
	p.sayNext()
	if !p.turn.busy && !p.o.keep { // taken up again, perhaps with nothing to go on with
		p.out.wakeIn(p.o.times.leave)
	}
}

// answered takes what came of an ask. An answer may come for a question that is no longer open.
func (p *peer) answered(id string, a answer) { p.questions.answered(id, a) }

// timeUp is called when a wake is over. A timer of an earlier stage has another name, and does
// nothing.
func (p *peer) timeUp(name string) {
	if p.phase == over || p.controls.timeUp(name) || name != p.out.phaseTimer() {
		return
	}
	switch p.phase {
	case standing:
		p.mayLeave()
	case stopping:
		if !p.shutdown.escalate() {
			p.ended(wire.RunReport{Error: "the agent's process could not be ended"})
		}
	case greeting, over:
	}
}

// line takes one line of the agent's. Before the gate stands only requests are held; everything
// else of the agent is shown at once.
func (p *peer) line(l line) {
	if p.phase == over {
		return
	}
	switch l.flaw {
	case halved:
		p.out.note("half", fmt.Sprintf("the agent's last line ends in the middle, after %d bytes", len(l.text)))
		return
	case tooLong:
		p.questions.overlong(l.text)
		return
	case whole:
	}
	var m message
	if err := json.Unmarshal(l.text, &m); err != nil {
		if len(l.text) > 0 {
			p.out.note("text", "the agent wrote a line that is not of its protocol: "+cut(string(l.text), 200))
		}
		return
	}
	// A question that comes before the gate is known to stand must not be answered as if it did.
	if p.phase == greeting && m.Type == "control_request" {
		if !p.questions.hold(l) {
			p.fail("the agent asked too much before it said that it put up the gate")
		}
		return
	}
	p.message(m, l.text)
}

// message takes in one line of the agent. What belongs to the conversation between runner and
// agent is kept from the viewer; all else is shown, and what the session needs to know of it is
// noted. A type that is not known is shown and reported, and changes nothing.
func (p *peer) message(m message, raw []byte) {
	switch m.Type {
	case "control_request":
		p.questions.asked(m)
		return
	case "control_response":
		p.controls.answered(m.Response)
		return
	case "control_cancel_request":
		p.questions.cancelled(m.RequestID)
		return
	// It says nothing but that the connection lives.
	case "keep_alive":
		return
	}
	p.out.see(Seen{Kind: SeenLine, Raw: raw})
	switch m.Type {
	case "system":
		p.system(m)
	case "assistant":
		p.assistant(m)
	case "user":
		p.user(m)
	case "result":
		p.result(m)
	case "command_lifecycle":
		p.mailbox.announced(m)
	case "stream_event", "tool_progress", "rate_limit_event", "auth_status", "tool_use_summary", "prompt_suggestion":
	default:
		p.out.note("type "+p.out.kindOf(m.Type), "the agent sent something unknown: "+strconv.Quote(cut(m.Type, 64)))
	}
}

// fail ends the agent because something is wrong. The reason is told to the console at once and
// again with the end.
func (p *peer) fail(why string) {
	p.shutdown.fail(why)
	p.end()
}

// end ends the session in order, and by force where it must be: what waits is refused, the
// turn is interrupted, and the shutdown does the rest.
func (p *peer) end() {
	if p.ending() {
		return
	}
	// Only a turn that is under way can be interrupted; an agent that is idle is told to end at
	// once.
	inTurn := p.phase == standing && p.turn.busy
	p.phase = stopping
	p.questions.close()
	if !inTurn {
		p.shutdown.closeInput()
		return
	}
	p.interrupt(func(_ json.RawMessage, err error) {
		if err != nil {
			p.shutdown.notInterrupted(err)
		}
	})
	p.shutdown.awaitTurn()
}

// leave ends a session that has nothing more to do.
func (p *peer) leave() {
	p.phase = stopping
	p.questions.closed = true
	p.shutdown.leave()
}

// mayLeave asks whether there is more to do, where the run is for one turn. The console may have
// a message on its way, so it is asked once before the run ends.
func (p *peer) mayLeave() {
	if p.phase == standing && !p.turn.busy && !p.o.keep && !p.settling {
		p.settling = true
		p.out.do(settle{})
	}
}

// settled takes what the console still had after the turn; known is false when it could
// not be asked. A new turn may have begun meanwhile.
func (p *peer) settled(orders []wire.RunOrder, known bool) {
	p.settling = false
	if known {
		p.orders(orders)
	}
	if p.phase == standing && !p.turn.busy && !p.o.keep && p.mailbox.empty() {
		p.leave()
	}
}

// exited takes the end of the agent's process, after its last line. An end that somebody wanted
// is a step; any other one is an error, told with the agent's last words.
func (p *peer) exited(e exit) {
	if p.phase == over {
		return
	}
	p.shutdown.exit = e.code
	r := wire.RunReport{ExitCode: &e.code}
	switch {
	case p.shutdown.expected():
		p.out.step("it %s", e)
	case p.phase == greeting:
		r.Error = "the agent " + e.String() + " before it said that it put up the gate" + e.lastWords(p.o.log)
	case p.turn.busy:
		r.Error = "the agent " + e.String() + " in the middle of its turn" + e.lastWords(p.o.log)
	}
	p.ended(r)
}

// ended is the last thing that happens.
func (p *peer) ended(r wire.RunReport) {
	p.questions.drop()
	p.shutdown.finish(p.turn.reportAs(wire.ReportEnded), r)
	p.phase = over
}

// outcome is what a run comes to that ended so. It may be called once the loop is over.
func (p *peer) outcome() (Result, error) {
	last := p.turn.last
	r := Result{
		Word: last.Result, Failed: p.turn.failed || p.turn.count == 0 && !p.shutdown.wanted, Exit: p.shutdown.exit,
		Cost: last.Cost, Usage: last.Usage, Turns: p.turn.count,
	}
	if p.shutdown.failure != "" {
		return r, &EndError{p.shutdown.failure}
	}
	return r, nil
}
