package cli

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// needTerminal refuses to draw where nobody can see it or press a key.
func needTerminal(what string) error {
	if term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd()) {
		return nil
	}
	return usageError{
		text: what + " needs a terminal for its keys and its screen",
		hint: "without one there are: aoctl sessions, aoctl pending, aoctl deny, aoctl stop, aoctl log",
	}
}
