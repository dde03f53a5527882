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
// add and import warn at once of a rule that does not allow what it seems to be made for.
package rules

import "github.com/spf13/cobra"

// Commands are the commands about rules.
func Commands() []*cobra.Command {
	return []*cobra.Command{newRulesCommand(), newGrantsCommand()}
}
