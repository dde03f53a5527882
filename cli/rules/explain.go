package rules

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// explainOptions are the flags of "aoctl rule explain": the parts of a call that nobody
// made, and "" for what is to be as it is here.
type explainOptions struct {
	tool, input, cwd, project, session, agent, file string
	json                                            output.Format
}

// newExplainCommand makes "rules explain". It takes the call in parts, as flags, so that a person
// can ask about a call that nobody has made.
func newExplainCommand() *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain COMMAND",
		Short: "Say what the rules would do with a call, and why",
		Long: `explain shows the parts of a call, the rules that match each part, the risk and the
verdict. It asks nobody, and it records and counts nothing. COMMAND is a command line;
for other tools it is the file or the URL, or --input gives the whole input.

With --json it prints one object with verdict (allow, deny or ask), reason, rule, risk
and elements.`,
		Example: `  aoctl rule explain 'npm run test && git push origin dev'
  aoctl rule explain --tool Edit src/main.go
  aoctl rule explain --tool mcp__github__create_issue --input '{"title":"x"}'
  aoctl rule explain --rules new.toml --json 'curl https://example.com | sh'`,
		// What an argument means depends on the tool, so the error can only be worded when
		// the flags are known.
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && o.input != "" {
				return nil
			}
			what := "a command line"
			if _, runs := rules.CommandParam(o.tool); !runs {
				what = "a file or a URL for " + safe.Line(o.tool) + ", or --input"
			}
			return usage.OneArg(what)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return explain(cmd, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.tool, "tool", "Bash", "the agent's name for the tool")
	f.StringVar(&o.input, "input", "", "the tool's input as a JSON object, in place of COMMAND")
	f.StringVar(&o.cwd, "cwd", "", "folder that the call runs in (the current one)")
	f.StringVar(&o.project, "project", "", "the project's folder (the same as --cwd)")
	f.StringVar(&o.session, "session", "", "as if this session asked (its name, id or folder)")
	_ = cmd.RegisterFlagCompletionFunc("session", state.CompleteSessions)
	f.StringVar(&o.agent, "agent", "claude", "as if an agent of this kind asked")
	f.StringVar(&o.file, "rules", "", "judge by the rules of this file only")
	output.Flags[explained](cmd, &o.json, "print a JSON object")
	return cmd
}

// explained is what --json prints: the judgement as package rules has it, beside an id.
type explained struct {
	ID string `json:"id"` // the digest of the call: the same digest is the same call
	rules.Assessment
}

// explain judges the call of the arguments by the rules in force, or by those of a file,
// and prints which rule spoke about which part of it. Nothing is run, and no console is
// needed. Paths are looked at as they are on the disk, since a link may lead out of the
// project.
func explain(cmd *cobra.Command, o explainOptions, args []string) error {
	cwd, project, err := o.folders()
	if err != nil {
		return err
	}
	input, err := o.callInput(args)
	if err != nil {
		return err
	}
	return state.WithRules(cmd.Context(), project, func(k *state.Rulebook) error {
		if o.file != "" {
			if k.All, err = readFile(o.file); err != nil {
				return err
			}
			// The log's problem is about the rules in force; these come from the file
			// alone.
			k.All, k.Problem = numbered(k.All), ""
		}
		set, err := k.Set()
		if err != nil {
			return err
		}
		session, agent, err := sessionOf(cmd.Context(), k, o.session, o.agent)
		if err != nil {
			return err
		}
		// The judgement counts no use of a rule: it works on rules that were compiled for
		// this command.
		a := set.Judge(rules.Prepare(k.Question(o.tool, input, cwd, session, agent)), time.Now())
		// With a log that does not verify, rules that allow do not count. Those that refuse
		// still do, and explain must not promise more than the console would do.
		if a.Verdict == rules.Allow && k.Problem != "" {
			a.Verdict, a.Rule, a.Reason = rules.Ask, "", k.Problem
		}
		if o.json.On() {
			return o.json.Print(cmd.OutOrStdout(), explained{broker.Digest(o.tool, input, cwd), a})
		}
		return printAssessment(cmd.OutOrStdout(), a, k.All)
	})
}

// folders are the call's folder and its project's, absolute. Without --project the call's
// folder is the project, and without --cwd that is the current one.
func (o explainOptions) folders() (cwd, project string, err error) {
	for _, f := range []struct{ flag, path string }{{"--cwd", o.cwd}, {"--project", o.project}} {
		if f.path == "" {
			continue
		}
		if info, err := os.Stat(f.path); err != nil || !info.IsDir() {
			return "", "", usage.Error{Text: fmt.Sprintf("%s %s is not a folder", f.flag, f.path), Hint: "name a folder that exists"}
		}
	}
	// Abs of "" is the current folder.
	if cwd, err = filepath.Abs(o.cwd); err != nil {
		return "", "", fmt.Errorf("find the current folder: %w", err)
	}
	if o.project == "" {
		return cwd, cwd, nil
	}
	project, err = filepath.Abs(o.project)
	return cwd, project, err
}

// mainParams say for well-known tools which parameter the argument is. The names are those
// of the agents' own tools; a tool that is not here needs --input.
var mainParams = map[string]string{
	"Read": "file_path", "Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path",
	"WebFetch": "url", "WebSearch": "query", "Grep": "path", "Glob": "path", "LS": "path",
}

// mainParam is the parameter that a bare argument stands for, and whether there is one.
// Tools that run commands come first: which those are, and by what name, package rules
// knows.
func mainParam(tool string) (string, bool) {
	if p, ok := rules.CommandParam(tool); ok {
		return p, true
	}
	p, ok := mainParams[tool]
	return p, ok
}

// callInput is the input of the call: the JSON of --input, else an object with the argument
// as the main parameter of the tool. --input goes to the rules as it was typed; that it is
// one object is all that is checked here.
func (o explainOptions) callInput(args []string) (json.RawMessage, error) {
	if o.input != "" {
		var object map[string]json.RawMessage
		if len(args) > 0 || json.Unmarshal([]byte(o.input), &object) != nil {
			return nil, usage.Error{Text: "--input takes one JSON object, in place of the argument", Hint: `such as --input '{"file_path":"a.go"}'`}
		}
		return json.RawMessage(o.input), nil
	}
	param, ok := mainParam(o.tool)
	if !ok {
		return nil, usage.Error{Text: fmt.Sprintf("aoctl does not know which input of %s the argument stands for", o.tool), Hint: "give the whole input with --input"}
	}
	raw, err := json.Marshal(map[string]string{param: args[0]})
	return raw, err
}

// printAssessment prints the verdict first, then each element with the rule that decided
// it, and last all rules that match: those that lost explain why the verdict is not another
// one. list is where rules are named from.
func printAssessment(out io.Writer, a rules.Assessment, list []rules.Rule) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", a.Verdict, a.Reason)
	fmt.Fprintf(&b, "risk: %s", a.Class)
	if a.Why != "" && a.Class != risk.Normal {
		fmt.Fprintf(&b, ", %s", a.Why)
	}
	b.WriteString("\n\n")
	if err := show.Text(out, b.String()); err != nil {
		return err
	}
	list = append(slices.Clone(list), rules.LookGrant()) // the last one that speaks
	t := &show.Table{Head: []string{"VERDICT", "KIND", "ELEMENT", "DOES", "RULE", "WHY"}, Spare: []string{"KIND", "RULE", "DOES"}}
	// An element is one part of the call that was judged by itself: a command of a
	// pipeline, a path, a URL.
	for _, e := range a.Elements {
		verdict := string(e.Verdict)
		// A neutral part, such as "cd" or an assignment, has no verdict that counts: it
		// neither allows nor refuses.
		if e.Neutral {
			verdict = "-"
		}
		t.Add(verdict, e.Kind, elementText(e), cmp.Or(e.Effects.String(), "-"), ruleWord(e.Rule, list), e.Why)
	}
	if err := t.Print(out); err != nil {
		return err
	}
	return printMatches(out, a, list)
}

// elementText is what an element does, wrappers in front: a path with where it really
// leads, a command with its words, anything else as its text. It is not safe for a terminal
// yet; a table makes it so.
func elementText(e rules.Judged) string {
	text := e.Text
	if len(e.Argv) > 0 {
		text = strings.Join(e.Argv, " ")
	}
	if e.Path != "" {
		text = e.Path
		if e.Real != "" && e.Real != e.Path {
			text += " → " + e.Real
		}
	}
	if len(e.Via) > 0 {
		text = strings.Join(e.Via, " › ") + " › " + text
	}
	return text
}

// ruleWord is a rule in words. An id that is not in list is printed as it is, since
// built-in rules have names instead of ids. "-" means that no rule spoke.
func ruleWord(id string, list []rules.Rule) string {
	switch id {
	case "":
		return "-"
	case rules.BuiltinLook:
		return "look (built in)"
	}
	for _, r := range list {
		if r.ID == id {
			return show.Rule(r)
		}
	}
	return id
}

// printMatches lists all rules that match anything in the call: those that speak, and those
// that match and may not allow it. The second kind is what people look for when a rule
// "does nothing".
func printMatches(out io.Writer, a rules.Assessment, list []rules.Rule) error {
	seen, idle := map[string]bool{}, map[string]bool{}
	// One rule may match several elements, and is listed once.
	for _, e := range a.Elements {
		for _, id := range e.Matches {
			seen[id] = true
		}
		for _, id := range e.Idle {
			idle[id] = true
		}
	}
	if len(seen)+len(idle) == 0 {
		return show.Line(out, "\nno rule matches")
	}
	if err := printRules(out, "matching rules, the first decides", seen, list); err != nil {
		return err
	}
	return printRules(out, "matching rules that may not allow this", idle, list)
}

// printRules prints those of list whose ids are chosen, under a title. It goes through list
// and not through chosen, because the order of the list is the order in which rules decide.
func printRules(out io.Writer, title string, chosen map[string]bool, list []rules.Rule) error {
	if len(chosen) == 0 {
		return nil
	}
	if err := show.Line(out, "\n"+title+":"); err != nil {
		return err
	}
	for _, r := range list {
		if chosen[r.ID] {
			if err := show.Line(out, safe.Line(fmt.Sprintf("  %s  %d  %s  %s  (%s)", r.ID, r.Priority, r.Decision, show.Rule(r), show.Scope(r.Scope)))); err != nil {
				return err
			}
		}
	}
	return nil
}

// readFile reads a file of rules as a person wrote it; "-" is standard input. A file with
// one thing wrong in it gives no rules at all, and the error names the line.
func readFile(path string) ([]rules.Rule, error) {
	data, err := readAll(path)
	if err != nil {
		return nil, usage.Error{Text: fmt.Sprintf("cannot read %s: %v", path, exit.RootCause(err)), Hint: "name a rules file, as written by: aoctl rule export"}
	}
	list, err := rulesfile.Parse(data)
	if err != nil {
		hint := "nothing was changed; docs/rules.md describes the format"
		// JSON is what people have who come from an agent's own settings.
		if json.Valid(data) {
			hint = `nothing was changed; rules are TOML. Claude Code's own settings are read with "aoctl rules import claude"`
		}
		return nil, usage.Error{Text: fmt.Sprintf("%s: %v", path, err), Hint: hint}
	}
	return list, nil
}

// numbered gives rules without an id one for this run, so that they can be told apart. It
// changes list itself, which is fresh from a file. The ids go into no database.
func numbered(list []rules.Rule) []rules.Rule {
	for i := range list {
		if list[i].ID == "" {
			list[i].ID = fmt.Sprintf("rule-%d", i+1)
		}
	}
	return list
}

// maxFile bounds what is read from a file that a command line names.
const maxFile = 4 << 20

// readAll reads a file, or standard input for "-"; at most maxFile bytes. More is an error
// and not cut: half a rules file may be a valid one that allows more.
func readAll(path string) ([]byte, error) {
	in := os.Stdin
	if path != "-" {
		f, err := os.Open(path) //nolint:gosec // the user named it
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return data, err
}

// sessionOf finds the session that ref names, as its id and its agent; "" is none. agent is
// the kind to take where the session does not say its own. Without a database no session
// can be found, and naming one is an error.
func sessionOf(ctx context.Context, k *state.Rulebook, ref, agent string) (id, kind string, err error) {
	if ref == "" {
		return "", agent, nil
	}
	var list []broker.Session
	if k.Reader != nil {
		if list, err = k.Reader.Sessions(ctx, broker.SessionFilter{Limit: 1_000_000}); err != nil {
			return "", "", fmt.Errorf("read the sessions: %w", err)
		}
	}
	s, err := client.FindSession(list, ref, client.Recorded...)
	return s.ID, cmp.Or(s.Agent, agent), err
}
