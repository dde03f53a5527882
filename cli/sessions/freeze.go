package sessions

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// freezeOptions are the argument and the flags of freeze and unfreeze. session is ""
// when everything is meant.
type freezeOptions struct {
	session   string // as client.FindSession understands it; empty for everything
	tokenFile string // unfreeze
	here      bool   // freeze: this machine alone
	json      output.Format
}

// newFreezeCommand declares "freeze". It has no --token-file: whoever wants agents to
// hold must not be kept from it by a token.
func newFreezeCommand() *cobra.Command {
	var o freezeOptions
	cmd := &cobra.Command{
		Use:   "freeze [SESSION]",
		Short: "Hold every agent, or one session's, at its next call",
		Long: `freeze holds every agent at its next call, or with SESSION that session's. Nothing is
refused and nothing ends: calls wait, whatever the rules say, and what waits already
cannot be allowed. A call's deadline still runs, and a stop still refuses.

Without SESSION it reaches every machine of your fleet, where you are in one: this
machine first, then the others. It says which confirmed, and which are out of reach and
freeze when they are back; the exit code is then 7. --here keeps to this machine.

It outlasts the console. Any program of yours may freeze; to unfreeze takes f in the
console, or an operator token (aoctl unfreeze).`,
		Example:           "  aoctl session freeze\n  aoctl session freeze api-server\n  aoctl session freeze --json | jq .held",
		ValidArgsFunction: client.CompleteSessions,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.here && len(args) > 0 {
				return usage.Error{Text: "give a session or --here, not both: a session is on this machine", Hint: usage.HelpHint(cmd)}
			}
			return usage.AtMostOne("a session")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !o.here && inFleet() {
				return freezeFleet(cmd, o)
			}
			return switchFreeze(cmd, args, o, true)
		},
	}
	cmd.Flags().BoolVar(&o.here, "here", false, "hold this machine's agents alone, not those of the whole fleet")
	output.Flags[freezing](cmd, &o.json, "print a JSON object")
	return cmd
}

// newUnfreezeCommand declares "unfreeze". What was held is judged anew then, so it may
// let calls run.
func newUnfreezeCommand() *cobra.Command {
	var o freezeOptions
	cmd := &cobra.Command{
		Use:   "unfreeze [SESSION]",
		Short: "Lift a freeze, with an operator token",
		Long: `unfreeze lifts the freeze of everything, or with SESSION that of one session. What was
held is then judged by the rules as if it came now; what they leave open waits for you.

It keeps to this machine. Where the whole fleet is frozen, f lifts that in the console
of all machines (aoctl --fleet).

It takes an operator token, which only the console makes (r, then t), in the environment
or in a file; a process of an agent is refused, token or not. In the console it is f, or
F on a session.`,
		Example:           "  AOCTL_TOKEN=aoctl_op_… aoctl session unfreeze\n  aoctl session unfreeze api-server --token-file ~/.aoctl-token",
		ValidArgsFunction: client.CompleteSessions,
		Args:              usage.AtMostOne("a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return switchFreeze(cmd, args, o, false)
		},
	}
	client.TokenFileFlag(cmd, &o.tokenFile)
	output.Flags[freezing](cmd, &o.json, "print a JSON object")
	return cmd
}

// switchFreeze is what both commands do; on says which of them. The token is taken
// from the flag or the environment; a freeze sends none.
func switchFreeze(cmd *cobra.Command, args []string, o freezeOptions, on bool) error {
	c, err := client.NewOperator(cmd, o.tokenFile)
	if err != nil {
		return err
	}
	if on {
		c.Token = "" // not needed, and one that is wrong must not keep anybody from freezing
	}
	if len(args) > 0 {
		o.session = args[0]
	}
	return freezeSessions(cmd.Context(), c, o, on, cmd.OutOrStdout())
}

// freezing is what holds, as the console answers. Sessions counts those that are
// frozen by themselves, Held the calls that a freeze keeps from being allowed. The
// names, but for id, are the console's own, and a promise to scripts.
type freezing struct {
	ID        string `json:"id"` // of the session, empty for everything; the console calls it session_id
	SessionID string `json:"session_id"`
	Frozen    bool   `json:"frozen"`
	FrozenAll bool   `json:"frozen_all"`
	Sessions  int    `json:"sessions"`
	Held      int    `json:"held"`

	Machines []onMachine `json:"machines,omitempty"` // the fleet's others
}

// freezeSessions freezes or unfreezes one session, or everything when none is named.
// Ended sessions can be named: one that is resumed is still frozen. Freezing twice is
// no error. The sentence is made from the answer and not from what was asked: another
// freeze may hold as well.
//
// The answer counts what is held now. Calls that come later are held too and counted
// by the next answer.
func freezeSessions(ctx context.Context, c *client.Client, o freezeOptions, on bool, out io.Writer) error {
	now, s, err := askFreeze(ctx, c, o, on)
	if err != nil {
		return err
	}
	if o.json.On() {
		return o.json.Print(out, now)
	}
	return show.Line(out, safe.Line(now.sentence(s, on)))
}

// freezeFleet freezes everything on this machine, and then on the fleet's others.
func freezeFleet(cmd *cobra.Command, o freezeOptions) error {
	out := cmd.OutOrStdout()
	var now freezing
	c, err := client.New(cmd)
	if err == nil {
		now, _, err = askFreeze(cmd.Context(), c, o, true)
	}
	if err == nil && !o.json.On() {
		if err := show.Line(out, safe.Line(now.sentence(client.Named{}, true))); err != nil {
			return err
		}
	}
	return everywhere(cmd, freezeOrder, err, func(list []onMachine) error {
		if !o.json.On() {
			return printOthers(out, list, freezeOrder)
		}
		now.Machines = list
		return o.json.Print(out, now)
	})
}

// askFreeze has the console freeze or unfreeze, and returns what holds now and the session that is meant.
func askFreeze(ctx context.Context, c *client.Client, o freezeOptions, on bool) (freezing, client.Named, error) {
	var s client.Named
	if o.session != "" {
		var err error
		if s, err = c.Session(ctx, o.session, client.Recorded...); err != nil {
			return freezing{}, s, err
		}
	}
	path := "/unfreeze"
	if on {
		path = "/freeze"
	}
	var now freezing
	err := c.Post(ctx, path, map[string]string{"session_id": s.ID}, &now)
	now.ID = now.SessionID
	return now, s, err
}

// sentence says what holds now. Lifting the freeze of one session, or of all, may
// leave another freeze in force, and then it says so. The session's name in it is an
// agent's word, so the caller makes the sentence safe. on says which command it was.
// Lifting what was not frozen reads like lifting what was.
func (f freezing) sentence(s client.Named, on bool) string {
	who := "everything"
	if s.ID != "" {
		who = s.Label
	}
	switch {
	case on && f.Held > 0:
		return who + ": frozen, holding " + figures.Plural(f.Held, "call")
	case on:
		return who + ": frozen"
	case f.Frozen:
		return who + ": still frozen, since everything is"
	case s.ID == "" && f.Sessions > 0:
		return who + ": no longer frozen, but for " + figures.Plural(f.Sessions, "session") + " frozen by themselves"
	}
	return who + ": no longer frozen"
}
