package hookclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"time"
)

// quick is how soon after a request the end of the connection counts as hung up on us. A console
// that ends after a longer wait has been there; one that hangs up at once, again and again, is
// broken.
const quick = 250 * time.Millisecond

// lostError marks a connection that ended without an answer. A question that is asked
// again with the same correlation finds the same request. It never reaches a caller of this
// package: either asking again helps, or another error takes its place.
type lostError struct{ cause error }

func (l *lostError) Error() string { return "the connection was lost: " + l.cause.Error() }
func (l *lostError) Unwrap() error { return l.cause }

// conversation is one question, asked over as many connections as it takes. It is
// for one goroutine and for one use.
type conversation struct {
	console  address
	caller   caller
	limits   limits
	question question
	deadline deadline // the person's; the conversation ends a grace later

	challenge challenge // of the latest request
	left      *leftover // what the fast path left to go on from

	id      string    // the request's, as soon as it is known
	sent    bool      // some of the question went out
	reached bool      // a broker took a connection in this conversation
	heard   time.Time // the last answer of any kind
	pending bool      // a broker said: wait
	strikes int
	pid     int // the broker's
}

// end is when the conversation is over. The grace lets the console say itself that the time ran
// out, in better words.
func (c *conversation) end() time.Time { return c.deadline.until.Add(c.limits.grace) }

// run asks until there is a final answer, which usable has approved.
//
// Between two attempts it waits longer and longer, up to limits.retryMax. What it sends is the
// same every time, under the same correlation, so the console finds the request that it made.
func (c *conversation) run(ctx context.Context) error {
	begun, wait := time.Now(), c.limits.retry
	for {
		tried := time.Now()
		err := c.once(ctx)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if time.Since(tried) > c.limits.retryMax {
			wait = c.limits.retry // it was a real wait, not one more knock at a closed door
		}
		if err = c.mayRetry(err, begun); err != nil {
			return err
		}
		if !c.pause(ctx, wait) {
			return ctx.Err()
		}
		wait = min(2*wait, c.limits.retryMax)
	}
}

// mayRetry returns nil when asking again can help, else the reason to give up.
//
// A console that is not there is waited for only when it was there before in this conversation,
// or is just coming up. Otherwise every call would hang for minutes on a machine where no console
// is open.
func (c *conversation) mayRetry(err error, begun time.Time) error {
	var gone *lostError
	switch {
	case errors.Is(err, errBusy):
		if time.Since(begun) > c.limits.silence && !c.pending {
			return c.silent(err)
		}
	case errors.As(err, &gone):
		if c.strikes >= c.limits.strikes {
			return &refusalError{
				kind: ErrAnswer, text: "the console closes the connection again and again without an answer",
				hint: "look into its log, or restart it", cause: gone.cause,
			}
		}
	case errors.Is(err, ErrNoConsole):
		// No connection at all is another failure than one that is closed at once.
		c.strikes = 0
		mayStart := time.Since(begun) < c.limits.starting
		if !c.reached && (!mayStart || !c.console.starting(c.limits.starting)) {
			return err
		}
	default:
		return err
	}
	if !time.Now().Before(c.end()) {
		return c.wentAway(err)
	}
	return nil
}

// pause waits for d, at most to the end of the conversation.
func (c *conversation) pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(min(d, time.Until(c.end())))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// once asks over one connection, from the post to the final answer. Several requests may go over
// one connection: the post, then a poll for each time that the console says wait.
func (c *conversation) once(ctx context.Context) error {
	start := c.left
	c.left = nil
	if start == nil {
		fd, pid, err := c.console.connect()
		if err != nil {
			return err
		}
		c.reached, c.pid = true, pid
		start = &leftover{fd: fd, unsent: c.request(c.question.path, c.question.body)}
	}
	conn := os.NewFile(uintptr(start.fd), c.console.String()) // #nosec G115 -- a descriptor is never negative
	defer func() { _ = conn.Close() }()
	// A deadline in the past ends a read or a write that is under way.
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()

	request, in, posted := start.unsent, io.MultiReader(bytes.NewReader(start.got), conn), true
	for {
		asked := time.Now()
		resp, err := c.exchange(ctx, conn, request, in)
		if err != nil {
			return err
		}
		id, err := c.judge(resp, posted)
		if err != nil || id == "" {
			return err
		}
		if resp.closes || resp.trailing {
			return &lostError{errors.New("the console closed it after saying wait")}
		}
		// A broker that always says wait at once must not keep us busy.
		if spent := time.Since(asked); spent < c.limits.retry && !c.pause(ctx, c.limits.retry-spent) {
			return ctx.Err()
		}
		request, in, posted = c.request(c.question.poll(id), nil), conn, false
	}
}

// request notes what the answer must prove, which is another thing for each request.
func (c *conversation) request(path string, body []byte) []byte {
	var request []byte
	request, c.challenge = c.caller.request(path, body, c.deadline)
	return request
}

// exchange sends one request over conn and reads one answer from in, which ends in conn.
func (c *conversation) exchange(ctx context.Context, conn *os.File, request []byte, in io.Reader) (response, error) {
	limit := c.end()
	// Once a broker has said wait, it holds each poll for its own time, and only the deadline
	// counts.
	if soon := time.Now().Add(c.limits.silence); !c.pending && soon.Before(limit) {
		limit = soon
	}
	if err := conn.SetDeadline(limit); err != nil {
		return response{}, &lostError{err}
	}
	if ctx.Err() != nil { // it may have ended before the deadline above was set
		return response{}, ctx.Err()
	}
	asked := time.Now()
	c.sent = true
	_, sendErr := conn.Write(request)
	// A broker may refuse before it has read everything, so an answer is looked
	// for even when not all could be sent.
	resp, err := readResponse(in)
	switch {
	case err == nil:
		c.heard, c.strikes = time.Now(), 0
		return resp, nil
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(sendErr, os.ErrDeadlineExceeded):
		return response{}, c.outOfTime(err)
	case errors.Is(err, ErrAnswer):
		return response{}, err
	}
	if time.Since(asked) < quick {
		c.strikes++
	}
	return response{}, &lostError{errors.Join(sendErr, err)}
}

// judge looks at one answer. An empty id without an error means that it is final.
//
// Proof and origin come first. Until both hold, not even the status of an answer is believed.
func (c *conversation) judge(resp response, posted bool) (id string, err error) {
	if err = c.challenge.provenBy(resp, c.console); err != nil {
		return "", err
	}
	strict := resp.status == 200 || resp.status == 202
	if err = checkOrigin(resp, c.caller.correlation, strict); err != nil {
		return "", err
	}
	switch {
	case resp.status == 202, posted && c.question.opens != nil && resp.status == 200:
		return c.waitFor(resp)
	case resp.status == 200:
		return "", c.question.usable(resp)
	case resp.status < 400:
		return "", unreadable("it has status " + strconv.Itoa(resp.status))
	}
	code, err := brokerRefusal(resp)
	// The console goes and another one may come, which knows the request from the store.
	if code == shuttingDown {
		return "", &lostError{err}
	}
	return "", err
}

// waitFor reads which request is to be waited for. The id is the console's word. It is checked
// against the question's own where the question has one.
func (c *conversation) waitFor(resp response) (string, error) {
	id, err := pendingID(resp)
	if err == nil && c.question.opens != nil {
		err = c.question.opens(id)
	}
	if err == nil {
		c.pending, c.id = true, id
		c.deadline.grant(pendingFor(resp))
	}
	return id, err
}

// recently is how long ago a living broker was heard at the most: it holds a
// question for 25 s.
const recently = 27 * time.Second

// outOfTime says which of two clocks ended the wait on an open connection: the person's, or the
// one for a console that has gone silent.
func (c *conversation) outOfTime(cause error) error {
	if time.Now().Before(c.end()) || c.heard.IsZero() || time.Since(c.heard) > recently {
		return c.silent(cause)
	}
	return &refusalError{
		kind: ErrTimeout, text: "time ran out: nobody answered within " + shortDuration(c.deadline.whole()),
		hint: "ask again when somebody is at the console", cause: cause,
	}
}

// silent is a console that has the connection and says nothing. The most frequent cause is
// that it was stopped, so the hint names the way out.
func (c *conversation) silent(cause error) error {
	hint := "look at the console, or restart it"
	if c.pid > 0 {
		hint = "it may be stopped: kill -CONT " + strconv.Itoa(c.pid)
	}
	return &refusalError{kind: ErrSilent, text: "the console accepted the connection but does not answer", hint: hint, cause: cause}
}

// wentAway is the end of the person's time without a console.
func (c *conversation) wentAway(cause error) error {
	switch {
	case errors.Is(cause, errBusy):
		return c.silent(cause)
	case !c.reached:
		return cause
	}
	return &refusalError{
		kind: ErrNoConsole, text: "the console ended while this call waited, and did not come back within " + shortDuration(c.deadline.whole()),
		hint: `start it again with "aoctl"`, cause: cause,
	}
}
