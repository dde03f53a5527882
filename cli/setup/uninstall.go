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
	var serve serviceFlags
	cmd := &cobra.Command{
		Use:   "uninstall [AGENT|all]",
		Short: "Take aoctl's hooks out of agents' settings",
		Long: `uninstall takes aoctl's hooks out of one settings file of AGENT (` + strings.Join(install.Agents(), ", ") + `),
or with "all" out of your own settings of every agent. It changes nothing else. From
then on the agent asks as it did before. Without AGENT, uninstall finds the agents with
hooks of aoctl and asks about each; without a terminal it takes nothing out. Backups of
the settings stay beside them, and aoctl's record and rules in its own folder.

With --service it stops the broker that starts with your login, and removes its file.

` + settingsHelp,
		Example: `  aoctl uninstall
  aoctl uninstall claude
  aoctl uninstall all
  aoctl uninstall claude --project --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := serve.check(cmd, args); err != nil {
				return err
			}
			if serve.service {
				return uninstallService(cmd, place.dryRun)
			}
			i := &installer{
				o: place.options(cmd, ""), remove: true, json: place.json,
				in: cmd.InOrStdin(), out: cmd.OutOrStdout(), warn: cmd.ErrOrStderr(),
			}
			return i.run(cmd, args)
		},
	}
	place.add(cmd)
	cmd.Flags().BoolVar(&serve.service, "service", false, "end the broker that starts with your login, in place of an agent's hooks")
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
	b.WriteString(leftBehind(r))
	return b.String()
}

// leftBehind names the backups that stay beside the file: nobody else deletes them. That
// nothing else stays is said only where no warning names another file with hooks.
func leftBehind(r install.Report) string {
	only := ""
	if len(r.Warnings) == 0 {
		only = ", and nothing else"
	}
	if len(r.Backups) == 0 {
		return "  left     no backup" + only + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  left     %s of it, yours to delete%s:\n", figures.Plural(len(r.Backups), "backup"), only)
	for _, name := range r.Backups {
		fmt.Fprintf(&b, "           %s\n", safe.Line(name))
	}
	return b.String()
}
