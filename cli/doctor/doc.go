// Package doctor is "aoctl doctor": it checks that nothing bypasses aoctl, by trying,
// and says what to do where something does.
//
// An examination is a list of checks in sections, in the order in which a call meets
// them: console and settings file, database, the agents and their hooks, the drill,
// the rules. Each section has a file that looks and adds checks. examine.go runs the
// sections at the same time, since most of them wait for another process, and joins
// what they found in the fixed order. report.go prints the list.
//
// A check that needs no person carries its repair. --fix carries out the repairs and
// then looks at everything once more, so the report shows what is, not what was tried.
//
// The drill runs the installed hook lines against things that go wrong, in a folder,
// with a socket and a database of its own (drill.go, drill_run.go). --drill AGENT goes
// further and runs the agent itself, offline, with the scripted model of cli/drill
// (agent.go, agent_run.go). In both, a hook that lets a call through is OPEN, and that
// is a failure. The drill runs only lines that ask aoctl and do nothing else: a
// project's file may come from anybody.
//
// A doctor that cannot look says so (skipped or warn). It never reports "ok" for
// something that it has not seen. Without --fix it changes nothing that it did not
// make itself.
//
// What is seen and what is to be done are one line each. They may hold names and paths
// of others, and become safe for a terminal where they are printed (painter.check).
package doctor

import (
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/config"
)

// Commands are the commands that check whether aoctl holds what it should. actions are
// those that the settings file may give a key.
func Commands(actions []config.Action) []*cobra.Command {
	return []*cobra.Command{newDoctorCommand(actions)}
}
