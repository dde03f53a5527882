package calls

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/cli/client"
)

// Danger has a column of its own, which a call cannot write into, and a field for programs.
func TestPendingShowsDanger(t *testing.T) {
	const calls = `[
		{"id":"a","session_id":"s","tool_name":"Bash","tool_input":{"command":"rm -rf ~"},"assessment":{"risk":"dangerous"}},
		{"id":"b","session_id":"s","tool_name":"Bash","tool_input":{"command":"!! ls"},"assessment":{"risk":"normal"}},
		{"id":"c","session_id":"s","tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Which?"}]},"assessment":{"risk":"normal"}}
	]`
	var waiting []client.Request
	if err := json.Unmarshal([]byte(calls), &waiting); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := pendingTable(waiting, nil, time.Time{}).Print(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{"\t!!\tBash\trm -rf ~", "\t\tBash\t!! ls", "\t\tAskUserQuestion\tWhich?"} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("%q does not end in %q", lines[i], want)
		}
	}
	for i, want := range []bool{true, false, false} {
		var got struct {
			ID        string
			Dangerous *bool
		}
		raw, err := json.Marshal(listed{waiting[i]})
		if err != nil || json.Unmarshal(raw, &got) != nil || got.ID == "" || got.Dangerous == nil || *got.Dangerous != want {
			t.Errorf("%s, %v", raw, err)
		}
	}
}
