// Package hookline writes and reads the command line that an agent runs as a hook: the
// hook client, where it asks, how long it waits, and the guard around it.
//
// The guard is what makes a gate of it. An agent reads most ways in which a hook can fail
// as "no opinion" and runs the call, so the line ends in exit 2 whenever the client does
// not end well; what agents take for permission beside that differs, and hookclient/profile
// says how. command.go has the shapes, program.go the words between them.
//
// Read takes a line apart again, one of ours or one that a person wrote after the manual.
// It reports false for a line that does anything else as well, because such a line cannot
// be judged: nothing is expanded, run or looked up here.
package hookline

import "time"

// The bounds of what --timeout and --at-most say.
const (
	MinTimeout     = time.Second
	MaxTimeout     = 24 * time.Hour
	DefaultTimeout = 10 * time.Minute
	DefaultAtMost  = time.Hour

	Grace = 60 * time.Second // an agent gives up this much after the client, never before it
)
