package rules

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
	"github.com/aoctl/aoctl/broker/workspace"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
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
	dryRun                   bool
	json                     output.Format
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
			return addRules(cmd, list, o.dryRun, &o.json)
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
	f.StringVar(&o.template, "template", "", "add the rules of a template: "+strings.Join(rulesfile.Templates(), ", "))
	f.BoolVar(&o.dryRun, "dry-run", false, "only print what would be added")
	output.Flags[broker.SavedRule](cmd, &o.json, "print a JSON array of what was added")
	cmd.MarkFlagsMutuallyExclusive("allow", "deny", "ask", "defer", "template")
	_ = cmd.RegisterFlagCompletionFunc("template", cobra.FixedCompletions(rulesfile.Templates(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// rules are what the flags say, checked.
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
	list, err := rulesfile.Template(name)
	if err != nil {
		return nil, usage.Error{Text: err.Error(), Hint: "aoctl rules add --template go --dry-run prints what one adds"}
	}
	for i := range list {
		list[i].ID, list[i].Scope, list[i].ExpiresAt = "", scope, ends
	}
	return list, nil
}

// addRules prints what is going to be added and, unless dry, adds it.
func addRules(cmd *cobra.Command, list []rules.Rule, dry bool, as *output.Format) error {
	out := cmd.OutOrStdout()
	warnStillAsks(cmd.ErrOrStderr(), list)
	if dry {
		if as.On() {
			return as.Print(out, list)
		}
		return show.Text(out, string(rulesfile.Format(list)))
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
				err = errors.Join(err, fmt.Errorf("%s were added before that", figures.Plural(len(saved), "rule")))
			}
			return err
		}
		saved = append(saved, s)
	}
	if as.On() {
		return as.Print(out, saved)
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
