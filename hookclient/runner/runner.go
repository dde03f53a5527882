// Package runner holds a managed session: it starts an agent's process, has both ends of
// its conversation, and is the console's hand on it.
//
// The agent speaks its stream-json protocol, one JSON object a line each way. It is told to
// ask us before every call (its gate). The question goes to the console as an agent's hook
// would put it, and the console's answer goes back byte for byte. Until the agent has said
// that its gate stands, nothing else is said to it.
//
// The console is spoken to as by any client: POST /runs, GET /runs/{id}/orders and POST
// /runs/{id}/reports, each of which finds a console that was restarted. No session ends
// because its console did.
//
// The conversation is a peer, a state machine without input or output of its own: what
// happens goes in, effects come out. It has one part for each matter: controls (what we ask
// of the agent), questions (what it asks of us) with the ledger of every call that came
// through the gate, turn (what it does now and has used), mailbox (the console's messages on
// their way to it) and shutdown (its end, and why). All write into one outbox.
//
// A session runs the loop around the peer and carries the effects out: child is the process,
// writer, lines and stderrTail its pipes, link the console, viewer the one who looks on. One call
// passes through line, peer.line, questions.asked and an ask effect to the console; its
// answer passes through peer.answered and a send effect to the agent.
//
// Two rules hold in every state. Nothing is allowed but by an answer of the console that says so
// in the agent's own JSON; whatever fails, is too large or comes too late is a refusal. And what
// ran without having been allowed ends the agent at once, since then its gate means nothing.
//
// Read runner.go for the loop, peer.go for the phases and message.go for the protocol; then the
// part that matters.
package runner

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/hookclient"
	"github.com/aoctl/aoctl/hookclient/install"
)

// Options are what a run takes. Start, Env, Log and NewID are needed. Callbacks must not wait for
// the run itself.
type Options struct {
	Start   wire.RunStart // what is run, and for which session
	Keep    bool          // take messages after the turn; otherwise the run ends with its first turn after which none waits
	Socket  string        // of the console; empty means the usual place
	Timeout time.Duration // how long a person has to answer a call; 0 means 10 minutes
	Env     []string      // what the agent is started with; see AgentEnv
	Log     *slog.Logger  // what went on, and what the agent wrote to stderr
	Linger  time.Duration // how long to wait, after the agent's end, for a console that is away

	// Show is called for everything that is seen of the agent, one at a time and in order;
	// an error ends the session. nil shows nothing. It runs in a goroutine of its own, so a
	// terminal that is stopped holds up the agent and nothing else.
	Show func(Seen) error
	// Ready is called once, when the agent has answered and its gate stands.
	Ready func()
	// Commands are what the person before the runner wants.
	Commands <-chan Command
	// NewID makes UUIDs for messages.
	NewID func() string
}

// Result is how a run ended.
type Result struct {
	Word   string // the agent's, for how its last turn ended; "" when there was none
	Failed bool   // that turn failed, or there was none that should have been
	Exit   int    // the agent's exit code; -1 after a signal
	Cost   float64
	Usage  wire.RunUsage
	Turns  int
}

// Run holds one session from its start to the end of its agent's process. When ctx ends the
// session is ended, in order.
//
// Errors: those of hookclient.Call when the console does not take the run, after which
// nothing was started; the system's when the agent cannot be started; otherwise an
// *EndError when it had to be ended because something was wrong, or died in its turn.
func Run(ctx context.Context, o Options) (Result, error) {
	// A connection for each call: a runner makes few, and none must be left half-dead by a
	// console that went.
	call := func(ctx context.Context, path string, body []byte, limit time.Duration) ([]byte, error) {
		return hookclient.Call(ctx, path, body, hookclient.CallOptions{Socket: o.Socket, Timeout: limit})
	}
	if o.Show == nil {
		o.Show = func(Seen) error { return nil }
	}
	if o.Ready == nil {
		o.Ready = func() {}
	}
	s := &session{o: o, link: newLink(call, o.Start, o.Log), call: call, times: defaultTimes()}
	return s.run(ctx)
}

// EndError says why an agent had to be ended, or how it died.
type EndError struct{ Why string }

func (e *EndError) Error() string { return e.Why }

// session is one run: the agent's process, the console, and the peer between them. Its loop is
// one goroutine; each of the others does one thing and hands it over on a channel. Fields below
// peer are touched by the loop alone, but for the channels.
type session struct {
	o     Options
	call  caller
	link  *link
	times times

	peer   *peer
	child  *child
	out    *writer
	errs   *stderrTail
	show   *viewer
	asks   map[string]openAsk // the latest of each id
	asking sync.WaitGroup

	lines    chan line
	ended    chan struct{} // closed when there are no more lines
	answers  chan answeredAsk
	orders   chan []wire.RunOrder
	settled  chan settledOrders
	timers   chan string
	finished bool
}

// openAsk is a question that is before the console. The serial tells the answer to this ask from
// a late one to an earlier ask with the same id.
type openAsk struct {
	serial int
	cancel context.CancelFunc
}

// answeredAsk comes back from the goroutine that asked.
type answeredAsk struct {
	id string
	answer
}

// settledOrders is what a console had to say at the end of a turn; known is false when it said
// nothing.
type settledOrders struct {
	list  []wire.RunOrder
	known bool
}

// run is the life of a session: say to the console that we have it, start the agent, go round the
// loop until the agent has ended, then see that the console was told everything. Without the
// console's word nothing is started. The end of ctx asks the agent to end; it cuts nothing off.
func (s *session) run(ctx context.Context) (Result, error) {
	if err := s.link.register(ctx); err != nil {
		return Result{}, err
	}
	// Everything beside the loop goes on after ctx has ended, because an orderly end takes a
	// while.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	// From here on reports flow. They may be about an agent that could not even be started.
	go s.link.pump(work)
	if err := s.begin(); err != nil {
		s.link.tell(wire.RunReport{Kind: wire.ReportEnded, Error: err.Error()})
		s.link.flush(work, s.o.Linger)
		return Result{}, err
	}
	go s.link.orders(work, s.orders)
	go s.read(work)
	go s.errs.follow(s.child.stderr)
	s.loop(ctx, work)
	defer s.show.close()
	s.asking.Wait() // each takes its question back, and no longer than it may
	if !s.link.flush(work, s.o.Linger) {
		s.o.Log.Warn("not all was told to the console", "session_id", s.o.Start.SessionID)
	}
	return s.peer.outcome()
}

// begin starts the agent and greets it. All channels are without room, so what is handed over was
// taken.
func (s *session) begin() error {
	start := s.o.Start
	var err error
	if s.child, err = startChild(start.Program, agentArgs(start), s.o.Env, start.CWD); err != nil {
		return err
	}
	s.lines, s.ended, s.answers = make(chan line), make(chan struct{}), make(chan answeredAsk)
	s.orders, s.settled, s.timers = make(chan []wire.RunOrder), make(chan settledOrders), make(chan string)
	s.asks, s.errs = map[string]openAsk{}, newStderrTail(s.o.Log)
	s.out, s.show = newWriter(s.child.stdin), newViewer(s.o.Show)
	s.peer = newPeer(peerOptions{
		session: start.SessionID, cwd: start.CWD, events: install.ClaudeRunEvents(), keep: s.o.Keep,
		prompt: start.Prompt, log: start.Log, newID: s.o.NewID, times: s.times,
	})
	s.o.Log.Info("agent started", "session_id", start.SessionID, "pid", s.child.pid, "program", start.Program)
	s.link.tell(wire.RunReport{Kind: wire.ReportAgent, PID: s.child.pid})
	s.peer.begin()
	return nil
}

// agentArgs is the agent's command line: the user's arguments and what the protocol needs. The
// user's own arguments come last.
func agentArgs(start wire.RunStart) []string {
	args := []string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--permission-prompt-tool", "stdio",
	}
	if start.Resumed {
		args = append(args, "--resume", start.SessionID)
	} else {
		args = append(args, "--session-id", start.SessionID)
	}
	if start.Model != "" {
		args = append(args, "--model", start.Model)
	}
	if start.MaxTurns > 0 {
		args = append(args, "--max-turns", strconv.Itoa(start.MaxTurns))
	}
	return append(args, start.Args...)
}

// read hands the agent's lines to the loop, one when the loop takes it. It takes the next line
// only when the loop has taken the one before, so an agent that writes without end is slowed by
// its pipe.
func (s *session) read(ctx context.Context) {
	defer close(s.ended)
	err := readLines(s.child.stdout, func(l line) bool {
		select {
		case s.lines <- l:
			return true
		case <-ctx.Done():
			return false
		}
	})
	if err != nil && !errors.Is(err, os.ErrClosed) {
		s.o.Log.Warn("the agent's output cannot be read", "err", err)
	}
}

// drainTime is how long we read on after the agent has ended: processes that it left running
// may hold its stdout open.
const drainTime = 3 * time.Second

// loop carries the conversation on until it is over.
//
// The agent's end is told to the peer only when both are over, its process and its lines: what it
// wrote last may still be in the pipe.
func (s *session) loop(ctx, work context.Context) {
	stop, commands, exited := ctx.Done(), s.o.Commands, s.child.exited
	var gone *exit
	var drained <-chan time.Time
	ended := s.ended
	s.apply(work)
	for !s.finished {
		lines := s.lines
		// The answers to its questions are among what it does not take, so nothing is gained by
		// reading on.
		if s.out.full() || s.show.full() {
			lines = nil // the agent waits until what came of its earlier lines is taken
		}
		select {
		case l := <-lines:
			s.peer.line(l)
		case a := <-s.answers:
			if s.asks[a.id].serial == a.serial {
				delete(s.asks, a.id)
			}
			s.peer.answered(a.id, a.answer)
		case list := <-s.orders:
			s.peer.orders(list)
		case st := <-s.settled:
			s.peer.settled(st.list, st.known)
		case name := <-s.timers:
			s.peer.timeUp(name)
		case c := <-commands:
			s.peer.command(c)
		// Showing failed, as when the terminal was closed, and the session is ended with it.
		case <-s.show.failed:
			s.show.failed = nil
			s.peer.command(End)
		case <-s.show.room:
		case <-s.out.taken:
		// A channel that has done its work is set to nil, so that select does not come back to
		// it.
		case <-stop:
			stop = nil
			s.peer.command(End)
		// Its lines are read on for a moment: they may say why it ended.
		case e := <-exited:
			gone, exited = &e, nil
			t := time.NewTimer(drainTime)
			defer t.Stop() //nolint:gocritic // once
			drained = t.C
		case <-drained:
			_ = s.child.stdout.Close() // ends read
			drained = nil
		case <-ended:
			ended = nil
		}
		// Now both are over, and nothing of the agent's comes any more.
		if gone != nil && ended == nil {
			gone.said = s.errs.last()
			s.peer.exited(*gone)
			gone = nil
		}
		s.apply(work)
	}
	// Goroutines that read and write end with their files.
	s.out.abort()
	_, _ = s.child.stdout.Close(), s.child.stderr.Close()
}

// apply does what the peer wants. The peer's effects come in the order in which it wanted them.
func (s *session) apply(ctx context.Context) {
	for _, e := range s.peer.out.take() {
		s.applyOne(ctx, e)
	}
}

// applyOne carries out one effect of the peer. None of them may wait here: what takes time has a
// goroutine or a queue of its own.
func (s *session) applyOne(ctx context.Context, e effect) {
	switch e := e.(type) {
	case send:
		s.out.put(e.line)
	case ask:
		s.ask(ctx, e)
	case drop:
		if open, ok := s.asks[e.id]; ok {
			delete(s.asks, e.id)
			open.cancel()
		}
	case tell:
		s.logReport(e.report)
		s.link.tell(e.report)
	case show:
		s.show.put(e.seen)
	// A timer that is no longer wanted still fires; the peer knows its name and passes over it.
	case wake:
		go func() {
			sleep(ctx, e.after)
			select {
			case s.timers <- e.name:
			case <-ctx.Done():
			}
		}()
	case shut:
		s.out.close()
	case kill:
		s.child.signal(e.sig)
	case ready:
		s.o.Ready()
	case settle:
		go s.settle(ctx)
	case finish:
		s.finished = true
	}
}

// logReport writes down what a report is about, not what was said. What the model says belongs to
// the transcript and not into a log.
func (s *session) logReport(r wire.RunReport) {
	switch r.Kind {
	case wire.ReportSaid, wire.ReportWorking:
	case wire.ReportStep, wire.ReportNote:
		s.o.Log.Info("runner "+r.Kind, "text", r.Text) //nolint:sloglint // two kinds
	default:
		s.o.Log.Info("report", "kind", r.Kind, "pid", r.PID, "order_id", r.OrderID, "result", r.Result, "err", r.Error)
	}
}

// settle tells the console that the turn is over and asks what it still has for the agent. It
// runs beside the loop, since both calls may take their whole time.
func (s *session) settle(ctx context.Context) {
	var st settledOrders
	if s.link.flush(ctx, settleTime) {
		list, err := s.link.poll(ctx, 0)
		st = settledOrders{list, err == nil}
	}
	select {
	case s.settled <- st:
	case <-ctx.Done():
	}
}

// settleTime is how long a run that is over waits for a console that is away.
const settleTime = 2 * time.Second
