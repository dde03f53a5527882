package orders

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// A shell reads the rows of the long line as the program, the words and the folder that they stand for.
func TestWrappedIsOneLineToAShell(t *testing.T) {
	words := []string{"--settings", "/home/ana/" + strings.Repeat("deep/", 30) + "settings.json", "it's " + strings.Repeat("'quoted' ", 12), "*", "$HOME", ""}
	r := broker.Resumption{CWD: "/", Command: append([]string{"printf", "%s|"}, words...)}
	for _, width := range []int{30, 41, 80, 200} {
		rows := wrapped(r, width)
		for _, row := range rows {
			if draw.Cells(row) > width {
				t.Errorf("%d cells, more than %d: %s", draw.Cells(row), width, row)
			}
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", strings.Join(rows, "\n")).Output()
		if got := strings.Split(string(out), "|"); err != nil || !slices.Equal(got[:len(got)-1], words) {
			t.Errorf("at %d a shell reads %q (%v), want %q", width, got, err, words)
		}
	}
}

// Also the short line ends in no row that a shell would run by itself.
func TestShortLineInRows(t *testing.T) {
	o := &Orders{Desk: &desk.Desk{Board: board.NewBoard()}}
	o.opened.told.Aoctl = []string{"/opt/" + strings.Repeat("deep/", 9) + "aoctl", "--socket", "/run/user/1000/aoctl/of/another/console.sock"}
	for _, width := range []int{30, 60, 200} {
		rows := o.shortRows("0197aaaa", width)
		whole := strings.ReplaceAll(strings.Join(rows, "\n"), "\\\n", "")
		if whole != o.ShortLine("0197aaaa") || width < 100 && len(rows) < 2 {
			t.Errorf("at %d a shell reads %q of %q", width, whole, rows)
		}
	}
}
