package hookline

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Line is a command line that calls aoctl's hook client and nothing else, taken apart.
type Line struct {
	Text    string
	Words   []string      // the program and its arguments, literally
	Timeout time.Duration // what --timeout says; DefaultTimeout without it
	AtMost  time.Duration // what --at-most says; 0 without it
	Pinned  bool          // there is a --timeout
	Guarded bool          // whatever becomes of the client, the line ends in exit 2 …
	Loud    bool          // … with words on standard error, without which some agents let the call run
	AskDown bool          // it has --on-down ask
	Console Console       // what its flags name; zero leaves it to the environment

	Outlives bool // a signal that ends the line's shell is no permission

	head, tail string // what stands in Text around the words
}

// Read takes command apart. It reports false for a line that does anything beside
// calling aoctl's hook client for agent and guarding that call.
func Read(command, agent string) (Line, bool) {
	l := Line{Text: command, Timeout: DefaultTimeout}
	s := strings.TrimSpace(command)
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		inner, ok = strings.CutSuffix(inner, "}")
		if !ok {
			return l, false
		}
		s = strings.TrimSuffix(strings.TrimSpace(inner), ";")
	}
	said := false // the refusal, before anything else
	for i, head := range headsOf(agent) {
		if rest, ok := strings.CutPrefix(s, head); ok {
			l.Outlives = i == 0
			said = strings.Contains(head, "printf")
			s = rest
			break
		}
	}
	call, rest := cutOr(s)
	call = strings.TrimSpace(call)
	l.head, l.tail, _ = strings.Cut(command, call)
	var ok bool
	if l.Words, ok = Split(call); !ok || !callsUs(l.Words, agent) {
		return l, false
	}
	if rest != "" {
		m := guardPattern().FindStringSubmatch(strings.TrimSpace(rest))
		if m == nil {
			return l, false
		}
		l.Guarded, l.Loud = m[3] == "2", m[1] == "" && m[2] != "" || said
	}
	return l, l.readFlags()
}

// guardPattern is what may follow the "||" of a hook line.
var guardPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\\{?\\s*(?:(test \\$\\? -eq 2 \\|\\|\\s+)?(echo\\s+(?:'[^']*'|\"[^\"$`\\\\]*\")\\s*(?:1?>&2)\\s*)(?:;|&&)\\s*)?(?:exit\\s+(\\d{1,3})|:\\s+'[^']*')\\s*;?\\s*\\}?$")
})

// cutOr splits s at its first "||" that is not quoted.
func cutOr(s string) (before, after string) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\'', '"':
			if end := strings.IndexByte(s[i+1:], s[i]); end >= 0 {
				i += 1 + end
			}
		case '|':
			if strings.HasPrefix(s[i:], "||") {
				return s[:i], s[i+2:]
			}
		}
	}
	return s, ""
}

// callsUs reports whether words start the hook client for agent.
func callsUs(words []string, agent string) bool {
	if len(words) < 2 || strings.Contains(words[0], "=") {
		return false
	}
	base, rest := filepath.Base(words[0]), words[1:]
	if strings.HasPrefix(base, "aoctl-hook") {
		return slices.Contains(rest, agent)
	}
	return strings.HasPrefix(base, "aoctl") && rest[0] == "hook" && slices.Contains(rest[1:], agent)
}

// readFlags takes out of the words what the client would read from them. It is false for a time
// that the client would refuse.
func (l *Line) readFlags() bool {
	for i, w := range l.Words {
		name, value, inline := strings.Cut(w, "=")
		if !inline && i+1 < len(l.Words) {
			value = l.Words[i+1]
		}
		switch name {
		case "--socket":
			l.Console.Socket = value
		case "--url":
			l.Console.URL = value
		case "--token-file":
			l.Console.TokenFile = value
		case onDown:
			l.AskDown = value == "ask"
		case "--timeout", "--at-most":
			d, err := time.ParseDuration(value)
			if err != nil || d <= 0 {
				return false
			}
			if name == "--at-most" {
				l.AtMost = d
				continue
			}
			l.Timeout, l.Pinned = d, true
		}
	}
	if l.AtMost > 0 {
		l.Timeout = min(l.Timeout, l.AtMost)
	}
	return true
}

// Longest is how long the client may wait.
func (l Line) Longest() time.Duration { return max(l.Timeout, l.AtMost) }

// GivesUp says after how long the client does.
func (l Line) GivesUp() string {
	if l.AtMost > l.Timeout {
		return fmt.Sprintf("the client gives up after %v (%v when you give it more time)", l.Timeout, l.AtMost)
	}
	return fmt.Sprintf("the client gives up after %v", l.Timeout)
}

// NoMore says of a line without --at-most what that means.
func (l Line) NoMore(agent string) string {
	if l.AtMost > 0 {
		return ""
	}
	return "; a call can be given no more time (aoctl install " + agent + ")"
}

// AtMostAnew is what --at-most says when the line is written anew with timeout.
func (l Line) AtMostAnew(timeout time.Duration) time.Duration {
	if l.AtMost == 0 {
		return max(DefaultAtMost, timeout)
	}
	return min(max(l.AtMost, timeout), MaxTimeout)
}

// Program is what the line starts; there must be words.
func (l Line) Program() Program {
	p := Program{Path: l.Words[0], Console: l.Console, AtMost: l.AtMost, AskDown: l.AskDown}
	if len(l.Words) > 1 && l.Words[1] == "hook" {
		p.Args = []string{"hook"}
	}
	return p
}

// Change is what Line.With puts in place of a line's own; what is zero stays.
type Change struct {
	Program string
	Timeout time.Duration
	Socket  string // in place of whatever names the console
}

// With is the line with c in it: its words are quoted again, all around them stays. The
// line must be one that Read read. What is not a word of ours, such as a guard by hand, is kept
// as it is.
func (l Line) With(c Change) string {
	words := slices.Clone(l.Words)
	if c.Program != "" {
		words[0] = c.Program
	}
	if c.Timeout > 0 {
		words = append(withoutFlags(words, "--timeout"), "--timeout", c.Timeout.String())
	}
	if c.Socket != "" {
		words = append(withoutFlags(words, "--socket", "--url", "--token-file"), "--socket", c.Socket)
	}
	for i, w := range words {
		words[i] = QuoteIfNeeded(w)
	}
	return l.head + strings.Join(words, " ") + l.tail
}

// withoutFlags is words without the flags of these names and their values.
func withoutFlags(words []string, names ...string) []string {
	var kept []string
	for i := 0; i < len(words); i++ {
		name, _, inline := strings.Cut(words[i], "=")
		switch {
		case !slices.Contains(names, name):
			kept = append(kept, words[i])
		case !inline:
			i++ // its value
		}
	}
	return kept
}
