package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui"
)

// closeTime bounds an orderly shutdown.
const closeTime = 5 * time.Second

// house is what a console stands on: the broker, listening, with its store.
type house struct {
	broker *service.Broker
	socket string
	tcp    *api.TCPListener // nil without --listen
	log    *slog.Logger

	stop     context.CancelFunc // ends Serve
	served   chan struct{}      // closed when Serve has returned
	serveErr error              // why; to be read once served is closed
	closers  []func() error     // in the order of opening
}

// openHouse prepares the state folder, claims the socket, opens the store and
// starts to serve. The socket comes before the store: whoever holds it is the only
// one to write there.
func openHouse(ctx context.Context, o consoleOptions) (*house, error) {
	h := &house{socket: o.socket, served: make(chan struct{}), stop: func() {}}
	if err := h.open(ctx, o); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

func (h *house) open(ctx context.Context, o consoleOptions) error {
	go service.SaveMemory(ctx)
	dir, err := paths.StateDir()
	if err != nil {
		return err
	}
	if err = state.Prepare(dir); err != nil {
		return err
	}
	if err = h.openLog(); err != nil {
		return err
	}
	listener, err := api.Listen(h.socket)
	if err != nil {
		return h.explainListen(err)
	}
	h.closers = append(h.closers, listener.Close)
	if err = h.listenTCP(ctx, o.listen); err != nil {
		return err
	}
	st, err := state.OpenStore(ctx, h.log)
	if err != nil {
		return err
	}
	h.closers = append(h.closers, st.Close)
	opts := service.Options{
		ApprovalTimeout: o.timeout, Socket: h.socket, Guarded: state.Guarded(h.socket), Silences: install.Silences, Observe: o.observe, NoOutput: o.noOut, ListenOperators: o.anyone, Log: h.log, OnTimeout: broker.Verdict(o.late),
		Difference: func(asked, edited json.RawMessage) string { return tui.Difference(asked, edited) },
	}
	if l, err := newLauncher(h.socket); err == nil {
		opts.Launcher = l
	}
	if o.guard {
		g := newGuard(h.log)
		h.closers = append(h.closers, g.Close)
		opts.Vet = g
	}
	h.broker, err = service.New(ctx, st, o.limits.in(opts))
	if err != nil {
		return fmt.Errorf("take up what was left waiting: %w", err)
	}
	h.runOnWait(o.command)
	h.serve(listener, o)
	h.checkLog(st, o.kept)
	return nil
}

// checkLog reads the whole log once, beside everything else, and tells the broker when
// another program has changed it: what the rules say is then no longer certain. What
// merely cannot be read now is tried again, and until then no rule allows anything. A
// clean log is archived from then on, where it is to be kept for a time only.
func (h *house) checkLog(st *store.Store, keep time.Duration) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	h.closers = append(h.closers, func() error {
		stop()
		<-done
		return nil
	})
	go func() {
		defer close(done)
		for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
			problem, err := st.Check(ctx)
			if errors.Is(err, store.ErrCorrupt) {
				problem, err = err.Error(), nil
			}
			if err == nil {
				h.broker.NoteLog(problem)
				if problem == "" && keep > 0 {
					h.retain(ctx, st, keep)
				}
				return
			}
			if ctx.Err() != nil {
				return
			}
			h.log.Error("log not checked", "err", err, "again_in", pause.String())
			h.broker.NoteLogUnread(err.Error())
			if waitFor(ctx, pause) != nil {
				return
			}
		}
	}()
}

// The pauses between two tries to check the log.
const firstRetry, lastRetry = time.Second, time.Minute

// runOnWait runs command for each call that begins to wait, until Close; "" is none.
func (h *house) runOnWait(command string) {
	if command == "" {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	hook := newWaitHook(h.log, func(ctx context.Context, r broker.Request, skipped int) {
		runWaitHook(ctx, h.log, command, h.socket, r, skipped)
	})
	snap, updates := h.broker.Watch(ctx) // before anybody can ask
	done := make(chan struct{})
	h.closers = append(h.closers, func() error {
		stop()
		<-done
		return nil
	})
	go func() {
		defer close(done)
		hook.run(ctx, h.broker, snap, updates)
	}()
}

func (h *house) openLog() error {
	path, err := paths.LogFile()
	if err != nil {
		return err
	}
	log, file, err := state.OpenLog(path)
	if err != nil {
		return err
	}
	h.log = log
	h.closers = append(h.closers, file.Close)
	return nil
}

// listenTCP listens on addr, unless that is empty.
func (h *house) listenTCP(ctx context.Context, addr string) error {
	if addr == "" {
		return nil
	}
	l, err := api.ListenTCP(ctx, addr)
	if bad, ok := errors.AsType[*api.SocketError](err); ok {
		return exit.Failure{Code: exit.Error, Text: "--listen " + bad.Path + ": it " + bad.Problem, Hint: bad.Hint, Cause: err}
	}
	if err != nil {
		return err
	}
	h.tcp = l
	h.closers = append(h.closers, l.Close)
	return nil
}

// serve answers hooks until Close. It does not end with the caller's context, so
// that a signal closes things in order.
func (h *house) serve(listener *api.Listener, o consoleOptions) {
	info := version.Read() // in the log before anybody is answered, who may look there
	h.log.Info(startedMsg, "pid", os.Getpid(), "socket", h.socket, "version", info.Version, "commit", info.Commit, "observe", o.observe, "config", o.config.Said())
	o.config.Note(h.log)
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	tcpServed := make(chan error, 1)
	go func() {
		if h.tcp == nil {
			tcpServed <- nil
			return
		}
		tcpServed <- h.broker.ServeTCP(ctx, h.tcp)
		stop() // who counts on it would be refused without a word on the screen
	}()
	go func() {
		defer close(h.served)
		err := h.broker.Serve(ctx, listener)
		h.serveErr = errors.Join(err, <-tcpServed)
	}()
}

// startedMsg is the line in the program's log by which aoctl doctor tells what runs.
const startedMsg = "console started"

// explainListen says who holds the socket, or why it cannot be had.
func (h *house) explainListen(err error) error {
	if used, ok := errors.AsType[*api.InUseError](err); ok {
		who := "another aoctl"
		if used.PID > 0 {
			who = fmt.Sprintf("aoctl already runs as pid %d and", used.PID)
		}
		return exit.Failure{
			Code: exit.Error, Text: fmt.Sprintf("%s holds %s", who, used.Socket),
			Hint: "use that one, or quit it first", Cause: err,
		}
	}
	if bad, ok := errors.AsType[*api.SocketError](err); ok {
		return exit.Failure{Code: exit.Error, Text: bad.Path + " " + bad.Problem, Hint: bad.Hint, Cause: err}
	}
	return exit.Failure{
		Code: exit.Error, Text: fmt.Sprintf("cannot listen on %s: %v", h.socket, err),
		Hint: "name another socket with AOCTL_SOCKET or --socket", Cause: err,
	}
}

// Close ends everything in order: no new questions, then the broker, then what it
// stands on. Hooks that still wait keep trying until their own deadline and find
// their calls again in the next console.
func (h *house) Close() {
	h.stop()
	if h.broker != nil {
		select {
		case <-h.served:
			h.note("serve", h.serveErr)
		case <-time.After(closeTime):
			h.log.Warn("requests still under way at the end")
		}
		h.note("close broker", h.broker.Close())
		h.log.Info("console ended", "pid", os.Getpid())
	}
	for i := len(h.closers) - 1; i >= 0; i-- {
		h.note("close", h.closers[i]())
	}
}

// note logs what could not be done; once the log itself is closed, there is
// nowhere left to say so.
func (h *house) note(what string, err error) {
	if err != nil && h.log != nil && !errors.Is(err, os.ErrClosed) && !errors.Is(err, net.ErrClosed) && !errors.Is(err, context.Canceled) {
		h.log.Error("not closed in order", "what", what, "err", err)
	}
}
