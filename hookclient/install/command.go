package install

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/profile"
)

// The two shapes of command line that are installed. Both are POSIX shell: agents run
// them with whatever shell they find. The outer braces matter to agents that feed the
// payload as a here-document, which would otherwise reach only the last command.
//
// A gate ends in exit 2 whenever the client does not end well, a missing or killed
// client included; exit 2 is what every agent reads as "blocked". A client that ends with
// 2 has said why, so the guard adds nothing. For agents that take a silent exit 2 for
// permission it speaks all the same. An observing hook must never end in 2: that would
// erase the user's prompt, or keep the agent working when it wants to stop. Its answer on
// stdout still counts, so that a stop requested in the console ends the turn after a tool.
//
// Where the death of the line's own shell would be permission, something stands before the
// client: see headsOf.
const (
	open       = "{ "
	failed     = "aoctl: hook client failed, call refused"
	gateGuard  = " || { test $? -eq 2 || echo '" + failed + "' >&2; exit 2; }"
	loudGuard  = " || { echo '" + failed + "' >&2; exit 2; }"
	quietGuard = " || exit 2" // the words were said before
	watchTail  = " || : 'aoctl only observes here'"
	shut       = "; }"

	// outlive has the shell wait for the client, which refuses when it is asked to end.
	outlive = "trap : HUP INT TERM; "
)

// guard is what follows the client in the line of a hook of agent that decides. Those that
// take the death of a hook for permission do so with a silent exit 2, too.
func guard(agent string) string {
	switch profile.Of(agent).Death {
	case profile.Traps:
		return loudGuard
	case profile.Foretold:
		return quietGuard
	case profile.Blocks:
	}
	return gateGuard
}

// headsOf is what stands before the client in a gate's line for agent, the newest form
// first: with any other, or none, a signal that ends the hook lets the call run.
func headsOf(agent string) []string {
	switch profile.Of(agent).Death {
	case profile.Traps:
		return []string{outlive}
	case profile.Foretold:
		// The refusal must stay the only text on standard error, or it is no JSON.
		no := strings.TrimSpace(string(profile.Refusal(agent, failed)))
		return []string{"printf '%s\\n' " + shellQuote(no) + " >&2; exec 2>&-; "}
	case profile.Blocks:
	}
	return []string{""}
}

// Program is what an agent is told to run: an absolute path, the words between it and
// the agent's name ("hook" for aoctl itself, none for aoctl-hook), and where it asks.
type Program struct {
	Path    string
	Args    []string
	Console Console
	AtMost  time.Duration // how long a hook that decides waits when its call is given more time; 0: no longer than its timeout
}

// longest is how long a hook that decides may wait when a person has timeout to answer.
func (p Program) longest(timeout time.Duration) time.Duration { return max(p.AtMost, timeout) }

// once is p without the time that a person may give.
func (p Program) once() Program {
	p.AtMost = 0
	return p
}

// limits are the flags that say how long the client waits.
func (p Program) limits(timeout time.Duration) []string {
	if p.AtMost < timeout {
		return []string{"--timeout", timeout.String()}
	}
	return []string{"--timeout", timeout.String(), "--at-most", p.AtMost.String()}
}

func (p Program) words(agent string, timeout time.Duration) string {
	words := []string{shellQuote(p.Path)}
	words = append(append(words, p.Args...), agent)
	words = append(words, p.limits(timeout)...)
	return strings.Join(append(words, p.Console.flags(shellQuote)...), " ")
}

// list is the same as words for a caller that uses no shell.
func (p Program) list(agent string, timeout time.Duration) []string {
	words := append(append([]string{p.Path}, p.Args...), agent)
	words = append(words, p.limits(timeout)...)
	return append(words, p.Console.flags(func(s string) string { return s })...)
}

// gateCommand is the line of a hook that decides.
func (p Program) gateCommand(agent string, timeout time.Duration) string {
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

// gateTime is how long agent is told to wait for a hook that decides when a person has
// timeout to answer.
func (p Program) gateTime(agent string, timeout time.Duration) time.Duration {
	if limit := profile.Of(agent).HardCap; limit > 0 {
		return limit // it waits no longer, whatever it is told
	}
	return p.longest(timeout) + claudeGrace
}

// promptCommand is the line of a hook before a prompt, which is only told, but refuses
// prompts of an agent that was started with one of flags.
func (p Program) promptCommand(agent string, timeout time.Duration, flags []string) string {
	return guarded(agent, p.once().words(agent, timeout)+" "+notUnder+" "+strings.Join(flags, ","))
}

// notUnder is the client's flag for that.
const notUnder = "--not-under"

// watchCommand is the line of a hook that is only told.
func (p Program) watchCommand(agent string, timeout time.Duration) string {
	return open + p.once().words(agent, timeout) + watchTail + shut
}

// shellQuote makes s one literal word of a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// isOurs reports whether command runs aoctl's hook client for agent in one of the
// shapes that aoctl writes or its manual shows: bare or guarded, in braces or not,
// wherever the binary lies. A line that does anything else as well is somebody's own.
func isOurs(command, agent string) bool {
	words, gate, watch := bared(command, agent)
	if len(words) < 2 {
		return false
	}
	base := filepath.Base(words[0])
	if rest := words[1:]; base == "aoctl-hook" || (gate || watch) && rest[0] != "hook" {
		return rest[0] == agent
	}
	return words[1] == "hook" && len(words) > 2 && words[2] == agent &&
		(gate || watch || strings.HasPrefix(base, "aoctl"))
}

// bared takes from a line what aoctl writes around the client, and reports which guard that
// was. There are no words when anything else is there.
func bared(command, agent string) (words []string, gate, watch bool) {
	s := strings.TrimSpace(command)
	if inner, ok := strings.CutPrefix(s, open); ok {
		if s, ok = strings.CutSuffix(inner, shut); !ok {
			return nil, false, false
		}
	}
	guards := []string{gateGuard, loudGuard}
	for _, head := range headsOf(agent) {
		if rest, ok := strings.CutPrefix(s, head); ok && head != "" {
			s, guards = rest, append(guards, quietGuard)
			break
		}
	}
	for _, g := range guards {
		if s, gate = strings.CutSuffix(s, g); gate {
			break
		}
	}
	s, watch = strings.CutSuffix(s, watchTail)
	words, _ = splitWords(s)
	return words, gate, watch
}

// mentionsUs reports whether a line that is not ours still seems to call aoctl.
func mentionsUs(command string) bool { return strings.Contains(command, "aoctl") }

// splitWords splits a simple shell command into its words. It reports false for
// anything but literal words: expansions, operators, redirections, broken quotes.
func splitWords(s string) (words []string, ok bool) {
	var word strings.Builder
	inWord := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\t':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		case c == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return nil, false
			}
			word.WriteString(s[i+1 : i+1+end])
			i += 1 + end
			inWord = true
		case c == '"':
			end := strings.IndexByte(s[i+1:], '"')
			if end < 0 || strings.ContainsAny(s[i+1:i+1+end], "$`\\") {
				return nil, false
			}
			word.WriteString(s[i+1 : i+1+end])
			i += 1 + end
			inWord = true
		case c == '\\' && i+1 < len(s) && s[i+1] != '\n':
			i++
			word.WriteByte(s[i])
			inWord = true
		case strings.IndexByte("\\|&;<>()$`*?[]#~!{}\r\n", c) >= 0:
			return nil, false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, true
}
