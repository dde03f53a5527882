// Package calls has the commands about single calls: what waits (pending), and to allow
// one (approve), to refuse one (deny) or to answer an agent's question (answer).
//
// Each finds its call by an id or the beginning of one, asks the console over package client,
// and prints what became of the call. Refusing is open to every process of the user. Allowing
// needs an operator's token and somebody who has looked: approve shows the whole call, as the
// console would, and asks at the terminal. Without a terminal the call must be named by its
// digest, which the broker compares with the call that it holds.
//
// The first answer wins, here as everywhere. An answer that came too late says what was
// decided before it.
//
// Each command is a file: flags in a struct, one function that takes it. show.go prints a
// whole call for approve.
package calls

import "github.com/spf13/cobra"

// Commands are the commands about calls.
func Commands() []*cobra.Command {
	return []*cobra.Command{newPendingCommand(), newApproveCommand(), newDenyCommand(), newAnswerCommand()}
}
