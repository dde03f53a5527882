package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/install"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// options is what aoctl doctor goes by. socket is "" when nobody can say where it
// would be, as without a home; the first check tells that.
type options struct {
	project  string
	settings string
	socket   string
	fix      bool
	full     bool
	noDrill  bool
	verbose  bool // all that was seen, also where it is well
	json     output.Format
	actions  []config.Action // that the settings file may give a key
	drill    string          // run this agent itself, and nothing else
}

// newDoctorCommand declares "doctor". --drill is told from the rest by being given, so
// that an empty name is an error and not an examination.
func newDoctorCommand(actions []config.Action) *cobra.Command {
	o := options{actions: actions}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that nothing bypasses aoctl, by trying",
		Long: `doctor checks that nothing bypasses aoctl, by trying. It looks at every part that a
call passes through: the console's socket, the database, the agents, the hooks in
their settings, the files of this project that could switch hooks off, and the rules.
Where a part is not well, it says what to do.

Then it drills: it runs the installed hook command with no console, with a console
where nobody answers, with one that says nothing, and with the hook program missing.
Each time the call must be refused; a hook that lets it through is OPEN. The drill
uses a folder, a socket and a database of its own.

--drill AGENT runs the agent itself, and nothing else. Its program makes a call in a
temporary folder and home, against a built-in scripted model, without your settings,
network or account. A file shows whether the call ran: without a hook (it must), with
the hook and no console, denied, and allowed. With --full it also lets a call wait
unanswered to the end, which takes ten minutes.

--fix repairs what needs no person: modes of aoctl's own files, and hooks that differ
from those that aoctl writes (it keeps a backup). Exit code 1 means that something
failed, 0 that nothing did; warnings do not count.`,
		Example: "  aoctl doctor\n  aoctl doctor --fix\n  aoctl doctor --project ~/src/shop --jq '.checks[] | select(.status == \"fail\")'\n  aoctl doctor --drill gemini\n  aoctl doctor --drill qwen --full",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.read(cmd); err != nil {
				return err
			}
			if cmd.Flags().Changed("drill") {
				return drillAgent(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return runDoctor(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.project, "project", "", "the `DIR` of the project to look at; the current one when not given")
	f.StringVar(&o.settings, "settings", "", "also look at this settings `FILE` of Claude Code")
	f.BoolVar(&o.fix, "fix", false, "repair what needs no person")
	f.BoolVar(&o.full, "full", false, "read the whole database and the whole log, however large; with --drill, wait to the end")
	f.BoolVar(&o.noDrill, "no-drill", false, "do not run the installed hook commands")
	f.BoolVar(&o.verbose, "verbose", false, "print all that was seen, also where all is well")
	output.Flags[examination](cmd, &o.json, "print a JSON object")
	f.StringVar(&o.drill, "drill", "", "run this `AGENT` itself against a scripted model, and see whether its calls are held")
	_ = cmd.RegisterFlagCompletionFunc("drill", cobra.FixedCompletions(install.Agents(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return cmd
}

// read completes o and checks it. Paths become absolute: the report names them, and
// hooks are run in another folder.
func (o *options) read(cmd *cobra.Command) error {
	if cmd.Flags().Changed("drill") && (o.fix || o.noDrill || o.settings != "") {
		return usage.Error{Text: "--drill runs an agent and does nothing else", Hint: "leave out --fix, --no-drill and --settings"}
	}
	dir, err := filepath.Abs(o.project)
	if err != nil {
		return usage.Error{Text: "the path of the current folder is unknown", Hint: "name one with --project"}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usage.Error{Text: fmt.Sprintf("--project %s is not a folder", dir)}
	}
	o.project = dir
	if err := o.readSettings(); err != nil {
		return err
	}
	o.socket, err = client.SocketPath(cmd)
	if err != nil {
		o.socket = "" // the first check says so
	}
	return nil
}

// readSettings makes sure that a settings file that was named is there: with none,
// nothing would be wrong with it. Who names a file wants to know of that one. A file
// of that name which is empty or broken is for the agents' section to report.
func (o *options) readSettings() (err error) {
	if o.settings == "" {
		return nil
	}
	named := o.settings
	if o.settings, err = filepath.Abs(named); err != nil {
		return usage.Error{Text: "the path of the settings file is unknown", Hint: "give its whole path"}
	}
	info, err := os.Stat(o.settings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usage.Error{Text: fmt.Sprintf("--settings %s is not there", named), Hint: "name a settings file of Claude Code"}
	case err != nil:
		return usage.Error{Text: fmt.Sprintf("--settings %s cannot be read: %v", named, exit.RootCause(err))}
	case info.IsDir():
		return usage.Error{Text: fmt.Sprintf("--settings %s is a folder", named), Hint: "name a settings file of Claude Code"}
	}
	return nil
}

// runDoctor looks, mends when asked to and looks again, and reports. The first look is
// a quick one without the drill, because what is mended may change what the drill
// shows. An examination that was interrupted is not printed.
//
// out gets the report, said the line that shows what runs now. The exit code is 1 when
// a check failed and 0 when there were warnings only. --fix is given once and looks
// twice, so it takes longer.
func runDoctor(ctx context.Context, o options, out, said io.Writer) error {
	progress := terminal.StartProgress(said, "checking", len(profile.All())+otherParts)
	defer progress.Stop()
	var fixed []string
	if o.fix {
		before := o
		before.noDrill = true
		fixed = mend(examine(ctx, before, true, nil))
	}
	e := examine(ctx, o, false, progress)
	progress.Stop()
	if ctx.Err() != nil {
		return exit.Error{Code: exit.Failed, Text: "interrupted", Cause: ctx.Err()} // half a drill would look like a hole
	}
	e.Fixed, e.verbose = append([]string{}, fixed...), o.verbose
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

// hint says what comes next: --fix where it would help and was not given, else the
// cures.
func hint(o options, e *examination) string {
	if !o.fix && e.mendable() {
		return "repair some of it with: aoctl doctor --fix"
	}
	return "each of them has its cure below it"
}

// mend does what the checks of e offer, each once, and says what was done, a sentence
// each. Two checks with the same Key offer the same repair. One that fails keeps no
// other from being done, and the look that follows shows what is still wrong. A
// program in a temporary folder is not written into settings, and that is said as what
// it is.
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
			did = append(did, "not repaired: "+c.Seen+" ("+err.Error()+")")
		case err != nil:
			did = append(did, "could not be repaired: "+err.Error())
		case text != "":
			did = append(did, text)
		}
	}
	return did
}

// ownProgram is what an installation would write now; without one, hooks are not
// mended. A program in a temporary folder, such as a test's, is no program to write
// into settings.
func ownProgram() install.Program {
	p, err := install.FindProgram(os.Args[0])
	if err != nil {
		return install.Program{}
	}
	return p
}
