package broker

import (
	"iter"
	"strings"
	"unicode"
)

// maxJoined is how many lines are joined to one that ends in a backslash.
const maxJoined = 20

// gitConfig reads a file of git's settings: keys as section.subsection.name, in lower
// case, with their values as they are written, without quotes. It is no check: of what git
// would refuse, it makes something or nothing.
func gitConfig(data []byte) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		section := ""
		lines := strings.Split(strings.ReplaceAll(string(data), "\r", ""), "\n")
		for i := range lines {
			line := strings.TrimSpace(lines[i])
			for strings.HasPrefix(line, "[") {
				section, line = gitSection(line)
			}
			if line == "" || line[0] == '#' || line[0] == ';' {
				continue
			}
			for next := i + 1; strings.HasSuffix(line, "\\") && next < len(lines) && next <= i+maxJoined; next++ {
				line = strings.TrimSuffix(line, "\\") + lines[next]
			} // the next line is read for itself too: the backslash may stand in a comment
			name, value, given := strings.Cut(line, "=")
			if !given {
				value = "true"
			}
			value = strings.TrimSpace(strings.ReplaceAll(value, `"`, ""))
			if !yield(section+"."+shown(strings.ToLower(strings.TrimSpace(name))), value) {
				return
			}
		}
	}
}

// gitSection reads the head of a section, and returns its name and what stands behind.
func gitSection(line string) (name, rest string) {
	quoted := false
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			name = strings.ToLower(line[1:i])
			section, sub, _ := strings.Cut(name, `"`)
			if sub = strings.TrimSuffix(strings.TrimSpace(sub), `"`); sub != "" {
				name = strings.TrimSpace(section) + "." + sub
			}
			return shown(strings.TrimSpace(name)), strings.TrimSpace(line[i+1:])
		}
	}
	return shown(strings.ToLower(line[1:])), ""
}

// maxKey is the longest part of a setting's name that a reason shows, in runes.
const maxKey = 60

// shown is a part of a setting's name without what a screen cannot show; cut when long,
// but in the middle, so that it is known by its end.
func shown(s string) string {
	r := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s))
	if len(r) > maxKey {
		r = append(append(r[:maxKey/2:maxKey/2], '…'), r[len(r)-maxKey/2:]...)
	}
	return string(r)
}

// husky are the folders of hooks that a program makes which many projects use.
var husky = []string{".husky", ".husky/_"}

// gitRuns reports whether a setting of a repository makes git run a program, or read
// further settings. Hooks in .git are not looked at, nor husky's, which are the same.
func gitRuns(key, value string) bool {
	section, _, _ := strings.Cut(key, ".")
	last := key[strings.LastIndexByte(key, '.')+1:]
	low := strings.ToLower(value)
	switch section {
	case "include", "includeif", "pager", "filter":
		return section != "filter" || last != "required"
	case "alias", "credential", "submodule":
		return strings.HasPrefix(strings.TrimSpace(value), "!") || section == "credential" && last == "helper" && strings.Contains(value, "/")
	}
	switch last {
	case "fsmonitor":
		return low != "true" && low != "false"
	case "hookspath":
		return value != husky[0] && value != husky[1]
	case "sshcommand", "pager", "editor", "gitproxy", "askpass", "alternaterefscommand", "program", "defaultkeycommand", "external",
		"textconv", "command", "cmd", "driver", "uploadpack", "receivepack", "vcs", "difffilter", "packobjectshook", "path":
		return true
	case "url", "pushurl", "insteadof", "pushinsteadof":
		return strings.Contains(key+value, "::")
	}
	return false
}
