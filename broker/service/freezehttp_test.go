package service_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
)

const hookCall = `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"toolu_1","cwd":"/src"}`

// Anybody freezes; to lift it takes an operator's token, and who has none is on record.
func TestFreezeOverTheSocket(t *testing.T) {
	c := serve(t, service.Options{})
	r := submit(t, c.b, bash("s", "1", "make"))
	status, got := c.do("POST", "/freeze", "")
	if status != http.StatusOK || got["frozen"] != true || got["frozen_all"] != true || got["held"] != 1.0 {
		t.Errorf("freeze: %d %v", status, got)
	}
	if status, got = c.do("POST", "/freeze", `{"session_id":"nobody"}`); status != http.StatusNotFound {
		t.Errorf("freeze an unknown session: %d %v", status, got)
	}
	if status, got = c.do("POST", "/freeze", `{"session":"s"}`); status != http.StatusBadRequest {
		t.Errorf("an unknown field: %d %v", status, got)
	}
	if status, got = c.do("POST", "/unfreeze", ""); status != http.StatusForbidden || code(got) != "operator_required" {
		t.Errorf("unfreeze without a token: %d %v", status, got)
	}
	token, err := c.b.MintToken(t.Context(), broker.OperatorToken, "t", operator)
	must(t, err)
	bearer := []string{"Authorization", "Bearer " + token}
	status, got = c.do("POST", "/approval-requests/"+r.ID+"/decide", `{"decision":"allow","digest":"`+r.Digest+`","dangerous":true}`, bearer...)
	if status != http.StatusConflict || code(got) != "frozen" {
		t.Errorf("allow: %d %v", status, got)
	}
	if status, got = c.do("GET", "/status", ""); got["frozen_all"] != true || got["held"] != 1.0 || got["frozen"] != 1.0 {
		t.Errorf("status: %d %v", status, got)
	}
	if status, got = c.do("POST", "/unfreeze", "", bearer...); status != http.StatusOK || got["frozen"] != false || got["held"] != 0.0 {
		t.Errorf("unfreeze: %d %v", status, got)
	}
	list, err := c.b.Events(t.Context())
	must(t, err)
	refused := 0
	for _, e := range list {
		var d broker.RefusedData
		if e.Type == broker.EventDecisionRefused && json.Unmarshal(e.Data, &d) == nil && d.Wanted == "unfreeze" {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("%d attempts to unfreeze on record, want 1", refused)
	}
}

// A hook that asks again for what it was allowed is told to wait while everything is
// frozen, and what it was answered once the freeze is lifted.
func TestHookIsKeptWaitingInAFreeze(t *testing.T) {
	c := serve(t, service.Options{Hold: 10 * time.Millisecond})
	head := []string{"Aoctl-Protocol", "1", "Aoctl-Timeout-Ms", "60000"}
	status, got := c.do("POST", "/hooks/claude", hookCall, head...)
	if status != http.StatusAccepted {
		t.Fatalf("%d %v", status, got)
	}
	id := got["request_id"].(string)
	_, err := c.b.Decide(t.Context(), id, broker.Decision{Verdict: broker.Allow, By: operator})
	must(t, err)
	freeze(t, c.b, "s")
	for _, route := range [][2]string{{"POST", "/hooks/claude"}, {"GET", "/hooks/claude/" + id}, {"GET", "/approval-requests/" + id + "/decision?timeout=0"}} {
		body := ""
		if route[0] == "POST" {
			body = hookCall
		}
		if status, got = c.do(route[0], route[1], body, head...); status != http.StatusAccepted {
			t.Errorf("%v while frozen: %d %v", route, status, got)
		}
	}
	unfreeze(t, c.b, "s")
	status, got = c.do("GET", "/hooks/claude/"+id, "", head...)
	answer, _ := json.Marshal(got)
	if out, _ := got["hookSpecificOutput"].(map[string]any); status != http.StatusOK || out["permissionDecision"] != "allow" {
		t.Errorf("after the freeze: %d %s", status, answer)
	}
}
