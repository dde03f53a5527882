package console

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/tui"
)

func newAttachCommand() *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "attach [url]",
		Short: "Open the console of a broker that runs elsewhere",
		Long: `attach opens the screen of a broker that another process runs: "aoctl serve", or a
console in another terminal. Quitting it closes nothing.

Without an argument it is the broker of the usual socket, as with "aoctl" alone. An
argument names another one: the path of a socket, or the address of a broker that
listens on TCP, http://127.0.0.1:8765.

The first time it asks for a code, which the broker's terminal shows ("aoctl serve
--pair") or a console that is paired (r, t, c).`,
		Example: `  aoctl attach
  aoctl attach ~/other/broker.sock
  aoctl attach http://127.0.0.1:8765`,
		Args: usage.AtMostOne("the address of a broker"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := terminal.Require("the console"); err != nil {
				return err
			}
			o.config = config.Load(KeyActions())
			if err := o.config.Fill(cmd); err != nil {
				return err
			}
			if err := o.readScreen(cmd); err != nil {
				return err
			}
			usual, err := client.SocketPath(cmd)
			if err != nil {
				return err
			}
			at, err := addressOf(usual, args)
			if err != nil {
				return err
			}
			return attach(cmd.Context(), o, at, "")
		},
	}
	o.screenFlags(cmd)
	return cmd
}

// address is where a broker listens: a socket's path, or a loopback address with a port.
type address struct{ socket, tcp string }

func (a address) String() string { return cmp.Or(a.socket, "http://"+a.tcp) }

// addressOf reads the argument of attach. Errors are usage.Error.
func addressOf(usual string, args []string) (address, error) {
	if len(args) == 0 {
		return address{socket: usual}, nil
	}
	text := args[0]
	if path, ok := strings.CutPrefix(text, "unix://"); ok {
		text = path
	}
	if u, err := url.Parse(text); err == nil && u.Scheme != "" {
		if u.Scheme != "http" || u.Port() == "" || strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "" {
			return address{}, usage.Error{Text: fmt.Sprintf("%q is no address of a broker", text), Hint: "name a socket's path, or http://127.0.0.1:8765"}
		}
		return address{tcp: u.Host}, nil
	}
	path, err := filepath.Abs(text)
	return address{socket: path}, err
}

// dial connects to the broker at a and asks it to talk to a console.
func (a address) dial(ctx context.Context) (net.Conn, error) {
	var conn net.Conn
	var err error
	host := "aoctl"
	if a.socket != "" {
		conn, err = client.Dial(ctx, a.socket)
	} else {
		_, port, _ := net.SplitHostPort(a.tcp) // addressOf has seen it
		host = net.JoinHostPort("localhost", port)
		conn, err = new(net.Dialer).DialContext(ctx, "tcp", a.tcp)
	}
	if err != nil {
		return nil, err
	}
	err = consoles.Upgrade(ctx, conn, host)
	if no, ok := errors.AsType[consoles.RefusedError](err); ok {
		err = client.ReadError(no.Status, no.Body)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// attach opens the screen of the broker at a, after a pairing where there was none. who says of the
// broker what the person should know who did not ask for it by name; it may be "".
func attach(ctx context.Context, o Options, a address, who string) error {
	me, err := asPerson()
	if err != nil {
		return err
	}
	known := knownBroker{a}
	var failed error // to take the broker here
	for {
		w, met, err := hello(ctx, a, me, known, who)
		if err != nil {
			return err
		}
		o.said = notTaken(failed, w)
		c := consoles.NewClient(me, a.dial, known.check)
		err = showAttached(ctx, o, a, c, w, isOwn(met))
		if !errors.Is(err, tui.ErrLeave) {
			_ = c.Close()
			return err
		}
		here, mine, err := takeBack(ctx, o, a, c)
		if err == nil {
			return here.run(ctx, mine)
		}
		failed = err
		a.await(ctx)
	}
}

// AtBroker has a command give orders to this machine's broker as a console does: it is paired first
// where it is not, with a code that a person types. The broker must run.
func AtBroker(cmd *cobra.Command, do func(ctx context.Context, b *consoles.Client) error) error {
	socket, err := client.SocketPath(cmd)
	if err != nil {
		return err
	}
	if _, err := client.New(cmd); err != nil {
		return err // none was ever there: nor is there a folder for a key
	}
	at := address{socket: socket}
	me, err := asPerson()
	if err != nil {
		return err
	}
	known := knownBroker{at}
	if _, _, err := hello(cmd.Context(), at, me, known, ""); err != nil {
		return err
	}
	c := consoles.NewClient(me, at.dial, known.check)
	defer func() { _ = c.Close() }()
	return do(cmd.Context(), c)
}

// heldBy reports whether the process pid holds a socket of this machine.
func (a address) heldBy(pid int) bool {
	holder, held, err := state.Holder(a.socket)
	return a.socket != "" && err == nil && held && holder == pid
}

// await waits for a broker at a to answer, for a while.
func (a address) await(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, startTime)
	defer stop()
	for waitFor(ctx, look) == nil && !a.answers(ctx) {
	}
}

// answers reports whether a broker at a takes consoles.
func (a address) answers(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	conn, err := a.dial(ctx)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// hello finds out whether this console may attach, and pairs it where it may not yet. met is the
// fingerprint of the broker.
func hello(ctx context.Context, a address, me consoles.Identity, known knownBroker, who string) (w consoles.Welcome, met string, err error) {
	c := consoles.NewClient(me, a.dial, func(fingerprint string) error {
		met = fingerprint
		return nil
	})
	defer func() { _ = c.Close() }()
	w, err = c.Hello(ctx)
	if err != nil {
		return w, met, unattached(a, err)
	}
	if mine := version.Read().Version; w.Version != mine {
		return w, met, exit.Error{
			Code: exit.Failed, Text: fmt.Sprintf("the broker on %s is aoctl %s, and this is %s", a, w.Version, mine),
			Hint: "use the same version: end the broker and start it again after an update",
		}
	}
	if w.Paired && known.check(met) == nil {
		return w, met, nil
	}
	if known.other(met) {
		fmt.Fprintf(os.Stderr, "Mind that %v.\n", consoles.ErrOtherBroker)
	}
	if err = askPairing(ctx, c, a, w, known, who); err != nil {
		return w, met, err
	}
	w, err = c.Hello(ctx)
	return w, met, unattached(a, err)
}

// codeTries is how often a code may be typed.
const codeTries = 3

// askPairing has the person type the code.
func askPairing(ctx context.Context, c *consoles.Client, a address, w consoles.Welcome, known knownBroker, who string) error {
	if who == "" {
		who = fmt.Sprintf("aoctl runs as pid %d and holds %s", w.PID, a)
	}
	fmt.Fprintf(os.Stderr, "%s.\nTo attach, this console is paired with it once. It shows a code: in its console with r, t, c,\nor where it was started with \"aoctl serve --pair\". Enter alone leaves.\n", who)
	lines := bufio.NewReader(os.Stdin)
	for range codeTries {
		fmt.Fprint(os.Stderr, "Code: ")
		code, err := readLine(ctx, lines)
		if code = strings.TrimSpace(code); err != nil || code == "" {
			return exit.Error{Code: exit.Failed, Text: "not attached: " + who, Hint: "use that one, or quit it first"}
		}
		fingerprint, err := c.Pair(ctx, code, hostName())
		switch {
		case err == nil:
			return known.add(fingerprint)
		// In words of our own: nobody knows yet who answers.
		case errors.Is(err, consoles.ErrWrongCode):
			fmt.Fprintf(os.Stderr, "  %v\n", consoles.ErrWrongCode)
		case errors.Is(err, consoles.ErrNoCode):
			fmt.Fprintf(os.Stderr, "  %v\n", consoles.ErrNoCode)
		default:
			return unattached(a, err)
		}
	}
	return exit.Error{Code: exit.Forbidden, Text: "not attached: no code was right", Hint: "have another one shown: r, t, c in its console"}
}

// readLine reads a line, or ends with ctx.
func readLine(ctx context.Context, lines *bufio.Reader) (string, error) {
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		line, err := lines.ReadString('\n')
		got <- read{line, err}
	}()
	select {
	case r := <-got:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// hostName is what this console is called among the keys.
func hostName() string {
	name, err := os.Hostname()
	if err != nil || broker.CheckName("label", name) != nil {
		return "console"
	}
	return name
}

// unattached explains why a broker did not take this console.
func unattached(a address, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, consoles.ErrAgent):
		return exit.Error{Code: exit.Forbidden, Text: err.Error(), Hint: "open it in a terminal of your own, not in one that an agent started", Cause: err}
	case errors.Is(err, consoles.ErrOtherBroker):
		return exit.Error{Code: exit.Forbidden, Text: err.Error() + " at " + a.String(), Hint: `if that is right, attach again and pair anew`, Cause: err}
	case errors.Is(err, consoles.ErrNotPaired):
		return exit.Error{Code: exit.Forbidden, Text: err.Error(), Hint: "its key was revoked; attach again with a new code", Cause: err}
	}
	if a.tcp != "" && errors.Is(err, syscall.ECONNREFUSED) {
		return exit.Error{
			Code: exit.NoConsole, Text: "no broker is listening on " + a.String(), Cause: err,
			Hint: "start it with --listen; where it runs on another machine, forward its port here with ssh -L",
		}
	}
	return client.Unanswered(a.String(), err)
}

// showAttached draws the console until it is quit, ctx ends, or the broker takes it no longer.
// own says that the broker has this state folder, and can come into this process where it is a served one
// of this machine. Errors: tui.ErrLeave, which is a wish.
func showAttached(ctx context.Context, o Options, a address, c *consoles.Client, w consoles.Welcome, own bool) error {
	drawing, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	go func() {
		select {
		case err := <-c.TurnedAway():
			leave(err)
		case <-drawing.Done():
		}
	}()
	t := o.screen(a.String())
	t.Notices = noticesOf(drawing, c, o.said)
	t.Operator.ID = broker.ConsoleID(w.ID, w.Label)
	t.ReadFile, t.Stamp = c.ReadFile, c.Stamp
	t.Hooks = tui.Hooks{Others: c.OtherHooks, Ours: c.OurHooks}
	t.Place = placeOf(a, c, w, own)
	err := tui.Run(drawing, c, t)
	switch why := context.Cause(drawing); {
	case errors.Is(err, tui.ErrLeave):
		return err
	case ctx.Err() != nil:
		return nil
	case why != nil:
		return unattached(a, why)
	}
	return err
}

// placeOf says where the broker at a is, which said w of itself before c began to watch it. While it
// changes its process it is what it was: nobody holds its socket then, or one of whom c has no word yet.
func placeOf(a address, c interface{ Met() consoles.Welcome }, w consoles.Welcome, own bool) func() tui.Place {
	place := func(w consoles.Welcome) tui.Place {
		return tui.Place{Elsewhere: true, Served: own && w.Empty != "" && a.heldBy(w.PID), Empty: w.Empty}
	}
	last := place(w)
	return func() tui.Place {
		if now := c.Met(); now.PID != 0 && now.PID != w.PID {
			w, last = now, place(now)
		}
		return last
	}
}

// noticesOf are what the broker tells, as the screen takes it, until ctx ends. said, unless it is "",
// comes before.
func noticesOf(ctx context.Context, c *consoles.Client, said string) <-chan tui.Notice {
	out := make(chan tui.Notice, 1)
	if said != "" {
		out <- tui.Notice{Text: said}
	}
	go func() {
		for {
			select {
			case n := <-c.Notices():
				select {
				case out <- tui.Notice(n):
				case <-ctx.Done():
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}
