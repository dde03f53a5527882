package service_test

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
)

// A program without hooks tells what came of its calls, and what ran otherwise than it was
// allowed is an alarm.
func TestToldRan(t *testing.T) {
	for name, tc := range map[string]struct {
		body  string
		alarm broker.RunKind
		known bool // the report is about the call
	}{
		"as allowed":       {`"request_id":"r-1","tool_input":{"command":"make"},"result":"built","duration_ms":1500`, "", true},
		"failed":           {`"request_id":"r-1","error":"exit 2"`, "", true},
		"another input":    {`"request_id":"r-1","tool_input":{"command":"make install"}`, broker.RanChanged, true},
		"no such call":     {`"request_id":"r-9","tool_input":{"command":"make"}`, "", false},
		"another session":  {`"session_id":"other","request_id":"r-1","tool_input":{"command":"make install"}`, "", false},
		"without its name": {`"tool_input":{"command":"make install"}`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, service.Options{})
			_, _ = c.do("POST", "/create-approval-request", makeCall)
			_, err := c.b.Decide(t.Context(), "r-1", broker.Decision{Verdict: broker.Allow, By: operator})
			must(t, err)
			session := `"session_id":"s",`
			if name == "another session" {
				session = ""
			}
			if status, m := c.do("POST", "/events", `{"event_type":"post_tool","tool_name":"Bash",`+session+tc.body+`}`); status != 200 {
				t.Fatalf("%d %v", status, m)
			}
			story, err := c.b.Story(t.Context(), "r-1")
			must(t, err)
			if got := story.Ran != nil; got != tc.known {
				t.Errorf("the call's card knows of the report: %v, want %v", got, tc.known)
			}
			if name == "as allowed" && (story.Ran.Output != "built" || story.Ran.DurationMS != 1500 || story.Ran.Failed) ||
				name == "failed" && (story.Ran.Output != "exit 2" || !story.Ran.Failed) {
				t.Errorf("the card says %+v", story.Ran)
			}
			s, err := c.b.Session(t.Context(), "s")
			must(t, err)
			switch {
			case tc.alarm == "" && s.Alarm != nil:
				t.Errorf("alarm: %+v", s.Alarm)
			case tc.alarm != "" && (s.Alarm == nil || s.Alarm.Kind != tc.alarm || s.Alarm.RequestID != "r-1"):
				t.Errorf("the alarm is %+v, want %s", s.Alarm, tc.alarm)
			}
		})
	}
}

func TestToldRanIsChecked(t *testing.T) {
	c := serve(t, service.Options{})
	for _, body := range []string{
		`{"event_type":"pre_tool","session_id":"s","result":"x"}`,
		`{"event_type":"message","session_id":"s","request_id":"r-1"}`,
		`{"event_type":"post_tool","session_id":"s","duration_ms":-1}`,
		`{"event_type":"post_tool","session_id":"s","duration_ms":1e300}`,
	} {
		if status, m := c.do("POST", "/events", body); status != 400 {
			t.Errorf("%s: %d %v, want 400", body, status, m)
		}
	}
}
