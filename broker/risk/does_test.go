package risk

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/shell"
)

// What git could bring back is edited away. What it could not is deleted, and so is what an earlier part
// of the line may have changed.
func TestRemovalsThatGitCouldBringBack(t *testing.T) {
	at := place()
	at.Kept = func(p string) bool { return strings.HasSuffix(p, "/kept") }
	for _, tt := range []struct {
		name string
		line []shell.Element
		want effects.Effect
	}{
		{"kept", []shell.Element{run("rm kept"), remove("kept")}, effects.Edit},
		{"two", []shell.Element{run("rm kept src/kept"), remove("kept"), remove("src/kept")}, effects.Edit},
		{"a folder", []shell.Element{run("rm -r kept"), tree(remove("kept"))}, effects.Edit},
		{"after a look", []shell.Element{run("ls"), run("rm kept"), remove("kept")}, effects.Edit},
		{"one is new", []shell.Element{run("rm kept new"), remove("kept"), remove("new")}, effects.Delete},
		{"after a write", []shell.Element{run("tee kept"), write("kept"), run("rm kept"), remove("kept")}, effects.Delete},
		{"after a check", []shell.Element{run("make"), run("rm kept"), remove("kept")}, effects.Delete},
		{"a pattern", []shell.Element{run("rm */kept"), remove("*/kept")}, effects.Delete},
		{"by another option", []shell.Element{run("rm -i kept"), remove("kept")}, effects.Delete},
		{"outside", []shell.Element{run("rm ../kept"), remove("../kept")}, effects.Delete},
	} {
		var all effects.Set
		for _, p := range Assess(Call{Tool: "Bash", Line: lineOf(tt.line...)}, at).Parts {
			all |= p
		}
		if !all.Has(tt.want) || all.Has(effects.Delete) != (tt.want == effects.Delete) {
			t.Errorf("%s: %s", tt.name, all)
		}
	}
	at.Kept = nil
	if r := Assess(Call{Tool: "Bash", Line: lineOf(run("rm kept"), remove("kept"))}, at); !r.Parts[1].Has(effects.Delete) {
		t.Errorf("nobody looks: %s", r.Parts)
	}
}

// What the line itself has git keep may be a key that lay about, so what git shows of it is no look; names and
// numbers are.
func TestGitAfterTheLineChangedWhatItHas(t *testing.T) {
	for line, want := range map[string]effects.Effect{
		"git add -A; git diff --cached": effects.Secrets, "git add -A; git show": effects.Secrets, "git commit -m x; git log -p -1": effects.Secrets, "git add -N .; git diff": effects.Secrets,
		"git add -A; git stash show -p": effects.Secrets, "git add -A; git grep x": effects.Secrets, "git add -A; git blame a": effects.Secrets, "git add -A; git cat-file -p HEAD": effects.Secrets,
		"git add -A; git status -sb": effects.Look, "git commit -m x; git log --oneline -3": effects.Look, "git add -A; git diff --cached --stat": effects.Look, "git commit -m x; git show --stat HEAD": effects.Look,
		"git diff; git add -A": effects.Look,
	} {
		var list []shell.Element
		for _, part := range lines(line) {
			list = append(list, run(part))
		}
		l := lineOf(list...)
		l.Raw = line
		r := Assess(Call{Tool: "Bash", Line: l}, place())
		at := slices.IndexFunc(list, func(e shell.Element) bool { return e.Argv[1] != "add" && e.Argv[1] != "commit" })
		if !r.Parts[at].Has(want) {
			t.Errorf("%s: %s, want %s", line, r.Parts[at], want)
		}
	}
	for _, raw := range []string{"git diff --cached & git add .", "git diff | tee & git add .", "for i in 1 2; do git diff; git add .; done"} {
		l := lineOf(run("git diff --cached"), run("git add ."))
		l.Raw = raw
		if r := Assess(Call{Tool: "Bash", Line: l}, place()); !r.Parts[0].Has(effects.Secrets) {
			t.Errorf("%s: %s", raw, r.Parts)
		}
	}
}

// A repository that is larger than the project has files that are none of its own.
func TestGitBeyondTheProject(t *testing.T) {
	at := place()
	at.Git = func(string) Git { return Git{Top: path.Dir(at.Project)} }
	for line, want := range map[string]effects.Effect{
		"git show HEAD:x": effects.Outside, "git diff": effects.Outside, "git add -A": effects.Outside, "git commit -am x": effects.Outside, "git commit -a -m x": effects.Outside,
		"git status": effects.Look, "git log --oneline": effects.Look, "git add a.go": effects.Commit, "git commit -m x": effects.Commit,
	} {
		if r := Assess(Call{Tool: "Bash", Line: lineOf(run(line))}, at); !r.Parts[0].Has(want) {
			t.Errorf("%s: %s, want %s", line, r.Parts[0], want)
		}
	}
}

// Where an earlier part of the line may have put links, a path leads nobody knows where.
func TestPathsAfterLinksMoved(t *testing.T) {
	moves := run("cp -a a/b d")
	moves.Relinks = true
	for _, line := range []string{"./d/link/run.sh", "d/run.sh", "ls d/link"} {
		if r := Assess(Call{Tool: "Bash", Line: lineOf(moves, run(line))}, place()); !r.Parts[1].Has(effects.Unknown) {
			t.Errorf("%s: %s", line, r.Parts[1])
		}
		if r := Assess(Call{Tool: "Bash", Line: lineOf(run(line))}, place()); r.Parts[0].Has(effects.Unknown) {
			t.Errorf("%s alone: %s", line, r.Parts[0])
		}
	}
}

// What is found is told with its effect; a phrase that nobody sorted is unknown.
func TestEffectsOfFindings(t *testing.T) {
	for why, want := range map[string]effects.Effect{
		"reads keys or credentials: .env": effects.Secrets, "pushes to a remote": effects.Push, "deletes something over the network": effects.Network, "deletes on the remote": effects.Push, "deletes outside the project": effects.Delete,
		"runs as another user": effects.Privilege, "installs or removes programs": effects.Install, "controls aoctl itself": effects.Gate, "controls other programs": effects.Privilege, "rewrites the last commit": effects.Commit, "rewrites history": effects.Delete,
		"writes outside the project": effects.Outside, "changes what CI runs": effects.Unknown, "some path cannot be followed": effects.Unknown, "never heard of": effects.Unknown,
	} {
		if got := (Finding{Why: why}).Effect(); got != want {
			t.Errorf("%s: %s, want %s", why, got, want)
		}
	}
	if (Finding{Why: "x", Guarded: true}).Effect() != effects.Gate {
		t.Error("what is guarded is no gate")
	}
}

// What a branch brings is an edit where all of it is plain files; a key or an agent's settings among them make
// it unknown, and so does a line that changes something before.
func TestGitBrings(t *testing.T) {
	at := place()
	at.Git = func(string) Git { return Git{Top: at.Project} }
	brings := map[string][]string{
		"plain": {"src/a.go", "docs/x.md"}, "none": {}, "settings": {"src/a.go", ".claude/settings.json"}, "hooks": {".githooks/pre-commit"}, "ci": {".github/workflows/ci.yml"},
		"key": {".env"}, "deep-key": {"config/id_rsa"}, "attributes": {".gitattributes"}, "gate": {".aoctl/rules.toml"}, "above": {"../x"},
	}
	at.Brings = func(top string, b effects.Brings) ([]string, bool) {
		files, ok := brings[b.Rev]
		return files, ok && top == at.Project
	}
	for line, want := range map[string]bool{
		"git switch plain": true, "git switch none": true, "git checkout -q plain": true, "git merge plain": true, "ls; git switch plain": true, "git switch plain; git status": true,
		"git switch settings": false, "git switch hooks": false, "git switch ci": false, "git switch key": false, "git switch deep-key": false, "git switch attributes": false, "git switch gate": false, "git switch above": false,
		"git switch gone": false, "make; git switch plain": false, "git add -A; git switch plain": false, "git switch none; git switch plain": false, "git switch -f plain": false,
		"git switch plain | cat": true, "git switch plain & ls": true, "git switch plain & git branch -m settings plain": false, "git switch plain | make": false,
	} {
		var list []shell.Element
		for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(";&|", r) }) {
			list = append(list, run(strings.TrimSpace(part)))
		}
		l, all := lineOf(list...), effects.Set(0)
		l.Raw = line
		for _, p := range Assess(Call{Tool: "Bash", Line: l}, at).Parts {
			all |= p
		}
		if all.Has(effects.Unknown) == want || want && !effects.Of(effects.Edit, effects.Commit).Within(all) {
			t.Errorf("%s: %s", line, all)
		}
	}
	at.Git = func(string) Git { return Git{Top: "/home/u"} }
	if r := Assess(Call{Tool: "Bash", Line: lineOf(run("git switch none"))}, at); r.Parts[0].Within(effects.Grantable) {
		t.Errorf("in a repository larger than the project: %s", r.Parts)
	}
}

// A port of this machine may be aoctl's own. A test that goes through the project goes through its links.
func TestPortsAndDeepTests(t *testing.T) {
	at := handedAt()
	at.Port = "8765"
	for line, want := range map[string]effects.Effect{
		"curl http://localhost:3000/x": effects.Serve, "curl http://localhost:8765/approval-requests": effects.Gate, "curl 127.0.0.1:8765": effects.Gate, "curl http://example.com/": effects.Network,
		"node --test": effects.Check, "node --test src": effects.Check, "node --test src/a.test.js": effects.Check, "node --test 'src/**/*.test.js'": effects.Check,
		"node --test linked": effects.Outside, "node --test 'linked/**/*.js'": effects.Outside, "cd linked && node --test": effects.Outside, "cd large && node --test": effects.Outside,
		"rmdir src": effects.Edit, "rmdir ../x": effects.Outside,
	} {
		l, got := shell.Parse(line), effects.Set(0)
		for _, set := range Assess(Call{Tool: "Bash", Line: &l}, at).Parts {
			got |= set
		}
		if !got.Has(want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// Behind mv of plain files every path leads where it led before. Behind anything else that moves, and where
// code ran before, nobody knows.
func TestPathsAfterFilesMoved(t *testing.T) {
	at := handedAt()
	at.Matches = func(p string) ([]string, bool) { return []string{p}[:strings.Count(p, "/blank/.")], true }
	for line, known := range map[string]bool{
		"mv a b && cat c": true, "mv -f a b && sed -i s/x/y/ b": true, "git mv a b && cat b": true, "mv a b src && cat src/a": true, "mv a b; mv c d; cat d": true, "touch x && mv x y && cat y": true,
		"cat c; mv a b": true, "mv a b > out.txt": true, "cat c && git add c && mv a b && cat c": true,
		"mv blank b && cat b": false, "mv linked/x b && cat b": false, "mv pipe b && cat c": false, "mv .env b && cat b": false, "mv ../x b && cat b": false, "mv a* b && cat b": false, "mv -t b a && cat c": false,
		"mv a b; ln -s /etc c; cat c/x": false, "cp -a a b && cat b": false, "mv a b && cp -r c d && cat d": false, "make && mv a b && cat b": false, "mv a b && make && cat b": false, "timeout 5 mv a b && cat b": false, "mv $x b && cat b": false, "mv a && cat a": false,
		"tar xf a.tar && mv a b && cat b": false, "mv large b && cat b": false,
	} {
		l, got := shell.Parse(line), effects.Set(0)
		for _, set := range Assess(Call{Tool: "Bash", Line: &l}, at).Parts {
			got |= set
		}
		if got.Within(effects.Grantable) != known {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// The full path of a folder says where git works, once the disk was asked; ".." and a folder beyond do not.
func TestGitInAFolderNamedInFull(t *testing.T) {
	at := place()
	at.Git = func(string) Git { return Git{Top: at.Project} }
	for line, looks := range map[string]bool{
		"git -C " + at.Project + " log --oneline -3": true, "git -C " + at.Project + "/src status": true,
		"git -C /home/u log": false, "git -C .. status": false, "git -C " + at.Project + " -C .. status": false,
	} {
		l, got := shell.Parse(line), effects.Set(0)
		for _, set := range Assess(Call{Tool: "Bash", Line: &l}, at).Parts {
			got |= set
		}
		if got.Within(effects.Of(effects.Look)) != looks {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// Files that a program loads by itself, outside of the project's checks, are no mere edits; what a build reads is.
func TestFilesThatProgramsLoad(t *testing.T) {
	for _, file := range strings.Fields(".lfsconfig .hg/hgrc .jj/repo/config.toml .gitconfig .bashrc sub/.zshenv .vimrc .gdbinit .pdbrc .irbrc .Rprofile .bazelrc .tool-versions mise.toml .mise.toml .direnv/x .bundle/config .curlrc") {
		if got := effectsOf("echo x > "+file, place()); !got.Has(effects.Unknown) {
			t.Errorf("%s: %s", file, got)
		}
	}
	for _, file := range strings.Fields(".nvmrc .python-version .mailmap .editorconfig .prettierrc bashrc profile.go mise.go") {
		if got := effectsOf("echo x > "+file, place()); got.String() != "edit" {
			t.Errorf("%s: %s", file, got)
		}
	}
}

// In an agent's folder of the project a text is read like any other, but not what has its login.
func TestLoginsInAgentsFolders(t *testing.T) {
	for _, file := range strings.Fields(".codex/credentials .claude/token .claude/oauth .gemini/api_key .claude/auth-token.txt") {
		if got := effectsOf("cat "+file, place()); got.Within(effects.Grantable) {
			t.Errorf("%s: %s", file, got)
		}
	}
	for _, file := range strings.Fields(".claude/skills/a/SKILL.md .claude/commands/x.md .claude") {
		if got := effectsOf("ls "+file, place()); got.String() != "look" {
			t.Errorf("%s: %s", file, got)
		}
	}
}

// An environment that a line begins with is the project's own code, and so is what it may make of the rest.
func TestEnvironmentThatIsReadIn(t *testing.T) {
	at := place()
	for line, want := range map[string]string{
		"source .venv/bin/activate && pytest -q": "look, check", ". .venv/bin/activate; cat a.go": "look, check", ". .venv/bin/activate; git commit -m x": "look, check, commit",
		". .venv/bin/activate; cat ../x": "look, check, outside", ". .venv/bin/activate; cd ..; cat x": "look, check, outside", ". .venv/bin/activate; cat *.go": "look, check, outside",
		". ../x/bin/activate; ls": "outside", "ls; . .venv/bin/activate; cat a.go": "look, check, outside", "touch x; . .venv/bin/activate": "look, edit, unknown",
		". scripts/env.sh; ls": "look, outside, unknown", ". .venv/bin/activate; . .venv/bin/activate": "look, check, outside", ". .venv/bin/activate; timeout 5 pytest": "look, check, outside",
	} {
		l := shell.Parse(line)
		l.Plain = true
		var all effects.Set
		for _, p := range Assess(Call{Tool: "Bash", Line: &l}, at).Parts {
			all |= p
		}
		if all.String() != want {
			t.Errorf("%s: %s, want %s", line, all, want)
		}
	}
}
