package orders

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
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
