package install

import (
	"errors"
	"slices"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Claude Code's hooks: what is written, what counts as ours, what is taken out again.
//
// Shape: {"hooks": {EVENT: [{"matcher": M, "hooks": [{"type": "command", …}]}]}} in a
// strict JSON file; timeouts in seconds.
// Source: Claude Code's hook reference, and runs of version 2.1.329. A watching hook has less
// time than a gate: it holds up the agent and nobody decides anything.
const (
	claudeWatch       = 10 * time.Second
	claudeWatchClient = 3 * time.Second
	claudeEnd         = 5 * time.Second // SessionEnd: Claude Code's exit waits for it
	claudeEndClient   = 2 * time.Second

	claudeSettingsClient = 10 * time.Second
)

// ClaudeGates names the event that decides, per mode.
var ClaudeGates = map[Mode]string{Gate: "PreToolUse", Prompts: "PermissionRequest"}

// ClaudeSettings is the event before a session reads its settings again. A refusal keeps
// the change out: without it, a file that comes with a change of branch could switch the
// gate off in the middle of a session.
const ClaudeSettings = "ConfigChange"

// ClaudeTexts is the event before the text of a custom command or a skill is read that the
// user typed. Shell commands in it run unasked then, and hooks that it brings later.
const ClaudeTexts = "UserPromptExpansion"

// ClaudeWatched lists the events that the console is only told of, in the order written.
var ClaudeWatched = []string{
	"PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd",
	"Stop", claudeFailed, "SubagentStart", "SubagentStop", "Notification",
}

// claudeFailed is the event in the place of Stop when an error ended the turn.
const claudeFailed = "StopFailure"

// ClaudeRunEvents are those that a runner is to hear of: that a turn failed, the turn's result
// tells it. A runner reads the agent's own output, which says more than the hook would.
func ClaudeRunEvents() []string {
	return slices.DeleteFunc(ClaudeEvents(), func(event string) bool { return event == claudeFailed })
}

// ClaudeEvents are the events that an installation which gates every call hears of.
func ClaudeEvents() []string {
	return append([]string{ClaudeGates[Gate], ClaudeTexts, ClaudeSettings}, ClaudeWatched...)
}

// claudeToolEvents are matched on the tool's name. Without a matcher Claude Code calls such a
// hook for every tool too; the star says so to a reader.
var claudeToolEvents = []string{"PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"}

func init() { installers["claude"] = claudeAgent }

// claudeAgent is what installing for Claude Code takes.
func claudeAgent() agent {
	return agent{
		layout: claudeLayout(), gate: ClaudeGates, watched: ClaudeWatched,
		hooks: claudeHooks, notes: claudeWarnings, unknown: ClaudeUnknown, elsewhere: claudeElsewhere,
	}
}

// claudeLayout is how Claude Code's settings hold hooks.
func claudeLayout() layout {
	return layout{agent: "claude", line: "command", matched: claudeToolEvents, shape: ClaudeShape}
}

// ClaudeIsOurs reports whether a handler runs aoctl's hook client and nothing else.
func ClaudeIsOurs(handler *jsonc.Node) bool { return claudeLayout().isOurs(handler) }

// ClaudeSeesAll reports whether a group's matcher lets every call through.
func ClaudeSeesAll(group *jsonc.Node) bool { return claudeLayout().seesAll(group) }

// claudeHooks lists the handlers that an installation consists of.
//
// onFailure "block" has Claude Code refuse a call when the hook itself fails in a way that no
// exit code tells, such as a timeout.
func claudeHooks(p Program, mode Mode, timeout time.Duration) []Hook {
	decides := jsonc.Object{
		{"type", "command"},
		{"command", p.Gate("claude", timeout)},
		{"timeout", seconds(p.Longest(timeout) + hookline.Grace)},
		{"onFailure", "block"},
		{"statusMessage", "Waiting for aoctl"},
	}
	hooks := []Hook{{ClaudeGates[mode], decides}}
	// In the other mode Claude Code's own prompts decide, and it asks nothing before it reads a
	// text.
	if mode == Gate {
		texts := slices.Clone(decides)
		texts[1][1] = p.Strict().Gate("claude", timeout) // there is no prompt for a text
		hooks = append(hooks, Hook{ClaudeTexts, texts})
	}
	// A change of settings is decided by the broker at once, so it waits for no person.
	hooks = append(hooks, Hook{ClaudeSettings, jsonc.Object{
		{"type", "command"},
		{"command", p.Once().Gate("claude", claudeSettingsClient)},
		{"timeout", seconds(claudeSettingsClient + hookline.Grace)},
		{"onFailure", "block"},
	}})
	for _, event := range ClaudeWatched {
		client, agent := claudeWatchClient, claudeWatch
		// The end of a session is told in passing, as the user waits for a prompt.
		if event == "SessionEnd" {
			client, agent = claudeEndClient, claudeEnd
		}
		hooks = append(hooks, Hook{event, jsonc.Object{
			{"type", "command"},
			{"command", p.Watch("claude", client)},
			{"timeout", seconds(agent)},
		}})
	}
	return hooks
}

// seconds rounds up: the agent must never give up before the client does. A rounded-down timeout
// could end a second before the client's.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// ErrNoHome means that the user's settings cannot be found.
var ErrNoHome = errors.New("cannot tell where Claude Code's settings are: HOME is not set; set it, or name a file with --settings")

// ClaudeFolder is the folder of the user's own settings.
func ClaudeFolder() (string, error) {
	at := profile.Of("claude").Settings
	if dir := machine.InHome(at.Variable, at.Home); dir != "" {
		return dir, nil
	}
	return "", ErrNoHome
}
