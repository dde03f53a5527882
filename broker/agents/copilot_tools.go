package agents

import (
	"encoding/json"
	"strings"
)

// copilotTools are the built-in tools of Copilot CLI 1.0.102, under their own names and
// under those that it translates them to for PascalCase hooks; the parameters keep theirs.
var copilotTools = func() map[string]tool {
	paths := map[string]string{"path": "file_path"}
	edit := map[string]string{"path": "file_path", "old_str": "old_string", "new_str": "new_string"}
	search := map[string]string{"paths": "path"}
	detach := map[string]string{"detach": "run_in_background"}
	write := map[string]string{"path": "file_path", "file_text": "content"}
	agent := map[string]string{"agent_type": "subagent_type"}
	return map[string]tool{
		"bash": {"Bash", detach}, "Bash": {"Bash", detach}, "read_bash": {"BashOutput", nil},
		"view": {"Read", paths}, "Read": {"Read", paths},
		"create": {"Write", write}, "Write": {"Write", write},
		"edit": {"Edit", edit}, "Edit": {"Edit", edit},
		"grep": {"Grep", search}, "rg": {"Grep", search}, "Grep": {"Grep", search}, "glob": {"Glob", search}, "Glob": {"Glob", search},
		"task": {"Agent", agent}, "Agent": {"Agent", agent}, "read_agent": {"TaskOutput", nil},
		"web_fetch": {"WebFetch", nil}, "WebFetch": {"WebFetch", nil}, "web_search": {"WebSearch", nil}, "WebSearch": {"WebSearch", nil},
		"update_todo": {"TodoWrite", nil}, "TodoWrite": {"TodoWrite", nil},
		"ask_user": {"AskUserQuestion", nil}, "AskUserQuestion": {"AskUserQuestion", nil},
	}
}()

// copilotParams are the parameters that those tools are known to have, by common name. A
// parameter that is not listed may change what the tool does, so the tool is then not vouched
// for.
var copilotParams = map[string]string{
	"Bash": "command description shellId mode detach initial_wait", "BashOutput": "shellId delay",
	"Read": "path view_range forceReadLargeFiles", "Write": "path file_text", "Edit": "path old_str new_str",
	"Grep": "pattern paths output_mode glob type -i -A -B -C -n head_limit multiline", "Glob": "pattern paths",
	"Agent": "name description prompt agent_type model reasoning_effort context_tier mode", "TaskOutput": "agent_id wait timeout since_turn",
	"TodoWrite": "todos", "AskUserQuestion": "question choices allow_freeform",
}

// Common puts a call into the words that all agents share. "Edit" stands for apply_patch
// and str_replace_editor too, which are told by their arguments.
func (copilot) Common(name string, input json.RawMessage) (common string, in json.RawMessage, known bool) {
	if _, text := stringIn(input, freeText); (name == "Edit" || name == "apply_patch") && text && only(input, freeText) {
		return "apply_patch", input, false // its reader is not Codex's
	}
	t := copilotTools[name]
	common, in, known = commonIn(copilotTools, copilotName, name, input)
	if t.name == "Edit" && !only(input, copilotParams["Edit"]) {
		return copilotName + ":" + t.name, in, false
	}
	params, listed := copilotParams[t.name]
	return common, in, known && listed && only(input, params)
}

// isPatch reports whether input is nothing but the text of a patch. Only the beginning is looked
// at: whatever follows goes to the same tool.
func isPatch(input json.RawMessage) bool {
	text, _ := stringIn(input, freeText)
	return only(input, freeText) && strings.HasPrefix(strings.TrimSpace(text), "*** Begin Patch")
}
