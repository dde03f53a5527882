package agents

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// captured is a payload of an agent's own, from testdata.
func captured(tb testing.TB, agent, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", agent, name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// allCaptured are all payloads of an agent by name.
func allCaptured(tb testing.TB, agent string, least int) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", agent, "*.json"))
	if err != nil || len(files) < least {
		tb.Fatalf("%d samples of %s, %v", len(files), agent, err)
	}
	list := map[string][]byte{}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		list[name] = captured(tb, agent, name)
	}
	return list
}

// sharedDialects are those whose payloads have Claude Code's form.
var sharedDialects = map[string]map[string]Kind{codexName: codexEvents, geminiName: geminiEvents, qwenName: qwenEvents}

// TestCapturedPayloads: everything that an agent was seen to send is read, whatever the
// hook was installed for, and as what its event says.
func TestCapturedPayloads(t *testing.T) {
	for agent, events := range sharedDialects {
		for name, payload := range allCaptured(t, agent, 17) {
			t.Run(agent+"/"+name, func(t *testing.T) {
				h, err := dialects[agent].Decode(payload)
				if err != nil {
					t.Fatal(err)
				}
				if kind, known := events[h.Event]; !known || h.Kind != kind {
					t.Errorf("%s is of kind %d", h.Event, h.Kind)
				}
				if h.Agent != agent || len(h.SessionID) != 36 || !strings.HasPrefix(h.CWD, "/") {
					t.Errorf("%+v", h)
				}
				if h.Transcript == "" && h.SubagentID == "" {
					t.Error("no transcript")
				}
				hints := []string{agent, "claude", codexName, geminiName, qwenName}
				if agent == codexName && strings.HasPrefix(name, "session_") { // nothing in them tells
					hints = hints[:1]
				}
				inside := map[string]string{"CLAUDECODE": "1", "CLAUDE_PID": "7", "OPENCODE": "1"}
				for _, hint := range hints {
					for _, env := range []map[string]string{nil, inside} {
						if got, err := Recognise(hint, payload, env); got != agent || err != nil {
							t.Errorf("installed for %s: %q, %v", hint, got, err)
						}
					}
				}
			})
		}
	}
}

// TestRecogniseClaudesCalls: a call of Claude Code's is never answered in another's form.
func TestRecogniseClaudesCalls(t *testing.T) {
	for _, hint := range []string{codexName, geminiName, qwenName} {
		if got, err := Recognise(hint, sample(t, "pre_tool_use"), nil); got != claudeName || err != nil {
			t.Errorf("installed for %s: %q, %v", hint, got, err)
		}
	}
	start := captured(t, codexName, "session_start")
	for _, env := range []map[string]string{{"GEMINI_SESSION_ID": "g"}, {"OPENCODE": "1"}, {"CLAUDECODE": "1"}} {
		if got, err := Recognise(codexName, start, env); got != codexName || err != nil {
			t.Errorf("Codex inside %v: %q, %v", env, got, err)
		}
	}
	inQwen := map[string]string{"GEMINI_SESSION_ID": "g", "QWEN_CODE_SESSION_ID": "q"}
	if got, err := Recognise(geminiName, captured(t, geminiName, "before_tool"), inQwen); got != geminiName || err != nil {
		t.Errorf("Gemini inside Qwen: %q, %v", got, err)
	}
}

func TestDecodeShared(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	const (
		codexSession, shop = "01a200f5-218e-7ef2-a667-65305f8109d9", "/home/ana/src/shop"
		codexTranscript    = "/home/ana/.codex/sessions/2026/11/22/rollout-2026-11-22T01-53-14-01a200f5-218e-7ef2-a667-65305f8109d9.jsonl"
		geminiSession      = "bb84b1ab-8e78-4e69-8067-621e33a02f04"
		geminiTranscript   = "/home/ana/.gemini/tmp/project/chats/session-2026-11-22T01-54-bb84b1ab.jsonl"
		qwenSession        = "4a2f7b71-8d9a-4d47-a530-4f97abffb2ce"
		qwenTranscript     = "/home/ana/.qwen/projects/-home-ana-src-shop/chats/4a2f7b71-8d9a-4d47-a530-4f97abffb2ce.jsonl"
		qwenSub            = "general-purpose-call_08e7ef67b98c40e9"
	)
	tests := map[string]Hook{
		"codex/pre_tool_use": {
			Event: "PreToolUse", Kind: Gate, ToolName: "Bash", ToolInput: raw(`{"command":"echo hi > made.txt"}`), ToolUseID: "call_ec05b1cd2ba94f80",
		},
		"codex/pre_tool_use_workdir": {
			Event: "PreToolUse", Kind: Gate, CWD: "/tmp", ToolName: "Bash", ToolInput: raw(`{"command":"exit 3"}`), ToolUseID: "call_afa28f991f204182",
		},
		"codex/post_tool_use": {
			Event: "PostToolUse", Kind: ToolDone, ToolName: "Bash", ToolInput: raw(`{"command":"echo hi > made.txt"}`),
			ToolUseID: "call_ec05b1cd2ba94f80", Result: raw(`""`),
		},
		"codex/user_prompt_submit": {Event: "UserPromptSubmit", Kind: Prompt, Text: "do it"},
		"codex/stop":               {Event: "Stop", Kind: TurnEnd, Text: "all done"},
		"codex/session_end":        {Event: "SessionEnd", Kind: SessionEnd, Text: "other"},
		"gemini/before_tool": {
			Event: "BeforeTool", Kind: Gate, ToolName: "run_shell_command", Description: "x",
			ToolInput: raw(`{"command":"echo hi > made.txt","description":"x","dir_path":"sub"}`),
		},
		"gemini/before_tool_mcp": {Event: "BeforeTool", Kind: Gate, ToolName: "mcp__srv__echo", ToolInput: raw(`{"text":"hi"}`)},
		"gemini/after_tool_mcp": {
			Event: "AfterTool", Kind: ToolDone, ToolName: "mcp__srv__echo", ToolInput: raw(`{"text":"hi"}`),
			Result: raw(`{"llmContent":[{"text":"<untrusted_context>\nsaid\n</untrusted_context>"}],"returnDisplay":"said"}`),
		},
		"gemini/before_agent": {Event: "BeforeAgent", Kind: Prompt, Text: "do it"},
		"gemini/after_agent":  {Event: "AfterAgent", Kind: TurnEnd, Text: "all done"},
		"gemini/session_end":  {Event: "SessionEnd", Kind: SessionEnd, Text: "exit"},
		"qwen/pre_tool_use": {
			Event: "PreToolUse", Kind: Gate, ToolName: "run_shell_command", Description: "x", ToolUseID: "toolu_1795312483319_96apnix8r",
			ToolInput: raw(`{"command":"echo hi > made.txt","description":"x","is_background":false,"directory":"/home/ana/src/shop/sub"}`),
		},
		"qwen/post_tool_use": {
			Event: "PostToolUse", Kind: ToolDone, ToolName: "run_shell_command", Description: "x", ToolUseID: "toolu_1795312483319_96apnix8r",
			ToolInput: raw(`{"command":"echo hi > made.txt","description":"x","is_background":false,"directory":"/home/ana/src/shop/sub"}`),
			Result:    raw(`{"llmContent":"Command: echo hi > made.txt\nDirectory: /home/ana/src/shop/sub\nOutput: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: (none)","returnDisplay":""}`),
			Duration:  10 * time.Millisecond,
		},
		"qwen/user_prompt_submit":       {Event: "UserPromptSubmit", Kind: Prompt, Text: "do it"},
		"qwen/user_prompt_submit_again": {Event: "UserPromptSubmit", Kind: Prompt, FromApp: true},
		"qwen/subagent_start":           {Event: "SubagentStart", Kind: SubagentStart, SubagentID: qwenSub, SubagentType: "general-purpose"},
		"qwen/stop":                     {Event: "Stop", Kind: TurnEnd, Text: "all done"},
		"qwen/notification": {
			Event: "Notification", Kind: Notify, Text: "Successfully authenticated with openai", Note: "auth_success",
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			agent, file, _ := strings.Cut(name, "/")
			want.Agent = agent
			switch agent {
			case codexName:
				want.SessionID, want.Transcript, want.Mode = codexSession, codexTranscript, "bypassPermissions"
				if want.Kind == SessionEnd {
					want.Mode = ""
				}
			case geminiName:
				want.SessionID, want.Transcript = geminiSession, geminiTranscript
			case qwenName:
				want.SessionID, want.Transcript, want.Mode = qwenSession, qwenTranscript, "yolo"
			}
			if want.CWD == "" {
				want.CWD = shop
			}
			if want.SubagentID != "" {
				want.Transcript = ""
			}
			got, err := dialects[agent].Decode(captured(t, agent, file))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestPromptsOfTheAgentsOwn: what no person typed begins no turn.
func TestPromptsOfTheAgentsOwn(t *testing.T) {
	h, err := codex{}.Decode(captured(t, codexName, "user_prompt_submit_subagent"))
	if err != nil || !h.FromApp || h.SubagentID == "" || h.Text != "say hi" || h.Transcript != "" {
		t.Errorf("what Codex tells a sub-agent: %+v, %v", h, err)
	}
	h, err = qwen{}.Decode([]byte(`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"<task-notification>done</task-notification>"}`))
	if err != nil || !h.FromApp {
		t.Errorf("a report of Qwen's own: %+v, %v", h, err)
	}
}

func TestFailedRuns(t *testing.T) {
	h, err := qwen{}.Decode(captured(t, qwenName, "post_tool_use_failure"))
	if err != nil || !h.Failed || h.Duration != 9*time.Millisecond || !strings.Contains(string(h.Result), "Exit Code: 3") {
		t.Errorf("qwen: %+v, %v", h, err)
	}
	failed := `{"session_id":"s","hook_event_name":"AfterTool","tool_name":"read_file","tool_input":{},"tool_response":{"llmContent":"","error":%s}}`
	for text, want := range map[string]bool{`{"message":"gone"}`: true, `null`: false} {
		h, err := gemini{}.Decode([]byte(strings.Replace(failed, "%s", text, 1)))
		if err != nil || h.Failed != want {
			t.Errorf("gemini, error %s: %+v, %v", text, h, err)
		}
	}
}

// TestUnknownEvents: what is new is taken note of; only a call that somebody may be
// waiting about is refused. What is new in an event that is known changes nothing.
func TestUnknownEvents(t *testing.T) {
	for _, agent := range []string{claudeName, codexName, geminiName, qwenName} {
		d := dialects[agent]
		h, err := d.Decode([]byte(`{"session_id":"s","hook_event_name":"MoonRise","cwd":"/p","tool_name":"x","phase":{"a":[1]}}`))
		if err != nil || h.Kind != Observe || h.Event != "MoonRise" {
			t.Errorf("%s: %+v, %v", agent, h, err)
		}
		if out := d.Encode("MoonRise", nil, Answer{}); string(out) != "{}\n" {
			t.Errorf("%s answers %q", agent, out)
		}
		h, err = d.Decode([]byte(`{"session_id":"s","hook_event_name":"ToolSeen","tool_name":"x","tool_input":{},"tool_response":1}`))
		if err != nil || h.Kind != Observe {
			t.Errorf("%s, a call with its result: %+v, %v", agent, h, err)
		}
		_, err = d.Decode([]byte(`{"session_id":"s","hook_event_name":"BeforeLaunch","tool_name":"x","tool_input":{}}`))
		if !errors.Is(err, ErrPayload) || !strings.Contains(err.Error(), "BeforeLaunch") {
			t.Errorf("%s, a call: %v", agent, err)
		}
	}
	for agent, name := range map[string]string{codexName: "pre_tool_use", geminiName: "before_tool", qwenName: "pre_tool_use"} {
		payload := captured(t, agent, name)
		more := strings.Replace(string(payload), "{", `{"new_field":{"deep":[null,1]},"agent_id":null,`, 1)
		want, err := dialects[agent].Decode(payload)
		if err != nil {
			t.Fatal(err)
		}
		got, err := dialects[agent].Decode([]byte(more))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", agent, d)
		}
	}
}

// TestRefusedPayloads: a call that cannot be read for certain is no call.
func TestRefusedPayloads(t *testing.T) {
	for what, text := range map[string]string{
		"tool_input":      `{"session_id":"s","hook_event_name":"EVENT","tool_name":"x"}`,
		"tool_name":       `{"session_id":"s","hook_event_name":"EVENT","tool_input":{}}`,
		"session_id":      `{"session_id":null,"hook_event_name":"EVENT","tool_name":"x","tool_input":{}}`,
		"must be an":      `{"session_id":"s","hook_event_name":"EVENT","tool_name":"x","tool_input":"ls"}`,
		"command":         `{"session_id":"s","hook_event_name":"EVENT","tool_name":"x","tool_input":{"command":"a","command":"b"}}`,
		"hook_event_name": `{"session_id":"s","tool_name":"x","tool_input":{}}`,
	} {
		for agent := range sharedDialects {
			payload := strings.Replace(text, "EVENT", TraitsOf(agent).Gate, 1)
			h, err := dialects[agent].Decode([]byte(payload))
			if !errors.Is(err, ErrPayload) || !strings.Contains(err.Error(), what) || h.Event != "" {
				t.Errorf("%s, %s: %+v, %v", agent, what, h, err)
			}
		}
	}
}
