package setup

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// newUninstallCommand makes "uninstall". It asks no agent for its version: hooks go
// from any.
func newUninstallCommand() *cobra.Command {
	var place settingsFlags
	cmd := &cobra.Command{
		Use:   "uninstall AGENT|all",
		Short: "Take aoctl's hooks out of agents' settings",
		Long: `uninstall takes aoctl's hooks out of one settings file of AGENT (` + strings.Join(install.Agents(), ", ") + `),
or with "all" out of your own settings of every agent. It changes nothing else. From
then on the agent asks as it did before.

` + settingsHelp,
		Example: `  aoctl uninstall claude
  aoctl uninstall all
  aoctl uninstall claude --project --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			i := &installer{
				o: place.options(cmd, ""), remove: true, json: place.json,
				in: cmd.InOrStdin(), out: cmd.OutOrStdout(), warn: cmd.ErrOrStderr(),
			}
			return i.run(cmd, args)
		},
	}
	place.add(cmd)
	return cmd
}

// describeUninstall says what was removed. A file that held nothing else is gone, and
// one that was not changed since the installation is as it was before. Where the file
// is a link, both names are told.
func describeUninstall(r install.Report) string {
	file := safe.Line(filePath(r))
	if !r.Changed {
		return fmt.Sprintf("Nothing of aoctl is installed in %s.\n", file)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Removed %s of aoctl for %s.\n", figures.Plural(r.Removed, "hook"), r.Agent)
	switch {
	case r.Deleted:
		fmt.Fprintf(&b, "  file     %s, deleted: nothing else was in it\n", file)
	case r.Restored:
		fmt.Fprintf(&b, "  file     %s, as it was before the installation\n", file)
	default:
		fmt.Fprintf(&b, "  file     %s\n", file)
	}
	if r.Backup != "" {
		fmt.Fprintf(&b, "  backup   %s\n", safe.Line(r.Backup))
	}
	return b.String()
}
