//go:build !unix

package tty

import (
	"io"

	"github.com/charmbracelet/x/term"
)

// DarkBackground guesses: there is no bounded way to ask here.
func DarkBackground(io.Reader, term.File) (dark, typed bool) { return true, false }
