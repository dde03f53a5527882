package check

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// maxPlugins bounds how many plugin files are read of one folder.
const maxPlugins = 200

func init() { checks["opencode"] = checkOpencode }

// checkOpencode looks for a plugin that calls aoctl; opencode has no command hooks.
// Source: runs of opencode 1.18.33.
//
// A plugin by hand cannot be judged by its text, so only what it must have at least is looked
// for.
func checkOpencode(c *checker) {
	found := 0
	base := machine.InHome("XDG_CONFIG_HOME", ".config")
	var dirs []string
	if base != "" {
		dirs = append(dirs, filepath.Join(base, "opencode", "plugins"), filepath.Join(base, "opencode", "plugin"))
	}
	dirs = append(dirs, filepath.Join(c.o.Project, ".opencode", "plugins"), filepath.Join(c.o.Project, ".opencode", "plugin"))
	for _, dir := range dirs {
		// opencode loads every script in these folders.
		for _, path := range plugins(dir) {
			text, err := machine.ReadBounded(path, maxRC)
			if err != nil || !bytes.Contains(text, []byte("aoctl")) {
				continue
			}
			found++
			// The mark in the first line tells, and the digest whether it is unchanged.
			if p, ours := install.ReadPlugin(text); ours {
				c.opencodePlugin(p, path, text, strings.HasPrefix(dir, filepath.Join(c.o.Project, ".opencode")))
				continue
			}
			c.add(Warn, "gate", "", "%s: a plugin made by hand names aoctl; one that does not load is skipped, and every call runs", path)
			if !bytes.Contains(text, []byte("tool.execute.before")) {
				c.add(Fail, "plugin", "correct it by hand", "%s has no tool.execute.before: it decides nothing", path)
			} else if !bytes.Contains(text, []byte("throw")) {
				c.add(Fail, "plugin", "correct it by hand", "%s never throws, which alone blocks a call", path)
			}
		}
	}
	if found == 0 {
		c.noGate(0)
		return
	}
	c.ungated()
	// An opencode that is started from this shell would have it too.
	if v := os.Getenv("OPENCODE_PURE"); v == "1" || v == "true" {
		c.add(Fail, "environment", "unset OPENCODE_PURE", "OPENCODE_PURE is set: plugins are left out")
	}
	for _, p := range c.processes {
		if p.Pure && p.runs(c.a) {
			c.add(Fail, "running process", "end it and start it without OPENCODE_PURE", "pid %d was started with OPENCODE_PURE: it runs without the gate", p.PID)
		}
	}
	c.opencodePermissions()
	c.typedCommands()
	c.started(silencer{flag: "--pure"})
}

// mayBePure reports whether an environment can leave plugins out of p. It saves reading the
// environment of every process.
func mayBePure(p Process) bool {
	a := profile.Of("opencode")
	return p.runs(&a)
}

// opencodePlugin looks at a plugin that aoctl wrote. A plugin that somebody has changed is not
// looked at further: its settings may be fine and its code not.
func (c *checker) opencodePlugin(p install.Plugin, path string, text []byte, project bool) {
	switch {
	case !p.Sound:
		c.add(Fail, "gate", "aoctl install opencode", "%s was changed since aoctl wrote it, and cannot be judged", path)
		return
	case project:
		c.add(Warn, "gate", "", "%s: a plugin of aoctl in the project, which somebody else may have written", path)
	default:
		c.add(OK, "gate", "", "%s, tool.execute.before: every call is decided in the console", path)
	}
	l, simple := hookline.Read(quotedWords(p.Gate), "opencode")
	cure, repair := c.anew(&hookFile{path: path, project: project}, l)
	begin := len(c.r.Findings)
	// The plugin refuses when its time is over. It must not be over before the person's.
	if !simple || p.Limit <= l.Longest() {
		c.add(Fail, "timeout", cure, "%s, the plugin after %v", l.GivesUp(), p.Limit)
	} else {
		c.add(OK, "timeout", "", "%s, the plugin after %v, and refuses (pinned)%s", l.GivesUp(), p.Limit, l.NoMore("opencode"))
	}
	c.hookProgram(p.Gate[0], cure)
	if c.elsewhereAsked(l, cure) {
		begin = len(c.r.Findings) // which console is meant, a person knows
	}
	c.unpinned(l, cure)
	if now, err := install.WritePlugin(text, install.Options{Agent: "opencode", Timeout: l.Timeout, Program: l.Program()}); err == nil && !bytes.Equal(now, text) {
		c.add(Warn, "plugin", cure, "not as this aoctl writes it: installed by another version")
	}
	c.mend(begin, repair)
}

// quotedWords is a list of words as a line for a shell.
func quotedWords(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, hookline.Quote(w))
	}
	return strings.Join(quoted, " ")
}

// plugins lists the script files of a folder. Whether opencode would load one is not looked at.
func plugins(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // most often there is none
	}
	var list []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); (ext == ".js" || ext == ".ts") && len(list) < maxPlugins {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}

// opencodePermissions: a project's own permissions beat the user's. opencode asks its permissions
// after the plugin, so this gets round nothing; it makes opencode's own questions fewer.
func (c *checker) opencodePermissions() {
	for _, name := range []string{"opencode.json", "opencode.jsonc", filepath.Join(".opencode", "opencode.json")} {
		path := filepath.Join(c.o.Project, name)
		text, err := machine.ReadBounded(path, maxRC)
		if err != nil {
			continue
		}
		// ParseClaude is the strict reader; it is not about Claude Code here.
		doc, err := install.ParseClaude(jsonc.Plain(text))
		if err != nil {
			continue // opencode does not start with it
		}
		// Permissions may be nested in several ways, so the word is looked for in their text.
		if p := doc.Root.Member("permission"); p != nil && strings.Contains(string(doc.Src[p.Start:p.End]), `"allow"`) {
			c.add(Warn, "permission", "look at it, or take it out", "%s allows by itself, and so beats your own permissions", path)
		}
	}
}
