package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	_ "github.com/mattn/go-sqlite3" // the driver of cmdSQL
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store"
)

// waitTime is how long a script waits for a condition before it fails.
const waitTime = 20 * time.Second

// scriptCommands are the commands that scripts have beside testscript's own:
//
//	exits CODE PROGRAM ARG…      run a program, which must exit with CODE
//	bigfile NAME BYTES           write a hook payload of about that size
//	console open [TIMEOUT]       open a console in this process, with a person at it
//	console allow|deny REF WORD… the person decides the waiting call that REF fits (id, tool, or text in the input)
//	console stop SESSION         the person stops a session, by name
//	console allowall             the person allows everything from now on
//	console close
//	waitfor console              something answers on the socket
//	waitfor pending N            so many calls wait
//	waitfor session NAME STATUS  a session of that name has that status
//	waitfor text FILE TEXT       the file holds the text
//	api METHOD PATH BODY         call the console's API; prints status and answer
//	envfile NAME FILE            set a variable to the first line of a file
//	harmless FILE                the file holds nothing that acts on a terminal or hides there
//	demo start NAME…             start agents of the demo below ./demo
//	demo wait                    wait until they have all ended by themselves
//	demo end                     end the demo under them, and wait
//	sql FILE STATEMENT           change a database behind aoctl's back
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":    cmdExits,
	"bigfile":  cmdBigfile,
	"console":  cmdConsole,
	"waitfor":  cmdWaitfor,
	"api":      cmdAPI,
	"demo":     cmdDemo,
	"envfile":  cmdEnvfile,
	"harmless": cmdHarmless,
	"sql":      cmdSQL,
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func cmdBigfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bigfile NAME BYTES")
	}
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := `{"session_id":"s-big","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"toolu_big","tool_input":{"command":"` +
		strings.Repeat("x", size) + `"}}`
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// consoleKey finds a script's console among its values.
type consoleKey struct{}

// scriptConsole is a console without a screen: the real broker on the real store,
// decided by the script in place of a person at the keys.
type scriptConsole struct {
	broker *broker.Broker
	close  func()
	agents []*demoAgent
	screen any // the program at a terminal, where a platform has them
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
		ts.Fatalf("usage: console open|close|allow|deny|stop|allowall …")
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
	case args[0] == "stop" && len(rest) == 1:
		ts.Check(c.stop(rest[0]))
	case (args[0] == "allow" || args[0] == "deny") && len(rest) > 0:
		ts.Check(c.decide(rest[0], broker.Verdict(args[0]), strings.Join(rest[1:], " ")))
	default:
		ts.Fatalf("unknown: console %s", strings.Join(args, " "))
	}
}

func (c *scriptConsole) open(ts *testscript.TestScript, args []string) error {
	opts := broker.Options{}
	if len(args) > 0 {
		d, err := time.ParseDuration(args[0])
		if err != nil {
			return err
		}
		opts.ApprovalTimeout = d
	}
	home := ts.Getenv("AOCTL_HOME")
	opts.Socket = filepath.Join(home, "broker.sock")
	listener, err := broker.Listen(opts.Socket)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	st, err := store.Open(ctx, filepath.Join(home, "aoctl.db"))
	if err != nil {
		cancel()
		return errors.Join(err, listener.Close())
	}
	b, err := broker.New(ctx, st, opts)
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

func (c *scriptConsole) closeOnce() {
	if c.broker != nil {
		c.close()
		c.broker = nil
	}
}

func (c *scriptConsole) decide(ref string, v broker.Verdict, reason string) error {
	r, err := c.await(func(r broker.Request) bool {
		return r.State == broker.Pending &&
			(strings.HasPrefix(r.ID, ref) || r.ToolName == ref || bytes.Contains(r.ToolInput, []byte(ref)))
	})
	if err != nil {
		return fmt.Errorf("no call that fits %q came: %w", ref, err)
	}
	_, err = c.broker.Decide(context.Background(), r.ID, broker.Decision{
		Verdict: v, By: broker.Actor{Kind: broker.ByOperator}, Reason: reason, Digest: r.Digest,
	})
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

func cmdWaitfor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: waitfor console | pending N | session NAME STATUS | text FILE TEXT")
	}
	api := newScriptAPI(ts.Getenv("AOCTL_HOME"))
	var met func() bool
	var last string
	switch {
	case args[0] == "console" && len(args) == 1:
		met = func() bool { return api.get("/sessions", &[]broker.Session{}) == nil }
	case args[0] == "pending" && len(args) == 2:
		met = func() bool { return api.pendingIs(args[1]) }
	case args[0] == "session" && len(args) == 3:
		met = func() bool {
			var sessions []broker.Session
			err := api.get("/sessions", &sessions)
			last = fmt.Sprintf("%+v, %v", sessions, err)
			return err == nil && hasSession(sessions, args[1], args[2])
		}
	case args[0] == "text" && len(args) == 3:
		met = func() bool {
			text, err := os.ReadFile(ts.MkAbs(args[1]))
			last = fmt.Sprintf("%s, %v", text, err)
			return err == nil && bytes.Contains(text, []byte(args[2]))
		}
	default:
		ts.Fatalf("unknown: waitfor %s", strings.Join(args, " "))
	}
	if !eventually(met) {
		ts.Fatalf("waited %v for %s; last seen: %s", waitTime, strings.Join(args, " "), last)
	}
}

func hasSession(sessions []broker.Session, name, status string) bool {
	for _, s := range sessions {
		if (s.Name == name || s.ID == name) && s.Status() == status {
			return true
		}
	}
	return false
}

// eventually reports whether met became true within waitTime.
func eventually(met func() bool) bool {
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	deadline := time.After(waitTime)
	for !met() {
		select {
		case <-poll.C:
		case <-deadline:
			return false
		}
	}
	return true
}

// scriptAPI reads a console's lists, over its socket.
type scriptAPI struct{ http *http.Client }

func newScriptAPI(home string) scriptAPI {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", filepath.Join(home, "broker.sock"))
	}
	return scriptAPI{&http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}, Timeout: waitTime}}
}

func (a scriptAPI) get(path string, into any) error {
	resp, err := a.http.Get("http://aoctl" + path)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// cmdAPI is what any program of the user can send.
func cmdAPI(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: api METHOD PATH [BODY]")
	}
	req, err := http.NewRequest(args[0], "http://aoctl"+args[1], strings.NewReader(strings.Join(args[2:], "")))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := newScriptAPI(ts.Getenv("AOCTL_HOME")).http.Do(req)
	ts.Check(err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%d %s", resp.StatusCode, body)
	ts.Check(err)
}

// cmdSQL changes a database the way an attacker with a SQLite shell would.
func cmdSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql FILE STATEMENT")
	}
	db, err := sql.Open("sqlite3", "file:"+ts.MkAbs(args[0])+"?_busy_timeout=5000")
	ts.Check(err)
	defer func() { _ = db.Close() }()
	_, err = db.Exec(args[1])
	ts.Check(err)
}

func cmdEnvfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: envfile NAME FILE")
	}
	line, _, _ := strings.Cut(ts.ReadFile(args[1]), "\n")
	ts.Setenv(args[0], line)
}

func cmdHarmless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: harmless FILE")
	}
	text := ts.ReadFile(args[0])
	if text == "" {
		ts.Fatalf("%s is empty", args[0])
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 || r != '\n' && !unicode.IsPrint(r) {
			ts.Fatalf("byte %d begins %q", i, text[i:min(len(text), i+20)])
		}
		i += size
	}
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

// pendingIs reports whether so many calls wait.
func (a scriptAPI) pendingIs(n string) bool {
	var waiting []broker.Request
	err := a.get("/approval-requests?status=pending", &waiting)
	return err == nil && strconv.Itoa(len(waiting)) == n
}
