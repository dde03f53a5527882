package profile

// Codex runs the call of a hook whose shell a signal ends. 0.117.0 to 0.123.0 ask when
// codex_hooks is switched on, but not before a patch.
// Source: runs of 0.169.0, and of releases on both sides of the first that is held.
var codex = Profile{
	Name: "codex", Title: "Codex", Programs: []string{"codex"}, Tried: "0.169.0",
	Gate:  Gate{"0.124.0", "runs no hooks, or not before a patch", "npm install -g @openai/codex@latest"},
	Marks: []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"},
	Settings: Settings{
		Variable: "CODEX_HOME", Home: ".codex", File: "hooks.json", Shared: ".codex/hooks.json", Rivals: true,
		Guarded: []string{".codex"}, Files: []string{"/etc/codex/"}, Steer: []string{"CODEX_HOME"},
	},
	// An input can be replaced where it is a command, a patch or the arguments of an MCP tool.
	Traits: Traits{Title: "Codex CLI", Gate: "PreToolUse", Edit: true, CallID: true, Subagents: true, CallFolder: true, OneServer: true, OwnNames: true},
	Death:  Traps,
	// Its guard speaks at any exit but 0, because a silent exit 2 is permission there.
	refuse: func(reason string) any {
		return flat{Specific: &specific{Event: "PreToolUse", verdict: verdict{Decision: "deny", Reason: reason}}}
	},
}
