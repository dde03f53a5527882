package brings

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
		"git restore .": true, "git restore src": true, "git restore .claude/x.json": true, "git restore a/.claude/x.json": true, "git restore ':/x.go'": true,
		"git restore '*.go'": true, "git restore *.go": true, "git restore a.go src": true, "git restore -s x a.go": true, "git restore ../x.go": true, "git restore /x/y.go": true,
		"git restore --pathspec-from-file=a.txt a.go": true, "git checkout x a.go": true, "git checkout -f -- a.go": true, "git checkout x -- src": true, "git restore a.go/": true,
		"git stash": true, "git stash -k": true, "git stash push": true, "git stash push -m x": true, "git stash push -- .": true, "git-stash": true, "git stash save x": true,
		"git stash pop": true, "git stash apply": true, "git pull": true, "git merge x": true, "git rebase x": true,
		"git reset --hard x": true, "git apply x": true, "git am x": true, "git cherry-pick x": true, "git worktree add ../x": true,
		"cp -r a b": true, "cp -a a/. .": true, "cp --recursive a b": true, "tar xf a.tar": true, "tar -xzf a.tgz": true,
		"tar --extract -f a": true, "unzip a.zip": true, "rsync -a a/ b": true, "patch -p1": true, "cpio -id": true,

		"git switch -c x": false, "git checkout -b x": false, "git restore --staged a": false, "git stash list": false, "git stash show -p": false, "git stash push -- a.go": false, "git stash drop": false,
		"git restore a.go": false, "git restore --source=x src/a.go b.ts": false, "git restore -- a.go": false, "git checkout -- a.go": false, "git checkout x -- src/a.go": false,
		"git status": false, "git reset HEAD a": false, "git commit -m x": false, "git log": false, "git worktree list": false,
		"git apply --check x": false, "git apply --stat -p1 x": false, "git apply --check --apply x": true, "git apply --stat --index x": true,
		"cp a b": false, "mv a b": false, "tar tf a.tar": false, "tar -czf a.tgz src": false, "unzip -l a.zip": false, "rsync -n a b": false,
	} {
		got := false
		for _, e := range shell.Parse(line).Elements {
			got = got || Files(e)
		}
		if got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

func TestOnlyCommandsBringFiles(t *testing.T) {
	for _, e := range []shell.Element{{Kind: shell.Read, Argv: []string{"git", "pull"}}, {Kind: shell.Command}} {
		if Files(e) {
			t.Errorf("%+v brings files", e)
		}
	}
}

// Attack: an option looks like one that makes a program only show what it would do, or is
// shortened so that it looks like none, or another program does what these do.
func TestMayBringFilesInDisguise(t *testing.T) {
	for want, lines := range map[bool][]string{
		true: {
			"cp --ar a/. .", "cp --a a/. .", "cp --rec a/. .", "gcp -r a .", "tar --ge -f a.tar", "tar --g -f a", "gtar -C . --get -f a",
			"unzip -Ppl a.zip", "unzip -P -l a.zip", "unzip -dlib a.zip", "unzip -l --l a.zip", "unzip -l -l- a.zip", "unzip a.zip '.c*' -l", "unzip -q a.zip",
			"rsync -a '-f- node' a/ .", "rsync -a -f '- node' a/ .", "rsync -aTn a/ .", "rsync -a --exclude -n a/ .", "rsync -n --no-n a/ .", "rsync -n --no-dry-run a/ .", "rsync -a -T -n a/ .",
			"git restore -sSpring .", "git restore --staged --no-staged -s x .", "git restore --pathspec-from-file --staged", "git restore -S --worktree a", "git restore -S --work a",
			"git reset --ke x", "git reset --me x", "git reset --ha x",
			"gh pr checkout 5", "gh co 5", "gh -R o/r pr checkout 5", "gh repo sync", "gh pr merge 5", "gh issue develop 5 -c", "sl up x", "fossil up x", "gh run download 5", "glab mr checkout 5", "svn up", "svn co x .", "hg update x", "hg upd x",
			"jj edit x", "jar xf a.jar", "jar --extract -f a.jar", "jar -xf a.jar", "7zz x a.7z", "unsquashfs -d . a", "dpkg-deb -x a.deb .", "docker cp c:/x .", "scp -r h:x .", "gpatch -p1",
		},
		false: {
			"unzip -ql a.zip", "unzip -Z1 a.zip", "unzip -p a.zip b", "rsync -avn --delete --exclude=x a/ b", "rsync --dry-run -a a b", "git restore -S -s x a", "git restore --staged --source=x a",
			"git restore --staged -- -W", "git reset --soft x", "git reset -q a", "gh pr view 5", "gh pr list", "gh run list", "svn status", "hg status", "jj log", "jj", "jar tf a.jar", "jar cf x.jar a",
			"dpkg-deb -I a.deb", "docker ps", "docker compose up", "scp a h:x", "cp --preserve a b", "tar --list -f a",
		},
	} {
		for _, line := range lines {
			got := false
			for _, e := range shell.Parse(line).Elements {
				got = got || Files(e)
			}
			if got != want {
				t.Errorf("%s: %v", line, got)
			}
		}
	}
}
