package stats

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/tuitest"
)

func drawn(slots []tally.Slot, width, height int) []string {
	s := New(&desk.Desk{Styles: tuitest.PlainStyles(), At: tuitest.Noon, Board: board.NewBoard()}, nil)
	s.report = tally.Report{SlotMS: time.Hour.Milliseconds(), OverTime: slots}
	rows := s.chart(width, height)
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows
}

// A little is told from nothing, an hour without prompts from one without calls, and the upper edge
// is a round number.
func TestChart(t *testing.T) {
	at := tuitest.Noon.Truncate(time.Hour).Add(-5 * time.Hour)
	got := drawn([]tally.Slot{
		{At: at, Calls: 10, Prompts: 4}, {At: at.Add(time.Hour), Calls: 1000, Prompts: 1}, {At: at.Add(2 * time.Hour)}, {At: at.Add(3 * time.Hour), Calls: 3},
	}, 34, 3)
	want := []string{
		"Prompts per 100 calls · an hour e…",
		" 50 ▃▃▃▃▃▃",
		"    ██████",
		"  0 ██████ ▁▁▁▁▁▁",
		"    ────── ────── ······ ──────",
		"    07:00                 10:00",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// More hours than there are columns: the newest are drawn, and the chart says that.
func TestChartOfManySlots(t *testing.T) {
	slots := make([]tally.Slot, 60)
	for i := range slots {
		slots[i] = tally.Slot{At: tuitest.Noon.Add(time.Duration(i-60) * time.Hour), Calls: 2, Prompts: 2 * (i / 59)}
	}
	got := drawn(slots, 54, 4)
	if !strings.Contains(got[0], "the newest 50") || !strings.HasSuffix(got[1], "█") || len([]rune(got[1])) != 54 || !strings.HasPrefix(got[6], "    Mar 12 10:31") {
		t.Errorf("drawn as\n%s", strings.Join(got, "\n"))
	}
	if got := drawn(slots[:1], 34, 3); !slices.Contains(got, "    ────────") {
		t.Errorf("a single slot is drawn as\n%s", strings.Join(got, "\n"))
	}
}
