package check

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// copilotDialect: hooks/*.json, strict JSON, timeouts in seconds.
// Source: runs of Copilot CLI 1.0.102.
func copilotDialect() dialect {
	return dialect{
		gates: []string{"PreToolUse", "preToolUse"}, commands: []string{"bash", "command"}, timeouts: []string{"timeoutSec", "timeout"},
		unit: secondsUnit, standard: 30 * time.Second,
		matches: func(event, matcher string) bool {
			return event == "PreToolUse" && (matcher == "*" || matcher == ".*") || event == "preToolUse" && matcher == ".*"
		},
		broken: "Copilot CLI drops it, and every call runs",
	}
}

func init() { checks["copilot"] = checkCopilot }

// checkCopilot looks at the hook files and at what turns them off.
//
// Hooks may stand in files of their own, which are strict, and in settings, which may have
// comments. Both are read, and a project's too.
func checkCopilot(c *checker) {
	dir := machine.InHome("COPILOT_HOME", ".copilot")
	d := copilotDialect()
	var strict []hookFile
	if dir != "" {
		for _, path := range jsonBelow(filepath.Join(dir, "hooks")) {
			strict = append(strict, hookFile{path: path})
		}
	}
	for _, path := range jsonBelow(filepath.Join(c.o.Project, ".github", "hooks")) {
		strict = append(strict, hookFile{path: path, project: true})
	}
	files := c.hookFiles(d, strict...)
	// The settings are read with comments, in the same dialect otherwise.
	loose := d
	loose.read = jsonc.Plain
	var settings []hookFile
	if dir != "" {
		settings = append(settings, hookFile{path: filepath.Join(dir, "settings.json")})
	}
	for _, name := range []string{".github/copilot/settings.json", ".github/copilot/settings.local.json"} {
		settings = append(settings, hookFile{path: filepath.Join(c.o.Project, filepath.FromSlash(name)), project: true})
	}
	more := c.hookFiles(loose, settings...)
	if !c.installedHooks(d, append(files, more...), nil) {
		return
	}
	c.ungated()
	for _, f := range files {
		if f.doc == nil || !hookline.Mentions(string(f.data)) {
			continue
		}
		// A file without a version is read.
		if v := f.doc.Root.Member("version"); v != nil && v.Text != "1" {
			c.add(Fail, "settings", `write "version": 1`, "%s has version %s: Copilot CLI drops the file, and every call runs", f.path, machine.Shorten(v.Text))
		}
		c.switchedOff([]*hookFile{f}, "disableAllHooks", "true")
	}
	// Copilot CLI reads these too, and a switch in them turns its own hooks off.
	claude := c.hookFiles(loose, hookFile{path: filepath.Join(c.o.Project, ".claude", "settings.json"), project: true},
		hookFile{path: filepath.Join(c.o.Project, ".claude", "settings.local.json"), project: true})
	c.switchedOff(append(more, claude...), "disableAllHooks", "true")
	c.started()
}

// jsonBelow lists the .json files below dir, at most maxPlugins. Links are not followed. A folder
// that is full or deep is somebody's mistake or trap, so both are bounded.
func jsonBelow(dir string) []string {
	var list []string
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // what cannot be read is left out
		switch {
		case err != nil:
			return fs.SkipDir
		case len(list) == maxPlugins, strings.Count(strings.TrimPrefix(path, dir), string(filepath.Separator)) > 8:
			return fs.SkipAll
		case !e.IsDir() && filepath.Ext(path) == ".json":
			list = append(list, path)
		}
		return nil
	})
	return list
}
