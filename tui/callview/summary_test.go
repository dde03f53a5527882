package callview

import (
	"encoding/json"
	"testing"

	"github.com/aoctl/aoctl/broker"
)

// A call that was edited is told as it ran.
func TestSummaryOfEditedCall(t *testing.T) {
	r := broker.Request{Agent: "claude", ToolName: "Bash", ToolInput: json.RawMessage(`{"command":"echo hello"}`)}
	if got := SummaryOf(r).Text; got != "echo hello" {
		t.Errorf("before it is decided: %q", got)
	}
	r.Outcome = &broker.Outcome{UpdatedInput: json.RawMessage(`{"command":"echo bye"}`)}
	if got := SummaryOf(r).Text; got != "echo bye" {
		t.Errorf("edited: %q, but echo bye ran", got)
	}
}
