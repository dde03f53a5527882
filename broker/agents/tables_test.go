package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/hookclient/profile"
)

// Every tool by which an agent asks its user is one that no rule may allow as something else.
func TestDialogs(t *testing.T) {
	for _, row := range strings.Split(`codex request_user_input AskUserQuestion
gemini ask_user AskUserQuestion
gemini exit_plan_mode ExitPlanMode
qwen ask_user_question AskUserQuestion
qwen ask_user AskUserQuestion
qwen exit_plan_mode ExitPlanMode
copilot ask_user AskUserQuestion
copilot exit_plan_mode ExitPlanMode
opencode question AskUserQuestion
opencode plan_exit ExitPlanMode
cursor AskQuestion AskUserQuestion
cursor CreatePlan ExitPlanMode`, "\n") {
		w := strings.Fields(row)
		if got, _, known := Common(w[0], w[1], json.RawMessage(`{"x":1}`)); got != w[2] || !known {
			t.Errorf("%s of %s is %s, known %v; want %s", w[1], w[0], got, known, w[2])
		}
	}
}

// A tool is vouched for with all parameters that its agent's manual has, and, where all are
// known, not with one more. "a=b" is a parameter that the common words call b.
func TestToolParameters(t *testing.T) {
	for _, row := range strings.Split(`codex Bash Bash command
codex apply_patch apply_patch command
codex view_image Read path=file_path
codex update_plan TodoWrite plan=todos
gemini run_shell_command Bash command description dir_path
gemini write_file Write file_path content
gemini replace Edit file_path old_string new_string allow_multiple=replace_all
gemini read_file Read file_path start_line
gemini list_directory LS dir_path=path
gemini glob Glob pattern dir_path=path
gemini grep_search Grep pattern dir_path=path include_pattern=glob
gemini google_web_search WebSearch query
gemini write_todos TodoWrite todos
gemini enter_plan_mode EnterPlanMode reason
qwen run_shell_command Bash command directory is_background
qwen monitor Monitor command
qwen read_file Read file_path
qwen write_file Write file_path content
qwen edit Edit file_path old_string new_string
qwen notebook_edit NotebookEdit notebook_path
qwen list_directory LS path
qwen glob Glob pattern path
qwen grep_search Grep pattern
qwen web_fetch WebFetch url prompt
qwen web_search WebSearch query
qwen todo_write TodoWrite todos
qwen tool_search ToolSearch query
qwen agent Agent prompt
qwen enter_plan_mode EnterPlanMode reason
qwen cron_create CronCreate prompt
qwen loop_wakeup ScheduleWakeup prompt
copilot bash Bash command description shellId mode detach=run_in_background initial_wait
copilot Bash Bash command description shellId mode detach=run_in_background initial_wait
copilot read_bash BashOutput shellId delay
copilot view Read path=file_path view_range forceReadLargeFiles
copilot Read Read path=file_path view_range forceReadLargeFiles
copilot create Write path=file_path file_text=content
copilot Write Write path=file_path file_text=content
copilot edit Edit path=file_path old_str=old_string new_str=new_string
copilot Edit Edit path=file_path old_str=old_string new_str=new_string
copilot grep Grep pattern paths=path output_mode glob type -i -A -B -C -n head_limit multiline
copilot rg Grep pattern paths=path
copilot Grep Grep pattern paths=path
copilot glob Glob pattern paths=path
copilot Glob Glob pattern paths=path
copilot task Agent name description prompt model reasoning_effort context_tier mode
copilot Agent Agent prompt
copilot read_agent TaskOutput agent_id wait timeout since_turn
copilot update_todo TodoWrite todos
copilot TodoWrite TodoWrite todos
copilot AskUserQuestion AskUserQuestion question choices allow_freeform
opencode bash Bash command timeout workdir description
opencode read Read filePath=file_path offset limit
opencode write Write filePath=file_path content
opencode edit Edit filePath=file_path oldString=old_string newString=new_string replaceAll=replace_all
opencode glob Glob pattern path
opencode grep Grep pattern path include=glob
opencode list LS path ignore
opencode task Agent description prompt subagent_type task_id command
opencode todowrite TodoWrite todos
opencode todoread TodoRead
opencode webfetch WebFetch url format timeout
opencode websearch WebSearch query numResults livecrawl type contextMaxCharacters
opencode question AskUserQuestion questions
cursor Shell Bash command cwd timeout
cursor Write Write file_path content
cursor Read Read file_path
cursor Grep Grep pattern file_path=path glob output_mode
cursor List LS file_path=path ignore
cursor Fetch WebFetch url`, "\n") {
		w := strings.Fields(row)
		own, common := map[string]string{}, map[string]string{}
		for _, p := range w[3:] {
			name, other, renamed := strings.Cut(p, "=")
			if own[name] = name; !renamed {
				other = name
			}
			common[other] = name
		}
		raw, err := json.Marshal(own)
		if err != nil {
			t.Fatal(err)
		}
		name, in, sure := Common(w[0], w[1], raw)
		if name != w[2] || !sure {
			t.Errorf("%s of %s is %s, known %v; want %s", w[1], w[0], name, sure, w[2])
		}
		got := map[string]string{}
		if err := json.Unmarshal(in, &got); err != nil || !maps.Equal(got, common) {
			t.Errorf("%s of %s reads %s, %v; want %v", w[1], w[0], in, err, common)
		}
		if list := map[string]bool{codexName: true, geminiName: true, qwenName: true}; list[w[0]] || known[w[0]].dialogs[w[1]] != "" {
			continue
		}
		raw, _ = json.Marshal(withKey(own, "another"))
		if _, _, known := Common(w[0], w[1], raw); known {
			t.Errorf("%s of %s is vouched for with a parameter that nobody knows", w[1], w[0])
		}
	}
	for _, row := range strings.Split(`copilot web_fetch WebFetch
copilot WebFetch WebFetch
copilot web_search WebSearch
copilot WebSearch WebSearch
copilot str_replace_editor str_replace_editor
opencode apply_patch apply_patch
cursor Task Agent
cursor Delete Delete`, "\n") {
		w := strings.Fields(row)
		if name, _, known := Common(w[0], w[1], json.RawMessage(`{"url":"https://a.b"}`)); name != w[2] || known {
			t.Errorf("%s of %s is %s, known %v; nobody knows what it reads", w[1], w[0], name, known)
		}
	}
}

func withKey(m map[string]string, key string) map[string]string {
	m = maps.Clone(m)
	m[key] = key
	return m
}

// A tool that has another one's name is not taken for that: its name gets the agent's before it.
func TestNamesOfOtherTools(t *testing.T) {
	for _, name := range strings.Fields(`Bash Read Edit MultiEdit Write NotebookEdit Glob Grep LS NotebookRead WebFetch WebSearch Agent Task
		Monitor PowerShell AskUserQuestion ExitPlanMode TodoWrite apply_patch BashOutput TodoRead TaskCreate TaskUpdate TaskGet
		TaskList TaskOutput ToolSearch EnterPlanMode CronCreate ScheduleWakeup`) {
		if got, _, known := Common(geminiName, name, json.RawMessage(`{}`)); got != geminiName+":"+name || known {
			t.Errorf("%s of Gemini CLI is %s, known %v", name, got, known)
		}
	}
}

// A folder that the agent's command tool does not start in is not taken for the one that it does.
func TestFoldersOfCommands(t *testing.T) {
	for _, row := range strings.Split(`codex Bash none
gemini run_shell_command dir_path
qwen run_shell_command directory
qwen monitor directory
opencode bash workdir
cursor Shell cwd`, "\n") {
		w := strings.Fields(row)
		for _, p := range strings.Fields("workdir cwd dir directory dir_path") {
			want := w[0] + ":" + p
			if p == w[2] {
				want = p
			}
			_, in, _ := Common(w[0], w[1], fmt.Appendf(nil, `{"command":"ls","%s":"/x"}`, p))
			if string(in) != fmt.Sprintf(`{"command":"ls","%s":"/x"}`, want) {
				t.Errorf("%s of %s with %s: %s", w[1], w[0], p, in)
			}
		}
	}
}

// Each event is what the agent's manual says, and none is passed as one that nobody knows.
func TestEvents(t *testing.T) {
	kinds := map[string]Kind{
		"asks": Gate, "done": ToolDone, "prompt": Prompt, "start": SessionStart, "end": SessionEnd, "turn": TurnEnd,
		"begins": SubagentStart, "ends": SubagentStop, "note": Notify, "settings": Settings, "seen": Observe,
	}
	for _, row := range strings.Split(`claude asks PreToolUse PermissionRequest UserPromptExpansion
claude done PostToolUse PostToolUseFailure
claude prompt UserPromptSubmit
claude start SessionStart
claude end SessionEnd
claude turn Stop StopFailure
claude begins SubagentStart
claude ends SubagentStop
claude note Notification
claude settings ConfigChange
claude seen PermissionDenied PostToolBatch PreCompact PostCompact PreModelSwitch PostModelSwitch Elicitation ElicitationResult
claude seen TaskCreated TaskCompleted TeammateIdle Setup CwdChanged FileChanged DirectoryAdded WorktreeCreate WorktreeRemove
claude seen InstructionsLoaded MessageDisplay
codex asks PreToolUse PermissionRequest
codex done PostToolUse
codex prompt UserPromptSubmit
codex start SessionStart
codex end SessionEnd
codex turn Stop Interrupt
codex begins SubagentStart
codex ends SubagentStop
codex seen PreCompact PostCompact PreModelRequest PostModelRequest
gemini asks BeforeTool
gemini done AfterTool
gemini prompt BeforeAgent
gemini start SessionStart
gemini end SessionEnd
gemini turn AfterAgent
gemini note Notification
gemini seen BeforeModel AfterModel BeforeToolSelection PreCompress
qwen asks PreToolUse PermissionRequest
qwen done PostToolUse PostToolUseFailure
qwen prompt UserPromptSubmit
qwen start SessionStart
qwen end SessionEnd
qwen turn Stop StopFailure
qwen begins SubagentStart
qwen ends SubagentStop
qwen note Notification
qwen seen PostToolBatch UserPromptExpansion SessionDelete PreCompact PostCompact PermissionDenied TodoCreated TodoCompleted
qwen seen InstructionsLoaded MessageDisplay
copilot asks PreToolUse PermissionRequest
copilot done PostToolUse PostToolUseFailure
copilot prompt UserPromptSubmit
copilot start SessionStart
copilot end SessionEnd
copilot turn Stop
copilot begins SubagentStart
copilot ends SubagentStop
copilot note Notification
copilot seen PreCompact ErrorOccurred PreMcpToolCall PromptTransformed
cursor asks preToolUse beforeShellExecution beforeMCPExecution beforeReadFile beforeTabFileRead
cursor done postToolUse postToolUseFailure
cursor prompt beforeSubmitPrompt
cursor start sessionStart
cursor end sessionEnd
cursor turn stop
cursor seen afterShellExecution afterMCPExecution afterFileEdit afterTabFileEdit afterAgentResponse afterAgentThought preCompact
cursor seen workspaceOpen
opencode asks tool.execute.before
opencode done tool.execute.after
opencode prompt chat.message
opencode start session.created
opencode turn session.idle session.error
opencode end session.deleted
generic asks ask
generic start start
generic prompt prompt
generic done done
generic turn turn_end
generic end end
generic note note`, "\n") {
		w := strings.Fields(row)
		for _, event := range w[2:] {
			payload := map[string]any{
				"hook_event_name": event, "event": event, "session_id": "s", "session": "s", "sessionID": "s", "prompt": "p", "text": "p",
				"tool_name": "T", "tool": "T", "tool_input": struct{}{}, "input": struct{}{}, "args": struct{}{},
				"expansion_type": "slash_command", "command_name": "c", "command": "c", "file_path": "/f",
			}
			if event == "beforeMCPExecution" {
				payload["tool_input"] = "{}"
			}
			if kind := kinds[w[1]]; kind == SubagentStart || kind == SubagentStop {
				payload["agent_id"] = "a"
			}
			raw, err := json.Marshal(payload)
			if err != nil {
				t.Fatal(err)
			}
			h, err := dialects[w[0]].Decode(raw)
			if err != nil || h.Kind != kinds[w[1]] || h.Unknown || h.Event != event {
				t.Errorf("%s of %s: %+v, %v; want %s", event, w[0], h, err, w[1])
			}
		}
	}
}

// What nobody decides on may hold anything, such as half an emoji or the same key twice; the
// payload is read all the same, and its agent is recognised.
func TestLooseFields(t *testing.T) {
	for _, row := range strings.Split(`claude tool_response tool_calls error error_details last_assistant_message prompt message background_tasks session_crons
claude compact_summary custom_instructions delta requested_schema content
gemini tool_response error prompt message toolResult tool_output tool_error llm_request llm_response prompt_response details errorContext
gemini transformedPrompt initial_prompt initialPrompt response customInstructions permissionSuggestions tool_result arguments _meta
gemini output metadata result result_json error_message attachments edits text task summary model_params modified_files`, "\n") {
		w := strings.Fields(row)
		for _, field := range w[1:] {
			payload := fmt.Appendf(nil, `{"session_id":"s","timestamp":1,"transcript_path":"/t","hook_event_name":"%s","%s":{"a":"\ud83d","a":1}}`,
				map[string]string{claudeName: "TaskCreated", geminiName: "BeforeModel"}[w[0]], field)
			if _, err := dialects[w[0]].Decode(payload); err != nil {
				t.Errorf("%s with anything in %s: %v", w[0], field, err)
			}
			if got, err := Recognise(codexName, payload, nil); got != geminiName || err != nil {
				t.Errorf("what has anything in %s: %s, %v", field, got, err)
			}
		}
	}
}

// The lines by which agents keep their books are known by their type.
func TestBooks(t *testing.T) {
	for _, typ := range strings.Fields(`agent-name ai-title api-request api-request-blob api-request-shape atis-latch attachment cost-state
		custom-title file-history-delta file-history-snapshot last-prompt mode permission-mode pr-link progress queue-operation
		summary system tools-used worktree-state event_msg session_meta token_usage_record turn_context world_state`) {
		got := ReadTranscript(fmt.Appendf(nil, `{"type":"%s"}`, typ))
		if len(got) != 1 || got[0].By != SaidOther || got[0].Tool != typ {
			t.Errorf("a line of type %s: %+v", typ, got)
		}
	}
}

// A changed input is not sent with a value of another kind, whatever the parameter.
func TestKindsOfParameters(t *testing.T) {
	for _, row := range strings.Split(`Bash command description timeout run_in_background dangerouslyDisableSandbox
PowerShell command description timeout run_in_background
Monitor command
apply_patch command input patch
Read file_path offset limit pages
Write file_path content
Edit file_path old_string new_string replace_all
MultiEdit file_path edits
NotebookEdit notebook_path cell_id new_source cell_type edit_mode
Glob pattern path
WebFetch url prompt
WebSearch query allowed_domains blocked_domains`, "\n") {
		w := strings.Fields(row)
		for _, p := range w[1:] {
			err := SameShape(claudeName, w[0], json.RawMessage(`{}`), fmt.Appendf(nil, `{"%s":{}}`, p))
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q must be ", p)) {
				t.Errorf("%s of %s as an object: %v", p, w[0], err)
			}
		}
	}
}

// Each option that a session was started with is kept for the next process of it.
func TestRestartKeepsOptions(t *testing.T) {
	for _, option := range strings.Fields(`--allow-dangerously-skip-permissions --ax-screen-reader --brief --chrome --dangerously-skip-permissions
		--disable-slash-commands --exclude-dynamic-system-prompt-sections --forward-subagent-text --include-hook-events
		--include-partial-messages --no-chrome --restricted --strict-mcp-config --verbose`) {
		if kept, ok := Restart(claudeName, []string{option, "do it"}); !ok || !slices.Equal(kept, []string{option}) {
			t.Errorf("%s: kept %q, %v", option, kept, ok)
		}
	}
	for _, option := range strings.Fields(`--agent --agents --append-system-prompt --append-system-prompt-file --autocompact --debug-file
		--effort --fallback-model --json-schema --max-budget-usd --max-turns --model -n --name --output-format --permission-mode
		--permission-prompts --plugin-dir --plugin-url --setting-sources --settings --system-prompt --system-prompt-file
		--system-prompt-snapshot --add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file
		--mcp-config --tools -d --debug --prompt-suggestions`) {
		if kept, ok := Restart(claudeName, []string{option, "x", "--verbose"}); !ok || !slices.Equal(kept, []string{option, "x", "--verbose"}) {
			t.Errorf("%s: kept %q, %v", option, kept, ok)
		}
	}
	for _, option := range strings.Fields("--session-id --input-format --permission-prompt-tool -r --resume --from-pr") {
		if kept, ok := Restart(claudeName, []string{option, "x", "--verbose"}); !ok || !slices.Equal(kept, []string{"--verbose"}) {
			t.Errorf("%s: kept %q, %v", option, kept, ok)
		}
	}
	for _, option := range strings.Fields("-p --print -c --continue --fork-session --replay-user-messages") {
		if kept, ok := Restart(claudeName, []string{option, "--verbose"}); !ok || !slices.Equal(kept, []string{"--verbose"}) {
			t.Errorf("%s: kept %q, %v", option, kept, ok)
		}
	}
}

// Every agent that has a page has a dialect, and its hooks are told from others.
func TestEveryPageHasADialect(t *testing.T) {
	for _, name := range profile.Names() {
		if dialects[name] == nil || known[name].sent == nil || !slices.Contains(byPayload, name) {
			t.Errorf("%s has a page, but no dialect, or nobody asks whether a payload is its own", name)
		}
	}
}
