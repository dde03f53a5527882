package effects

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
)

func TestBroughtBy(t *testing.T) {
	for line, want := range map[string]Brings{
		"git switch main":                    {By: "switch", Rev: "main"},
		"git checkout -q feature/x":          {By: "switch", Rev: "feature/x"},
		"git checkout HEAD~2":                {By: "switch", Rev: "HEAD~2"},
		"git merge topic":                    {By: "merge", Rev: "topic", Editor: true},
		"git merge --no-ff -m 'it is' topic": {By: "merge", Rev: "topic"},
		"git merge --ff-only origin/main":    {By: "merge", Rev: "origin/main"},
		"git cherry-pick abc1234":            {By: "pick", Rev: "abc1234"},
		"git revert HEAD --no-edit":          {By: "revert", Rev: "HEAD"},
		"git stash":                          {By: "stash"},
		"git stash -m wip":                   {By: "stash"},
		"git stash push --message=wip":       {By: "stash"},
		"git stash pop":                      {By: "pop", Rev: "stash@{0}"},
		"git stash apply stash@{2}":          {By: "pop", Rev: "stash@{2}"},
		"git --no-pager stash pop 1":         {By: "pop", Rev: "stash@{1}"},
	} {
		if got, ok := BroughtBy(read(line)); !ok || got != want {
			t.Errorf("%s: %+v, %v", line, got, ok)
		}
	}
	for _, line := range []string{
		"git checkout -", "git switch -", "git merge -", "git merge FETCH_HEAD", "git checkout ORIG_HEAD", "git switch", "git switch -f main", "git switch --discard-changes main", "git checkout -- a", "git checkout main -- a", "git checkout a b", "git checkout .", "git checkout :/x",
		"git checkout 'x@{u}'", "git checkout a..b", "git switch -m main", "git checkout -b x main", "git switch --orphan x", "git merge a b", "git merge --no-ff topic", "git merge -s ours topic",
		"git merge -X theirs -m x topic", "git merge --abort", "git merge -e topic", "git cherry-pick a b", "git cherry-pick --abort", "git revert HEAD", "git revert -m 1 x --no-edit", "git stash drop", "git stash clear", "git stash -u", "git stash --include-untracked",
		"git stash push a.go", "git stash -p", "git stash -k", "git stash -a", "git stash pop --index", "git stash pop x", "git stash branch x", "git stash pop 'stash@{1.day.ago}'", "git -C x switch main", "git -c a=b switch main", "git rebase main",
		"git pull", "git", "hg update", "git merge -m", "git merge --message topic",
	} {
		if got, ok := BroughtBy(read(line)); ok {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// read is the command of a line; a part in single quotes is one word.
func read(line string) cmdline.Command {
	e := shell.Element{Kind: shell.Command, Text: line}
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			e.Argv = append(e.Argv, part)
			continue
		}
		e.Argv = append(e.Argv, strings.Fields(part)...)
	}
	return cmdline.Of(e)
}
