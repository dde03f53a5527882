package logs

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/tally"
)

func TestBars(t *testing.T) {
	for _, tc := range []struct {
		numbers []int
		want    string
	}{
		{[]int{0, 0}, "··"},
		{[]int{0, 1, 8, 16}, "·▁▄█"},
		{[]int{1, 1000}, "▁█"},
		{[]int{1}, "█"},
	} {
		if got := bars(tc.numbers); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.numbers, got, tc.want)
		}
	}
}

// In a pipe every figure is a line with a tab behind its name, every slot and group a row below a line that names
// the section.
func TestStatsInAPipe(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)
	asked := broker.EndedCall{SessionID: "s-1", Agent: "claude", Tool: "Bash", State: broker.Allowed, By: broker.ByOperator, Asked: at, Ended: at.Add(6 * time.Second)}
	ruled := broker.EndedCall{SessionID: "s-1", Agent: "claude", Tool: "Edit\x1b[2J", State: broker.Denied, By: broker.ByRule, ByID: "r-1", Asked: at, Ended: at}
	r := tally.Count(slices.Values([]broker.EndedCall{asked, ruled, ruled, ruled}), time.UTC)
	var b strings.Builder
	if err := printStats(&b, r); err != nil {
		t.Fatal(err)
	}
	want := `calls	4
prompts	1, 25.0 per 100 calls
prompts saved	3 (a rule decided at once)
allowed by rules	0
denied by rules	3
allowed by hand	1
denied by hand	0
expired	0
only observed	0
ended otherwise	0
time to answer	p50 6.0s, p95 6.0s, 6.0s in all

SINCE	CALLS	PROMPTS
2026-11-02T09:00:00Z	4	1

SESSION	CALLS	PROMPTS	/100	P50	P95
s-1	4	1	25.0	6.0s	6.0s

AGENT	CALLS	PROMPTS	/100	P50	P95
claude	4	1	25.0	6.0s	6.0s

TOOL	CALLS	PROMPTS	/100	P50	P95
Bash	1	1	100.0	6.0s	6.0s
Edit\x1b[2J	3	0	0.0		

RULE	CALLS	PROMPTS	/100	P50	P95
r-1	3	0	0.0		
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// A price is there only where an agent named one.
func TestStatsSayWhatWasSpent(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)
	one := broker.EndedCall{SessionID: "s-1", Agent: "claude", Tool: "Bash", State: broker.Denied, By: broker.ByRule, ByID: "r", Asked: at, Ended: at}
	other := one
	other.SessionID, other.Agent = "s-2", "codex"
	r := tally.Count(slices.Values([]broker.EndedCall{one, other}), time.UTC).Spend(func(id string) (string, tally.Spent) {
		if id == "s-1" {
			return "claude", tally.Spent{Sessions: 1, Priced: 1, Cost: 0.5, Input: 1000, CacheRead: 2000, Output: 30}
		}
		return "codex", tally.Spent{Sessions: 1, Input: 12_000}
	})
	var b strings.Builder
	if err := printStats(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"spent\t$0.50 · 15.0k tokens in, 30 out (2 of 2 sessions told tokens, 1 a price)\n",
		"s-1\t1\t0\t0.0\t\t\t3.0k\t$0.50\n", "codex\t1\t0\t0.0\t\t\t12.0k\t\n", "Bash\t2\t0\t0.0\t\t\n",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %q in\n%s", line, b.String())
		}
	}
}

// What programs wrote for programs comes in plain words, and no verdict is a tick on a failure.
func TestLogInPlainWords(t *testing.T) {
	w := &writer{names: map[string]string{"s": "shop"}}
	at := time.Date(2026, 11, 2, 9, 30, 0, 0, time.Local)
	for _, tc := range []struct{ typ, data, want string }{
		{broker.EventSessionStop, `{"reason":"stopped_by_user"}`, "stopped on request"},
		{broker.EventRunEnded, `{"kind":"ended","error":"it was ended by killed"}`, "it was killed"},
		{broker.EventRunNoted, `{"kind":"idle","result":"tool_deferred"}`, "a call was deferred"},
		{broker.EventUser, `{"text":"<task-notification>\n<summary>tests done</summary></task-notification>"}`, `"a task in the background: tests done"`},
	} {
		e := broker.Event{At: at, Type: tc.typ, SessionID: "s", Data: []byte(tc.data)}
		want := "2026-11-02 09:30:00\t" + tc.typ + "\tshop\t" + tc.want
		if got := w.line(e, 0); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := w.line(e, 40); !strings.HasPrefix(got, "09:30:00  ") || len([]rune(got)) > 40 {
			t.Errorf("in a window: %q", got)
		}
	}
}
