package consoles

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// room is a broker with a door, and what it was asked.
type room struct {
	Broker // the rest of it is not asked
	*Server

	mu      sync.Mutex
	keys    []broker.TokenData
	by      []broker.Actor // who decided
	err     error          // what Decide answers
	updates chan broker.Update
	watches int
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{updates: make(chan broker.Update, 8)}
	r.Server = NewServer(Options{Broker: r, Keys: r, Me: identity(t), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.HangUp)
	return r
}

func identity(t *testing.T) Identity {
	t.Helper()
	id, err := NewIdentity()
	must(t, err)
	return id
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r *room) KeyOf(hash string) (broker.Token, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.keys {
		if k.Hash == hash {
			return broker.Token{ID: k.ID, Kind: k.Kind, Label: k.Label}, nil
		}
	}
	return broker.Token{}, ErrNotPaired
}

func (r *room) Pair(d broker.TokenData) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys = append(r.keys, d)
	return nil
}

func (r *room) Decide(_ context.Context, id string, d broker.Decision) (broker.Request, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.by = append(r.by, d.By)
	return broker.Request{ID: id, Annotations: broker.Annotations{Legible: true}}, r.err
}

func (r *room) History(context.Context, int) ([]broker.Request, error) { return nil, nil }

func (r *room) Watch(context.Context) (broker.Snapshot, <-chan broker.Update) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watches++
	return broker.Snapshot{Requests: []broker.Request{{ID: fmt.Sprint("watch ", r.watches)}}}, r.updates
}

// someone is a process at the other end.
type someone struct {
	pid     int // 42 when 0
	mu      sync.Mutex
	agent   string
	refused []broker.RefusalKind
}

func (s *someone) Actor() broker.Actor {
	return broker.Actor{Kind: broker.ByProcess, PID: cmp.Or(s.pid, 42)}
}

func (s *someone) Agent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agent
}

func (s *someone) Refused(kind broker.RefusalKind, _ string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = append(s.refused, kind)
}

// becomes makes it an agent's from now on.
func (s *someone) becomes(agent string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent = agent
}

// enter makes a console that who opened.
func (r *room) enter(t *testing.T, me Identity, who Visitor) *Client {
	t.Helper()
	c := NewClient(me, r.dialer(who), func(string) error { return nil })
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func (r *room) dialer(who Visitor) func(context.Context) (net.Conn, error) {
	return func(context.Context) (net.Conn, error) {
		here, there := net.Pipe()
		go r.Serve(there, who)
		return here, nil
	}
}

// paired is a console that was let in.
func (r *room) paired(t *testing.T, who Visitor) *Client {
	t.Helper()
	c := r.enter(t, identity(t), who)
	code, _ := r.OpenPairing()
	_, err := c.Pair(t.Context(), code, "desk")
	must(t, err)
	return c
}

func decide(c *Client) error {
	_, err := c.Decide(context.Background(), "call", broker.Decision{Verdict: broker.Allow, By: broker.Actor{Kind: broker.ByRule, ID: "mine"}})
	return err
}

// A console that is not paired does nothing, whatever it asks. The code pairs one, once.
func TestPairing(t *testing.T) {
	r := newRoom(t)
	first, second := r.enter(t, identity(t), &someone{}), r.enter(t, identity(t), &someone{})
	if err := decide(first); !errors.Is(err, ErrNotPaired) {
		t.Fatalf("unpaired: %v", err)
	}
	if _, err := first.History(t.Context(), 1); !errors.Is(err, ErrNotPaired) {
		t.Fatalf("unpaired: %v", err)
	}
	if _, err := first.Pair(t.Context(), "aaaa-aaaa-aaaa", "desk"); !errors.Is(err, ErrNoCode) {
		t.Fatalf("no code was open: %v", err)
	}
	code, _ := r.OpenPairing()
	if _, err := first.Pair(t.Context(), "aaaa-aaaa-aaaa", "desk"); !errors.Is(err, ErrWrongCode) {
		t.Fatalf("a wrong code: %v", err)
	}
	// As a person types it.
	fingerprint, err := first.Pair(t.Context(), " "+code[:4]+" "+code[5:]+"\n", "desk")
	if err != nil || fingerprint != r.o.Me.Fingerprint() {
		t.Fatalf("the right code: %v, %v", fingerprint, err)
	}
	if _, err := second.Pair(t.Context(), code, "desk"); !errors.Is(err, ErrNoCode) {
		t.Fatalf("a used code: %v", err)
	}
	must(t, decide(first))
	if want := broker.ConsoleID(r.keys[0].ID, "desk"); len(r.by) != 1 || r.by[0].Kind != broker.ByOperator || r.by[0].ID != want || r.by[0].PID != 42 {
		t.Errorf("decided by %+v, want the key %s", r.by, want)
	}
	if err := decide(second); !errors.Is(err, ErrNotPaired) {
		t.Errorf("the other one: %v", err)
	}
}

// A code ends by its time, and by guessing.
func TestCodeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		who := &someone{}
		c := r.enter(t, identity(t), who)
		code, _ := r.OpenPairing()
		time.Sleep(CodeFor + time.Second)
		if _, err := c.Pair(t.Context(), code, "desk"); !errors.Is(err, ErrNoCode) {
			t.Errorf("an old code: %v", err)
		}
		code, _ = r.OpenPairing()
		for range codeTries {
			if _, err := c.Pair(t.Context(), "aaaa-aaaa-aaaa", "desk"); err == nil {
				t.Fatal("a wrong code was right")
			}
		}
		if _, err := c.Pair(t.Context(), code, "desk"); !errors.Is(err, ErrNoCode) {
			t.Errorf("after %d guesses: %v", codeTries, err)
		}
		if want := codeTries + 2; len(who.refused) != want {
			t.Errorf("%d refusals are on record, want %d", len(who.refused), want)
		}
		must(t, c.Close())
		r.HangUp()
		synctest.Wait()
	})
}

// Who sits between the two ends has other keys with each of them, so a proof is of no use to it.
func TestNobodyInBetween(t *testing.T) {
	r := newRoom(t)
	code, _ := r.OpenPairing()
	between := identity(t)
	c := NewClient(identity(t), func(ctx context.Context) (net.Conn, error) {
		here, there := net.Pipe()
		far, err := r.dialer(&someone{})(ctx)
		if err != nil {
			return nil, err
		}
		go func() {
			in, out := tls.Server(there, between.config()), tls.Client(far, between.config())
			go func() { _, _ = io.Copy(out, in) }()
			_, _ = io.Copy(in, out)
		}()
		return here, nil
	}, func(string) error { return nil })
	defer func() { _ = c.Close() }()
	if _, err := c.Pair(t.Context(), code, "desk"); !errors.Is(err, ErrWrongCode) {
		t.Errorf("paired through another one: %v", err)
	}
}

// An agent's process is no console, with a key or without; neither is one that became an agent's.
func TestAgentIsNoConsole(t *testing.T) {
	r := newRoom(t)
	who := &someone{agent: "it comes from an agent"}
	c := r.enter(t, identity(t), who)
	code, _ := r.OpenPairing()
	if _, err := c.Pair(t.Context(), code, "desk"); !errors.Is(err, ErrAgent) {
		t.Errorf("an agent's process was paired: %v", err)
	}
	late, me := &someone{}, identity(t)
	c = r.enter(t, me, late)
	_, err := c.Pair(t.Context(), code, "desk") // nobody had used it
	must(t, err)
	must(t, decide(c))
	late.becomes("it became one")
	if err := decide(c); !errors.Is(err, ErrAgent) || !errors.Is(err, broker.ErrForbidden) {
		t.Errorf("it decided: %v", err)
	}
	// With the key of a person's console it may not even look.
	c = r.enter(t, me, who)
	if _, err := c.History(t.Context(), 1); !errors.Is(err, ErrAgent) {
		t.Errorf("it looked: %v", err)
	}
	if len(r.by) != 1 {
		t.Errorf("the broker was asked by %v", r.by)
	}
}

// A key that was revoked opens nothing from then on, also on a connection that is open.
func TestRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		c := r.paired(t, &someone{})
		must(t, decide(c))
		_, updates := c.Watch(t.Context())
		r.mu.Lock()
		r.keys = nil
		r.mu.Unlock()
		if err := decide(c); !errors.Is(err, ErrNotPaired) {
			t.Errorf("after it was revoked: %v", err)
		}
		for range updates { // ends
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		c.Watch(ctx)
		select {
		case err := <-c.TurnedAway():
			if !errors.Is(err, ErrNotPaired) {
				t.Errorf("turned away: %v", err)
			}
		default:
			t.Error("the console was not told that it is of no use to go on")
		}
		must(t, c.Close())
	})
}

// A broker with another key is none that the console talks to.
func TestOtherBroker(t *testing.T) {
	r := newRoom(t)
	me := r.o.Me.Fingerprint()
	c := NewClient(identity(t), newRoom(t).dialer(&someone{}), func(fingerprint string) error {
		if fingerprint != me {
			return ErrOtherBroker
		}
		return nil
	})
	if _, err := c.Hello(t.Context()); !errors.Is(err, ErrOtherBroker) {
		t.Errorf("got %v", err)
	}
}

// Errors keep what a screen asks them.
func TestErrorsKeepTheirKind(t *testing.T) {
	r := newRoom(t)
	c := r.paired(t, &someone{})
	for name, kind := range kinds {
		if errors.Is(kind, ErrNotPaired) || errors.Is(kind, ErrAgent) {
			continue // of the console itself
		}
		r.err = broker.While(fmt.Errorf("%w: more words", kind), "decide %s", "call")
		err := decide(c)
		if !errors.Is(err, kind) || err.Error() != r.err.Error() || broker.Plain(err) != broker.Plain(r.err) {
			t.Errorf("%s: %q, plain %q; want %q, plain %q", name, err, broker.Plain(err), r.err, broker.Plain(r.err))
		}
	}
	r.err = &rules.Error{Field: "tool", Problem: "is empty"}
	var wrong *rules.Error
	if err := decide(c); !errors.As(err, &wrong) || *wrong != (rules.Error{Field: "tool", Problem: "is empty"}) {
		t.Errorf("a rule's error arrived as %v", err)
	}
	r.err = nil
	if req, err := c.Decide(t.Context(), "call", broker.Decision{}); err != nil || req.ID != "call" || !req.Legible {
		t.Errorf("without an error: %+v, %v", req, err)
	}
}

// What changes comes in order; when the connection breaks the watch ends, and the next one begins
// with all that is.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		c := r.paired(t, &someone{})
		snap, updates := c.Watch(t.Context())
		if len(snap.Requests) != 1 || snap.Requests[0].ID != "watch 1" {
			t.Fatalf("began with %+v", snap)
		}
		if n := r.Present(); n != 1 {
			t.Errorf("%d consoles are there", n)
		}
		time.Sleep(time.Hour) // nothing happens, and nobody is hung up on
		var got []string
		for i := range 5 {
			r.updates <- broker.Update{Request: &broker.Request{ID: fmt.Sprint(i)}}
			got = append(got, (<-updates).Request.ID)
		}
		if !slices.Equal(got, []string{"0", "1", "2", "3", "4"}) {
			t.Errorf("came as %v", got)
		}
		r.Tell(Notice{SessionID: "s", Text: "it spent much"})
		if n := <-c.Notices(); n != (Notice{"s", "it spent much"}) {
			t.Errorf("was told %+v", n)
		}
		r.o.Empty = "calls wait" // the broker goes on in another process
		must(t, c.Close())       // as if the connection broke
		if _, ok := <-updates; ok {
			t.Error("the watch went on")
		}
		synctest.Wait()
		if n := r.Present(); n != 0 {
			t.Errorf("%d consoles are there after it left", n)
		}
		if snap, _ = c.Watch(t.Context()); snap.Requests[0].ID != "watch 2" {
			t.Errorf("began again with %+v", snap)
		}
		if w := c.Met(); w.Empty != "calls wait" || !w.Paired {
			t.Errorf("the broker that it met again said %+v", w)
		}
		must(t, c.Close())
	})
}

// A console that says nothing is hung up on, and so is one that sends without end.
func TestHungUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		c := r.paired(t, &someone{})
		l, err := c.connected(t.Context())
		must(t, err)
		time.Sleep(silentFor + time.Second)
		synctest.Wait()
		if _, err := l.conn.Read(make([]byte, 1)); err == nil {
			t.Error("a silent console was kept")
		}
		c = r.paired(t, &someone{})
		if _, err := c.AssessEdited(t.Context(), "call", make([]byte, maxOrder)); !errors.Is(err, ErrGone) {
			t.Errorf("a huge order: %v", err)
		}
		must(t, c.Close())
	})
}

// A panic is the end of one order, and not of the broker.
func TestPanicIsOneOrder(t *testing.T) {
	r := newRoom(t)
	c := r.paired(t, &someone{})
	if _, err := c.Story(t.Context(), "call"); err == nil || errors.Is(err, ErrGone) { // nothing is behind it
		t.Errorf("got %v", err)
	}
	must(t, decide(c))
}

// However many strangers come, one that is paired stays, and the next one comes in.
func TestStrangersMakeRoom(t *testing.T) {
	r := newRoom(t)
	c := r.paired(t, &someone{})
	must(t, decide(c))
	l, err := c.connected(t.Context())
	must(t, err)
	lone := r.enter(t, identity(t), &someone{pid: 7}) // of another process than the crowd
	_, err = lone.Hello(t.Context())
	must(t, err)
	line := lone.line
	var strangers []*Client
	for range 2 * maxStrangers {
		s := r.enter(t, identity(t), &someone{})
		if _, err := s.Hello(t.Context()); err != nil {
			t.Fatal(err)
		}
		strangers = append(strangers, s)
	}
	must(t, decide(c))
	if again, err := c.connected(t.Context()); err != nil || again != l {
		t.Errorf("the paired console had to come again: %v", err)
	}
	if _, err := lone.Hello(t.Context()); err != nil || lone.line != line {
		t.Errorf("a stranger of another process had to come again: %v", err)
	}
	select {
	case <-strangers[0].line.gone:
	case <-time.After(10 * time.Second):
		t.Error("the first stranger is still there")
	}
}

// Of a stranger nothing large is read, and nothing at all but what the door takes: who is not paired
// cannot fill the broker's memory.
func TestStrangersAreNotRead(t *testing.T) {
	r := newRoom(t)
	c := r.enter(t, identity(t), &someone{})
	if _, err := c.Say(t.Context(), "s", "a few words", broker.Actor{}); !errors.Is(err, ErrNotPaired) {
		t.Errorf("a small order: %v", err)
	}
	if _, err := c.Say(t.Context(), "s", strings.Repeat("x", maxStrange), broker.Actor{}); !errors.Is(err, ErrGone) {
		t.Errorf("a large order: %v", err)
	}
	if _, err := c.Hello(t.Context()); err != nil { // on a new connection
		t.Errorf("afterwards: %v", err)
	}
}

// A console whose key was revoked is no longer there, though its connection is.
func TestRevokedIsNotThere(t *testing.T) {
	r := newRoom(t)
	c := r.paired(t, &someone{})
	c.Watch(t.Context())
	if n := r.Present(); n != 1 {
		t.Fatalf("%d consoles are there", n)
	}
	r.mu.Lock()
	r.keys = nil
	r.mu.Unlock()
	if n := r.Present(); n != 0 {
		t.Errorf("%d consoles are there after the key was revoked", n)
	}
}

// Who took its time over the code comes in all the same.
func TestCodeTypedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		c := r.enter(t, identity(t), &someone{})
		if _, err := c.Hello(t.Context()); err != nil {
			t.Fatal(err)
		}
		code, _ := r.OpenPairing()
		time.Sleep(CodeFor - time.Minute)
		if _, err := c.Pair(t.Context(), code, "desk"); err != nil {
			t.Error(err)
		}
		must(t, c.Close())
	})
}

// The broker goes to a paired console once that has hung up, never to an agent's process, and not where
// it has a screen of its own.
func TestLeave(t *testing.T) {
	r := newRoom(t)
	late := &someone{}
	c := r.paired(t, late)
	if _, err := c.Leave(t.Context()); !errors.Is(err, ErrScreen) {
		t.Errorf("it left its own screen: %v", err)
	}
	asked, left := make(chan broker.Actor, 4), make(chan struct{}, 4)
	r.o.Leave = func(by broker.Actor) ([]string, func(), error) {
		asked <- by
		return []string{"--observe=false"}, func() { left <- struct{}{} }, nil
	}
	if _, err := r.enter(t, identity(t), &someone{}).Leave(t.Context()); !errors.Is(err, ErrNotPaired) {
		t.Errorf("it left for a stranger: %v", err)
	}
	late.becomes("it became an agent's")
	if _, err := c.Leave(t.Context()); !errors.Is(err, ErrAgent) {
		t.Errorf("it left for an agent: %v", err)
	}
	late.becomes("")
	flags, err := c.Leave(t.Context())
	must(t, err)
	if len(flags) != 1 || len(asked) != 1 || (<-asked).Kind != broker.ByOperator {
		t.Errorf("flags %s, asked by others too: %d", flags, len(asked))
	}
	must(t, decide(c)) // it is still there
	if len(left) != 0 {
		t.Error("it left before the console hung up")
	}
	must(t, c.Close())
	<-left
}
