package service_test

import (
	"fmt"
	"testing"

	"github.com/aoctl/aoctl/broker/service"
)

// Programs for other brokers of this kind find the same routes under their own names.
func TestOtherNames(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	ask := func(session, use string) string {
		t.Helper()
		status, m := c.do("POST", "/approval-queue", fmt.Sprintf(`{"session_id":%q,"tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":%q}`, session, use))
		id, _ := m["correlation_id"].(string)
		if status != 200 || id == "" || m["request_id"] != id {
			t.Fatalf("asked: %d %v", status, m)
		}
		return id
	}
	id := ask("s", "use-1")
	if status, m := c.do("GET", "/response-queue/"+id+"?timeout=0", ""); status != 202 {
		t.Errorf("before it is answered: %d %v", status, m)
	}
	if status, m := c.do("POST", "/response-queue/"+id, `{"decision":"allow"}`); status != 403 {
		t.Errorf("allowed by anybody: %d %v", status, m)
	}
	if status, m := c.do("POST", "/response-queue/"+id, `{"decision":"deny","reason":"no"}`); status != 200 {
		t.Errorf("denied: %d %v", status, m)
	}
	if status, m := c.do("GET", "/response-queue/"+id, ""); status != 200 || m["decision"] != "deny" {
		t.Errorf("after it was answered: %d %v", status, m)
	}
	if status, m := c.do("POST", "/approval-queue", `{"session_id":"s","tool_name":"Bash","tool_input":{},"request_id":"a","correlation_id":"b"}`); status != 400 {
		t.Errorf("two ids: %d %v", status, m)
	}

	// A call may be named by what the agent calls it, as long as that names one.
	id = ask("s", "use-2")
	if status, m := c.do("POST", "/tool-decisions/use-2/deny", `{}`); status != 200 || m["request_id"] != id {
		t.Errorf("by the tool use id: %d %v", status, m)
	}
	ask("s", "use-3")
	ask("other", "use-3")
	if status, m := c.do("POST", "/tool-decisions/use-3/deny", `{}`); status != 409 {
		t.Errorf("two calls of one name: %d %v", status, m)
	}
	if status, m := c.do("POST", "/tool-decisions/use-4/deny", `{}`); status != 404 {
		t.Errorf("no call of that name: %d %v", status, m)
	}
	if status, m := c.do("GET", "/check-stop/nobody", ""); status != 200 || m["stop_requested"] != false {
		t.Errorf("a session that nobody knows: %d %v", status, m)
	}
}

// What programs tell of their sessions may have the names that they know.
func TestOtherNamesOfEvents(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	if status, m := c.do("POST", "/events", `{"event_type":"message","session_id":"s","session_name":"shop","role":"assistant","message":"hello","status":"done"}`); status != 200 {
		t.Fatalf("%d %v", status, m)
	}
	if _, m := c.do("GET", "/sessions/s", ""); m["name"] != "shop" {
		t.Errorf("the session is called %v", m["name"])
	}
	for _, step := range []struct {
		body string
		want int
	}{
		{`{"event_type":"message","session_id":"s","session_name":"shop","name":"other"}`, 400},
		{`{"event_type":"message","session_id":"s","tool_output":"x"}`, 400},
		{`{"event_type":"post_tool","session_id":"s","tool_name":"Bash","tool_output":"x","result":"y"}`, 400},
		{`{"event_type":"post_tool","session_id":"s","tool_name":"Bash","tool_input":{},"tool_output":"x"}`, 200},
		{`{"event_type":"post_tool","session_id":"s","tool_name":"Bash","tool_input":{},"status":"error","result":"x"}`, 200},
	} {
		if status, m := c.do("POST", "/events", step.body); status != step.want {
			t.Errorf("%s: %d %v", step.body, status, m)
		}
	}
	var failed []any
	_, answer := c.do("GET", "/sessions/s/events", "")
	events, _ := answer["list"].([]any)
	for _, e := range events {
		if e, _ := e.(map[string]any); e["event_type"] == "post_tool" {
			data, _ := e["data"].(map[string]any)
			failed = append(failed, data["failed"])
		}
	}
	if fmt.Sprint(failed) != "[false true]" {
		t.Errorf("the two calls that ended have failed = %v", failed)
	}
}
