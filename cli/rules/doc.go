// Package rules has the commands about rules and grants: to list and show them, to change
// them, to copy them to and from files, and to try them before they hold.
//
// Reading needs no console. state.WithRules reads the rules from the log and from the
// project's own file. explain judges one call by them and says which rule decided and why.
// test judges recorded calls, by the rules in force or by proposed ones. suggest proposes
// rules for what a person has allowed again and again.
//
// Changing needs the console, which checks every rule once more. Rules that allow, and
// changes to rules that refuse, need an operator's token too: an agent can run these
// commands, and must not loosen its own rules with them.
//
// add and import warn at once when a rule does not allow what it seems to be made for.
//
// Everything that is printed may hold text from agents: commands, paths, reasons. It passes
// through safe.Line, and in the file that suggest prints it stays inside of comments.
package rules

import "github.com/spf13/cobra"

// Commands are the commands about rules.
func Commands() []*cobra.Command {
	return []*cobra.Command{newRulesCommand(), newGrantsCommand()}
}
