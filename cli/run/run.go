package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient"
	"github.com/aoctl/aoctl/hookclient/runner"
	"github.com/aoctl/aoctl/tui/safe"
)

// options are the flags of "aoctl run", before they are checked.
type options struct {
	session  string
	resume   bool
	name     string
	cwd      string
	model    string
	maxTurns int
	detach   bool
	keep     bool
	json     bool
	timeout  time.Duration
}

// The help of "aoctl run". README and manual say the same in fewer words.
const long = `run starts an agent as a managed session: you answer its calls in the console, and
the console can also send it messages, interrupt it and end it. The session goes on
when you close the console; its calls then wait for the next console.

The words behind -- are the agent's own command line. The last one is the prompt,
unless it begins with "-" or is the value of the option before it; "-" reads the
prompt from standard input. run refuses options that it sets itself, and options
that begin or continue another session. It can run Claude Code; aoctl watches other
agents through their hooks (aoctl install).

In the foreground run prints the agent's words and calls. The session ends with its
turn, unless a message waits for it or you give --keep. ctrl+c ends the turn, a
second one the session. --detach leaves the session in the background, where it
takes messages until you stop it.

Exit code: 0 when the last turn went well, 1 when it did not, 3 when no console
is listening, and then run starts nothing.`

const example = `  aoctl run -- claude "fix the flaky test in cart_test.go"
  aoctl run --detach --name nightly -- claude --permission-mode plan "tidy up"
  git diff | aoctl run --json -- claude -
  aoctl run --resume --session-id $ID -- claude "and now the changelog"`

// newRunCommand declares "run".
func newRunCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     `run [flags] -- claude [args…] "prompt"`,
		Short:   "Run an agent that the console can also speak to",
		Long:    long,
		Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := o.spec(cmd, args)
			if err != nil {
				return err
			}
			err = o.begin(cmd, spec)
			// The environment was kept before the console was asked; without a session
			// nobody needs it.
			if f, ok := errors.AsType[exit.Error](err); ok && f.Code == exit.NoConsole { // nothing was started
				_ = os.Remove(envFileOf(spec.Start.Log, spec.Start.EnvSeal))
			}
			return err
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return []string{"claude"}, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // what follows the agent's name is the agent's
	f.StringVar(&o.session, "session-id", "", "UUID of the session (default: a new one)")
	f.BoolVar(&o.resume, "resume", false, "resume the session of --session-id, with the options that started it")
	f.StringVar(&o.name, "name", "", "a name for the session")
	f.StringVar(&o.cwd, "cwd", "", "folder to run in (default: this one)")
	f.StringVar(&o.model, "model", "", "the agent's model")
	f.IntVar(&o.maxTurns, "max-turns", 0, "end after this many turns of the model")
	f.BoolVar(&o.detach, "detach", false, "run in the background and print the session's id")
	f.BoolVar(&o.keep, "keep", false, "wait for messages when the turn is over")
	f.BoolVar(&o.json, "json", false, "print the agent's own messages, one JSON object a line; with --detach, where it runs")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute, "how long a person has to answer a call")
	_ = cmd.RegisterFlagCompletionFunc("session-id", completeSessionIDs)
	_ = cmd.MarkFlagDirname("cwd")
	return cmd
}

// begin runs s where the flags say.
func (o options) begin(cmd *cobra.Command, s spec) error {
	if o.detach {
		return startDetached(cmd.Context(), s, o.json, cmd.OutOrStdout())
	}
	console, err := client.New(cmd)
	if err != nil {
		return err
	}
	return runHere(s, console, o.json, cmd.OutOrStdout(), cmd.ErrOrStderr())
}

// completeSessionIDs offers the sessions that can be named: those that a runner has held.
// The flag takes whole ids, so names are only shown beside them.
func completeSessionIDs(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var offers []string
	client.Briefly(cmd, func(ctx context.Context, c *client.Client) {
		sessions, err := c.Sessions(ctx)
		if err != nil {
			return
		}
		for _, s := range sessions {
			if s.Run != nil {
				offers = usage.Offer(offers, s.ID, s.Name+", "+s.Word()+", "+s.CWD)
			}
		}
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// spec is one run, as it is handed to a runner in the background. The JSON stays between
// two processes of one release, so its names may change.
type spec struct {
	Start   wire.RunStart `json:"start"`
	Keep    bool          `json:"keep"`
	Socket  string        `json:"socket"`
	Timeout time.Duration `json:"timeout"`
	Env     []byte        `json:"env"` // the agent's, as joinEnv writes it: a value need not be UTF-8
}

// spec is what the command line asks for. It reads the prompt and keeps the environment, so
// what it returns can be run as it is. Mistakes of the command line come before the console
// is asked.
func (o options) spec(cmd *cobra.Command, args []string) (spec, error) {
	s := spec{Keep: o.keep || o.detach, Timeout: o.timeout}
	var err error
	if s.Socket, err = client.SocketPath(cmd); err != nil {
		return s, err
	}
	if err = o.check(); err != nil {
		return s, err
	}
	var old broker.Session
	if o.resume {
		if old, err = knownSession(cmd, o.session); err != nil {
			return s, err
		}
	}
	if s.Start, err = o.start(old); err != nil {
		return s, err
	}
	if err = o.agent(&s.Start, args, old, cmd.InOrStdin()); err != nil {
		return s, err
	}
	return s, s.withEnv(old.Run, len(args) > 0, os.Environ())
}

// check refuses flags that make no sense by themselves or together. A session's id must be
// a UUID in the form that uuid prints: it is part of a file's name and of a path of the
// API.
func (o options) check() error {
	bad := func(text, hint string) error { return usage.Error{Text: text, Hint: hint} }
	id, err := uuid.Parse(o.session)
	switch {
	case o.resume && o.session == "":
		return bad("--resume needs --session-id", `"aoctl sessions --all" lists them`)
	// A UUID that is written otherwise, in upper case say, would be another session's name
	// on disk.
	case o.session != "" && (err != nil || id.String() != o.session):
		return bad(fmt.Sprintf("--session-id %q is not a UUID", o.session), "leave it out to begin a new session")
	case o.maxTurns < 0:
		return bad("--max-turns must not be negative", "give a number such as 20, or leave it out")
	case o.timeout <= 0 || o.timeout > 24*time.Hour:
		return bad("--timeout must be more than 0 and at most 24h", "such as --timeout 10m")
	case o.keep && o.detach:
		return bad("--detach already keeps the session", "leave --keep out")
	}
	return nil
}

// start is what the flags say of the run, and for a session that is taken up again what is
// known of it. old is empty for a new session. A flag wins over what was known.
func (o options) start(old broker.Session) (wire.RunStart, error) {
	start := wire.RunStart{
		SessionID: o.session, Agent: "claude", Name: o.name, Model: o.model, MaxTurns: o.maxTurns,
		Resumed: o.resume, Detached: o.detach,
	}
	if start.SessionID == "" {
		start.SessionID = uuid.NewString()
	}
	dir := o.cwd
	if dir == "" {
		dir = old.CWD
	}
	var err error
	if start.CWD, err = filepath.Abs(dir); err != nil {
		return start, fmt.Errorf("find the folder: %w", err)
	}
	if info, err := os.Stat(start.CWD); err != nil || !info.IsDir() {
		return start, usage.Error{Text: fmt.Sprintf("there is no folder %s", start.CWD), Hint: "name one with --cwd"}
	}
	// The folder is made before anything is started: a run without a log starts nothing.
	state, err := logFolder()
	if err != nil {
		return start, err
	}
	start.Log = filepath.Join(state, start.SessionID+".log")
	if r := old.Run; r != nil {
		if start.Model == "" {
			start.Model = r.Model
		}
		if start.MaxTurns == 0 {
			start.MaxTurns = r.MaxTurns
		}
	}
	return start, nil
}

// agent fills in program, arguments and prompt. A session that is resumed without naming an
// agent gets what it was started with, from the record, and needs no prompt.
func (o options) agent(start *wire.RunStart, args []string, old broker.Session, stdin io.Reader) error {
	if len(args) == 0 && old.Run != nil && old.Run.Program != "" {
		start.Program, start.Args = old.Run.Program, old.Run.Args
		return nil
	}
	if len(args) == 0 {
		return usage.Error{Text: "which agent shall be run?", Hint: `aoctl run -- claude "fix the flaky test"`}
	}
	var err error
	if start.Program, err = managedProgram(args[0]); err != nil {
		return err
	}
	if start.Args, start.Prompt, err = splitPrompt(args[1:]); err != nil {
		return err
	}
	if start.Prompt == "-" {
		if start.Prompt, err = readPrompt(stdin); err != nil {
			return err
		}
	}
	if start.Prompt == "" && !o.resume {
		return usage.Error{Text: "the prompt is missing", Hint: `it is the last argument: aoctl run -- claude "fix the flaky test"`}
	}
	return nil
}

// knownSession is what the console knows of a session that is to be taken up again. One
// that it does not know is empty and no error.
func knownSession(cmd *cobra.Command, id string) (broker.Session, error) {
	c, err := client.New(cmd)
	if err != nil {
		return broker.Session{}, err
	}
	var s client.Session
	err = c.Get(cmd.Context(), "/sessions/"+id, nil, &s)
	if client.Code(err) == "not_found" {
		return broker.Session{}, nil // the agent may know it all the same
	}
	return s.Session, err
}

// explain is err of a runner as a person reads it, with its exit code; nil stays nil.
func explain(err error, socket string) error {
	var status *hookclient.StatusError
	var ended *runner.EndError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &status):
		return statusFailure(status)
	case errors.As(err, &ended):
		return exit.Error{Code: exit.Failed, Text: safe.Line(ended.Why), Cause: err} // the agent's own words may be in it
	case errors.Is(err, hookclient.ErrNoConsole):
		return client.NoConsole(socket, err)
	case errors.Is(err, hookclient.ErrSilent):
		return exit.Error{Code: exit.NoConsole, Text: err.Error(), Cause: err}
	}
	return exit.Error{Code: exit.Failed, Text: err.Error(), Cause: err}
}

// statusFailure is a refusal of the console, put into words as package client does for its
// own. A path that is not there means that the console does not know managed sessions.
func statusFailure(s *hookclient.StatusError) error {
	raw, err := json.Marshal(map[string]client.APIError{"error": {Code: s.Code, Message: s.Message, Hint: s.Hint}})
	if err != nil {
		return s
	}
	if s.Status == http.StatusNotFound {
		return exit.Error{Code: exit.Failed, Text: s.Message, Hint: "is the console of an earlier release? compare with: aoctl version", Cause: s}
	}
	return client.ReadError(s.Status, raw)
}
