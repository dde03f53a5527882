package install

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Gemini CLI, Qwen Code and opencode run the shell text of a custom command while they put
// together what the user typed, before any hook: no hook can hold it. What is left is to
// name the files.
// Source: runs of Gemini CLI 0.61.0, Qwen Code 0.24.4 and opencode 1.18.33.

// commandText is how an agent's custom commands hold shell text, and where they lie.
type commandText struct {
	sign  string   // what begins it
	kinds []string // endings of the files
	own   []string // folders of the user's own, in the home folder
	local []string // folders in a project
}

var commandTexts = map[string]commandText{
	"gemini": {"!{", []string{".toml"}, []string{".gemini/commands", ".gemini/extensions"}, []string{".gemini/commands"}},
	"qwen":   {"!{", []string{".toml", ".md"}, []string{".qwen/commands", ".qwen/extensions"}, []string{".qwen/commands"}},
	"opencode": {
		"!`",
		[]string{".md", "opencode.json", "opencode.jsonc"},
		[]string{".config/opencode"},
		[]string{".opencode", "opencode.json", "opencode.jsonc"},
	},
}

// maxCommandFiles bounds how many files are looked at.
const maxCommandFiles = 2000

// commandsThatRun are the files with custom commands of agent, the user's and those of the
// project, that hold shell text.
func commandsThatRun(agent, project string) []string {
	t, ok := commandTexts[agent]
	if !ok {
		return nil
	}
	var places, files []string
	for _, dir := range t.own {
		if path := inHome("", filepath.FromSlash(dir)); path != "" {
			places = append(places, path)
		}
	}
	for _, dir := range t.local {
		places = append(places, filepath.Join(project, filepath.FromSlash(dir)))
	}
	seen := 0
	for _, place := range places {
		_ = filepath.WalkDir(realOr(place), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // it is not there, or closed to the agent as well
			}
			if e.IsDir() && e.Name() == "node_modules" {
				return fs.SkipDir
			}
			if seen++; seen > maxCommandFiles {
				return fs.SkipAll
			}
			if !slices.ContainsFunc(t.kinds, func(k string) bool { return strings.HasSuffix(path, k) }) {
				return nil
			}
			if text, err := readBounded(path, maxSettings); err == nil && strings.Contains(string(text), t.sign) {
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}

// realOr is where path leads, path itself when it leads nowhere.
func realOr(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// typedCommands names the custom commands whose shell text runs unasked.
func (c *checker) typedCommands() {
	files := commandsThatRun(c.a.agent, c.o.Project)
	sign := commandTexts[c.a.agent].sign
	for _, f := range files[:min(len(files), maxNamed)] {
		c.add(Warn, "custom commands", "look at it before you type the command", "%s may hold shell text (%s): it runs when the command is typed, before any hook, and nobody is asked", f, sign)
	}
	if more := len(files) - maxNamed; more > 0 {
		c.add(Warn, "custom commands", "", "and %d more", more)
	}
	if len(files) == 0 {
		c.add(OK, "custom commands", "", "none of yours or of this project holds shell text (%s), which would run unasked", sign)
	}
}

// typedWarnings tells of the same when the hooks are installed.
func typedWarnings(agent string) []string {
	wd, _ := os.Getwd() // without one there is no project
	files := commandsThatRun(agent, wd)
	if len(files) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of %s may hold shell text, which runs unasked when the command is typed: %s",
		count(len(files), "custom command"), Title(agent), strings.Join(files[:min(len(files), maxNamed)], ", "))}
}
