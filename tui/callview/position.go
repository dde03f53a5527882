package callview

import (
	"fmt"

	"github.com/aoctl/aoctl/tui/figures"
)

// Position says which rows of a call are on the screen.
func Position(scroll, height int, d *Doc) string {
	n := len(d.Rows)
	text := fmt.Sprintf("%s–%s of %s", figures.Count(scroll+1), figures.Count(min(scroll+height, n)), figures.Plural(n, "row"))
	if n <= height {
		if d.CallEnd > 0 {
			n = d.CallEnd // the rest is what we say of the call
		}
		text = "all " + figures.Plural(n, "row")
		if n == 1 {
			text = "1 row · all"
		}
	}
	if d.Size != "" {
		text = d.Size + " · " + text
	}
	return text
}
