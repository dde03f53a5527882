package consoles

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
)

// Why a console is turned away.
var (
	ErrNotPaired = errors.New("this console is not paired with the broker, or no longer")
	ErrAgent     = errors.New("a process with an agent behind it is no console")
	ErrNoCode    = errors.New("no code is open: have one shown again")
	ErrWrongCode = errors.New("that is not the code")
	ErrScreen    = errors.New("the broker has a screen of its own, and ends with it")
	ErrNoOrder   = errors.New("this version of the broker has no such order")
)

// Keys is where paired keys are on record, among the tokens.
type Keys interface {
	// KeyOf is the token of a key. Errors: ErrNotPaired when the key is not paired, or no longer.
	KeyOf(hash string) (broker.Token, error)
	// Pair puts a key in force.
	Pair(d broker.TokenData) error
}

// Visitor is the process behind a console.
type Visitor interface {
	Actor() broker.Actor
	// Agent says why it counts as an agent's, "" when it does not. It looks each time.
	Agent() string
	// Refused records that it was turned away.
	Refused(kind broker.RefusalKind, detail string)
}

// Server serves consoles. Several goroutines may use it.
type Server struct {
	o       Options
	pairing pairing

	mu   sync.Mutex
	here map[*visit]struct{}
	// strangers are those here that have not shown a key that is paired, the first that came first.
	strangers []*visit
	closed    bool
}

// Options are what a Server needs. All but the last two must be there.
type Options struct {
	Broker  Broker
	Keys    Keys
	Place   Place
	Me      Identity
	Version string // of the broker, told to consoles
	Empty   string // what becomes of calls when no console is left, told too
	Log     *slog.Logger

	// Fleet is nil where the broker can be in none.
	Fleet Fleet

	// Leave has the broker go on in the console that asks: it returns the flags of such a broker, and
	// what ends this one. nil where the broker has a screen of its own.
	Leave func(by broker.Actor) (flags []string, end func(), err error)
}

// NewServer makes a server.
func NewServer(o Options) *Server {
	return &Server{o: o, pairing: pairing{now: time.Now}, here: map[*visit]struct{}{}}
}

// OpenPairing opens a code, which one console may use until then. Whoever calls shows it to the
// operator, and to nobody else.
func (s *Server) OpenPairing() (code string, until time.Time) { return s.pairing.open() }

// Present is how many consoles are attached and awake.
func (s *Server) Present() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for v := range s.here {
		if v.watching && v.counts() {
			n++
		}
	}
	return n
}

// counts reports whether the key is still one.
func (v *visit) counts() bool {
	_, err := v.server.o.Keys.KeyOf(v.key)
	return err == nil
}

// Protocol is what consoles speak.
func (s *Server) Protocol() string { return Protocol }

// HangUp ends all visits and takes no more. What they asked for is still carried out.
func (s *Server) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for v := range s.here {
		_ = v.conn.NetConn().Close()
	}
}

// Serve serves one console until it leaves, or the broker ends.
func (s *Server) Serve(conn net.Conn, who Visitor) {
	v := &visit{server: s, conn: tls.Server(conn, s.o.Me.config()), who: who, came: sync.OnceValue(who.Agent)}
	if !s.enter(v) {
		_ = conn.Close()
		return
	}
	defer s.leave(v)
	ctx, stop := context.WithTimeout(context.Background(), handshakeTime)
	err := v.conn.HandshakeContext(ctx)
	stop()
	if err != nil {
		s.o.Log.Debug("a console did not come in", "pid", who.Actor().PID, "err", err)
		return
	}
	v.key = fingerprint(v.conn.ConnectionState().PeerCertificates[0])
	var leave context.CancelFunc
	v.ctx, leave = context.WithCancel(context.Background())
	defer leave()
	v.serve(quiet{v.conn, leave})
}

// serve carries out what comes through conn until that ends. Orders run beside each other, up to
// ordersMost of them. Of a stranger nothing is read but what the door takes, one after the other.
func (v *visit) serve(conn io.ReadWriteCloser) {
	s, known, turn := newStream(conn, true), v.orders(), make(chan struct{}, ordersMost)
	var under sync.WaitGroup
	defer under.Wait()
	defer func() { _ = s.Close() }()
	for {
		v.await()
		most := maxOrder
		if v.stranger() {
			most = maxStrange
		}
		h, err := s.next(most)
		if err != nil {
			return
		}
		v.await() // what has begun must come to its end
		do, ok := known[h.Method]
		if !ok {
			v.server.o.Log.Debug("a console asked for what is not known here", "method", broker.Clip(h.Method))
			return // it is of another version
		}
		atDoor := strings.HasPrefix(h.Method, doorDesk)
		if _, err := v.paired(); err != nil && !atDoor {
			if s.body(nil) != nil || s.send(head{Seq: h.Seq}, refused{failureOf(err)}) != nil || errors.Is(err, ErrAgent) {
				return
			}
			continue
		}
		in, out := reflect.New(do.Type().In(0)), reflect.New(do.Type().In(1).Elem())
		if s.body(in.Interface()) != nil {
			return
		}
		carryOut := func() bool {
			do.Call([]reflect.Value{in.Elem(), out})
			return s.send(head{Seq: h.Seq}, out.Interface()) == nil
		}
		if atDoor {
			if !carryOut() {
				return
			}
			continue
		}
		turn <- struct{}{}
		under.Go(func() {
			defer func() { <-turn }()
			if !carryOut() {
				_ = s.Close()
			}
		})
	}
}

// await gives the console its time for the next part of an order.
func (v *visit) await() {
	if v.conn != nil {
		_ = v.conn.SetReadDeadline(time.Now().Add(silentFor)) // the read reports it
	}
}

// orders are the methods of the desks by their names: "Calls.Decide". Each takes a value and fills in
// a Reply.
func (v *visit) orders() map[string]reflect.Value {
	known := map[string]reflect.Value{}
	for desk, at := range map[string]any{doorDesk: door{v}, "Calls": callDesk{v}, "Sessions": sessionDesk{v}, "Rules": ruleDesk{v}, "Place": placeDesk{v}} {
		for m, do := range reflect.ValueOf(at).Methods() {
			known[desk+"."+m.Name] = do
		}
	}
	return known
}

// doorDesk is the desk for those who are not paired.
const doorDesk = "Door"

const (
	// maxStrangers is how many may be there at a time that are not paired.
	maxStrangers = 16
	// ordersMost is how many orders of one console are carried out at a time.
	ordersMost    = 32
	handshakeTime = 10 * time.Second
	// maxStrange is the most that one message of theirs may have, bytes.
	maxStrange = 4 << 10
	// silentFor is how long a console may ask nothing before it is hung up on. One that is awake asks
	// for what is new every holdFor.
	silentFor = 15 * time.Second
	// stuckFor is how long an end may leave what it was sent unread.
	stuckFor = 10 * time.Second
)

// quiet is a connection that tells when nothing more comes.
type quiet struct {
	*tls.Conn
	ended func() // called when nothing more comes
}

func (q quiet) Read(p []byte) (int, error) {
	n, err := q.Conn.Read(p)
	if err != nil {
		q.ended()
	}
	return n, err
}

func (q quiet) Write(p []byte) (int, error) { return unstuck{q.Conn}.Write(p) }

// unstuck is a connection that ends when its other end leaves unread what is written.
type unstuck struct{ *tls.Conn }

func (u unstuck) Write(p []byte) (n int, err error) {
	// In pieces, so that over a slow line a large answer has the time that it takes.
	for piece := range slices.Chunk(p, 64<<10) {
		_ = u.SetWriteDeadline(time.Now().Add(stuckFor))
		m, err := u.Conn.Write(piece)
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// enter counts a visit in. Whoever is not paired may be anybody, so there are few of them at a time:
// of the process that has the most the one that came first makes room.
func (s *Server) enter(v *visit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.strangers = append(s.strangers, v)
	if len(s.strangers) > maxStrangers {
		i := crowded(s.strangers)
		_ = s.strangers[i].conn.NetConn().Close()
		s.strangers = slices.Delete(s.strangers, i, i+1)
	}
	s.here[v] = struct{}{}
	return true
}

// crowded is the first visit of the process that made the most.
func crowded(list []*visit) (first int) {
	of := map[int]int{}
	for _, v := range list {
		of[v.who.Actor().PID]++
	}
	for i, v := range list {
		if of[v.who.Actor().PID] > of[list[first].who.Actor().PID] {
			first = i
		}
	}
	return first
}

// stranger reports whether the visit has not shown a key that is paired.
func (v *visit) stranger() bool {
	v.server.mu.Lock()
	defer v.server.mu.Unlock()
	return slices.Contains(v.server.strangers, v)
}

// knows takes a visit that is paired from the strangers.
func (s *Server) knows(v *visit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strangers = slices.DeleteFunc(s.strangers, func(o *visit) bool { return o == v })
}

func (s *Server) leave(v *visit) {
	_ = v.conn.Close()
	s.mu.Lock()
	delete(s.here, v)
	s.strangers = slices.DeleteFunc(s.strangers, func(o *visit) bool { return o == v })
	s.mu.Unlock()
}

// visit is one console's connection.
type visit struct {
	server   *Server
	conn     *tls.Conn
	who      Visitor
	as       *broker.Actor   // who gives the orders, where that is known without a key: see Carry
	ctx      context.Context //nolint:containedctx // ends with the connection
	key      string          // fingerprint
	came     func() string   // why it was an agent's when it first asked for something
	watching bool            // it has what is drawn; guarded by server.mu
	notices  []Notice        // for it to be told; the same

	known   sync.Once // no stranger any more
	mu      sync.Mutex
	watched watch
}

// paired is who the console is. Errors: ErrNotPaired, and ErrAgent for a process that was an agent's
// when it came. A key that was revoked opens nothing from then on.
func (v *visit) paired() (broker.Token, error) {
	if v.as != nil {
		return broker.Token{}, nil
	}
	t, err := v.server.o.Keys.KeyOf(v.key)
	if err != nil {
		return t, err
	}
	if why := v.came(); why != "" {
		return t, agentError{why}
	}
	v.known.Do(func() { v.server.knows(v) })
	return t, nil
}

// operator is the console as it acts. Errors: ErrNotPaired, ErrAgent. Its process may have become an
// agent's since, so that is looked at with every order.
func (v *visit) operator() (broker.Actor, error) {
	if v.as != nil {
		return *v.as, nil
	}
	by := v.who.Actor()
	t, err := v.paired()
	if err != nil {
		return by, err
	}
	if why := v.who.Agent(); why != "" {
		return by, agentError{why}
	}
	by.Kind, by.ID = broker.ByOperator, broker.ConsoleID(t.ID, t.Label)
	return by, nil
}

// agentError is an ErrAgent that says why.
type agentError struct{ why string }

func (e agentError) Error() string        { return ErrAgent.Error() + ": " + e.why }
func (e agentError) Is(target error) bool { return target == ErrAgent || target == broker.ErrForbidden }

// Reply is what every call gives back: a value, and what went wrong. Both, where the broker says
// both.
type Reply[T any] struct {
	Value  T        `json:"value"`
	Failed *Failure `json:"failed,omitempty"`
}

// refused is a Reply of any kind without a value.
type refused struct {
	Failed *Failure `json:"failed"`
}

// read answers a call that changes nothing.
func read[T any](v *visit, out *Reply[T], do func() (T, error)) error {
	defer v.survive(&out.Failed)
	_, err := v.paired()
	if err == nil {
		out.Value, err = do()
	}
	out.Failed = failureOf(err)
	return nil
}

// act answers a call that changes something.
func act[T any](v *visit, out *Reply[T], do func(by broker.Actor) (T, error)) error {
	defer v.survive(&out.Failed)
	by, err := v.operator()
	if err == nil {
		out.Value, err = do(by)
	}
	out.Failed = failureOf(err)
	return nil
}

// survive makes a panic the failure of one order.
func (v *visit) survive(failed **Failure) {
	if p := recover(); p != nil {
		v.server.o.Log.Error("an order of a console panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*failed = &Failure{Text: "the broker failed on this: see aoctl.log"}
	}
}

// only makes an order without a result one with nothing as its result.
func only(err error) (struct{}, error) { return struct{}{}, err }

// door is what a console finds before it is paired.
type door struct{ *visit }

// Welcome is what a console is told when it comes.
type Welcome struct {
	Paired  bool   `json:"paired"`
	ID      string `json:"id,omitempty"`    // of its key, as it is listed
	Label   string `json:"label,omitempty"` // the same
	PID     int    `json:"pid"`             // the broker's
	Version string `json:"version,omitempty"`
	Empty   string `json:"empty,omitempty"` // see Options
}

// PairRequest asks to be paired.
type PairRequest struct {
	Proof []byte `json:"proof"`
	Label string `json:"label"` // where the console is, for the list of tokens
}

// welcome is what the console is told of the broker, and of itself.
func (v *visit) welcome() Welcome {
	t, err := v.paired()
	return Welcome{Paired: err == nil, ID: t.ID, Label: t.Label, PID: os.Getpid(), Version: v.server.o.Version, Empty: v.server.o.Empty}
}

// Hello says whether the console is paired.
func (d door) Hello(_ struct{}, out *Reply[Welcome]) error {
	out.Value = d.welcome()
	if why := d.who.Agent(); why != "" {
		out.Failed = failureOf(agentError{why})
	}
	return nil
}

// Pair pairs the console's key, and returns the broker's own proof that it knows the code.
func (d door) Pair(in PairRequest, out *Reply[[]byte]) error {
	proof, err := d.pair(in)
	if errors.Is(err, ErrWrongCode) || errors.Is(err, ErrNoCode) {
		d.who.Refused(broker.NoPairing, err.Error())
	}
	out.Value, out.Failed = proof, failureOf(err)
	return nil
}

func (d door) pair(in PairRequest) ([]byte, error) {
	if why := d.who.Agent(); why != "" {
		return nil, agentError{why}
	}
	if err := broker.CheckName("label", in.Label); err != nil {
		return nil, err
	}
	bound, err := bound(d.conn.ConnectionState())
	if err != nil {
		return nil, err
	}
	proof, err := d.server.pairing.take(in.Proof, bound)
	if err != nil {
		return nil, err
	}
	if _, err := d.server.o.Keys.KeyOf(d.key); err == nil {
		return proof, nil // it had only forgotten who the broker is
	}
	return proof, d.server.o.Keys.Pair(broker.TokenData{ID: uuid.NewString(), Kind: broker.ConsoleKey, Hash: d.key, Label: in.Label, By: d.who.Actor()})
}

// Methods are the names of all orders, sorted.
func Methods() []string {
	return slices.Sorted(maps.Keys((&visit{}).orders()))
}

// Carry carries out one order for somebody who is known otherwise than by a console's key, and may
// give it: the caller has looked. body is what the method takes, and what is returned is its Reply,
// both in CBOR. Errors: ErrNoOrder, and what is wrong with the body; those of the order itself are
// in the Reply.
func (s *Server) Carry(ctx context.Context, by broker.Actor, method string, body []byte) ([]byte, error) {
	v := &visit{server: s, as: &by, ctx: ctx}
	do, ok := v.orders()[method]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNoOrder, broker.Clip(method))
	}
	in, out := reflect.New(do.Type().In(0)), reflect.New(do.Type().In(1).Elem())
	if err := Unmarshal(body, in.Interface()); err != nil {
		return nil, err
	}
	do.Call([]reflect.Value{in.Elem(), out})
	return Marshal(out.Interface())
}
