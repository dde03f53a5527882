package rules

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// long is the help of the noun. It says what a reader of every other command here has to
// know.
const long = `Rules say in advance which calls may run, which must not, and which a person answers.
A deny that matches always wins. Otherwise the rule with the lowest priority number
decides, ask before allow. A call that no rule matches waits for a person. Rules look
at each part of a command line, and every part must be allowed. docs/rules.md describes
the whole language.

list, show, explain, test, suggest and export read the database, with or without a
console. The others talk to the running console. Rules that allow, and changes to
rules that refuse, need an operator token (in the console: r, then t) in AOCTL_TOKEN.`

// newRulesCommand makes the noun "rule", with the old name "rules" beside it. The commands
// stand in the order in which a newcomer needs them: look, add, try, change.
func newRulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "rule",
		Aliases: []string{"rules"},
		Short:   "list | add | test | suggest | explain | import | …",
		Long:    long,
		Example: "  aoctl rule list\n  aoctl rule explain 'npm run test && git push'\n  aoctl rule add --deny 'git push --force *' --reason 'push without force'\n  aoctl rule suggest",
	}
	return usage.Noun(cmd,
		newListCommand(), newShowCommand(), newAddCommand(), newTestCommand(), newSuggestCommand(), newExplainCommand(),
		newImportCommand(), newExportCommand(), newEditCommand(), newMoveCommand(), newEnableCommand(true),
		newEnableCommand(false), newRemoveCommand(),
	)
}

// newListCommand makes "rules list". It reads the database, so it also shows what will hold
// when a console starts.
func newListCommand() *cobra.Command {
	var as output.Format
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the rules: the first match decides, any deny wins",
		Long: `list shows the rules of the database, those in the .aoctl/rules.toml of the current
folder, and the built-in grant to look, which a rule "ask look" switches off. HITS counts the calls that a rule helped to decide.`,
		Example: "  aoctl rule list\n  aoctl rule list --json | jq -r '.[]|select(.uses == 0 and .source == null).id'",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return state.WithRules(cmd.Context(), "", func(k *state.Rulebook) error {
				if as.On() {
					return as.Print(cmd.OutOrStdout(), append(slices.Clone(k.All), rules.LookGrant()))
				}
				return listRules(k, cmd.OutOrStdout(), time.Now())
			})
		},
	}
	output.Flags[rules.Rule](cmd, &as, "print a JSON array")
	return cmd
}

// listRules prints the rules in the order in which they decide. A problem comes first: with
// a log that does not verify, no rule allows anything, whatever the list says. k.All is in
// that order already.
func listRules(k *state.Rulebook, out io.Writer, now time.Time) error {
	if k.Problem != "" {
		if err := show.Line(out, "! "+safe.Line(k.Problem)); err != nil {
			return err
		}
	}
	if len(k.All) == 0 {
		if err := show.Line(out, `There are no rules of your own. Press A on a call in the console, or see "aoctl rules add --help".`); err != nil {
			return err
		}
	}
	ids := make([]string, len(k.All))
	for i, r := range k.All {
		ids[i] = r.ID
	}
	short := shortIDs(ids)
	// What a narrow window leaves out first is what helps to clean up; what a rule does and
	// where stays longest.
	t := &show.Table{Head: []string{"ID", "PRIO", "DECISION", "RULE", "SCOPE", "ENDS", "HITS", "LAST", "NOTE"}, Spare: []string{"LAST", "HITS", "PRIO", "NOTE", "SCOPE", "ENDS"}}
	for _, r := range k.All {
		t.Add(short[r.ID], fmt.Sprint(r.Priority), string(r.Decision), show.Rule(r), show.Scope(r.Scope), endText(r, now), fmt.Sprint(r.Uses), lastText(r, now), noteText(r, now))
	}
	// Its uses are not counted, and it comes last: any other rule stands above it.
	look := rules.LookGrant()
	t.AddDim(look.ID, "", string(look.Decision), show.Rule(look), show.Scope(look.Scope), "never", "", "", look.Source)
	return t.Print(out)
}

// shortIDs are the ends of ids that aoctl gave. Names of rules that are built in, or stand in
// a project's file, are not cut.
func shortIDs(ids []string) map[string]string {
	short := show.IDEnds(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return uuid.Validate(id) != nil }))
	for _, id := range ids {
		short[id] = cmp.Or(short[id], id)
	}
	return short
}

// endText says how long a rule will speak: a time, a number of uses, both, or "never" for
// one that never ends.
func endText(r rules.Rule, now time.Time) string {
	var parts []string
	if !r.ExpiresAt.IsZero() {
		left := r.ExpiresAt.Sub(now)
		if left <= 0 {
			parts = append(parts, "ended")
		} else {
			parts = append(parts, "in "+figures.Ago(left))
		}
	}
	if r.MaxUses > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d uses", r.Uses, r.MaxUses))
	}
	if len(parts) == 0 {
		return "never"
	}
	return strings.Join(parts, ", ")
}

// lastText says when a rule last helped to decide a call, for a person who looks for rules
// to remove. "never" counts from when the rule was made, as far back as the log goes.
func lastText(r rules.Rule, now time.Time) string {
	if r.LastUsedAt.IsZero() {
		return "never"
	}
	return figures.Ago(now.Sub(r.LastUsedAt)) + " ago"
}

// noteText says why a rule may not do what it says (off, expired, used up), and whether it
// goes further than others (dangerous calls). The first reason that keeps it from speaking
// is enough.
func noteText(r rules.Rule, now time.Time) string {
	var notes []string
	switch {
	case !r.Enabled:
		notes = append(notes, "off")
	case !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt):
		notes = append(notes, "expired")
	case r.MaxUses > 0 && r.Uses >= r.MaxUses:
		notes = append(notes, "used up")
	case r.Uses == 0:
		notes = append(notes, "never hit")
	}
	if r.Dangerous {
		notes = append(notes, "dangerous calls too")
	}
	if r.Source != "" {
		notes = append(notes, "in "+r.Source)
	}
	return strings.Join(notes, ", ")
}

// newShowCommand makes "rules show". What a file does not have, version and hits, stands
// below it as a comment, so that the output is still a rules file.
func newShowCommand() *cobra.Command {
	var as output.Format
	cmd := &cobra.Command{
		Use:               "show ID",
		Short:             "Show one rule as it stands in a rules file",
		Long:              "show prints one rule, named by its id or by enough of the id's beginning or end, as\nTOML.",
		Example:           "  aoctl rule show 0197f3a2\n  aoctl rule show 0197f3a2 --json",
		Args:              usage.OneArg("the id of a rule"),
		ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			return state.WithRules(cmd.Context(), "", func(k *state.Rulebook) error {
				r, err := findRule(append(slices.Clone(k.All), rules.LookGrant()), args[0])
				if err != nil {
					return err
				}
				if as.On() {
					return as.Print(cmd.OutOrStdout(), []rules.Rule{r})
				}
				if r.ID == rules.BuiltinLook {
					return show.Text(cmd.OutOrStdout(), string(rulesfile.Format([]rules.Rule{r}))+"# built in; a rule \"ask look\" switches it off\n")
				}
				return show.Text(cmd.OutOrStdout(), string(rulesfile.Format([]rules.Rule{r}))+
					fmt.Sprintf("# version %d, %s, last hit %s\n", r.Version, figures.Plural(r.Uses, "hit"), lastText(r, time.Now())))
			})
		},
	}
	output.Flags[rules.Rule](cmd, &as, "print a JSON array with the rule")
	return cmd
}

// findRule picks the one rule whose id is ref, begins or ends with it. A whole id wins over
// others that do. Several are a usage.Error that lists them, none is
// exit.NotFound.
func findRule(list []rules.Rule, ref string) (rules.Rule, error) {
	var found []rules.Rule
	for _, r := range list {
		if r.ID == ref {
			return r, nil
		}
		if show.NamesID(r.ID, ref) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return rules.Rule{}, exit.Error{Code: exit.NotFound, Text: fmt.Sprintf("no rule has the id %q", ref), Hint: "see which there are: aoctl rules list"}
	case 1:
		return found[0], nil
	}
	lines := make([]string, len(found))
	for i, r := range found {
		lines[i] = r.ID + "  " + show.Rule(r)
	}
	return rules.Rule{}, usage.Ambiguous("rule", ref, lines)
}

// completeRules offers the ids of rules, each with what it says. It asks no console: the
// database answers at once.
func completeRules(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	_ = state.WithRules(cmd.Context(), "", func(k *state.Rulebook) error { // no offers is no error
		for _, r := range k.All {
			offers = usage.Offer(offers, r.ID, string(r.Decision)+" "+show.Rule(r))
		}
		return nil
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
}
