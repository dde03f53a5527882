package callview

import (
	"fmt"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// Position says which rows of a call are on the screen, as far as the title leaves room; nothing
// when all are.
func Position(scroll, height int, d *Doc) string {
	n := len(d.Rows)
	rows := fmt.Sprintf("%s–%s of %s", figures.Count(scroll+1), figures.Count(min(scroll+height, n)), figures.Count(n))
	texts := []string{rows + " rows", rows}
	if n <= height {
		texts = nil
	}
	if d.Size != "" {
		texts = append([]string{d.Size + quietGap + rows + " rows"}, texts...)
		if n <= height {
			texts = []string{d.Size}
		}
	}
	for _, beside := range []string{d.Title + quietGap + d.Note, d.Title} {
		for _, text := range texts {
			if draw.Cells(beside)+draw.Cells(text)+4 <= d.Width {
				return text
			}
		}
	}
	return ""
}
