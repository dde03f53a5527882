package demo

import (
	"encoding/json"
	"testing"
)

// A call that was allowed as edited runs so: else editing one raises an alarm in the demo.
func TestRunsAsEdited(t *testing.T) {
	const asked = `{"command":"a"}`
	for answer, want := range map[string]string{
		`{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"b"}}}`: `{"command":"b"}`,
		`{"hookSpecificOutput":{"permissionDecision":"allow"}}`:                                asked,
	} {
		var v verdict
		if err := json.Unmarshal([]byte(answer), &v); err != nil {
			t.Fatal(err)
		}
		if got := string(v.runs(json.RawMessage(asked))); got != want || !v.allows() {
			t.Errorf("%s runs with %s", answer, got)
		}
	}
}
