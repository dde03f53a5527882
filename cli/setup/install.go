package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/profile"
	"github.com/aoctl/aoctl/tui/safe"
)

// settingsFlags say which settings file of an agent is meant. install and uninstall
// share them, so that what was installed is found again by the same words. settings is
// "" unless a file was named.
type settingsFlags struct {
	user, project bool
	settings      string
	dryRun        bool
	json          output.Format
}

const settingsHelp = `Which file:
  --user           your own settings, for all your projects (the default):
                     claude    ~/.claude/settings.json (CLAUDE_CONFIG_DIR)
                     codex     ~/.codex/hooks.json (CODEX_HOME)
                     gemini    ~/.gemini/settings.json
                     qwen      ~/.qwen/settings.json
                     opencode  ~/.config/opencode/plugins/aoctl.js (XDG_CONFIG_HOME)
                     copilot   ~/.copilot/hooks/aoctl.json (COPILOT_HOME)
                     cursor    ~/.cursor/hooks.json
  --project        claude only: .claude/settings.local.json in the current folder, for
                   you alone. install does not touch the file that everybody who works on
                   the project shares: the path of your aoctl would block the others
  --settings FILE  any other file, such as for "claude --settings FILE"`

// allAgents stands for every agent that is found on the machine. No agent may have
// that name.
const allAgents = "all"

// add declares the flags on cmd, with the arguments that go with them. Each command
// that has them gets its completion and its check of arguments with them.
func (f *settingsFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.user, "user", false, "your settings, for all projects (the default)")
	flags.BoolVar(&f.project, "project", false, "your own settings for the project in the current folder")
	flags.StringVar(&f.settings, "settings", "", "this settings `FILE`")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the change as a diff and write nothing")
	cmd.MarkFlagsMutuallyExclusive("user", "project", "settings") // for completion; args says it in our words
	cmd.ValidArgsFunction = completeAgents
	cmd.Args = f.args
	output.Flags[installOutcome](cmd, &f.json, "print a JSON array with what became of each agent", offeredFields...)
}

// args asks for at most one agent and one place. Only a single agent has another place
// than the user's own settings. The mistakes that cobra would find itself are told here, in words
// that name the flags.
func (f *settingsFlags) args(cmd *cobra.Command, args []string) error {
	places := 0
	for _, given := range []bool{f.user, f.project, cmd.Flags().Changed("settings")} {
		if given {
			places++
		}
	}
	if places > 1 {
		return usage.Error{Text: "give one of --user, --project and --settings, not several", Hint: usage.HelpHint(cmd)}
	}
	if len(args) == 0 || len(args) == 1 && args[0] == allAgents {
		if f.project || cmd.Flags().Changed("settings") {
			return usage.Error{Text: "--project and --settings go with the name of one agent", Hint: usage.HelpHint(cmd)}
		}
		return nil
	}
	return usage.OneArg("the name of an agent, such as claude, or all")(cmd, args)
}

// options turns the flags and the agent's name into what the install package takes. No
// place is the user's own settings. The file is named as it was typed; the install
// package looks at it. DryRun goes along; nothing is written then, whatever else is
// asked for.
func (f *settingsFlags) options(cmd *cobra.Command, agent string) install.Options {
	o := install.Options{Agent: agent, DryRun: f.dryRun, Now: time.Now()}
	switch {
	case f.project:
		o.Scope = install.Project
	case cmd.Flags().Changed("settings"):
		o.Scope, o.File = install.File, f.settings
	}
	return o
}

// completeAgents offers the agents that aoctl knows, whether they are on this machine
// or not.
func completeAgents(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return append(install.Agents(), allAgents), cobra.ShellCompDirectiveNoFileComp
}

// newInstallCommand makes "install". --at-most follows --timeout up when only that was
// given, since a call may not end before it may be answered. The help lists where each
// agent's settings lie, since that is what people want to look at first.
func newInstallCommand() *cobra.Command {
	var (
		place   settingsFlags
		ask     askFlags
		mode    string
		timeout time.Duration
		atMost  time.Duration
		trust   bool
		down    string
		serve   serviceFlags
	)
	cmd := &cobra.Command{
		Use:   "install [AGENT|all]",
		Short: "Let agents ask here: write aoctl's hooks into their settings",
		Long: `install writes aoctl's hooks into the settings of AGENT (` + strings.Join(install.Agents(), ", ") + `),
so that you decide about its calls in the console. It changes nothing else in the file,
not a byte, and keeps a backup beside it. Installing again updates the hooks. "all" is
every agent on this machine. Without AGENT, install asks about each of them; without a
terminal it lists them.

Modes:
  gate     you decide about every call in the console, also in auto and bypass mode.
           While no console is open, every call is refused (the default), or with
           --on-down ask left to Claude Code's own prompt
  prompts  Claude Code only: the console shows what Claude Code would ask you anyway,
           beside its own dialog. In auto and bypass mode it asks nothing. While no
           console is open, only its own dialog asks

The hooks name the console that they ask: the socket that your console would use now,
or --socket PATH, or --url URL for a console outside of a container. The settings of a
project cannot change that.

Codex runs only hooks that you trust: type /hooks in codex, or give --trust.

With --service it is not about agents: "aoctl serve" then starts with your login, as a
user unit of systemd or an agent of launchd. --now starts it at once.

` + settingsHelp,
		Example: `  aoctl install
  aoctl install all
  aoctl install claude --dry-run
  aoctl install codex --trust
  aoctl install --service --now
  aoctl install claude --project --mode prompts
  aoctl install claude --url http://localhost:8765 --token-file ~/.aoctl-token`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := serve.check(cmd, args); err != nil {
				return err
			}
			if serve.service {
				return installService(cmd, serve.now, place.dryRun)
			}
			o := place.options(cmd, "")
			o.Mode, o.Timeout, o.Program.AtMost = install.Mode(mode), timeout, atMost
			if !cmd.Flags().Changed("at-most") {
				o.Program.AtMost = max(atMost, timeout)
			}
			err := checkDown(down)
			if o.Program.AskDown = down == "ask"; err != nil {
				return err
			}
			if o.Program.Console, err = ask.console(cmd); err != nil {
				return err
			}
			i := &installer{
				o: o, invoked: os.Args[0], trust: trust, json: place.json,
				in: cmd.InOrStdin(), out: cmd.OutOrStdout(), warn: cmd.ErrOrStderr(),
			}
			return i.run(cmd, args)
		},
	}
	place.add(cmd)
	cmd.Flags().StringVar(&ask.url, "url", "", "ask a console over TCP at this `URL`, such as http://localhost:8765")
	cmd.Flags().StringVar(&ask.tokenFile, "token-file", "", "with --url: the `FILE` that holds the token for asking, in place of AOCTL_TOKEN")
	cmd.Flags().StringVar(&mode, "mode", string(install.Gate), "which calls you decide about in the console: gate or prompts")
	cmd.Flags().DurationVar(&timeout, "timeout", install.DefaultTimeout, "how long you have to answer before a call is refused")
	cmd.Flags().DurationVar(&atMost, "at-most", install.DefaultAtMost, "how long a call waits when you give it more time (t in the console); the agent is told to wait for that")
	cmd.Flags().StringVar(&down, "on-down", "deny", "claude in mode gate: what happens to a call while no console is open: deny, or ask, which leaves it to Claude Code's own prompt")
	_ = cmd.RegisterFlagCompletionFunc("on-down", cobra.FixedCompletions([]string{"deny", "ask"}, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	cmd.Flags().BoolVar(&trust, "trust", false, "codex: let Codex trust the hooks, through its own program")
	cmd.Flags().BoolVar(&serve.service, "service", false, "have aoctl serve start with your login, in place of an agent's hooks")
	cmd.Flags().BoolVar(&serve.now, "now", false, "with --service: start it at once")
	_ = cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions( // the flag exists
		[]string{string(install.Gate), string(install.Prompts)}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func checkDown(what string) error {
	if what == "deny" || what == "ask" {
		return nil
	}
	return usage.Error{Text: fmt.Sprintf("--on-down %q is neither deny nor ask", what), Hint: "deny is the default"}
}

// askFlags say which console the hooks ask. Without either, the hooks ask the socket.
type askFlags struct{ url, tokenFile string }

// console is what the hooks' lines name: the socket that a console would listen on
// now, unless it is reached over TCP. It is written into the line, so that neither a
// project's settings nor a variable can lead a hook elsewhere. The token's file is
// named by its whole path, because hooks run in other folders; the token itself is in
// no line. An empty --url is a mistake and no wish for the socket: a variable was not
// set.
func (f askFlags) console(cmd *cobra.Command) (install.Console, error) {
	if f.url == "" && !cmd.Flags().Changed("url") {
		socket, err := client.SocketPath(cmd)
		return install.Console{Socket: socket, TokenFile: f.tokenFile}, err
	}
	c := install.Console{URL: f.url}
	if cmd.Flags().Changed("socket") {
		return c, usage.Error{Text: "--socket and --url name two consoles", Hint: "give one of them"}
	}
	if f.url == "" {
		return c, usage.Error{Text: "--url is empty", Hint: "give an address such as http://localhost:8765"}
	}
	if f.tokenFile == "" {
		return c, nil
	}
	var err error
	c.TokenFile, err = filepath.Abs(f.tokenFile)
	return c, err
}

// describeInstall says what was done, and what comes next. It promises nothing that
// was not found: for a version of the agent that does not hold calls it says so in the
// line of the mode. Paths in it are made safe for a terminal.
//
// It also says how long a person has and who gives up after that, because an agent
// that gives up first runs the call. The last lines are what to do next.
func describeInstall(o install.Options, r install.Report) string {
	var b strings.Builder
	line := func(label, value string) { fmt.Fprintf(&b, "  %-12s%s\n", label, safe.Line(value)) }
	if !r.Changed {
		fmt.Fprintf(&b, "Already installed for %s; nothing was changed.\n", r.Agent)
	} else {
		fmt.Fprintf(&b, "Installed for %s.\n", r.Agent)
	}
	line("file", filePath(r))
	what := "you decide about every call in the console"
	if r.Ungated != "" {
		what = "does not hold this version, see below"
	} else if o.Mode == install.Prompts {
		what = r.Agent + " asks the console when it would ask you"
	}
	line("mode", fmt.Sprintf("%s (%s): %s", o.Mode, strings.Join(r.Gates, ", "), what))
	line("also sends", strings.Join(r.Watches, ", "))
	ends := "would give up after %s"
	if profile.Of(o.Agent).HardCap > 0 {
		ends = "runs a call that waits for %s, whatever its settings say"
	}
	line("timeout", fmt.Sprintf("%s; %s "+ends, timeToAnswer(o), waiter(o, r), span(r.Wait)))
	line("runs", strings.Join(append([]string{o.Program.Path}, o.Program.Args...), " "))
	line("asks", o.Program.Console.String()+", whatever a project's settings say")
	if r.Backup != "" {
		line("backup", r.Backup)
	}
	switch {
	case o.Scope == install.File && o.Agent != "claude":
	case o.Scope == install.File:
		fmt.Fprintf(&b, "%s reads this file when started with: claude --settings %s\n", r.Agent, safe.Line(o.File))
	case !r.Changed:
	default:
		b.WriteString(profile.Of(o.Agent).Restart() + "\n")
	}
	if o.Scope == install.Project {
		b.WriteString("The file is yours alone: keep it out of version control.\n")
	}
	b.WriteString(whatNext)
	return b.String()
}

// whatNext is what to do, and what the first day will be like.
const whatNext = `Start the console with: aoctl
Then work as always. Calls that only look run unasked. The first other call of a project waits
in the console, where you say once what agents may do there; about one call in twenty asks after
that, and one key answers it. Without a console nothing that asks runs.
`

// span writes d without empty parts: 10m, not 10m0s.
func span(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// timeToAnswer says how long a person has. An agent that gives up on its hooks earlier
// limits both times. The longer time is named only where it is longer.
func timeToAnswer(o install.Options) string {
	at := profile.Of(o.Agent)
	o.Timeout, o.Program.AtMost = at.Limit(o.Timeout), at.Limit(o.Program.AtMost)
	if o.Program.AtMost <= o.Timeout {
		return fmt.Sprintf("%s to answer", span(o.Timeout))
	}
	return fmt.Sprintf("%s to answer, %s with more time (t)", span(o.Timeout), span(o.Program.AtMost))
}

// waiter is who gives up when the client does not: the agent, or the plugin in it.
func waiter(o install.Options, r install.Report) string {
	if o.Agent == "opencode" {
		return "the plugin itself"
	}
	return r.Agent + " itself"
}

// filePath names the settings file, and the one behind it when it is a link: that one
// is written.
func filePath(r install.Report) string {
	if r.Target == "" {
		return r.File
	}
	return r.File + " -> " + r.Target
}

// diffText makes a diff safe for the terminal. Indentation stays as it is; a carriage
// return or an escape sequence in the file shows as \x0d or \x1b. The file may be a
// project's, and its diff must not draw over the question below it.
func diffText(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text, found := strings.CutSuffix(line, "\n")
		for t := range safe.Tokens(text, safe.OneLine) {
			if t.Kind == safe.Blank {
				b.WriteString(t.Raw)
				continue
			}
			b.WriteString(t.Drawn)
		}
		if found {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
