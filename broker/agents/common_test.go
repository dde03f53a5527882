package agents

import (
	"encoding/json"
	"testing"
)

func TestCommonIn(t *testing.T) {
	tools := map[string]tool{
		"run_shell_command": {"Bash", map[string]string{"dir_path": "cwd"}},
		"read_file":         {"Read", map[string]string{"absolute_path": "file_path", "path": "file_path"}},
	}
	for _, tc := range []struct {
		name, input, common, in string
		known                   bool
	}{
		{"run_shell_command", `{"command":"ls","n": 1.0}`, "Bash", `{"command":"ls","n": 1.0}`, true},
		{"run_shell_command", `{"command":"ls", "dir_path":"é"}`, "Bash", `{"command":"ls","cwd":"é"}`, true},
		{"read_file", `{"absolute_path":"/a","path":"/b"}`, "read_file", `{"absolute_path":"/a","path":"/b"}`, false},
		{"read_file", `{"path":"/b","file_path":"/c"}`, "Read", `{"file_path":"/b","x:file_path":"/c"}`, false},
		{"run_shell_command", `{"command":"ls","dir_path":"a","cwd":"b"}`, "Bash", `{"command":"ls","cwd":"a","x:cwd":"b"}`, false},
		{"run_shell_command", `{"command":"ls","workdir":"b"}`, "Bash", `{"command":"ls","x:workdir":"b"}`, false},
		{"Read", `{"file_path":"/a"}`, "x:Read", `{"file_path":"/a"}`, false},
		{"Bash", `{}`, "x:Bash", `{}`, false},
		{"mcp_s_t", `{}`, "mcp_s_t", `{}`, false},
		{"read_file", `[]`, "read_file", `[]`, false},
	} {
		common, in, known := commonIn(tools, "x", tc.name, json.RawMessage(tc.input))
		if common != tc.common || string(in) != tc.in || known != tc.known {
			t.Errorf("%s %s: %s %s %v, want %s %s %v", tc.name, tc.input, common, in, known, tc.common, tc.in, tc.known)
		}
	}
	if name, _, known := Common("a program of mine", "Bash", nil); name != "Bash" || known {
		t.Errorf("an agent without a dialect: %s %v", name, known)
	}
}
