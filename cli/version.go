package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/cli/version"
)

// newVersionCommand declares "version". It asks no console: it says what would be
// started here.
func newVersionCommand() *cobra.Command {
	var as output.Format
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "version prints which aoctl this is and what it was built from.",
		Example: "  aoctl version\n  aoctl version --json | jq -r .version",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if as.On() {
				return as.Print(cmd.OutOrStdout(), version.Read())
			}
			return show.Line(cmd.OutOrStdout(), versionLine())
		},
	}
	output.Flags[version.Info](cmd, &as, "print a JSON object")
	return cmd
}

// versionLine is what "aoctl version" and "aoctl --version" print.
func versionLine() string {
	info := version.Read()
	text := fmt.Sprintf("aoctl %s (%s, %s)", info.Version, info.Go, info.Platform)
	if info.Commit != "" {
		text += " " + info.Commit
	}
	return text
}
