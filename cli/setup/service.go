package setup

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/autostart"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// serviceFlags are those of a broker that starts with the login.
type serviceFlags struct{ service, now bool }

// check refuses what says something about an agent.
func (f serviceFlags) check(cmd *cobra.Command, args []string) error {
	if f.now && !f.service {
		return usage.Error{Text: "--now says something about --service, which is not there", Hint: usage.HelpHint(cmd)}
	}
	if !f.service {
		return nil
	}
	for _, name := range []string{"user", "project", "settings", "json", "url", "token-file", "mode", "timeout", "at-most", "trust"} {
		if len(args) > 0 || cmd.Flags().Changed(name) {
			return usage.Error{Text: "--service is about the broker, not about an agent", Hint: "give no agent with it, and no flag of one"}
		}
	}
	return nil
}

// serviceHere is the service of this program, for the socket that cmd would use.
func serviceHere(cmd *cobra.Command) (autostart.Service, string, error) {
	program, err := os.Executable()
	if err != nil {
		return autostart.Service{}, "", fmt.Errorf("find this program: %w", err)
	}
	socket, err := client.SocketPath(cmd)
	if err != nil {
		return autostart.Service{}, "", err
	}
	words := []string{"serve"}
	if cmd.Flags().Changed("socket") {
		words = append(words, "--socket", socket)
	}
	s, err := autostart.Of(program, words...)
	return s, program, err
}

// installService writes the service's file, pairs the console of this state folder, and starts the
// service or says how.
func installService(cmd *cobra.Command, now, dryRun bool) error {
	s, program, err := serviceHere(cmd)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if dryRun {
		return show.Line(out, fmt.Sprintf("# %s\n%s", safe.Line(s.File), s.Text))
	}
	w, err := s.Write()
	if err != nil {
		return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot write %s: %v", s.File, exit.RootCause(err)), Hint: "see that you may write there", Cause: err}
	}
	if err = state.NoteInstalled(s.File); err != nil {
		return err
	}
	said := "Wrote " + safe.Line(s.File) + "\n"
	if !w.Changed {
		said = "Already there: " + safe.Line(s.File) + "\n"
	}
	said += aside(w)
	if _, err = io.WriteString(out, said); err != nil {
		return err
	}
	pairHere(cmd, program)
	if now {
		return carryOut(cmd.Context(), s.Start)
	}
	return show.Line(out, "Start it with: "+lines(s.Start)+"\nThen attach with: aoctl")
}

// aside says what became of a file that was edited.
func aside(w autostart.Written) string {
	if w.Aside == "" {
		return ""
	}
	return "The one before was edited by hand; it is kept as " + safe.Line(w.Aside) + "\n"
}

// pairHere pairs the console of this state folder in a person's terminal, or says how.
func pairHere(cmd *cobra.Command, program string) {
	const how = "To pair a console with it, quit the broker that runs, and: aoctl serve --pair\n"
	if f, ok := cmd.InOrStdin().(*os.File); !ok || !term.IsTerminal(f.Fd()) {
		fmt.Fprint(cmd.OutOrStdout(), how)
		return
	}
	words := []string{"pair-here"}
	if s, err := client.SocketPath(cmd); err == nil {
		words = append(words, "--socket", s)
	}
	pair := exec.CommandContext(cmd.Context(), program, words...)
	pair.Stdin, pair.Stdout, pair.Stderr = os.Stdin, cmd.OutOrStdout(), cmd.ErrOrStderr()
	if pair.Run() != nil {
		fmt.Fprint(cmd.OutOrStdout(), how)
	}
}

// uninstallService stops the service and removes its file.
func uninstallService(cmd *cobra.Command, dryRun bool) error {
	s, _, err := serviceHere(cmd)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	there, _ := s.Installed()
	switch {
	case !there:
		return show.Line(out, "There is no "+safe.Line(s.File)+".")
	case dryRun:
		return show.Line(out, "Would stop the service and remove "+safe.Line(s.File)+".")
	}
	// One that never ran cannot be stopped, which keeps nobody from removing it.
	if err = carryOut(cmd.Context(), s.Stop); err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), safe.Line("aoctl: "+err.Error()))
	}
	w, err := s.Remove()
	if err != nil {
		return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot remove %s: %v", s.File, exit.RootCause(err)), Hint: "remove it by hand", Cause: err}
	}
	_ = carryOut(cmd.Context(), s.After) // it finds out by itself at the next login
	return show.Line(out, "Removed "+safe.Line(s.File)+"\n"+aside(w)+"Without a console every call is refused: aoctl opens one.")
}

// lines are command lines as they are typed.
func lines(commands [][]string) string {
	var all []string
	for _, c := range commands {
		all = append(all, strings.Join(c, " "))
	}
	return strings.Join(all, " && ")
}

// carryOut runs command lines one after the other, up to the first that fails.
func carryOut(ctx context.Context, commands [][]string) error {
	for _, c := range commands {
		said, err := exec.CommandContext(ctx, c[0], c[1:]...).CombinedOutput() //nolint:gosec // our own words
		if err == nil {
			continue
		}
		why := strings.TrimSpace(string(said))
		if why == "" {
			why = exit.RootCause(err).Error()
		}
		return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("%s: %s", strings.Join(c, " "), why), Hint: "run it by hand when that is mended", Cause: err}
	}
	return nil
}
