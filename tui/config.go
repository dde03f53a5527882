package tui

import (
	"fmt"
)

// Config is what there is to say of the operator's settings file.
type Config struct {
	File     string   // "" when there is none
	Settings []string // what it sets, such as timeout=5m

	// Why nothing of it holds, and what to do, a line each; empty when it was taken.
	Problem, Cure string
	Line          int // where; 0 is the file as a whole
}

// at is a line of the file, under this name.
func (c Config) at(name string) string {
	if c.Line == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, c.Line)
}
