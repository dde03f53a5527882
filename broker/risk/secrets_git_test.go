package risk

import (
	"slices"
	"strings"
	"testing"
)

// gitKeeps is a place with a repository that keeps these files, whose settings hold a
// password.
func gitKeeps(files ...string) Place {
	at := place()
	at.Tracked = func(string) ([]string, bool) { return files, true }
	at.Git = func(dir string) Git { return Git{Password: dir == at.CWD} }
	return at
}

// gitSays returns why a line is dangerous, in short: "named", "kept", "below" a folder, or
// "password".
func gitSays(at Place, line string) string {
	var out []string
	for _, why := range beginning(Assess(Call{Tool: "Bash", Line: lineOf(run(line))}, at), "") {
		switch {
		case why == readsKeys:
			out = append(out, "named")
		case strings.HasPrefix(why, "reads keys or credentials that the repository keeps"):
			out = append(out, "kept")
		case strings.HasPrefix(why, readsKeys):
			out = append(out, "below")
		case why == "shows a password or token in git's settings":
			out = append(out, "password")
		case why == "git's list of files cannot be read":
			out = append(out, "list")
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// These subcommands show nothing of a file that is kept, but for these options.
func TestQuietGit(t *testing.T) {
	at := gitKeeps("/home/u/src/app/.env")
	for sub := range strings.FieldsSeq(`apply bisect branch check-attr check-ignore check-mailmap check-ref-format cherry cherry-pick clean clone column commit-graph commit-tree
		config count-objects describe fetch for-each-ref gc hash-object help init init-db interpret-trailers ls-files ls-tree maintenance merge
		merge-base mktree mv name-rev pack-refs patch-id prune prune-packed pull push read-tree remote repack replace rev-list rev-parse revert rm shortlog
		show-branch show-ref sparse-checkout stripspace submodule switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version worktree write-tree
		status commit add stage checkout restore reset rebase am request-pull fsck`) {
		for _, line := range []string{"git " + sub + " user.name", "git-" + sub + " user.name"} {
			if got := gitSays(at, line); got != "" {
				t.Errorf("%s: %s", line, got)
			}
		}
		if got := gitSays(at, "git "+sub+" user.name --format=%(raw)"); got != "kept" && sub != "ls-files" {
			t.Errorf("git %s with raw objects: %q", sub, got)
		}
	}
	for _, line := range lines(`git status -v; git status --verbose; git commit --dry-run; git commit -p; git commit --patch; git commit --interactive; git add -p; git add --patch; git add -i; git add --interactive; git add -e; git add --edit; git stage -p; git stage --patch; git stage -i
		git stage --interactive; git stage -e; git stage --edit; git checkout -p; git checkout --patch; git restore -p; git restore --patch; git reset -p; git reset --patch; git rebase --show-current-patch; git am --show-current-patch; git request-pull -p x; git fsck --lost-found; git fsck --lost
		git; git unheard-of; git stash -p; git stash --patch; git stash push -p; git stash push --patch; git stash show -p; git stash list -p; git log -p; git reflog -p; git whatchanged -p; git diff-tree -p x; git diff-index -p x; git diff-files -p; git show; git diff; git archive x; git format-patch x
		git cat-file --batch; git cat-file --batch-check --batch; git cat-file -p x; git cat-file blob x; git cat-file; git bundle create x; git bundle; git fast-export x; git show HEAD; git log -x; git log -L1,2:a; git diff --stat -p`) {
		want := "kept"
		if line == "git" {
			want = ""
		}
		if got := gitSays(at, line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	for _, line := range lines(`git stash; git stash list; git stash show; git stash pop; git stash push; git stash show --stat; git log; git reflog; git whatchanged; git diff-tree x; git diff-index x; git diff-files; git cat-file -t x; git cat-file -s x; git cat-file -e x; git cat-file --batch-check; git bundle verify x; git bundle list-heads x
		git show -s; git show --stat a; git diff --stat -- a; git log -n 3; git log -3; git log -n3; git log -SPASS; git log -GPASS; git log -S PASS; git log -G -p; git log -M50%; git log -C50; git log --since yesterday; git log --grep=x --author=y; git log -- -p`) {
		if got := gitSays(at, line); got != "" {
			t.Errorf("%s: %q", line, got)
		}
	}
	for option := range strings.FieldsSeq("--stat --numstat --shortstat --dirstat --name-only --name-status --summary --compact-summary --raw --quiet --no-patch -s --stat=80") {
		if got := gitSays(at, "git show "+option); got != "" {
			t.Errorf("git show %s: %q", option, got)
		}
	}
	for option := range strings.FieldsSeq(`--oneline --graph --all --decorate --no-decorate --format --pretty --abbrev-commit --no-abbrev-commit --abbrev --no-merges --merges --first-parent --reverse --follow
		--branches --tags --remotes --topo-order --date-order --author-date-order --left-right --left-only --right-only --cherry --cherry-pick --cherry-mark --ancestry-path --simplify-by-decoration --full-history --boundary --no-walk
		--color --no-color --no-ext-diff --no-textconv --exit-code --cached --staged --merge-base --relative --no-relative --find-renames --find-copies --no-renames --source --log-size --notes --no-notes --reflog
		--walk-reflogs --since=x --after=x --until=x --before=x --author=x --committer=x --grep=x --max-count=x --skip=x --date=x --diff-filter=x --invert-grep --all-match --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp
		--ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-submodules --minimal --patience --histogram --diff-algorithm=x --text --no-prefix --min-parents=x --max-parents=x --full-index --use-mailmap --no-mailmap
		-z -r -t -w -b -a -R -g -i -E -F -P -M -C -D --root --always --parents --children --clear-decorations --indent-heuristic --no-indent-heuristic --stat-width=x --stat-name-width=x --stat-count=x --format=x -M5 -C5 -n5 -5 -M5%`) {
		if got := gitSays(at, "git log "+option); got != "" {
			t.Errorf("git log %s: %q", option, got)
		}
		if got := gitSays(at, "git show "+option); got != "kept" {
			t.Errorf("git show %s: %q", option, got)
		}
	}
	for option := range strings.FieldsSeq("-n -S -G --since --after --until --before --author --committer --grep --max-count --skip --date --diff-filter --diff-algorithm --min-parents --max-parents --stat-width --stat-name-width --stat-count") {
		if got := gitSays(at, "git log "+option+" -p"); got != "" {
			t.Errorf("git log %s with a value: %q", option, got)
		}
	}
}

// A file that a git command names is judged by its name, and what it keeps to is looked at.
func TestWhatGitNames(t *testing.T) {
	at := gitKeeps("/home/u/src/app/.env", "/home/u/src/app/sub/a.pem")
	at.Secrets = func(dir string) ([]string, bool) { return []string{dir + "/.env"}, true }
	for line, want := range map[string]string{
		"git show HEAD:.env": "named", "git show :.env": "named", "git show :0:.env": "named", "git show :0:.netrc": "named", "git show x:a=.netrc": "named", "git show HEAD:a.go": "", "git show HEAD:a.go HEAD:b.go": "", "git show HEAD:a.go x": "kept", "git show x:": "kept", "git show ':/fix: a'": "kept", "git show ':(x)a'": "kept",
		"git show 'x^{/fix: a}'": "kept", "git show -- .env": "named", "git show HEAD -- sub": "kept", "git show HEAD -- src": "", "git show :/.env": "named", "git show !.env": "named", "git show ^.env": "named", "git show --x=.env": "named",
		"git show HEAD:a.go --stdin": "kept", "git diff HEAD:a.go HEAD:b.go": "", "git diff HEAD:a.go HEAD:b.go --no-index": "below kept", "git diff a b": "kept", "git diff --no-index a b": "below kept",
		"git cat-file blob HEAD:a.go": "", "git cat-file -p HEAD:.env": "named", "git cat-file -p HEAD": "", "git cat-file -p @~2": "", "git cat-file -p HEAD^{tree}": "", "git cat-file -p HEAD^{commit}": "", "git cat-file -p HEADx": "kept", "git cat-file tree HEAD": "", "git cat-file commit HEAD": "", "git cat-file tag HEAD": "", "git cat-file x HEAD": "kept",
		"git cat-file -p HEAD --batch-command": "kept", "git cat-file -p HEAD --batch": "kept", "git blame a.go": "", "git blame .env": "named", "git annotate a.go": "", "git annotate .env": "named",
		"git log -p --grep=.env -- a": "", "git log -p --author=.env -- a": "", "git log -p --committer=.env -- a": "", "git log -p --format=.env -- a": "", "git log -p --pretty=.env -- a": "", "git log -p -S.env -- a": "", "git log -p -G.env -- a": "", "git log -p --since=.env -- a": "", "git log -p --until=.env -- a": "",
		"git log -p --after=.env -- a": "", "git log -p --before=.env -- a": "", "git log -p -- --grep=.env": "named", "git log -p -- .env": "named", "git log -p --x=.env -- a": "named",
		"git grep .env -- a": "", "git grep -e .env -- a": "", "git grep -e x .env": "named", "git grep -ex .netrc": "named", "git grep -fx .netrc": "named", "git grep -i .env -- a": "", "git grep x .env": "named", "git grep -f .env -- a": "named", "git grep -e x -e .env -- a": "", "git grep x": "kept", "git grep -o x -- a": "", "git grep x -- src": "", "git grep x -- su?": "kept", "git grep x -- sub/": "kept", "git grep x -- SUB": "kept", "git grep x -- :/": "kept", "git grep x -- *.pem": "named",
		"git grep --untracked x -- a": "below", "git grep --no-index x -- a": "below", "git grep --recurse-submodules x -- a": "below", "git archive --recurse-submodules x -- a": "below", "git log -p --no-index -- a": "",
		"git grep x --pathspec-from-file=y -- a": "kept", "git log -p --stdin -- a": "kept",
		"git log -p -- ':!.env' a": "kept", "git log -p -- ':^.env' a": "kept", "git log -p -- ':(exclude).env' a": "kept", "git log -p -- ':(top,exclude).env' a": "kept", "git log -p -- ':(top).env' a": "named",
		"git mv .env a": "named", "git mv a .env": "", "git mv a b": "", "git mv a .env b": "named", "git-show HEAD:.env": "named", "git -C sub show HEAD:../.env": "named", "git -C loop show": "", "git --git-dir=x show": "", "git --git-dir=x show HEAD:.env": "named", "git --git-dir=x unheard-of": "", "git --git-dir x grep x .env": "named",
		"git --git-dir=x status": "", "git --git-dir=x": "", "git --git-dir x archive .env": "named", "git --git-dir x cat-file -p x:.env": "named", "git --git-dir x blame .env": "named", "git --git-dir x annotate .env": "named", "git --git-dir x stash show -p .env": "named", "git --git-dir x format-patch .env": "named", "git --git-dir x log -p .env": "named", "git --git-dir x mv .env a": "named",
	} {
		if got := gitSays(at, line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if r := Assess(Call{Tool: "Bash", Line: lineOf(lost(run("git")))}, at); len(r.Findings) > 0 {
		t.Errorf("git by itself, nobody knows where: %+v", r.Findings)
	}
	at.Secrets = nil
	at.Tracked = func(string) ([]string, bool) { return nil, false }
	if got := gitSays(at, "git show"); got != "list" {
		t.Errorf("no list of files: %q", got)
	}
	var dirs []string
	at.Tracked = func(dir string) ([]string, bool) { dirs = append(dirs, dir); return nil, true }
	for _, line := range lines("git show; git -C sub show; git -C link show; git-show; git -C loop show; git --git-dir=x show") {
		gitSays(at, line)
	}
	if got := strings.Join(dirs, " "); got != "/home/u/src/app /home/u/src/app/sub /home/u/other /home/u/src/app" {
		t.Errorf("asked for %s", got)
	}
}

// What git, and ls, hand to a program that shows files is judged as if it was shown.
func TestWhatGitHandsOn(t *testing.T) {
	at := gitKeeps("/home/u/src/app/.env", "/home/u/src/app/sub/a.pem")
	at.Secrets = func(dir string) ([]string, bool) { return []string{dir + "/.env"}, true }
	for line, want := range map[string]string{
		"git ls-files": "kept", "git ls-files sub": "kept", "git ls-files src": "", "git ls-files -o src": "below", "git ls-files --others src": "below", "git ls-files -- src": "", "git ls-files *.go": "", "git ls-files s*": "kept", "git grep -l x": "kept", "git grep -l x -- src": "", "git diff --name-only -- src": "",
	} {
		l := lineOf(piped(1, run(line)), via(piped(-1, run("cat")), "xargs"))
		got := ""
		for _, f := range Assess(Call{Tool: "Bash", Line: l}, at).Findings {
			if f.Element == 1 && strings.HasPrefix(f.Why, readsKeys) {
				got = "below"
				if strings.Contains(f.Why, "keeps") {
					got = "kept"
				}
			}
		}
		if got != want {
			t.Errorf("%s | xargs cat: %q, want %q", line, got, want)
		}
	}
}

// A password in git's settings is shown by these commands, and by those not.
func TestGitPasswords(t *testing.T) {
	at := gitKeeps()
	none := gitKeeps()
	none.Git = func(string) Git { return Git{} }
	own := gitKeeps()
	own.Git, own.OwnPassword = nil, func() bool { return true }
	theirs := gitKeeps()
	theirs.Git, theirs.OwnPassword = nil, func() bool { return false }
	for line, want := range map[string]bool{
		"git config --list": true, "git config -l": true, "git config --get-regexp x": true, "git config --get-regexp user.name": true, "git config --get-r user.name": true, "git config remote.origin.url": true, "git config --get http.extraheader": true, "git config --list user.name": true, "git config -l user.name": true,
		"git config user.name": false, "git config user.name x": false, "git config remote.origin.url x": false, "git config --add remote.origin.url x": false, "git config --unset remote.origin.url": false, "git config --get core.editor": false, "git config USER.name": false, "git config xuser.name": true, "git config user.": true,
		"git remote -v": true, "git remote --verbose": true, "git remote --v": true, "git remote show origin": true, "git remote get-url x": true, "git remote": false, "git remote add x y": false,
		"git ls-remote": true, "git ls-remote x": true, "git var -l": true, "git var GIT_EDITOR": false, "git status": false, "git-config --list": true,
	} {
		if got := gitSays(at, line) == "password"; got != want {
			t.Errorf("%s: %v", line, got)
		}
		if got := gitSays(theirs, line); got != "" {
			t.Errorf("%s where the user keeps none: %s", line, got)
		}
		if got := gitSays(none, line); got != "" {
			t.Errorf("%s without a password: %s", line, got)
		}
		if got := gitSays(own, line) == "password"; got != (want && !strings.HasPrefix(line, "git remote")) {
			t.Errorf("%s with a password of the user's: %v", line, got)
		}
	}
	if got := gitSays(at, "git -C loop config --list"); got != "" {
		t.Errorf("in a folder that cannot be followed: %s", got)
	}
	for key := range strings.FieldsSeq("user author committer core init pull push branch commit color diff merge tag log status rebase fetch gpg rerere") {
		if got := gitSays(at, "git config --get "+key+".x"); got != "" {
			t.Errorf("git config --get %s.x: %s", key, got)
		}
	}
}
