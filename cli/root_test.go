package cli

import (
	"io"
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

// TestFilesAreOfferedWhereTheyAreMeant: the tab key offers files for files, and for nothing else.
func TestFilesAreOfferedWhereTheyAreMeant(t *testing.T) {
	t.Setenv("AOCTL_HOME", t.TempDir())                                                                                                  // no console and no record
	const moves = "--after\tdecide after this rule\n--before\tdecide before this rule\n--priority\tthe new priority, 0 to 1000000\n:4\n" // of these flags one is needed
	for line, want := range map[string]string{
		"--theme ":             "auto\ndark\nlight\nhigh-contrast\n:4\n",
		"--on-timeout ":        "deny\ndefer\nask\n:4\n",
		"--keep ":              ":4\n",
		"rule move ":           moves,
		"rule move x ":         moves,
		"rule move --before ":  ":4\n",
		"rule add ":            ":4\n",
		"rule add --project ":  ":16\n",
		"rule test ":           ":0\n",
		"rule import ":         "claude\n:0\n",
		"backup ":              ":0\n",
		"backup x ":            ":4\n",
		"log --archive ":       ":0\n",
		"log --since ":         ":4\n",
		"log verify --db ":     ":0\n",
		"approve --input ":     ":0\n",
		"approve --token-file": ":0\n",
		"status --socket ":     ":0\n",
		"grants revoke ":       ":4\n",
		"call deny -m ":        ":4\n",
	} {
		var out strings.Builder
		root := NewRoot()
		root.SetOut(&out)
		root.SetErr(io.Discard)
		words := strings.Split(line, " ")
		root.SetArgs(append([]string{"__complete"}, words...))
		if strings.HasSuffix(line, "--token-file") { // the value behind an equals sign
			root.SetArgs([]string{"__complete", "approve", "--token-file="})
		}
		if err := root.Execute(); err != nil || out.String() != want {
			t.Errorf("%q: %v\n%s", line, err, out.String())
		}
	}
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
