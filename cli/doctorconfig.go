package cli

import (
	"strings"

	"github.com/aoctl/aoctl/hookclient/install"
)

// settings looks at the console's settings file, as a console would that starts now.
func (e *examination) settings(o doctorOptions) {
	f := readConfig()
	switch {
	case f.path == "": // no home, which was said
	case !f.found:
		e.add(install.Skipped, "settings", "", "there is no %s: all is as it is built in", f.path)
	case f.problem != nil:
		e.add(install.Fail, "settings", f.problem.Cure, "%s: %s; nothing of the file holds, and what is built in does", f.place(f.problem.Line), f.problem.Text)
	case changedSince(o, f):
		e.add(install.Warn, "settings", "quit the console and start it anew", "%s was changed since the console started, which goes by what it read then", f.path)
	case len(f.settings) == 0:
		e.add(install.OK, "settings", "", "%s sets nothing", f.path)
	default:
		e.add(install.OK, "settings", "", "%s: %s", f.path, strings.Join(f.said(), ", "))
	}
}

// changedSince reports whether the file was changed after the running console read it.
func changedSince(o doctorOptions, f configFile) bool {
	if o.socket == "" {
		return false
	}
	pid, held, err := lockHolder(o.socket + ".lock")
	if err != nil || !held {
		return false
	}
	s, known := consoleStart(pid)
	return known && f.changed.After(s.Time)
}
