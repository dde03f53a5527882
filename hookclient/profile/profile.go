// Package profile holds what the hook client, the installer, the check and the broker must
// know alike of how an agent treats its hooks: how long it waits for one, whatever its
// settings say, and what it makes of one that dies. It is pure and starts in no time.
//
// Every fact here was seen by running the agent to the end of it: what an agent's settings
// promise is not what it does.
package profile

import (
	"encoding/json"
	"time"
)

// Profile is one agent. Its zero value is an agent that waits as long as its settings say
// and blocks the call of a hook that dies.
type Profile struct {
	// HardCap is how long it waits for a hook that decides, whatever its settings say; then
	// the call runs. 0: no such limit is known.
	HardCap time.Duration
	// Wait is how long a call may wait under that: the rest is for starting the hook and for
	// its answer on a slow machine. 0 without a HardCap.
	Wait time.Duration

	Death Death
}

// Death is what an agent makes of a hook whose shell a signal ends, as the end of a
// terminal or of a login does.
type Death int

// The kinds of death.
const (
	Blocks   Death = iota // the call is blocked
	Traps                 // the call runs; the shell must outlive what can be caught
	Foretold              // the call runs, unless the hook has said no before: standard error counts when standard output is empty
)

// Qwen Code: its message bus gives up after a constant minute and lets the call run; a wait
// of 50 s was held. It kills its hooks when its terminal closes, Gemini CLI shares its
// process group with them.
// Source: runs of Qwen Code 0.24.4, Gemini CLI 0.61.0 and Codex 0.169.0.
var profiles = map[string]Profile{
	"codex":  {Death: Traps},
	"gemini": {Death: Foretold},
	"qwen":   {Death: Foretold, HardCap: time.Minute, Wait: 50 * time.Second},
}

// Of is what is known of an agent, by its short name.
func Of(agent string) Profile { return profiles[agent] }

// Limit is d, or less when the agent waits for no more.
func (p Profile) Limit(d time.Duration) time.Duration {
	if p.Wait > 0 {
		return min(d, p.Wait)
	}
	return d
}

// Refusal is how the agent is told on standard output, or before anything else on standard
// error, that a call is blocked: one line of JSON. It is nil for an agent that takes none
// there, which exit 2 with words on standard error tells instead.
func Refusal(agent, reason string) []byte {
	var v any
	switch agent {
	case "gemini":
		v = flat{Decision: "deny", Reason: reason}
	case "copilot":
		// Of exit 2 it tells its model nothing but the number.
		v = verdict{Decision: "deny", Reason: reason}
	case "codex":
		// Its guard speaks at any exit but 0, because a silent exit 2 is permission there.
		v = flat{Specific: &specific{Event: "PreToolUse", verdict: verdict{Decision: "deny", Reason: reason}}}
	case "qwen":
		// Of several hooks the last one's words replace those before, but for continue.
		v = flat{
			Continue: new(bool), StopReason: reason, Decision: "block", Reason: reason,
			Specific: &specific{Event: "PreToolUse", verdict: verdict{Decision: "deny", Reason: reason}},
		}
	default:
		return nil
	}
	line, err := json.Marshal(v)
	if err != nil {
		return nil // there is nothing in it that could not be written
	}
	return append(line, '\n')
}

type flat struct {
	Continue   *bool     `json:"continue,omitempty"`
	StopReason string    `json:"stopReason,omitempty"`
	Decision   string    `json:"decision,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	Specific   *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	Event string `json:"hookEventName"`
	verdict
}

type verdict struct {
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}
