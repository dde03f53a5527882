package logs

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
)

func TestAnswersInTheLog(t *testing.T) {
	for _, tc := range []struct{ tool, input, want string }{
		{"AskUserQuestion", `{"questions":[],"answers":{"Which?":"SQLite","How?":"fast"}}`, "answer: fast; SQLite"},
		{"Bash", `{"command":"ls"}`, "ran with: ls"},
		{"Bash", `{"command":"ls","answers":{"Which?":"no"}}`, "ran with: ls"},
	} {
		if got := changedWords(broker.Request{Agent: "claude", ToolName: tc.tool, ToolInput: []byte(tc.input)}); got != tc.want {
			t.Errorf("%s %s: %q", tc.tool, tc.input, got)
		}
	}
}
