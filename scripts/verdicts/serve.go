package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/store"
)

// What the person at a console does, or what befalls it. The console is a process of its
// own, so that it can be stopped and killed.
const (
	waits      = "wait"        // no broker at all: says wait to any agent, and no more
	holds      = "hold"        // nobody is at the keys
	allows     = "allow"       // every call
	denies     = "deny"        // every call, without a reason
	explains   = "deny-why"    // every call, with a reason
	ruleDenies = "rule-deny"   // no person is asked
	ruleAllows = "rule-allow"  //
	stops      = "stop"        // the session, as soon as it asks
	observes   = "observe"     // holds nothing, on purpose
	fullAtOnce = "full"        // the disk is full before the call comes
	fullLater  = "full-decide" // the disk is full when the person allows
)

const denyRule = `[[rule]]
decision = "deny"
tool = "Bash"
reason = "verdict trial"
`

const allowRule = `[[rule]]
decision = "allow"
tool = "Bash"
[rule.where]
command = "touch *"
`

// serve is the console's process: the real broker on the real store and socket. It prints
// "ready", then "pending ID" for every call that waits, and ends with its standard input.
func serve(home, mode string) error {
	if mode == waits {
		return serveWait(home)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	st, err := store.Open(ctx, filepath.Join(home, "aoctl.db"))
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	defer st.Close()
	socket := filepath.Join(home, "broker.sock")
	b, err := service.New(ctx, st, service.Options{Socket: socket, Observe: mode == observes})
	if err != nil {
		return fmt.Errorf("start the broker: %w", err)
	}
	defer b.Close()
	if err := saveRules(ctx, b, mode); err != nil {
		return err
	}
	l, err := api.Listen(socket)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer l.Close()
	p := person{b: b, mode: mode}
	snapshot, updates := b.Watch(ctx)
	if mode == fullAtOnce {
		if err := fillDisk(); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	go p.watch(ctx, snapshot, updates)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is what counts
		cancel()
	}()
	if err := b.Serve(ctx, l); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// serveWait is a console that understands every agent and answers none.
func serveWait(home string) error {
	closeIt, err := listenFalsely(filepath.Join(home, "broker.sock"), waitOnly(func() { fmt.Println("pending") }))
	if err != nil {
		return err
	}
	defer closeIt()
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func saveRules(ctx context.Context, b *service.Broker, mode string) error {
	text := map[string]string{ruleDenies: denyRule, ruleAllows: allowRule}[mode]
	list, err := rulesfile.Parse([]byte(text))
	if err != nil {
		return fmt.Errorf("read the rule: %w", err)
	}
	for _, r := range list {
		if _, err := b.SaveRule(ctx, r, broker.Actor{Kind: broker.ByOperator, PID: os.Getpid()}); err != nil {
			return fmt.Errorf("save the rule: %w", err)
		}
	}
	return nil
}

// person is who sits at the console.
type person struct {
	b    *service.Broker
	mode string
}

func (p person) watch(ctx context.Context, snapshot broker.Snapshot, updates <-chan broker.Update) {
	for {
		for _, r := range snapshot.Requests {
			p.see(ctx, r)
		}
		for u := range updates {
			if u.Request != nil {
				p.see(ctx, *u.Request)
			}
		}
		if ctx.Err() != nil {
			return
		}
		snapshot, updates = p.b.Watch(ctx) // fell behind
	}
}

func (p person) see(ctx context.Context, r broker.Request) {
	if r.State != broker.Pending {
		return
	}
	fmt.Println("pending", r.ID)
	if err := p.act(ctx, r); err != nil && !errors.Is(err, broker.ErrAlreadyDecided) && p.mode != fullLater {
		fmt.Fprintln(os.Stderr, "verdicts: decide:", err)
	}
}

func (p person) act(ctx context.Context, r broker.Request) error {
	who := broker.Actor{Kind: broker.ByOperator, PID: os.Getpid()}
	d := broker.Decision{Verdict: broker.Deny, By: who, Digest: r.Digest}
	switch p.mode {
	case allows:
		d.Verdict = broker.Allow
	case fullLater:
		d.Verdict = broker.Allow
		if err := fillDisk(); err != nil {
			return err
		}
	case explains:
		d.Reason = "use the staging box"
	case stops:
		_, err := p.b.Stop(ctx, r.SessionID, who)
		return err
	case denies:
	default:
		return nil
	}
	_, err := p.b.Decide(ctx, r.ID, d)
	return err
}

// fillDisk lets no file of this process grow any more, as a full disk would.
func fillDisk() error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
		return fmt.Errorf("read the limit of file sizes: %w", err)
	}
	now.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
		return fmt.Errorf("limit file sizes: %w", err)
	}
	return nil
}
