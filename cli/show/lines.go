package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// Line writes one line and reports when that was not possible.
func Line(out io.Writer, line string) error {
	_, err := fmt.Fprintln(out, line)
	return err
}

// Text writes lines, each safe for a terminal.
func Text(out io.Writer, text string) error {
	for line := range strings.Lines(text) {
		if err := Line(out, safe.Line(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// Warnings prints each text as a warning of ours.
func Warnings(w io.Writer, warnings []string) {
	for _, text := range warnings {
		fmt.Fprintln(w, Fit(w, "aoctl: warning: "+safe.Line(text)))
	}
}
