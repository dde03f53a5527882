package plainwords

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
)

func TestFailure(t *testing.T) {
	for in, want := range map[string]string{
		"[ede_diagnostic] result_type=user last_content_type=n/a": "its turn was cut off",
		"the agent was ended by killed: see its log":              "the agent was killed: see its log",
		"aborted_tools":        "interrupted while tools ran",
		"tool_deferred":        "a call was deferred",
		"API Error: 401":       "API Error: 401",
		"a word of the future": "a word of the future",
	} {
		if got := Failure(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestSaid(t *testing.T) {
	for in, want := range map[string]string{
		"make it pass":                 "make it pass",
		"what is <task-notification>?": "what is <task-notification>?",
		"<task-notification>\n<task-id>b1</task-id>\n<summary>Agent \"tests\" completed</summary></task-notification>": `a task in the background: Agent "tests" completed`,
		" <task-notification>done</task-notification>":                                                                 "a task in the background: done",
		"<teammate-message from=\"b\">hi</teammate-message>":                                                           "another agent: hi",
	} {
		if got := Said(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestEvent(t *testing.T) {
	for _, tc := range []struct{ typ, data, want string }{
		{broker.EventSessionStop, `{"reason":"stopped_by_user","exit_code":130}`, "stopped on request"},
		{broker.EventSessionStop, `{"reason":"ended","exit_code":0}`, ""},
		{broker.EventSessionEnd, `{"reason":"gone"}`, "its process ended without a word"},
		{broker.EventRunEnded, `{"kind":"ended","error":"it was ended by killed"}`, "it was killed"},
		{broker.EventRunNoted, `{"kind":"idle","result":"aborted_tools"}`, "interrupted while tools ran"},
		{broker.EventRunNoted, `{"kind":"agent"}`, "the agent's process runs"},
		{broker.EventUser, `{"text":"<task-notification>x</task-notification>"}`, `"a task in the background: x"`},
		{broker.EventTurnEnd, `{"failed":true,"text":"[ede_diagnostic] a=b"}`, "failed: its turn was cut off"},
		{broker.EventStopLifted, `{"by":"prompt"}`, "its user spoke"},
		{broker.EventStopRequested, `{"by":{"kind":"operator"}}`, "by you"},
		{broker.EventStopRequested, `{"by":{"kind":"operator","id":"token:01a2"}}`, "by your token"},
		{broker.EventStopRequested, `{"by":{"kind":"process","pid":12962,"exe":"/usr/bin/aoctl"}}`, "by an aoctl command"},
		{broker.EventMessageDropped, `{"by":{"kind":"agent","id":"withdrawn"}}`, "by its agent"},
	} {
		got, ok := Event(broker.Event{Type: tc.typ, Data: []byte(tc.data)})
		if !ok || got != tc.want {
			t.Errorf("%s %s: got %q, %v; want %q", tc.typ, tc.data, got, ok, tc.want)
		}
	}
	if _, ok := Event(broker.Event{Type: broker.EventRuleSaved}); ok {
		t.Error("a rule has words")
	}
}
