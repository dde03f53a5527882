// Package mcp has "aoctl mcp": a server of the Model Context Protocol over standard input and
// output, so that programs which speak it have the operator of the console behind them.
//
// It has two tools. approve asks whether a call may run; its arguments and its answer are those of
// Claude Code's --permission-prompt-tool. ask_user puts questions to the operator, in the form of
// Claude Code's AskUserQuestion, and returns the answers.
//
// A tool call passes through here in this order: server.go takes it from its line, with protocol.go,
// approve.go or ask_user.go reads its arguments strictly, asker.go asks the console as any other
// program does, through package hookclient, and the tool puts the decision into its own form. The
// console judges the call by the rules, shows it and records what was decided.
//
// Nothing is allowed here. Whatever goes wrong is a refusal with one sentence that says why: no
// console, one that went away, a time that ran out, arguments that are not understood. When the
// client cancels its call, closes standard input or ends this process, the question is taken back,
// and nobody can answer it any more.
//
// The protocol is spoken here without its official library. That one costs every "aoctl hook" some
// of its start, because what it links is made ready before the hook can run; tests hold the server
// to the library's own client.
//
// The server is an ordinary process of the user and has no operator's token. Standard output
// carries the protocol and nothing else; what is worth a note goes to standard error.
package mcp

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// usualTimeout is how long the operator has for an answer when the client's user says nothing.
const usualTimeout = 10 * time.Minute

// options are the flags.
type options struct {
	session string
	agent   string
	timeout time.Duration
}

// Commands are the commands of this family.
func Commands() []*cobra.Command { return []*cobra.Command{newCommand()} }

// newCommand declares "mcp".
func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let MCP clients ask the operator (clients run this)",
		Long: `mcp is an MCP server over standard input and output. An MCP client starts it; its
tools ask at the console and wait for the operator:

  approve    may this call run? For Claude Code's --permission-prompt-tool
  ask_user   puts questions to the operator and returns the answers

Whatever goes wrong refuses the call and says why. The server itself allows
nothing.

In .mcp.json of a project, or in a file for --mcp-config:

  {"mcpServers": {"aoctl": {"command": "aoctl", "args": ["mcp"]}}}`,
		Example: `  claude mcp add aoctl -- aoctl mcp
  claude -p 'run the tests' --permission-prompt-tool mcp__aoctl__approve
  aoctl mcp --session nightly --agent deploy-bot --timeout 30m`,
		Args: usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if term.IsTerminal(os.Stdin.Fd()) {
				return usage.Error{
					Text: "an MCP client starts mcp and speaks to it over standard input, which is a terminal here",
					Hint: "register it: claude mcp add aoctl -- aoctl mcp",
				}
			}
			a, err := newAsker(cmd, o)
			if err != nil {
				return err
			}
			signal.Ignore(syscall.SIGPIPE) // a client that left must not end this before its questions are taken back
			return serve(cmd.Context(), a, os.Stdin, os.Stdout)
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "id of the session that the calls belong to (default: the agent's own session, else a new one)")
	cmd.Flags().StringVar(&o.agent, "agent", "", "who asks, as the console shows it (default: the agent that started this, else mcp)")
	cmd.Flags().DurationVar(&o.timeout, "timeout", usualTimeout, "how long the operator has for an answer")
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(profile.Names(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return cmd
}

// check refuses what the console would refuse of every call, before the first one comes.
func (o options) check() error {
	if o.timeout <= 0 || o.timeout > broker.MaxTimeout {
		return usage.Error{Text: fmt.Sprintf("a timeout of %v is out of range", o.timeout), Hint: "give --timeout above 0 and up to 24h"}
	}
	for flag, value := range map[string]string{"session": o.session, "agent": o.agent} {
		if broker.CheckName(flag, value) != nil {
			return usage.Error{
				Text: fmt.Sprintf("--%s is too long or has characters that cannot be shown", flag),
				Hint: fmt.Sprintf("give up to %d bytes of plain text", broker.MaxName),
			}
		}
	}
	return nil
}

// newAsker is who asks for this process: the flags come before what the environment says.
func newAsker(cmd *cobra.Command, o options) (*asker, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, exit.Error{Code: exit.Failed, Text: fmt.Sprintf("the working folder cannot be told: %v", exit.RootCause(err)), Hint: "start mcp in a folder that is there", Cause: err}
	}
	a := &asker{
		identity: identify(os.Getenv), cwd: dir, timeout: o.timeout, progressEvery: progressEvery,
		log: slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil)),
	}
	if o.session != "" {
		a.session, a.own, a.found = o.session, false, false
	}
	a.agent = cmp.Or(o.agent, a.agent)
	// Without the flag hookclient looks for the console, which may also be one over TCP.
	if socket, err := cmd.Flags().GetString("socket"); err == nil && socket != "" {
		if a.socket, err = filepath.Abs(socket); err != nil {
			return nil, exit.Error{Code: exit.Failed, Text: err.Error(), Cause: err}
		}
	}
	return a, nil
}
