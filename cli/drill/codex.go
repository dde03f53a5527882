package drill

import (
	"fmt"

	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

func init() { agents["codex"] = codex }

// codex takes its model from config.toml, where the project is trusted as well. Both
// switches are needed: one for its own approvals, the other for its hooks.
func codex() Agent {
	return Agent{lacks: []Mode{ACP}, Shell: func(command string) fakemodel.Step {
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
