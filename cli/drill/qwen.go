package drill

func init() { agents["qwen"] = qwen }

// qwen speaks OpenAI's protocol to whatever address it is given.
func qwen() Agent {
	return Agent{Shell: shellTool("run_shell_command"), start: func(r run) command {
		how := map[Mode][]string{Headless: {"-p", Prompt}, Interactive: {"-i", Prompt}, ACP: {"--acp"}}
		return command{
			args:  append(how[r.mode], "--approval-mode", "yolo"),
			env:   []string{"OPENAI_API_KEY=x", "OPENAI_BASE_URL=" + r.API + "/v1", "OPENAI_MODEL=fake"},
			files: map[string]string{".qwen/settings.json": `{"security": {"auth": {"selectedType": "openai"}}}` + "\n"},
		}
	}}
}
