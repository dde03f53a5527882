// Package trust has "aoctl trust": it says what agents may do in a project without asking.
//
// Alone it prints what is granted there, from the log and without a console. With effects it asks the
// running console to grant them. An agent can run this command as well as a person can. So it grants
// nothing by itself: the console shows the person at its keyboard what is asked for and by whom, and
// the command waits for the answer. With an operator token, as "aoctl rule add" takes it, the grant
// holds at once; the console looks at the token and at the process that shows it.
//
// While it waits it asks the console every second what became of it. When it is interrupted, or the
// console hears no more of it, nothing was granted and the console's line is gone.
//
// trust.go has the command, granted.go what is printed without effects.
package trust

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// askEvery is how often the console is asked what became of a proposal. It forgets one that nobody
// asks for.
const askEvery = time.Second

// options are the flags.
type options struct {
	project   string
	tokenFile string
	json      output.Format
}

// Commands are the commands of this family.
func Commands() []*cobra.Command { return []*cobra.Command{newCommand()} }

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "trust [EFFECTS]",
		Short: "Say what agents may do in a project without asking",
		Long: `trust lets agents do things in a project without a question. EFFECTS are some of
` + effects.Grantable.String() + `, with commas between them; they are added to what is
granted already:

` + meanings() + `
A call passes when all that it does is granted, and never when it is
dangerous or may do more. Without EFFECTS trust prints what is granted.

The person at the console's keyboard confirms it (p there) and trust waits for that. With
an operator token in AOCTL_TOKEN (in the console: r, then t) it holds at once. In the
console p on a call opens the same form.

With edit and check an agent can run what it writes, like auto-accept; everything beyond
the project still asks.`,
		Example: "  aoctl trust\n  aoctl trust look,check,commit\n  aoctl trust --project ~/src/shop look,edit,check",
		Args:    usage.AtMostOne("a list of effects, with commas between them"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return offers(begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := o.folder()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return printGranted(cmd, dir, &o.json)
			}
			want, err := parse(args[0])
			if err != nil {
				return err
			}
			return grant(cmd, dir, want, o)
		},
	}
	cmd.Flags().StringVar(&o.project, "project", "", "the project's folder; the current one when not given")
	_ = cmd.MarkFlagDirname("project")
	client.TokenFileFlag(cmd, &o.tokenFile)
	output.Flags[broker.Proposal](cmd, &o.json, "print a JSON object", "rules", "problem")
	return cmd
}

// meanings says what the effects mean, one a line.
func meanings() string {
	var b strings.Builder
	for _, e := range effects.Grantable.List() {
		fmt.Fprintf(&b, "  %-7s %s\n", e, e.Means())
	}
	return b.String()
}

// folder is the project's folder. One that does not exist is refused: a grant for a misspelled
// project would never speak.
func (o options) folder() (string, error) {
	if o.project == "" {
		dir, err := os.Getwd()
		if err != nil {
			return "", fmt.Errorf("find the current folder: %w", err)
		}
		return dir, nil
	}
	dir, err := filepath.Abs(o.project)
	if info, statErr := os.Stat(dir); err != nil || statErr != nil || !info.IsDir() {
		return "", usage.Error{Text: fmt.Sprintf("--project %s is not a folder", o.project), Hint: "name a folder that exists"}
	}
	return dir, nil
}

// parse reads effects that can be granted.
func parse(text string) (effects.Set, error) {
	hint := "there are " + effects.Grantable.String()
	want, err := effects.Parse(text)
	switch {
	case err != nil:
		return 0, usage.Error{Text: err.Error(), Hint: "what each of them means: aoctl trust --help"}
	case want == 0:
		return 0, usage.Error{Text: "no effect is named", Hint: hint}
	case !want.Within(effects.Grantable):
		return 0, usage.Error{Text: "nobody can grant " + (want &^ effects.Grantable).String() + " for a project", Hint: hint}
	}
	return want, nil
}

// offers completes the last name of a list that was begun.
func offers(begun string) (list []string) {
	head := begun[:strings.LastIndex(begun, ",")+1]
	have, _ := effects.Parse(head)
	for _, e := range effects.Grantable.List() {
		if !have.Has(e) && strings.HasPrefix(head+e.String(), begun) {
			list = append(list, cobra.CompletionWithDesc(head+e.String(), e.Means()))
		}
	}
	return list
}

// grant asks the console, and says what came of it.
func grant(cmd *cobra.Command, dir string, want effects.Set, o options) error {
	c, err := client.NewOperator(cmd, o.tokenFile)
	if err != nil {
		return err
	}
	var p broker.Proposal
	if err := c.Post(cmd.Context(), "/trust", map[string]any{"project": dir, "effects": want}, &p); err != nil {
		return err
	}
	if p.State == broker.Proposed {
		note := "waiting for the person at the console: p there shows what is asked for\n"
		_, _ = io.WriteString(cmd.ErrOrStderr(), note)
		if p, err = await(cmd.Context(), c, p); err != nil {
			return err
		}
	}
	if p.State != broker.ProposalGranted || p.Rule == nil {
		return exit.Error{Code: exit.Forbidden, Text: "declined at the console: nothing was granted"}
	}
	if o.json.On() {
		return o.json.Print(cmd.OutOrStdout(), p)
	}
	return printOutcome(cmd.OutOrStdout(), p)
}

// await asks for what became of p until it was answered.
func await(ctx context.Context, c *client.Client, p broker.Proposal) (broker.Proposal, error) {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for p.State == broker.Proposed {
		select {
		case <-ctx.Done():
			return p, exit.Error{Code: exit.Failed, Text: "interrupted: nothing was granted", Cause: ctx.Err()}
		case <-tick.C:
		}
		var now broker.Proposal
		if err := c.Get(ctx, "/trust/"+url.PathEscape(p.ID), nil, &now); err != nil {
			return p, err
		}
		p = now
	}
	return p, nil
}

// printOutcome says what holds now, and which waiting calls went on by it.
func printOutcome(out io.Writer, p broker.Proposal) error {
	r := p.Rule
	if err := show.Line(out, safe.Line(fmt.Sprintf("granted: in %s agents may %s (rule %s)", r.Scope.Project, r.Effects, r.ID))); err != nil {
		return err
	}
	for _, req := range p.Decided {
		if err := show.Line(out, safe.Line(fmt.Sprintf("  %s %s %s", req.State, req.ToolName, show.Call(req)))); err != nil {
			return err
		}
	}
	return nil
}
