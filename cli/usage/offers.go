package usage

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/tui/safe"
)

// CompleteFiles has the shell offer files.
func CompleteFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// CompleteOneFile has the shell offer files for the only argument of a command.
func CompleteOneFile(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

const maxOffer = 60 // characters of a description beside an offer

// Offer adds word unless it is unfit to be put on a command line: names and
// ids are chosen by agents, and a shell's completion code is no place for quoting.
// The description is only drawn.
func Offer(offers []string, word, description string) []string {
	if !Typable(word) {
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
		if strings.ContainsRune("`$\\\"';&|<>\t\n", r) {
			return '·'
		}
		return r
	}, s)
}

// Typable reports whether word means itself in every shell.
func Typable(word string) bool {
	for _, r := range word {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-+@", r)
		if !plain {
			return false
		}
	}
	return word != "" && word[0] != '-'
}
