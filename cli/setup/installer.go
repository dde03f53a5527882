package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/tui/figures"
)

// installer carries out one "aoctl install" or "aoctl uninstall". It is used once, by
// one goroutine; a copy of it with DryRun says what an installation would do. The
// flags that do not change for an agent stand in o from the start.
type installer struct {
	o         install.Options // Agent is set for each one in turn
	invoked   string          // as this program was called
	trust     bool            // Codex is to trust its hooks
	remove    bool            // uninstall
	json      output.Format
	in        io.Reader
	out, warn io.Writer
	warned    map[string]bool   // what was said already
	versions  map[string]string // of the agents that were asked; see ask
}

// installOutcome is what became of one agent, as --json prints it. The names are a
// promise to scripts. Error may stand beside Changed: the hooks are written then, and
// do not hold. The fields that say nothing of an agent are left out.
//
// ID and Agent are the same: lists of all commands have an id.
type installOutcome struct {
	ID       string   `json:"id"` // the agent, by which other commands name it
	Agent    string   `json:"agent"`
	Title    string   `json:"title"`
	File     string   `json:"file"`
	Changed  bool     `json:"changed"`
	Created  bool     `json:"created,omitempty"`
	Deleted  bool     `json:"deleted,omitempty"`
	Restored bool     `json:"restored,omitempty"`
	Removed  int      `json:"removed,omitempty"` // hooks
	Backup   string   `json:"backup,omitempty"`
	Backups  []string `json:"backups,omitempty"` // copies that a removal leaves beside the file
	Gates    []string `json:"gates,omitempty"`
	Watches  []string `json:"watches,omitempty"`
	Trusted  int      `json:"trusted,omitempty"` // hooks that Codex was told to trust
	DryRun   bool     `json:"dry_run,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Error    string   `json:"error,omitempty"`

	report install.Report
	err    error // of Codex's trust
}

// run does what the arguments say: one agent, all that are found, or what is chosen.
// The flags that make no sense together are refused before anything is written.
// Without an argument it asks.
//
// Errors: usage.Error for flags that do not go together, else those of one, all or
// offer.
func (i *installer) run(cmd *cobra.Command, args []string) error {
	if i.trust && len(args) == 1 && args[0] != "codex" && args[0] != allAgents {
		return usage.Error{Text: "only Codex trusts hooks one by one", Hint: "leave --trust out"}
	}
	if i.trust && i.o.Scope != install.User {
		return usage.Error{Text: "--trust goes with your own settings of Codex", Hint: "trust hooks in other files with /hooks in codex"}
	}
	switch {
	case len(args) == 0 && i.remove:
		return i.offerRemoval(cmd.Context())
	case len(args) == 0:
		return i.offer(cmd.Context())
	case args[0] == allAgents:
		return i.all(cmd.Context(), i.found())
	}
	i.o.Agent = args[0]
	return i.one(cmd.Context())
}

// found are the agents that "all" means: those on the machine, and for a removal every
// one, since an agent may have gone before its hooks.
func (i *installer) found() []string {
	if i.remove {
		return install.Agents()
	}
	var names []string
	for _, f := range install.Find() {
		names = append(names, f.Agent)
	}
	return names
}

// one does it for i.o.Agent and reports. When the file was written and something else
// failed, it says both: what was done, and the error. Without a file nothing was done,
// and the error alone is printed.
func (i *installer) one(ctx context.Context) error {
	done, err := i.do(ctx)
	if err != nil && done.report.File == "" {
		return installError(err)
	}
	if i.json.On() {
		if err != nil {
			done.Error = err.Error()
		}
		if e := i.json.Print(i.out, []installOutcome{done}); e != nil {
			return e
		}
		return installError(err)
	}
	if e := i.say(done); e != nil {
		return e
	}
	return installError(err)
}

// all does it for each of names; one that fails does not keep the others from it. Each
// is told as it is done. The error at the end names those that failed, as the problem
// of each was printed already.
//
// The agents are asked for their versions all at once before the first is done, as
// that is what takes time. In JSON nothing is printed before the end, so that it is
// one array.
//
// An agent that fails is named with its reason, and the exit code is 1 in the end.
// When only Codex's trust is missing, that error is returned as it is, because it has
// its own cure.
func (i *installer) all(ctx context.Context, names []string) error {
	if len(names) == 0 {
		if i.json.On() {
			return i.json.Print(i.out, []installOutcome{})
		}
		_, err := io.WriteString(i.out, show.Fit(i.out, "No agent that aoctl knows was found on this machine.\n"+knownAgents()))
		return err
	}
	if !i.remove {
		i.ask(ctx, names...)
	}
	list := []installOutcome{}
	var failed []string
	var last error
	for n, name := range names {
		i.o.Agent = name
		done, err := i.do(ctx)
		if err != nil {
			done.ID, done.Agent, done.Title, done.Error = name, name, install.Title(name), err.Error()
			failed = append(failed, done.Title)
			last = err
		}
		list = append(list, done)
		if i.json.On() || i.remove && !done.Changed && err == nil {
			continue
		}
		if n > 0 && len(list) > 1 {
			_, _ = io.WriteString(i.out, "\n") // the next write reports it
		}
		if err != nil {
			text, hint := problemText(err)
			exit.PrintProblem(i.warn, done.Title+": "+text, hint)
		}
		if done.report.File != "" {
			if e := i.say(done); e != nil {
				return e
			}
		}
	}
	if i.json.On() {
		if err := i.json.Print(i.out, list); err != nil {
			return err
		}
	} else if i.remove && !anyChanged(list) && len(failed) == 0 {
		if _, err := io.WriteString(i.out, "Nothing of aoctl is installed.\n"); err != nil {
			return err
		}
	}
	switch {
	case len(failed) == 1 && errors.Is(last, errNotTrusted):
		return last
	case len(failed) > 0:
		return exit.Error{
			Code: exit.Failed, Text: fmt.Sprintf("%d of %s not done: %s", len(failed), figures.Plural(len(names), "agent"), strings.Join(failed, ", ")),
			Hint: "the others are done; see above what to do",
		}
	}
	return nil
}

// anyChanged reports whether anything was done, for the sentence that says that
// nothing was.
func anyChanged(list []installOutcome) bool {
	for _, o := range list {
		if o.Changed {
			return true
		}
	}
	return false
}

// do installs or removes for i.o.Agent. With an error, a report with a file says what
// was done before it. A dry run that would not hold calls is a warning; the real one
// is an error. Codex is told to trust its hooks last, when the file is as it stays.
//
// Warnings are the install package's. Ungated is the reason why this version would run
// calls anyway.
func (i *installer) do(ctx context.Context) (installOutcome, error) {
	var r install.Report
	var err error
	if i.remove {
		r, err = install.Uninstall(i.o)
	} else {
		r, err = i.install(ctx)
	}
	done := installOutcome{
		ID: i.o.Agent, Agent: i.o.Agent, Title: r.Agent, File: r.File, Changed: r.Changed, Created: r.Created, Deleted: r.Deleted,
		Restored: r.Restored, Removed: r.Removed, Backup: r.Backup, Backups: r.Backups, Gates: r.Gates, Watches: r.Watches, DryRun: i.o.DryRun,
		Warnings: r.Warnings, report: r,
	}
	if err != nil {
		done.report.File = "" // nothing was done
		return done, err
	}
	if r.Ungated != "" && i.o.DryRun {
		done.Warnings = append(done.Warnings, r.Ungated)
		done.report.Warnings = done.Warnings
	} else if r.Ungated != "" {
		return done, exit.Error{Code: exit.Failed, Text: "the hooks are written, but do not hold it: " + r.Ungated}
	}
	if i.o.Agent == "codex" && !i.remove && !i.o.DryRun && install.CodexTrusts(i.o.Version) {
		done.Trusted, done.err = i.trustCodex(ctx, r.File)
	}
	return done, done.err
}

// install writes the hooks for i.o.Agent, and notes what is to be guarded: the
// settings, what they lead to, and the programs that they run. A list that cannot be
// written is a warning, since the hooks hold all the same. With DryRun nothing is
// written or noted. The version decides which events are gated and whether that
// version holds at all.
func (i *installer) install(ctx context.Context) (install.Report, error) {
	program, err := install.FindProgram(i.invoked)
	if err != nil {
		return install.Report{}, err
	}
	program.Console, program.AtMost, program.AskDown = i.o.Program.Console, i.o.Program.AtMost, i.o.Program.AskDown
	i.o.Program = program
	i.ask(ctx, i.o.Agent)
	i.o.Version = i.versions[i.o.Agent]
	r, err := install.Install(i.o)
	if err != nil {
		return r, err
	}
	if !i.o.DryRun {
		files := append([]string{r.File, r.Target}, state.Beside(program.Path)...)
		if i.o.Agent == "codex" {
			files = append(files, filepath.Join(filepath.Dir(r.File), "config.toml")) // what it trusts
		}
		if err = state.NoteInstalled(files...); err != nil {
			r.Warnings = append(r.Warnings, "the console will not guard these files: "+err.Error())
		}
	}
	return r, nil
}

// ask finds out the versions of agents that were not asked yet, all at the same time:
// each is a process. A version that nobody could tell is "". The line that shows what
// runs is drawn on standard error.
func (i *installer) ask(ctx context.Context, agents ...string) {
	if i.versions == nil {
		i.versions = map[string]string{}
	}
	progress := terminal.StartProgress(i.warn, "asking agents for their versions", len(agents))
	defer progress.Stop()
	said := make([]string, len(agents))
	var all sync.WaitGroup
	for n, agent := range agents {
		if _, known := i.versions[agent]; !known {
			all.Go(func() {
				defer progress.Step(install.Title(agent))()
				said[n] = install.AgentVersion(ctx, agent)
			})
		}
	}
	all.Wait()
	for n, agent := range agents {
		if _, known := i.versions[agent]; !known {
			i.versions[agent] = said[n]
		}
	}
}

// say tells a person what became of one agent. A warning that several agents share is
// told once. A dry run prints the diff and nothing else, so that it can be read by
// patch. An agent that was done without a change says so as well.
//
// Errors are those of writing to out.
func (i *installer) say(done installOutcome) error {
	r := done.report
	text := describeUninstall(r)
	if !i.remove {
		text = describeInstall(i.o, r)
		if !errors.Is(done.err, errNotTrusted) {
			text += trustText(i.o, done)
		}
	}
	text = show.Fit(i.out, text)
	if i.o.DryRun && r.Changed {
		text = diffText(r.Diff)
	}
	if _, err := io.WriteString(i.out, text); err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(r.Warnings), func(text string) bool { return i.warned[text] })
	show.Warnings(i.warn, fresh)
	if i.warned == nil {
		i.warned = map[string]bool{}
	}
	for _, text := range fresh {
		i.warned[text] = true
	}
	return nil
}

// trustText says what Codex still needs, "" for any other agent. Until the person has
// done that, every call of Codex runs unasked, so it is said each time. An old Codex
// runs untrusted hooks, and is told from a new one by its version.
func trustText(o install.Options, done installOutcome) string {
	switch {
	case o.Agent != "codex" || done.report.Ungated != "":
		return ""
	case !install.CodexTrusts(o.Version):
		return "This Codex runs hooks that you did not trust. A newer one does not: after an update, run aoctl install codex --trust\n"
	case done.Trusted > 0:
		return fmt.Sprintf("Codex trusts %s of aoctl now.\n", figures.Plural(done.Trusted, "hook"))
	case !done.Changed:
		return "\"aoctl doctor\" says whether Codex trusts the hooks; it skips the others.\n"
	}
	return `Codex runs no hook that you did not trust: until you trust these, every call runs
unasked. Start codex and type /hooks, or run: aoctl install codex --trust
You have to do that again whenever the hooks change; "aoctl doctor" says when.
`
}

// knownAgents is the sentence for a machine on which no agent was found: its agent may
// lie where aoctl does not look.
func knownAgents() string {
	return "aoctl knows " + strings.Join(install.Agents(), ", ") + ". Install for one with: aoctl install AGENT\n"
}
