package hookclient

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"
)

// HookOptions say how Hook asks. Their zero value asks as an agent's hook does.
type HookOptions struct {
	Timeout time.Duration // how long a person has to answer; 0 means 10 minutes, at most 24 hours
	AtMost  time.Duration // how long they can have it wait by giving the call more time; 0 means no longer than Timeout
	Socket  string        // the console's socket; empty means where AOCTL_URL says, else the usual place
	Patient bool          // a console that is not there yet is waited for, until Timeout has passed

	// Env looks up the variables that tell which agent asks; nil looks into this
	// process's environment.
	Env func(name string) (value string, set bool)
}

// HookAnswer is an agent's own answer to its hook. The zero value is no answer. JSON is for the
// agent alone and not to be read by the program.
type HookAnswer struct {
	JSON      []byte // one JSON object and a newline
	RequestID string // UUIDv7 of the request; "" when the event was no question
}

// Hook puts one hook payload of agent before the console and waits for the answer, over
// as many connections as it takes, as Run does for an agent that starts a program.
//
// Without an error JSON is a whole, checked answer for this very payload. Every error means
// that there is none, so that a call must not run; errors.Is tells the causes apart as with
// Ask. When ctx ends first, its error is returned and the question is taken back.
//
// Hook may be called by many goroutines at once. It does not keep payload.
func Hook(ctx context.Context, agent string, payload []byte, o HookOptions) (HookAnswer, error) {
	return hookOnce(ctx, agent, payload, o, defaultLimits())
}

// hookOnce is Hook with the limits l. It checks what the caller gave before anything is sent, and
// takes the question back when the caller's ctx ends first: a person must not answer a call that
// nobody waits for.
func hookOnce(ctx context.Context, agent string, payload []byte, o HookOptions, l limits) (HookAnswer, error) {
	begun := time.Now()
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	var err error
	switch {
	case o.AtMost < 0 || o.AtMost > maxTimeout:
		err = badInput("a time of at most " + o.AtMost.String() + " is not between 0 and 24h")
	case o.Timeout < 0 || o.Timeout > maxTimeout:
		err = badInput("a timeout of " + o.Timeout.String() + " is not between 0 and 24h")
	case !plainName(agent):
		err = badInput("unknown agent " + strconv.Quote(agent))
	case len(payload) > l.payload:
		err = badInput("the hook payload is larger than the limit of " + strconv.Itoa(l.payload>>20) + " MiB")
	default:
		err = looksLikeObject(payload)
	}
	if err != nil {
		return HookAnswer{}, err
	}
	console, err := whereTo(o.Socket)
	if err != nil {
		return HookAnswer{}, err
	}
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	// It is set only by an answer that was checked whole.
	var answer HookAnswer
	c := conversation{
		console: console, caller: newCallerIn(console, o.Env), limits: l,
		question: hookQuestion(agent, payload, func(r response) (err error) {
			answer.RequestID = r.requestID
			answer.JSON, err = checkAnswer(r)
			return err
		}),
		deadline: within(begun, o.Timeout, o.AtMost), reached: o.Patient,
	}
	if err = c.run(ctx); err != nil {
		if ctx.Err() != nil {
			_ = c.withdraw("the agent took its question back") // where it is not heard, the console sees that the connection closed
		}
		return HookAnswer{}, err
	}
	return answer, nil
}

// CallOptions say how Call asks.
type CallOptions struct {
	Socket  string        // as in HookOptions
	Timeout time.Duration // for the whole call; 0 means 10 seconds
}

// StatusError is the console's refusal of a Call. It wraps ErrRefused.
type StatusError struct {
	Status  int    // of HTTP
	Code    string // a word for programs, such as "not_found"
	Message string // for people
	Hint    string // what helps; may be empty
}

// Error is for people; programs go by Code.
func (e *StatusError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// Unwrap makes it an ErrRefused.
func (e *StatusError) Unwrap() error { return ErrRefused }

// callTime is what a call may take when nothing else is said.
const callTime = 10 * time.Second

// Call sends one request of the console's HTTP API, a GET when body is nil and otherwise a
// POST of that JSON, over a connection of its own, and returns the JSON object of the answer.
// It makes sure as Hook does that a console of ours is at the other end, and tries once.
//
// Errors: ErrNoConsole also when the connection was lost, so that it is not known whether
// the request was heard; ErrSilent when Timeout passed; *StatusError for a refusal;
// ErrSocket, ErrAnswer and ErrInput as with Ask, and ctx's own.
//
// It is tried once because a POST that was lost may have been heard: only the caller knows
// whether it may be sent again.
func Call(ctx context.Context, path string, body []byte, o CallOptions) ([]byte, error) {
	console, err := whereTo(o.Socket)
	if err != nil {
		return nil, err
	}
	if o.Timeout <= 0 {
		o.Timeout = callTime
	}
	c := conversation{
		console: console, caller: newCaller(console), limits: defaultLimits(),
		question: question{path: path, body: body}, deadline: within(time.Now(), o.Timeout, 0),
	}
	resp, err := c.single(ctx)
	var gone *lostError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errBusy):
		return nil, c.silent(err)
	case errors.As(err, &gone):
		return nil, &refusalError{kind: ErrNoConsole, text: "the console ended in the middle of a call", hint: startOne, cause: err}
	case err != nil:
		return nil, err
	}
	return c.plain(resp)
}

// single asks once and returns whatever was answered. single does what once does for one request,
// without looking whether the answer says wait.
func (c *conversation) single(ctx context.Context) (response, error) {
	fd, pid, err := c.console.connect()
	if err != nil {
		return response{}, err
	}
	c.pid, c.pending = pid, true                        // pending: silence lasts as long as the call may
	conn := os.NewFile(uintptr(fd), c.console.String()) // #nosec G115 -- a descriptor is never negative
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	return c.exchange(ctx, conn, c.request(c.question.path, c.question.body), conn)
}

// plain is the body of an answer that is whole, ours, and no refusal.
func (c *conversation) plain(resp response) ([]byte, error) {
	if err := c.challenge.provenBy(resp, c.console); err != nil {
		return nil, err
	}
	// The connection is for this call alone, so an answer need not name it.
	if err := checkOrigin(resp, c.caller.correlation, false); err != nil {
		return nil, err
	}
	switch {
	case resp.status == 200, resp.status == 201:
		return checkAnswer(resp)
	case resp.status < 400:
		return nil, unreadable("it has status " + strconv.Itoa(resp.status))
	}
	code, err := brokerRefusal(resp)
	var r *refusalError
	if !errors.As(err, &r) || !errors.Is(err, ErrRefused) {
		return nil, err
	}
	return nil, &StatusError{Status: resp.status, Code: code, Message: r.text, Hint: r.hint}
}

// badInput is an error for the programmer who called.
func badInput(text string) error { return &refusalError{kind: ErrInput, text: text} }
