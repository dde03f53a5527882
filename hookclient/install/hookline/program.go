package hookline

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/profile"
)

// Program is what an agent is told to run: an absolute path, the words between it and
// the agent's name ("hook" for aoctl itself, none for aoctl-hook), and where it asks.
type Program struct {
	Path    string
	Args    []string
	Console Console
	AskDown bool          // a gate leaves its call to the agent's own prompt when no console can be reached
	AtMost  time.Duration // how long a hook that decides waits when its call is given more time; 0: no longer than its timeout
}

// Longest is how long a hook that decides may wait when a person has timeout to answer.
func (p Program) Longest(timeout time.Duration) time.Duration { return max(p.AtMost, timeout) }

// Once is p without the time that a person may give. A hook that only tells waits for nobody, so
// more time would be of no use; nor has it anything to leave to the agent.
func (p Program) Once() Program {
	p.AtMost, p.AskDown = 0, false
	return p
}

// Strict is p that refuses when no console can be reached.
func (p Program) Strict() Program {
	p.AskDown = false
	return p
}

// onDown is the client's flag for what AskDown says.
const onDown = "--on-down"

// limits are the flags that say how long the client waits.
func (p Program) limits(timeout time.Duration) []string {
	if p.AtMost < timeout {
		return []string{"--timeout", timeout.String()}
	}
	return []string{"--timeout", timeout.String(), "--at-most", p.AtMost.String()}
}

// words are the client and its arguments as a part of a shell line, every value of ours in
// quotes.
func (p Program) words(agent string, timeout time.Duration) string {
	words := []string{Quote(p.Path)}
	words = append(append(words, p.Args...), agent)
	words = append(words, p.limits(timeout)...)
	if p.AskDown {
		words = append(words, onDown, "ask")
	}
	return strings.Join(append(words, p.Console.flags(Quote)...), " ")
}

// List is the same as words for a caller that uses no shell.
func (p Program) List(agent string, timeout time.Duration) []string {
	words := append(append([]string{p.Path}, p.Args...), agent)
	words = append(words, p.limits(timeout)...)
	return append(words, p.Console.flags(func(s string) string { return s })...)
}

// Gate is the line of a hook that decides.
func (p Program) Gate(agent string, timeout time.Duration) string {
	at := profile.Of(agent)
	p.AtMost = at.Limit(p.AtMost)
	return guarded(agent, p.words(agent, at.Limit(timeout)))
}

// guarded is the line that decides, with these words.
func guarded(agent, words string) string {
	if profile.Refusal(agent, failed) != nil {
		words += " --gate"
	}
	return open + headsOf(agent)[0] + words + guard(agent) + shut
}

// GateTime is how long agent is told to wait for a hook that decides when a person has
// timeout to answer.
func (p Program) GateTime(agent string, timeout time.Duration) time.Duration {
	if limit := profile.Of(agent).HardCap; limit > 0 {
		return limit // it waits no longer, whatever it is told
	}
	return p.Longest(timeout) + Grace
}

// Prompt is the line of a hook before a prompt, which is only told, but refuses
// prompts of an agent that was started with one of flags.
func (p Program) Prompt(agent string, timeout time.Duration, flags []string) string {
	return guarded(agent, p.Once().words(agent, timeout)+" "+NotUnder+" "+strings.Join(flags, ","))
}

// NotUnder is the client's flag for that.
const NotUnder = "--not-under"

// Watch is the line of a hook that is only told.
func (p Program) Watch(agent string, timeout time.Duration) string {
	return open + p.Once().words(agent, timeout) + watchTail + shut
}
