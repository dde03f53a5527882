package profile

// Copilot CLI keeps hooks in files of their own.
// Source: runs of 1.0.102, and of releases on both sides of the first that is held.
var copilot = Profile{
	Name: "copilot", Title: "Copilot CLI", Programs: []string{"copilot"}, Tried: "1.0.102",
	Gate:      Gate{"1.0.70", "runs a call when its hook fails, as with no console, or runs no hooks", "copilot update"},
	Marks:     []string{"COPILOT_CLI"},
	Alone:     []string{"COPILOT_CLI"},
	Variables: []string{"COPILOT_CLI", "COPILOT_PROJECT_DIR"},
	Project:   "COPILOT_PROJECT_DIR",
	Settings: Settings{
		Variable: "COPILOT_HOME", Home: ".copilot", File: "hooks/aoctl.json", Shared: ".github/hooks/aoctl.json", Rivals: true,
		Guarded: []string{".copilot"}, Files: []string{".github/hooks/"}, Steer: []string{"COPILOT_HOME"},
	},
	// Only the answer to a permission request could end the turn, and a repository's own hook
	// overrides that one.
	Traits: Traits{Title: "GitHub Copilot CLI", Gate: "PreToolUse", Edit: true, Context: true, AllowWins: true, Subagents: true, TriesAgain: true},
	// Of exit 2 it tells its model nothing but the number.
	refuse: func(reason string) any { return verdict{Decision: "deny", Reason: reason} },
}
