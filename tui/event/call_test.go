package event

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

var (
	began = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	you   = broker.Actor{Kind: broker.ByOperator}
	rule  = broker.Actor{Kind: broker.ByRule, ID: "builtin:read-only"}
)

// aCall makes the steps of a call: a type of event and its data, in turn, one a second.
func aCall(state broker.State, pairs ...any) *Call {
	r := &broker.Request{ID: "r", SessionID: "s", ToolName: "Bash", ToolInput: json.RawMessage(`{"command":"go test"}`), CreatedAt: began, State: state}
	var steps []*Step
	for i := 0; i < len(pairs); i += 2 {
		data, err := json.Marshal(pairs[i+1])
		if err != nil {
			panic(err)
		}
		e := broker.Event{Seq: int64(i/2 + 1), At: began.Add(time.Duration(i/2) * time.Second), Type: pairs[i].(string), RequestID: r.ID, Data: data}
		steps = append(steps, New(story.Moment{Event: e, Call: r}))
	}
	return NewCall(steps)
}

func by(a broker.Actor, s broker.State, waited int64) broker.DecidedData {
	return broker.DecidedData{Status: s, By: a, WaitedMS: waited, Reason: "why\x1b[2J", ToolName: "Bash"}
}

func ran(failed bool) broker.RanData {
	return broker.RanData{ToolName: "Bash", Digest: "d", Failed: failed, DurationMS: 9800, Output: "\nFAIL\n", OutputBytes: 6}
}

func TestCall(t *testing.T) {
	const asked, decided, end = broker.EventRequestCreated, broker.EventRequestDecided, broker.EventPostTool
	for name, tc := range map[string]struct {
		of                *Call
		word, glyph, more string
		tails             string
	}{
		"waits":              {aCall(broker.Pending, asked, 0), "waits", "?", "", "waiting 1:00|1:00"},
		"deferred":           {aCall(broker.Pending, asked, 0, broker.EventDeferred, 0), "deferred", "?", "", "waiting 1:00|1:00"},
		"deferred no more":   {aCall(broker.Pending, asked, 0, broker.EventDeferred, 0, broker.EventNotDeferred, 0), "waits", "?", "", "waiting 1:00|1:00"},
		"allowed":            {aCall(broker.Allowed, asked, 0, decided, by(you, broker.Allowed, 10_000)), "allowed", "✓", "", "you after 10s|you"},
		"allowed by a rule":  {aCall(broker.Allowed, decided, by(rule, broker.Allowed, 3)), "allowed", "✓", "", "rule read-only|rule read-only"},
		"denied":             {aCall(broker.Denied, asked, 0, decided, by(you, broker.Denied, 500)), "denied", "✗", `"why\x1b[2J"`, "you|you"},
		"expired":            {aCall(broker.Expired, asked, 0, decided, by(broker.Actor{Kind: broker.ByDeadline}, broker.Expired, 600_000)), "expired", "~", `"why\x1b[2J"`, "after 10:00|after 10:00"},
		"stopped":            {aCall(broker.Denied, decided, by(broker.Actor{Kind: broker.ByStop}, broker.Denied, 0)), "stopped", "✗", `"why\x1b[2J"`, "your stop|your stop"},
		"denied by a rule":   {aCall(broker.Denied, decided, by(rule, broker.Denied, 0)), "denied", "✗", "", "rule read-only|rule read-only"},
		"ran":                {aCall(broker.Allowed, asked, 0, decided, by(you, broker.Allowed, 10_000), end, ran(false)), "ran", "✓", "", "you after 10s · 9.8s · 6 B|you after 10s · 9.8s|you · 9.8s|9.8s"},
		"failed":             {aCall(broker.Allowed, decided, by(you, broker.Allowed, 10_000), end, ran(true)), "failed", "✗", "FAIL", "you after 10s · 9.8s|you after 10s · 9.8s|you · 9.8s|9.8s"},
		"ended alone":        {aCall(broker.Allowed, end, ran(false)), "ran", "✓", "", "9.8s · 6 B|9.8s|9.8s|9.8s"},
		"observed":           {aCall(broker.Answered, decided, by(broker.Actor{Kind: broker.ByObserve}, broker.Answered, 0)), "observed", "○", `"why\x1b[2J"`, "observing|observing"},
		"unheard":            {aCall(broker.Allowed, decided, by(you, broker.Allowed, 0), broker.EventUnheard, 0), "unheard", "-", "", "you|you"},
		"heard at last":      {aCall(broker.Allowed, decided, by(you, broker.Allowed, 0), broker.EventUnheard, 0, broker.EventAnsweredAgain, 0), "allowed", "✓", "", "you|you"},
		"ran otherwise":      {aCall(broker.Allowed, decided, by(you, broker.Allowed, 0), broker.EventRanOtherwise, 0, end, ran(false)), "ALARM", "!", "", "you · 9.8s · 6 B|you · 9.8s|you · 9.8s|9.8s"},
		"refused, and it is": {aCall(broker.Denied, asked, 0, decided, by(you, broker.Denied, 0), end, ran(true)), "failed", "✗", "FAIL", "you · 9.8s|you · 9.8s|you · 9.8s|9.8s"},
	} {
		t.Run(name, func(t *testing.T) {
			word, glyph, _ := tc.of.Word()
			more, _ := tc.of.More()
			tails := strings.Join(tc.of.Tails(words.NewBook(broker.RuleBook{}), began.Add(time.Minute)), "|")
			if word != tc.word || glyph != tc.glyph || more != tc.more || tails != tc.tails {
				t.Errorf("%s %s, %q, %s", glyph, word, more, tails)
			}
		})
	}
}

// Attack on the eye: whatever is known of a call that failed, no tick stands before it.
func TestFailureHasNoTick(t *testing.T) {
	for _, before := range [][]any{
		nil,
		{broker.EventRequestDecided, by(you, broker.Allowed, 0)},
		{broker.EventRequestDecided, by(broker.Actor{Kind: broker.ByObserve}, broker.Answered, 0)},
		{broker.EventRequestDecided, by(you, broker.Allowed, 0), broker.EventUnheard, 0},
		{broker.EventPostTool, ran(false)},
	} {
		c := aCall(broker.Allowed, append(slices.Clone(before), broker.EventPostTool, ran(true))...)
		if _, glyph, i := c.Word(); glyph == "✓" || i == draw.OK {
			t.Errorf("after %v a failure has %q", before, glyph)
		}
	}
	if _, glyph, _ := aCall(broker.Allowed, broker.EventPostTool, ran(true)).Steps[0].Word(); glyph == "✓" {
		t.Error("the step itself has a tick")
	}
	unasked := New(story.Moment{Event: broker.Event{Seq: 1, Type: broker.EventPostTool, Data: []byte(`{"tool_name":"Bash","digest":"d"}`)}})
	if _, glyph, _ := unasked.Word(); glyph == "✓" {
		t.Error("a call that nobody allowed here has a tick")
	}
}

// Without the events that decided it, the call's own record tells.
func TestCallWithoutItsDecision(t *testing.T) {
	r := broker.Request{ID: "r", CreatedAt: began, State: broker.Denied, Outcome: &broker.Outcome{State: broker.Denied, By: you, Reason: "no", At: began.Add(3 * time.Second)}}
	c := NewCall([]*Step{New(story.Moment{Event: broker.Event{Seq: 1, Type: broker.EventRequestCreated, RequestID: "r"}, Call: &r})})
	word, _, _ := c.Word()
	if tails := c.Tails(words.NewBook(broker.RuleBook{}), began); word != "denied" || tails[0] != "you after 3.0s" {
		t.Errorf("%s, %q", word, tails)
	}
}

// Unfolded a call says when each thing happened, why, and what came out.
func TestUnfold(t *testing.T) {
	c := aCall(broker.Allowed, broker.EventRequestCreated, 0, broker.EventRequestDecided, by(you, broker.Allowed, 1000), broker.EventPostTool, ran(true))
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	got := strings.Join(c.Unfold(st, words.NewBook(broker.RuleBook{}), 60, time.UTC), "\n")
	for _, want := range []string{"asked      2026-03-14 12:00:00", "allowed    12:00:01  you after 1.0s", `reason     why\x1b[2J`, "failed     12:00:02  9.8s · 6 B", "events     1, 2, 3", "$ go test", "│ FAIL"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// The difference of an edit is drawn whole.
func TestUnfoldEdit(t *testing.T) {
	r := broker.Request{ID: "r", ToolName: "Edit", ToolInput: json.RawMessage(`{"file_path":"/p/a.go","old_string":"x := 1","new_string":"x := 2"}`), CreatedAt: began, State: broker.Pending}
	c := NewCall([]*Step{New(story.Moment{Event: broker.Event{Seq: 1, Type: broker.EventRequestCreated, RequestID: "r"}, Call: &r})})
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	got := strings.Join(c.Unfold(st, words.NewBook(broker.RuleBook{}), 60, time.UTC), "\n")
	if !strings.Contains(got, "x := 1") || !strings.Contains(got, "x := 2") {
		t.Errorf("not whole:\n%s", got)
	}
	for room, want := range map[int]string{40: "/p/a.go  +1 −1", 12: "/p/a.go"} {
		row := st.Row(60)
		if c.Put(row, room); row.String() != want {
			t.Errorf("in %d cells: %q", room, row.String())
		}
	}
}

// What was allowed in place of what was asked is drawn as the card of the call draws it, not as JSON.
func TestUnfoldEditedCall(t *testing.T) {
	allowed := by(you, broker.Allowed, 1000)
	allowed.UpdatedInput = json.RawMessage(`{"command":"go vet"}`)
	whole := aCall(broker.Allowed, broker.EventRequestCreated, 0, broker.EventRequestDecided, allowed)
	gone := aCall(broker.Allowed, broker.EventRequestDecided, allowed)
	gone.last.Call = nil
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	for name, tc := range map[string]struct {
		of   *Call
		want []string
	}{
		"known":                  {whole, []string{"Allowed with another input than was asked", "− go test", "+ go vet", "Asked", "$ go test"}},
		"not on record any more": {gone, []string{"Allowed with another input than was asked", "$ go vet"}},
	} {
		got := strings.Join(tc.of.Unfold(st, words.NewBook(broker.RuleBook{}), 60, time.UTC), "\n")
		if strings.Contains(got, `{"`) {
			t.Errorf("%s: JSON in\n%s", name, got)
		}
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", name, want, got)
			}
		}
	}
}

// An alarm shows what ran as a call, not as JSON.
func TestUnfoldAlarm(t *testing.T) {
	data := broker.Alarm{Kind: broker.RanChanged, ToolName: "Bash", Ran: json.RawMessage(`{"command":"go vet"}`), At: began}
	c := aCall(broker.Allowed, broker.EventRanOtherwise, data)
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	got := strings.Join(c.Steps[0].Unfold(st, words.NewBook(broker.RuleBook{}), 60, time.UTC), "\n")
	for _, want := range []string{"what ran was not what was allowed", "What ran: Bash", "$ go vet", "What was allowed", "$ go test"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, `{"`) {
		t.Errorf("JSON in\n%s", got)
	}
	if more, _ := c.Steps[0].More(); more != "what ran was not what was allowed" {
		t.Errorf("its row says %q", more)
	}
}

// What people do not read of an event is not found in it either.
func TestFilterReadsWords(t *testing.T) {
	c := aCall(broker.Allowed, broker.EventRequestDecided, by(you, broker.Allowed, 0), broker.EventPostTool, ran(false))
	for word, want := range map[string]bool{"fail": true, "failed": false, "go test": true, "waited": false, "you": true, "why": true} {
		if got := slices.ContainsFunc(c.Steps, func(s *Step) bool { return s.Has(word) }); got != want {
			t.Errorf("%q is found: %v", word, got)
		}
	}
}

// A machine's words for an event are said in plain ones.
func TestPlainText(t *testing.T) {
	for _, tc := range []struct{ kind, data, want string }{
		{broker.EventStopRequested, `{"by":{"kind":"operator"}}`, "stopped by you"},
		{broker.EventSessionStop, `{"reason":"stopped_by_user"}`, "ended stopped on request"},
		{broker.EventSessionStart, `{"source":"resume"}`, "session resumed"},
		{broker.EventUser, `{"text":"<task-notification><summary>Tests ran</summary></task-notification>","from_agent":true}`, `agent "a task in the background: Tests ran"`},
		{broker.EventTurnEnd, `{"failed":true,"error":"x [ede_diagnostic] y"}`, "failed its turn was cut off"},
		{broker.EventSubagentStart, `{"subagent_type":"reviewer","subagent_id":"a81f"}`, "sub-agent reviewer began"},
		{broker.EventFrozen, `{"on":true,"by":{"kind":"operator"}}`, "frozen by you"},
		{broker.EventObserve, `{"on":false,"by":{"kind":"operator"}}`, "observing off by you"},
		{broker.EventSessionKilled, `{"by":{"kind":"operator"},"ended":3}`, "killed by you  3 processes"},
		{broker.EventRunEnded, `{"result":"aborted_tools"}`, "runner interrupted while tools ran"},
		{"a_new_kind", `{"x":"\u001b[2J"}`, `a new kind {"x":"\u001b[2J"}`},
	} {
		s := New(story.Moment{Event: broker.Event{Seq: 1, Type: tc.kind, Data: []byte(tc.data)}})
		word, _, _ := s.Word()
		if got := fmt.Sprint(word, " ", s.Text()); got != tc.want {
			t.Errorf("%s %s says %q, want %q", tc.kind, tc.data, got, tc.want)
		}
	}
}
