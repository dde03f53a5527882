// Package jet carries what a fleet tells and orders over NATS with JetStream.
//
// A Line is one member's connection to the fleet's servers. It logs in with the member's key, trusts
// the servers by the pin of their key, and connects again for ever, so a Line is made once and says
// in its State whether it is up and why not. What it takes in and hands out are bytes that members
// signed and sealed: the package looks into none of it, and judges nobody.
//
// A machine stores its events and states with it (Events, States), and takes orders (TakeOrders). A
// person's console hears what all machines tell (Watch) and sends orders (Order, LeaveOrder). Both
// follow the rosters (Rosters). Streams are the servers' to make; see package server, which also says
// who may do what.
//
// Everything that waits ends with its context. While the line is out nothing is kept to be sent
// later: what cannot be sent now is an error now, and its caller knows best what to do then.
//
// It is the only package of aoctl that imports the NATS client.
package jet

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// Why something is not done.
var (
	ErrOut      = errors.New("the line to the fleet's servers is out")
	ErrPin      = errors.New("the server is not the fleet's: it has another key")
	ErrUnknown  = errors.New("the server does not know this key: it is not in the fleet, or no longer")
	ErrNobody   = errors.New("nobody answers there")
	ErrBehind   = errors.New("the fleet's server has not all yet that another has")
	ErrTaken    = errors.New("there is one already")
	ErrTooLarge = errors.New("this is larger than the fleet's servers take")
)

// MaxPayload is the largest message that the server takes, headers included. An event has what a call
// asks up to three times, and that is 1 MiB at the most (wire.MaxBody).
const MaxPayload = 8 << 20

// requestWait bounds every request that a server itself answers; storeWait those that a machine makes
// all the time: where the server that leads a stream ended, another leads it soon.
const (
	requestWait = 10 * time.Second
	storeWait   = 4 * time.Second
)

// Options say where a line goes, and whose it is.
type Options struct {
	Servers  []string // "tls://host:port"
	Pin      []byte   // SHA-256 of the servers' public key (SubjectPublicKeyInfo); empty: the system's authorities vouch
	Unproved bool     // nothing vouches for the server, whatever Pin says: what one looks for proves itself, as an invite's letter does
	Key      keys.Key // of the member, or of an invite
	Fleet    string   // the fleet's id; "" for who has an invite and looks for its letter
	Name     string   // what the server's log calls the line
	Log      *slog.Logger
}

// Line is a connection to the fleet's servers. Several goroutines may use it.
type Line struct {
	nc    *nats.Conn
	js    jetstream.JetStream
	names told.Names
	nkey  string
	token string // tells this line's readers from those of another line of the same member
	log   *slog.Logger

	mu      sync.Mutex
	state   State
	changed chan struct{}
	turns   map[string]chan struct{} // by kind of reader: one reads at a time
}

// State says whether a line is up.
type State struct {
	Up     bool
	Since  time.Time // when it went up or out
	Err    string    // why it is out, for people
	Server string    // where it is connected
}

// Dial makes a line. It waits some seconds for the first connection, and no longer than ctx: where
// there is none the line is out, and goes on trying. Errors are those of the options.
func Dial(ctx context.Context, o Options) (*Line, error) {
	nkey, err := Nkey(o.Key.Public().Sign)
	if err != nil {
		return nil, err
	}
	if len(o.Servers) == 0 {
		return nil, errors.New("no server of the fleet is named")
	}
	if len(o.Pin) != 0 && len(o.Pin) != sha256.Size {
		return nil, fmt.Errorf("the pin of the servers' key has %d bytes, not %d", len(o.Pin), sha256.Size)
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	l := &Line{
		names: told.Names{Fleet: o.Fleet}, nkey: nkey, token: hex.EncodeToString(random[:]), log: o.Log,
		state: State{Since: time.Now(), Err: "not connected yet"}, changed: make(chan struct{}), turns: map[string]chan struct{}{},
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	d := &dialer{ctx: ctx}
	l.nc, err = nats.Connect(strings.Join(o.Servers, ","), options(d, l, &o)...)
	d.later.Store(true)
	if err != nil {
		return nil, fmt.Errorf("connect to the fleet: %w", err)
	}
	l.js, err = jetstream.New(l.nc, jetstream.WithPublishAsyncTimeout(storeWait), jetstream.WithPublishAsyncMaxPending(256))
	if err != nil {
		l.nc.Close()
		return nil, err
	}
	return l, nil
}

func options(d *dialer, l *Line, o *Options) []nats.Option {
	private := o.Key.Private()
	return []nats.Option{
		nats.Name(l.token + " " + o.Name),
		nats.Nkey(l.nkey, func(nonce []byte) ([]byte, error) { return ed25519.Sign(private, nonce), nil }),
		nats.Secure(o.tls()),
		nats.SetCustomDialer(d),
		nats.CustomInboxPrefix(Inbox(l.nkey)),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(), nats.IgnoreDiscoveredServers(),
		nats.ReconnectBufSize(-1), // nothing is sent that its caller gave up
		nats.CustomReconnectDelay(delay),
		nats.Timeout(5 * time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.ConnectHandler(l.up), nats.ReconnectHandler(l.up),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { l.out(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { l.out(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(explain(err), ErrUnknown) { // of an attempt to connect again, which has no other handler
				l.out(err)
				return
			}
			l.log.Warn("the fleet's server reports an error", "err", err)
		}),
	}
}

// dialer ends the first attempts to connect with the context of Dial, which waits for them, and not
// later ones.
type dialer struct {
	ctx   context.Context //nolint:containedctx // nats.Conn dials without one
	later atomic.Bool     // Dial has returned
}

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	ctx := d.ctx
	if d.later.Load() {
		ctx = context.WithoutCancel(ctx)
	}
	within, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c, err := new(net.Dialer).DialContext(within, network, address)
	if err == nil {
		context.AfterFunc(ctx, func() { // the server may say nothing
			if !d.later.Load() {
				_ = c.Close()
			}
		})
	}
	return c, err
}

// delay is how long to wait before the servers are tried once more. Many members lose their server
// at the same moment, and should not all be back at the same one.
func delay(attempts int) time.Duration {
	most := min(200*time.Millisecond<<min(attempts, 10), 15*time.Second)
	return most/4 + mathrand.N(most) //nolint:gosec // no secret
}

func (o *Options) tls() *tls.Config {
	if o.Unproved {
		return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true} //nolint:gosec // see Unproved
	}
	return TLS(o.Pin)
}

// TLS is how a line looks at the server's key.
func TLS(pin []byte) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS13}
	if len(pin) > 0 {
		c.InsecureSkipVerify = true // the pin below says more than a name does
		c.VerifyConnection = func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || subtle.ConstantTimeCompare(PinOf(s.PeerCertificates[0].RawSubjectPublicKeyInfo), pin) != 1 {
				return ErrPin
			}
			return nil
		}
	}
	return c
}

// PinOf is the pin of a public key in the form of RFC 5280.
func PinOf(spki []byte) []byte { sum := sha256.Sum256(spki); return sum[:] }

// Nkey is how NATS writes an ed25519 public key. Errors: keys.ErrKey.
func Nkey(sign []byte) (string, error) {
	if len(sign) != ed25519.PublicKeySize {
		return "", keys.ErrKey
	}
	raw, err := nkeys.Encode(nkeys.PrefixByteUser, sign)
	return string(raw), err
}

// Inbox is the beginning of the subjects where a member hears answers. Nobody else may listen there.
func Inbox(nkey string) string { return inboxes + nkey }

const inboxes = "_INBOX."

// up and out note what became of the connection.
func (l *Line) up(nc *nats.Conn) { l.set(State{Up: true, Server: nc.ConnectedUrlRedacted()}) }

func (l *Line) out(err error) {
	why := "the server closed the connection"
	if err != nil {
		why = explain(err).Error()
	}
	l.set(State{Err: why})
}

// explain has our words for what keeps a line out.
func explain(err error) error {
	switch {
	case errors.Is(err, ErrPin):
		return ErrPin
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return ErrUnknown
	}
	return err
}

func (l *Line) set(s State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s == (State{Up: l.state.Up, Err: l.state.Err, Server: l.state.Server}) {
		return
	}
	s.Since = time.Now()
	if s.Up == l.state.Up {
		s.Since = l.state.Since
	}
	if s.Up != l.state.Up {
		l.log.Info("the line to the fleet changed", "up", s.Up, "server", s.Server, "err", s.Err)
	}
	l.state = s
	close(l.changed)
	l.changed = make(chan struct{})
}

// State is how the line is now.
func (l *Line) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

// Changed is closed when the State is no longer what it was when Changed was called.
func (l *Line) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// Ready waits until the line is up. The channel is closed when that changes. Errors: that of the context.
func (l *Line) Ready(ctx context.Context) (<-chan struct{}, error) {
	for {
		l.mu.Lock()
		up, changed := l.state.Up, l.changed
		l.mu.Unlock()
		if up {
			return changed, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close ends the line, and everything that waits on it.
func (l *Line) Close() { l.nc.Close() }

// while is a context that ends when the line does not stay as it is: no answer comes after that.
func (l *Line) while(ctx context.Context, changed <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-changed:
			end(ErrOut)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { end(nil) }
}

// request asks for an answer, for as long as most, the context and the line last.
func (l *Line) request(ctx context.Context, m *nats.Msg, most time.Duration) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	ctx, end := l.while(ctx, l.Changed())
	defer end()
	answer, err := l.nc.RequestMsgWithContext(ctx, m)
	if err != nil && errors.Is(context.Cause(ctx), ErrOut) {
		err = ErrOut
	}
	return answer, l.failed(err)
}

// failed says in our words why nothing was sent or answered.
func (l *Line) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrMaxPayload):
		return ErrTooLarge
	case errors.Is(err, nats.ErrNoResponders):
		return ErrNobody
	case !l.State().Up:
		return fmt.Errorf("%w: %s", ErrOut, l.State().Err)
	}
	return err
}
