package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui"
	"github.com/aoctl/aoctl/tui/callview"
)

// closeTime bounds an orderly shutdown: requests that still run get this long to end.
const closeTime = 5 * time.Second

// App is what a console stands on: the broker, listening, with its store. It is made by
// Open and used by one goroutine; Broker may be used by any. Between Open and Close the
// broker is never nil.
type App struct {
	Broker *service.Broker
	store  *store.Store
	socket string
	tcp    *api.TCPListener // nil without --listen
	log    *slog.Logger

	listener *api.Listener
	consoles *consoles.Server // screens in other processes
	fleet    *link.Host       // this machine's part in a fleet
	leaving  chan struct{}    // a console takes the broker, and has hung up

	notices chan tui.Notice // for the screen

	stop      context.CancelFunc // ends Serve
	endBroker func()             // does that, and then ends the broker; the second time it does nothing
	served    chan struct{}      // closed when Serve has returned
	serveErr  error              // why; to be read once served is closed
	closers   []func() error     // in the order of opening
}

// Open prepares the state folder, claims the socket, opens the store and starts to serve.
// The socket comes before the store: its holder is the only one to write there.
//
// ctx is for opening alone; a console goes on after it ended, until Close. After an error
// nothing is left open. That another console runs is an exit.Error that names it.
func Open(ctx context.Context, o Options) (*App, error) {
	a := &App{socket: o.Socket, served: make(chan struct{}), stop: func() {}, notices: make(chan tui.Notice, 16), leaving: make(chan struct{}, 1)}
	a.endBroker = sync.OnceFunc(a.endAll)
	if err := a.open(ctx, o); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// open takes the steps in the order that the package comment gives. What a step opened is
// in closers, so after an error Close undoes all of it.
func (a *App) open(ctx context.Context, o Options) error {
	go service.SaveMemory(ctx)
	dir, err := paths.StateDir()
	if err != nil {
		return err
	}
	if err = state.Prepare(dir); err != nil {
		return err
	}
	if err = a.openLog(); err != nil {
		return err
	}
	// From here on this process holds the lock. Hooks that connect wait until serve answers
	// them.
	listener, err := api.Listen(a.socket)
	if err != nil {
		return a.explainListen(err)
	}
	a.closers, a.listener = append(a.closers, listener.Close), listener
	if err = a.listenTCP(ctx, o.listen); err != nil {
		return err
	}
	st, err := state.OpenStore(ctx, a.log)
	if err != nil {
		return err
	}
	a.closers, a.store = append(a.closers, st.Close), st
	_, port, _ := net.SplitHostPort(a.listens())
	opts := service.Options{
		// What is ours is listed once, at the start; what is installed later counts from
		// the next start.
		ApprovalTimeout: o.Timeout, Socket: a.socket, Guard: service.Guard{Paths: state.Guarded(a.socket), Port: port, Silences: install.Silences}, Observe: o.observe, ListenOperators: o.anyone, Log: a.log, OnTimeout: broker.Verdict(o.late),
		Recording: service.Recording{NoOutput: o.noOut, Difference: func(asked, edited json.RawMessage) string { return callview.Difference(asked, edited) }},
	}
	me, err := member.Identity(member.BrokerKey)
	if err != nil {
		return err
	}
	// Without it sessions cannot be started from the console; everything else works.
	if l, err := newLauncher(a.socket); err == nil {
		opts.Launcher = l
	}
	// Only Read sets it. Options that it has not completed, as in a test, do without.
	if o.guard {
		g := newGuard(a.log)
		a.closers = append(a.closers, g.Close)
		opts.Vet = g
	}
	key, err := keys.New(me.Key())
	if err != nil {
		return err
	}
	opts.Guard.Eyes = func(b *service.Broker) policy.Eyes {
		a.Broker = b
		return a.joinFleet(key)
	}
	a.Broker, err = service.New(ctx, st, o.limits.in(opts))
	if err != nil {
		return fmt.Errorf("take up what was left waiting: %w", err)
	}
	a.admitConsoles(me, o)
	a.Broker.ShareCalls(a.fleet)
	a.beside(a.fleet.Run)
	a.measure(o.telemetry)
	a.runOnWait(o.onWait, o.onWaitToken)
	// Serving comes last: an asker that is let in before would find a broker that is half
	// made.
	a.serve(listener, o)
	a.checkLog(st, o.kept)
	a.watchSpending(o.spend)
	return nil
}

// checkLog reads the whole log once, beside everything else, and tells the broker when
// another program has changed it: what the rules say is then no longer certain. What merely
// cannot be read now is tried again, and until then no rule allows anything. A clean log is
// archived from then on, where it is to be kept for a time only.
//
// A long log takes a while to read, and nothing else waits for it.
func (a *App) checkLog(st *store.Store, keep time.Duration) {
	a.beside(func(ctx context.Context) {
		for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
			problem, err := st.Check(ctx)
			// A file that is damaged will not read better the next time: that is an answer,
			// not a hindrance.
			if errors.Is(err, store.ErrCorrupt) {
				problem, err = err.Error(), nil
			}
			if err == nil {
				a.Broker.NoteLog(problem)
				if problem == "" && keep > 0 {
					a.retain(ctx, st, keep)
				}
				return
			}
			if ctx.Err() != nil {
				return
			}
			a.log.Error("log not checked", "err", err, "again_in", pause.String())
			a.Broker.NoteLogUnread(err.Error())
			if waitFor(ctx, pause) != nil {
				return
			}
		}
	})
}

// beside runs something in a goroutine of its own until Close, which ends its context and waits for it: nothing
// may be closed beneath whoever still uses it.
func (a *App) beside(do func(ctx context.Context)) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	a.closers = append(a.closers, func() error {
		stop()
		<-done
		return nil
	})
	go func() {
		defer close(done)
		do(ctx)
	}()
}

// The pauses between two tries to check the log: each is twice the one before.
const firstRetry, lastRetry = time.Second, time.Minute

// runOnWait runs command for each call that begins to wait, until Close; "" is none. What
// runs then is killed by Close. With tokens it is told a token for the call.
func (a *App) runOnWait(command string, tokens bool) {
	if command == "" {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	hook := newWaitHook(a.log, func(ctx context.Context, r broker.Request, skipped int) {
		told := toldCall{Request: r}
		if tokens {
			told.Token = a.onceToken(ctx, r)
			told.OnceToken = told.Token != ""
		}
		runWaitHook(ctx, a.log, command, a.socket, told, skipped)
	})
	snap, updates := a.Broker.Watch(ctx) // before anybody can ask
	done := make(chan struct{})
	a.closers = append(a.closers, func() error {
		stop()
		<-done
		return nil
	})
	go func() {
		defer close(done)
		hook.run(ctx, a.Broker, snap, updates)
	}()
}

// onceToken is a token for r alone; "" when it may have none, as a dangerous call.
func (a *App) onceToken(ctx context.Context, r broker.Request) string {
	token, err := a.Broker.MintOnce(r.ID)
	if err != nil {
		a.log.InfoContext(ctx, "no token for the on-wait command", "request_id", r.ID, "err", err)
	}
	return token
}

// openLog opens the console's own log. Everything after it may log.
func (a *App) openLog() error {
	path, err := paths.LogFile()
	if err != nil {
		return err
	}
	log, file, err := state.OpenLog(path)
	if err != nil {
		return err
	}
	a.log = log
	a.closers = append(a.closers, file.Close)
	return nil
}

// listenTCP listens on addr, unless that is empty. Only a loopback address is taken, which
// package api sees to; calls over it need a token.
func (a *App) listenTCP(ctx context.Context, addr string) error {
	if addr == "" {
		return nil
	}
	l, err := api.ListenTCP(ctx, addr)
	if bad, ok := errors.AsType[*api.SocketError](err); ok {
		return exit.Error{Code: exit.Failed, Text: "--listen " + bad.Path + ": it " + bad.Problem, Hint: bad.Hint, Cause: err}
	}
	if err != nil {
		return err
	}
	a.tcp = l
	a.closers = append(a.closers, l.Close)
	return nil
}

// listens is the TCP address that aoctl listens on, "" without --listen.
func (a *App) listens() string {
	if a.tcp == nil {
		return ""
	}
	return a.tcp.Addr()
}

// serve answers hooks until Close. It does not end with the caller's context, so that a
// signal closes things in order. When one of the two listeners fails, the other ends too:
// half a console would look whole on the screen.
func (a *App) serve(listener *api.Listener, o Options) {
	info := version.Read() // in the log before anybody is answered, who may look there
	const started = state.StartedMsg
	a.log.Info(started, "pid", os.Getpid(), "socket", a.socket, "version", info.Version, "commit", info.Commit, "observe", o.observe, "config", o.config.Said())
	o.config.Note(a.log)
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	tcpServed := make(chan error, 1)
	go func() {
		if a.tcp == nil {
			tcpServed <- nil
			return
		}
		tcpServed <- a.Broker.ServeTCP(ctx, a.tcp)
		stop() // who counts on it would be refused without a word on the screen
	}()
	go func() {
		defer close(a.served)
		err := a.Broker.Serve(ctx, listener)
		a.serveErr = errors.Join(err, <-tcpServed)
	}()
}

// explainListen says who holds the socket, or why it cannot be had. Being second is the
// most common case, and no fault of anybody's.
func (a *App) explainListen(err error) error {
	if used, ok := errors.AsType[*api.InUseError](err); ok {
		who := "another aoctl"
		if used.PID > 0 {
			who = fmt.Sprintf("aoctl already runs as pid %d and", used.PID)
		}
		return exit.Error{
			Code: exit.Failed, Text: fmt.Sprintf("%s holds %s", who, used.Socket),
			Hint: "use that one, or quit it first", Cause: err,
		}
	}
	if bad, ok := errors.AsType[*api.SocketError](err); ok {
		return exit.Error{Code: exit.Failed, Text: bad.Path + " " + bad.Problem, Hint: bad.Hint, Cause: err}
	}
	return exit.Error{
		Code: exit.Failed, Text: fmt.Sprintf("cannot listen on %s: %v", a.socket, err),
		Hint: "name another socket with AOCTL_SOCKET or --socket", Cause: err,
	}
}

// Close ends everything in order: no new questions, then the broker, then what it stands
// on. Hooks that still wait keep trying until their own deadline and find their calls again
// in the next console. It is for an App that Open made or began to make, and for one call.
func (a *App) Close() {
	a.endBroker()
	// The last that was opened goes first: what it stands on is still there.
	for i := len(a.closers) - 1; i >= 0; i-- {
		a.note("close", a.closers[i]())
	}
}

// endAll ends what answers and decides. The store is open still, and takes nothing more.
func (a *App) endAll() {
	a.stop()
	if a.Broker == nil {
		return
	}
	select {
	case <-a.served:
		a.note("serve", a.serveErr)
	// A request that does not end must not keep the console from closing; its asker
	// finds the call again.
	case <-time.After(closeTime):
		a.log.Warn("requests still under way at the end")
	}
	a.note("close broker", a.Broker.Close())
	a.log.Info("console ended", "pid", os.Getpid())
}

// note logs what could not be done; once the log itself is closed, there is nowhere left to
// say so. What comes of closing twice or of being asked to end is no news.
func (a *App) note(what string, err error) {
	if err != nil && a.log != nil && !errors.Is(err, os.ErrClosed) && !errors.Is(err, net.ErrClosed) && !errors.Is(err, context.Canceled) {
		a.log.Error("not closed in order", "what", what, "err", err)
	}
}

// waitFor waits for d, or until ctx ends, which is its error.
func waitFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
