package drill

import (
	_ "embed" // the program that runs Cursor's agents
	"encoding/json"
	"fmt"

	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

// How each agent is started, as seen with Claude Code 2.1.329, Codex 0.169.0, Gemini CLI
// 0.61.0, Qwen Code 0.24.4, opencode 1.18.33, Copilot CLI 1.0.102 and @cursor/sdk 1.0.32.

func claude() Agent {
	return Agent{Name: "claude", Hooks: ".claude/settings.json", Shell: shellTool("Bash"), lacks: []Mode{ACP}, start: func(r run) command {
		c := command{args: []string{"--dangerously-skip-permissions", Prompt}, env: []string{
			"ANTHROPIC_BASE_URL=" + r.API, "ANTHROPIC_API_KEY=sk-test", "IS_SANDBOX=1", // which root needs to skip permissions
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		}}
		if r.mode == Headless {
			c.args = append(c.args, "-p", "--output-format", "json")
			return c
		}
		c.files = map[string]string{".claude.json": text(object{
			"hasCompletedOnboarding": true, "theme": "dark", "bypassPermissionsModeAccepted": true,
			"customApiKeyResponses": object{"approved": []string{"sk-test"}, "rejected": []string{}},
			"projects":              object{r.Project: object{"hasTrustDialogAccepted": true}},
		})}
		return c
	}}
}

func codex() Agent {
	return Agent{Name: "codex", Hooks: ".codex/hooks.json", lacks: []Mode{ACP}, Shell: func(command string) fakemodel.Step {
		return fakemodel.UseTool("exec_command", map[string]any{"cmd": command})
	}, start: func(r run) command {
		c := command{
			args: []string{"--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", Prompt},
			env:  []string{"FAKE_KEY=x"},
			files: map[string]string{".codex/config.toml": fmt.Sprintf(`model = "gpt-5.2-codex"
model_provider = "fake"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = %q
wire_api = "responses"
env_key = "FAKE_KEY"
[projects.%q]
trust_level = "trusted"
`, r.API+"/v1", r.Project)},
		}
		if r.mode == Headless {
			c.args = append([]string{"exec", "--skip-git-repo-check"}, c.args...)
		}
		return c
	}}
}

func gemini() Agent {
	return Agent{Name: "gemini", Hooks: ".gemini/settings.json", Shell: shellTool("run_shell_command"), start: func(r run) command {
		how := map[Mode][]string{Headless: {"-p", Prompt, "-o", "json"}, Interactive: {"-i", Prompt}, ACP: {"--acp"}}
		return command{
			args: append(how[r.mode], "--approval-mode", "yolo", "--skip-trust"),
			env:  []string{"GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=" + r.API},
			files: map[string]string{".gemini/settings.json": `{
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}}
}
`},
		}
	}}
}

func qwen() Agent {
	return Agent{Name: "qwen", Hooks: ".qwen/settings.json", Shell: shellTool("run_shell_command"), start: func(r run) command {
		how := map[Mode][]string{Headless: {"-p", Prompt}, Interactive: {"-i", Prompt}, ACP: {"--acp"}}
		return command{
			args:  append(how[r.mode], "--approval-mode", "yolo"),
			env:   []string{"OPENAI_API_KEY=x", "OPENAI_BASE_URL=" + r.API + "/v1", "OPENAI_MODEL=fake"},
			files: map[string]string{".qwen/settings.json": `{"security": {"auth": {"selectedType": "openai"}}}` + "\n"},
		}
	}}
}

func opencode() Agent {
	return Agent{Name: "opencode", Hooks: ".config/opencode/plugins/aoctl.js", Shell: shellTool("bash"), start: func(r run) command {
		how := map[Mode][]string{Headless: {"run", Prompt}, Interactive: {"--prompt", Prompt, "--auto"}, ACP: {"acp"}}
		return command{args: how[r.mode], env: []string{
			"PWD=" + r.Project, "OPENCODE_DISABLE_MODELS_FETCH=1",
			"npm_config_registry=" + r.API, "npm_config_fetch_retries=0", // it goes on without a package that it would install
		}, files: map[string]string{".config/opencode/opencode.json": text(object{
			"provider": object{"fake": object{
				"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": object{"baseURL": r.API + "/v1", "apiKey": "x"},
				"models": object{"fake": object{"name": "fake"}},
			}},
			"model": "fake/fake", "small_model": "fake/fake", "autoupdate": false, "share": "disabled",
		})}}
	}}
}

func copilot() Agent {
	return Agent{Name: "copilot", Hooks: ".copilot/hooks/aoctl.json", Shell: shellTool("bash"), start: func(r run) command {
		how := map[Mode][]string{Headless: {"-p", Prompt, "--output-format", "json"}, Interactive: {"-i", Prompt}, ACP: {"--acp"}}
		return command{
			args: append(how[r.mode], "--allow-all", "--no-auto-update"),
			env: []string{
				"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + r.API + "/v1", "COPILOT_PROVIDER_API_KEY=fakekeyfakekey",
				"COPILOT_MODEL=gpt-4.1",
			},
			files: map[string]string{".copilot/config.json": text(object{"trustedFolders": []string{r.Project}})},
		}
	}}
}

// cursor is the agent of Cursor's own package: its program needs a login.
func cursor() Agent {
	return Agent{Name: cursorName, Hooks: ".cursor/hooks.json", lacks: []Mode{ACP}, Shell: func(command string) fakemodel.Step {
		return fakemodel.UseTool("Shell", map[string]any{"command": command})
	}, start: func(r run) command {
		return command{args: []string{Prompt}, env: []string{"CURSOR_BACKEND_URL=" + r.API}, files: map[string]string{cursorEngine: engine}}
	}}
}

const (
	cursorName   = "cursor"
	cursorEngine = "cursor.mjs"
)

//go:embed cursor.mjs
var engine string

type object = map[string]any

// text is v as JSON; v is made of texts, truths and lists and objects of them.
func text(v object) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func shellTool(name string) func(string) fakemodel.Step {
	return func(command string) fakemodel.Step {
		return fakemodel.UseTool(name, map[string]any{"command": command, "description": "run a command"})
	}
}
