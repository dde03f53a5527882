package service_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/wire"
)

// geminiPayload is an event of Gemini CLI about a call, which has no id.
func geminiPayload(event, cwd, tool, input string) string {
	result := ""
	if event == "AfterTool" {
		result = `,"tool_response":{"llmContent":"ok"}`
	}
	return fmt.Sprintf(`{"session_id":"g","transcript_path":"/t","cwd":%q,"hook_event_name":%q,"timestamp":"2026-11-22T01:54:12.799Z","tool_name":%q,"tool_input":%s%s}`,
		cwd, event, tool, input, result)
}

const geminiPrompt = `{"session_id":"g","transcript_path":"/t","cwd":"/p","hook_event_name":"BeforeAgent","timestamp":"2026-11-22T01:54:12.6Z","prompt":"do it"}`

// askHook asks as the hook client does, for a moment, and returns the request's id.
func (c *client) askHook(agent, payload, correlation string) string {
	c.t.Helper()
	code, got := c.do("POST", "/hooks/"+agent, payload, wire.HeaderCorrelation, correlation)
	id, _ := got["request_id"].(string)
	if code != http.StatusAccepted || id == "" {
		c.t.Fatalf("asked: %d %v", code, got)
	}
	return id
}

func (c *client) tell(agent, payload string) {
	c.t.Helper()
	if code, got := c.do("POST", "/hooks/"+agent, payload); code != http.StatusOK || len(got) > 0 {
		c.t.Fatalf("told: %d %v", code, got)
	}
}

func (c *client) decide(id string, v broker.Verdict) {
	c.t.Helper()
	_, err := c.b.Decide(c.t.Context(), id, broker.Decision{Verdict: v, By: operator})
	must(c.t, err)
}

// TestCallsWithoutID: a hook that asks again finds its request, and two calls that are the
// same to the letter are two.
func TestCallsWithoutID(t *testing.T) {
	c := serve(t, service.Options{Hold: time.Millisecond})
	payload := geminiPayload("BeforeTool", "/p", "run_shell_command", `{"command":"make"}`)
	first, second := c.askHook("gemini", payload, "run-1"), c.askHook("gemini", payload, "run-2")
	if first == second {
		t.Fatal("two calls share a request")
	}
	if again := c.askHook("gemini", payload, "run-1"); again != first {
		t.Errorf("asked again it is %s, not %s", again, first)
	}
	c.decide(first, broker.Allow)
	if code, got := c.do("POST", "/hooks/gemini", payload, wire.HeaderCorrelation, "run-1"); code != http.StatusOK || len(got) > 0 {
		t.Errorf("the allowed one: %d %v", code, got)
	}
	if again := c.askHook("gemini", payload, "run-2"); again != second {
		t.Errorf("the other: %s", again)
	}

	c.tell("gemini", geminiPayload("AfterTool", "/p", "run_shell_command", `{"command":"make"}`))
	if r, err := c.b.Request(t.Context(), second); err != nil || r.State != broker.Pending {
		t.Errorf("the other one's run closed it: %v, %v", r.State, err)
	}
	code, got := c.do("POST", "/hooks/gemini", payload, wire.HeaderCorrelation, "run-1")
	if code != http.StatusConflict {
		t.Errorf("a call that ran is allowed again: %d %v", code, got)
	}
}

// TestRunsWithoutID: what an agent without ids tells to have run is held against what was
// allowed, and no honest agent is accused.
func TestRunsWithoutID(t *testing.T) {
	const tool = "run_shell_command"
	asked := geminiPayload("BeforeTool", "/p", tool, `{"command":"make"}`)
	ran := geminiPayload("AfterTool", "/p", tool, `{"command":"make"}`)
	tests := map[string]struct {
		asked []broker.Verdict // of calls that are all the same, in their order; "" waits
		ran   int
		want  broker.RunKind
		state broker.State // of the last
	}{
		"allowed":                    {[]broker.Verdict{broker.Allow}, 1, "", broker.Allowed},
		"allowed, told twice":        {[]broker.Verdict{broker.Allow}, 2, "", broker.Allowed},
		"allowed twice":              {[]broker.Verdict{broker.Allow, broker.Allow}, 2, "", broker.Allowed},
		"one allowed, one refused":   {[]broker.Verdict{broker.Allow, broker.Deny}, 2, "", broker.Denied},
		"one allowed, one waits":     {[]broker.Verdict{broker.Allow, ""}, 1, "", broker.Pending},
		"never asked for":            {nil, 1, "", ""},
		"refused, and ran":           {[]broker.Verdict{broker.Deny}, 1, broker.RanRefused, broker.Denied},
		"ran before it was answered": {[]broker.Verdict{""}, 1, broker.RanRefused, broker.Answered},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := serve(t, service.Options{Hold: time.Millisecond})
			c.tell("gemini", geminiPrompt)
			var ids []string
			for i := range tt.asked {
				ids = append(ids, c.askHook("gemini", asked, fmt.Sprint(i)))
			}
			for i, v := range tt.asked {
				if v != "" {
					c.decide(ids[i], v)
				}
			}
			for range tt.ran {
				c.tell("gemini", ran)
			}
			s, err := c.b.Session(t.Context(), "g")
			must(t, err)
			if got := s.Alarm; got == nil && tt.want != "" || got != nil && got.Kind != tt.want {
				t.Errorf("alarm %+v, want %q", got, tt.want)
			}
			if len(ids) > 0 {
				if r, err := c.b.Request(t.Context(), ids[len(ids)-1]); err != nil || r.State != tt.state {
					t.Errorf("the last is %s, %v; want %s", r.State, err, tt.state)
				}
			}
		})
	}
}

// TestInstalledForAnother: an agent that runs a hook that was installed for another one is
// answered in its own form, also when it asks for the answer later.
func TestInstalledForAnother(t *testing.T) {
	c := serve(t, service.Options{Hold: time.Millisecond})
	id := c.askHook("claude", geminiPayload("BeforeTool", "/p", "run_shell_command", `{"command":"make"}`), "run-1")
	c.decide(id, broker.Deny)
	code, got := c.do("GET", "/hooks/claude/"+id, "")
	if code != http.StatusOK || got["decision"] != "deny" || got["reason"] == "" || len(got) != 2 {
		t.Errorf("%d %v", code, got)
	}
}

// TestUnknownEventRecorded: what is new to aoctl is in the log by its name, and passed.
func TestUnknownEventRecorded(t *testing.T) {
	for _, agent := range []string{"claude", "codex", "gemini", "qwen"} {
		c := serve(t, service.Options{})
		c.tell(agent, `{"session_id":"s","hook_event_name":"MoonRise","cwd":"/p"}`)
		events, err := c.b.Events(t.Context())
		must(t, err)
		found := 0
		for _, e := range events {
			if e.Type == broker.EventUnknown && string(e.Data) == `{"event":"MoonRise"}` && e.SessionID == "s" {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s: recorded %d times", agent, found)
		}
		if code, got := c.do("POST", "/hooks/"+agent, `{"session_id":"s","hook_event_name":"BeforeLaunch","tool_name":"x","tool_input":{}}`); code != http.StatusBadRequest {
			t.Errorf("%s, an unknown event with a call: %d %v", agent, code, got)
		}
	}
}

const codexCall = `{"session_id":"c","turn_id":"t","transcript_path":null,"cwd":%q,"hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":%q,"tool_input":%s,"tool_use_id":%q}`

// TestCodexFolder: the folder that comes with a call of Codex is the model's choice. It is
// where relative names start, and makes no project of it.
func TestCodexFolder(t *testing.T) {
	dir := realDir(t)
	project, other := filepath.Join(dir, "p"), filepath.Join(dir, "other")
	for _, d := range []string{project, other} {
		must(t, os.Mkdir(d, 0o700))
		must(t, os.WriteFile(filepath.Join(d, "a.png"), []byte("x"), 0o600))
	}
	c := serve(t, service.Options{Hold: time.Millisecond})
	look := func(cwd, path, id string) bool {
		t.Helper()
		code, _ := c.do("POST", "/hooks/codex", fmt.Sprintf(codexCall, cwd, "view_image", fmt.Sprintf(`{"path":%q}`, path), id))
		return code == http.StatusOK
	}
	if look(other, "a.png", "1") {
		t.Error("a session that told of no project reads in the folder that its model chose")
	}
	c.tell("codex", fmt.Sprintf(`{"session_id":"c","turn_id":"t","transcript_path":null,"cwd":%q,"hook_event_name":"UserPromptSubmit","model":"m","permission_mode":"default","prompt":"go"}`, project))
	if !look(project, "a.png", "2") {
		t.Error("reading in the project asks")
	}
	if look(other, "a.png", "3") || look(other, filepath.Join(other, "a.png"), "4") {
		t.Error("reading elsewhere is taken for reading in the project")
	}
	if !look(other, filepath.Join(project, "a.png"), "5") {
		t.Error("reading in the project from elsewhere asks")
	}
}

// realDir is a folder by the name where it really is.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

// TestCommandFolder: a parameter that says where a command starts is heard, and one that only
// another agent reads so keeps a rule from vouching for the call.
func TestCommandFolder(t *testing.T) {
	dir := realDir(t)
	for _, d := range []string{"p", "p/sub", "other"} {
		must(t, os.Mkdir(filepath.Join(dir, d), 0o700))
	}
	c := serve(t, service.Options{Hold: time.Millisecond})
	_, err := c.b.SaveRule(t.Context(), rules.Rule{
		Decision: rules.Allow, Tool: "Bash", Where: map[string]string{"command": "rm *"}, Enabled: true, Priority: rules.DefaultPriority,
	}, operator)
	must(t, err)
	project := filepath.Join(dir, "p")
	qwen := `{"session_id":"q","transcript_path":"/t","cwd":%q,"hook_event_name":"PreToolUse","timestamp":"x","permission_mode":"yolo","tool_name":"run_shell_command","tool_input":%s,"tool_use_id":%q}`
	for i, tt := range []struct {
		in     string
		passes string // with these agents
	}{
		{`{"command":"rm a"}`, "gemini qwen"},
		{`{"command":"rm a","dir_path":"sub"}`, "gemini"},
		{`{"command":"rm a","directory":"sub"}`, "qwen"},
		{`{"command":"rm a","dir_path":"../other"}`, ""},
		{fmt.Sprintf(`{"command":"rm a","directory":%q}`, filepath.Join(dir, "other")), ""},
		{fmt.Sprintf(`{"command":"rm a","directory":%q,"dir_path":%q}`, filepath.Join(dir, "other"), project), ""},
		{fmt.Sprintf(`{"command":"rm a","directory":%q,"dir_path":%q}`, project, filepath.Join(dir, "other")), ""},
	} {
		for _, agent := range []string{"gemini", "qwen"} {
			payload := geminiPayload("BeforeTool", project, "run_shell_command", tt.in)
			if agent == "qwen" {
				payload = fmt.Sprintf(qwen, project, tt.in, fmt.Sprint(i))
			}
			if code, got := c.do("POST", "/hooks/"+agent, payload, wire.HeaderCorrelation, fmt.Sprint(agent, i)); (code == http.StatusOK) != strings.Contains(tt.passes, agent) {
				t.Errorf("%s %s: %d %v", agent, tt.in, code, got)
			}
		}
	}
}

// TestQwenReports: what Qwen Code tells of a call that started a sub-agent carries that
// sub-agent's id, and is no alarm.
func TestQwenReports(t *testing.T) {
	c := serve(t, service.Options{Hold: time.Millisecond})
	event := func(name, more string) string {
		return `{"session_id":"q","transcript_path":"/t","cwd":"/p","timestamp":"x","permission_mode":"yolo","hook_event_name":"` + name + `"` + more + `}`
	}
	const call = `,"tool_name":"agent","tool_input":{"description":"x","prompt":"y"},"tool_use_id":"toolu_1"`
	c.tell("qwen", event("UserPromptSubmit", `,"prompt":"do it"`))
	id := c.askHook("qwen", event("PreToolUse", call), "run")
	c.decide(id, broker.Allow)
	c.tell("qwen", event("PostToolUse", call+`,"agent_id":"sub-1","tool_response":{},"duration_ms":3`))
	s, err := c.b.Session(t.Context(), "q")
	must(t, err)
	if s.Alarm != nil {
		t.Errorf("alarm: %+v", s.Alarm)
	}
	code, got := c.do("POST", "/hooks/qwen", event("PreToolUse", call), wire.HeaderCorrelation, "run")
	if code != http.StatusConflict {
		t.Errorf("a call that ran is allowed again: %d %v", code, got)
	}
}

// TestWhoLiftsAStop: a stop holds until the user speaks, in each agent's own way to tell.
func TestWhoLiftsAStop(t *testing.T) {
	head := `{"session_id":"s","transcript_path":"/t","cwd":"/p",`
	stamp := `"timestamp":"x",`
	mode := `"permission_mode":"yolo",`
	call := `"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"`
	for agent, tt := range map[string]struct{ gate, again, prompt string }{
		"codex": {
			head + `"turn_id":"t","hook_event_name":"PreToolUse",` + call,
			head + `"turn_id":"u","agent_id":"a","hook_event_name":"UserPromptSubmit","prompt":"go on"}`,
			head + `"turn_id":"t","hook_event_name":"UserPromptSubmit","prompt":"go on"}`,
		},
		"gemini": {
			head + stamp + `"hook_event_name":"BeforeTool",` + call,
			head + stamp + `"hook_event_name":"BeforeModel","prompt":"go on"}`,
			head + stamp + `"hook_event_name":"BeforeAgent","prompt":"go on"}`,
		},
		"qwen": {
			head + stamp + mode + `"hook_event_name":"PreToolUse",` + call,
			head + stamp + mode + `"hook_event_name":"UserPromptSubmit","prompt":""}`,
			head + stamp + mode + `"hook_event_name":"UserPromptSubmit","prompt":"go on"}`,
		},
	} {
		t.Run(agent, func(t *testing.T) {
			b := newBroker(t, brokertest.NewMemory(), service.Options{})
			d, err := agents.For(agent)
			must(t, err)
			told := func(payload string) {
				t.Helper()
				h, err := d.Decode([]byte(payload))
				must(t, err)
				hear(t, b, h)
			}
			told(tt.prompt)
			_, err = b.Stop(t.Context(), "s", operator)
			must(t, err)
			told(tt.again)
			out, err := b.AnswerHook(t.Context(), agent, []byte(tt.gate+`1"}`))
			if err != nil || !strings.Contains(string(out), "deny") || !strings.Contains(string(out), "Stopped") {
				t.Errorf("under the stop: %s %v", out, err)
			}
			if ends := strings.Contains(string(out), "End your turn now"); ends == agents.TraitsOf(d.Name()).StopTurn {
				t.Errorf("told to end its turn in words: %v: %s", ends, out)
			}
			told(tt.prompt)
			if s, err := b.Session(t.Context(), "s"); err != nil || s.State != broker.SessionActive {
				t.Errorf("after the user's words the session is %s, %v", s.State, err)
			}
		})
	}
}
