// Package sessions has the commands about whole sessions, below the noun session: what
// there is (list), all about one (view), to hold everything (freeze, unfreeze), to end
// one (stop, with --kill its processes too), and what goes for a managed session
// (send, interrupt, resume). Each of these has its short name under the root, as "aoctl
// stop". How a session is listed (rename, archive, remove) has none.
// Beside them there is status.
//
// Each finds its session by what the user called it (client.FindSession), asks the
// console for one thing, and prints what became of it. Stopping is open to everybody
// and stopping twice is no error; the calls that a stopped session waits for are
// refused at once. A kill shows the processes first and asks, unless --yes was given,
// and it exits with 7 when one of them survives. Lifting a freeze and resuming allow
// something, so they need an operator's token.
//
// "stop --all" and "freeze" reach the machines of the person's fleet, too, after this one (fleet.go).
// What allows, as unfreeze, keeps to this machine.
//
// What is open to everybody only ever holds or ends something. The console decides
// that; no command here could let a call through by itself.
//
// view works without a console too, from the record, and says so. The others need one,
// because a record cannot stop anything.
//
// status is for status lines and prompts: it takes at most 200 ms, whatever happens,
// and it is read by programs that expand what they show. So it has a form for each of
// them, and session names only where they do no harm.
//
// Open stop.go first; the other commands are made like it. kill.go is what --kill
// adds. A session's name, its folder and its words are an agent's. What a Line prints
// goes through safe.Line, and a table does that for its cells.
package sessions

import (
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/usage"
)

// Commands are status, the noun session, and the short names of what is below it. A
// short name is a command of its own, made by the same constructor, because a cobra
// command has one parent. The verbs are made twice from one list, so a new one needs
// no second place.
func Commands() []*cobra.Command {
	list := []*cobra.Command{
		newStatusCommand(),
		usage.Noun(&cobra.Command{
			Use:     "session",
			Short:   "list | view | stop | send | resume | freeze | rename | archive | …",
			Long:    "session has what can be done about whole sessions of agents.",
			Example: "  aoctl session list\n  aoctl session view api-server\n  aoctl session stop api-server\n  aoctl session freeze",
		}, newListCommand(), newViewCommand(), newRenameCommand(), newArchiveCommand(), newRemoveCommand()),
		usage.ShortName(newListCommand(), "sessions", "session list"),
	}
	for _, verb := range []func() *cobra.Command{
		newStopCommand, newSendCommand, newInterruptCommand, newResumeCommand, newFreezeCommand, newUnfreezeCommand,
	} {
		below := verb()
		list[1].AddCommand(below)
		list = append(list, usage.ShortName(verb(), below.Name(), "session "+below.Name()))
	}
	return list
}
