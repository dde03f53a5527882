package check

import (
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
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
		standard: 60 * time.Second, loud: true, matches: everything, read: jsonc.Plain,
		broken: "Qwen Code does not start with it",
	}
}

func init() { checks["qwen"] = checkQwen }

// checkQwen looks at the settings' hooks and at what turns them off. The user's file and the
// project's are all that it reads hooks from.
func checkQwen(c *checker) {
	d := qwenDialect()
	files := c.hookFiles(d, hookFile{path: machine.InHome("", filepath.Join(".qwen", "settings.json"))},
		hookFile{path: filepath.Join(c.o.Project, ".qwen", "settings.json"), project: true})
	if !c.installedHooks(d, files, nil) {
		return
	}
	c.ungated()
	c.switchedOff(files, "disableAllHooks", "true")
	c.typedCommands()
	c.started(silencer{flag: "--safe-mode"}, silencer{flag: "--bare"})
}
