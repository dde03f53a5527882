package sessions

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// Where an agent names no price the table has tokens, and no dollars.
func TestCostIsNeverMadeUp(t *testing.T) {
	now := time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)
	var list []broker.Session
	for id, tally := range map[string]broker.RunTally{"a": {Cost: 0.5, Usage: wire.RunUsage{Input: 9}}, "b": {Usage: wire.RunUsage{Input: 1500, Output: 500}}} {
		list = append(list, broker.Session{ID: id, Agent: "claude", State: broker.SessionIdle, LastSeenAt: now, Run: &broker.Run{Turn: broker.TurnIdle, RunTally: tally}})
	}
	var b bytes.Buffer
	if err := sessionTable(list, map[string]string{"a": "shop", "b": "docs"}, now).Print(&b); err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(b.String()) {
		if want := map[bool]string{true: "\t$0.50\t", false: "\t2.0k tokens\t"}[strings.Contains(row, "shop")]; !strings.Contains(row, want) {
			t.Errorf("no %q in %q", want, row)
		}
	}
}

// What a session's agent says of its tokens stands below what else is known of it.
func TestViewSaysWhatWasUsed(t *testing.T) {
	f := found{Session: broker.Session{ID: "a", Agent: "codex", State: broker.SessionIdle}, label: "shop", used: "1.2k tokens in, 30 out"}
	rows := f.rows(tuitest.PlainStyles(), 80)
	if last := strings.Join(strings.Fields(rows[len(rows)-1]), " "); last != "used 1.2k tokens in, 30 out, as its agent says" {
		t.Errorf("the last row is %q", last)
	}
}
