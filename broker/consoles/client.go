package consoles

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Client is a broker in another process, with the methods of Broker and of Place. It connects when it
// is first asked something, and anew after the connection broke; what was under way then has failed.
// Several goroutines may use it.
type Client struct {
	*link
	Stubs
}

// link is the way to the broker.
type link struct {
	me   Identity
	dial func(ctx context.Context) (net.Conn, error)
	// known says whether the key is the broker's. It is asked before anything is sent.
	known func(fingerprint string) error
	met   atomic.Pointer[Welcome] // what the broker said of itself when the last watch began

	mu      sync.Mutex
	line    *line       // nil when there is none
	turned  chan error  // why the broker does not take this console, once
	notices chan Notice // what is to be told
}

// Notices are what the operator is to be told beside what changes. One that nobody takes is lost.
func (c *link) Notices() <-chan Notice { return c.notices }

// line is one connection.
type line struct {
	*stream
	conn  *tls.Conn
	heard *atomic.Int64 // when the last byte came, Unix time in ns
	gone  chan struct{} // closed when it broke
	once  sync.Once

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]*order
}

// order is one that was sent. done is told when out is filled in.
type order struct {
	out  any
	done chan struct{}
}

func newLine(conn *tls.Conn) *line {
	heard := new(atomic.Int64)
	l := &line{stream: newStream(listening{unstuck{conn}, heard}, false), conn: conn, heard: heard, gone: make(chan struct{}), waiting: map[uint64]*order{}}
	go l.read()
	return l
}

// listening is a connection that notes when something came.
type listening struct {
	unstuck
	at *atomic.Int64
}

func (l listening) Read(p []byte) (int, error) {
	n, err := l.unstuck.Read(p)
	if n > 0 {
		l.at.Store(time.Now().UnixNano())
	}
	return n, err
}

// silent is how long nothing has come.
func (l *line) silent() time.Duration { return time.Since(time.Unix(0, l.heard.Load())) }

// read takes in answers until the connection ends.
func (l *line) read() {
	defer l.hangUp()
	for {
		h, err := l.next(0)
		if err != nil {
			return
		}
		l.mu.Lock()
		o := l.waiting[h.Seq]
		delete(l.waiting, h.Seq)
		l.mu.Unlock()
		if o == nil {
			return // nobody asked that
		}
		if l.body(o.out) != nil {
			return
		}
		close(o.done)
	}
}

// order sends one.
func (l *line) order(method string, in, out any) (*order, error) {
	o := &order{out: out, done: make(chan struct{})}
	l.mu.Lock()
	l.last++
	seq := l.last
	l.waiting[seq] = o
	l.mu.Unlock()
	if err := l.send(head{Seq: seq, Method: method}, in); err != nil {
		l.hangUp()
		return nil, err
	}
	return o, nil
}

func (l *line) hangUp() {
	l.once.Do(func() {
		close(l.gone)
		_ = l.Close()
	})
}

// ErrOtherBroker says that the broker is not the one that the console was paired with.
var ErrOtherBroker = errors.New("this is another broker than the one that this console was paired with")

// ErrGone says that the broker did not answer. What was asked may have been done: the screen shows
// it when the broker is back.
var ErrGone = errors.New("the broker did not answer: look whether it was done when it is back")

// answerTime is how long an order may take; a broker may look at many files, or wait for a disk.
const answerTime = 30 * time.Second

// NewClient makes a client. dial connects to a broker and asks it to talk to a console.
func NewClient(me Identity, dial func(context.Context) (net.Conn, error), known func(fingerprint string) error) *Client {
	l := &link{me: me, dial: dial, known: known, turned: make(chan error, 1), notices: make(chan Notice, noticesKept)}
	return &Client{l, NewStubs(l)}
}

// TurnedAway tells once that the broker takes this console no longer, or is another one than it was:
// to ask again is of no use.
func (c *link) TurnedAway() <-chan error { return c.turned }

// Close hangs up.
func (c *link) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line != nil {
		c.line.hangUp()
		c.line = nil
	}
	return nil
}

// connected is the connection, a new one if need be.
func (c *link) connected(ctx context.Context) (*line, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line != nil {
		select {
		case <-c.line.gone:
		default:
			return c.line, nil
		}
	}
	ctx, stop := context.WithTimeout(ctx, handshakeTime)
	defer stop()
	raw, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, c.me.config())
	if err = conn.HandshakeContext(ctx); err == nil {
		err = c.known(fingerprint(conn.ConnectionState().PeerCertificates[0]))
	}
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	c.line = newLine(conn)
	return c.line, nil
}

// Ask asks the broker and waits for its answer, no longer than ctx. Errors: ErrGone, and that of ctx.
func (c *link) Ask(ctx context.Context, method string, in, out any) error {
	return c.within(ctx, answerTime, method, in, out)
}

func (c *link) within(ctx context.Context, most time.Duration, method string, in, out any) error {
	l, err := c.connected(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return l.ask(ctx, most, method, in, out)
}

// ask asks over one connection. An answer is late when nothing at all came for so long: another
// one, or a part of it, is a word from the broker.
func (l *line) ask(ctx context.Context, most time.Duration, method string, in, out any) error {
	late := time.NewTimer(most)
	defer late.Stop()
	o, err := l.order(method, in, out)
	if err != nil {
		return ErrGone
	}
	for err == nil {
		select {
		case <-o.done: // an answer counts, whatever came with it
			return nil
		case <-l.gone:
			err = ErrGone
		case <-ctx.Done():
			err = ctx.Err()
		case <-late.C:
			if left := most - l.silent(); left > 0 {
				late.Reset(left)
				continue
			}
			l.hangUp()
			err = ErrGone
		}
	}
	select {
	case <-o.done:
		return nil
	default:
		return err
	}
}

// RefusedError is an answer to Upgrade that is no yes.
type RefusedError struct {
	Status int
	Body   []byte
}

func (r RefusedError) Error() string {
	return fmt.Sprintf("no console can attach here (status %d)", r.Status)
}

// Upgrade asks the HTTP server at the other end of conn to talk to a console from then on. host is what
// it is called, for its own check. Errors: RefusedError, and those of the connection.
func Upgrade(ctx context.Context, conn net.Conn, host string) error {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	head := "POST /console HTTP/1.1\r\nHost: " + host + "\r\nConnection: Upgrade\r\nUpgrade: " + Protocol + "\r\nContent-Length: 0\r\n\r\n"
	if _, err := io.WriteString(conn, head); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil) // nobody speaks behind a yes before we do
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what did not come is no explanation
	return RefusedError{resp.StatusCode, body}
}

// maxRefusal bounds the text of a refusal, bytes.
const maxRefusal = 64 << 10

// Hello says who the broker is, and whether this console is paired with it. Errors: ErrGone,
// ErrAgent.
func (c *link) Hello(ctx context.Context) (Welcome, error) {
	return ask[Welcome](ctx, c, "Door.Hello", struct{}{})
}

// Met is what the broker said of itself when the last Watch began: it may have changed its process
// since the one before. The zero Welcome before the first one.
func (c *link) Met() Welcome {
	if w := c.met.Load(); w != nil {
		return *w
	}
	return Welcome{}
}

// Pair pairs this console with a code that the broker shows. It returns the broker's fingerprint,
// which is its own only because the broker has proved that it knows the code. Errors: ErrNoCode,
// ErrWrongCode, ErrAgent, ErrGone.
func (c *link) Pair(ctx context.Context, code, label string) (broker string, err error) {
	l, err := c.connected(ctx)
	if err != nil {
		return "", err
	}
	state := l.conn.ConnectionState()
	bound, err := bound(state)
	if err != nil {
		return "", err
	}
	var out Reply[[]byte]
	if err = l.ask(ctx, answerTime, "Door.Pair", PairRequest{Proof: proofOf(code, "console", bound), Label: label}, &out); err != nil {
		return "", err
	}
	if err = out.Failed.err(); err != nil {
		return "", err
	}
	if !hmac.Equal(out.Value, proofOf(code, "broker", bound)) {
		l.hangUp()
		return "", ErrWrongCode
	}
	return fingerprint(state.PeerCertificates[0]), nil
}

const (
	// heardFor is how long a broker that answers may be silent.
	heardFor = 3 * holdFor
	// retryFirst and retryLast are the pauses before it is looked for again.
	retryFirst, retryLast = 50 * time.Millisecond, time.Second
)

// Watch waits until the broker is there. An empty snapshot would be drawn as if nothing waited.
func (c *link) Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update) {
	updates := make(chan broker.Update, batchMost)
	for pause := retryFirst; ; pause = min(2*pause, retryLast) {
		w, err := ask[Watched](ctx, c, "Calls.Watch", struct{}{})
		if err == nil {
			c.met.Store(&w.Broker)
			go c.follow(ctx, w.Watch, updates)
			return w.Snapshot, updates
		}
		if errors.Is(err, ErrNotPaired) || errors.Is(err, ErrAgent) || errors.Is(err, ErrOtherBroker) {
			select {
			case c.turned <- err:
			default:
			}
		}
		select {
		case <-ctx.Done():
			close(updates)
			return broker.Snapshot{}, updates
		case <-time.After(pause):
		}
	}
}

// follow fetches what changes until the watch ends.
func (c *link) follow(ctx context.Context, watch int, updates chan<- broker.Update) {
	defer close(updates)
	for {
		var out Reply[Batch]
		if c.within(ctx, heardFor, "Calls.Next", watch, &out) != nil || out.Failed != nil {
			return
		}
		b := out.Value
		for _, n := range b.Notices {
			select {
			case c.notices <- n:
			default:
			}
		}
		for _, u := range b.List {
			select {
			case updates <- u:
			case <-ctx.Done():
				return
			}
		}
		if b.Ended {
			return
		}
	}
}
