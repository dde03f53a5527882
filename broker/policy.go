package broker

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// RuleReadOnly is the id of the built-in rule: tools that only read, inside the
// project, run without a question.
const RuleReadOnly = "builtin:read-only"

// pathFields names, for each reading tool, the fields that hold paths; a tool whose
// list is empty touches no file of the user's.
var pathFields = map[string][]string{
	"Read":         {"file_path"},
	"NotebookRead": {"notebook_path"},
	"LS":           {"path"},
	"Glob":         {"path"},
	"Grep":         {"path"},
	"TodoWrite":    {},
	"TodoRead":     {},
	"TaskCreate":   {},
	"TaskUpdate":   {},
	"TaskGet":      {},
	"TaskList":     {},
	"TaskOutput":   {},
	"BashOutput":   {},
	"ToolSearch":   {},
}

// pathRequired are the tools that mean nothing without their path.
var pathRequired = map[string]bool{"Read": true, "NotebookRead": true}

// agentSettings are folders and files by which an agent's hooks can be switched
// off. A call that names one of them is never allowed by itself.
var agentSettings = []string{".claude", ".claude.json", ".codex", ".gemini", ".qwen", ".cursor", ".copilot", ".opencode", ".aoctl"}

// judge applies the built-in rule to q.
func (b *Broker) judge(q Question) (Outcome, bool) {
	if !q.Trusted || !b.readsOnly(q) {
		return Outcome{}, false
	}
	return Outcome{State: Allowed, By: Actor{Kind: ByRule, ID: RuleReadOnly}, Reason: "reads inside the project"}, true
}

func (b *Broker) readsOnly(q Question) bool {
	fields, ok := pathFields[q.ToolName]
	if !ok {
		return false
	}
	var input map[string]any
	if json.Unmarshal(q.ToolInput, &input) != nil || !plain(input) {
		return false
	}
	if len(fields) == 0 {
		return true
	}
	project, ok := projectRoot(firstOf(q.Session.ProjectDir, q.CWD), b.home)
	if !ok {
		return false
	}
	if q.ToolName == "Glob" && !relativePattern(input["pattern"]) {
		return false
	}
	for _, f := range fields {
		v, given := input[f]
		path, isText := v.(string)
		switch {
		case !given && pathRequired[q.ToolName], given && !isText:
			return false
		case path == "":
			path = q.CWD
		case !sameForAll(path):
			return false
		case !filepath.IsAbs(path):
			path = filepath.Join(q.CWD, path)
		}
		if !b.inside(project, path) {
			return false
		}
	}
	return true
}

// sameForAll reports whether everybody reads path as the same file. Agents expand a
// leading "~" and trim blanks before they open a path, and some file systems fold
// characters beyond ASCII; a folder of that very name must not vouch for them.
func sameForAll(path string) bool {
	if strings.HasPrefix(path, "~") || strings.TrimSpace(path) != path || strings.ContainsAny(path, "$\\\n\t") {
		return false
	}
	for _, r := range path {
		if r > unicode.MaxASCII {
			return false
		}
	}
	return true
}

// relativePattern reports whether a glob stays below the folder it starts in.
func relativePattern(v any) bool {
	p, ok := v.(string)
	return ok && p != "" && sameForAll(p) && !filepath.IsAbs(p) && !strings.Contains(p, "..") && !strings.Contains(p, "~")
}

// plain reports whether every text in v, keys too, can be drawn as it is: what
// would need an escape on the screen is a person's to judge.
func plain(v any) bool {
	switch v := v.(type) {
	case string:
		for _, r := range v {
			if r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != '\n' && r != '\t' {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !plain(e) {
				return false
			}
		}
	case map[string]any:
		for k, e := range v {
			if !plain(k) || !plain(e) {
				return false
			}
		}
	}
	return true
}

// projectRoot returns dir's real path, unless it is so wide that "inside the
// project" would mean everything: the root, the home folder, or a parent of it.
func projectRoot(dir, home string) (string, bool) {
	if !filepath.IsAbs(dir) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	return real, home != "" && !below(real, home)
}

// realPath follows links in path as far as the disk has it.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// realHome is the user's home folder, "" when there is none.
func realHome() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return realPath(home)
}

// inside reports whether path, as the disk has it, lies below project and is none
// of the guarded files.
func (b *Broker) inside(project, path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !below(project, real) {
		return false
	}
	for _, g := range b.guarded {
		if below(g, real) || below(real, g) && real != project {
			return false
		}
	}
	rest := strings.ToLower(strings.TrimPrefix(real, project))
	for _, part := range strings.Split(rest, string(filepath.Separator)) {
		for _, s := range agentSettings {
			if part == s {
				return false
			}
		}
	}
	return true
}

// below reports whether path is dir or lies in it. Both are clean absolute paths.
func below(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
