package usage

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/tui/safe"
)

// CompleteFiles has the shell offer files, by its own rules.
func CompleteFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// CompleteOneFile has the shell offer files for the only argument of a command, and nothing
// for a second one.
func CompleteOneFile(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

const maxOffer = 60 // characters of a description beside an offer

// Offer adds word unless it is unfit to be put on a command line: names and ids are chosen
// by agents, and a shell's completion code is no place for quoting. The description is only
// drawn; it is made safe, cut to maxOffer, and freed of what shells expand.
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

// shellPlain replaces what shells expand, for completion code that evaluates. The sign that
// stands for them keeps the place visible.
func shellPlain(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("`$\\\"';&|<>\t\n", r) {
			return '·'
		}
		return r
	}, s)
}

// Typable reports whether word means itself in every shell. A word that begins with "-"
// would be taken for a flag. Letters beyond ASCII are left out, as not every shell's
// completion keeps them.
func Typable(word string) bool {
	for _, r := range word {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-+@", r)
		if !plain {
			return false
		}
	}
	return word != "" && word[0] != '-'
}
