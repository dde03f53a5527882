package run

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/runner"
	"github.com/aoctl/aoctl/tui/safe"
)

// A runner in the background is this program once more, as "run-held": its spec is on its
// standard input, and on descriptor startedFD it says, once, how its start went. The spec
// is no argument, since it holds the agent's environment.
const (
	runDetached = "run-held"
	startedFD   = 3
)

// started is what a runner in the background says of its start, one JSON object on one
// line. Without an Error the session is held.
type started struct {
	SessionID string `json:"session_id"`
	PID       int    `json:"pid"`
	Log       string `json:"log"`
	Error     string `json:"error,omitempty"`
	Hint      string `json:"hint,omitempty"`
	Code      int    `json:"code,omitempty"` // to exit with
}

// startDetached runs s in the background. It returns once the console knows of the run and
// the agent's gate stands, or with the reason why not. Before that moment a call could run
// that nobody was asked about.
func startDetached(ctx context.Context, s spec, asJSON bool, stdout io.Writer) error {
	told, err := launchRun(ctx, s)
	if err != nil {
		return err
	}
	if asJSON {
		return show.Object(stdout, told)
	}
	_, err = fmt.Fprintln(stdout, told.SessionID)
	return err
}

// launchRun starts a runner in the background for s and waits until it holds the session.
// When ctx ends first, the runner is told to end.
func launchRun(ctx context.Context, s spec) (started, error) {
	// After an update this may be another program than the one that runs; both read the
	// same spec.
	self, err := os.Executable()
	if err != nil {
		return started{}, fmt.Errorf("find this program: %w", err)
	}
	spec, err := json.Marshal(s)
	if err != nil {
		return started{}, fmt.Errorf("write the run's settings: %w", err)
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		return started{}, fmt.Errorf("make a pipe: %w", err)
	}
	defer func() { _ = ours.Close() }()
	// No context here: the runner must outlive this process. AfterFunc below is for a start
	// that is given up.
	cmd := exec.Command(self, runDetached) //nolint:gosec,noctx // this program; it outlives us
	cmd.Stdin, cmd.ExtraFiles, cmd.Dir = bytes.NewReader(spec), []*os.File{theirs}, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	// Our copy has to go, or the end of the runner would not end the pipe.
	_ = theirs.Close()
	if err != nil {
		return started{}, fmt.Errorf("start a runner: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })()
	go func() { _ = cmd.Wait() }() // where we stay, no dead process does
	// The pipe ends when the runner does, so this cannot wait for ever on one that died.
	told, err := readStarted(ours)
	if err != nil {
		return told, exit.Error{Code: exit.Failed, Text: "the runner ended before it held the session", Hint: "its log may say why: " + s.Start.Log, Cause: err}
	}
	if told.Error != "" {
		return told, exit.Error{Code: told.Code, Text: told.Error, Hint: told.Hint}
	}
	return told, nil
}

// readStarted reads the one line. A runner that ends without it gives io.EOF.
func readStarted(r io.Reader) (started, error) {
	var told started
	line, err := bufio.NewReader(io.LimitReader(r, 64<<10)).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &told)
	}
	return told, err
}

// newDetachedCommand is the runner in the background. It is hidden; whoever types it is
// told what it is for.
func newDetachedCommand() *cobra.Command {
	return &cobra.Command{
		Use:     runDetached,
		Short:   "Hold a session in the background",
		Hidden:  true,
		Long:    "run-held is what aoctl run --detach leaves in the background. It reads what to run from standard input.",
		Example: "  aoctl run --detach -- claude \"fix the flaky test\"",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// The agent that is started must not hold the pipe open.
			syscall.CloseOnExec(startedFD)
			tell := os.NewFile(startedFD, "started")
			var s spec
			if err := json.NewDecoder(cmd.InOrStdin()).Decode(&s); err != nil || s.Start.SessionID == "" {
				return usage.Error{Text: "run-held is for aoctl run --detach", Hint: usage.HelpHint(cmd)}
			}
			return holdRun(s, tell)
		},
	}
}

// holdRun runs s, tells how its start went, and writes everything else into its log. It
// returns when the session has ended, and exits with 0 even then when that went badly:
// nobody waits for it.
func holdRun(s spec, tell *os.File) error {
	say := func(t started) {
		t.SessionID, t.PID, t.Log = s.Start.SessionID, os.Getpid(), s.Start.Log
		_ = show.Object(tell, t) // who started us may have left
		_ = tell.Close()
	}
	log, closeLog, err := openLog(s.Start.Log)
	if err != nil {
		say(startFailed(err))
		return err
	}
	defer closeLog()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The terminal that it was started from may close, and so may the pipe.
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	// Ready is called in the goroutine of Run, so this variable needs no lock.
	ready := false
	o := s.options()
	o.Log, o.Linger = log, lingerDetached
	o.Ready = func() { ready = true; say(started{}) }
	_, err = runner.Run(ctx, o)
	if err = explain(err, s.Socket); err != nil {
		log.Error("run failed", "err", err)
	}
	// A runner that ended before it was ready still owes its starter an answer.
	if !ready {
		if err == nil {
			err = exit.Error{Code: exit.Failed, Text: "the session was ended before its agent answered"}
		}
		say(startFailed(err))
	}
	return exit.QuietError(exit.OK)
}

// startFailed is err for who started us. The text may hold the agent's words, so it is made
// safe where package exit has not done it.
func startFailed(err error) started {
	f, ok := errors.AsType[exit.Error](err)
	if !ok {
		return started{Error: safe.Line(err.Error()), Code: exit.Failed}
	}
	return started{Error: f.Text, Hint: f.Hint, Code: f.Code}
}
