package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/rules"
)

// Move is one thing that somebody does: who, and which of what there is. Both count round. A
// number picks among what there is when the move is made, so a list stays playable when moves are
// left out of it. A move that finds nothing to do does nothing.
type Move struct {
	Kind string
	Who  int
	N    int
}

// everyday are the moves of every world; those on which more depends come more often. Each
// world has some of the hazards.
var (
	everyday = []weighed{
		{"ask", 14}, {"go on", 46}, {"round", 26}, {"look", 12}, {"allow", 9}, {"deny", 3}, {"wait", 5}, {"mend", 2}, {"tick", 2},
	}
	hazards = []weighed{
		{"allow several", 3},
		{"hang up", 4},
		{"come back", 4},
		{"ask again", 8},
		{"change call", 3},
		{"pause", 2},
		{"withdraw", 2},
		{"stop", 2},
		{"stop all", 1},
		{"prompt", 3},
		{"turn end", 2},
		{"tool done", 4},
		{"session end", 1},
		{"freeze", 2},
		{"freeze all", 1},
		{"lift", 3},
		{"lift all", 2},
		{"observe", 1},
		{"observe all", 1},
		{"gate again", 2},
		{"extend", 4},
		{"put off", 4},
		{"rule", 4},
		{"remove rule", 2},
		{"alarm", 1},
		{"acknowledge", 2},
		{"disk", 3},
		{"power", 1},
		{"kill", 1},
		{"agent dies", 1},
		{"wait long", 3},
		{"revoke", 1},
	}
)

// weighed is a kind of move, and how often it is made. Its number is of use only beside the
// others'.
type weighed struct {
	kind string
	n    int
}

// The times are short, so that a world of a few hundred moves sees deadlines, late answers and
// grants that expire.
const (
	sessions  = 3
	slots     = 5 // agents that ask at a time
	commands  = 4
	timeout   = 20 * time.Second
	lateFor   = 30 * time.Second
	grace     = 5 * time.Second
	operators = 2

	mostTimers = 1000 // that fire while time passes once
)

// calls are the commands that agents want to run, read once. To read a command costs more than to
// judge it, and a million worlds judge the same four.
var calls = func() []*rules.Call {
	list := make([]*rules.Call, commands)
	for i := range list {
		list[i] = rules.Prepare(rules.Question{Tool: "Bash", Input: input(i), Agent: "claude"})
	}
	return list
}()

// command is one that no built-in rule knows, so only the world's own rules speak about it.
func command(n int) string { return "make part" + string(rune('a'+n%commands)) }

// input is the tool's input, the same bytes for the same number.
func input(n int) json.RawMessage {
	raw, _ := json.Marshal(map[string]string{"command": command(n)}) // a map of strings never fails
	return raw
}

// Two actors are enough: one that may allow and one that may not.
var (
	operator = broker.Actor{Kind: broker.ByOperator}
	program  = broker.Actor{Kind: broker.ByProcess, PID: 77}
)

// world is a broker with everybody around it. It has no lock: one goroutine plays it. wrong stays
// at the first broken promise.
type world struct {
	now       time.Time
	disk      *disk
	loop      *engine.Loop
	ids       int
	queued    []engine.Input
	then      []func(engine.Reply)
	woken     map[string]bool
	askers    [slots]*asker
	looks     [operators]look
	consoles  [screens]*console
	onTimeout broker.Verdict
	ruleID    []string
	checks    oracle
	said      []string // the story, while it is told
	tell      bool
	steps     int
	wrong     string
	around    around // nil for a broker by itself
}

// around is what there is beside a broker and its agents: a fleet.
type around interface {
	said(text string)
	crashed() // the console's process is gone
}

// look is a call as an operator saw it. It may be old when the key is pressed. The engine must
// notice.
type look struct {
	id, digest, stamp string
}

// Answered and the others are what the loop tells the world of. Only a wake-up is remembered; who
// was woken looks for itself.
func (w *world) Answered(id string)         { w.woken[id] = true }
func (w *world) Moved(string)               {}
func (w *world) SessionChanged(string)      {}
func (w *world) StartRunner(broker.Session) {}
func (w *world) Released()                  {}

// newWorld begins with an empty disk and an open console.
func newWorld(tell bool) *world {
	w := &world{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), disk: newDisk(), woken: map[string]bool{}, onTimeout: broker.Deny, tell: tell}
	w.checks.world = w
	w.checks.reset()
	w.open()
	return w
}

// newID is an id that nobody had before.
func (w *world) newID(kind string) string {
	w.ids++
	return fmt.Sprintf("%s-%d", kind, w.ids)
}

// open starts a console over what the disk has. It hands over what package service finds out at a
// start: which calls are owed an answer, which are late, which checkpoints have no call. Nobody
// remembers how often a console crashed, so calls are not set aside here.
func (w *world) open() {
	// There is no limit on the rate: a world is made of bursts.
	limits := engine.Limits{
		ApprovalTimeout: timeout, LateFor: lateFor, AskerGrace: grace, MaxPerSession: 64, MaxPending: 4096, MaxSessions: 64, Rate: -1, OnTimeout: w.onTimeout,
	}
	s := engine.New(limits)
	saved := w.disk.now.saved()
	st := engine.Start{Saved: saved, Alarms: w.disk.now.alarms}
	ends := map[string]int{}
	pending := map[string]bool{}
	for _, r := range saved.Requests {
		ends[r.ID], pending[r.ID] = 0, true
	}
	for _, cp := range saved.Checkpoints {
		r, ok := w.disk.now.requests[cp.RequestID]
		switch {
		// It still waits, and Saved has it.
		case pending[cp.RequestID]:
		// A checkpoint for which there is nothing left to give is a stray one, to be dropped.
		case !ok || r.Outcome == nil || !cp.TakenUpAt.IsZero():
			st.Stray = append(st.Stray, cp)
		default:
			r.Checkpoint = &cp
			st.Owed = append(st.Owed, r)
		}
	}
	for _, id := range sortedKeys(w.disk.now.requests) {
		r := w.disk.now.requests[id]
		if (r.State == broker.Expired || r.State == broker.Cancelled) && w.now.Sub(r.Outcome.At) < lateFor && !w.granted(id) {
			st.Late = append(st.Late, r)
		}
	}
	timers, err := s.Restore(w.now, st)
	if err != nil {
		w.fail("a console cannot start: %v", err)
		return
	}
	w.checks.startedWith(w.onTimeout)
	w.loop = engine.NewLoop(s, timers, w.disk, w, slog.New(slog.DiscardHandler))
	w.queued, w.then = nil, nil
	w.checks.restarted()
	// It is the first input of every console, as in package service.
	w.send(engine.TakeUp{Ends: ends}, nil)
	w.round()
}

// granted reports whether a late call was answered by a grant: then it is late no more.
func (w *world) granted(request string) bool {
	for _, g := range w.disk.now.grants {
		if g.RequestID == request {
			return true
		}
	}
	return false
}

// send queues an input for the next round. then hears the reply; nil when nobody waits for one.
// It is called after the whole round is done, as a caller is that waits for the loop.
func (w *world) send(in engine.Input, then func(engine.Reply)) {
	w.queued = append(w.queued, in)
	w.then = append(w.then, then)
}

// round lets the loop take what is queued. A round in which the console is killed gives no
// replies: whoever asked learns nothing, whatever is on the disk.
func (w *world) round() {
	if len(w.queued) > 0 {
		w.sayf("-- a round of %d", len(w.queued))
	}
	// What replies queue belongs to the next round.
	ins, then := w.queued, w.then
	w.queued, w.then = nil, nil
	w.steps += len(ins)
	w.checks.before(ins)
	replies := w.loop.Round(context.Background(), w.now, ins...)
	// The engine itself does not know that it was killed: it is thrown away.
	if w.disk.dead { // nobody hears a word of it
		w.disk.dead = false
		w.say("the console is killed in the middle of it")
		w.checks.unheard(ins)
		w.crash()
		return
	}
	for i, r := range replies {
		if r.Err != nil {
			w.sayf("(%s: %v)", nameOf(ins[i]), r.Err)
		}
		if errors.Is(r.Err, engine.ErrBroken) {
			w.fail("the engine failed on %s", nameOf(ins[i]))
		}
		w.checks.acknowledged(ins[i], r)
		if then[i] != nil {
			then[i](r)
		}
	}
	w.checks.state()
}

// nameOf is an input's type, for the story.
func nameOf(in engine.Input) string { return strings.TrimPrefix(fmt.Sprintf("%T", in), "engine.") }

// crash is what follows when the console's process is gone. The disk stays as it is; what was in
// memory and on connections is gone.
func (w *world) crash() {
	w.checks.crashed()
	if w.around != nil {
		w.around.crashed()
	}
	w.woken = map[string]bool{}
	for _, a := range w.askers {
		if a != nil {
			a.cutOff()
		}
	}
	for _, c := range w.consoles {
		if c != nil {
			c.cutOff()
		}
	}
	w.open()
}

// fail notes the first broken promise.
func (w *world) fail(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
		w.say("WRONG: " + w.wrong)
	}
}

// say adds a line to the story. The text costs time to make, so it is made only while a story is
// told.
func (w *world) say(text string) {
	switch {
	case w.around != nil:
		w.around.said(text)
	case w.tell:
		w.said = append(w.said, fmt.Sprintf("%6.1f s  %s", w.now.Sub(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)).Seconds(), text))
	}
}

// sayf is say with a format.
func (w *world) sayf(format string, args ...any) {
	if w.tell {
		w.say(fmt.Sprintf(format, args...))
	}
}

func sessionID(n int) string { return "session " + string(rune('A'+n%sessions)) }

// judge is what the rules say of a command, by a look at the call. It says what package policy
// would, short of files and danger: where rules are in doubt none of them allows.
func judge(l engine.Look, n int, now time.Time) engine.Judged {
	a := l.Rules.Set.Judge(calls[n%commands], now)
	// An alarm takes rules their right to allow, as a log in doubt does.
	if doubt := l.Rules.Doubt + l.Rules.Unread + l.Rules.Stuck + l.Alarm; doubt != "" && a.Verdict == rules.Allow {
		a = broker.AskInstead(a, doubt)
	}
	return engine.Judged{Rules: l.Rules.Version, Assessment: a, DenyReason: a.Reason, Stamp: "files"}
}

// rejudge lets the rules look at a waiting call again.
func (w *world) rejudge(id, rule string) {
	x, ok := w.loop.View().Seen(id, w.now)
	if !ok {
		return
	}
	n := commandOf(x.Request)
	w.send(engine.Assess{ID: id, Judged: judge(x.Look, n, w.now), Was: x.Stamp, Ends: !x.Look.Moot, Rule: rule}, nil)
}

// lifted lets the rules look at the calls that a freeze held.
func (w *world) lifted(r engine.Reply) {
	for _, id := range r.Unheld {
		w.rejudge(id, "")
	}
}

// commandOf finds the number of a call's command again.
func commandOf(r broker.Request) int {
	for n := range commands {
		if string(r.ToolInput) == string(input(n)) {
			return n
		}
	}
	return 0
}

// pending are the cards that an operator sees, waiting and late ones, in order.
func (w *world) pending() []broker.Request {
	snap := w.loop.View().Snapshot(w.now)
	return snap.Requests
}

// do makes a move. A kind that is not known does nothing, here or in the functions that it leads
// to.
func (w *world) do(m Move) {
	sid := sessionID(m.Who)
	a := w.askers[m.Who%slots]
	// An operator looks in one move and presses the key in a later one, and remembers one call at
	// a time.
	op := m.Who % operators
	switch m.Kind {
	case "ask":
		if a == nil || a.done() {
			a = w.newAsker(m.Who, m.N)
			w.sayf("%s asks for %q in %s", a.name, command(a.command), a.session)
		}
	// The number picks among those who have something to do, so that few moves are lost.
	case "go on":
		var able []*asker
		for _, x := range w.askers {
			if x != nil && x.able() {
				able = append(able, x)
			}
		}
		if len(able) > 0 {
			able[m.Who%len(able)].goOn()
		}
	case "round":
		w.round()
	// Nothing is sent: to look changes nothing.
	case "look":
		if list := w.pending(); len(list) > 0 {
			r := list[m.N%len(list)]
			x, _ := w.loop.View().Seen(r.ID, w.now)
			w.looks[op] = look{r.ID, r.Digest, x.Stamp}
			w.sayf("operator %d looks at %s (%q in %s)", op, r.ID, command(commandOf(r)), r.SessionID)
		}
	// The digest and the stamp are those of the card that was looked at.
	case "allow", "deny":
		if l := w.looks[op]; l.id != "" {
			w.sayf("operator %d presses the key: %s %s", op, m.Kind, l.id)
			w.decide(l, map[string]broker.Verdict{"allow": broker.Allow, "deny": broker.Deny}[m.Kind], operator)
		}
	case "allow several":
		w.allowSeveral(op, m.N)
	case "hang up":
		if a != nil {
			a.hangUp()
		}
	case "come back":
		if a != nil {
			a.comeBack()
		}
	case "ask again", "change call":
		if a != nil && a.done() {
			a.repeat(m.Kind == "change call")
		}
	case "pause":
		if a != nil {
			a.paused = !a.paused
		}
	// A program takes it back, which needs no operator.
	case "withdraw":
		if a != nil && a.id != "" {
			w.sayf("%s takes its question back", a.name)
			w.send(engine.Withdraw{ID: a.id, By: program}, nil)
		}
	case "agent dies":
		if a != nil {
			w.sayf("%s dies", a.name)
			a.dead = true
			// Its connections close with it. The engine also hears of its death with the next
			// tick.
			a.leave(true)
		}
	default:
		w.doMore(m, sid, op)
	}
}

// decide sends an operator's verdict about the card that they saw.
func (w *world) decide(l look, v broker.Verdict, by broker.Actor) {
	w.checks.pressed(l, v, by)
	w.send(engine.Decide{
		Picks: []engine.Picked{{ID: l.id, Digest: l.digest, Stamp: l.stamp}}, Decision: broker.Decision{Verdict: v, By: by, Digest: l.digest}, NewID: w.newID("grant"),
	}, nil)
}

// allowSeveral allows some of the cards as one. The bits of n say which of the cards are picked.
// Here they are looked at and decided in one move.
func (w *world) allowSeveral(op, n int) {
	// There is no NewID: several calls at once never leave a grant.
	in := engine.Decide{Decision: broker.Decision{Verdict: broker.Allow, By: operator}}
	for i, r := range w.pending() {
		if r.State == broker.Pending && (n>>i)&1 == 1 {
			x, _ := w.loop.View().Seen(r.ID, w.now)
			in.Picks = append(in.Picks, engine.Picked{ID: r.ID, Digest: r.Digest, Stamp: x.Stamp})
			w.checks.pressed(look{r.ID, r.Digest, x.Stamp}, broker.Allow, operator)
		}
	}
	if len(in.Picks) > 0 {
		w.sayf("operator %d allows %d calls as one", op, len(in.Picks))
		w.send(in, nil)
	}
}

// doMore makes the moves that are not about one agent's question. hook is for what agents tell.
// It asks nothing, so nobody waits for the reply.
func (w *world) doMore(m Move, sid string, op int) {
	hook := func(kind agents.Kind, change func(h *agents.Hook)) {
		h := agents.Hook{Kind: kind, Agent: "claude", SessionID: sid, CWD: "/src"}
		if change != nil {
			change(&h)
		}
		w.sayf("%s tells: %s", sid, map[agents.Kind]string{agents.Prompt: "its user speaks", agents.TurnEnd: "its turn is over", agents.SessionEnd: "it ends", agents.ToolDone: "a call ran"}[kind])
		w.send(engine.FromHook{Hook: h, Speaker: engine.Speaker{SessionID: sid, Agent: "claude", CWD: "/src"}}, nil)
	}
	all := map[bool]string{true: "", false: sid}
	everything := strings.HasSuffix(m.Kind, " all")
	switch m.Kind {
	// Without a session the input says All, since "" names no session.
	case "stop", "stop all":
		w.sayf("operator %d: %s %s", op, m.Kind, all[everything])
		w.send(engine.Stop{SessionID: all[everything], All: everything, By: operator}, nil)
	case "prompt":
		hook(agents.Prompt, nil)
	case "turn end":
		hook(agents.TurnEnd, nil)
	case "session end":
		hook(agents.SessionEnd, nil)
	case "tool done":
		// Only an agent that was told yes runs its call and reports it. The alarms have tests of
		// their own.
		if a := w.askers[m.Who%slots]; a != nil && a.mayRun {
			hook(agents.ToolDone, func(h *agents.Hook) {
				h.SessionID, h.ToolName, h.ToolInput, h.ToolUseID = a.session, "Bash", input(a.command), a.use
			})
		}
	case "freeze", "freeze all", "lift", "lift all":
		w.sayf("operator %d: %s %s", op, m.Kind, all[everything])
		w.send(engine.SetFreeze{SessionID: all[everything], On: strings.HasPrefix(m.Kind, "freeze"), By: operator}, w.lifted)
	case "observe", "observe all":
		w.sayf("operator %d: %s %s", op, m.Kind, all[everything])
		w.send(engine.Observe{SessionID: all[everything], On: true, By: operator}, nil)
	// Both of them: calls are held again in general, and in this session.
	case "gate again":
		w.send(engine.Observe{SessionID: "", By: operator}, nil)
		w.send(engine.Observe{SessionID: sid, By: operator}, nil)
	case "extend":
		if l := w.looks[op]; l.id != "" {
			w.sayf("operator %d gives %s more time", op, l.id)
			w.send(engine.Extend{ID: l.id, By: operator}, nil)
		}
	case "put off":
		if l := w.looks[op]; l.id != "" {
			w.sayf("operator %d puts %s off", op, l.id)
			w.send(engine.PutOff{ID: l.id, By: operator}, nil)
		}
	case "rule":
		w.saveRule(m)
	case "remove rule":
		if len(w.ruleID) > 0 {
			id := w.ruleID[m.N%len(w.ruleID)]
			w.sayf("operator %d removes rule %s", op, id)
			w.send(engine.RemoveRule{ID: id, By: operator}, nil)
		}
	case "alarm":
		w.send(engine.Raise{Alarm: broker.Alarm{Kind: broker.RanChanged, SessionID: sid, ToolName: "Bash", ToolUseID: fmt.Sprint(m.N)}}, nil)
	case "acknowledge":
		w.send(engine.Acknowledge{SessionID: sid, By: operator}, nil)
	default:
		w.elsewhere(m)
	}
}

// elsewhere makes the moves of the disk, the machine and the clock. A fault of the disk is not at
// once: it is put before one of the next commits.
func (w *world) elsewhere(m Move) {
	switch m.Kind {
	case "disk":
		f := []fault{refuses, lies, killed, killedOn, refuses, lies}[m.N%6]
		w.sayf("the disk: the commit after %d others %s", m.Who%3, f)
		w.disk.faults = append(make([]fault, m.Who%3), f)
		if m.Who%5 == 0 {
			w.disk.faults = append(w.disk.faults, f, f)
		}
	// Inputs that the loop has not taken are lost, as in a process that is gone.
	case "kill":
		w.say("the console is killed, and starts again")
		w.queued, w.then = nil, nil
		w.crash()
	case "power":
		// Any number of the writes may be left, all and none included.
		keep := m.N % (len(w.disk.tail) + 1)
		w.sayf("the power fails: of %d writes that were not synced %d are left", len(w.disk.tail), keep)
		w.queued, w.then = nil, nil
		w.disk.faults = nil
		w.disk.cutPower(keep)
		w.checks.powerCut()
		// The agents run on the same machine, and are gone as well.
		w.askers = [slots]*asker{}
		w.crash()
	case "mend":
		w.mend()
	case "tick":
		w.send(engine.Tick{Dead: w.deadProcesses()}, nil)
	case "revoke":
		for _, id := range sortedKeys(w.disk.now.grants) {
			w.send(engine.RevokeGrant{ID: id, By: operator}, nil)
		}
	case "wait":
		w.wait(time.Duration(m.N%3000+1) * time.Millisecond)
	case "wait long":
		w.wait(time.Duration(m.N%40+1) * time.Second)
	default:
		w.visit(m)
	}
}

// saveRule makes a rule about one of the commands. A rule may have few uses, so that the last one
// is a matter of order. Waiting calls are judged anew, as package policy has them.
func (w *world) saveRule(m Move) {
	v := []rules.Verdict{rules.Allow, rules.Allow, rules.Deny, rules.Ask}[m.N%4]
	// A limit of 0 is none.
	r := rules.Rule{Enabled: true, Priority: 100, Tool: "Bash", Where: map[string]string{"command": command(m.Who)}, Decision: v, MaxUses: m.N % 3}
	id := fmt.Sprintf("0198c0de-0000-7000-8000-%012d", len(w.ruleID)+1+w.ids)
	w.ids++
	w.sayf("the operator saves rule %s: %s %q, at most %d times", id, v, command(m.Who), r.MaxUses)
	w.checks.ruleSent(id, v)
	w.send(engine.SaveRule{Rule: r, By: operator, NewID: id}, func(rep engine.Reply) {
		if rep.Err != nil {
			return
		}
		w.ruleID = append(w.ruleID, id)
		for _, req := range w.loop.View().Pending("") {
			w.rejudge(req.ID, id)
		}
	})
}

// mend writes what the disk could not take, as the broker's sweep does. Debts are paid one by
// one; when there is none, the disk is asked whether it works again.
func (w *world) mend() {
	n, failing := w.loop.View().Failures()
	calls, strays, rest := w.loop.View().Debts()
	for _, id := range calls {
		r, ok := w.disk.now.requests[id]
		r.ID = id
		w.send(engine.PayDebt{Call: r, Gone: !ok, Failures: n}, nil)
	}
	for _, id := range strays {
		w.send(engine.PayRest{Stray: id}, nil)
	}
	if rest {
		w.send(engine.PayRest{}, nil)
	}
	if len(calls) == 0 && failing {
		w.send(engine.Probe{Failures: n}, nil)
	}
	w.round()
}

// deadProcesses are what the broker's sweep would find to be gone.
func (w *world) deadProcesses() []broker.Process {
	var list []broker.Process
	for _, a := range w.askers {
		if a != nil && a.dead {
			list = append(list, a.process)
		}
	}
	return list
}

// wait lets time pass, timer by timer. Timers fire at their own times and not all at the end: the
// order of deadlines matters.
func (w *world) wait(d time.Duration) {
	until := w.now.Add(d)
	for rounds := 0; ; rounds++ {
		at, ok := w.loop.NextTimer()
		if !ok || at.After(until) {
			break
		}
		// A timer that sets itself again for the same moment would hold the world for ever.
		if rounds > mostTimers {
			w.fail("a timer fires again and again")
			return
		}
		if at.After(w.now) {
			w.now = at
		}
		w.round()
	}
	w.now = until
	w.send(engine.Tick{Dead: w.deadProcesses()}, nil)
	w.round()
}

// draw is a list of moves from a seed. About a third of the hazards are in each world. With all
// of them at once no call would ever get far.
func draw(seed uint64, n int) []Move {
	r := rand.New(rand.NewPCG(seed, 0x5eed)) //nolint:gosec // the same moves for the same seed are the point
	var bag []string
	for _, w := range everyday {
		bag = append(bag, slices.Repeat([]string{w.kind}, w.n)...)
	}
	for _, w := range hazards {
		if r.IntN(3) == 0 {
			bag = append(bag, slices.Repeat([]string{w.kind}, w.n)...)
		}
	}
	list := make([]Move, n)
	for i := range list {
		list[i] = Move{bag[r.IntN(len(bag))], r.IntN(1 << 16), r.IntN(1 << 16)}
	}
	return list
}
