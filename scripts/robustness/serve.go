package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/store"
)

// order is what the operator's key says, on its way to the process that holds the
// broker: one JSON line each on its standard input.
type order struct {
	N      uint64 `json:"n"`
	ID     string `json:"id"`
	Digest string `json:"digest"`
	Allow  bool   `json:"allow"`
}

// receipt is what Decide returned for an order: one JSON line on file descriptor 3.
// The first line, with N 0, says that the broker listens.
type receipt struct {
	N    uint64 `json:"n"`
	Out  result `json:"out"`
	Seen status `json:"seen,omitempty"`
	By   string `json:"by,omitempty"`
	Err  string `json:"err,omitempty"`
}

// askerGrace is shorter than the product's, so that calls whose asker left are ended
// within a trial.
const askerGrace = 2 * time.Second

// serve is the process that is killed and paused: store, broker and socket as the console
// puts them together, and the operator's keys by a pipe.
func serve(home string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	socket := socketIn(home)
	l, err := api.Listen(socket)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer l.Close()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	st, err := store.Open(ctx, databaseIn(home), store.WithLog(log))
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	defer st.Close()
	b, err := service.New(ctx, st, service.Options{Socket: socket, AskerGrace: askerGrace, Rate: -1, Log: log})
	if err != nil {
		return fmt.Errorf("start the broker: %w", err)
	}
	defer b.Close()
	if err := admit(b, home, log); err != nil {
		return fmt.Errorf("admit consoles: %w", err)
	}
	served := make(chan error, 1)
	go func() { served <- b.Serve(ctx, l) }()

	desk := desk{b: b, out: json.NewEncoder(os.NewFile(3, "receipts"))}
	desk.say(receipt{Out: done})
	go desk.work(ctx)
	return <-served
}

// desk is where the operator's orders are carried out.
type desk struct {
	b   *service.Broker
	mu  sync.Mutex
	out *json.Encoder
}

func (d *desk) say(r receipt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.out.Encode(r); err != nil {
		fmt.Fprintln(os.Stderr, "robustness: receipt:", err)
	}
}

func (d *desk) work(ctx context.Context) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			fmt.Fprintln(os.Stderr, "robustness: order:", err)
			return
		}
		go func() { d.say(d.decide(ctx, o)) }()
	}
}

func (d *desk) decide(ctx context.Context, o order) receipt {
	c := broker.Decision{Verdict: broker.Deny, By: broker.Actor{Kind: broker.ByOperator, PID: os.Getpid()}, Digest: o.Digest}
	if o.Allow {
		c.Verdict = broker.Allow
	}
	req, err := d.b.Decide(ctx, o.ID, c)
	r := receiptOf(req, err)
	r.N = o.N
	if ctx.Err() != nil {
		r.Err = "" // in the middle of an orderly end
	}
	return r
}

func socketIn(home string) string   { return filepath.Join(home, "broker.sock") }
func databaseIn(home string) string { return filepath.Join(home, "aoctl.db") }
