package show

import (
	"bufio"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/tty"
)

// plainWidth is how wide the console's drawings are where there is no terminal.
const plainWidth = 100

// Styles fits the console's colours to what w is, and says how wide to draw. Into a pipe,
// with NO_COLOR and on a dumb terminal there are no colours and no other attributes. On a
// terminal that has colours it asks for the background, which may take a moment.
func Styles(w io.Writer) (st *draw.Styles, width int) {
	width, styled := Terminal(w)
	if !styled {
		if width == 0 {
			width = plainWidth
		}
		return draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false), width
	}
	profile, dark := lipgloss.NewRenderer(w).ColorProfile(), true
	// Only a real terminal can be asked; for anything else dark is the likelier guess.
	if f, ok := w.(term.File); ok && profile != termenv.Ascii {
		dark, _ = tty.DarkBackground(os.Stdin, f)
	}
	return draw.NewStyles(draw.DefaultPalette(), profile, dark, true), width
}

// Paper writes rows that the console's rooms have drawn. They are safe for a terminal, and
// no blanks are left at their ends, which would be copied along with a row.
func Paper(w io.Writer, rows []string) error {
	out := bufio.NewWriter(w)
	for _, row := range rows {
		_, _ = out.WriteString(strings.TrimRight(row, " ") + "\n") // Flush reports it
	}
	return out.Flush()
}
