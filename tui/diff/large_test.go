package diff

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/tui/draw"
)

func TestLargeTextsAreComparedWhole(t *testing.T) {
	t.Parallel()
	old := strings.Repeat("line\n", MaxDiffed/5)
	added, gone := Tally(Compare(old, old+"more\n", OffScreen))
	if want := draw.CountLines(old); gone != want || added != want+1 {
		t.Errorf("+%d −%d, want +%d −%d", added, gone, want+1, want)
	}
}
