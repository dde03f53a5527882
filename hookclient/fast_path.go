package hookclient

import (
	"errors"
	"io"
	"syscall"
	"time"
)

// payloadPatience is how long the fast path waits for the payload: a healthy agent has
// written it before we run. For the answer it waits limits.fast: a healthy broker says
// within a millisecond what a rule decides. More would be lost time where an agent is slow, since
// the long way waits as well.
const payloadPatience = 2 * time.Millisecond

// errSlow ends the fast path.
var errSlow = errors.New("not there yet")

// leftover is what the fast path leaves behind: an open connection, what of the post was
// not sent, and what of its answer was read already. Nothing is asked twice because of the fast
// path: the long way goes on in the middle of it.
type leftover struct {
	fd     int
	unsent []byte
	got    []byte
}

// quickPayload reads what is there on stdin. whole is false when its end was not
// seen, for whatever reason; reading on from there meets the reason again. A payload that fills
// the first piece counts as not whole, and is read on.
func quickPayload() (got []byte, whole bool) {
	got = make([]byte, 0, firstPiece)
	in := &quickReader{fd: 0, patience: payloadPatience}
	for len(got) < cap(got) {
		n, err := in.Read(got[len(got):cap(got)])
		got = got[:len(got)+n]
		if err != nil {
			return got, errors.Is(err, io.EOF)
		}
	}
	return got, false
}

// askFast asks once and takes an answer that comes at once. It reports whether there
// is one, checked; if not, run goes on from where it stopped.
//
// It takes only a final answer with status 200. A refusal, or a "wait", is left to the long way,
// which tells the cases apart.
func (c *conversation) askFast() bool {
	if c.console.remote() {
		return false // too far for one
	}
	fd, pid, err := c.console.connect()
	if err != nil {
		return false
	}
	c.reached, c.pid = true, pid
	request := c.request(c.question.path, c.question.body)
	c.sent = true
	// The descriptor does not block, so a full buffer sends a part, and the rest is left over.
	n, err := syscall.Write(fd, request)
	if err != nil {
		n = 0
	}
	in := &quickReader{fd: fd, patience: c.limits.fast}
	c.left = &leftover{fd: fd, unsent: request[n:]}
	if n < len(request) {
		return false
	}
	resp, err := readResponse(in)
	c.left.got = in.got
	if err != nil || resp.status != 200 {
		return false
	}
	_, err = c.judge(resp, true)
	return err == nil
}

// drop closes what the fast path left open, when the conversation is not to go on.
func (c *conversation) drop() {
	if c.left != nil {
		_ = syscall.Close(c.left.fd)
		c.left = nil
	}
}

// quickReader reads a descriptor without the runtime's poller, and keeps what it read. The
// runtime's poller costs a thread when it is first used, which is a good part of a run's time.
type quickReader struct {
	fd       int
	patience time.Duration
	got      []byte
}

// Read reads what is there within the patience that is left. Everything that it has read is kept
// in got, so that the long way can begin where this one gave up.
func (q *quickReader) Read(p []byte) (int, error) {
	if !readable(q.fd, q.patience) {
		return 0, errSlow
	}
	n, err := syscall.Read(q.fd, p)
	switch {
	case err != nil:
		return 0, errSlow // whatever it is, the long way meets it again
	case n == 0:
		return 0, io.EOF
	}
	q.got = append(q.got, p[:n]...)
	return n, nil
}
