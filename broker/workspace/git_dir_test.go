package workspace

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
)

const plainGitConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.com:me/x.git\n[branch \"main\"]\n\tremote = origin\n"

// gitProject is a project with a repository, a bare one in bare/ and in deep/x.git, a
// nested one in sub/, and a plain folder src/.
func gitProject(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(RealPath(t.TempDir()), "proj")
	for _, repo := range []string{".git", "bare", "deep/x.git", "sub/.git"} {
		gitFile(t, dir, repo+"/HEAD", "ref: refs/heads/main\n")
		gitFile(t, dir, repo+"/config", plainGitConfig)
		for _, d := range []string{"objects", "refs"} {
			if err := os.MkdirAll(filepath.Join(dir, repo, d), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	gitFile(t, dir, "bare/config", "[core]\n\tworktree = ..\n\tfsmonitor = \"touch pwned; false\"\n")
	gitFile(t, dir, "bare/in/f", "")
	gitFile(t, dir, "src/f", "")
	gitFile(t, dir, "linked/.git", "gitdir: ../.git/worktrees/linked\n")
	if err := os.Symlink("../bare", filepath.Join(dir, "src", "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func gitFile(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// gitCall is a command line that starts in a folder of the project.
func gitCall(t *testing.T, project, cwd, line string) *rules.Call {
	t.Helper()
	input, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		t.Fatal(err)
	}
	return rules.Prepare(rules.Question{
		Tool: "Bash", Input: input, Trusted: true, Exists: FileExists,
		Place: PlaceOf(project, filepath.Join(project, cwd), "/home/nobody-here", nil),
	})
}

// gitRules allow everything that git and some others do, by wildcards.
func gitRules(t *testing.T, commands ...string) *rules.Set {
	t.Helper()
	var list []rules.Rule
	for i, c := range commands {
		list = append(list, rules.Rule{ID: "r" + string(rune('a'+i)), Enabled: true, Decision: rules.Allow, Tool: "Bash", Where: map[string]string{"command": c}})
	}
	set, err := rules.Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestGitForeign: git is allowed by wildcards only where it uses the project's own
// repository; anywhere else a person is told which one it would use.
func TestGitForeign(t *testing.T) {
	dir := gitProject(t)
	set := gitRules(t, "git **", "cd *", "tar **", "cp **", "ls **", "git status")
	for _, c := range []struct{ cwd, line, reason string }{
		{"", "git status", ""},
		{"", "git diff", ""},
		{"", "git log --oneline -5", ""},
		{"", "git add -A && git commit -m 'a change'", ""},
		{"", "git checkout main && git status", "may bring in"},
		{"", "git pull && git log", "may bring in"},
		{"", "cd src && git status", ""},
		{"", "git -C src log", ""},
		{"src", "git status", ""},
		{"src", "git -C .. status", "another folder"},
		{"bare", "git status", "bare/"},
		{"bare/in", "git status", "bare/"},
		{"", "cd bare && git status", "bare/"},
		{"", "cd bare/in && git log", "bare/"},
		{"", "cd src/link && git log", "bare/"},
		{"", "git -C bare status", "bare/"},
		{"", "git -C bare -C in status", "bare/"},
		{"", "git --no-pager -C bare log", "bare/"},
		{"", "cd bare; git status", "not known"},
		{"", "cd bare && git branch", "bare/"},
		{"", "(cd bare && git status)", "bare/"},
		{"", "cd bare && /usr/bin/git status", ""},
		{"", "git --bare status", "--bare"},
		{"", "git push origin main", ""},
		{"", "git push bare main", "bare/"},
		{"", "git push --repo=sub main", "sub/"},
		{"", "bash -c 'cd bare && git status'", "bare/"},
		{"bare", "git --bare status", "--bare"},
		{"", "git --git-dir=bare status", "--git-dir"},
		{"", "git --git-dir bare status", "--git-dir"},
		{"", "GIT_DIR=bare git status", "GIT_DIR"},
		{"", "cd deep/x.git && git show", "deep/x.git/"},
		{"", "cd sub && git status", "sub/"},
		{"", "cd linked && git status", "linked/"},
		{"", "cd .git && git log", ".git/"},
		{"", "cd new && git status", "not there yet"},
		{"", "git clone https://example.com/x new && cd new && git status", "not known"},
		{"", "tar xf a.tar && cd b && git log", "not known"},
		{"", "tar xf a.tar && git log", "may change the repository"},
		{"", "cp -r bare/. src && cd src && git status", "not known"},
		{"", "git checkout evil && cd src && git status", "not known"},
		{"", "cp bare/config .git/config && git status", "changes what git runs"},
		{"", "cp x .git/y && git status", "may change the repository"},
		{"", "cd .. && git status", "leaves the project"},
		{"..", "git status", "outside the project"},
	} {
		call := gitCall(t, dir, c.cwd, c.line)
		a := set.Judge(call, time.Now())
		asked := c.reason != "" || strings.Contains(c.line, "/usr/bin/git")
		if asked != (a.Verdict != rules.Allow) || !gives(a, c.reason) {
			t.Errorf("in %q: %s: %s: %s; want %q", c.cwd, c.line, a.Verdict, a.Reason, c.reason)
		}
		if asked && a.Class == risk.Safe {
			t.Errorf("in %q: %s: is called safe", c.cwd, c.line)
		}
	}
}

// TestGitSettings: settings of the project's repository that run a program take git from
// every wildcard, and are named.
func TestGitSettings(t *testing.T) {
	dir := gitProject(t)
	set := gitRules(t, "git **")
	exact := gitRules(t, "git status")
	for config, key := range map[string]string{
		plainGitConfig: "",
		"[core]\nfsmonitor = true\n[user]\nname = Me\n[alias]\nst = status\n[credential]\nhelper = store\n": "",
		"[core]\nhooksPath = .husky/_\n":                                  "",
		"[core] fsmonitor = touch pwned":                                  "core.fsmonitor",
		"[CORE]\n\tFSMonitor = \"touch pwned; false\"\n":                  "core.fsmonitor",
		"[core]\nx = y # \\\nsshCommand = evil\n":                         "core.sshcommand",
		"[core]\nhooksPath = evil\n":                                      "core.hookspath",
		"[diff \"a]b\"]\ntextconv = evil\n":                               "diff.a]b.textconv",
		"[diff.a]\ncommand = evil\n":                                      "diff.a.command",
		"[filter \"x\"]\nclean = evil\n":                                  "filter.x.clean",
		"[alias]\nst = \\\n!evil\n":                                       "alias.st",
		"[alias]\nst = \"!evil\"\n":                                       "alias.st",
		"[credential]\nhelper = !evil\n":                                  "credential.helper",
		"[include]\npath = ../evil\n":                                     "include.path",
		"[includeIf \"gitdir:/\"]\npath = x\n":                            "includeif.gitdir:/.path",
		"[core]\npager = evil":                                            "core.pager",
		"[core]\neditor = evil":                                           "core.editor",
		"[gpg]\nprogram = evil":                                           "gpg.program",
		"[credential]\nhelper = \"x;touch pwned;\"\n":                     "credential.helper",
		"[credential]\nhelper = cache --timeout=3600\n":                   "",
		"[branch \"main\"]\nremote = ext::sh -c x\n":                      "branch.main.remote",
		"[remote]\npushDefault = ext::sh -c x\n":                          "remote.pushdefault",
		"[remotes]\nall = ext::sh -c x\n":                                 "remotes.all",
		"[url \"ext::sh -c x\"]\ninsteadOf = https://\n":                  "url.ext::sh -c x.insteadof",
		"[protocol \"ext\"]\nallow = user\n":                              "protocol.ext.allow",
		"[protocol \"file\"]\nallow = always\n":                           "",
		"[core]\nworktree = ../other\n":                                   "core.worktree",
		"[gc]\nrecentObjectsHook = evil\n":                                "gc.recentobjectshook",
		"[lfs \"extension.x\"]\nclean = evil\n":                           "lfs.extension.x.clean",
		"[init]\ntemplateDir = evil\n":                                    "init.templatedir",
		"# " + strings.Repeat("x", maxGitFile) + "\n[core]\npager = evil": "cannot be read",
	} {
		gitFile(t, dir, ".git/config", config)
		call := gitCall(t, dir, "", "git status")
		a := set.Judge(call, time.Now())
		if (key == "") != (a.Verdict == rules.Allow) || !strings.Contains(a.Reason, key) || (key == "") != (call.Risk().Class == risk.Safe) {
			t.Errorf("%.60q: %s: %s; want %q", config, a.Verdict, a.Reason, key)
		}
		if a := exact.Judge(call, time.Now()); a.Verdict != rules.Allow {
			t.Errorf("%.60q: a rule for just this: %s: %s", config, a.Verdict, a.Reason)
		}
	}
}

// TestGitSettingsReach: settings that make git read another file, sign, or fetch what is missing.
func TestGitSettingsReach(t *testing.T) {
	dir := gitProject(t)
	set := gitRules(t, "git **")
	for _, c := range []struct{ config, line, reason string }{
		{"[blame]\nignoreRevsFile = ../home/.netrc\n", "git blame f", "blame.ignorerevsfile"},
		{"[blame]\nignoreRevsFile = .env\n", "git blame f", "blame.ignorerevsfile"},
		{"[blame]\nignoreRevsFile = .git-blame-ignore-revs\n", "git blame f", ""},
		{"[core]\nexcludesFile = ~/.netrc\n", "git check-ignore -v f", "core.excludesfile"},
		{"[core]\nattributesFile = f\n", "git diff", "core.attributesfile"},
		{"[mailmap]\nfile = /home/x/notes\n", "git log", "mailmap.file"},
		{"[diff]\norderFile = ../notes\n", "git diff", "diff.orderfile"},
		{"[commit]\ntemplate = ../notes\n", "git commit -m x", "commit.template"},
		{"[log]\nshowSignature = true\n", "git log", "log.showsignature"},
		{"[log]\nshowSignature = false\n", "git log", ""},
		{"[merge]\nverifySignatures = yes\n", "git status", "merge.verifysignatures"},
		{"[commit]\ngpgSign\n", "git commit -m x", "commit.gpgsign"},
		{"[commit]\ngpgSign = off\n", "git commit -m x", ""},
		{"[commit]\ngpgSign = true\n", "git status", ""},
		{"[tag]\ngpgSign = true\n", "git tag -m x v1", "tag.gpgsign"},
		{"[tag]\nforceSignAnnotated = true\n", "git tag -a -m x v1", "tag.forcesignannotated"},
		{"[remote \"origin\"]\nurl = https://example.com/x\npromisor = true\n", "git show HEAD~3:f", "remote.origin.promisor"},
		{"[extensions]\npartialClone = origin\n", "git --no-pager log -p", "extensions.partialclone"},
		{"[extensions]\npartialClone = origin\n", "git status", ""},
	} {
		if call := judgedUnder(t, set, dir, c.config, c.line, c.reason); (c.reason != "") != call.Effects().Has(effects.Unknown) {
			t.Errorf("%q: %s: %s; want %q", c.config, c.line, call.Effects(), c.reason)
		}
	}
}

// TestGitRemoteFolders: a repository whose settings fetch from a folder, or push to one, runs
// that folder's hooks; other commands do not care.
func TestGitRemoteFolders(t *testing.T) {
	dir := gitProject(t)
	set := gitRules(t, "git **")
	for _, c := range []struct{ config, line, reason string }{
		{plainGitConfig, "git push", ""},
		{plainGitConfig + "[branch \"x\"]\nremote = .\n", "git pull --ff-only", "may bring in"},
		{plainGitConfig + "[branch \"x\"]\nremote = .\n", "git fetch", ""},
		{"[remote \"origin\"]\nurl = ./evil.git\n", "git push origin main", "remote.origin.url names a folder"},
		{"[remote \"origin\"]\nurl = ./evil.git\n", "git fetch", "remote.origin.url names a folder"},
		{"[remote \"origin\"]\nurl = ./evil.git\n", "git status", ""},
		{"[remote \"origin\"]\nurl = FILE:///x/evil.git\n", "git remote update", "remote.origin.url names a folder"},
		{"[branch \"main\"]\nremote = evil.d\n", "git push", "branch.main.remote names a folder"},
		{"[url \"/x/evil\"]\ninsteadOf = https://example.com/\n", "git fetch", "insteadof names a folder"},
	} {
		judgedUnder(t, set, dir, c.config, c.line, c.reason)
	}
	gitFile(t, dir, ".git/config", plainGitConfig)
	gitFile(t, dir, ".git/remotes/x", "URL: ext::sh -c evil\n")
	if a := set.Judge(gitCall(t, dir, "", "git fetch x"), time.Now()); !gives(a, ".git/remotes") {
		t.Errorf("a remote in a file of its own: %s: %s", a.Verdict, a.Reason)
	}
}

// TestGitHooks: a hook that runs with commands that only look takes git from every wildcard.
func TestGitHooks(t *testing.T) {
	for hook, want := range map[string]rules.Verdict{"pre-commit": rules.Allow, "post-index-change": rules.Ask, "post-index-change.sample": rules.Allow, "reference-transaction": rules.Ask} {
		dir := gitProject(t)
		gitFile(t, dir, ".git/hooks/"+hook, "#!/bin/sh\n")
		if a := gitRules(t, "git **").Judge(gitCall(t, dir, "", "git status"), time.Now()); a.Verdict != want {
			t.Errorf("%s: %s: %s", hook, a.Verdict, a.Reason)
		}
	}
}

// TestGitStamp: a waiting call is shown anew when git would use another repository, or
// other settings.
func TestGitStamp(t *testing.T) {
	dir := gitProject(t)
	stamp := func() string { return CallStamp(gitCall(t, dir, "src", "git status")) }
	first := stamp()
	if again := stamp(); again != first {
		t.Fatalf("%s, then %s", first, again)
	}
	gitFile(t, dir, ".git/config", "[core]\nfsmonitor = evil\n")
	second := stamp()
	gitFile(t, dir, "src/HEAD", "ref: refs/heads/main\n")
	gitFile(t, dir, "src/refs/x", "")
	if third := stamp(); first == second || second == third {
		t.Fatalf("%s, %s, %s", first, second, third)
	}
}

// judgedUnder judges a line in a repository with this configuration, which must be allowed for the
// reason "", and ask with any other.
func judgedUnder(t *testing.T, set *rules.Set, dir, config, line, reason string) *rules.Call {
	t.Helper()
	gitFile(t, dir, ".git/config", config)
	call := gitCall(t, dir, "", line)
	if a := set.Judge(call, time.Now()); (reason == "") != (a.Verdict == rules.Allow) || !gives(a, reason) {
		t.Errorf("%q: %s: %s: %s; want %q", config, line, a.Verdict, a.Reason, reason)
	}
	return call
}

// gives reports whether a names reason for the line or for one of its elements.
func gives(a rules.Assessment, reason string) bool {
	return strings.Contains(a.Reason, reason) || slices.ContainsFunc(a.Elements, func(e rules.Judged) bool { return strings.Contains(e.Why, reason) })
}

// TestGitReal: in a repository as git makes it, and in a linked work tree of it, everyday
// lines are allowed; in the bare one that is among its files they ask.
func TestGitReal(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	base := RealPath(t.TempDir())
	dir, tree := filepath.Join(base, "proj"), filepath.Join(base, "tree")
	for _, args := range [][]string{
		{"init", "-q", dir},
		{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--allow-empty", "-m", "x"},
		{"-C", dir, "worktree", "add", "-q", tree},
		{"init", "-q", "--bare", filepath.Join(dir, "bare")},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Env = append(os.Environ(), "HOME="+base, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	set := gitRules(t, "git **")
	for _, project := range []string{dir, tree} {
		for _, line := range []string{"git status", "git diff", "git log", "git add . && git commit -m x", "git fetch"} {
			if a := set.Judge(gitCall(t, project, "", line), time.Now()); a.Verdict != rules.Allow {
				t.Errorf("in %s: %s: %s: %s", project, line, a.Verdict, a.Reason)
			}
		}
	}
	if a := set.Judge(gitCall(t, dir, "", "cd bare && git status"), time.Now()); a.Verdict != rules.Ask {
		t.Errorf("in the bare one: %s: %s", a.Verdict, a.Reason)
	}
}

// TestGitConfigRuns: settings through which a repository makes git run a program or read
// more settings, as git's manuals name them, and some of their kind that do not.
func TestGitConfigRuns(t *testing.T) {
	for line, want := range map[string]bool{
		"[core]\nsshCommand = x": true, "[core]\npager = x": true, "[core]\neditor = x": true, "[core]\ngitProxy = x": true,
		"[core]\naskPass = x": true, "[core]\nalternateRefsCommand = x": true, "[core]\nfsmonitor = x": true, "[core]\nhooksPath = x": true,
		"[gpg]\nprogram = x": true, "[gpg \"ssh\"]\ndefaultKeyCommand = x": true, "[sequence]\neditor = x": true,
		"[diff]\nexternal = x": true, "[diff \"a\"]\ntextconv = x": true, "[diff \"a\"]\ncommand = x": true, "[interactive]\ndiffFilter = x": true,
		"[difftool \"a\"]\ncmd = x": true, "[mergetool \"a\"]\npath = x": true, "[merge \"a\"]\ndriver = x": true, "[man \"a\"]\npath = x": true,
		"[remote \"o\"]\nuploadpack = x": true, "[remote \"o\"]\nreceivepack = x": true, "[remote \"o\"]\nvcs = x": true,
		"[remote \"o\"]\nurl = ext::x": true, "[remote \"o\"]\npushurl = ext::x": true,
		"[url \"ext::x\"]\ninsteadOf = y": true, "[url \"ext::x\"]\npushInsteadOf = y": true,
		"[uploadpack]\npackObjectsHook = x": true, "[pager]\nlog = x": true, "[include]\npath = x": true, "[includeIf \"onbranch:x\"]\npath = x": true,
		"[filter \"a\"]\nclean = x": true, "[filter \"a\"]\nsmudge = x": true, "[filter \"a\"]\nprocess = x": true,
		"[alias]\na = !x": true, "[credential]\nhelper = !x": true, "[credential]\nhelper = /x": true, "[credential \"https://a\"]\nhelper = !x": true,
		"[submodule \"a\"]\nupdate = !x": true, "[pretty]\na = format:%h %G?": true, "[format]\npretty = tformat:%+GK": true, "[branch]\nsort = -signature": true, "[tag]\nsort = signature:key": true, "[branch \"a\"]\nmergeOptions = x": true,
		"[pretty]\na = format:%h %s": false, "[branch]\nsort = -committerdate": false,

		"[core]\nfsmonitor = true": false, "[core]\nfsmonitor = False": false, "[core]\nhooksPath = .husky": false, "[core]\nhooksPath = .husky/_": false,
		"[filter \"lfs\"]\nrequired = true": false, "[alias]\na = log": false, "[credential]\nhelper = store": false,
		"[submodule \"a\"]\nurl = https://a": false, "[remote \"o\"]\nurl = https://a/b": false, "[remote \"o\"]\npushurl = git@a:b": false,
		"[url \"https://a/\"]\ninsteadOf = a:": false, "[user]\nname = x": false, "[branch \"main\"]\nmerge = refs/heads/main": false,
	} {
		found := false
		for key, value := range gitConfig([]byte(line)) {
			found = true
			if got := gitRuns(key, value); got != want {
				t.Errorf("%q: %s = %s: runs %v", line, key, value, got)
			}
		}
		if !found {
			t.Errorf("%q: no setting was read", line)
		}
	}
}

// Hooks of commits are seen, where they lie in the repository or are husky's; samples are none.
func TestGitCommitHooks(t *testing.T) {
	for file, want := range map[string]bool{"a": false, ".git/hooks/pre-commit.sample": false, ".git/hooks/pre-commit": true, ".git/hooks/post-checkout": true, ".husky/pre-commit": true} {
		project := gitProject(t)
		gitFile(t, project, file, "")
		if g := gitAt(project, project); g.Hooks != want {
			t.Errorf("%s: %+v", file, g)
		}
	}
}
