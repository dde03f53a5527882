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
	"github.com/aoctl/aoctl/broker/effects"
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

// addOptions are the flags of "aoctl rule add", as they stand on the command line: the
// session is resolved to an id before they become a rule, the project's path when they do.
type addOptions struct {
	allow, deny, ask, defers bool
	effects                  string
	tool                     string
	toolNamed                bool // tool is no default
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

// newAddCommand makes "rules add". The mutually exclusive flags are the decisions: a rule has
// one, and none of them is a default, because a forgotten flag must not allow anything.
func newAddCommand() *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use:   "add [PATTERN]",
		Short: "Add a rule, or the rules of a template",
		Long: `add makes one rule. PATTERN fits the tool's main input: the command of Bash, the file
of Read, Edit and Write, the URL of WebFetch; --where names other inputs. In a command,
* as the last word stands for all words that follow, ** for any words, a|b for a or b.
Without a pattern a rule for a tool that --tool names denies, asks or defers every call.
--effects makes a rule about what calls do, whatever their words: look, edit, check,
commit, fetch, serve; --deny and --ask take push, network, outside, secrets, delete,
install, privilege, gate and unknown, too.

Without --project, --session or --agent the rule holds everywhere. A rule that allows
needs an operator token in AOCTL_TOKEN (in the console: r, then t). The rule decides
waiting calls at once, and add lists them.`,
		Example: `  aoctl rule add --deny 'git push --force *' --reason 'push without force'
  aoctl rule add --ask 'git push *'
  aoctl rule add --allow 'npm run test *' --project . --for 8h
  aoctl rule add --allow --tool Edit 'src/**' --project .
  aoctl rule add --allow --effects look,edit,check --project .
  aoctl rule add --template go --dry-run`,
		Args: usage.AtMostOne("a pattern"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			// A rule for every call of Bash must not come of a default, so it counts
			// whether the tool was named.
			o.toolNamed = cmd.Flags().Changed("tool")
			if o.session, err = sessionID(cmd, o.session); err != nil {
				return err
			}
			// Everything is checked before the console is asked for anything: a mistake on
			// the command line is told with or without one.
			list, err := o.rules(args, time.Now())
			if err != nil {
				return err
			}
			return addRules(cmd, list, o.dryRun, &o.json)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.allow, "allow", false, "a call that matches may run")
	f.BoolVar(&o.deny, "deny", false, "a call that matches must not run")
	f.BoolVar(&o.ask, "ask", false, "ask a person about a call that matches, even when a later rule allows it")
	f.BoolVar(&o.defers, "defer", false, "defer a call that matches: end the agent and keep the call, where the agent can do that; else ask")
	f.StringVar(&o.effects, "effects", "", "what calls do, such as look,edit, in place of a tool and a pattern")
	f.StringVar(&o.tool, "tool", "Bash", "tool, or a pattern of tools such as Edit|Write")
	f.StringArrayVar(&o.where, "where", nil, "PARAMETER=PATTERN that must match as well; may be given again")
	f.StringVar(&o.project, "project", "", "only in this project's folder")
	f.StringVar(&o.session, "session", "", "only in this session (its name, id or folder)")
	f.StringVar(&o.agent, "agent", "", "only for agents of this kind, such as claude")
	f.StringVar(&o.life, "for", "", "end after this time, such as 15m, 8h or 30d")
	f.IntVar(&o.uses, "uses", 0, "end after so many uses")
	f.IntVar(&o.priority, "priority", rules.DefaultPriority, "a rule with a lower number decides first")
	f.StringVarP(&o.reason, "reason", "m", "", "the reason; the agent reads it when the rule denies")
	_ = cmd.RegisterFlagCompletionFunc("session", client.CompleteSessions)
	f.BoolVar(&o.dangerous, "dangerous", false, "also allow dangerous calls; the patterns must be exact")
	f.StringVar(&o.template, "template", "", "add the rules of a template: "+strings.Join(rulesfile.Templates(), ", "))
	f.BoolVar(&o.dryRun, "dry-run", false, "only print what would be added")
	output.Flags[broker.SavedRule](cmd, &o.json, "print a JSON array of what was added")
	// A template brings decisions of its own, one for each of its rules.
	cmd.MarkFlagsMutuallyExclusive("allow", "deny", "ask", "defer", "template")
	for _, other := range []string{"tool", "where", "dangerous", "template"} {
		cmd.MarkFlagsMutuallyExclusive("effects", other)
	}
	_ = cmd.RegisterFlagCompletionFunc("template", cobra.FixedCompletions(rulesfile.Templates(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// rules are what the flags say, checked. A template gives several rules; everything else
// gives one. The console checks them again: what is refused here is refused earlier and in
// better words, nothing more.
func (o addOptions) rules(args []string, now time.Time) ([]rules.Rule, error) {
	scope, err := o.scope()
	if err != nil {
		return nil, err
	}
	ends, err := parseLife(o.life, now)
	if err != nil {
		return nil, err
	}
	// Scope and end of the flags hold for each rule of a template; pattern and decision are
	// its own.
	if o.template != "" {
		return templateRules(o.template, scope, ends)
	}
	// A new rule is on. One that is made to be off could be forgotten, and disable is one
	// word.
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
	// No decision is the default. Asking would be the safe one, but who forgot the flag
	// meant something else.
	default:
		return nil, usage.Error{Text: "the rule has no decision", Hint: "give --allow, --deny, --ask, --defer or --template"}
	}
	about := o.patterns
	if o.effects != "" {
		about = o.aboutEffects
	}
	if err := about(&r, args); err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, usage.Error{Text: err.Error(), Hint: "nothing was added; docs/rules.md describes the language"}
	}
	return []rules.Rule{r}, nil
}

// aboutEffects makes r a rule about the effects of --effects.
func (o addOptions) aboutEffects(r *rules.Rule, args []string) (err error) {
	if len(args) > 0 {
		return usage.Error{Text: "--effects goes without a pattern", Hint: "a rule is about what calls do, or about their words"}
	}
	r.Tool, r.Where = rules.EffectsTool, nil
	if r.Effects, err = effects.Parse(o.effects); err != nil {
		return usage.Error{Text: "--effects: " + err.Error(), Hint: "such as --effects look,edit"}
	}
	return nil
}

// patterns puts the argument and --where into r. The argument is the pattern of the tool's
// main input, and --where names the others.
func (o addOptions) patterns(r *rules.Rule, args []string) error {
	if len(args) == 1 {
		// For a pattern of several tools, such as Edit|Write, the first one says what the
		// main input is.
		tool, _, _ := strings.Cut(o.tool, "|")
		param, ok := mainParam(tool)
		if !ok {
			return usage.Error{Text: fmt.Sprintf("aoctl does not know which input of %s the pattern stands for", o.tool), Hint: "name the input with --where PARAMETER=PATTERN"}
		}
		r.Where[param] = args[0]
	}
	for _, w := range o.where {
		name, pattern, ok := strings.Cut(w, "=")
		// An argument and a --where for the same input would leave it open which of them
		// holds.
		if _, twice := r.Where[name]; !ok || name == "" || twice {
			return usage.Error{Text: fmt.Sprintf("--where %q is not PARAMETER=PATTERN, or names a parameter twice", w)}
		}
		r.Where[name] = pattern
	}
	if len(r.Where) == 0 {
		return o.everyCall(r.Decision)
	}
	return nil
}

// everyCall refuses a rule without a pattern: it would hold for every call of its tool,
// which is too much for a forgotten word. One that refuses may do that for a tool that was
// named. One that allows never may: "*" says the same, and has to be typed.
func (o addOptions) everyCall(d rules.Verdict) error {
	text := fmt.Sprintf("without a pattern this rule would %s every call of %s", d, o.tool)
	switch {
	case d == rules.Allow:
		return usage.Error{Text: text, Hint: "give a pattern, such as 'npm run test *'; '*' fits all calls"}
	case !o.toolNamed:
		return usage.Error{Text: text, Hint: "give a pattern, such as 'git push *'; for every call, name the tool: --tool " + o.tool}
	}
	return nil
}

// scope says where the rule holds. A project is named by its real path, because calls are
// matched by real paths and a link would never fit. A folder that does not exist is
// refused: a rule for a misspelled project would stand in the list and never speak.
func (o addOptions) scope() (rules.Scope, error) {
	s := rules.Scope{Session: o.session, Agent: o.agent}
	if o.project != "" {
		path, err := filepath.Abs(o.project)
		if info, statErr := os.Stat(path); err != nil || statErr != nil || !info.IsDir() {
			return s, usage.Error{Text: fmt.Sprintf("--project %s is not a folder", o.project), Hint: "name a folder that exists"}
		}
		s.Project = workspace.RealPath(path)
	}
	return s, nil
}

// parseLife reads a span from now on; the zero time for "". The end is in UTC and whole
// milliseconds, as the log keeps it, so that the rule is the same before and after it was
// saved.
func parseLife(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	then, err := usage.ParseSince("--for", text, now)
	// ParseSince takes days and times of day too, which are points in time and no spans.
	if span := now.Sub(then); err == nil && span > 0 && !strings.ContainsAny(text, "-:") {
		return now.Add(span).UTC().Truncate(time.Millisecond), nil
	}
	return time.Time{}, usage.Error{Text: fmt.Sprintf("--for %q is not a span of time", text), Hint: "give 15m, 8h or 30d"}
}

// templateRules are the rules of a template without their ids: the same template may be
// added for several projects, and each rule gets an id of its own. An end that is zero
// means that they never end.
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

// sessionID is the id of the session that ref names. A session that the console does not
// know may be yet to come, so ref is then taken for its id. Only a ref that fits several
// sessions is an error: a guess could loosen the wrong one.
func sessionID(cmd *cobra.Command, ref string) (string, error) {
	c, err := client.New(cmd)
	if ref == "" || err != nil { // adding the rule says what is wrong with the console
		return ref, nil //nolint:nilerr // as above
	}
	// Ended sessions count too: a rule for a session may be made before it is resumed.
	s, err := c.Session(cmd.Context(), ref, client.Recorded...)
	if several, ok := errors.AsType[usage.Error](err); ok {
		return "", several
	}
	// Without an answer the ref is taken as it is: saving the rule meets the same trouble
	// with the console and words it better.
	if err != nil {
		return ref, nil //nolint:nilerr // as above
	}
	return s.ID, nil
}

// addRules prints what is going to be added and, unless dry, adds it. A dry run prints a
// rules file, so that it can be kept, edited and imported.
//
// Rules are added one by one, and there is no taking back: when one is refused, those
// before it hold, and the error says how many they are. Adding them all again leaves those
// alone.
func addRules(cmd *cobra.Command, list []rules.Rule, dry bool, as *output.Format) error {
	out := cmd.OutOrStdout()
	// The warnings come on stderr and before anything is sent, in a dry run too: most often
	// the pattern has to be written otherwise.
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

// warnStillAsks warns of rules that do not allow what they seem to be made for, because
// their pattern begins with a wrapper such as timeout. Each rule is tried on a command that
// its own pattern describes, in the rule's project or in the current folder. It warns and
// never refuses.
func warnStillAsks(w io.Writer, list []rules.Rule) {
	// A folder that is gone is no reason to refuse a rule; there is no warning then.
	cwd, err := os.Getwd()
	if err != nil {
		return
	}
	for _, r := range list {
		// Only folders are needed here, not what lies in them: the warning is about how a
		// pattern begins.
		place := risk.Place{CWD: cwd, Project: cwd}
		if r.Scope.Project != "" {
			place = risk.Place{CWD: r.Scope.Project, Project: r.Scope.Project}
		}
		if line, why := rules.StillAsks(r, place); line != "" {
			show.Warnings(w, []string{fmt.Sprintf("this rule does not allow %q: %s", line, why)})
		}
	}
}
