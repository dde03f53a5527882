// Package terminal is the person at the keyboard of a command.
//
// Require refuses to open a screen where nobody can see it or press a key. ForgetTyped
// drops what was typed before a question was on the screen, so that a key pressed for
// something else answers nothing. Edit has the user change a text in their own editor
// and returns what came back, and Page shows a long text in their pager. Desktop finds the program that shows notifications on
// this system. UntilSignal ends a command with ctrl+c, but not while a program that was
// started here has the terminal (InForeground). Progress is the line that a slow command draws while it runs; it is
// erased before the command prints.
//
// Programs that are started here get their texts as arguments or files. A shell reads
// nothing but the user's own $EDITOR and $PAGER. Nothing here knows what is asked or edited.
package terminal

import (
	"os"

	"github.com/charmbracelet/x/term"

	"github.com/aoctl/aoctl/cli/usage"
)

// Require refuses to draw where nobody can see it or press a key. what begins the
// sentence. Both ends must be terminals: a screen in a pipe is as useless as keys from
// one.
func Require(what string) error {
	if term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd()) {
		return nil
	}
	return usage.Error{
		Text: what + " needs a terminal for its keys and its screen",
		Hint: "without one there are: aoctl sessions, aoctl pending, aoctl deny, aoctl stop, aoctl log",
	}
}
