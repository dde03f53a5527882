package profile

// The opencode agent has no hooks: a plugin of aoctl's asks in their place, and can throw,
// and change the arguments in place. 1.0 does not start.
// Source: runs of 1.18.33, and of releases on both sides of the first that is held.
var opencode = Profile{
	Name: "opencode", Title: "opencode", Programs: []string{"opencode"}, Tried: "1.18.33",
	Gate:      Gate{"1.1.11", "reads no plugins from that folder, or does not start", "opencode upgrade"},
	Marks:     []string{"OPENCODE"},
	Alone:     []string{"OPENCODE"},
	Variables: []string{"OPENCODE"},
	Settings: Settings{
		Variable: "XDG_CONFIG_HOME", Home: ".config", Folder: "opencode", File: "opencode/plugins/aoctl.js",
		Guarded: []string{".opencode"}, Files: []string{"~/.config/opencode/", "opencode.json", "opencode.jsonc"},
		Steer: []string{"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG_CONTENT", "OPENCODE_PERMISSION"},
	},
	Texts: Texts{
		"!`",
		[]string{".md", "opencode.json", "opencode.jsonc"},
		[]string{".config/opencode"},
		[]string{".opencode", "opencode.json", "opencode.jsonc"},
	},
	Traits: Traits{Title: "opencode", Gate: "tool.execute.before", Edit: true, CallID: true, Subagents: true},
}
