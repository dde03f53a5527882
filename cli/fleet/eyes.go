package fleet

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// watched is a project as four-eyes prints it.
type watched struct {
	Project string `json:"project"`
}

func newEyesCommand() *cobra.Command {
	var format output.Format
	var off bool
	cmd := &cobra.Command{
		Use:   "four-eyes [PROJECT]...",
		Short: "Have dangerous calls of a project need two operators",
		Long: `four-eyes lists the projects whose dangerous calls need two operators. With PROJECT an owner
adds to that list, or with --off takes from it. Such a call runs once two different people
have allowed it, and no rule allows it; anybody may deny it.

PROJECT is a name, which is any folder that is called so and all below it, on every
machine; a path, which is the folder there; or '*' for all projects. Machines that a
server reaches go by the new list at once.`,
		Example: "  aoctl fleet four-eyes\n  aoctl fleet four-eyes payments /srv/infra\n  aoctl fleet four-eyes payments --off",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case off && len(args) == 0:
				return usage.Error{Text: "--off takes projects from the list: name them", Hint: "aoctl fleet four-eyes shows the list"}
			case format.On() && len(args) > 0:
				return usage.Error{Text: "--json is for the list", Hint: usage.HelpHint(cmd)}
			}
			return nil
		},
		ValidArgsFunction: completeWatched,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := projects(args)
			if err != nil {
				return err
			}
			me, err := member.Load()
			if err != nil {
				return err
			}
			line, err := me.Reach(cmd.Context())
			if err != nil {
				return err
			}
			defer line.Close()
			if len(list) == 0 {
				return printWatched(cmd, me, &format)
			}
			err = me.Change(cmd.Context(), line, func(r *members.Roster) error {
				if off {
					return unwatch(r, list)
				}
				return watch(r, list)
			})
			if err != nil {
				return err
			}
			return printWatched(cmd, me, &format)
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "take the projects from the list")
	output.Flags[watched](cmd, &format, "print a JSON array of the projects")
	return cmd
}

func completeWatched(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	me, err := member.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return me.Roster().FourEyes, cobra.ShellCompDirectiveDefault
}

// projects are the arguments as a roster names them: what has a slash is a path.
func projects(args []string) (list []string, err error) {
	for _, p := range args {
		if strings.Contains(p, "/") || p == "." || p == ".." {
			if p, err = filepath.Abs(p); err != nil {
				return nil, err
			}
		}
		if err := members.CheckProject(p); err != nil {
			return nil, usage.Error{Text: err.Error(), Hint: "give the name of its folder, a path, or '*' for all"}
		}
		list = append(list, p)
	}
	return list, nil
}

// leastOperators is how many must be there, so that somebody can allow.
const leastOperators = 2

func watch(r *members.Roster, list []string) error {
	if n := len(r.Operators()); n < leastOperators {
		return exit.Error{Code: exit.Failed, Text: "nobody could allow anything: the fleet has one person who may allow", Hint: "invite another one first: aoctl fleet invite --role operator"}
	}
	r.FourEyes = slices.Clone(r.FourEyes)
	for _, p := range list {
		if !slices.Contains(r.FourEyes, p) {
			r.FourEyes = append(r.FourEyes, p)
		}
	}
	slices.Sort(r.FourEyes)
	if err := r.Check(); errors.Is(err, members.ErrRoster) {
		return exit.Error{Code: exit.Failed, Text: err.Error(), Hint: "take others from the list first: --off", Cause: err}
	}
	return nil
}

func unwatch(r *members.Roster, list []string) error {
	r.FourEyes = slices.Clone(r.FourEyes)
	for _, p := range list {
		i := slices.Index(r.FourEyes, p)
		if i < 0 {
			return exit.Error{Code: exit.NotFound, Text: fmt.Sprintf("%q is not on the list", p), Hint: "aoctl fleet four-eyes shows it"}
		}
		r.FourEyes = slices.Delete(r.FourEyes, i, i+1)
	}
	return nil
}

func printWatched(cmd *cobra.Command, me *member.Me, format *output.Format) error {
	r := me.Roster()
	if format.On() {
		list := make([]watched, 0, len(r.FourEyes))
		for _, p := range r.FourEyes {
			list = append(list, watched{p})
		}
		return format.Print(cmd.OutOrStdout(), list)
	}
	if len(r.FourEyes) == 0 {
		return show.Line(cmd.OutOrStdout(), "One operator may allow every call.")
	}
	var text strings.Builder
	text.WriteString("Dangerous calls of these projects need two operators:")
	for _, p := range r.FourEyes {
		text.WriteString("\n  " + safe.Line(p))
	}
	return show.Line(cmd.OutOrStdout(), text.String())
}
