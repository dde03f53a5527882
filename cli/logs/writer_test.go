package logs

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/tally"
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

// In a window of 80 cells the call is seen before the id of the rule that decided it.
func TestTheCallComesBeforeTheRule(t *testing.T) {
	const rule = "01a21758-351e-7e40-ba7e-d8da748aa10b"
	input := json.RawMessage(`{"command":"make test"}`)
	r := broker.Request{ID: "r", ToolName: "Bash", ToolInput: input, Digest: broker.Digest("Bash", input, "")}
	w := &writer{names: map[string]string{"s": "shop"}, calls: map[string]call{"r": callOf(r)}}
	data, err := json.Marshal(broker.DecidedData{Status: broker.Allowed, By: broker.Actor{Kind: broker.ByRule, ID: rule}, ToolName: "Bash", Digest: r.Digest})
	if err != nil {
		t.Fatal(err)
	}
	e := broker.Event{At: time.Now(), Type: broker.EventRequestDecided, SessionID: "s", RequestID: "r", Data: data}
	if got := w.line(e, 80); !strings.Contains(got, "allowed  Bash  make test") {
		t.Errorf("%q", got)
	}
	// A pipe has the same words, and a rule that is known goes by its name.
	if got := w.line(e, 0); !strings.HasSuffix(got, "\tallowed  Bash  make test  by rule 748aa10b after 0s") {
		t.Errorf("%q", got)
	}
	w.rules = map[string]string{rule: `"make *"`}
	if got := w.line(e, 0); !strings.HasSuffix(got, `by rule "make *" after 0s`) {
		t.Errorf("%q", got)
	}
}

// What a runner reports is said in words and not as its JSON.
func TestRunsAreToldInWords(t *testing.T) {
	w := &writer{}
	for _, tc := range []struct{ kind, data, want string }{
		{broker.EventRunStarted, `{"agent":"claude","cwd":"/src/shop","program":"/bin/claude","prompt":"tidy up","env_names":["A"]}`, `claude started in /src/shop: "tidy up"`},
		{broker.EventRunStarted, `{"agent":"claude","cwd":"/src","resumed":true,"detached":true}`, "claude resumed in the background in /src"},
		{broker.EventMessageSent, `{"id":"m"}`, "its agent has the message"},
		{broker.EventRequestDecided, `{"status":"allowed","tool_name":"Bash","by":{"kind":"rule","id":"builtin:look"},"reason":"only looks, inside the project"}`, "allowed  Bash    by the built-in grant: only looks after 0s"},
	} {
		if got := w.what(broker.Event{Type: tc.kind, Data: json.RawMessage(tc.data)}); got != tc.want {
			t.Errorf("%s %s: %q", tc.kind, tc.data, got)
		}
	}
}

func TestIdsOfRulesAreShort(t *testing.T) {
	const id, named = "01a21758-351e-7e40-ba7e-d8da748aa10b", "builtin:read-only"
	got := shortRules([]tally.Group{{ID: id}, {ID: named}})
	if diff := cmp.Diff(map[string]string{id: "748aa10b"}, got); diff != "" {
		t.Error(diff)
	}
}
