package install

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Gemini CLI, Qwen Code and opencode run the shell text of a custom command while they put
// together what the user typed, before any hook: no hook can hold it. What is left is to
// name the files.
// Source: runs of Gemini CLI 0.61.0, Qwen Code 0.24.4 and opencode 1.18.33.

// MaxNamed is how many hooks or files of others are spelled out.
const MaxNamed = 5

// maxCommandFiles bounds how many files are looked at.
const maxCommandFiles = 2000

// CommandsThatRun are the files with custom commands of agent, the user's and those of the
// project, that hold shell text. A file that has the sign may use it in another way. To name one
// too many costs a look.
func CommandsThatRun(agent, project string) []string {
	t := profile.Of(agent).Texts
	if t.Sign == "" {
		return nil
	}
	var places, files []string
	for _, dir := range t.Own {
		if path := machine.InHome("", filepath.FromSlash(dir)); path != "" {
			places = append(places, path)
		}
	}
	for _, dir := range t.Local {
		places = append(places, filepath.Join(project, filepath.FromSlash(dir)))
	}
	seen := 0
	for _, place := range places {
		_ = filepath.WalkDir(realOr(place), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // it is not there, or closed to the agent as well
			}
			// A project may hold thousands of foreign files there, and no commands of its own.
			if e.IsDir() && e.Name() == "node_modules" {
				return fs.SkipDir
			}
			if seen++; seen > maxCommandFiles {
				return fs.SkipAll
			}
			if !slices.ContainsFunc(t.Kinds, func(k string) bool { return strings.HasSuffix(path, k) }) {
				return nil
			}
			if text, err := machine.ReadBounded(path, MaxSettings); err == nil && strings.Contains(string(text), t.Sign) {
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

// typedWarnings tells of the same when the hooks are installed.
func typedWarnings(agent string) []string {
	wd, _ := os.Getwd() // without one there is no project
	files := CommandsThatRun(agent, wd)
	if len(files) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of %s may hold shell text, which runs unasked when the command is typed: %s",
		machine.Count(len(files), "custom command"), Title(agent), strings.Join(files[:min(len(files), MaxNamed)], ", "))}
}
