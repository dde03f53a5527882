package agents

import (
	"encoding/json"
	"testing"
)

// deafDialect translates nothing.
type deafDialect struct{ Dialect }

func (deafDialect) Common(name string, in json.RawMessage) (string, json.RawMessage, bool) {
	return commonIn(nil, "gemini", name, in)
}

// What an agent asks its user with is known whatever its dialect translates.
func TestDialogsAreKnown(t *testing.T) {
	was, had := dialects["gemini"]
	dialects["gemini"] = deafDialect{}
	t.Cleanup(func() {
		delete(dialects, "gemini")
		if had {
			dialects["gemini"] = was
		}
	})
	for name, want := range map[string]string{
		"ask_user": AskUserQuestion, "exit_plan_mode": ExitPlanMode, "question": "question", "AskUserQuestion": "gemini:AskUserQuestion",
	} {
		common, in, known := Common("gemini", name, json.RawMessage(`{"x":1}`))
		if common != want || string(in) != `{"x":1}` || known != (want == AskUserQuestion || want == ExitPlanMode) {
			t.Errorf("%s is %s %s, known %v; want %s", name, common, in, known, want)
		}
	}
}
