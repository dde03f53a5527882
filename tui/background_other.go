//go:build !unix

package tui

import (
	"io"

	"github.com/charmbracelet/x/term"
)

// darkBackground guesses: there is no bounded way to ask here.
func darkBackground(io.Reader, term.File) (dark, typed bool) { return true, false }
