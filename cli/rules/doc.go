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
// commands, and must not loosen its own rules with them. So no command here decides who may
// do what. It sends the change, and the console looks at the token and at the asking
// process.
//
// A change goes by way of changeRule: read the rules from the console, pick one by
// either end of its id, change it, put it back under the version that was read. Two people
// who change one rule at once cannot overwrite each other unseen.
//
// add and import warn at once when a rule does not allow what it seems to be made for.
//
// Everything that is printed may hold text from agents: commands, paths, reasons. It passes
// through safe.Line, and in the file that suggest prints it stays inside of comments. A
// rules file itself is printed as it is, since rulesfile escapes what a terminal might act
// on.
//
// Open rules.go first: it has the noun, the list and the lookup. trial.go replays the
// record.
package rules

import "github.com/spf13/cobra"

// Commands are the commands about rules: two nouns, rule and grants.
func Commands() []*cobra.Command {
	return []*cobra.Command{newRulesCommand(), newGrantsCommand()}
}
