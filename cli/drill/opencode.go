package drill

func init() { agents["opencode"] = opencode }

// opencode takes its model from its settings, and must fetch nothing from the network.
func opencode() Agent {
	return Agent{Shell: shellTool("bash"), start: func(r run) command {
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
