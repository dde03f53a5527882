package stats

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// No number is left out for its length, and of two columns the one that matters more stays.
func TestTable(t *testing.T) {
	s := New(&desk.Desk{Styles: tuitest.PlainStyles(), At: tuitest.Noon, Board: board.NewBoard()}, nil)
	list := []tally.Group{{ID: "Bash", Counts: tally.Counts{Calls: 1_234_567, Prompts: 99_999, Per100: 8.1, Answers: 1, MedianMS: 5000, SlowestMS: 9000}, Spent: tally.Spent{Sessions: 1, Priced: 1, Cost: 12.5, Input: 5_000_000}}}
	for width, want := range map[int]string{
		36: "Tool calls prompts /100: Bash 1,234,567 99,999 8.1",
		56: "Tool calls prompts /100 cost: Bash 1,234,567 99,999 8.1 $12.50",
		66: "Tool calls prompts /100 p50 cost: Bash 1,234,567 99,999 8.1 5.0s $12.50",
		90: "Tool calls prompts /100 p50 p95 tokens cost: Bash 1,234,567 99,999 8.1 5.0s 9.0s 5.0M $12.50",
	} {
		rows := s.table("Tool", width, asked, list, plain)
		got := strings.Join(strings.Fields(rows[0]), " ") + ": " + strings.Join(strings.Fields(rows[1]), " ")
		if got != want {
			t.Errorf("%d cells: %s", width, got)
		}
	}
	s.report.Calls, s.report.ByRule = 9_999_999, 9_999_999
	if rows := s.decided(34); !strings.Contains(rows[1], "allowed by rules 9,999,999 ███") {
		t.Errorf("drawn as %q", rows[1])
	}
}
