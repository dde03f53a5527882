package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/store"
)

// consoleKey finds a script's console among its values.
type consoleKey struct{}

// scriptConsole is a console without a screen: the real broker on the real store,
// decided by the script in place of a person at the keys.
type scriptConsole struct {
	broker  *service.Broker
	close   func()
	agents  []*demoAgent
	screens any // the programs at terminals, where a platform has them
}

// demoAgent is a running agent of the demo, and the pipe that keeps it there.
type demoAgent struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   bytes.Buffer
}

func cmdConsole(ts *testscript.TestScript, neg bool, args []string) {
	c, ok := ts.Value(consoleKey{}).(*scriptConsole)
	if neg || !ok || len(args) == 0 {
		ts.Fatalf("usage: console open|close|allow|deny|defer|edit|mend|stop|allowall …")
	}
	if args[0] != "open" && c.broker == nil {
		ts.Fatalf("the console is not open")
	}
	switch rest := args[1:]; {
	case args[0] == "open" && len(rest) <= 1:
		ts.Check(c.open(ts, rest))
		ts.Defer(c.closeOnce)
	case args[0] == "close" && len(rest) == 0:
		c.closeOnce()
	case args[0] == "allowall" && len(rest) == 0:
		go c.allowAll()
	case args[0] == "token" && (len(rest) == 1 || len(rest) == 2 && rest[1] == string(broker.AskingToken)):
		kind := broker.OperatorToken
		if len(rest) == 2 {
			kind = broker.AskingToken
		}
		token, err := c.broker.MintToken(context.Background(), kind, "script", broker.Actor{Kind: broker.ByOperator})
		ts.Check(err)
		ts.Setenv(rest[0], token)
	case args[0] == "listen" && len(rest) == 1:
		ts.Setenv(rest[0], c.listen(ts))
	case args[0] == "trust" && len(rest) == 1:
		ts.Check(c.trust(ts.MkAbs(rest[0])))
	case (args[0] == "grant" || args[0] == "decline") && len(rest) == 0:
		ts.Check(c.answerProposal(args[0] == "grant"))
	case args[0] == "offer" && len(rest) == 1:
		ts.Check(c.offer(ts, rest[0]))
	case args[0] == "defer" && len(rest) == 1:
		ts.Check(c.putOff(rest[0]))
	case args[0] == "stop" && len(rest) == 1:
		ts.Check(c.stop(rest[0]))
	case args[0] == "resume" && len(rest) == 1:
		_, err := c.broker.Resume(context.Background(), rest[0], broker.Actor{Kind: broker.ByOperator})
		ts.Check(err)
	case args[0] == "refused" && len(rest) == 1:
		if err := c.decide(rest[0], broker.Allow, ""); !errors.Is(err, broker.ErrChanged) {
			ts.Fatalf("the console took a yes for what has changed: %v", err)
		}
	case (args[0] == "allow" || args[0] == "deny") && len(rest) > 0:
		ts.Check(c.decide(rest[0], broker.Verdict(args[0]), strings.Join(rest[1:], " ")))
	case args[0] == "defer" && len(rest) == 1:
		r, err := c.await(func(r broker.Request) bool {
			return r.State == broker.Pending && bytes.Contains(r.ToolInput, []byte(rest[0]))
		})
		ts.Check(err)
		_, err = c.broker.Defer(context.Background(), r.ID, broker.Actor{Kind: broker.ByOperator})
		ts.Check(err)
	case (args[0] == "edit" || args[0] == "mend") && len(rest) == 2: // mend is an edit that the agent would not take
		if err := c.end(rest[0], broker.Decision{Verdict: broker.Allow, UpdatedInput: json.RawMessage(rest[1])}); (err == nil) != (args[0] == "edit") {
			ts.Fatalf("console %s %s: %v", args[0], rest[0], err)
		}
	default:
		ts.Fatalf("unknown: console %s", strings.Join(args, " "))
	}
}

// answerProposal says yes or no to the proposal that comes next, as the form does.
func (c *scriptConsole) answerProposal(yes bool) error {
	for range 1000 {
		list := c.broker.Proposals()
		if len(list) == 0 {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		p := list[0]
		if !yes {
			c.broker.AnswerProposal(p.ID, nil)
			return nil
		}
		ctx := context.Background()
		saved, err := c.broker.SaveRule(ctx, c.broker.Rules(ctx).GrantWith(p.Project, p.Effects), broker.Actor{Kind: broker.ByOperator})
		c.broker.AnswerProposal(p.ID, &saved)
		return err
	}
	return errors.New("nothing is proposed")
}

func (c *scriptConsole) open(ts *testscript.TestScript, args []string) error {
	opts := service.Options{}
	if len(args) > 0 {
		d, err := time.ParseDuration(args[0])
		if err != nil {
			return err
		}
		opts.ApprovalTimeout = d
	}
	home := ts.Getenv("AOCTL_HOME")
	opts.Socket = filepath.Join(home, "broker.sock")
	listener, err := api.Listen(opts.Socket)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	st, err := store.Open(ctx, filepath.Join(home, "aoctl.db"))
	if err != nil {
		cancel()
		return errors.Join(err, listener.Close())
	}
	b, err := service.New(ctx, st, opts)
	if err != nil {
		cancel()
		return errors.Join(err, listener.Close(), st.Close())
	}
	served := make(chan error, 1)
	go func() { served <- b.Serve(ctx, listener) }()
	c.broker = b
	c.close = func() {
		cancel()
		if err := errors.Join(<-served, b.Close(), st.Close()); err != nil {
			ts.Logf("close the console: %v", err)
		}
		if err := listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			ts.Logf("close the listener: %v", err)
		}
	}
	return nil
}

// listen opens the console's door over TCP and returns its port.
func (c *scriptConsole) listen(ts *testscript.TestScript) string {
	l, err := api.ListenTCP(context.Background(), "127.0.0.1:0")
	ts.Check(err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- c.broker.ServeTCP(ctx, l) }()
	closeAll := c.close
	c.close = func() {
		cancel()
		if err := <-served; err != nil {
			ts.Logf("close the port: %v", err)
		}
		closeAll()
	}
	return l.Addr()[strings.LastIndexByte(l.Addr(), ':')+1:]
}

// trust has the person trust a project's rules file as it was read last.
func (c *scriptConsole) trust(path string) error {
	for _, f := range c.broker.Rules(context.Background()).Files {
		if f.Path == path {
			return c.broker.TrustFile(context.Background(), path, f.Digest, broker.Actor{Kind: broker.ByOperator})
		}
	}
	return fmt.Errorf("the console has not read %s", path)
}

// offer prints the rules that the console would offer for a waiting call.
func (c *scriptConsole) offer(ts *testscript.TestScript, ref string) error {
	r, err := c.await(func(r broker.Request) bool {
		return r.State == broker.Pending && bytes.Contains(r.ToolInput, []byte(ref))
	})
	if err != nil {
		return fmt.Errorf("no call that fits %q came: %w", ref, err)
	}
	drafts, err := c.broker.Offer(context.Background(), r.ID)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(ts.Stdout(), "%d offered\n", len(drafts))
	for _, d := range drafts {
		_, err = fmt.Fprintf(ts.Stdout(), "%s %s %v\n", d.Decision, d.Tool, d.Where)
	}
	return err
}

func (c *scriptConsole) closeOnce() {
	if c.broker != nil {
		c.close()
		c.broker = nil
	}
}

func (c *scriptConsole) decide(ref string, v broker.Verdict, reason string) error {
	return c.end(ref, broker.Decision{Verdict: v, Reason: reason})
}

// waiting is the first call that fits ref, as soon as it waits.
func (c *scriptConsole) waiting(ref string) (broker.Request, error) {
	r, err := c.await(func(r broker.Request) bool {
		return r.State == broker.Pending &&
			(strings.HasPrefix(r.ID, ref) || r.ToolName == ref || bytes.Contains(r.ToolInput, []byte(ref)))
	})
	if err != nil {
		return r, fmt.Errorf("no call that fits %q came: %w", ref, err)
	}
	return r, nil
}

// putOff puts off the first call that fits ref.
func (c *scriptConsole) putOff(ref string) error {
	r, err := c.waiting(ref)
	if err == nil {
		_, err = c.broker.Defer(context.Background(), r.ID, broker.Actor{Kind: broker.ByOperator})
	}
	return err
}

// end decides the first call that fits ref as a person who sees it.
func (c *scriptConsole) end(ref string, d broker.Decision) error {
	r, err := c.waiting(ref)
	if err != nil {
		return err
	}
	d.By, d.Digest = broker.Actor{Kind: broker.ByOperator}, r.Digest
	_, err = c.broker.Decide(context.Background(), r.ID, d)
	return err
}

// await returns the first call, waiting already or still to come, that fits.
func (c *scriptConsole) await(fits func(broker.Request) bool) (broker.Request, error) {
	ctx, cancel := context.WithTimeout(context.Background(), waitTime)
	defer cancel()
	snapshot, updates := c.broker.Watch(ctx)
	for _, r := range snapshot.Requests {
		if fits(r) {
			return r, nil
		}
	}
	for u := range updates {
		if u.Request != nil && fits(*u.Request) {
			return *u.Request, nil
		}
	}
	return broker.Request{}, context.DeadlineExceeded
}

func (c *scriptConsole) allowAll() {
	snapshot, updates := c.broker.Watch(context.Background())
	allow := func(r broker.Request) {
		if r.State != broker.Pending {
			return
		}
		d := broker.Decision{Verdict: broker.Allow, By: broker.Actor{Kind: broker.ByOperator}, Digest: r.Digest}
		_, _ = c.broker.Decide(context.Background(), r.ID, d) // the script sees what became of it
	}
	for _, r := range snapshot.Requests {
		allow(r)
	}
	for u := range updates {
		if u.Request != nil {
			allow(*u.Request)
		}
	}
}

func (c *scriptConsole) stop(name string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	snapshot, _ := c.broker.Watch(ctx)
	for _, s := range snapshot.Sessions {
		if s.Name == name || s.ID == name {
			_, err := c.broker.Stop(ctx, s.ID, broker.Actor{Kind: broker.ByOperator})
			return err
		}
	}
	return fmt.Errorf("no session %q", name)
}

// cmdDemo runs agents of the demo against the script's own console.
func cmdDemo(ts *testscript.TestScript, neg bool, args []string) {
	c, ok := ts.Value(consoleKey{}).(*scriptConsole)
	if neg || !ok || len(args) == 0 {
		ts.Fatalf("usage: demo start NAME… | wait | end")
	}
	switch args[0] {
	case "start":
		for _, name := range args[1:] {
			ts.Check(c.startAgent(ts, name))
		}
		ts.Defer(func() { _ = c.endAgents(true) })
	case "wait":
		ts.Check(c.endAgents(false))
	case "end":
		ts.Check(c.endAgents(true))
	default:
		ts.Fatalf("unknown: demo %s", args[0])
	}
}

func (c *scriptConsole) startAgent(ts *testscript.TestScript, name string) error {
	a := &demoAgent{}
	a.cmd = exec.Command("aoctl", "demo-agent", name, "--folder", ts.MkAbs("demo"), "--pace", "0")
	a.cmd.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "AOCTL_SOCKET=/nowhere"}
	a.cmd.Stdout, a.cmd.Stderr = &a.out, &a.out
	var err error
	if a.stdin, err = a.cmd.StdinPipe(); err != nil {
		return err
	}
	if err = a.cmd.Start(); err != nil {
		return err
	}
	c.agents = append(c.agents, a)
	return nil
}

// endAgents waits for all agents, and tells them first that the demo is over.
func (c *scriptConsole) endAgents(over bool) error {
	var errs []error
	for _, a := range c.agents {
		if over {
			errs = append(errs, a.stdin.Close())
		}
		kill := time.AfterFunc(waitTime, func() { _ = a.cmd.Process.Kill() })
		if err := a.cmd.Wait(); err != nil {
			errs = append(errs, fmt.Errorf("demo agent: %w: %s", err, a.out.String()))
		}
		kill.Stop()
	}
	c.agents = nil
	return errors.Join(errs...)
}
