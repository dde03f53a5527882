package profile

// Gemini CLI shares its process group with its hooks, and runs the call of one that a signal
// ends.
// Source: runs of 0.61.0, and of releases on both sides of the first that is held.
var gemini = Profile{
	Name: "gemini", Title: "Gemini CLI", Programs: []string{"gemini"}, Tried: "0.61.0",
	Gate:      Gate{"0.26.0", "runs no hooks", "npm install -g @google/gemini-cli@latest"},
	Marks:     []string{"GEMINI_CLI", "GEMINI_SESSION_ID"},
	Alone:     []string{"GEMINI_SESSION_ID"},
	Variables: []string{"GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR"},
	Session:   "GEMINI_SESSION_ID", Project: "GEMINI_PROJECT_DIR",
	Settings: Settings{
		Home: ".gemini", File: "settings.json", Shared: ".gemini/settings.json", Rivals: true,
		Guarded: []string{".gemini"}, Files: []string{"/etc/gemini-cli/", "/Library/Application Support/GeminiCli/"},
		Steer: []string{"GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"},
	},
	Texts:   Texts{"!{", []string{".toml"}, []string{".gemini/commands", ".gemini/extensions"}, []string{".gemini/commands"}},
	Traits:  Traits{Title: "Gemini CLI", Gate: "BeforeTool", Edit: true, StopTurn: true},
	Death:   Foretold,
	refuse:  func(reason string) any { return flat{Decision: "deny", Reason: reason} },
	GivenUp: func([]byte) string { return `"type":"info","content":"Request cancelled."` },
}
