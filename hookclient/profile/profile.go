// Package profile is what aoctl knows of the agents: one page, which is a Go file, for each.
//
// A page says what the agent is called, under which names its program runs, what it sets
// in the environment of what it starts, where its settings are, how it treats its hooks and
// what it can be told. Everybody reads it here: the hook client, the installer, doctor and
// the broker. So this package imports hardly anything, starts in no time, and has no I/O.
//
// A new agent is its page here and a line in All; its dialect in broker/agents, which reads
// and writes its hooks; and its installer in hookclient/install with what doctor looks at.
//
// Every fact here was seen by running the agent to the end of it: what an agent's settings
// promise is not what it does.
//
// Profiles are package variables that hold no work: strings and plain structs, made before the
// program runs. Nobody changes them.
package profile

import (
	"encoding/json"
	"slices"
	"time"
)

// Profile is one agent. Its zero value is an agent that nothing is known of: it waits as
// long as its settings say and blocks the call of a hook that dies.
type Profile struct {
	Name     string   // short: "claude"
	Title    string   // as a report names it: "Claude Code"
	Programs []string // the names under which it is installed, the usual one first
	Script   string   // how the path of a script ends that is its program, when an interpreter runs it; "" for none
	Tried    string   // the release that aoctl was tried with; "" for none
	Gate     Gate

	// Marks are variables that it sets for what it runs, and no person does. What a person
	// sets for an agent, such as CODEX_HOME, does not count.
	Marks []string
	// Alone are those of them that its hooks have and the hooks of no other agent.
	Alone []string
	// Variables are the variables of its hooks that the broker hears of.
	Variables []string
	// Session and Project are those that hold its session's id and the project's folder, and
	// PID its process's; "" where there is none.
	Session, Project, PID string

	Settings Settings
	Texts    Texts
	Traits   Traits

	// HardCap is how long it waits for a hook that decides, whatever its settings say; then
	// the call runs. 0: no such limit is known.
	HardCap time.Duration
	// Wait is how long a call may wait under that: the rest is for starting the hook and for
	// its answer on a slow machine. 0 without a HardCap.
	Wait time.Duration

	Death Death

	// refuse is how it is told on standard output, or before anything else on standard error,
	// that a call is blocked; nil for an agent that takes nothing there.
	refuse func(reason string) any
	// GivenUp is what it writes to its transcript when its user gives up the call with this
	// id, which is JSON and may be nil; nil for one that ends its hook then.
	GivenUp func(callID []byte) string
}

// Gate says from which release on the gate holds an agent, and what becomes of calls in an
// older one. The zero value is an agent of which no release is known that is not held.
type Gate struct {
	Since  string
	Older  string // "runs no hooks"
	Update string // a command line
}

// Settings say where an agent's settings are.
type Settings struct {
	Variable string // names the folder in the place of Home; "" when nothing does
	Home     string // the folder, in the user's own
	Folder   string // of the agent's own in that; "" when it is that
	File     string // of the user's settings, in Home
	Project  string // of the user's own in a project's folder; "" when there is none
	Shared   string // hooks of all who work on a project, in its folder; "" when there are none
	Rivals   bool   // another hook can change a call after it was allowed
	Rereads  bool   // a running session takes a changed file up by itself

	// Guarded are names in the user's folder and in a project's by which its hooks can be
	// switched off, and Files are further paths, as broker/risk writes them.
	Guarded, Files []string
	// Plans is the folder, in the user's own, where it writes down what it means to do: words for
	// people, from which no hook can be switched off. "" when it has none.
	Plans string
	// Steer are variables that say where its settings are, or what stands in them.
	Steer []string
}

// Texts say how custom commands hold shell text that runs when the command is typed, before
// any hook, and where they lie. The zero value is an agent without such.
type Texts struct {
	Sign  string   // what begins it
	Kinds []string // endings of the files
	Own   []string // folders of the user's own, in the home folder
	Local []string // folders in a project
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

// All are the agents, in the order in which they are offered.
func All() []*Profile {
	return []*Profile{&claude, &codex, &gemini, &qwen, &opencode, &copilot, &cursor}
}

// Names are the short names of all agents, in that order.
func Names() []string {
	names := make([]string, 0, len(All()))
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Of is what is known of an agent, by its short name.
func Of(agent string) Profile {
	for _, p := range All() {
		if p.Name == agent {
			return *p
		}
	}
	return Profile{}
}

// Gather puts together what list says of all agents, each text once.
func Gather(list func(*Profile) []string) []string {
	var all []string
	for _, p := range All() {
		for _, s := range list(p) {
			if s != "" && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// Terminal are the variables that say in which pane of tmux an agent runs.
var Terminal = []string{"TMUX", "TMUX_PANE"}

// TellTales are the variables that a hook client passes on when they are set, because they
// tell which agent is asking, and where.
func TellTales() []string {
	return append(Gather(func(p *Profile) []string { return p.Variables }), Terminal...)
}

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
	refuse := Of(agent).refuse
	if refuse == nil {
		return nil
	}
	line, err := json.Marshal(refuse(reason))
	if err != nil {
		return nil // there is nothing in it that could not be written
	}
	return append(line, '\n')
}

// AskThere has the agent's own prompt ask its user whether the call may run: one line of JSON; nil for
// an agent whose prompt does not hold every call (Traits.Ask). It is an answer to Traits.Gate alone.
func AskThere(agent, reason string) []byte {
	t := Of(agent).Traits
	if !t.Ask {
		return nil
	}
	line, err := json.Marshal(flat{Specific: &specific{t.Gate, verdict{"ask", reason}}})
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
