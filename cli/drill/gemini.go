package drill

func init() { agents["gemini"] = gemini }

// gemini's settings answer what it would ask at its first start: the login, and the
// folder's trust.
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
