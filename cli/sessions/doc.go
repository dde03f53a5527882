// Package sessions has the commands about whole sessions: what there is (status and
// sessions), to hold everything (freeze, unfreeze), to end one (stop, with --kill its
// processes too), and what goes for a managed session (send, interrupt, resume).
//
// Each finds its session by what the user called it (client.FindSession), asks the console
// for one thing, and prints what became of it. Stopping is open to everybody and stopping
// twice is no error; the calls that a stopped session waits for are refused at once. A kill
// shows the processes first and asks, unless --yes was given, and it exits with 7 when one
// of them survives. Lifting a freeze and resuming allow something, so they need an
// operator's token.
//
// status is for status lines and prompts: it takes at most 200 ms, whatever happens.
package sessions

import "github.com/spf13/cobra"

// Commands are the commands about sessions.
func Commands() []*cobra.Command {
	return []*cobra.Command{newStatusCommand(), newSessionsCommand(), newStopCommand(), newSendCommand(), newInterruptCommand(), newFreezeCommand(), newUnfreezeCommand(), newResumeCommand()}
}
