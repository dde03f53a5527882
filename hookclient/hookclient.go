// Package hookclient asks the console whether an agent's call may run.
//
// Run is the whole program that agents start as their hook. Hook and Call are the same for
// a program that stays, Ask is the question of a program that is no agent, and an Agent has
// a session with it, so that it hears of a stop. All speak HTTP over the console's Unix
// socket, or over TCP with a token, find the same request again after a lost connection, and
// treat whatever goes wrong as "not allowed".
//
// A run passes through here in this order: settings from the arguments (args.go), the
// payload from stdin (payload.go), one question to the console (question.go), asked by a
// conversation over as many connections as it takes until the person's deadline is over
// (conversation.go), each answer checked before anything in it counts (response.go,
// proof.go), and printed as it came. Most are over within milliseconds, on a fast path
// without a second goroutine or a timer (fast_path.go). Otherwise the main goroutine
// watches for everything else that can end a run: a signal, the agent's death, a stdin that
// never ends, a clock of our own. Whatever that is ends in a refusalError, which one
// function turns into the exit code that blocks the call (reasons.go).
//
// Only the standard library is imported, without net and net/http: an agent starts the
// program before every call, and what it costs is mostly its start. For the same reason
// package variables hold nothing that takes work to make.
//
// The rule that orders everything here: an agent takes silence, an odd exit code or half an
// answer for permission. So an answer is printed only whole and checked, and every other way out
// says no. A panic, a closed stdout and a clock that ran out are such ways too.
//
// To see how a run goes read Run and hook.run below, then conversation.run. A program that links
// this package begins in library.go, ask.go or agent.go.
package hookclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/hookclient/profile"
)

// Exit codes of Run. Every agent takes 2 with words on stderr as "refused", and a 0
// without words, or any other code, as permission. They are the two that agents agree on. Others
// have a meaning of their own with some of them.
const (
	exitAnswered = 0
	exitRefused  = 2
)

// Run is one hook run: it reads the agent's payload from stdin, waits for the
// console's answer and prints it. It returns the exit code: 0 when a complete
// answer was written to stdout, otherwise 2 with one sentence on stderr.
//
// args are those after the program's name: [--timeout 10m] [--at-most 1h] [--socket PATH] AGENT.
// Run is made for main: it takes the process's signals over for good, and after a
// refusal a goroutine of its own may still be blocked reading stdin.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	code = exitRefused
	defer func() {
		if v := recover(); v != nil {
			code = refuse(stderr, panicked(v))
		}
	}()
	// The default would end the program without a word, with a code that no agent takes for a
	// refusal.
	signal.Ignore(syscall.SIGPIPE) // so that a closed stdout is a write error, and exit 2
	h := &hook{
		stdin: stdin, stdout: stdout, stderr: stderr, limits: defaultLimits(),
		signals: catchSignals, parent: watchParent(stdout),
	}
	// The fast path reads descriptor 0 itself, which is right only when that is where the payload
	// comes from.
	if stdin == io.Reader(os.Stdin) {
		h.quick = quickPayload
	}
	return h.run(ctx, args)
}

// hook is one run. Most are over on the fast path. Otherwise the main goroutine
// watches over everything that can end the run, while another one reads, asks and
// prints. Whichever of the two goroutines sets closed first has the last word: either an answer
// is printed, or none is any more.
type hook struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	limits         limits
	signals        func() <-chan os.Signal // catches them from now on; may be nil
	parent         *parentWatch
	quick          func() (payload []byte, whole bool) // reads what is there; nil forbids the fast path

	settings settings
	begun    time.Time
	payload  []byte       // what is asked, once it is read
	answer   []byte       // set once a checked answer is there
	granted  atomic.Int64 // nanoseconds from begun to which the console let the call wait
	fed      atomic.Bool  // stdin was read to its end
	closed   atomic.Bool  // an answer is being printed, or none may be any more
}

// run is Run after the parts are in place. Whatever goes wrong becomes an exit code that blocks
// the call, and so does asking for help.
func (h *hook) run(ctx context.Context, args []string) int {
	h.begun = time.Now()
	s, err := parseArgs(args)
	if err == nil && !s.help {
		// It is looked at before anything is asked: a person's answer must not be lost in a
		// stdout that nobody reads.
		err = h.parent.discarded()
	}
	switch {
	case err != nil:
		return refuse(h.stderr, err)
	case s.help:
		_, _ = io.WriteString(h.stderr, usage) // the exit code refuses even when nobody reads it
		return exitRefused
	}
	h.settings = s
	if s.notUnder != "" {
		return h.beforePrompt(ctx)
	}
	if err = h.ask(ctx); err != nil {
		return h.refuse(err)
	}
	return exitAnswered
}

// ask prints the console's answer. ask tries the fast path first. An error of that is final; no
// answer and no error means that it takes longer.
func (h *hook) ask(ctx context.Context) error {
	c, err := h.fastPath()
	if err == nil && h.answer == nil {
		err = h.wait(ctx, c)
	}
	return err
}

// beforePrompt refuses the prompt of an agent that was started with a flag of --not-under.
// Of any other prompt the console is only told: what goes wrong then must not cost it.
//
// A console that is away must not keep its user from speaking to the agent, so everything but the
// one refusal lets the prompt through.
func (h *hook) beforePrompt(ctx context.Context) int {
	if err := refusePrompt(strings.Split(h.settings.notUnder, ","), os.Getppid(), readAncestor); err != nil {
		return h.refuse(err)
	}
	if h.ask(ctx) != nil && h.closed.CompareAndSwap(false, true) {
		_, _ = io.WriteString(h.stdout, "{}\n") // an agent that does not hear it lets the prompt through as well
	}
	return exitAnswered
}

// refuse ends a run that has no answer. A hook that decides says so on stdout where its agent
// reads it there: what it says on stderr may be a fixed text that stands there already.
func (h *hook) refuse(err error) int {
	if errors.Is(err, ErrInput) {
		err = h.unknownAgent(err)
	}
	// A refusal on stdout must be the only thing there: an agent that reads two objects may take
	// the first.
	none := h.closed.CompareAndSwap(false, true) // or an answer is being printed, and nothing may stand beside it
	var no []byte
	switch {
	case h.settings.askDown && neverReached(err) && h.beforeTool():
		no = profile.AskThere(h.settings.agent, sentence(err))
	case h.settings.gate:
		no = profile.Refusal(h.settings.agent, sentence(err))
	}
	if none && no != nil {
		if n, failed := h.stdout.Write(no); failed == nil && n == len(no) {
			return exitAnswered
		}
	}
	return refuse(h.stderr, err)
}

// beforeTool reports whether the payload is of the event to which "ask" is an answer. An agent takes it
// for nothing at another one, and goes on.
func (h *hook) beforeTool() bool {
	var event struct {
		Name string `json:"hook_event_name"`
	}
	return json.Unmarshal(h.payload, &event) == nil && event.Name == profile.Of(h.settings.agent).Traits.Gate
}

// neverReached reports whether err says that no console took the question. One that took it may have
// refused the call since.
func neverReached(err error) bool {
	var r *refusalError
	return errors.As(err, &r) && r.down
}

// unknownAgent names the agent, where nobody knows one of that name, in place of what came on
// stdin. A console may know more agents than this client, so a payload that can be read is sent.
// The console would say the same, but it is not there to be asked when the payload is bad.
func (h *hook) unknownAgent(err error) error {
	const generic = "generic" // any program that speaks our own dialect
	name := h.settings.agent
	if name == generic || profile.Of(name).Name != "" {
		return err
	}
	return badArgs("unknown agent " + strconv.Quote(name) + ", use " + strings.Join(profile.Names(), ", ") + " or " + generic)
}

// fastPath tries the short way: payload, question and answer without a second
// goroutine, a timer or a caught signal, none of which would be waited for. When
// something takes more than a few milliseconds or is not as it should be, the long
// way goes on from there: c is nil while the payload is not complete.
func (h *hook) fastPath() (c *conversation, err error) {
	if h.quick == nil {
		return nil, nil
	}
	payload, whole := h.quick()
	if !whole {
		h.stdin = io.MultiReader(bytes.NewReader(payload), h.stdin)
		return nil, nil
	}
	h.fed.Store(true)
	if c, err = h.conversation(payload); err != nil {
		return nil, err
	}
	if c.askFast() {
		err = h.print()
		c.drop()
	}
	return c, err
}

// wait goes the long way.
func (h *hook) wait(ctx context.Context, c *conversation) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var signals <-chan os.Signal
	if h.signals != nil {
		signals = h.signals()
	}
	done := make(chan error, 1)
	go func() { done <- h.work(ctx, c) }()
	err := h.watch(ctx, done, signals)
	if errors.Is(err, errGivenUp) {
		cancel(err)
		select {
		case <-done: //nolint:errcheck // the card is taken back; why it all ends is known
		// The console may be the very thing that hangs, so there is a limit to taking the card
		// back as well.
		case <-time.After(2 * h.limits.leave):
		}
	}
	return err
}

// waitEnded says that the program which runs the client ended it.
func waitEnded(ctx context.Context) error {
	return &refusalError{kind: ErrStopped, text: "the wait was ended before there was an answer", cause: ctx.Err()}
}

// watch returns what ended the run first: the answer, or a reason that there is
// none to be.
//
// It is the only place that waits for several things. What is found here ends the run although
// work may still be blocked in a read; the process exits over it.
func (h *hook) watch(ctx context.Context, done <-chan error, signals <-chan os.Signal) error {
	tick := time.NewTicker(h.limits.watch)
	defer tick.Stop()
	feed := time.NewTimer(h.limits.stdin)
	defer feed.Stop()
	// The conversation ends itself; this is for whatever else may hang.
	late := time.NewTimer(h.left())
	defer late.Stop()
	for {
		select {
		case err := <-done:
			if err != nil && errors.Is(err, ctx.Err()) { // the conversation noticed first
				return waitEnded(ctx)
			}
			return err
		case sig := <-signals:
			return signalled(sig)
		case <-ctx.Done():
			return waitEnded(ctx)
		case <-tick.C:
			if err := h.parent.check(); err != nil {
				return err
			}
		case <-feed.C:
			if !h.fed.Load() {
				return badPayload("the agent did not finish sending its payload", nil)
			}
		// The person may have given the call more time since the timer was set.
		case <-late.C:
			if left := h.left(); left > 0 {
				late.Reset(left)
				continue
			}
			return h.overdue()
		}
	}
}

// patience is how long a person has to answer, with what they gave beyond the usual time.
func (h *hook) patience() time.Duration {
	return max(h.settings.timeout, time.Duration(h.granted.Load()).Round(time.Second))
}

// left is how long the run may still take. The conversation's own end lies before it by
// limits.hung, so that its words are the ones that are told.
func (h *hook) left() time.Duration {
	wait := max(h.settings.timeout, time.Duration(h.granted.Load()))
	return time.Until(h.begun) + wait + h.limits.grace + h.limits.hung
}

// overdue is for a run that nothing else has ended, which only a defect or a blocked read
// explains.
func (h *hook) overdue() error {
	if !h.fed.Load() {
		return badPayload("the agent did not finish sending its payload", nil)
	}
	return &refusalError{
		kind: ErrTimeout, text: "time ran out: there was no answer within " + shortDuration(h.patience()),
		hint: "ask again when somebody is at the console",
	}
}

// work reads the payload unless c has it already, asks, and prints the answer. It runs beside
// watch. The result is sent once, and nobody may be listening any more.
func (h *hook) work(ctx context.Context, c *conversation) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
	}()
	if c == nil {
		payload, err := readPayload(h.stdin, h.limits.payload, h.limits.drain)
		if err != nil {
			return err
		}
		h.fed.Store(true)
		if c, err = h.conversation(payload); err != nil {
			return err
		}
	}
	h.parent.follow(h.settings.agent, c.question.body)
	if err = c.run(ctx); err != nil {
		if given := context.Cause(ctx); errors.Is(given, errGivenUp) {
			_ = c.withdraw(sentence(given)) // where it is not heard, the console sees that the connection closed
		}
		return err
	}
	return h.print()
}

// conversation is the one about payload. What cannot be a payload is refused before anything is sent.
func (h *hook) conversation(payload []byte) (*conversation, error) {
	if err := looksLikeObject(payload); err != nil {
		return nil, err
	}
	s := h.settings
	h.payload = payload
	c := &conversation{
		console: s.console, caller: newCaller(s.console), limits: h.limits,
		question: hookQuestion(s.agent, payload, func(r response) (err error) { h.answer, err = checkAnswer(r); return err }),
		deadline: within(h.begun, s.timeout, s.atMost),
	}
	c.deadline.granted = func(until time.Time) { h.granted.Store(int64(until.Sub(h.begun))) }
	return c, nil
}

// print writes the answer unless the run was refused meanwhile.
func (h *hook) print() error {
	if !h.closed.CompareAndSwap(false, true) {
		return &refusalError{kind: ErrStopped, text: "the answer came too late"}
	}
	// One write of the whole answer: a reader sees all of it, or a failure that ends in a
	// refusal.
	n, err := h.stdout.Write(h.answer)
	if err == nil && n < len(h.answer) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return &refusalError{kind: ErrStopped, text: "the answer could not be written to stdout: " + err.Error(), hint: "the agent may have closed it", cause: err}
	}
	return nil
}
