package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// Line writes one line and reports when that was not possible, as when a pipe was closed.
// It makes nothing safe: whoever passes text of others has to.
func Line(out io.Writer, line string) error {
	_, err := fmt.Fprintln(out, line)
	return err
}

// Text writes lines, each safe for a terminal. A last line without a newline gets one.
func Text(out io.Writer, text string) error {
	for line := range strings.Lines(text) {
		if err := Line(out, safe.Line(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// Warnings prints each text as a warning of ours, to what is most often stderr. What goes
// wrong there is not reported: a warning is no reason to fail.
func Warnings(w io.Writer, warnings []string) {
	for _, text := range warnings {
		fmt.Fprintln(w, Fit(w, "aoctl: warning: "+safe.Line(text)))
	}
}
