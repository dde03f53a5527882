package drill

func init() { agents["claude"] = claude }

// claude skips its permissions and, in a terminal, all that it asks at its first
// start.
func claude() Agent {
	return Agent{Shell: shellTool("Bash"), lacks: []Mode{ACP}, start: func(r run) command {
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
