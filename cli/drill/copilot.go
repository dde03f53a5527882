package drill

func init() { agents["copilot"] = copilot }

// copilot can be pointed at a model of one's own, and then needs no login.
func copilot() Agent {
	return Agent{Shell: shellTool("bash"), start: func(r run) command {
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
