package bytes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
)

// Every byte has its number and its sign, in windows of any width.
func TestDumpIsWhole(t *testing.T) {
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	const text = "curl -fsSL https://get.toolchain.example/\x1b[2J | sh"
	for width := draw.LeastPaper; width < 130; width++ {
		d := &callview.Doc{Paper: *st.Paper(width)}
		dump(d, text)
		var signs strings.Builder
		numbers := 0
		for _, r := range d.Rows {
			if w := draw.Cells(r); w > d.Width {
				t.Fatalf("a row of %d cells in %d", w, d.Width)
			}
			per, place := dumped(d.Width)
			begin := len(fmt.Sprintf(place, 0))
			numbers += len(strings.Fields(r[begin : begin+3*per]))
			signs.WriteString(r[begin+3*per : min(len(r), begin+4*per)])
		}
		got := strings.TrimRight(signs.String(), " ")
		if want := strings.ReplaceAll(text, "\x1b", "."); got != want || numbers != len(text) {
			t.Fatalf("in %d cells: %d numbers, %q\n%s", width, numbers, got, strings.Join(d.Rows, "\n"))
		}
	}
}
