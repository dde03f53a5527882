package install

import (
	"time"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// copilotEvents are those that the console is told of.
var copilotEvents = []string{
	"PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop",
	"SubagentStart", "SubagentStop", "Notification", "ErrorOccurred",
}

func init() { installers["copilot"] = copilotAgent }

// copilotAgent: a file of our own in the folder of hook files, strict JSON, timeouts in
// seconds. Events are spelled as Claude Code spells them, for only then a payload names
// its event; hooks have no matcher, for some that mean "all" elsewhere match nothing.
// Source: runs of Copilot CLI 1.0.102.
func copilotAgent() agent {
	return agent{
		layout: layout{agent: "copilot", line: "bash", flat: true, version: true, shape: copilotShape},
		gate:   own("PreToolUse"), watched: copilotEvents,
		hooks: func(p Program, _ Mode, timeout time.Duration) []Hook {
			write := func(line string, limit time.Duration) jsonc.Object {
				return jsonc.Object{{"type", "command"}, {"bash", line}, {"timeoutSec", seconds(limit)}}
			}
			gate := Hook{"PreToolUse", write(p.Gate("copilot", timeout), p.GateTime("copilot", timeout))}
			return append([]Hook{gate}, watching(p, "copilot", copilotEvents, []string{"SessionEnd"}, write)...)
		},
		notes: func(o Options, _ *settingsFile, _ []byte) []string {
			return claudeToo(o, Title("copilot"), false)
		},
	}
}

// copilotShape refuses what makes Copilot CLI drop the file. What a hook itself holds is not
// looked at.
func copilotShape(d *jsonc.Document) error {
	const cure = "Copilot CLI ignores the whole file because of it: correct it by hand, then run this again; nothing was changed"
	if v := d.Root.Member("version"); v != nil && v.Text != "1" {
		return d.Wrong(v, cure, `"version" must be 1`)
	}
	return flatShape(d, cure, nil)
}
