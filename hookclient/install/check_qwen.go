package install

import (
	"path/filepath"
	"time"
)

// qwenDialect: settings.json with comments; a timeout of 1000 and more is in milliseconds.
// Source: runs of Qwen Code 0.24.4.
func qwenDialect() dialect {
	return dialect{
		gates: []string{"PreToolUse"}, commands: []string{"command"}, timeouts: []string{"timeout"},
		unit: func(v float64) time.Duration {
			if v >= 1000 {
				return secondsUnit(v / 1000)
			}
			return secondsUnit(v)
		},
		standard: 60 * time.Second, loud: true, matches: everything, read: plainJSON,
		broken: "Qwen Code does not start with it",
	}
}

// checkQwen looks at the settings' hooks and at what turns them off.
func checkQwen(c *checker) {
	d := qwenDialect()
	files := c.hookFiles(d, hookFile{path: inHome("", filepath.Join(".qwen", "settings.json"))},
		hookFile{path: filepath.Join(c.o.Project, ".qwen", "settings.json"), project: true})
	if !c.installedHooks(d, files, nil) {
		return
	}
	c.notHeld()
	c.switchedOff(files, "disableAllHooks", "true")
	c.rivals(d, files, "its allow overrides a refusal that came before it")
	c.typedCommands()
	c.started(silencer{flag: "--safe-mode"}, silencer{flag: "--bare"})
}

// rivals names other hooks on the events that decide.
func (c *checker) rivals(d dialect, files []*hookFile, why string) {
	n := 0
	for _, f := range files {
		if f.doc == nil {
			continue
		}
		for _, event := range d.gates {
			for _, group := range f.doc.root.member("hooks").member(event).children("") {
				handlers := group.children("hooks")
				if group.member("hooks") == nil {
					handlers = []*node{group}
				}
				for _, h := range handlers {
					if text, ok := d.command(h); ok && mentionsUs(text) {
						continue
					}
					if n++; n <= maxNamed {
						c.add(Warn, "other hooks", "see what it does, or take it out", "%s, %s: %s: %s", f.path, event, describeHandler(h), why)
					}
				}
			}
		}
	}
}
