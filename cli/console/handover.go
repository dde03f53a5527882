package console

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/cli/autostart"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/hookclient/paths"
)

// The broker changes its process by ending in one and starting in another: what waits is in the
// store, and hooks that wait ask again until somebody answers. The lock says who is the broker. Who
// leaves watches whether somebody took it up, and opens again where nobody did.

const (
	takeUpFlag  = "take-up"
	onEmptyFlag = "on-empty"
	serveLog    = "serve.log" // what a broker that was left running writes to its standard error

	startTime = 15 * time.Second      // for the other process to be ready
	freeFor   = 3 * time.Second       // how long the lock may lie there before who left takes it again
	look      = 10 * time.Millisecond // between two looks at the lock
)

// leave closes a for another process that comes at once.
func (a *App) leave() {
	a.Broker.Hasten()
	a.listener.Leave()
	a.Close()
}

// health is how the broker is.
func (a *App) health() broker.Health {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	snap, _ := a.Broker.Watch(ctx)
	return snap.Health
}

// observing reports whether nothing is held now.
func (a *App) observing() bool { return a.health().Observing }

// flags are those with which another process makes the broker that this one is now. The settings file
// it reads itself.
func (a *App) flags(o Options) []string {
	set := maps.Clone(o.given)
	if set == nil {
		set = map[string]string{}
	}
	set["observe"] = strconv.FormatBool(a.observing())
	set[onEmptyFlag] = o.whenEmpty()
	if o.Timeout != 0 {
		set["timeout"] = o.Timeout.String()
	}
	if a.tcp != nil {
		set["listen"] = a.listens()
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		list = append(list, "--"+name+"="+set[name])
	}
	return list
}

// whenEmpty is what happens to calls while no console is attached: as serve was told, also where a
// console has taken that broker since. One that never was without a screen has its calls wait.
func (o Options) whenEmpty() string { return cmp.Or(o.empty, o.given[onEmptyFlag], emptyWait) }

// withFlags are o with another broker's flags: the screen stays as it is.
func (o Options) withFlags(flags []string, socket string) (Options, error) {
	var mine Options
	cmd := new(cobra.Command)
	mine.Flags(cmd)
	onEmpty := cmd.Flags().String(onEmptyFlag, emptyWait, "")
	if err := cmd.ParseFlags(flags); err != nil {
		return o, err
	}
	mine.given = givenFlags(cmd)
	mine.given[onEmptyFlag] = *onEmpty
	mine.config = config.Load(KeyActions())
	if err := mine.config.Fill(cmd); err != nil {
		return o, err
	}
	if err := mine.Read(cmd); err != nil {
		return o, err
	}
	mine.Socket, mine.theme, mine.attention = socket, o.theme, o.attention
	return mine, nil
}

// handOver has the broker go on in a process of its own, and tells the shell's user. After an error
// the console is open as before, or anew; nil where it could not be opened.
//
// It comes to its end whatever becomes of ctx: a terminal that closes in between must not leave the
// broker half moved.
func (a *App) handOver(ctx context.Context, o Options) (*App, error) {
	ctx = context.WithoutCancel(ctx)
	if err := a.mayLeave(); err != nil {
		return a, err
	}
	next, err := a.startNext(o)
	if err != nil {
		return a, err
	}
	defer next.close()
	if err = a.Broker.NoteLeft("a process of its own", operator()); err != nil {
		next.kill()
		return a, err
	}
	o.observe, o.listen = a.observing(), a.listens()
	socket := a.socket
	a.leave()
	if err = next.said(startTime); err == nil {
		us := strings.Join(calledAs(socket), " ")
		fmt.Fprintf(os.Stdout, "aoctl runs on without this screen (pid %d). \"%s\" brings it back, \"kill %d\" ends it.\n", next.pid(), us, next.pid())
		return nil, nil
	}
	next.kill()
	again, openErr := Open(ctx, o)
	if openErr != nil {
		return nil, openErr
	}
	return again, err
}

// mayLeave pairs the consoles of this state folder with its broker, so that one can attach
// afterwards. Errors say why none could.
func (a *App) mayLeave() error {
	if why := peers.BornOfAgentHere(); why != "" {
		return fmt.Errorf("no console could attach from here: %s", why)
	}
	if problem := a.health().LogBroken; problem != "" {
		return fmt.Errorf("no console could attach while the log is in doubt: %s", problem)
	}
	me, err := member.Identity(member.ConsoleKey)
	if err != nil {
		return err
	}
	_, err = a.Broker.KeyOf(me.Fingerprint())
	if errors.Is(err, consoles.ErrNotPaired) {
		return a.Broker.Pair(broker.TokenData{ID: uuid.NewString(), Kind: broker.ConsoleKey, Hash: me.Fingerprint(), Label: hostName(), By: operator()})
	}
	return err
}

// successor is the process that takes the broker up.
type successor struct {
	cmd  *exec.Cmd
	out  *os.File
	read *bufio.Reader
	log  string
}

// startNext starts a process that waits for a to leave, in a session of its own: nothing that ends
// this terminal ends it.
func (a *App) startNext(o Options) (*successor, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	dir, err := paths.StateDir()
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, serveLog), os.O_CREATE|os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600) //nolint:gosec // in the state folder
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	ours, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	args := append([]string{"serve", "--" + takeUpFlag, "--socket=" + a.socket}, a.flags(o)...)
	cmd := exec.Command(program, args...) //nolint:gosec,noctx // this program; it outlives us
	cmd.Stdout, cmd.Stderr = theirs, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	// Our copy has to go, or the end of the process would not end the pipe.
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start the broker's own process: %w", exit.RootCause(err))
	}
	s := &successor{cmd: cmd, out: ours, read: bufio.NewReader(ours), log: log.Name()}
	if err = s.said(startTime); err != nil {
		s.kill()
		s.close()
		return nil, err
	}
	return s, nil
}

// said waits for the next line of the process: it is ready to take up, and later it serves. Errors are
// what it said of its failure.
func (s *successor) said(within time.Duration) error {
	_ = s.out.SetReadDeadline(time.Now().Add(within))
	_, err := s.read.ReadString('\n')
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the broker's own process was not ready within %v", within)
	}
	text, _ := os.ReadFile(s.log)
	if why := sentenceOf(string(text[:min(len(text), maxLaunchOutput)])); why != "" {
		return errors.New(why)
	}
	return errors.New("the broker's own process ended without a word")
}

func (s *successor) pid() int { return s.cmd.Process.Pid }

// kill ends the process, which has nothing yet that could be lost.
func (s *successor) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed, which is no news
}

func (s *successor) close() { _ = s.out.Close() }

// awaitTurn waits until the lock of socket is free, and says before on out that it does.
func awaitTurn(ctx context.Context, socket string, out io.Writer) error {
	holder, _, _ := state.Holder(socket) // the error comes again
	signal.Ignore(syscall.SIGPIPE)       // who started us leaves
	if _, err := fmt.Fprintln(out, "waits"); err != nil {
		return err
	}
	return whenFree(ctx, socket, holder)
}

// whenFree returns when process pid holds the lock of socket no longer, or after a while. Another one
// may hold it by then.
func whenFree(ctx context.Context, socket string, pid int) error {
	for until := time.Now().Add(2 * startTime); ; {
		holder, held, err := state.Holder(socket)
		if err != nil || !held || holder != pid || time.Now().After(until) {
			return err // to open it says who holds it
		}
		if err = waitFor(ctx, look); err != nil {
			return err
		}
	}
}

// leaveFor is how a console takes the broker, nil where that has a screen of its own.
func (a *App) leaveFor(o Options) func(by broker.Actor) ([]string, func(), error) {
	if o.empty == "" {
		return nil
	}
	return func(by broker.Actor) ([]string, func(), error) {
		if autostart.Here() {
			return nil, nil, errors.New("the broker is a service: stop that first (aoctl uninstall --service, or systemctl --user stop aoctl)")
		}
		if err := a.Broker.NoteLeft("a console", by); err != nil {
			return nil, nil, err
		}
		return a.flags(o), func() {
			select {
			case a.leaving <- struct{}{}:
			default: // another one takes it
			}
		}, nil
	}
}

// takeBack opens the broker here that c is attached to, with its flags. After an error that broker goes
// on, or comes back by itself, or another console has it.
func takeBack(ctx context.Context, o Options, at address, c *consoles.Client) (*App, Options, error) {
	ctx = context.WithoutCancel(ctx)
	var flags []string
	w, err := c.Hello(ctx) // it may have changed its process since c attached
	if err == nil {
		flags, err = c.Leave(ctx)
	}
	_ = c.Close() // only now does the broker leave
	if err != nil {
		return nil, o, err
	}
	mine, err := o.withFlags(flags, at.socket)
	if err != nil {
		return nil, o, err
	}
	if err = whenFree(ctx, at.socket, w.PID); err != nil {
		return nil, o, err
	}
	a, err := Open(ctx, mine)
	return a, mine, err
}

// notTaken tells the person why the broker that says w was not taken here; "" when nothing failed.
func notTaken(err error, w consoles.Welcome) string {
	switch {
	case err == nil:
		return ""
	case w.Empty == "": // it has a screen of its own, and had none when it was to come here
		return "another console has taken the broker: this one is attached to it"
	}
	return "not taken here: " + err.Error()
}

// taken waits until another process serves on socket, and is false when nobody has held its lock for so
// long.
func taken(ctx context.Context, socket string, free time.Duration) bool {
	since := time.Now()
	for {
		_, held, err := state.Holder(socket)
		switch {
		case err == nil && held:
			if (address{socket: socket}).answers(ctx) {
				return true
			}
			since = time.Now()
		case time.Since(since) > free:
			return false
		}
		if waitFor(ctx, look) != nil {
			return true // asked to end
		}
	}
}
