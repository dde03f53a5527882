// Package run is "aoctl run": it starts an agent as a managed session.
//
// args.go reads the agent's command line once, into a spec that holds all that the runner
// needs: agent, prompt, folder, socket, environment. It refuses options of the agent that
// run sets itself, because two of them would leave open which one counts.
//
// hookclient/runner then holds the agent's process by both ends. In the foreground run
// prints the agent's words as they come (here.go, printer.go), and at a terminal what waits
// (watch.go). With --detach the spec goes to this program once more, as "run-held" in a
// session of its own, which says over a pipe how its start went (detach.go) and then writes
// to a log of its own (log_file.go).
//
// A session that is resumed gets the environment that it was started in. environ.go keeps
// it in a private file beside the log, under a seal that the console holds, and does not
// use a file that was changed: a variable such as PATH decides which program runs.
//
// Without a console run starts nothing, since nobody could answer the agent's calls. When
// the console goes away later, the session goes on and its calls wait for the next one.
//
// What the agent prints is never taken for a decision, and nothing that it prints reaches
// the terminal unseen: printer.go makes it safe. Open run.go first; spec there is what is
// run.
package run

import "github.com/spf13/cobra"

// Commands are those that start managed sessions; the second one is hidden.
func Commands() []*cobra.Command {
	return []*cobra.Command{newRunCommand(), newDetachedCommand()}
}
