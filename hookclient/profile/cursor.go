package profile

// Cursor cannot be asked for the version of its hooks.
// Source: the hook loader of @cursor/sdk 1.0.32, run with fake homes.
var cursor = Profile{
	Name: "cursor", Title: "Cursor", Programs: []string{"cursor-agent", "cursor"},
	Marks:     []string{"CURSOR_VERSION", "CURSOR_AGENT"},
	Alone:     []string{"CURSOR_VERSION"},
	Variables: []string{"CURSOR_VERSION", "CURSOR_PROJECT_DIR"},
	Project:   "CURSOR_PROJECT_DIR",
	Settings: Settings{
		Home: ".cursor", File: "hooks.json", Shared: ".cursor/hooks.json", Rivals: true,
		Guarded: []string{".cursor"},
	},
	// It takes "ask" only before shell commands, and changed fields, not changed inputs.
	Traits: Traits{Title: "Cursor", Gate: "preToolUse", Edit: true, Context: true, CallID: true, Subagents: true},
}
