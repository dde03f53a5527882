package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// printLine writes one line and reports when that was not possible.
func printLine(out io.Writer, line string) error {
	_, err := fmt.Fprintln(out, line)
	return err
}

// printText writes lines, each safe for a terminal.
func printText(out io.Writer, text string) error {
	for line := range strings.Lines(text) {
		if err := printLine(out, safe.Line(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

func printWarnings(w io.Writer, warnings []string) {
	for _, text := range warnings {
		fmt.Fprintln(w, "aoctl: warning: "+safe.Line(text))
	}
}
