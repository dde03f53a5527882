package callview

import (
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/tui/figures"
)

// Position says how large a call is, and which of its rows are on the screen when not all are.
func Position(scroll, height int, d *Doc) string {
	var parts []string
	if d.Size != "" {
		parts = append(parts, d.Size)
	}
	if n := len(d.Rows); n > height {
		parts = append(parts, fmt.Sprintf("%s–%s of %s", figures.Count(scroll+1), figures.Count(min(scroll+height, n)), figures.Plural(n, "row")))
	}
	return strings.Join(parts, " · ")
}
