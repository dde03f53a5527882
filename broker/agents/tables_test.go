package agents

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
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

// A tool is vouched for with all parameters that its agent's manual has, and not with one more.
func TestToolParameters(t *testing.T) {
	for _, row := range strings.Split(`copilot bash Bash command description shellId mode detach initial_wait
copilot read_bash BashOutput shellId delay
copilot view Read path view_range forceReadLargeFiles
copilot create Write path file_text
copilot edit Edit path old_str new_str
copilot grep Grep pattern paths output_mode glob type -i -A -B -C -n head_limit multiline
copilot glob Glob pattern paths
copilot task Agent name description prompt agent_type model reasoning_effort context_tier mode
copilot read_agent TaskOutput agent_id wait timeout since_turn
opencode bash Bash command timeout workdir description
opencode read Read filePath offset limit
opencode write Write filePath content
opencode edit Edit filePath oldString newString replaceAll
opencode glob Glob pattern path
opencode grep Grep pattern path include
opencode list LS path ignore
opencode task Agent description prompt subagent_type task_id command
opencode webfetch WebFetch url format timeout
opencode websearch WebSearch query numResults livecrawl type contextMaxCharacters
cursor Shell Bash command cwd timeout
cursor Write Write file_path content
cursor Grep Grep pattern file_path glob output_mode
cursor List LS file_path ignore
cursor Fetch WebFetch url`, "\n") {
		w := strings.Fields(row)
		input := map[string]string{}
		for _, p := range w[3:] {
			input[p] = "x"
		}
		raw, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, known := Common(w[0], w[1], raw); got != w[2] || !known {
			t.Errorf("%s of %s is %s, known %v; want %s", w[1], w[0], got, known, w[2])
		}
		more := fmt.Appendf(nil, `{"another":1,%s`, raw[1:])
		if _, _, known := Common(w[0], w[1], more); known {
			t.Errorf("%s of %s is vouched for with a parameter that nobody knows", w[1], w[0])
		}
	}
}

// A changed input is not sent with a value of another kind, whatever the parameter.
func TestKindsOfParameters(t *testing.T) {
	for _, row := range strings.Split(`Bash command description
PowerShell command description
Monitor command
apply_patch command input patch
Read file_path pages
Write file_path content
Edit file_path old_string new_string
MultiEdit file_path edits
NotebookEdit notebook_path cell_id new_source cell_type edit_mode
Glob pattern path
WebFetch url prompt
WebSearch query allowed_domains blocked_domains`, "\n") {
		w := strings.Fields(row)
		for _, p := range w[1:] {
			err := SameShape(claudeName, w[0], json.RawMessage(`{}`), fmt.Appendf(nil, `{"%s":7}`, p))
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q must be ", p)) {
				t.Errorf("%s of %s as a number: %v", p, w[0], err)
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
	for _, option := range strings.Fields("-p --print -c --continue --fork-session --replay-user-messages") {
		if kept, ok := Restart(claudeName, []string{option, "--verbose"}); !ok || !slices.Equal(kept, []string{"--verbose"}) {
			t.Errorf("%s: kept %q, %v", option, kept, ok)
		}
	}
}
