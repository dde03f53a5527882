// Package run is "aoctl run": it starts an agent as a managed session.
//
// The command line is read once (args.go) into a spec, which holds all that the runner
// needs: agent, prompt, folder, socket, environment. hookclient/runner then holds the
// agent's process by both ends. In the foreground its words are printed as they come
// (here.go, printer.go). With --detach the spec goes to this program once more, as
// "run-held" in a session of its own, which says over a pipe how its start went
// (detach.go) and then writes to a log of its own (log_file.go).
//
// A session that is taken up again gets the environment that it was started in. That is
// kept in a private file beside the log, under a seal that the console holds, and one that
// was changed is not used (environ.go).
package run

import "github.com/spf13/cobra"

// Commands are those that start managed sessions.
func Commands() []*cobra.Command {
	return []*cobra.Command{newRunCommand(), newDetachedCommand()}
}
