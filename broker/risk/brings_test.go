package risk

import (
	"testing"

	"github.com/aoctl/aoctl/broker/shell"
)

// Attack: a rule about the beginning of a command lets another branch, or an archive, put
// an agent's settings into the project.
func TestMayBringFiles(t *testing.T) {
	for line, want := range map[string]bool{
		"git switch feature": true, "git checkout feature": true, "git checkout feature -- .": true, "git -C . switch x": true,
		"git switch -c x main": true, "git checkout -b x origin/x": true, "git restore --source x a": true, "git restore -SW a": true,
		"git stash pop": true, "git stash apply": true, "git pull": true, "git merge x": true, "git rebase x": true,
		"git reset --hard x": true, "git apply x": true, "git am x": true, "git cherry-pick x": true, "git worktree add ../x": true,
		"cp -r a b": true, "cp -a a/. .": true, "cp --recursive a b": true, "tar xf a.tar": true, "tar -xzf a.tgz": true,
		"tar --extract -f a": true, "unzip a.zip": true, "rsync -a a/ b": true, "patch -p1": true, "cpio -id": true,

		"git switch -c x": false, "git checkout -b x": false, "git restore --staged a": false, "git stash": false, "git stash list": false,
		"git status": false, "git reset HEAD a": false, "git commit -m x": false, "git log": false, "git worktree list": false,
		"cp a b": false, "mv a b": false, "tar tf a.tar": false, "tar -czf a.tgz src": false, "unzip -l a.zip": false, "rsync -n a b": false,
	} {
		got := false
		for _, e := range shell.Parse(line).Elements {
			got = got || MayBringFiles(e)
		}
		if got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}
