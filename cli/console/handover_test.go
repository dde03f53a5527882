package console

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/member"
)

// atHome has the test's broker in a state folder of its own, and returns its socket.
func atHome(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "aoctl") //nolint:usetesting // the folders of t.TempDir may be too deep for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("AOCTL_HOME", dir)
	return filepath.Join(dir, "broker.sock")
}

// parsed are the options of a command line.
func parsed(t *testing.T, words ...string) Options {
	t.Helper()
	var o Options
	cmd := new(cobra.Command)
	o.Flags(cmd)
	if err := cmd.ParseFlags(words); err != nil {
		t.Fatal(err)
	}
	o.given = givenFlags(cmd)
	if err := o.Read(cmd); err != nil {
		t.Fatal(err)
	}
	o.guard = false // this program is no parse guard
	return o
}

// Another process gets the flags of the command line, and those that hold by now: what is observed, the
// port that was found.
func TestFlagsGoAlong(t *testing.T) {
	socket := atHome(t)
	o := parsed(t, "--observe", "--timeout=5m", "--on-wait=true", "--max-pending=7", "--no-output", "--listen=127.0.0.1:0", "--theme=light")
	o.Socket = socket
	a, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	if err := a.Broker.Observe(t.Context(), "", false, broker.Actor{Kind: broker.ByOperator}); err != nil {
		t.Fatal(err)
	}
	flags := a.flags(o)
	want := []string{"--listen=" + a.listens(), "--max-pending=7", "--no-output=true", "--observe=false", "--on-empty=wait", "--on-wait=true", "--timeout=5m0s"}
	if !slices.Equal(flags, want) {
		t.Fatalf("flags %s, want %s", flags, want)
	}
	mine, err := parsed(t, "--theme=dark").withFlags(flags, socket)
	if err != nil {
		t.Fatal(err)
	}
	if mine.observe || mine.Timeout != 5*time.Minute || mine.onWait != "true" || mine.limits.pending != 7 || !mine.noOut || mine.listen != a.listens() || mine.Socket != socket {
		t.Errorf("they make %+v", mine)
	}
	if mine.theme != "dark" {
		t.Errorf("the screen is %s", mine.theme)
	}
	if again := a.flags(mine); !slices.Equal(again, want) {
		t.Errorf("the next process gets %s", again)
	}
}

// What serve was told of calls that find no console survives a console that takes the broker.
func TestOnEmptyGoesAlong(t *testing.T) {
	for _, chosen := range []string{emptyDeny, emptyWait} {
		o := parsed(t)
		o.Socket, o.empty = atHome(t), chosen
		a, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(a.Close)
		mine, err := parsed(t).withFlags(a.flags(o), o.Socket)
		if err != nil {
			t.Fatal(err)
		}
		if flags := a.flags(mine); mine.empty != "" || !slices.Contains(flags, "--on-empty="+chosen) {
			t.Errorf("chosen was %s, the next process gets %s", chosen, flags)
		}
	}
}

// Of two consoles that take the broker, the later one must not wait for the other's end.
func TestWhenAnotherHasTheLock(t *testing.T) {
	socket := atHome(t)
	lock, err := api.LockSocket(socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	if err := whenFree(ctx, socket, os.Getpid()+1); err != nil {
		t.Errorf("it waited for process %d: %v", os.Getpid(), err)
	}
}

// What is said depends on the broker that is there afterwards.
func TestNotTaken(t *testing.T) {
	err := errors.New("no room")
	for want, got := range map[string]string{
		"":                        notTaken(nil, consoles.Welcome{}),
		"not taken here: no room": notTaken(err, consoles.Welcome{Empty: emptyWords[emptyWait]}),
		"another console has taken the broker: this one is attached to it": notTaken(err, consoles.Welcome{}),
	} {
		if got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

// Hooks that knock while the broker changes its process wait for two seconds, which a peer that sends its
// question slowly must not use up.
func TestSlowPeersDoNotHoldUpTheNext(t *testing.T) {
	o := parsed(t)
	o.Socket = atHome(t)
	a, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := client.Dial(t.Context(), o.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slow.Close() })
	if _, err = io.WriteString(slow, "POST /request-approval HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	at := address{socket: o.Socket}
	at.await(t.Context()) // the slow one came first
	begun := time.Now()
	a.leave()
	if took := time.Since(begun); took >= 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A broker that left for a console which never came serves again, with the flags of before.
func TestNobodyTakesTheBroker(t *testing.T) {
	socket := atHome(t)
	o := serveOptions{Options: parsed(t)}
	o.Socket, o.empty = socket, emptyWait
	me, err := member.Identity(member.ConsoleKey)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), o.Options)
	if err != nil {
		t.Fatal(err)
	}
	if err = a.Broker.Pair(broker.TokenData{ID: uuid.NewString(), Kind: broker.ConsoleKey, Hash: me.Fingerprint(), Label: "test"}); err != nil {
		t.Fatal(err)
	}
	a.Close()

	served := make(chan error, 1)
	go func() { served <- serve(t.Context(), o, io.Discard) }()
	at := address{socket: socket}
	at.await(t.Context())
	hello := func() (*consoles.Client, int) {
		c := consoles.NewClient(me, at.dial, knownBroker{at}.check)
		w, err := c.Hello(t.Context())
		if err != nil && strings.Contains(err.Error(), consoles.ErrAgent.Error()) {
			t.Skip("beneath a coding agent no process is a console")
		}
		if err != nil || !w.Paired {
			t.Fatalf("paired %t, %v", w.Paired, err)
		}
		return c, w.PID
	}
	c, _ := hello()
	if _, err := c.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !at.answers(t.Context()) {
		t.Error("the broker left before the console hung up")
	}
	_ = c.Close()
	for at.answers(t.Context()) { // it leaves
	}
	if taken(t.Context(), socket, time.Minute); !at.heldBy(os.Getpid()) {
		t.Error("another process has the broker")
	}
	c, _ = hello()
	_ = c.Close()
	select {
	case err := <-served:
		t.Errorf("the broker ended: %v", err)
	default:
	}
}

// met is a console that has heard this of the broker.
type met struct{ consoles.Welcome }

func (m *met) Met() consoles.Welcome { return m.Welcome }

// While the broker is between two processes, a console still asks for it and does not go to the background.
func TestPlaceBetweenTwoProcesses(t *testing.T) {
	socket := atHome(t)
	o := parsed(t)
	o.Socket = socket
	a, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var c met
	here := consoles.Welcome{PID: os.Getpid(), Empty: "calls wait"}
	place := placeOf(address{socket: socket}, &c, here, true)
	if !place().Served {
		t.Error("before the first word: not a served one")
	}
	c.Welcome = here
	a.Close()
	if !place().Served {
		t.Error("while nobody has the socket: not a served one")
	}
	c.Welcome = consoles.Welcome{PID: os.Getpid() + 1, Empty: "calls wait"}
	if place().Served {
		t.Error("another process than the one that holds the socket counts as served here")
	}
	if placeOf(address{socket: socket}, &c, here, false)().Served {
		t.Error("the broker of another state folder counts as served here")
	}
}
