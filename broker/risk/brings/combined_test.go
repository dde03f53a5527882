package brings

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker/shell"
)

var update = flag.Bool("update", false, "write testdata/brings_nothing.txt anew")

// families are commands that write files, each with parts that are joined in every way: first
// one of the names, then none, one or two of the options, then one of the ends.
var families = []struct{ names, options, ends string }{
	{"git restore", "-S|--staged|-W|--worktree|-SW|-q|-p|-s x|-sx|--source=x|--source x|-|--no-staged|--ours|--", "|a.go|src|a.go b.go|a.go src|.|/a.go|-a.go|.claude/a.json|a/.b/c.go|*.go|a..go"},
	{"git checkout", "-b|-q|-f|x|-b x|x y|--", "|a.go|src|-- a.go|-- src|-- *.go|-- -a.go|-- /a.go"},
	{"git switch|git checkout", "-c|--create|-C|-b|-q|-t", " x| x main"},
	{"git stash|git stash push|git stash pop|git stash show|git stash save|git stash list", "-q|-m x|--", "|a.go|src|*.go|/a.go|-a.go"},
	{"git apply", "--check|--stat|--numstat|--summary|-v|-R|-p1|-p3|--index|x|--", "|x.patch"},
	{"git reset|git worktree list|git worktree add|git submodule status|git submodule update|git bisect log|git bisect start", "--hard|--merge|--keep|--soft|-q", "| x"},
	{"tar xf a|tar xOf a|tar -xOf a|tar xOzf a|tar xOqf a|tar tf a|tar cf x|tar Of a|tar xO|tar", "-x|-O|-v|--extract|--get|b|--", "| x"},
	{"unzip", "-l|-t|-v|-p|-q|-ql|-o|-n|-d b|-|-x c|--", " a.zip| a.zip -l| a.zip -q"},
	{"rsync", "-a|-n|-an|--dry-run|--list-only|--archive|--exclude=x|--exclude x|--chmod=x|-e ssh|-f x|-|--no-n|--x=n", " a b"},
	{"cpio|jar|jar xf a|jar cf a|scp|dpkg|dpkg-deb|hg log|hg up|hg|gh pr checkout|gh pr list", "-x|-r|-i|-o|--extract|--get", "| a"},
}

// heads are the beginnings of a family's lines.
func heads(names, options string) []string {
	list := append([]string{""}, strings.Split(options, "|")...)
	var all []string
	for _, name := range strings.Split(names, "|") {
		for _, first := range list {
			for _, second := range list {
				if first != "" || second == "" {
					all = append(all, strings.Join(strings.Fields(name+" "+first+" "+second), " "))
				}
			}
		}
	}
	return all
}

// testdata/brings_nothing.txt has the lines of the families that bring no files, each beginning
// with its ends: whatever else is said may let another branch or an archive bring an agent's
// settings.
func TestWhatBringsNothing(t *testing.T) {
	const file = "testdata/brings_nothing.txt"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range families {
		for _, head := range heads(f.names, f.options) {
			var ends []string
			for _, end := range strings.Split(f.ends, "|") {
				if !Files(shell.Parse(head + " " + end).Elements[0]) {
					ends = append(ends, strings.TrimSpace(end))
				}
			}
			if len(ends) > 0 {
				got.WriteString(head + ": " + strings.Join(ends, " | ") + "\n")
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
