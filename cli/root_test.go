package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// each visits every command of the tree.
func each(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		each(c, visit)
	}
}

// TestEveryCommandHelps: each has a text and an example, and -h is its help.
func TestEveryCommandHelps(t *testing.T) {
	each(NewRoot(), func(c *cobra.Command) {
		if c.Short == "" || c.Long == "" || c.Example == "" {
			t.Errorf("%s has no short or long text, or no example", c.CommandPath())
		}
		c.InitDefaultHelpFlag()
		if f := c.Flags().ShorthandLookup("h"); f == nil || f.Name != "help" {
			t.Errorf("-h is not the help of %s", c.CommandPath())
		}
	})
}

// TestHelpFits: no line of any help is wider than 80 cells, as in a pipe or in a small window.
func TestHelpFits(t *testing.T) {
	each(NewRoot(), func(c *cobra.Command) {
		var out strings.Builder
		c.SetOut(&out)
		c.InitDefaultHelpFlag()
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if n := safe.Width(line); n > 80 {
				t.Errorf("%s: %d cells: %s", c.CommandPath(), n, line)
			}
		}
	})
}

// TestGroups: what the help lists has a group, and what has none is hidden. A short name is
// the very command that it is short for.
func TestGroups(t *testing.T) {
	root := NewRoot()
	for _, c := range root.Commands() {
		if (c.GroupID == "") != c.Hidden {
			t.Errorf("%s is in the group %q, hidden: %v", c.Name(), c.GroupID, c.Hidden)
		}
	}
	for _, c := range root.Commands() {
		if !usage.IsShort(c) {
			continue
		}
		long, rest, err := root.Find(strings.Fields(usage.LongOf(c)))
		if err != nil || len(rest) > 0 || long.Short != c.Short || long.HasSubCommands() {
			t.Errorf("%s is short for %q, which is %v (%v)", c.Name(), usage.LongOf(c), long.CommandPath(), err)
		}
	}
}
