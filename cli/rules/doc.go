// Package rules has the commands about rules and grants: to list and show them, to change
// them, to carry them to and from files, and to try them before they hold.
//
// Reading needs no console. state.WithRules reads the rulebook from the log and from the
// project's own file; explain judges one call by it and says which rule spoke, test judges
// recorded calls by the rules in force or by proposed ones, and suggest proposes rules
// from what a person has decided again and again. Changing needs the console, which checks
// every rule once more; rules that allow, and changes to rules that refuse, need an
// operator's token besides.
//
// add and edit say at once what a new rule would not do: a rule for a command line that is
// dangerous, or that is taken apart into more than it names, is saved with a warning.
package rules

import "github.com/spf13/cobra"

// Commands are the commands about rules.
func Commands() []*cobra.Command {
	return []*cobra.Command{newRulesCommand(), newGrantsCommand()}
}
