package profile

import "time"

// Qwen Code: its message bus gives up after a constant minute and lets the call run; a wait
// of 50 s was held. It kills its hooks when its terminal closes. Another hook changes no
// call after it was allowed: continue:false in a refusal outlives what every other says.
// Source: runs of 0.24.4, and of releases on both sides of the first that is held; of those
// between 0.12.0 and 0.15.6 none was to be had.
var qwen = Profile{
	Name: "qwen", Title: "Qwen Code", Programs: []string{"qwen"}, Tried: "0.24.4",
	Gate:      Gate{"0.15.6", "runs no hooks", "npm install -g @qwen-code/qwen-code@latest"},
	Marks:     []string{"QWEN_CODE", "QWEN_CODE_SESSION_ID"},
	Alone:     []string{"QWEN_CODE_SESSION_ID"},
	Variables: []string{"QWEN_CODE_SESSION_ID", "QWEN_PROJECT_DIR"},
	Session:   "QWEN_CODE_SESSION_ID", Project: "QWEN_PROJECT_DIR",
	Settings: Settings{
		Home: ".qwen", File: "settings.json", Shared: ".qwen/settings.json",
		Guarded: []string{".qwen"}, Steer: []string{"QWEN_HOME"},
	},
	Texts: Texts{"!{", []string{".toml", ".md"}, []string{".qwen/commands", ".qwen/extensions"}, []string{".qwen/commands"}},
	// continue:false blocks the call and does not end the turn. An ask is a refusal where
	// nobody sits at its terminal. What it reports of a call that started a sub-agent carries
	// that sub-agent's id.
	Traits:  Traits{Title: "Qwen Code", Gate: "PreToolUse", Context: true, CallID: true, Subagents: true, OneIDSpace: true},
	HardCap: time.Minute, Wait: 50 * time.Second,
	Death: Foretold,
	// Of several hooks the last one's words replace those before, but for continue.
	refuse: func(reason string) any {
		return flat{
			Continue: new(bool), StopReason: reason, Decision: "block", Reason: reason,
			Specific: &specific{Event: "PreToolUse", verdict: verdict{Decision: "deny", Reason: reason}},
		}
	},
	GivenUp: func(callID []byte) string {
		if callID == nil {
			return ""
		}
		return `"toolCallResult":{"callId":` + string(callID) + `,"status":"cancelled"`
	},
}
