package workspace

import (
	"cmp"
	"iter"
	"strings"
	"unicode"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
)

// maxJoined is how many lines are joined to one that ends in a backslash.
const maxJoined = 20

// gitConfig reads a file of git's settings: keys as section.subsection.name, in lower case,
// with their values as they are written, without quotes. It is no check: of what git would
// refuse, it makes something or nothing. Where git would read one setting, it may yield more,
// never fewer.
func gitConfig(data []byte) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		section := ""
		lines := strings.Split(strings.ReplaceAll(string(data), "\r", ""), "\n")
		for i := range lines {
			line := strings.TrimSpace(lines[i])
			// A section and a setting may stand in one line, several sections too.
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

// gitSection reads the head of a section, and returns its name and what stands behind. A head
// without an end takes the whole line.
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

// husky are the folders of hooks that a program makes which many projects use. Its hooks run
// with commits and pushes, as hooks of the project would.
var husky = []string{".husky", ".husky/_"}

// gitRuns reports whether a setting of a repository makes git run a program, or read further
// settings. Of its hooks only those that hold for every command are looked at (gitHooks), and
// not husky's. Keys are as gitConfig has them. The names are those of git's documentation of
// its settings (git-config).
func gitRuns(key, value string) bool {
	section, _, _ := strings.Cut(key, ".")
	last := key[strings.LastIndexByte(key, '.')+1:]
	low := strings.ToLower(value)
	// NAME::… is for the program git-remote-NAME.
	if strings.Contains(key+value, "::") || effects.ChecksSigned(value) {
		return true
	}
	switch section {
	case "include", "includeif", "pager", "filter":
		return section != "filter" || last != "required"
	case "alias", "submodule":
		return strings.HasPrefix(strings.TrimSpace(value), "!")
	case "credential":
		return last == "helper" && !plainHelper(value)
	case "lfs":
		return strings.Contains(key, ".customtransfer.") || strings.Contains(key, ".extension.") || last == "standalonetransferagent"
	case "protocol": // the others run nothing that is not git's own
		return last == "allow" && low != "never" && !plainProtocols[key]
	}
	// Whatever the section: git has new ones, and these names run something in all of them.
	switch last {
	case "fsmonitor":
		return low != "true" && low != "false"
	case "hookspath":
		return value != husky[0] && value != husky[1]
	case "sshcommand", "pager", "editor", "gitproxy", "askpass", "alternaterefscommand", "program", "defaultkeycommand", "external",
		"textconv", "command", "cmd", "driver", "uploadpack", "receivepack", "vcs", "difffilter", "packobjectshook", "recentobjectshook", "path",
		"templatedir", "savecookies", "mergeoptions":
		return true
	case "showsignature", "verifysignatures":
		return !gitFalse[low]
	}
	return false
}

// gitFalse are the values of a setting that switch it off.
var gitFalse = map[string]bool{"": true, "false": true, "no": true, "off": true, "0": true}

// gitReads reports whether a setting makes git read a file that need not be one of the project. What git
// cannot make sense of there, it prints.
func gitReads(key, value string) bool {
	switch key {
	case "blame.ignorerevsfile", "core.excludesfile", "mailmap.file", "diff.orderfile", "commit.template":
		return value != "" && !plainGitFiles[value]
	// It may also switch on filters, which are programs.
	case "core.attributesfile":
		return true
	}
	return false
}

// plainGitFiles are names by which projects have files for git's settings.
var plainGitFiles = map[string]bool{".git-blame-ignore-revs": true, ".gitignore": true, ".gitmessage": true, ".gitmessage.txt": true, ".mailmap": true}

// gitSome notes what a setting of a repository makes only some commands do.
func gitSome(g *risk.Git, key, value string) {
	section, _, _ := strings.Cut(key, ".")
	last := key[strings.LastIndexByte(key, '.')+1:]
	switch {
	case gitFalse[strings.ToLower(value)]:
	case (section == "commit" || section == "tag") && (last == "gpgsign" || last == "forcesignannotated"):
		g.Signs = cmp.Or(g.Signs, "the repository's setting "+key+" makes git run a program that signs")
	case last == "promisor" || last == "partialclone":
		g.Partial = cmp.Or(g.Partial, "the repository's setting "+key+" makes git fetch what is missing here")
	}
}

// plainProtocols are the settings of the ways to reach a repository that are git's own.
var plainProtocols = map[string]bool{"protocol.file.allow": true, "protocol.git.allow": true, "protocol.http.allow": true, "protocol.https.allow": true, "protocol.ssh.allow": true}

// plainHelper reports whether a credential helper is one that git knows by a plain name, with
// plain options. Git hands all else to a shell. A path is none: it may be the agent's file.
func plainHelper(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != ' ' && r != '='
	})
}

// gitRemotes are the places that a repository's settings fetch from and push to. They are
// gathered over all of its files, as one may use what another one defines.
type gitRemotes struct {
	urls  map[string]bool // remotes that have an address
	names []remoteSetting // settings that name a remote or are an address
}

// remoteSetting is a setting with its value.
type remoteSetting struct{ key, value string }

// note keeps a setting that says where to fetch from or push to.
func (g *gitRemotes) note(key, value string) {
	section, rest, _ := strings.Cut(key, ".")
	last := key[strings.LastIndexByte(key, '.')+1:]
	name := strings.TrimSuffix(rest, "."+last)
	switch {
	case last == "url" || last == "pushurl":
		if section == "remote" {
			if g.urls == nil {
				g.urls = map[string]bool{}
			}
			g.urls[name] = true
		}
		g.names = append(g.names, remoteSetting{key, value})
	case last == "insteadof" || last == "pushinsteadof":
		g.names = append(g.names, remoteSetting{key, name})
	case section == "branch" && (last == "remote" || last == "pushremote"), key == "remote.pushdefault":
		g.names = append(g.names, remoteSetting{key, value})
	// A group of remotes has several names in a value.
	case section == "remotes":
		for _, v := range strings.Fields(value) {
			g.names = append(g.names, remoteSetting{key, v})
		}
	}
}

// folder is the key of a setting that makes fetching or pushing work with a folder, "" when
// there is none. A folder is a repository with hooks and settings of its own. Names of remotes
// that have an address are no folders, and neither are addresses like host:path.
func (g *gitRemotes) folder() string {
	for _, n := range g.names {
		v := strings.TrimSpace(n.value)
		before, _, scp := strings.Cut(v, ":")
		switch {
		case v == ".", g.urls[shown(strings.ToLower(v))]:
		case strings.HasPrefix(strings.ToLower(v), "file:"), !scp, strings.Contains(before, "/"):
			return n.key
		}
	}
	return ""
}
