package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	ruleshistory "github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
	"github.com/aoctl/aoctl/broker/workspace"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

const historySince = "90d" // recorded calls that test and suggest look at, unless told otherwise

// testOptions are the flags of "aoctl rule test".
type testOptions struct {
	since   string
	history bool
	add     bool
	json    output.Format
}

// newTestCommand makes "rules test". Its exit code is for a check before rules are rolled
// out.
func newTestCommand() *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [FILE]",
		Short: "Replay recorded calls through the rules, or through proposed ones",
		Long: `test judges the recorded calls by the rules in force. With FILE it judges them by the
rules of that file instead, or with --add by both together. It shows which verdicts
would change: first the calls that a person denied and that would now run. It names
rules that match nothing, and rules that never decide because others come before them.
It exits 1 when a denied call would run.

Paths are judged as they are on the disk now, not as they were then.`,
		Example: "  aoctl rule test\n  aoctl rule test --since 30d proposed.toml\n  aoctl rule test --add --json proposed.toml | jq .prompts_after",
		Args:    usage.AtMostOne("a rules file"),

		ValidArgsFunction: usage.CompleteOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return testRules(cmd, o, args)
		},
	}
	cmd.Flags().StringVar(&o.since, "since", historySince, "recorded calls from then on: 30d, 2026-11-02, or RFC 3339")
	cmd.Flags().BoolVar(&o.history, "history", true, "judge the recorded calls; --history=false only looks at the rules themselves")
	cmd.Flags().BoolVar(&o.add, "add", false, "judge by the rules of FILE and those in force together")
	output.Flags[testReport](cmd, &o.json, "print a JSON object")
	return cmd
}

// testRules tries rules on what is recorded: those in force, those of a file in their
// place, or both together with --add. It fails when a call that a person denied would run.
// What a rule of the file decides is compared with the rules in force, not with what
// happened then.
func testRules(cmd *cobra.Command, o testOptions, args []string) error {
	since, err := usage.ParseSince("--since", o.since, time.Now())
	if err != nil {
		return err
	}
	return state.WithRules(cmd.Context(), "", func(k *state.Rulebook) error {
		current, err := k.Set()
		if err != nil {
			return err
		}
		// Without a file nothing is proposed: the rules in force are replayed against what
		// people decided.
		proposed, list := current, k.All
		if len(args) == 1 {
			if list, err = readFile(args[0]); err != nil {
				return err
			}
			list = numbered(list)
			if o.add {
				list = append(slices.Clone(k.All), list...)
			}
			if proposed, err = rules.Compile(append(list, rules.LookGrant())); err != nil {
				return usage.Error{Text: fmt.Sprintf("%s: %v", args[0], err)}
			}
			// The compiled rules are in the order in which they decide, which Lint needs.
			list = slices.DeleteFunc(proposed.Rules(), func(r rules.Rule) bool { return r.ID == rules.BuiltinLook })
		}
		h := &history{known: k, since: since, none: !o.history}
		report := ruleshistory.Replay(current, proposed, h.calls(cmd.Context()), time.Now())
		if h.err != nil {
			return h.err
		}
		if k.Reader != nil && o.history {
			if err := state.NoteArchived(cmd.Context(), k.Reader, since, cmd.ErrOrStderr()); err != nil {
				return err
			}
		}
		// An empty list is [] for programs, never null.
		t := testReport{Report: report, Findings: append([]rules.Finding{}, rules.Lint(list, time.Now())...)}
		if err := t.print(cmd.OutOrStdout(), &o.json, list); err != nil {
			return err
		}
		// The report is printed first. The error only gives a script the exit code and the
		// reason.
		if report.Worse > 0 {
			return exit.Error{Code: exit.Failed, Text: figures.Plural(report.Worse, "call") + " that a person denied would run"}
		}
		return nil
	})
}

// history reads the recorded calls as rules see them. It reads them once, one after the
// other, since a year of calls does not fit into memory; err is for after the last one.
type history struct {
	known *state.Rulebook
	since time.Time
	none  bool
	err   error // why calls ended early

	places map[string]risk.Place // by project and folder, followed once in a run
}

// errEnough ends a read of the history that nobody goes on with. It never leaves this file.
var errEnough = errors.New("enough")

// calls yields the recorded calls, oldest first. An iterator has no room for an error, so
// it stops early and leaves the reason in h.err; a caller must look there. Without a
// database it yields nothing.
func (h *history) calls(ctx context.Context) iter.Seq[ruleshistory.Past] {
	return func(yield func(ruleshistory.Past) bool) {
		if h.none || h.known.Reader == nil {
			return
		}
		projects, err := sessionProjects(ctx, h.known.Reader)
		if err != nil {
			h.err = err
			return
		}
		// One preparer serves all calls: many of them have the same command, which is
		// parsed once.
		var prepare rules.Preparer
		// The database is read while rules judge, so one call is in memory at a time.
		err = h.known.Reader.EachRequest(ctx, h.since, func(r broker.Request) error {
			p := h.prepared(&prepare, r, projects)
			p.Observed = h.letRun(ctx, r)
			if !yield(p) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			h.err = fmt.Errorf("read the recorded calls: %w", err)
		}
	}
}

// letRun reports whether a call that was only observed was let run by its agent's user.
func (h *history) letRun(ctx context.Context, r broker.Request) bool {
	if !broker.MayBeLetRun(r) {
		return false
	}
	list, err := h.known.Reader.Events(ctx, broker.EventFilter{Ran: r.ID, Limit: 1})
	return err == nil && broker.RanWell(r, list)
}

// prepared is a recorded call as the trial needs it: read as rules read it, and how it
// ended. The disk is looked at as it is today, which is the only disk there is.
func (h *history) prepared(prepare *rules.Preparer, r broker.Request, projects map[string]string) ruleshistory.Past {
	// A session whose project is not on record is judged as if its folder were one.
	project := cmp.Or(projects[r.SessionID], r.CWD)
	tool, input := r.Call()
	p := ruleshistory.Past{
		ID: r.ID, SessionID: r.SessionID, At: r.CreatedAt, State: string(r.State),
		Call: prepare.Prepare(rules.Question{
			// Vouched depends on the agent and its event alone, so the record gives the
			// same answer as the console did.
			Tool: tool, Input: input, Agent: r.Agent, SessionID: r.SessionID, Trusted: r.Vouched(), Exists: workspace.FileExists, Matches: workspace.Matches, Special: workspace.SpecialFile,
			Place: h.place(project, r.CWD),
		}),
	}
	// A call that still waits has no outcome; it counts as neither asked nor decided.
	if o := r.Outcome; o != nil {
		p.ByKind, p.Took = string(o.By.Kind), o.At.Sub(r.CreatedAt)
		// A person was asked unless a rule decided or the session was only observed.
		p.Prompted = o.By.Kind != broker.ByRule && o.By.Kind != broker.ByObserve
		if o.By.Kind == broker.ByRule {
			p.ByRule = o.By.ID
		}
	}
	return p
}

// place is where a call of a project was made. Following the links of a folder costs time,
// and most calls of a run come from a few folders, so places are kept.
func (h *history) place(project, cwd string) risk.Place {
	key := project + "\x00" + cwd
	at, ok := h.places[key]
	if !ok {
		// A full map is dropped whole. The calls come by time, so the folders of late calls
		// are others.
		if len(h.places) >= maxPlaces || h.places == nil {
			h.places = map[string]risk.Place{}
		}
		at = workspace.PlaceOf(project, cwd, h.known.Home, h.known.Guarded)
		h.places[key] = at
	}
	return at
}

// maxPlaces bounds the memory of a history, in places.
const maxPlaces = 64

// sessionProjects says which project each recorded session belongs to: rules look at the
// project, and a recorded call has only its session. A session without one has "".
func sessionProjects(ctx context.Context, r *store.Reader) (map[string]string, error) {
	list, err := r.Sessions(ctx, broker.SessionFilter{Limit: 1_000_000})
	if err != nil {
		return nil, fmt.Errorf("read the sessions: %w", err)
	}
	m := make(map[string]string, len(list))
	for _, s := range list {
		m[s.ID] = s.ProjectDir
	}
	return m, nil
}

// testReport is what test prints. Findings are about the rules alone and come without any
// history; the list is never null.
type testReport struct {
	ruleshistory.Report
	Findings []rules.Finding `json:"findings"`
}

// print puts the calls that a person denied and that would now run first, with a sign of
// their own: they are the reason to try rules before they hold. The order of t.Changes is
// the report's.
func (t testReport) print(out io.Writer, as *output.Format, list []rules.Rule) error {
	if as.On() {
		return as.Print(out, t)
	}
	// Counts come first, since most trials end with them: nothing changed.
	lines := []string{
		fmt.Sprintf("%s recorded: %d allowed, %d denied, %d asked by the rules", figures.Plural(t.Calls, "call"), t.After.Allow, t.After.Deny, t.After.Ask),
		fmt.Sprintf("questions to a person: %d before, %d after; %s judged otherwise", t.PromptsBefore, t.PromptsAfter, figures.Plural(t.Changed, "call")),
	}
	for _, c := range t.Changes {
		mark := "   "
		if c.Worse {
			mark = " ! "
		}
		lines = append(lines, fmt.Sprintf("%s%s → %s  %s %s  (%s, %s%s)", mark, c.From, c.To, c.Tool, oneLine(c.Text), c.Was, c.At.Local().Format("2006-01-02 15:04"), because(c, list)))
	}
	lines = append(lines, t.about(list)...)
	for _, line := range lines {
		if err := show.Line(out, safe.Line(line)); err != nil {
			return err
		}
	}
	return nil
}

// because says what a call does, and which rule says so of it now.
func because(c ruleshistory.Change, list []rules.Rule) (text string) {
	if c.Effects != 0 {
		text = "; does " + c.Effects.String()
	}
	if c.ToRule != "" {
		text += "; by the rule " + ruleWord(c.ToRule, list)
	}
	return text
}

// about says what is odd about the rules themselves. Where no call is on record every rule
// matches nothing, and that is no news. The lines are not safe for a terminal yet.
func (t testReport) about(list []rules.Rule) (lines []string) {
	if t.Calls > 0 {
		for _, id := range t.Dead {
			lines = append(lines, "matches nothing: "+id+"  "+ruleWord(id, list))
		}
	}
	for _, f := range t.Findings {
		line := fmt.Sprintf("%s: %s  %s: %s", f.Kind, f.ID, ruleWord(f.ID, list), f.Why)
		if f.Other != "" {
			line += fmt.Sprintf(": %s  %s", f.Other, ruleWord(f.Other, list))
		}
		lines = append(lines, line)
	}
	return lines
}

// suggestOptions are the flags of "aoctl rule suggest".
type suggestOptions struct {
	since     string
	max, hits int
	json      output.Format
}

// newSuggestCommand makes "rules suggest". It prints a file and adds nothing: a person
// reads each rule before it allows calls. Nor does it change the record.
func newSuggestCommand() *cobra.Command {
	var o suggestOptions
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "Find the few narrow rules that would have saved most questions",
		Long: `suggest looks at the recorded calls that a person allowed, and at those that ran while
their session was only observed. It prints, as a rules file, the narrow rules that would
have saved most of those questions: first what calls may do in a project, then rules about
words. No such rule allows a call that was ever denied. suggest adds nothing: read the
file, then import it. In the console P shows such rules, but none for what nobody knows.`,
		Example: "  aoctl rule suggest\n  aoctl rule suggest --since 30d > new.toml && aoctl rule test --add new.toml",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return suggestRules(cmd, o)
		},
	}
	cmd.Flags().StringVar(&o.since, "since", historySince, "recorded calls from then on: 30d, 2026-11-02, or RFC 3339")
	cmd.Flags().IntVarP(&o.max, "max", "n", 10, "at most this many rules")
	cmd.Flags().IntVar(&o.hits, "hits", 3, "only rules that would have saved this many questions")
	output.Flags[ruleshistory.Suggestion](cmd, &o.json, "print a JSON array")
	return cmd
}

// suggestRules looks for rules beside those in force, so that nothing is suggested that a
// rule allows already. Three calls alike are the least that is worth a rule, unless --hits
// says another number.
func suggestRules(cmd *cobra.Command, o suggestOptions) error {
	since, err := usage.ParseSince("--since", o.since, time.Now())
	if err != nil {
		return err
	}
	if o.max < 1 || o.hits < 1 {
		return usage.Error{Text: "--max and --hits must be at least 1", Hint: "such as --max 10 --hits 3"}
	}
	return state.WithRules(cmd.Context(), "", func(k *state.Rulebook) error {
		current, err := k.Set()
		if err != nil {
			return err
		}
		h := &history{known: k, since: since}
		list := ruleshistory.Suggest(h.calls(cmd.Context()), current, time.Now(), ruleshistory.SuggestOptions{Max: o.max, MinHits: o.hits})
		if h.err != nil {
			return h.err
		}
		if err := printSuggestions(cmd.OutOrStdout(), list, &o.json); err != nil {
			return err
		}
		if width, _ := show.Terminal(cmd.OutOrStdout()); width == 0 || o.json.On() || len(list) == 0 {
			return nil
		}
		return show.Line(cmd.OutOrStdout(), howToTake(cmd))
	})
}

// howToTake is the last line for a person, who has read the rules: what to type to have
// them. The flags that were given are in it, so that the file has the same rules.
func howToTake(cmd *cobra.Command) string {
	return "\n# to take them: aoctl rule suggest" + usage.Given(cmd) + " > new.toml, leave in it what you want, then: aoctl rule import new.toml"
}

// printSuggestions prints a rules file with one header. The texts of calls come from
// agents, so they are cut to one line and stand in comments, where they cannot become
// rules. With nothing to suggest the output is a comment too, so that it can be imported
// all the same.
func printSuggestions(out io.Writer, list []ruleshistory.Suggestion, as *output.Format) error {
	if as.On() {
		return as.Print(out, list)
	}
	if len(list) == 0 {
		return show.Line(out, "# nothing to suggest: too few calls alike were allowed by hand")
	}
	if err := show.Text(out, rulesfile.Header); err != nil {
		return err
	}
	for _, s := range list {
		text := fmt.Sprintf("\n# %s\n# saves %s in %s, last on %s\n", safe.Line(show.Rule(s.Rule)), figures.Plural(s.Saves, "question"), figures.Plural(s.Sessions, "session"), s.Last.Local().Format(time.DateOnly))
		for _, e := range s.Examples {
			text += "#   " + oneLine(e) + "\n"
		}
		if err := show.Text(out, text+string(rulesfile.FormatOne(s.Rule))); err != nil {
			return err
		}
	}
	return nil
}

// oneLine shortens a text to what fits beside others, and makes it safe. A newline becomes
// a sign, so the rest of the text cannot leave the comment that it stands in.
func oneLine(text string) string { return safe.Head(text, 100) }
