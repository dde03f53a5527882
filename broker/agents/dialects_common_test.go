package agents

import (
	"encoding/json"
	"testing"
)

func TestCommonWords(t *testing.T) {
	for _, tc := range []struct{ agent, name, input, common, in string }{
		{"codex", "Bash", `{"command":"ls"}`, "Bash", `{"command":"ls"}`},
		{"codex", "apply_patch", `{"command":"*** Begin Patch"}`, "apply_patch", `{"command":"*** Begin Patch"}`},
		{"codex", "view_image", `{"path":"/a.png"}`, "Read", `{"file_path":"/a.png"}`},
		{"codex", "update_plan", `{"plan":[]}`, "TodoWrite", `{"todos":[]}`},
		{"codex", "spawn_agent", `{"message":"go","agent_type":"x"}`, "Agent", `{"prompt":"go","subagent_type":"x"}`},
		{"codex", "request_user_input", `{"questions":[]}`, "AskUserQuestion", `{"questions":[]}`},
		{"gemini", "run_shell_command", `{"command":"ls","dir_path":"sub"}`, "Bash", `{"command":"ls","dir_path":"sub"}`},
		{"gemini", "write_file", `{"file_path":"a","content":"b"}`, "Write", `{"file_path":"a","content":"b"}`},
		{"gemini", "replace", `{"file_path":"a","old_string":"b","new_string":"c","allow_multiple":true}`, "Edit", `{"file_path":"a","old_string":"b","new_string":"c","replace_all":true}`},
		{"gemini", "read_file", `{"file_path":"a","start_line":1}`, "Read", `{"file_path":"a","start_line":1}`},
		{"gemini", "list_directory", `{"dir_path":"a"}`, "LS", `{"path":"a"}`},
		{"gemini", "glob", `{"pattern":"*","dir_path":"a"}`, "Glob", `{"pattern":"*","path":"a"}`},
		{"gemini", "grep_search", `{"pattern":"x","dir_path":"a","include_pattern":"*.go"}`, "Grep", `{"pattern":"x","path":"a","glob":"*.go"}`},
		{"gemini", "invoke_agent", `{"agent_name":"x","prompt":"go"}`, "Agent", `{"subagent_type":"x","prompt":"go"}`},
		{"gemini", "exit_plan_mode", `{"plan_filename":"p.md"}`, "ExitPlanMode", `{"plan_filename":"p.md"}`},
		{"qwen", "run_shell_command", `{"command":"ls","directory":"/a"}`, "Bash", `{"command":"ls","directory":"/a"}`},
		{"qwen", "edit", `{"file_path":"/a","old_string":"b","new_string":"c"}`, "Edit", `{"file_path":"/a","old_string":"b","new_string":"c"}`},
		{"qwen", "notebook_edit", `{"notebook_path":"/a"}`, "NotebookEdit", `{"notebook_path":"/a"}`},
		{"qwen", "web_fetch", `{"url":"https://a.b","prompt":"x"}`, "WebFetch", `{"url":"https://a.b","prompt":"x"}`},
		{"qwen", "exit_plan_mode", `{"plan":"p"}`, "ExitPlanMode", `{"plan":"p"}`},
	} {
		common, in, known := Common(tc.agent, tc.name, json.RawMessage(tc.input))
		if common != tc.common || string(in) != tc.in || !known {
			t.Errorf("%s %s: %s %s %v", tc.agent, tc.name, common, in, known)
		}
	}
	for _, tc := range []struct{ agent, name, input, common string }{
		{"gemini", "read_many_files", `{"include":["*"]}`, "read_many_files"},
		{"gemini", "web_fetch", `{"prompt":"https://a.b"}`, "web_fetch"},
		{"gemini", "mcp__srv__echo", `{}`, "mcp__srv__echo"},
		{"gemini", "Read", `{"file_path":"/a"}`, "gemini:Read"},
		{"gemini", "Bash", `{"command":"ls"}`, "gemini:Bash"},
		{"gemini", "glob", `{"pattern":"*","dir_path":"a","path":"b"}`, "Glob"},
		{"gemini", "run_shell_command", `{"command":"ls","cwd":"/a"}`, "Bash"},
		{"qwen", "run_shell_command", `{"command":"ls","directory":"/a","dir_path":"/b"}`, "Bash"},
		{"qwen", "monitor", `{"command":"ls","cwd":"/a"}`, "Monitor"},
		{"codex", "Read", `{"file_path":"/a"}`, "codex:Read"},
		{"codex", "view_image", `{"path":"/a","file_path":"/b"}`, "Read"},
		{"codex", "ToolSearch", `{}`, "codex:ToolSearch"},
		{"qwen", "Bash", `{"command":"ls"}`, "qwen:Bash"},
		{"qwen", "zoom_image", `{"file_path":"/a"}`, "zoom_image"},
	} {
		if common, _, known := Common(tc.agent, tc.name, json.RawMessage(tc.input)); common != tc.common || known {
			t.Errorf("%s %s: %s %v; nobody knows what that does", tc.agent, tc.name, common, known)
		}
	}
}

// TestGeminiMCP: a name is written anew only where server and tool are certain.
func TestGeminiMCP(t *testing.T) {
	for _, tc := range []struct{ name, about, want string }{
		{"mcp_srv_echo", `{"server_name":"srv","tool_name":"echo"}`, "mcp__srv__echo"},
		{"mcp_a_b_c", `{"server_name":"a_b","tool_name":"c"}`, "mcp__a_b__c"},
		{"mcp_a_b_c", `{"server_name":"a","tool_name":"b_c"}`, "mcp__a__b_c"},
		{"mcp_srv_echo", ``, "mcp_srv_echo"},
		{"mcp_srv_echo", `{"server_name":"srv","tool_name":"other"}`, "mcp_srv_echo"},
		{"mcp_a__b_c", `{"server_name":"a__b","tool_name":"c"}`, "mcp_a__b_c"},
		{"mcp_a__b", `{"server_name":"a","tool_name":"_b"}`, "mcp_a__b"},
		{"run_shell_command", `{"server_name":"srv","tool_name":"echo"}`, "run_shell_command"},
	} {
		if got := geminiMCP(tc.name, json.RawMessage(tc.about)); got != tc.want {
			t.Errorf("%s %s: %s, want %s", tc.name, tc.about, got, tc.want)
		}
	}
}
