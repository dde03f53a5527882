package install

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// HookLine is a command line that calls aoctl's hook client and nothing else, taken apart.
type HookLine struct {
	Text    string
	Words   []string      // the program and its arguments, literally
	Timeout time.Duration // what --timeout says; DefaultTimeout without it
	Pinned  bool          // there is a --timeout
	Guarded bool          // whatever becomes of the client, the line ends in exit 2 …
	Loud    bool          // … with words on standard error, without which some agents let the call run
	Socket  bool          // it names a socket itself
}

// ReadHookLine takes command apart. It reports false for a line that does anything beside
// calling aoctl's hook client for agent and guarding that call.
func ReadHookLine(command, agent string) (HookLine, bool) {
	l := HookLine{Text: command, Timeout: DefaultTimeout}
	s := strings.TrimSpace(command)
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		inner, ok = strings.CutSuffix(inner, "}")
		if !ok {
			return l, false
		}
		s = strings.TrimSuffix(strings.TrimSpace(inner), ";")
	}
	call, rest := cutOr(s)
	var ok bool
	if l.Words, ok = splitWords(strings.TrimSpace(call)); !ok || !callsUs(l.Words, agent) {
		return l, false
	}
	if rest != "" {
		m := guardPattern().FindStringSubmatch(strings.TrimSpace(rest))
		if m == nil {
			return l, false
		}
		l.Guarded, l.Loud = m[2] == "2", m[1] != ""
	}
	return l, l.readFlags()
}

// guardPattern is what may follow the "||" of a hook line.
var guardPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\\{?\\s*(?:(echo\\s+(?:'[^']*'|\"[^\"$`\\\\]*\")\\s*(?:1?>&2)\\s*)(?:;|&&)\\s*)?(?:exit\\s+(\\d{1,3})|:\\s+'[^']*')\\s*;?\\s*\\}?$")
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

func (l *HookLine) readFlags() bool {
	for i, w := range l.Words {
		name, value, inline := strings.Cut(w, "=")
		if !inline && i+1 < len(l.Words) {
			value = l.Words[i+1]
		}
		switch name {
		case "--socket":
			l.Socket = true
		case "--timeout":
			d, err := time.ParseDuration(value)
			if err != nil || d <= 0 {
				return false
			}
			l.Timeout, l.Pinned = d, true
		}
	}
	return true
}

// program is what the line starts; there must be words.
func (l HookLine) program() Program {
	p := Program{Path: l.Words[0]}
	if len(l.Words) > 1 && l.Words[1] == "hook" {
		p.Args = []string{"hook"}
	}
	return p
}

// With is the line with another program in place of its own, or, for "", another timeout
// in place of its own. It reports false when the line cannot be changed so.
func (l HookLine) With(program string, timeout time.Duration) (string, bool) {
	if program != "" {
		for _, as := range []string{shellQuote(l.Words[0]), `"` + l.Words[0] + `"`, l.Words[0]} {
			if strings.Contains(l.Text, as) {
				return strings.Replace(l.Text, as, shellQuote(program), 1), true
			}
		}
		return "", false
	}
	at := strings.Index(l.Text, "--timeout")
	if !l.Pinned || at < 0 {
		return "", false
	}
	i := slices.IndexFunc(l.Words, func(w string) bool { return strings.HasPrefix(w, "--timeout") })
	_, value, inline := strings.Cut(l.Words[i], "=")
	if !inline {
		value = l.Words[i+1]
	}
	return l.Text[:at] + strings.Replace(l.Text[at:], value, timeout.String(), 1), true
}
