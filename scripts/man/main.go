// Command man writes aoctl's manual pages, one for each command, into a folder. It makes them of
// the tree of commands itself, so a page says what "--help" says. A short name such as "aoctl
// stop" has a page that leads to that of "aoctl session stop".
//
// It lives here and not in aoctl, because what turns text into pages need not be in a program
// that stands between an agent and a shell. A release runs it, see .goreleaser.yaml. The date in
// the pages is that of SOURCE_DATE_EPOCH, where it is set.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/aoctl/aoctl/cli"
	"github.com/aoctl/aoctl/cli/usage"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: man FOLDER")
		os.Exit(2)
	}
	if err := write(cli.NewRoot(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// write makes the folder dir, and in it the pages of root and of all commands below it.
func write(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // manual pages are for everybody
		return err
	}
	root.DisableAutoGenTag = true
	asMarkdown(root)
	if err := doc.GenManTree(root, &doc.GenManHeader{Source: "aoctl", Manual: "aoctl"}, dir); err != nil {
		return err
	}
	for _, c := range root.Commands() {
		if !usage.IsShort(c) {
			continue
		}
		text := ".so man1/" + page(root.Name()+" "+usage.LongOf(c)) + "\n"
		if err := os.WriteFile(filepath.Join(dir, page(c.CommandPath())), []byte(text), 0o644); err != nil { //nolint:gosec // as above
			return err
		}
	}
	return nil
}

// page is the file of a command's page.
func page(path string) string { return strings.ReplaceAll(path, " ", "-") + ".1" }

// asMarkdown keeps the marks of Markdown, which pages are made by way of, from being read in
// texts that are plain.
func asMarkdown(cmd *cobra.Command) {
	cmd.Long = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`").Replace(cmd.Long)
	for _, c := range cmd.Commands() {
		asMarkdown(c)
	}
}
