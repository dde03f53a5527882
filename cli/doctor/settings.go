package doctor

import (
	"strings"

	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/state"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
)

// settings looks at the console's settings file, as a console would that starts now. A
// file with a mistake is a failure: the operator believes that it holds. The running
// console goes by what it read at its start, which is why a change is told.
func (e *examination) settings(o options) {
	f := config.Load(o.actions)
	switch {
	case f.Path == "": // no home, which was said
	case !f.Found:
		e.add(agentcheck.Skipped, "settings", "", "there is no %s: the defaults hold", f.Path)
	case f.Problem != nil:
		e.add(agentcheck.Fail, "settings", f.Problem.Cure, "%s: %s; nothing in the file is used, the defaults hold", f.Place(f.Problem.Line), f.Problem.Text)
	case changedSince(o, f):
		e.add(agentcheck.Warn, "settings", "quit the console and start it again", "%s was changed since the console started; the console still uses what it read then", f.Path)
	case len(f.Said()) == 0:
		e.add(agentcheck.OK, "settings", "", "%s sets nothing", f.Path)
	default:
		e.add(agentcheck.OK, "settings", "", "%s: %s", f.Path, strings.Join(f.Said(), ", "))
	}
}

// changedSince reports whether the file was changed after the running console read it.
// Without a console, or without its line in the log, nobody can say so, and it is
// false.
func changedSince(o options, f config.File) bool {
	if o.socket == "" {
		return false
	}
	pid, held, err := state.Holder(o.socket)
	if err != nil || !held {
		return false
	}
	s, known := consoleStart(pid)
	return known && f.Changed.After(s.Time)
}
