package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/usage"
)

// Flags that take a file, and those that take a folder, whatever command has them. A
// flag that is in neither list offers nothing.
var (
	fileFlags   = []string{"archive", "db", "rules", "settings", "socket", "token-file"}
	folderFlags = []string{"cwd", "project", "to"}
)

// offerFiles has the shell offer files where a file is meant, and nowhere else: a
// file's name in the place of a session's is never right.
func offerFiles(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	offerFilesIn(root)
}

// offerFilesIn goes through cmd and all below it.
func offerFilesIn(cmd *cobra.Command) {
	for _, name := range fileFlags {
		offerPaths(cmd, name, cobra.ShellCompDirectiveDefault)
	}
	for _, name := range folderFlags {
		offerPaths(cmd, name, cobra.ShellCompDirectiveFilterDirs)
	}
	for _, c := range cmd.Commands() {
		offerFilesIn(c)
	}
}

// offerPaths has the shell complete a flag in its own way, if cmd has that flag.
func offerPaths(cmd *cobra.Command, flag string, way cobra.ShellCompDirective) {
	f := cmd.Flags().Lookup(flag)
	if f == nil {
		f = cmd.PersistentFlags().Lookup(flag)
	}
	if f == nil || f.NoOptDefVal != "" { // "install --project" is a switch
		return
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(nil, way)) // the flag exists
}

// newCompletionCommand takes the place of cobra's own, whose help and errors are not
// worded as ours.
func newCompletionCommand(root *cobra.Command) *cobra.Command {
	shells := map[string]func(io.Writer) error{
		"bash":       func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        root.GenZshCompletion,
		"fish":       func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": root.GenPowerShellCompletionWithDesc,
	}
	names := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion " + strings.Join(names, "|"),
		Short: "Print a completion script for a shell",
		Long: `completion prints a script that teaches your shell to complete aoctl's commands,
flags, session names and the ids of waiting calls.`,
		Example: `  source <(aoctl completion bash)
  aoctl completion zsh > "${fpath[1]}/_aoctl"
  aoctl completion fish > ~/.config/fish/completions/aoctl.fish
  aoctl completion powershell | Out-String | Invoke-Expression`,
		Args:      usage.OneArg("a shell: " + strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			// cobra writes the scripts; they ask this program for offers at each press
			// of the tab key.
			generate, ok := shells[args[0]]
			if !ok {
				return usage.Error{
					Text: fmt.Sprintf("no completion for the shell %q", args[0]),
					Hint: "there is one for " + strings.Join(names, ", "),
				}
			}
			return generate(cmd.OutOrStdout())
		},
	}
}
