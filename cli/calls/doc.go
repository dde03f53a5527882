// Package calls has the commands about single calls, below the noun call: what waits, or
// was decided (list), all of one (view), and to allow one (approve), to refuse one (deny) or
// to answer an agent's question (answer). The short names pending, approve, deny and answer
// are the same commands.
//
// Each finds its call by an id or the beginning of one, asks the console over package
// client, and prints what became of the call. Refusing is open to every process of the
// user. Allowing needs an operator's token and somebody who has looked: approve shows the
// whole call, as the console would, and asks at the terminal. Without a terminal the call
// must be named by its digest, which the broker compares with the call that it holds.
//
// The first answer wins, here as everywhere. An answer that came too late says what was
// decided before it.
//
// Nothing is decided here. The console judges, compares digests, looks at who asks and
// records; a command that is changed or replaced can say no more than any other program
// with the same token. So a check in this room is for the person: a clearer sentence,
// earlier.
//
// Each command is a file: flags in a struct, one function that takes it. show.go prints a
// whole call for approve; view draws one with the console's own rooms, callview and draw,
// and record.go is what it reads where no console is asked. The record is read as "aoctl
// log" reads it, so a row that the log does not vouch for is not shown.
package calls

import (
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/usage"
)

// Commands are the noun call, and the short names of what is below it. A short name is a
// command of its own, made by the same constructor, because a cobra command has one parent.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		usage.Noun(&cobra.Command{
			Use:     "call",
			Short:   "list | view | approve | deny | answer",
			Long:    "call has what can be done about single calls: those that wait for an answer, and those on record.",
			Example: "  aoctl call list\n  aoctl call view 0197f3a2\n  aoctl call deny 0197f3a2 -m 'use the staging database'",
		}, newListCommand(), newViewCommand(), newApproveCommand(), newDenyCommand(), newAnswerCommand()),
		usage.ShortName(newListCommand(), "pending", "call list"),
		usage.ShortName(newApproveCommand(), "approve", "call approve"),
		usage.ShortName(newDenyCommand(), "deny", "call deny"),
		usage.ShortName(newAnswerCommand(), "answer", "call answer"),
	}
}
