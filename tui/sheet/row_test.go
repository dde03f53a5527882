package sheet

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/tuitest"
	"github.com/aoctl/aoctl/tui/words"
)

// ended is a call that ended so, some seconds before the time of these tests.
func ended(tool string, input any, o broker.Outcome) broker.Request {
	r := tuitest.ToolCall(tool, input)
	o.At = tuitest.Noon.Add(-time.Second)
	r.State, r.Outcome = o.State, &o
	return r
}

// rowOf is a decided call's row without the blanks at its end.
func rowOf(r broker.Request, width int) string {
	s := New(&desk.Desk{Board: board.NewBoard(), Book: words.NewBook(broker.RuleBook{}), At: tuitest.Noon, Styles: tuitest.PlainStyles()}, nil)
	return strings.TrimRight(s.Row(r, width, false), " ")
}

// A row tells what the call's text does not: that it was dangerous, that it ran edited, and that a plan
// went back to its agent.
func TestRowTellsHowACallEnded(t *testing.T) {
	you := broker.Actor{Kind: broker.ByOperator}
	allowed := broker.Outcome{State: broker.Allowed, By: you}
	edited, answered := allowed, allowed
	edited.UpdatedInput = json.RawMessage(`{"command":"make test"}`)
	answered.UpdatedInput = json.RawMessage(`{"answers":{"Which?":"this"}}`)
	deadly := ended("Bash", `{"command":"rm -rf /srv"}`, allowed)
	deadly.Danger = "deletes outside the project"
	byRule := broker.Outcome{State: broker.Allowed, By: broker.Actor{Kind: broker.ByRule, ID: "builtin:a name of twenty c"}}
	byLong := byRule
	byLong.By.ID = "builtin:a name of forty letters or some more of them"
	looks := byRule
	looks.By.ID = rules.BuiltinLook
	denied, stopped := broker.Outcome{State: broker.Denied, By: you}, broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop}}
	for name, tt := range map[string]struct {
		call  broker.Request
		width int
		want  string
	}{
		"dangerous":         {deadly, 120, "✓ allowed   !! $ rm -rf /srv"},
		"dangerous, narrow": {deadly, 60, "✓ !! $ rm -rf /srv"},
		"edited":            {ended("Bash", `{"command":"make"}`, edited), 120, "✓ edited    $ make test"},
		"edited, narrow":    {ended("Bash", `{"command":"make"}`, edited), 60, "✓ edited $ make test"},
		"a plan":            {ended(agents.ExitPlanMode, `{"plan":"x"}`, denied), 120, "✗ sent back · plan x"},
		"a stop":            {ended("Bash", `{"command":"make"}`, stopped), 120, "✗ stopped   $ make"},
		"a rule":            {ended("Bash", `{"command":"make"}`, byRule), 80, "  rule a name of twenty c"},
		"a rule, no room":   {ended("Bash", `{"command":"make"}`, byLong), 70, `  "a name of forty lette…"`},
		"only looks":        {ended("Bash", `{"command":"ls"}`, looks), 120, "  the built-in grant: only looks"},
		"only looks, brief": {ended("Bash", `{"command":"git log --oneline -n 20 -- internal/http"}`, looks), 70, "  only looks"},
		"an answer":         {ended(agents.AskUserQuestion, `{"questions":[]}`, answered), 120, "✓ allowed   ?"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rowOf(tt.call, tt.width); !strings.Contains(got, tt.want) {
				t.Errorf("%q has no %q", got, tt.want)
			}
		})
	}
}
