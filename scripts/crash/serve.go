package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/store"
)

const deciders = 8

// serve is the process that gets killed: broker, store, socket and a decider that
// allows and denies at random. After each decision that Decide acknowledged it
// writes one line to file descriptor 3, in one write.
func serve(home string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	st, err := store.Open(ctx, databaseIn(home))
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	defer st.Close()
	socket := filepath.Join(home, "broker.sock")
	b, err := service.New(ctx, st, service.Options{Socket: socket, Rate: -1})
	if err != nil {
		return fmt.Errorf("start the broker: %w", err)
	}
	defer b.Close()
	l, err := api.Listen(socket)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer l.Close()

	ack := os.NewFile(3, "ledger")
	asked := make(chan broker.Request, 1<<15)
	for range deciders {
		go decide(ctx, b, asked, ack)
	}
	go watch(ctx, b, asked)
	if _, err := fmt.Fprintln(ack, ready); err != nil {
		return fmt.Errorf("say that all is ready: %w", err)
	}
	return b.Serve(ctx, l)
}

// watch hands every waiting call to the deciders.
func watch(ctx context.Context, b *service.Broker, asked chan<- broker.Request) {
	for ctx.Err() == nil {
		snap, updates := b.Watch(ctx)
		for _, r := range snap.Requests {
			asked <- r
		}
		for u := range updates {
			if u.Request != nil && u.Request.State == broker.Pending {
				asked <- *u.Request
			}
		}
	}
}

// decide settles calls after a short while each and tells the ledger.
func decide(ctx context.Context, b *service.Broker, asked <-chan broker.Request, ack *os.File) {
	for r := range asked {
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond) //nolint:gosec // G404: load, no secrets
		d := broker.Decision{
			Verdict: broker.Allow, By: broker.Actor{Kind: broker.ByOperator, PID: os.Getpid()}, Digest: r.Digest,
		}
		if rand.IntN(2) == 0 { //nolint:gosec // G404: load, no secrets
			d.Verdict, d.Reason = broker.Deny, "crash trial"
		}
		done, err := b.Decide(ctx, r.ID, d)
		if errors.Is(err, broker.ErrAlreadyDecided) {
			continue // a denier was faster
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "crash: decide:", err)
			continue
		}
		if _, err := fmt.Fprintf(ack, "%s %s\n", r.ID, done.State); err != nil {
			fmt.Fprintln(os.Stderr, "crash: ledger:", err)
		}
	}
}
