package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/tui/safe"
)

// completionTime bounds what one press of the tab key may wait for the console.
const completionTime = 300 * time.Millisecond

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
		Args:      oneArg("a shell: " + strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			generate, ok := shells[args[0]]
			if !ok {
				return usageError{
					text: fmt.Sprintf("no completion for the shell %q", args[0]),
					hint: "there is one for " + strings.Join(names, ", "),
				}
			}
			return generate(cmd.OutOrStdout())
		},
	}
}

// completeSessions offers the names of living sessions, and ids where a name is
// shared or not fit to be typed.
func completeSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	withConsole(cmd, func(ctx context.Context, c *client) {
		sessions, err := c.sessions(ctx)
		if err != nil {
			return
		}
		count := map[string]int{}
		for _, s := range sessions {
			count[s.Name]++
		}
		for _, s := range sessions {
			if ended(s.Session) {
				continue
			}
			word := s.Name
			if count[word] > 1 || !typable(word) {
				word = s.ID
			}
			offers = appendOffer(offers, word, s.Agent+", "+s.Status()+", "+s.CWD)
		}
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// completeCalls offers the ids of waiting calls.
func completeCalls(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	withConsole(cmd, func(ctx context.Context, c *client) {
		waiting, err := c.pending(ctx, "")
		if err != nil {
			return
		}
		for _, r := range waiting {
			offers = appendOffer(offers, r.ID, r.ToolName+" "+callLine(r.Request))
		}
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// withConsole calls f when a console can be reached, and never for long.
func withConsole(cmd *cobra.Command, f func(context.Context, *client)) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	if c, err := newClient(cmd); err == nil {
		f(ctx, c)
	}
}

const maxOffer = 60 // characters of a description beside an offer

// appendOffer adds word unless it is unfit to be put on a command line: names and
// ids are chosen by agents, and a shell's completion code is no place for quoting.
// The description is only drawn.
func appendOffer(offers []string, word, description string) []string {
	if !typable(word) {
		return offers
	}
	text := []rune(safe.Line(description))
	if len(text) > maxOffer {
		text = append(text[:maxOffer-1], '…')
	}
	return append(offers, cobra.CompletionWithDesc(word, shellPlain(string(text))))
}

// shellPlain replaces what shells expand, for completion code that evaluates.
func shellPlain(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("`$\\\"'\t\n", r) {
			return '·'
		}
		return r
	}, s)
}

// typable reports whether word means itself in every shell.
func typable(word string) bool {
	for _, r := range word {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-+@", r)
		if !plain {
			return false
		}
	}
	return word != "" && word[0] != '-'
}
