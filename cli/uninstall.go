package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/tui/safe"
)

func newUninstallCommand() *cobra.Command {
	var place placeFlags
	cmd := &cobra.Command{
		Use:   "uninstall AGENT",
		Short: "Take aoctl's hooks out of an agent's settings",
		Long: `uninstall takes aoctl's hooks out of one settings file of AGENT (` + strings.Join(install.Agents(), ", ") + `) and leaves
everything else in it as it is. From then on the agent asks as it did before.

` + placesHelp,
		Example: `  aoctl uninstall claude
  aoctl uninstall claude --project --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return uninstallHooks(place.options(cmd, args[0]), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	place.add(cmd)
	return cmd
}

func uninstallHooks(o install.Options, out, warn io.Writer) error {
	r, err := install.Uninstall(o)
	if err != nil {
		return installError(err)
	}
	text := describeUninstall(r)
	if o.DryRun && r.Changed {
		text = diffText(r.Diff)
	}
	if _, err = io.WriteString(out, text); err != nil {
		return err
	}
	printWarnings(warn, r.Warnings)
	return nil
}

func describeUninstall(r install.Report) string {
	file := safe.Line(filePath(r))
	if !r.Changed {
		return fmt.Sprintf("Nothing of aoctl is installed in %s.\n", file)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Removed %s of aoctl for %s.\n", plural(r.Removed, "hook"), r.Agent)
	switch {
	case r.Deleted:
		fmt.Fprintf(&b, "  file     %s, deleted: nothing else was in it\n", file)
	case r.Restored:
		fmt.Fprintf(&b, "  file     %s, as it was before the installation\n", file)
	default:
		fmt.Fprintf(&b, "  file     %s\n", file)
	}
	fmt.Fprintf(&b, "  backup   %s\n", safe.Line(r.Backup))
	return b.String()
}
