package board

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// TestLateOnceRecorded: a call that ended without an answer may be allowed late once that is on
// record, and not before.
func TestLateOnceRecorded(t *testing.T) {
	b := NewBoard()
	r := tuitest.ToolCall("Bash", map[string]string{"command": "make"})
	b.Request(r, tuitest.Noon)
	r.State, r.Outcome, r.Unrecorded = broker.Expired, &broker.Outcome{State: broker.Expired, At: tuitest.Noon}, true
	if b.Request(r, tuitest.Noon); b.Rows() != 0 {
		t.Error("it is listed while its end is not on record")
	}
	r.Unrecorded = false
	if b.Request(r, tuitest.Noon); b.Rows() != 1 || !b.Row(0).Late() {
		t.Errorf("%d rows once its end is on record", b.Rows())
	}
}
