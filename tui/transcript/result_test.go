package transcript

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
)

func TestResultWords(t *testing.T) {
	long := strings.Repeat("x\n", 30)
	for _, tc := range []struct {
		ran     broker.RanData
		refused bool
		want    string
	}{
		{broker.RanData{}, false, "→ no output"},
		{broker.RanData{DurationMS: 6300}, false, "→ no output, 6.3s"},
		{broker.RanData{Output: "x", OutputBytes: 1}, false, ""}, // it stands below
		{broker.RanData{Output: "x", OutputBytes: 1, DurationMS: 7}, false, "→ 7ms"},
		{broker.RanData{Output: long, OutputBytes: 60, DurationMS: 7}, false, "→ 30 lines, 7ms"},
		{broker.RanData{Output: "x", OutputBytes: 5 << 20}, false, "→ 5.2 MB, of which 1 B are kept"},
		{broker.RanData{OutputBytes: 2048}, false, "→ 2.0 KB, not kept"},
		{broker.RanData{Failed: true}, false, "✗ failed"},
		{broker.RanData{Failed: true, Output: long, OutputBytes: 60, DurationMS: 9800}, false, "✗ failed after 9.8s, 30 lines"},
		{broker.RanData{Failed: true, Output: "denied: no", OutputBytes: 10}, true, "→ the agent was told"},
	} {
		if got, _ := resultWords(&tc.ran, tc.refused); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.ran, got, tc.want)
		}
	}
}

// A call that was allowed and failed has no tick; one that was denied says so, and not that it failed.
func TestFailureHasNoTick(t *testing.T) {
	for state, want := range map[broker.State]string{broker.Allowed: "allowed by you", broker.Denied: "✗ denied by you"} {
		r := &broker.Request{ID: "r", ToolName: "Bash", State: state, Outcome: &broker.Outcome{State: state, By: broker.Actor{Kind: broker.ByOperator}}}
		it := &item{Entry: story.Entry{Call: r, OnRecord: true, Ran: &broker.RanData{Failed: true}}}
		if got, _ := (painter{}).verdict(it); got != want {
			t.Errorf("%s and failed: %q", state, got)
		}
	}
}
