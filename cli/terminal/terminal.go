// Package terminal is the person at the keyboard of a command: whether there is one, what
// was typed before the question was there, and the editor in which they change a text.
package terminal

import (
	"os"

	"github.com/charmbracelet/x/term"

	"github.com/aoctl/aoctl/cli/usage"
)

// Require refuses to draw where nobody can see it or press a key.
func Require(what string) error {
	if term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd()) {
		return nil
	}
	return usage.Error{
		Text: what + " needs a terminal for its keys and its screen",
		Hint: "without one there are: aoctl sessions, aoctl pending, aoctl deny, aoctl stop, aoctl log",
	}
}
