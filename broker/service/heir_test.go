package service_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
)

// Attack: whoever knows the id of a call that was put off reads its answer away with a GET,
// before the agent that is resumed asks for it.
func TestAnswerOfWhatIsPutOffIsForWhoAsksAgain(t *testing.T) {
	const call = `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/src","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"toolu_1"}`
	c := serve(t, service.Options{Hold: 10 * time.Millisecond})
	talk := func(id string) []string {
		return []string{
			"Aoctl-Protocol", "1", "Aoctl-Timeout-Ms", "60000", "Aoctl-Correlation", id,
			"Aoctl-Env", "CLAUDE_CODE_ENTRYPOINT=sdk-cli", "Aoctl-Env", "CLAUDE_CODE_SESSION_ATTENDED=0",
		}
	}
	hears := func(want, method, path, body string, head []string) {
		t.Helper()
		status, got := c.do(method, path, body, head...)
		out, _ := got["hookSpecificOutput"].(map[string]any)
		if status != http.StatusOK || out["permissionDecision"] != want {
			t.Errorf("%s %s: %d %v, want %s", method, path, status, got, want)
		}
	}
	_, got := c.do("POST", "/hooks/claude", call, talk("first")...)
	id, _ := got["request_id"].(string)
	putOff(t, c.b, id)
	hears("defer", "GET", "/hooks/claude/"+id, "", talk("first"))
	decide(t, c.b, id, broker.Decision{Verdict: broker.Allow})
	hears("defer", "GET", "/hooks/claude/"+id, "", nil)
	hears("defer", "GET", "/hooks/claude/"+id, "", talk("thief"))
	if must2(c.b.Request(t.Context(), id)).Checkpoint == nil {
		t.Fatal("the answer was read away")
	}
	freeze(t, c.b, "s") // the resumed agent has to wait, and then has it with a GET
	if status, got := c.do("POST", "/hooks/claude", call, talk("second")...); status != http.StatusAccepted {
		t.Errorf("asked again in a freeze: %d %v", status, got)
	}
	unfreeze(t, c.b, "s")
	hears("defer", "GET", "/hooks/claude/"+id, "", talk("thief"))
	hears("allow", "GET", "/hooks/claude/"+id, "", talk("second"))
	if must2(c.b.Request(t.Context(), id)).Checkpoint != nil {
		t.Error("the checkpoint outlived the answer")
	}
}
