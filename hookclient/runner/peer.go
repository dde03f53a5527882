package runner

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// The events that the console hears of are those of "aoctl install claude".
const (
	gateEvent     = "PreToolUse"
	settingsEvent = "ConfigChange"        // a refusal keeps the change out
	textEvent     = "UserPromptExpansion" // a text that was typed by its name: hooks that it brings run unasked
	askEvent      = "PermissionRequest"
)

// times are the longest waits for an agent.
type times struct {
	greet   time.Duration // for its answer to initialize
	control time.Duration // for its answer to any other request
	turn    time.Duration // for the end of a turn that was interrupted, in order to end it
	exit    time.Duration // for its end after stdin was closed, and after SIGTERM
	dead    time.Duration // for its end after SIGKILL
	leave   time.Duration // for its end by itself, when there is nothing more to do
	event   time.Duration // for the console's answer to what is no question
}

func defaultTimes() times {
	return times{
		greet: 2 * time.Minute, control: 30 * time.Second,
		turn: 5 * time.Second, exit: 5 * time.Second, dead: 5 * time.Second, leave: 15 * time.Second, event: 10 * time.Second,
	}
}

// longest is what a call may wait when the person at the console gives it more time.
const longest = 24 * time.Hour

// gateTime is how long the agent lets the gate's answer take: longer than anybody is given.
const gateTime = 25 * time.Hour

const (
	maxCalls     = 256      // of the agent that wait at once
	maxCallBytes = 64 << 20 // what they hold together
	maxSaid      = 16 << 10 // bytes of what is reported as said
	maxSeen      = 4096     // orders that are known to have been taken up
)

// phase is how far a peer has come.
type phase int

const (
	greeting    phase = iota // the gate does not stand: the agent is told nothing else
	standing                 // the gate stands
	stopping                 // it is being ended: its turn first
	closing                  // its stdin was closed
	terminating              // it was asked to end
	killing                  // it was killed
	over                     // it has ended
)

// peer is the runner's side of the conversation with one agent's process: what comes in
// changes it and makes effects, nothing else does. It is for one goroutine.
type peer struct {
	session string
	cwd     string
	events  []string // those that the agent shall ask about or tell of
	keep    bool     // take messages when the turn is over
	prompt  string   // the first message; "" for none
	log     string   // the file that says more; may be empty
	newID   func() string
	times   times

	phase   phase
	effects []effect
	numbers int // of our requests
	steps   int // of the timer that is under way in this phase

	early    []line              // hooks that came before the gate was known to stand
	calls    map[string]*call    // what the agent asks and was not answered, by its request's id
	held     int                 // bytes of calls
	serial   int                 // of the latest ask
	requests map[string]*control // ours, by id
	ledger   ledger
	names    map[string]string // tools of the calls that are under way, for who looks on

	busy      bool
	settling  bool
	mode      string
	waiting   []wire.RunOrder   // messages that wait for the turn's end
	told      map[string]string // messages that were sent, with their order, by uuid
	taking    []string          // orders of those that the agent took up, and that no model is known to have
	missed    map[string]bool   // those that no model had: told again, they need another uuid
	taken     map[string]bool   // orders
	enders    []string          // orders to end
	last      wire.RunReport    // the latest result's
	turns     int
	used      tally
	failed    bool   // the last turn did
	exit      int    // the process's exit code
	failure   string // why it is being ended, when something is wrong
	ordered   bool   // it was told to end
	signalled bool   // a person interrupted it
	lifecycle bool   // the agent says when it takes up a message
	counts    map[string]int
}

// call is one request of the agent's that waits for an answer.
type call struct {
	event  event
	name   string // of the event
	permit bool   // it is a can_use_tool
	size   int
	input  json.RawMessage
	serial int
}

// control is one request of ours.
type control struct {
	what string
	done func(answer json.RawMessage, err error)
}

func newPeer(p peer) *peer {
	p.calls, p.requests, p.ledger = map[string]*call{}, map[string]*control{}, ledger{}
	p.names, p.told, p.taken, p.counts = map[string]string{}, map[string]string{}, map[string]bool{}, map[string]int{}
	p.missed = map[string]bool{}
	return &p
}

// take hands over the effects since it was last called.
func (p *peer) take() []effect {
	list := p.effects
	p.effects = nil
	return list
}

func (p *peer) do(e effect)             { p.effects = append(p.effects, e) }
func (p *peer) report(r wire.RunReport) { p.do(tell{r}) }
func (p *peer) see(s Seen)              { p.do(show{s}) }
func (p *peer) write(v any)             { p.do(send{encode(v)}) }
func (p *peer) ending() bool            { return p.phase >= stopping }
func (p *peer) step(f string, a ...any) {
	p.report(wire.RunReport{Kind: wire.ReportStep, Text: fmt.Sprintf(f, a...)})
}
func (p *peer) await(d time.Duration) { p.steps++; p.do(wake{"step-" + strconv.Itoa(p.steps), d}) }
func (p *peer) done(order string, e error) {
	if order == "" {
		return
	}
	r := wire.RunReport{Kind: wire.ReportDone, OrderID: order}
	if e != nil {
		r.Error = e.Error()
	}
	p.report(r)
}

// note reports what was passed over: of each kind the 1st, 10th, 100th, …
func (p *peer) note(kind, text string) {
	p.counts[kind]++
	n := p.counts[kind]
	if n > 1 {
		if !powerOfTen(n) {
			return
		}
		text += fmt.Sprintf(" (%d times by now)", n)
	}
	p.report(wire.RunReport{Kind: wire.ReportNote, Text: text})
	p.see(Seen{Kind: SeenNote, Text: text})
}

func powerOfTen(n int) bool {
	for n%10 == 0 {
		n /= 10
	}
	return n == 1
}

// begin greets the agent. Nothing else is said before its answer.
func (p *peer) begin() {
	hooks := map[string]any{}
	for _, name := range p.events {
		h := map[string]any{"matcher": "*", "hookCallbackIds": []string{callbackPrefix + name}, "timeout": int(eventTime / time.Second)}
		if name == gateEvent || name == textEvent || name == settingsEvent {
			h["timeout"], h["onFailure"] = int(gateTime/time.Second), "block"
		}
		hooks[name] = []any{h}
	}
	p.control("initialize", map[string]any{"subtype": "initialize", "hooks": hooks}, p.times.greet, p.greeted)
}

// gateSettings come before those of the agent's user and of its folder. Shell commands in
// the text of a skill or of a custom command run as that is read, and no hook is asked.
var gateSettings = map[string]any{"disableSkillShellExecution": true}

const settingsID = "aoctl-settings"

const (
	callbackPrefix = "aoctl-"
	eventTime      = 60 * time.Second // the agent gives up an event that is no question
)

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
	case !a.Applied:
		p.fail("the agent does not say that it put up the gate, so nothing was told to it; is it older than 2.1.243? then update it (claude update)")
		return
	}
	p.mode = a.Mode
	set := map[string]any{"subtype": "apply_flag_settings", "settings": gateSettings}
	p.request(settingsID, "the settings of its gate", set, p.times.greet, p.stand)
}

// stand begins the talk once the agent has taken the settings of its gate.
func (p *peer) stand(_ json.RawMessage, err error) {
	if p.phase != greeting {
		return
	}
	if err != nil {
		p.fail("commands in the text of skills could run unasked, so nothing was told to the agent: " + err.Error())
		return
	}
	p.phase = standing
	p.do(ready{})
	early := p.early
	p.early, p.held = nil, 0
	for _, l := range early {
		p.line(l)
	}
	if p.prompt != "" {
		p.say(wire.RunOrder{Text: p.prompt})
	}
	p.sayNext()
	if !p.busy && !p.keep {
		p.await(p.times.leave)
	}
}

// control sends a request of ours.
func (p *peer) control(what string, request any, limit time.Duration, done func(json.RawMessage, error)) {
	p.numbers++
	p.request("aoctl-"+strconv.Itoa(p.numbers), what, request, limit, done)
}

func (p *peer) request(id, what string, request any, limit time.Duration, done func(json.RawMessage, error)) {
	p.requests[id] = &control{what, done}
	p.write(map[string]any{"type": "control_request", "request_id": id, "request": request})
	p.do(wake{id, limit})
}

// responded takes the agent's answer to a request of ours.
func (p *peer) responded(raw json.RawMessage) {
	var r response
	if err := json.Unmarshal(raw, &r); err != nil {
		p.note("response", "an answer of the agent's cannot be read")
		return
	}
	c := p.requests[r.RequestID]
	if c == nil {
		p.note("response", "the agent answered something that was not asked")
		return
	}
	delete(p.requests, r.RequestID)
	if r.Subtype != "success" {
		c.done(nil, fmt.Errorf("the agent refused %s: %s", c.what, cut(r.Error, maxReason)))
		return
	}
	c.done(r.Response, nil)
}

// timeUp is called when a wake is over.
func (p *peer) timeUp(name string) {
	if p.phase == over {
		return
	}
	if c := p.requests[name]; c != nil {
		delete(p.requests, name)
		c.done(nil, fmt.Errorf("the agent did not answer %s", c.what))
		return
	}
	if name == "step-"+strconv.Itoa(p.steps) {
		p.escalate()
	}
}

// line takes one line of the agent's.
func (p *peer) line(l line) {
	if p.phase == over {
		return
	}
	switch l.flaw {
	case halved:
		p.note("half", fmt.Sprintf("the agent's last line ends in the middle, after %d bytes", len(l.text)))
		return
	case tooLong:
		p.overlong(l.text)
		return
	case whole:
	}
	var m message
	if err := json.Unmarshal(l.text, &m); err != nil {
		if len(l.text) > 0 {
			p.note("text", "the agent wrote a line that is not of its protocol: "+cut(string(l.text), 200))
		}
		return
	}
	if p.phase == greeting && m.Type == "control_request" {
		p.hold(l)
		return
	}
	p.message(m, l.text)
}

// hold keeps what the agent asks before the gate is known to stand.
func (p *peer) hold(l line) {
	if len(p.early) >= maxCalls || p.held+len(l.text) > maxCallBytes {
		p.fail("the agent asked too much before it said that it put up the gate")
		return
	}
	p.held += len(l.text)
	p.early = append(p.early, l)
}

func (p *peer) message(m message, raw []byte) {
	switch m.Type {
	case "control_request":
		p.requested(m)
		return
	case "control_response":
		p.responded(m.Response)
		return
	case "control_cancel_request":
		p.cancelled(m.RequestID)
		return
	case "keep_alive":
		return
	}
	p.see(Seen{Kind: SeenLine, Raw: raw})
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
		p.lifecycle = true
		if m.State != "queued" {
			p.tookUp(m.Command)
		}
	case "stream_event", "tool_progress", "rate_limit_event", "auth_status", "tool_use_summary", "prompt_suggestion":
	default:
		p.note("type "+p.kindOf(m.Type), "the agent sent something unknown: "+strconv.Quote(cut(m.Type, 64)))
	}
}

// kindOf keeps what an agent can make up to a bound.
func (p *peer) kindOf(typ string) string {
	if len(p.counts) > 100 {
		return "other"
	}
	return cut(typ, 64)
}

// working notes that a turn is under way.
func (p *peer) working() {
	if p.busy {
		return
	}
	p.busy = true
	p.report(wire.RunReport{Kind: wire.ReportWorking})
}
