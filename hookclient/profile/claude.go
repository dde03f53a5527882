package profile

// Claude Code can be told everything. It is held by any release once it is given the hooks
// that it knows.
// Source: runs of 2.1.329.
var claude = Profile{
	Name: "claude", Title: "Claude Code", Programs: []string{"claude"}, Script: "/claude-code/cli.js", Tried: "2.1.329",
	Marks: []string{"CLAUDECODE", "CLAUDE_PID"},
	Alone: []string{"CLAUDECODE", "CLAUDE_PID"},
	Variables: []string{
		"CLAUDECODE", "CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID",
		"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED",
	},
	Session: "CLAUDE_CODE_SESSION_ID", Project: "CLAUDE_PROJECT_DIR", PID: "CLAUDE_PID",
	Settings: Settings{
		Variable: "CLAUDE_CONFIG_DIR", Home: ".claude", File: "settings.json", Project: ".claude/settings.local.json",
		Rivals:  true,
		Rereads: true, // within seconds, also when there was no file or no folder at the start
		Guarded: []string{".claude", ".claude.json"},
		Files: []string{
			".claude.json.*", "managed-settings*/", "managed-mcp.json", ".mcp.json",
			"/etc/claude-code/", "/Library/Application Support/ClaudeCode/",
		},
		Plans: ".claude/plans",
		Steer: []string{"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE"},
	},
	Traits: Traits{
		Title: "Claude Code", Gate: "PreToolUse", Ask: true, Edit: true, StopTurn: true, Answers: true, Context: true,
		CallID: true, Subagents: true, Defer: true, Runs: true, AsksSettings: true,
	},
}
