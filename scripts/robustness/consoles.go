package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/service"
	figures "github.com/aoctl/aoctl/broker/tally"
)

// forConsoles is a broker without the figures that only the record has.
type forConsoles struct{ *service.Broker }

func (forConsoles) Tally(context.Context, time.Time) (figures.Report, error) {
	return figures.Report{}, nil
}

func (forConsoles) Spending(_ context.Context, r figures.Report) (figures.Report, error) {
	return r, nil
}

// admitted serves consoles. The driver stands for the person and for the agents at once, so that it
// is an agent's process is not looked at.
type admitted struct{ *consoles.Server }

func (a admitted) Serve(conn net.Conn, who api.Visitor) { a.Server.Serve(conn, driver{who}) }

type driver struct{ api.Visitor }

func (driver) Agent() string { return "" }

// admit opens b for the consoles of the driver, which count as paired.
func admit(b *service.Broker, home string, log *slog.Logger) error {
	me, err := consoles.LoadIdentity(filepath.Join(home, "broker.key"))
	if err != nil {
		return err
	}
	key, err := consoleKey(home)
	if err != nil {
		return err
	}
	if _, err := b.KeyOf(key.Fingerprint()); errors.Is(err, consoles.ErrNotPaired) {
		err = b.Pair(broker.TokenData{ID: "driver", Kind: broker.ConsoleKey, Hash: key.Fingerprint(), Label: "driver"})
		if err != nil {
			return err
		}
	}
	b.AdmitConsoles(admitted{consoles.NewServer(consoles.Options{Broker: forConsoles{b}, Keys: b, Me: me, Log: log})})
	return nil
}

func consoleKey(home string) (consoles.Identity, error) {
	return consoles.LoadIdentity(filepath.Join(home, "console.key"))
}

// attach makes a console, which finds each broker that comes after the one before.
func (w *world) attach() (*consoles.Client, error) {
	key, err := consoleKey(w.home)
	if err != nil {
		return nil, err
	}
	return consoles.NewClient(key, func(ctx context.Context) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", socketIn(w.home))
		if err != nil {
			return nil, err
		}
		if err := consoles.Upgrade(ctx, conn, "aoctl"); err != nil {
			_ = conn.Close()
			return nil, err
		}
		return conn, nil
	}, func(string) error { return nil }), nil
}

// decideByConsole answers a call with a key of an attached console.
func (w *world) decideByConsole(ctx context.Context, h *history, o *op, k order) {
	o.Road = "console"
	if !h.begin(o) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := broker.Decision{Verdict: broker.Deny, Digest: k.Digest}
	if k.Allow {
		d.Verdict = broker.Allow
	}
	req, err := w.console.Decide(ctx, k.ID, d)
	w.received(h, o, receiptOf(req, err))
}

// look follows what a console is shown, until ctx ends. An end that is drawn is one that counts.
func (w *world) watch(ctx context.Context, c *consoles.Client) {
	for ctx.Err() == nil {
		_, updates := c.Watch(ctx)
		for u := range updates {
			if u.Request != nil && u.Request.State.Terminal() {
				w.drawn(*u.Request)
			}
		}
	}
}

// drawn notes an end that a console has drawn.
func (w *world) drawn(r broker.Request) {
	name := r.ToolUseID
	if name == "" {
		name = r.ID
	}
	h := w.history(r.SessionID)
	if h == nil {
		return
	}
	req := h.request(name)
	if req == nil {
		return
	}
	o := &op{Kind: "see", Call: req.call, Slot: req.slot, Road: "screen", Out: done}
	if !h.begin(o) {
		return
	}
	got := receiptOf(r, nil)
	o.Seen, o.By = got.Seen, got.By
	if o.Seen == denied && o.By == "broker" && r.Outcome.By.ID != broker.AsideID {
		o.Seen = unrecorded
	}
	h.end(o)
}

// receiptOf is what came of a decision.
func receiptOf(req broker.Request, err error) receipt {
	r := receipt{Out: done, Seen: status(req.State)}
	if req.Outcome != nil {
		r.By = string(req.Outcome.By.Kind)
	}
	if req.Unrecorded {
		r.Seen = unrecorded
	}
	switch {
	case err == nil && (req.State == broker.Expired || req.State == broker.Cancelled):
		r.Out = granted
	case err == nil:
	case errors.Is(err, broker.ErrAlreadyDecided):
		r.Out = already
	case errors.Is(err, broker.ErrNotFound):
		r.Out = missing
	case errors.Is(err, broker.ErrNotRecorded):
		r.Out, r.Err = failed, err.Error()
	case errors.Is(err, consoles.ErrAgent): // the real program has come, to which the driver is an agent
		r.Out = unknown
	case errors.Is(err, consoles.ErrGone), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, broker.ErrClosed):
		r.Out = unknown
	default:
		r.Out, r.Err = unknown, err.Error()
	}
	return r
}

// received ends o with what came of it.
func (w *world) received(h *history, o *op, got receipt) {
	o.Out, o.Seen, o.By = got.Out, got.Seen, got.By
	if o.Out != unknown && o.Seen == denied && o.By == "broker" {
		o.Seen = unrecorded
	}
	if got.Err != "" && got.Out == unknown {
		w.violated(fmt.Errorf("the broker refused a plain decision: %s", got.Err))
	}
	h.end(o)
}
