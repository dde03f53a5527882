package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/wire"
)

// rig drives a peer and keeps what it did.
type rig struct {
	*peer
	t    testing.TB
	done []effect
}

func newRig(tb testing.TB, prompt string, keep bool) *rig {
	tb.Helper()
	n := 0
	r := &rig{t: tb, peer: newPeer(peerOptions{
		session: "s", cwd: "/w", events: []string{gateEvent, textEvent, settingsEvent, "Stop"}, keep: keep, prompt: prompt,
		newID: func() string { n++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }, times: defaultTimes(),
	})}
	r.begin()
	return r
}

// stands is a rig whose agent has answered initialize.
func stands(tb testing.TB, prompt string, keep bool) *rig {
	tb.Helper()
	r := newRig(tb, prompt, keep)
	r.says(gateStands, settingsTaken)
	return r
}

const (
	gateStands    = `{"type":"control_response","response":{"subtype":"success","request_id":"aoctl-1","response":{"hooks_applied":true}}}`
	settingsTaken = `{"type":"control_response","response":{"subtype":"success","request_id":"aoctl-settings","response":{}}}`
)

func (r *rig) says(lines ...string) {
	for _, l := range lines {
		r.line(line{text: []byte(l)})
	}
}

// new are the effects since the last call.
func (r *rig) new() []effect {
	list := r.out.take()
	r.done = append(r.done, list...)
	return list
}

// sent are the lines among list.
func sent(list []effect) []string {
	var lines []string
	for _, e := range list {
		if s, ok := e.(send); ok {
			lines = append(lines, strings.TrimSuffix(string(s.line), "\n"))
		}
	}
	return lines
}

// told are the reports of a kind among list.
func told(list []effect, kind string) []wire.RunReport {
	var reports []wire.RunReport
	for _, e := range list {
		if r, ok := e.(tell); ok && r.report.Kind == kind {
			reports = append(reports, r.report)
		}
	}
	return reports
}

func only[T effect](tb testing.TB, list []effect) T {
	tb.Helper()
	var found []T
	for _, e := range list {
		if x, ok := e.(T); ok {
			found = append(found, x)
		}
	}
	if len(found) != 1 {
		tb.Fatalf("%d effects of %T among %v", len(found), *new(T), list)
	}
	return found[0]
}

func gate(id, tool, command string) string {
	return fmt.Sprintf(`{"type":"control_request","request_id":%q,"request":{"subtype":"hook_callback","callback_id":"aoctl-PreToolUse",`+
		`"input":{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":%q,"tool_input":{"command":%q},"cwd":"/w/sub","transcript_path":"/t.jsonl","permission_mode":"default"}}}`, id, tool, command)
}

func ran(tool string, isError bool) string {
	return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"x","is_error":%v}]}}`, tool, isError)
}

const (
	allowJSON = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}` + "\n"
	denyJSON  = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}` + "\n"
	resultOK  = `{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":4}}`
)

func (r *rig) answer(a ask, json string, err error) {
	r.answered(a.id, answer{serial: a.serial, json: []byte(json), request: "r1", err: err})
}

func TestNothingIsSaidBeforeTheGateStands(t *testing.T) {
	bad := map[string]func(r *rig){
		"an error": func(r *rig) {
			r.says(`{"type":"control_response","response":{"subtype":"error","request_id":"aoctl-1","error":"no"}}`)
		},
		"no hooks_applied": func(r *rig) {
			r.says(`{"type":"control_response","response":{"subtype":"success","request_id":"aoctl-1","response":{}}}`)
		},
		"hooks_applied is false": func(r *rig) {
			r.says(`{"type":"control_response","response":{"subtype":"success","request_id":"aoctl-1","response":{"hooks_applied":false}}}`)
		},
		"its settings are refused": func(r *rig) {
			r.says(gateStands)
			r.new()
			r.says(`{"type":"control_response","response":{"subtype":"error","request_id":"aoctl-settings","error":"no"}}`)
		},
		"no answer about its settings": func(r *rig) {
			r.says(gateStands)
			r.new()
			r.timeUp("aoctl-settings")
		},
		"no answer in time": func(r *rig) { r.timeUp("aoctl-1") },
		"a crowd before it": func(r *rig) {
			for i := range maxCalls + 1 {
				r.says(gate(fmt.Sprint("q", i), "t", "ls"))
			}
		},
	}
	for name, happens := range bad {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "do it", true)
			first := sent(r.new())
			if len(first) != 1 || !strings.Contains(first[0], `"subtype":"initialize"`) || !strings.Contains(first[0], `"onFailure":"block"`) {
				t.Fatalf("said first: %s", first)
			}
			happens(r)
			list := r.new()
			if s := sent(list); len(s) > 0 {
				t.Errorf("said %s", s)
			}
			only[shut](t, list)
			r.exited(exit{code: 0})
			if e := told(r.new(), wire.ReportEnded); len(e) != 1 || e[0].Error == "" {
				t.Errorf("ended as %+v", e)
			}
		})
	}
	r := newRig(t, "do it", true)
	r.says(gate("q", "t", "ls"))
	for _, e := range r.new() {
		if _, asked := e.(ask); asked {
			t.Error("a call was put before the console before the gate was known to stand")
		}
	}
	r.says(gateStands)
	if s := sent(r.new()); len(s) != 1 || !strings.Contains(s[0], `"settings":{"disableSkillShellExecution":true}`) {
		t.Errorf("said %s when the gate was put up, want its settings alone", s)
	}
	r.says(settingsTaken)
	list := r.new()
	if a := only[ask](t, list); a.id != "q" || !a.patient {
		t.Errorf("asked %+v", a)
	}
	if s := sent(list); len(s) != 1 || !strings.Contains(s[0], `"content":"do it"`) {
		t.Errorf("said %s", s)
	}
}

func TestGateAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		err    error
		want   string
	}{
		"allow":         {allowJSON, nil, `"permissionDecision":"allow"`},
		"deny":          {denyJSON, nil, `"permissionDecision":"deny"`},
		"console away":  {"", errors.New("no console is listening"), `"permissionDecision":"deny","permissionDecisionReason":"aoctl: no console is listening"`},
		"not an object": {"[]", nil, `"permissionDecision":"deny"`},
		"empty":         {"", nil, `"permissionDecision":"deny"`},
	} {
		r := stands(t, "do it", true)
		r.says(gate("q", "t", "ls <a>"))
		a := only[ask](t, r.new())
		if !strings.Contains(string(a.payload), `"tool_input":{"command":"ls <a>"}`) {
			t.Errorf("%s: asked with %s", name, a.payload)
		}
		r.answer(a, tt.answer, tt.err)
		s := sent(r.new())
		if len(s) != 1 || !strings.Contains(s[0], tt.want) || !strings.Contains(s[0], `"request_id":"q","response"`) && !strings.Contains(s[0], `"request_id":"q"`) || !strings.Contains(s[0], `"subtype":"success"`) {
			t.Errorf("%s: answered %s", name, s)
		}
		r.answer(a, allowJSON, nil)
		if s := sent(r.new()); len(s) > 0 {
			t.Errorf("%s: answered twice: %s", name, s)
		}
	}
}

func TestOtherEventsAreAnsweredWithNothing(t *testing.T) {
	for event, want := range map[string]string{"Stop": `"response":{}`, settingsEvent: `"decision":"block"`, textEvent: `"decision":"block"`} {
		r := stands(t, "do it", true)
		r.says(`{"type":"control_request","request_id":"q","request":{"subtype":"hook_callback","callback_id":"aoctl-` + event + `","input":{"hook_event_name":"` + event + `"}}}`)
		a := only[ask](t, r.new())
		if question := event == textEvent; a.patient != question || (a.given == 0) != question {
			t.Errorf("%s waits like a question, or does not: %+v", event, a)
		}
		r.answer(a, "", errors.New("no console"))
		if s := sent(r.new()); len(s) != 1 || !strings.Contains(s[0], want) {
			t.Errorf("%s: answered %s", event, s)
		}
	}
}

// Settings change and notices come while the agent does nothing. Nothing would end a turn that they
// began, and no message would ever be told.
func TestOnlyWorkBeginsATurn(t *testing.T) {
	for event, work := range map[string]bool{settingsEvent: false, "Stop": false, "Notification": false, "SessionEnd": false, textEvent: true, "UserPromptSubmit": true} {
		r := stands(t, "do it", true)
		r.says(resultOK)
		r.new()
		r.says(`{"type":"control_request","request_id":"q","request":{"subtype":"hook_callback","callback_id":"aoctl-` + event + `","input":{"hook_event_name":"` + event + `"}}}`)
		if r.turn.busy != work {
			t.Errorf("%s: a turn is under way: %t", event, r.turn.busy)
		}
	}
}

func TestAnAnswerIsForItsOwnQuestion(t *testing.T) {
	r := stands(t, "do it", true)
	r.says(gate("q", "t1", "ls"))
	first := only[ask](t, r.new())
	r.says(`{"type":"control_cancel_request","request_id":"q"}`)
	only[drop](t, r.new())
	r.says(gate("q", "t2", "rm -rf /"))
	r.new()
	r.answer(first, allowJSON, nil)
	if s := sent(r.new()); len(s) > 0 {
		t.Errorf("the answer to a call that was taken back went to another: %s", s)
	}
}

func TestTripwire(t *testing.T) {
	asked := func(r *rig, answer string) {
		r.says(gate("q", "t", "ls"))
		r.answer(only[ask](r.t, r.new()), answer, nil)
	}
	for name, tt := range map[string]struct {
		before func(r *rig)
		result string
		alarm  bool
	}{
		"never asked":         {func(*rig) {}, ran("t", false), true},
		"denied, but it ran":  {func(r *rig) { asked(r, denyJSON) }, ran("t", false), true},
		"no word of an error": {func(*rig) {}, strings.Replace(ran("t", false), `,"is_error":false`, "", 1), true},
		"of a sub-agent":      {func(*rig) {}, strings.Replace(ran("t", false), `"type":"user",`, `"type":"user","parent_tool_use_id":"p",`, 1), true},
		"another one allowed": {func(r *rig) { asked(r, allowJSON) }, ran("u", false), true},
		"allowed":             {func(r *rig) { asked(r, allowJSON) }, ran("t", false), false},
		"left to the agent":   {func(r *rig) { asked(r, "{}") }, ran("t", false), false},
		"denied, and refused": {func(r *rig) { asked(r, denyJSON) }, ran("t", true), false},
	} {
		r := stands(t, "do it", true)
		tt.before(r)
		r.says(tt.result)
		list := r.new()
		notes := told(list, wire.ReportNote)
		if alarm := len(notes) == 1 && strings.Contains(notes[0].Text, "ALARM"); alarm != tt.alarm || r.ending() != tt.alarm {
			t.Errorf("%s: alarm %v, ending %v", name, alarm, r.ending())
		}
		if s := strings.Join(sent(list), "\n"); strings.Contains(s, `"interrupt"`) != tt.alarm {
			t.Errorf("%s: said %s", name, s)
		}
	}
}

func permit(id, tool, command string) string {
	return fmt.Sprintf(`{"type":"control_request","request_id":%q,"request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":%q,"input":{"command":%q},"permission_suggestions":[{"type":"addRules"}]}}`, id, tool, command)
}

func TestPermission(t *testing.T) {
	r := stands(t, "do it", true)
	r.says(gate("q", "t", "ls"))
	r.answer(only[ask](t, r.new()), `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls -l"}}}`, nil)
	r.new()

	r.says(permit("p1", "t", "ls -l"))
	a := only[ask](t, r.new())
	if a.sure != "r1" {
		t.Errorf("what was allowed is asked again: %+v", a)
	}
	r.answered("p1", answer{serial: a.serial, sure: true})
	if s := sent(r.new()); len(s) != 1 || !strings.Contains(s[0], `{"behavior":"allow","toolUseID":"t","updatedInput":{"command":"ls -l"}}`) {
		t.Errorf("answered %s", s)
	}

	r.says(permit("p2", "t", "ls"))
	a = only[ask](t, r.new())
	var q map[string]any
	if err := json.Unmarshal(a.payload, &q); err != nil || a.sure != "" {
		t.Fatalf("%s, %v", a.payload, err)
	}
	for key, want := range map[string]any{"hook_event_name": "PermissionRequest", "tool_use_id": "t", "cwd": "/w/sub", "transcript_path": "/t.jsonl", "session_id": "s", "permission_mode": "default"} {
		if q[key] != want {
			t.Errorf("%s is %v, not %v", key, q[key], want)
		}
	}
	if q["permission_suggestions"] == nil {
		t.Error("the suggestions were not passed on")
	}
	for want, given := range map[string]string{
		`"behavior":"allow","toolUseID":"t","updatedInput":{"command":"pwd"}`:   `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"pwd"}}}}`,
		`"behavior":"deny","interrupt":true,"message":"stop"`:                   `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"stop","interrupt":true}}}`,
		`"behavior":"deny","interrupt":false,"message":"aoctl: the settings of`: `{}`,
		`"behavior":"deny","interrupt":false,"message":"aoctl: refused`:         `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}`,
	} {
		r.says(permit("p", "t", "ls"))
		r.answer(only[ask](t, r.new()), given, nil)
		if s := sent(r.new()); len(s) != 1 || !strings.Contains(s[0], want) {
			t.Errorf("%s was answered with %s", given, s)
		}
	}
	r.says(permit("p", "t", "ls"))
	r.answer(only[ask](t, r.new()), "", errors.New("away"))
	if s := sent(r.new()); len(s) != 1 || !strings.Contains(s[0], `"behavior":"deny"`) {
		t.Errorf("without a console: %s", s)
	}
}

func TestUnknownRequestsAreErrors(t *testing.T) {
	r := stands(t, "do it", true)
	r.new()
	r.says(`{"type":"control_request","request_id":"x","request":{"subtype":"request_user_dialog"}}`)
	list := r.new()
	if s := sent(list); len(s) != 1 || !strings.Contains(s[0], `"subtype":"error"`) || len(told(list, wire.ReportNote)) != 1 {
		t.Errorf("answered %s", s)
	}
	r.line(line{text: []byte(`{"type":"control_request","request_id":"long-1","request":{"subtype":"hook_callback"`), flaw: tooLong})
	if s := sent(r.new()); len(s) != 1 || !strings.Contains(s[0], `"request_id":"long-1"`) || !strings.Contains(s[0], `"error"`) {
		t.Errorf("a line that is too long: %s", s)
	}
}

func TestNotesAreFew(t *testing.T) {
	r := stands(t, "", true)
	for i := range 1000 {
		r.says("junk", fmt.Sprintf(`{"type":"new-%d"}`, i))
	}
	if n := len(told(r.new(), wire.ReportNote)); n < 5 || n > 120 {
		t.Errorf("%d notes of 2000 lines", n)
	}
}

func TestMessages(t *testing.T) {
	const id = "0196aaaa-1111-7111-8111-111111111111"
	r := stands(t, "do it", true)
	r.new()
	message := wire.RunOrder{ID: id, Kind: wire.OrderMessage, Text: "next"}
	r.orders([]wire.RunOrder{message})
	if s := sent(r.new()); len(s) > 0 {
		t.Fatalf("said in the middle of a turn: %s", s)
	}
	r.says(resultOK)
	list := r.new()
	if s := sent(list); len(s) != 1 || !strings.Contains(s[0], `"content":"next"`) || !strings.Contains(s[0], `"uuid":"`+id) {
		t.Fatalf("said %s", s)
	}
	idle := told(list, wire.ReportIdle)
	if len(idle) != 1 || idle[0].Cost != 0.5 || idle[0].Usage.Output != 4 || idle[0].Result != "completed" || idle[0].Turns != 1 {
		t.Errorf("idle: %+v", idle)
	}
	r.orders([]wire.RunOrder{message}) // told again until it is done
	if s := sent(r.new()); len(s) > 0 {
		t.Errorf("said twice: %s", s)
	}
	r.says(`{"type":"command_lifecycle","command_uuid":"` + id + `","state":"queued"}`)
	if d := told(r.new(), wire.ReportDone); len(d) > 0 {
		t.Error("done before it was taken up")
	}
	r.says(`{"type":"command_lifecycle","command_uuid":"` + id + `","state":"started"}`)
	if d := told(r.new(), wire.ReportDone); len(d) > 0 {
		t.Error("done before a model has it")
	}
	r.says(`{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"well"}]}}`)
	if d := told(r.new(), wire.ReportDone); len(d) != 1 || d[0].OrderID != id || d[0].Error != "" {
		t.Errorf("done: %+v", d)
	}
	r.says(resultOK)
	r.orders([]wire.RunOrder{{ID: "m2", Kind: wire.OrderMessage, Text: "a"}})
	r.new()
	r.orders([]wire.RunOrder{{ID: "m3", Kind: wire.OrderMessage, Text: "b"}})
	r.orders(nil) // withdrawn while the agent works
	r.says(resultOK)
	if s := sent(r.new()); len(s) > 0 {
		t.Errorf("said what was withdrawn: %s", s)
	}
}

func TestOrders(t *testing.T) {
	r := stands(t, "do it", true)
	r.new()
	r.orders([]wire.RunOrder{{ID: "o1", Kind: wire.OrderInterrupt}, {ID: "o2", Kind: wire.OrderMode, Text: "plan"}, {ID: "o3", Kind: wire.OrderModel, Text: "haiku"}, {ID: "o4", Kind: "dance"}})
	list := r.new()
	if s := sent(list); len(s) != 3 || !strings.Contains(s[0], `"subtype":"interrupt"`) || !strings.Contains(s[1], `"mode":"plan"`) || !strings.Contains(s[2], `"model":"haiku"`) {
		t.Fatalf("said %s", s)
	}
	if d := told(list, wire.ReportDone); len(d) != 1 || d[0].OrderID != "o4" || d[0].Error == "" {
		t.Errorf("an unknown order: %+v", d)
	}
	r.says(`{"type":"control_response","response":{"subtype":"success","request_id":"aoctl-2","response":{}}}`,
		`{"type":"control_response","response":{"subtype":"error","request_id":"aoctl-3","error":"bypass_not_launched"}}`)
	r.timeUp("aoctl-4")
	d := told(r.new(), wire.ReportDone)
	if len(d) != 3 || d[0].Error != "" || !strings.Contains(d[1].Error, "bypass") || !strings.Contains(d[2].Error, "did not answer") {
		t.Errorf("done: %+v", d)
	}
}

func TestEndEscalates(t *testing.T) {
	r := stands(t, "do it", true)
	r.says(gate("q", "t", "ls"))
	r.new()
	r.orders([]wire.RunOrder{{ID: "e", Kind: wire.OrderEnd}})
	list := r.new()
	only[drop](t, list)
	if s := sent(list); len(s) != 2 || !strings.Contains(s[0], `"permissionDecision":"deny"`) || !strings.Contains(s[1], "interrupt") {
		t.Fatalf("said %s", s)
	}
	r.says(gate("q2", "t2", "ls"))
	if s := sent(r.new()); len(s) != 1 || !strings.Contains(s[0], `"permissionDecision":"deny"`) {
		t.Errorf("a call while it is being ended: %s", s)
	}
	next := func() []effect {
		r.timeUp(fmt.Sprintf("step-%d", r.out.timers-1)) // one that is over changes nothing
		if list := r.new(); len(list) > 0 {
			t.Errorf("an old timer did %v", list)
		}
		r.timeUp(fmt.Sprintf("step-%d", r.out.timers))
		return r.new()
	}
	only[shut](t, next())
	if k := only[kill](t, next()); k.sig.String() != "terminated" {
		t.Errorf("sent %s", k.sig)
	}
	if k := only[kill](t, next()); k.sig.String() != "killed" {
		t.Errorf("sent %s", k.sig)
	}
	r.exited(exit{code: -1, signal: 9})
	list = r.new()
	only[finish](t, list)
	if d := told(list, wire.ReportDone); len(d) != 1 || d[0].OrderID != "e" || d[0].Error != "" {
		t.Errorf("done: %+v", d)
	}
	if e := told(list, wire.ReportEnded); len(e) != 1 || *e[0].ExitCode != -1 {
		t.Errorf("ended: %+v", e)
	}
	if steps := told(r.done, wire.ReportStep); len(steps) < 7 {
		t.Errorf("steps: %+v", steps)
	}
}

func TestTheTurnOfAnEndingSessionIsWaitedFor(t *testing.T) {
	r := stands(t, "do it", true)
	r.command(Interrupt)
	if s := sent(r.new()); len(s) != 4 || r.ending() { // initialize, settings, the prompt, interrupt
		t.Fatalf("the first: %s", s)
	}
	r.command(Interrupt)
	if !r.ending() {
		t.Fatal("the second did not end it")
	}
	r.new()
	r.says(`{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}`)
	only[shut](t, r.new())
	r.exited(exit{code: 1})
	if r.shutdown.failure != "" {
		t.Errorf("it was ended in order, and failed: %s", r.shutdown.failure)
	}
}

func TestATurnThatWasPutOffEndsTheProcess(t *testing.T) {
	for name, line := range map[string]string{
		"a new session":        `{"type":"result","subtype":"success","stop_reason":"tool_deferred","terminal_reason":"tool_deferred"}`,
		"one that was resumed": `{"type":"result","subtype":"success","stop_reason":"tool_deferred"}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := stands(t, "do it", true)
			r.new()
			r.says(line)
			list := r.new()
			only[shut](t, list)
			if len(told(list, wire.ReportIdle)) > 0 {
				t.Error("it was said to take messages")
			}
			r.exited(exit{})
			if e := told(r.new(), wire.ReportEnded); len(e) != 1 || e[0].Result != "tool_deferred" || e[0].Error != "" {
				t.Errorf("ended: %+v", e)
			}
		})
	}
}

func TestAForegroundRunEndsAfterItsTurn(t *testing.T) {
	r := stands(t, "do it", false)
	r.new()
	r.says(resultOK)
	only[settle](t, r.new())
	r.settled([]wire.RunOrder{{ID: "m", Kind: wire.OrderMessage, Text: "one more"}}, true)
	if s := sent(r.new()); len(s) != 1 || r.ending() {
		t.Fatalf("a message waited: %s", s)
	}
	r.says(resultOK)
	only[settle](t, r.new())
	r.settled(nil, false)
	only[shut](t, r.new())
}

func TestDeathInTheMiddle(t *testing.T) {
	r := stands(t, "do it", true)
	r.says(gate("q", "t", "ls"))
	r.line(line{text: []byte(`{"type":"assis`), flaw: halved})
	r.new()
	r.exited(exit{code: -1, signal: 11})
	list := r.new()
	only[drop](t, list)
	if e := told(list, wire.ReportEnded); len(e) != 1 || !strings.Contains(e[0].Error, "in the middle of its turn") {
		t.Errorf("ended: %+v", e)
	}
	if n := told(r.done, wire.ReportNote); len(n) != 1 || !strings.Contains(n[0].Text, "ends in the middle") {
		t.Errorf("notes: %+v", n)
	}
}

// An agent that is not logged in takes up everything, and answers in a model's place: the
// message was not told, and the turn says why it failed.
func TestAMessageThatNoModelHasIsNotTold(t *testing.T) {
	const (
		takenUp = `{"type":"command_lifecycle","command_uuid":"0196aaaa-1111-7111-8111-111111111111","state":"started"}`
		inPlace = `{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"Not logged in"}]}}`
		byModel = `{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"well"}]}}`
		failed  = `{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","result":"Not logged in"}`
		aborted = `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming"}`
		well    = `{"type":"result","subtype":"success"}`
	)
	for name, tt := range map[string]struct {
		lines []string
		why   string
	}{
		"not logged in":       {[]string{inPlace, failed}, "Not logged in"},
		"a model has it":      {[]string{byModel, failed}, ""},
		"a command of its":    {[]string{inPlace, well}, ""},
		"somebody stopped it": {[]string{aborted}, ""},
	} {
		r := stands(t, "", true)
		r.orders([]wire.RunOrder{{ID: "0196aaaa-1111-7111-8111-111111111111", Kind: wire.OrderMessage, Text: "hello"}})
		r.says(takenUp)
		if _, told := doneReport(r.new()); told {
			t.Errorf("%s: told before any model can have it", name)
		}
		r.says(tt.lines...)
		list := r.new()
		if got, told := doneReport(list); !told || got.Error != tt.why {
			t.Errorf("%s: reported done %v with %q, want %q", name, told, got.Error, tt.why)
		}
		r.orders([]wire.RunOrder{{ID: "0196aaaa-1111-7111-8111-111111111111", Kind: wire.OrderMessage, Text: "hello"}})
		if s := sent(r.new()); (len(s) == 1) != (tt.why != "") || len(s) == 1 && strings.Contains(s[0], "0196aaaa") {
			t.Errorf("%s: told again it says %s", name, s)
		}
		for _, e := range list {
			if e, ok := e.(tell); ok && e.report.Kind == wire.ReportIdle && tt.lines[len(tt.lines)-1] == failed && e.report.Error != "Not logged in" {
				t.Errorf("%s: the turn ended with %+v", name, e.report)
			}
		}
	}
}

func doneReport(list []effect) (wire.RunReport, bool) {
	for _, e := range list {
		if e, ok := e.(tell); ok && e.report.Kind == wire.ReportDone {
			return e.report, true
		}
	}
	return wire.RunReport{}, false
}
