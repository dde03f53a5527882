package workspace

import (
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// Attack: git shows a file that holds keys by a form that looks as if it showed none.
func TestGitFormsThatShow(t *testing.T) {
	dir := RealPath(t.TempDir())
	realGit(t, dir, "init", "-q")
	for _, name := range []string{".env", "keys/id_rsa", "a.txt", "src/a.go"} {
		gitFile(t, dir, name, "x")
	}
	realGit(t, dir, "add", "-f", ".")
	realGit(t, dir, "commit", "-q", "-m", "x")
	set := gitRules(t, "git **", "cat **", "xargs **", "ls **", "grep **", "wc **")
	shows := []string{
		"git grep --no-index X", "git grep --untracked --no-exclude-standard X", "git diff --no-index . src", "git show :0:.env", "git show :.env", "git cat-file -p :0:.env", "git log -L1,1:.env", "git log -L 1,1:.env", "git log --stat -U3",
		"git show --stat -U3", "git log --patch-with-stat", "git log --binary", "git log --remerge-diff", "git show HEAD HEAD:a.txt", "git diff A B -- '\\.env'", "git diff A B -- 'k*'", "git diff A B -- 'k?ys/*'", "git diff -- keys", "git grep X HEAD:keys",
		"git archive main:keys", "git diff-index -p HEAD", "git diff-tree -p HEAD", "git diff-files -p", "git stash show -p", "git stash list -p", "git stash show --patc", "git reflog -p", "git fast-export HEAD", "git cat-file --batch", "git cat-file -p abc1234", "git log -p --stdin -- a.txt",
		"git show --author --stat HEAD", "git log -n -p --stat -p", "git log --patc", "git log -c", "git log --cc", "git log -m -p", "git diff --check", "git status -v", "git status -vv", "git commit --dry-run -v", "git rebase --show-current-patch", "git show HEAD^{/exclude}:.env", "git show ':/x: y'",
		"git mv .env a.md", "git format-patch --stdout HEAD~1", "git -C . show", "git -C src show", "git --no-pager show", "git -c color.ui=never show", "git blame --contents=.env a.txt", "git blame -- .env", "git rerere diff", "git range-diff A B C", "git merge-tree A B", "git diff --stat -p", "git diff --name-only -U1",
		"git whatchanged -p", "git log --word-diff", "git log --diff-merges=on", "git diff HEAD:.env HEAD:a.txt", "git diff HEAD:keys HEAD:a.txt a.txt", "git unpack-file HEAD:.env", "git archive HEAD -- :/", "git checkout -p", "git reset -p", "git stash -p", "git add -p",
		"git ls-files | xargs cat", "git ls-files -z | xargs -0 grep X", "git diff --name-only | xargs cat", "git ls-files -o | xargs cat", "ls -a | xargs cat", "ls keys | xargs cat", "ls -R | xargs grep X", "git fsck --lost-found", "git for-each-ref --format='%(raw)'", "git tag --format='%(raw)'",
	}
	quiet := []string{
		"git status", "git status -sb", "git log --oneline -5", "git log -3 --stat", "git log", "git log --graph --all --oneline --decorate", "git log --since '2 weeks ago' --author Anna", "git log --format='%h %an %s' -n 5", "git log --pretty=oneline main..HEAD", "git diff --stat", "git diff --name-only HEAD~1", "git diff --cached --stat -M",
		"git show --stat HEAD", "git show --name-only", "git show HEAD:a.txt", "git show :a.txt", "git show :0:a.txt", "git log -p -- a.txt", "git log -p --follow -- src/a.go", "git diff -- src", "git diff HEAD -- '*.go'", "git grep X -- '*.go'", "git branch -a", "git rev-parse HEAD", "git ls-files", "git stash list", "git stash show", "git stash show --stat", "git reflog", "git reflog -5",
		"git blame a.txt", "git cat-file -t abc1234", "git cat-file -p HEAD:a.txt", "git cat-file blob HEAD:a.txt", "git add -A", "git commit -m '.env'", "git commit -am x", "git log --oneline -- .env", "git fetch origin", "git shortlog -sn", "git describe --tags", "git diff --quiet", "git log --grep=.env --oneline", "git log -S x --oneline", "git diff-tree --name-only HEAD", "git config user.name", "git remote -v", "git config --list", "git mv a.txt b.txt",
		"git ls-files | xargs wc -l", "git ls-files '*.go' | xargs cat", "ls | xargs cat", "ls src | xargs cat", "git diff --name-only -- src | xargs cat",
	}
	for _, line := range shows {
		if a := set.Judge(gitCall(t, dir, "", line), time.Now()); a.Verdict != rules.Ask {
			t.Errorf("%s: %s: %s", line, a.Verdict, a.Reason)
		}
	}
	for _, line := range quiet {
		if a := set.Judge(gitCall(t, dir, "", line), time.Now()); a.Verdict != rules.Allow {
			t.Errorf("%s: %s: %s (%s)", line, a.Verdict, a.Reason, a.Why)
		}
	}
	realGit(t, dir, "rm", "-q", "--cached", ".env", "keys/id_rsa")
	for _, line := range []string{"git show HEAD", "git diff", "git log -p", "git log -p a.txt", "git grep X", "git grep process.env", "git diff HEAD~1 src", "git log -U3", "git stash show -p", "git cat-file -p abc1234", "git diff --check", "git show HEAD HEAD:a.txt", "git format-patch --stdout HEAD~1"} {
		a := set.Judge(gitCall(t, dir, "", line), time.Now())
		if strings.Contains(a.Why, "keys or credentials") {
			t.Errorf("where the repository keeps none: %s: %s (%s)", line, a.Reason, a.Why)
		}
	}
}

// Attack: git's settings are shown, with the password that an address in them holds.
func TestGitShowsPasswords(t *testing.T) {
	dir := gitProject(t)
	set := gitRules(t, "git **")
	lines := []string{"git config -l", "git config --list", "git config --get-regexp x", "git config --get remote.origin.url", "git config remote.origin.url", "git config get remote.origin.url", "git config list", "git remote -v", "git remote get-url origin", "git remote show origin", "git ls-remote", "git var -l"}
	for _, line := range lines {
		if a := set.Judge(gitCall(t, dir, "src", line), time.Now()); strings.Contains(a.Why, "password") {
			t.Errorf("without a password: %s: %s", line, a.Why)
		}
	}
	gitFile(t, dir, ".git/config", "[remote \"origin\"]\nurl = https://me:secret@example.com/x.git\n")
	for _, line := range lines {
		if a := set.Judge(gitCall(t, dir, "src", line), time.Now()); a.Verdict != rules.Ask || !strings.Contains(a.Why, "password") {
			t.Errorf("%s: %s: %s (%s)", line, a.Verdict, a.Reason, a.Why)
		}
	}
	for _, line := range []string{"git remote", "git config user.name", "git config --get user.email", "git config --get core.bare", "git status"} {
		if a := set.Judge(gitCall(t, dir, "src", line), time.Now()); a.Verdict != rules.Allow {
			t.Errorf("%s: %s: %s (%s)", line, a.Verdict, a.Reason, a.Why)
		}
	}
}
