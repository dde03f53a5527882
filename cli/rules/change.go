package rules

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// printSaved says what the rule is now and which waiting calls it has just decided: a
// change of a rule can end calls, and the person must see that. did is the word in front,
// such as "added".
func printSaved(out io.Writer, did string, s broker.SavedRule) error {
	r := s.Rule
	line := fmt.Sprintf("%s %s: %s %s (%s, ends %s)", did, r.ID, r.Decision, show.Rule(r), show.Scope(r.Scope), endText(r, time.Now()))
	if err := show.Line(out, safe.Line(line)); err != nil {
		return err
	}
	for _, req := range s.Decided {
		if err := show.Line(out, safe.Line(fmt.Sprintf("  %s %s %s", req.State, req.ToolName, show.Call(req)))); err != nil {
			return err
		}
	}
	return nil
}

// ruleBody is a rule as the API takes it. Members that the console gives (who made it,
// when, how often it was used) are not sent. A version that is sent must be the one in
// force, or the console refuses the change: somebody else has changed the rule since it was
// read.
func ruleBody(r rules.Rule) map[string]any {
	body := map[string]any{
		"priority": r.Priority, "enabled": r.Enabled, "scope": r.Scope, "tool": r.Tool, "where": r.Where, "decision": r.Decision,
		"dangerous": r.Dangerous, "reason": r.Reason, "max_uses": r.MaxUses,
	}
	if r.Effects != 0 {
		body["effects"] = r.Effects
	}
	// Without an id the console makes one; with one from a file, the rule can be recognised
	// again.
	if r.ID != "" {
		body["id"] = r.ID
	}
	if r.Version != 0 {
		body["version"] = r.Version
	}
	// A zero time would be sent as the year 1, which is a rule that has ended.
	if !r.ExpiresAt.IsZero() {
		body["expires_at"] = r.ExpiresAt
	}
	if r.CreatedFrom != "" {
		body["created_from"] = r.CreatedFrom
	}
	return body
}

// saveRule sends r to the console, which checks it again and answers with the rule as it
// holds and with the calls that it decided. POST makes a rule, PUT changes one.
func saveRule(ctx context.Context, c *client.Client, method, path string, r rules.Rule) (s broker.SavedRule, err error) {
	err = c.Send(ctx, method, path, ruleBody(r), &s)
	return s, err
}

// changeRule reads the rules from the console, lets f change the one that ref names, and
// puts it back. f gets all rules, since a place is one among others; an error of it ends
// the command and nothing is sent.
func changeRule(cmd *cobra.Command, ref, did string, f func(r *rules.Rule, all []rules.Rule) error) error {
	c, err := client.New(cmd)
	if err != nil {
		return err
	}
	list, err := ruleList(cmd.Context(), c)
	if err != nil {
		return err
	}
	r, err := findRule(list, ref)
	if err != nil {
		return err
	}
	// The console would not write to a project's file: the file is the project's, and its
	// change has to be trusted anew.
	if r.Source != "" {
		return exit.Error{Code: exit.Failed, Text: "this rule is in the file " + r.Source, Hint: "change it there"}
	}
	if err := f(&r, list); err != nil {
		return err
	}
	s, err := saveRule(cmd.Context(), c, http.MethodPut, "/rules/"+url.PathEscape(r.ID), r)
	if err != nil {
		return err
	}
	return printSaved(cmd.OutOrStdout(), did, s)
}

// ruleList asks the console for its rules. A change starts from these and not from the
// database, so that it names the version that is in force. Rules of files are among them,
// each with its Source.
func ruleList(ctx context.Context, c *client.Client) ([]rules.Rule, error) {
	var book struct {
		Rules []rules.Rule `json:"rules"`
	}
	err := c.Get(ctx, "/rules", nil, &book)
	return book.Rules, err
}

// newEnableCommand makes "rules enable" or "rules disable". They differ in one value, and
// in who needs a token: the one that loosens does. Which one that is depends on the rule,
// so the console says it and not the command.
func newEnableCommand(on bool) *cobra.Command {
	verb, did, long := "enable", "on:", "enable switches a rule on again. A rule that allows needs an operator token for that."
	if !on {
		verb, did, long = "disable", "off:", "disable switches a rule off and keeps it. A rule that refuses needs an operator token\nfor that."
	}
	return &cobra.Command{
		Use:               verb + " ID",
		Short:             strings.ToUpper(verb[:1]) + verb[1:] + " a rule",
		Long:              long,
		Example:           "  aoctl rule " + verb + " 0197f3a2",
		Args:              usage.OneArg("the id of a rule"),
		ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			// Only the switch changes. The rest of the rule goes back as the console sent
			// it.
			return changeRule(cmd, args[0], did, func(r *rules.Rule, _ []rules.Rule) error {
				r.Enabled = on
				return nil
			})
		},
	}
}

// newRemoveCommand makes "rules rm". It reads the rules first, because a rule may be named
// by either end of its id and the sentence at the end says what is gone.
func newRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "rm ID",
		Short:             "Remove a rule",
		Long:              "rm ends a rule for good; the log keeps it. For a rule that refuses it needs an\noperator token.",
		Example:           "  aoctl rule rm 0197f3a2",
		Args:              usage.OneArg("the id of a rule"),
		ValidArgsFunction: completeRules,
		// changeRule does not fit here: it puts a rule back, and this one is gone.
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := client.New(cmd)
			if err != nil {
				return err
			}
			list, err := ruleList(cmd.Context(), c)
			if err != nil {
				return err
			}
			r, err := findRule(list, args[0])
			if err != nil {
				return err
			}
			// The broker's answer has no body that matters here; an empty object takes it.
			if err := c.Send(cmd.Context(), http.MethodDelete, "/rules/"+url.PathEscape(r.ID), nil, &struct{}{}); err != nil {
				return err
			}
			return show.Line(cmd.OutOrStdout(), safe.Line(fmt.Sprintf("removed %s: %s %s", r.ID, r.Decision, show.Rule(r))))
		},
	}
}

// newMoveCommand makes "rules move". A place beside another rule is turned into a number
// here: the console knows priorities only.
func newMoveCommand() *cobra.Command {
	var before, after string
	var priority int
	cmd := &cobra.Command{
		Use:   "move ID",
		Short: "Change the priority of a rule",
		Long: `move changes a rule's priority: to a number, or to just before or after another rule.
The rule with the lowest number decides; among equals ask comes before defer, and defer
before allow. A deny always wins.`,
		Example:           "  aoctl rule move 0197f3a2 --priority 50\n  aoctl rule move 0197f3a2 --before 0197f400",
		Args:              moveArgs,
		ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeRule(cmd, args[0], "moved", func(r *rules.Rule, all []rules.Rule) error {
				switch {
				case before != "":
					return moveBeside(r, all, before, -1)
				case after != "":
					return moveBeside(r, all, after, 1)
				}
				r.Priority = priority
				return nil
			})
		},
	}
	cmd.Flags().IntVar(&priority, "priority", rules.DefaultPriority, "the new priority, 0 to 1000000")
	cmd.Flags().StringVar(&before, "before", "", "decide before this rule")
	cmd.Flags().StringVar(&after, "after", "", "decide after this rule")
	// These flags name a rule as the argument does, and completeRules takes any argument
	// for the one.
	for _, flag := range []string{"before", "after"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return completeRules(cmd, nil, begun)
		})
	}
	// A default priority would move a rule by accident.
	cmd.MarkFlagsOneRequired("priority", "before", "after")
	cmd.MarkFlagsMutuallyExclusive("priority", "before", "after")
	return cmd
}

// moveArgs takes one rule. Who writes the place behind it is told the flags for that: a
// number is meant for --priority, anything else for a rule.
func moveArgs(cmd *cobra.Command, args []string) error {
	if len(args) != 2 {
		return usage.OneArg("the id of a rule")(cmd, args)
	}
	flag := "--before"
	if _, err := strconv.Atoi(args[1]); err == nil {
		flag = "--priority"
	}
	return usage.Error{
		Text: fmt.Sprintf("%s takes one argument, got 2", cmd.CommandPath()),
		Hint: fmt.Sprintf("did you mean: %s %s %s %s", cmd.CommandPath(), args[0], flag, args[1]),
	}
}

// moveBeside gives r the priority one step before or after another rule. Other rules may
// have that priority already; among equals the more careful decision speaks first, so
// nothing is loosened by a tie.
func moveBeside(r *rules.Rule, all []rules.Rule, ref string, step int) error {
	other, err := findRule(all, ref)
	if err != nil {
		return err
	}
	p := other.Priority + step
	if p < 0 || p > rules.MaxPriority {
		return usage.Error{Text: fmt.Sprintf("there is no room beside priority %d", other.Priority), Hint: "move that rule first: aoctl rules move " + other.ID + " --priority 100"}
	}
	r.Priority = p
	return nil
}

// newEditCommand makes "rules edit". It takes one rule: several in one text could be saved
// half.
func newEditCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "edit ID",
		Short: "Change a rule in your editor",
		Long: `edit opens a rule as TOML in $VISUAL or $EDITOR and saves the text that you leave. When
the text is not a rule, edit says where it is wrong, keeps it in its file, and leaves
the rule as it was.`,
		Example:           "  EDITOR=nano aoctl rule edit 0197f3a2",
		Args:              usage.OneArg("the id of a rule"),
		ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			cmd.SetContext(context.WithoutCancel(cmd.Context())) // ctrl+c is a key of the editor's
			return changeRule(cmd, args[0], "saved", func(r *rules.Rule, _ []rules.Rule) error {
				return editRule(cmd.Context(), r)
			})
		},
	}
}

// editRule has the user edit one rule as text. What is not the user's to change (id,
// version, origin) stays. Text that does not parse is left in its file, so that no typing
// is lost.
//
// The version is the one that was read before the editor opened. When the rule was changed
// meanwhile, the console refuses this one.
func editRule(ctx context.Context, r *rules.Rule) error {
	text := rulesfile.Format([]rules.Rule{*r})
	// The name ends in .toml so that editors colour it.
	changed, path, err := terminal.Edit(ctx, "rule.toml", text)
	if err != nil {
		return err
	}
	list, err := rulesfile.Parse(changed)
	// An emptied text does not remove the rule: "rm" does, and asks for a token where it
	// must.
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("there are %d rules in it, not one", len(list))
	}
	if err != nil {
		return usage.Error{Text: fmt.Sprintf("%s: %v", path, err), Hint: "the rule stays as it was; your text is still in that file"}
	}
	// The text has been read. A folder that stays behind does no harm, so its error is
	// dropped.
	_ = os.RemoveAll(filepath.Dir(path))
	// Nothing is sent then: a save without a change would still make a new version of the
	// rule.
	if slices.Equal(changed, text) {
		return exit.Error{Code: exit.OK, Text: "nothing was changed"}
	}
	next := list[0]
	next.ID, next.Version, next.CreatedFrom = r.ID, r.Version, r.CreatedFrom
	*r = next
	return nil
}
