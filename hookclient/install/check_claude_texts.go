package install

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

const (
	claudeNoTextCommands = "disableSkillShellExecution"

	maxTexts     = 2000     // files that are looked at
	maxTextBytes = 64 << 10 // of each
)

// textCommand is a shell command in the text of a skill or a custom command, as Claude
// Code 2.1.329 takes it.
var textCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?m)```!|(?:^|\\s)!`[^`]+`") })

// claudeTexts warns of skills and custom commands whose text holds shell commands: they
// run while the text is read, and no hook is asked.
func (c *checker) claudeTexts(files []*claudeFile) {
	const name = "commands in texts"
	off := false
	for _, f := range files { // a later file wins; an administrator's come last
		if f.dead {
			continue
		}
		if v := f.doc.root.member(claudeNoTextCommands); v != nil {
			off = v.text == "true" || f.managed && off
		}
	}
	found := textsWithCommands(c.o.Project)
	switch {
	case off:
		c.add(OK, name, "", "switched off: those in skills and custom commands do not run")
	case len(found) == 0:
		c.add(OK, name, "", "none in the skills and custom commands here")
	default:
		c.add(Warn, name, `set "`+claudeNoTextCommands+`": true in your own settings.json`,
			"%s holds shell commands that run unasked when the skill or command is used (%s in all)", shorten(found[0]), count(len(found), "such file"))
	}
}

// textsWithCommands are the skills and custom commands of the user and of a project that
// hold shell commands.
func textsWithCommands(project string) []string {
	var dirs, found []string
	if dir, err := claudeConfigDir(); err == nil {
		dirs = append(dirs, dir)
	}
	if project != "" {
		dirs = append(dirs, filepath.Join(project, ".claude"))
	}
	left := maxTexts
	for _, dir := range dirs {
		for _, sub := range []string{"skills", "commands"} {
			root, err := filepath.EvalSymlinks(filepath.Join(dir, sub))
			if err != nil {
				continue
			}
			// What cannot be read, Claude Code cannot read either.
			_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
				if err == nil && left > 0 && e.Type().IsRegular() && strings.EqualFold(filepath.Ext(path), ".md") {
					left--
					if textCommand().MatchString(beginningOf(path)) {
						found = append(found, path)
					}
				}
				return nil
			})
		}
	}
	return found
}

// beginningOf is the first part of a file; "" when it cannot be read.
func beginningOf(path string) string {
	f, err := os.Open(path) //nolint:gosec // G304: a regular file below the agent's own folders
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxTextBytes)) // what was read counts
	return string(text)
}
