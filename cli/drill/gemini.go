package drill

func init() { agents["gemini"] = gemini }

func gemini() Agent {
	return Agent{Shell: shellTool("run_shell_command"), start: func(r run) command {
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
