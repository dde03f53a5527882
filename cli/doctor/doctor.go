package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/hookclient/install"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
)

// options is what aoctl doctor goes by.
type options struct {
	project  string
	settings string
	socket   string
	fix      bool
	full     bool
	noDrill  bool
	json     output.Format
	drill    string // run this agent itself, and nothing else
}

func newDoctorCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that the gates hold: console, database, agents, hooks",
		Long: `doctor looks at everything that an agent's call goes through, and says of each part
whether it is well, with a cure where it is not: the console's socket, the database,
the agents, the hooks in their settings, what in this project could silence them,
and the rules.

Then it drills: it runs the installed hook command against a console that is not
there, one where nobody answers, one that says nothing, and with the hook program
missing. Each time the call must be refused; what lets one through is OPEN. The
drill has a folder, a socket and a database of its own.

--drill AGENT runs the agent itself, and nothing else: its program makes a call in a
temporary folder and home, against a built-in scripted model, without your settings,
network or account. A file tells whether the call ran: without a hook (it must), with
the hook and no console, denied, and allowed. With --full, nobody answers to the end
of the hook's wait, which takes ten minutes.

--fix mends what can be mended without a person: modes of aoctl's own files, and
hooks that are not as aoctl writes them (a backup is kept). Exit code 1 means that
something failed, 0 that nothing did; warnings do not count.`,
		Example: "  aoctl doctor\n  aoctl doctor --fix\n  aoctl doctor --project ~/src/shop --json | jq '.checks[] | select(.status == \"fail\")'\n  aoctl doctor --drill gemini\n  aoctl doctor --drill qwen --full",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.read(cmd); err != nil {
				return err
			}
			if cmd.Flags().Changed("drill") {
				return drillAgent(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return runDoctor(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.project, "project", "", "the `DIR` of the project to look at; the current one when not given")
	f.StringVar(&o.settings, "settings", "", "also look at this settings `FILE` of Claude Code")
	f.BoolVar(&o.fix, "fix", false, "mend what can be mended without a person")
	f.BoolVar(&o.full, "full", false, "read the whole database and the whole log, however large; with --drill, wait to the end")
	f.BoolVar(&o.noDrill, "no-drill", false, "do not run the installed hook commands")
	output.Flags[examination](cmd, &o.json, "print a JSON object")
	f.StringVar(&o.drill, "drill", "", "run this `AGENT` itself against a scripted model, and see whether its gate holds")
	_ = cmd.RegisterFlagCompletionFunc("drill", cobra.FixedCompletions(install.Agents(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return cmd
}

// read completes o and checks it.
func (o *options) read(cmd *cobra.Command) error {
	if cmd.Flags().Changed("drill") && (o.fix || o.noDrill || o.settings != "") {
		return usage.Error{Text: "--drill runs an agent and does nothing else", Hint: "leave out --fix, --no-drill and --settings"}
	}
	dir, err := filepath.Abs(o.project)
	if err != nil {
		return usage.Error{Text: "the current folder cannot be told", Hint: "name one with --project"}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usage.Error{Text: fmt.Sprintf("--project %s is no folder", dir)}
	}
	o.project = dir
	if o.settings != "" {
		if o.settings, err = filepath.Abs(o.settings); err != nil {
			return usage.Error{Text: "the settings file cannot be told", Hint: "give its whole path"}
		}
	}
	o.socket, err = client.SocketPath(cmd)
	if err != nil {
		o.socket = "" // the first check says so
	}
	return nil
}

// runDoctor looks, mends when asked to and looks again, and reports.
func runDoctor(ctx context.Context, o options, out io.Writer) error {
	var fixed []string
	if o.fix {
		before := o
		before.noDrill = true
		fixed = mend(examine(ctx, before, true))
	}
	e := examine(ctx, o, false)
	if ctx.Err() != nil {
		return exit.Error{Code: exit.Failed, Text: "interrupted", Cause: ctx.Err()} // half a drill would look like a hole
	}
	e.Fixed = append([]string{}, fixed...)
	if err := e.print(out, &o.json); err != nil {
		return err
	}
	if e.Failed == 0 {
		return nil
	}
	return exit.Error{
		Code: exit.Failed, Text: fmt.Sprintf("%d of %d checks failed", e.Failed, e.OK+e.Warned+e.Failed),
		Hint: hint(o, e),
	}
}

// hint says what comes next.
func hint(o options, e *examination) string {
	if !o.fix && e.mendable() {
		return "some of it can be mended with: aoctl doctor --fix"
	}
	return "what to do stands below each of them"
}

// mend does what the checks of e offer, each once, and says what was done.
func mend(e *examination) []string {
	var did []string
	seen := map[string]bool{}
	for _, c := range e.Checks {
		if c.repair == nil || seen[c.repair.Key] || c.Status != agentcheck.Warn && c.Status != agentcheck.Fail {
			continue
		}
		seen[c.repair.Key] = true
		text, err := c.repair.Do()
		switch {
		case errors.Is(err, install.ErrTemporary):
			did = append(did, "not mended: "+c.Seen+" ("+err.Error()+")")
		case err != nil:
			did = append(did, "could not be mended: "+err.Error())
		case text != "":
			did = append(did, text)
		}
	}
	return did
}

// examine runs every check. quick leaves out what only informs and takes time.
func examine(ctx context.Context, o options, quick bool) *examination {
	e := &examination{Version: version.Read(), Project: o.project, Checks: []check{}}
	e.section("console")
	e.console(ctx, o)
	e.settings(o)
	e.section("database")
	e.database(ctx, o)
	program := ownProgram()
	program.Console.Socket = o.socket
	reports := agentcheck.All(ctx, agentcheck.Options{
		Project: o.project, Settings: o.settings, Program: program, Now: time.Now(), Quick: quick,
	})
	var gates []agentcheck.GateHook
	for _, r := range reports {
		e.section(r.Agent)
		for _, f := range r.Findings {
			e.addFinding(f)
		}
		gates = append(gates, r.Gates...)
	}
	e.section("drill")
	if !o.noDrill {
		e.drill(ctx, gates)
	}
	e.section("rules")
	e.rules(ctx, o)
	return e
}

// ownProgram is what an installation would write now; without one, hooks are not mended.
func ownProgram() install.Program {
	p, err := install.FindProgram(os.Args[0])
	if err != nil {
		return install.Program{}
	}
	return p
}
