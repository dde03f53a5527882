package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Noun makes cmd the home of other commands: alone it prints what there is, and exits with
// 0. It returns cmd.
func Noun(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.Args = UnknownCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(commands...)
	return cmd
}

// shortFor is the annotation of a short name: what it is short for. cobra keeps it with the
// command.
const shortFor = "aoctl_short_for"

// ShortName makes of a command below a noun, fresh from its constructor, one of the root
// under a shorter name: "stop" for "session stop". It is the same command, and not listed
// twice. cmd must not have a parent yet; it is changed and returned.
func ShortName(cmd *cobra.Command, short, long string) *cobra.Command {
	// The words behind the name, such as ID, stay.
	_, rest, _ := strings.Cut(cmd.Use, " ")
	cmd.Use = strings.TrimSpace(short + " " + rest)
	cmd.Hidden = true
	cmd.Annotations = map[string]string{shortFor: long}
	cmd.Example = strings.ReplaceAll(cmd.Example, "aoctl "+long, "aoctl "+short)
	cmd.Long += fmt.Sprintf("\n\n\"aoctl %s\" is short for \"aoctl %s\".", short, long)
	return cmd
}

// IsShort reports whether cmd is a short name of another command, as ShortName made it.
func IsShort(cmd *cobra.Command) bool { return LongOf(cmd) != "" }

// OfferShort offers the short names below cmd, which cobra leaves out since they are not
// listed. It is for cmd's ValidArgsFunction.
func OfferShort(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(cmd, begun, IsShort), cobra.ShellCompDirectiveNoFileComp
}

// OfferCommands offers all commands below cmd, short names too, that begin with begun.
func OfferCommands(cmd *cobra.Command, begun string) []string {
	return offer(cmd, begun, func(c *cobra.Command) bool { return c.IsAvailableCommand() || IsShort(c) })
}

// offer is the commands below cmd that is chooses, with what they do, sorted.
func offer(cmd *cobra.Command, begun string, is func(*cobra.Command) bool) []string {
	var offers []string
	for _, c := range cmd.Commands() {
		if is(c) && strings.HasPrefix(c.Name(), begun) {
			offers = append(offers, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	slices.Sort(offers)
	return offers
}

// LongOf is what cmd is a short name for, such as "session stop"; "" when it is none.
func LongOf(cmd *cobra.Command) string { return cmd.Annotations[shortFor] }
