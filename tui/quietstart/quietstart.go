// Package quietstart keeps the Bubble Tea package from asking the terminal for its
// background colour while the program starts.
//
// That package asks in its init function, so every command that imports it would
// ask, and wait up to seconds on a slow line. Lip Gloss does not ask when it has been
// told the answer. Go initialises packages that are ready in the order of their
// import paths, and this one's comes first. The console itself asks later, for a
// bounded time.
package quietstart

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
