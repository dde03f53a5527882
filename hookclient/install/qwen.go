package install

import (
	"fmt"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// qwenEvents are those that the console is told of.
var qwenEvents = []string{
	"PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop", "StopFailure",
	"SubagentStart", "SubagentStop", "Notification",
}

func init() { installers["qwen"] = qwenAgent }

// qwenAgent: settings.json with comments. A timeout below 1000 is in seconds, any other in
// milliseconds.
// Source: runs of Qwen Code 0.24.4.
//
// A changed input is not applied by it, so the console offers no edit; the installation is the
// same all the same.
func qwenAgent() agent {
	return agent{
		layout: layout{
			agent: "qwen", line: "command", matched: []string{"PreToolUse", "PostToolUse", "PostToolUseFailure"},
			syntax: jsonc.Comments, shape: looseShape,
		},
		gate: own("PreToolUse"), watched: qwenEvents,
		hooks: func(p Program, _ Mode, timeout time.Duration) []Hook {
			write := func(line string, limit time.Duration) jsonc.Object {
				return jsonc.Object{{"type", "command"}, {"command", line}, {"timeout", qwenTimeout(limit)}}
			}
			gate := Hook{"PreToolUse", write(p.Gate("qwen", timeout), p.GateTime("qwen", timeout))}
			return append([]Hook{gate}, watching(p, "qwen", qwenEvents, []string{"SessionEnd"}, write)...)
		},
		notes: func(_ Options, f *settingsFile, after []byte) []string {
			d, err := jsonc.Parse(after, jsonc.Comments, Title("qwen"))
			if err != nil {
				return nil // after was just made, and parsed
			}
			w := looseWarnings(f.path, d, false)
			if d.Root.Member("disableAllHooks").IsTrue() {
				w = append(w, fmt.Sprintf(`%s has "disableAllHooks": true: Qwen Code runs no hooks, and nothing is asked; remove that line`, f.path))
			}
			return w
		},
	}
}

// qwenTimeout writes d so that Qwen Code reads it as d: it takes 1000 and more for milliseconds.
// From 1000 seconds on the value must be in milliseconds: 1000 alone would be read as one second.
func qwenTimeout(d time.Duration) int64 {
	if s := seconds(d); s < 1000 {
		return int64(s)
	}
	return milliseconds(d)
}
