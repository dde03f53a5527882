package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/claude"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
	"github.com/aoctl/aoctl/broker/workspace"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// newExportCommand makes "rules export". Rules of a project's own file are not in it: they
// belong to the project and would hold everywhere after an import.
func newExportCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print the rules as a rules file",
		Long: `export prints the rules of the database as TOML, which import reads back. It leaves out
rules that have ended, unless you give --all.`,
		Example: "  aoctl rule export > rules.toml",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return state.WithRules(cmd.Context(), "", func(k *state.Rulebook) error {
				now := time.Now()
				// The clone keeps k.Own whole: DeleteFunc clears what it drops.
				list := slices.DeleteFunc(slices.Clone(k.Own), func(r rules.Rule) bool {
					return !all && (!r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt) || r.MaxUses > 0 && r.Uses >= r.MaxUses)
				})
				_, err := cmd.OutOrStdout().Write(rulesfile.Format(list))
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also rules that have ended")
	return cmd
}

// importOptions are the flags of "aoctl rule import".
type importOptions struct {
	project string
	dryRun  bool
	json    output.Format
}

// newImportCommand makes "rules import", from a rules file or from Claude Code's settings.
// A file of the name "claude" is read as ./claude.
func newImportCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import claude|FILE",
		Short: "Add the rules of a file, or of Claude Code's settings",
		Long: `import claude reads the permissions in Claude Code's settings: yours in
~/.claude/settings.json, and the project's .claude/settings.json and
settings.local.json. It leaves out and lists what no rule can say as narrowly.

import FILE reads a rules file as export writes it; "-" is standard input. It leaves a
rule alone whose id is known. Rules that allow need an operator token.`,
		Example: "  aoctl rule import claude --dry-run\n  aoctl rule import rules.toml",
		Args:    usage.OneArg(`"claude" or a rules file`),

		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []string{"claude"}, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := o.rules(cmd, args[0])
			if err != nil {
				return err
			}
			// A dry run needs no console, so it cannot tell what is known already and
			// prints all rules.
			if !o.dryRun {
				if list, err = newRules(cmd, list); err != nil {
					return err
				}
			}
			return addRules(cmd, list, o.dryRun, &o.json)
		},
	}
	cmd.Flags().StringVar(&o.project, "project", ".", "the project whose settings are read with claude")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only print what would be added")
	output.Flags[broker.SavedRule](cmd, &o.json, "print a JSON array")
	return cmd
}

// rules reads the rules of the argument. From Claude Code's settings it takes what can be
// said as narrowly here and tells the rest: a wider rule than the user wrote must not come
// of an import. The project's settings give rules for that project alone.
func (o importOptions) rules(cmd *cobra.Command, from string) ([]rules.Rule, error) {
	if from != "claude" {
		list, err := readFile(from)
		// Whoever writes "aoctl rule import settings" most likely means Claude Code's.
		if problem, ok := errors.AsType[usage.Error](err); ok && strings.HasPrefix(problem.Text, "cannot read") {
			problem.Hint = `name a rules file, or "claude" for the permissions in Claude Code's settings`
			return nil, problem
		}
		return list, err
	}
	project, err := filepath.Abs(o.project)
	if err != nil {
		return nil, fmt.Errorf("find the project: %w", err)
	}
	project = workspace.RealPath(project)
	home := workspace.UserHome()
	var list []rules.Rule
	found := false
	// A settings file that cannot be parsed ends the import before anything was added.
	for _, f := range []struct{ path, project string }{
		{filepath.Join(home, ".claude", "settings.json"), ""},
		{filepath.Join(project, ".claude", "settings.json"), project},
		{filepath.Join(project, ".claude", "settings.local.json"), project},
	} {
		data, err := os.ReadFile(f.path)
		if errors.Is(err, fs.ErrNotExist) || !filepath.IsAbs(f.path) { // without a home there are no settings in it
			continue
		}
		// A file that is there and cannot be read ends the import: its deny rules might be
		// the ones that matter.
		if err != nil {
			return nil, exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot read %s: %v", f.path, exit.RootCause(err)), Cause: err}
		}
		found = true
		some, skipped, err := claude.Import(data, f.project, home)
		if err != nil {
			return nil, usage.Error{Text: fmt.Sprintf("%s: %v", f.path, err), Hint: "nothing was added"}
		}
		// What is left out goes to stderr, one line each, so that a dry run's output stays
		// a rules file.
		for _, s := range skipped {
			fmt.Fprintln(cmd.ErrOrStderr(), "left out "+safe.Line(s.Text+" of "+f.path+": "+s.Why))
		}
		list = append(list, some...)
	}
	if !found {
		return nil, exit.Error{Code: exit.NotFound, Text: "there are no settings of Claude Code here", Hint: "name the project with --project"}
	}
	return list, nil
}

// newRules leaves out those that the console knows already: by id, or because another one
// says the same. So an import may be run again, and after one that was refused halfway.
func newRules(cmd *cobra.Command, list []rules.Rule) ([]rules.Rule, error) {
	c, err := client.New(cmd)
	if err != nil {
		return nil, err
	}
	have, err := ruleList(cmd.Context(), c)
	if err != nil {
		return nil, err
	}
	// Two rules say the same when they read the same in a file without what tells their
	// origin.
	says := func(r rules.Rule) string {
		r.ID, r.CreatedAt, r.UpdatedAt, r.CreatedBy, r.CreatedFrom = "", time.Time{}, time.Time{}, "", ""
		return string(rulesfile.Format([]rules.Rule{r}))
	}
	var fresh []rules.Rule
	for _, r := range list {
		known := slices.ContainsFunc(have, func(h rules.Rule) bool { return r.ID != "" && h.ID == r.ID || says(h) == says(r) })
		if known {
			fmt.Fprintln(cmd.ErrOrStderr(), "known already: "+safe.Line(string(r.Decision)+" "+show.Rule(r)))
			continue
		}
		fresh = append(fresh, r)
	}
	return fresh, nil
}
