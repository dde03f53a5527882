package rules

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

type addOptions struct {
	allow, deny, ask, defers bool
	tool                     string
	where                    []string
	project                  string
	session, agent           string
	life                     string
	uses, priority           int
	reason                   string
	dangerous                bool
	template                 string
	dryRun, json             bool
}

func newAddCommand() *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use:   "add [PATTERN]",
		Short: "Add a rule, or the rules of a template",
		Long: `add makes one rule. PATTERN is for the tool's main parameter: of Bash the command, of
Read, Edit and Write the file, of WebFetch the URL; --where sets others. In a command
a last word * stands for all words that follow, ** for any words, a|b for either.

Without --project, --session or --agent the rule holds everywhere. A rule that allows
needs an operator token in AOCTL_TOKEN (in the console: r, then t). Waiting calls that
the rule decides are ended at once, and listed.`,
		Example: `  aoctl rules add --deny 'git push --force *' --reason 'push without force'
  aoctl rules add --ask 'git push *'
  aoctl rules add --allow 'npm run test *' --project . --for 8h
  aoctl rules add --allow --tool Edit 'src/**' --project .
  aoctl rules add --template go --dry-run`,
		Args: usage.AtMostOne("a pattern"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := o.rules(args, time.Now())
			if err != nil {
				return err
			}
			return addRules(cmd, list, o.dryRun, o.json)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.allow, "allow", false, "what matches may run")
	f.BoolVar(&o.deny, "deny", false, "what matches must not run")
	f.BoolVar(&o.ask, "ask", false, "what matches is asked, whatever other rules allow")
	f.BoolVar(&o.defers, "defer", false, "what matches is put off until a person answers, where the agent can be told so; else it is asked")
	f.StringVar(&o.tool, "tool", "Bash", "tool, or a pattern of tools such as Edit|Write")
	f.StringArrayVar(&o.where, "where", nil, "PARAMETER=PATTERN that must match as well; may be given again")
	f.StringVar(&o.project, "project", "", "only in this project's folder")
	f.StringVar(&o.session, "session", "", "only in this session (id)")
	f.StringVar(&o.agent, "agent", "", "only for agents of this kind, such as claude")
	f.StringVar(&o.life, "for", "", "end after this time, such as 15m, 8h or 30d")
	f.IntVar(&o.uses, "uses", 0, "end after so many uses")
	f.IntVar(&o.priority, "priority", rules.DefaultPriority, "lower speaks first")
	f.StringVarP(&o.reason, "reason", "m", "", "why; the agent reads it when the rule denies")
	f.BoolVar(&o.dangerous, "dangerous", false, "allow also what is dangerous; the patterns must be exact")
	f.StringVar(&o.template, "template", "", "add the rules of a template: "+strings.Join(rules.Templates(), ", "))
	f.BoolVar(&o.dryRun, "dry-run", false, "only print what would be added")
	f.BoolVar(&o.json, "json", false, "print a JSON array of what was added")
	cmd.MarkFlagsMutuallyExclusive("allow", "deny", "ask", "defer", "template")
	_ = cmd.RegisterFlagCompletionFunc("template", cobra.FixedCompletions(rules.Templates(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// ruleList are what the flags say, checked.
func (o addOptions) rules(args []string, now time.Time) ([]rules.Rule, error) {
	scope, err := o.scope()
	if err != nil {
		return nil, err
	}
	ends, err := parseLife(o.life, now)
	if err != nil {
		return nil, err
	}
	if o.template != "" {
		return templateRules(o.template, scope, ends)
	}
	r := rules.Rule{
		Enabled: true, Priority: o.priority, Scope: scope, Tool: o.tool, Where: map[string]string{},
		Reason: o.reason, ExpiresAt: ends, MaxUses: o.uses, Dangerous: o.dangerous,
	}
	switch {
	case o.allow:
		r.Decision = rules.Allow
	case o.deny:
		r.Decision = rules.Deny
	case o.ask:
		r.Decision = rules.Ask
	case o.defers:
		r.Decision = rules.Defer
	default:
		return nil, usage.Error{Text: "what shall the rule say?", Hint: "give --allow, --deny, --ask, --defer or --template"}
	}
	if err := o.patterns(&r, args); err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, usage.Error{Text: err.Error(), Hint: "nothing was added; docs/rules.md has the language"}
	}
	return []rules.Rule{r}, nil
}

func (o addOptions) patterns(r *rules.Rule, args []string) error {
	if len(args) == 1 {
		tool, _, _ := strings.Cut(o.tool, "|")
		param, ok := mainParam(tool)
		if !ok {
			return usage.Error{Text: fmt.Sprintf("what of %s the pattern is for, is not known", o.tool), Hint: "say it with --where PARAMETER=PATTERN"}
		}
		r.Where[param] = args[0]
	}
	for _, w := range o.where {
		name, pattern, ok := strings.Cut(w, "=")
		if _, twice := r.Where[name]; !ok || name == "" || twice {
			return usage.Error{Text: fmt.Sprintf("--where %q is not PARAMETER=PATTERN, or its parameter is given twice", w)}
		}
		r.Where[name] = pattern
	}
	if r.Decision == rules.Allow && len(r.Where) == 0 {
		return usage.Error{Text: fmt.Sprintf("this would allow every call of %s", o.tool), Hint: "give a pattern; '*' if you mean all"}
	}
	return nil
}

func (o addOptions) scope() (rules.Scope, error) {
	s := rules.Scope{Session: o.session, Agent: o.agent}
	if o.project != "" {
		path, err := filepath.Abs(o.project)
		if info, statErr := os.Stat(path); err != nil || statErr != nil || !info.IsDir() {
			return s, usage.Error{Text: fmt.Sprintf("--project %s is no folder", o.project)}
		}
		s.Project = workspace.RealPath(path)
	}
	return s, nil
}

// parseLife reads a span from now on; the zero time for "".
func parseLife(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	then, err := usage.ParseSince(text, now)
	if span := now.Sub(then); err == nil && span > 0 && !strings.ContainsAny(text, "-:") {
		return now.Add(span).UTC().Truncate(time.Millisecond), nil
	}
	return time.Time{}, usage.Error{Text: fmt.Sprintf("--for %q is no span of time", text), Hint: "give 15m, 8h or 30d"}
}

func templateRules(name string, scope rules.Scope, ends time.Time) ([]rules.Rule, error) {
	list, err := rules.Template(name)
	if err != nil {
		return nil, usage.Error{Text: err.Error(), Hint: "aoctl rules add --template go --dry-run prints what one adds"}
	}
	for i := range list {
		list[i].ID, list[i].Scope, list[i].ExpiresAt = "", scope, ends
	}
	return list, nil
}

// addRules prints what is going to be added and, unless dry, adds it.
func addRules(cmd *cobra.Command, list []rules.Rule, dry, asJSON bool) error {
	out := cmd.OutOrStdout()
	warnStillAsks(cmd.ErrOrStderr(), list)
	if dry {
		if asJSON {
			return show.JSON(out, list)
		}
		return show.Text(out, string(rules.FormatTOML(list)))
	}
	c, err := client.New(cmd)
	if err != nil {
		return err
	}
	var saved []broker.SavedRule
	for _, r := range list {
		s, err := saveRule(cmd.Context(), c, http.MethodPost, "/rules", r)
		if err != nil {
			if len(saved) > 0 {
				err = errors.Join(err, fmt.Errorf("%s were added before that", show.Plural(len(saved), "rule")))
			}
			return err
		}
		saved = append(saved, s)
	}
	if asJSON {
		return show.JSON(out, saved)
	}
	for _, s := range saved {
		if err := printSaved(out, "added", s); err != nil {
			return err
		}
	}
	return nil
}

// warnStillAsks warns of rules that do not allow what they seem to be made for.
func warnStillAsks(w io.Writer, list []rules.Rule) {
	cwd, err := os.Getwd()
	if err != nil {
		return
	}
	for _, r := range list {
		place := risk.Place{CWD: cwd, Project: cwd}
		if r.Scope.Project != "" {
			place = risk.Place{CWD: r.Scope.Project, Project: r.Scope.Project}
		}
		if line, why := rules.StillAsks(r, place); line != "" {
			show.Warnings(w, []string{fmt.Sprintf("this rule does not allow %q: %s", line, why)})
		}
	}
}

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

// ruleBody is a rule as the API takes it.
func ruleBody(r rules.Rule) map[string]any {
	body := map[string]any{
		"priority": r.Priority, "enabled": r.Enabled, "scope": r.Scope, "tool": r.Tool, "where": r.Where, "decision": r.Decision,
		"dangerous": r.Dangerous, "reason": r.Reason, "max_uses": r.MaxUses,
	}
	if r.ID != "" {
		body["id"] = r.ID
	}
	if r.Version != 0 {
		body["version"] = r.Version
	}
	if !r.ExpiresAt.IsZero() {
		body["expires_at"] = r.ExpiresAt
	}
	if r.CreatedFrom != "" {
		body["created_from"] = r.CreatedFrom
	}
	return body
}

func saveRule(ctx context.Context, c *client.Client, method, path string, r rules.Rule) (s broker.SavedRule, err error) {
	err = c.Send(ctx, method, path, ruleBody(r), &s)
	return s, err
}

// changeRule reads the rules from the console, lets f change the one that ref names,
// and puts it back.
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
	if r.Source != "" {
		return exit.Error{Code: exit.Failed, Text: "this rule stands in " + r.Source, Hint: "change it there"}
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

func ruleList(ctx context.Context, c *client.Client) ([]rules.Rule, error) {
	var book struct {
		Rules []rules.Rule `json:"rules"`
	}
	err := c.Get(ctx, "/rules", nil, &book)
	return book.Rules, err
}

func newEnableCommand(on bool) *cobra.Command {
	verb, did, long := "enable", "on:", "enable lets a rule speak again. For a rule that allows it needs an operator token."
	if !on {
		verb, did, long = "disable", "off:", "disable keeps a rule without letting it speak. For a rule that refuses it needs an\noperator token."
	}
	return &cobra.Command{
		Use:               verb + " ID",
		Short:             strings.ToUpper(verb[:1]) + verb[1:] + " a rule",
		Long:              long,
		Example:           "  aoctl rules " + verb + " 0197f3a2",
		Args:              usage.OneArg("the id of a rule"),
		ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeRule(cmd, args[0], did, func(r *rules.Rule, _ []rules.Rule) error {
				r.Enabled = on
				return nil
			})
		},
	}
}

func newRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "rm ID",
		Short:             "Remove a rule",
		Long:              "rm ends a rule for good; the log keeps it. For a rule that refuses it needs an\noperator token.",
		Example:           "  aoctl rules rm 0197f3a2",
		Args:              usage.OneArg("the id of a rule"),
		ValidArgsFunction: completeRules,
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
			if err := c.Send(cmd.Context(), http.MethodDelete, "/rules/"+url.PathEscape(r.ID), nil, &struct{}{}); err != nil {
				return err
			}
			return show.Line(cmd.OutOrStdout(), safe.Line(fmt.Sprintf("removed %s: %s %s", r.ID, r.Decision, show.Rule(r))))
		},
	}
}

func newMoveCommand() *cobra.Command {
	var before, after string
	var priority int
	cmd := &cobra.Command{
		Use:   "move ID",
		Short: "Change when a rule speaks",
		Long: `move changes a rule's priority: to a number, or to just before or after another rule.
Lower speaks first; among equals ask comes before defer, and defer before allow. A deny wins wherever it is.`,
		Example:           "  aoctl rules move 0197f3a2 --priority 50\n  aoctl rules move 0197f3a2 --before 0197f400",
		Args:              usage.OneArg("the id of a rule"),
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
	cmd.Flags().StringVar(&before, "before", "", "speak before this rule")
	cmd.Flags().StringVar(&after, "after", "", "speak after this rule")
	cmd.MarkFlagsOneRequired("priority", "before", "after")
	cmd.MarkFlagsMutuallyExclusive("priority", "before", "after")
	return cmd
}

// moveBeside gives r the priority one step before or after another rule.
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

func newEditCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "edit ID",
		Short: "Change a rule in your editor",
		Long: `edit opens a rule as TOML in $VISUAL or $EDITOR and saves what comes back. A text
that is no rule is refused with its place and kept in its file, and the rule in force
stays. Leaving the text as it is changes nothing.`,
		Example:           "  EDITOR=nano aoctl rules edit 0197f3a2",
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

func editRule(ctx context.Context, r *rules.Rule) error {
	text := rules.FormatTOML([]rules.Rule{*r})
	changed, path, err := terminal.Edit(ctx, "rule.toml", text)
	if err != nil {
		return err
	}
	list, err := rules.ParseTOML(changed)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("there are %d rules in it, not one", len(list))
	}
	if err != nil {
		return usage.Error{Text: fmt.Sprintf("%s: %v", path, err), Hint: "the rule stays as it was; your text is still in that file"}
	}
	_ = os.RemoveAll(filepath.Dir(path))
	if slices.Equal(changed, text) {
		return exit.Error{Code: exit.OK, Text: "nothing was changed"}
	}
	next := list[0]
	next.ID, next.Version, next.CreatedFrom = r.ID, r.Version, r.CreatedFrom
	*r = next
	return nil
}
