package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// realGit runs git in a folder, with no settings but those given.
func realGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// indexedProject is a repository with files and a submodule in its index.
func indexedProject(t *testing.T, args ...string) string {
	t.Helper()
	dir := RealPath(t.TempDir())
	realGit(t, dir, append([]string{"init", "-q"}, args...)...)
	for _, name := range []string{"a.go", "src/server.pem", "src/server2.pem", strings.Repeat("long", 60)} {
		gitFile(t, dir, name, name)
	}
	realGit(t, dir, "init", "-q", "sub")
	realGit(t, filepath.Join(dir, "sub"), "commit", "-q", "--allow-empty", "-m", "x")
	realGit(t, dir, "-c", "advice.addEmbeddedRepo=false", "add", ".")
	return dir
}

// TestGitIndex: the index is read as git writes it, in each of its formats.
func TestGitIndex(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		dir := indexedProject(t)
		realGit(t, dir, "update-index", "--index-version", version)
		if version == "3" {
			realGit(t, dir, "update-index", "--skip-worktree", "a.go")
		}
		index, err := readGitIndex(filepath.Join(dir, ".git/index"))
		if want := []string{"a.go", strings.Repeat("long", 60), "src/server.pem", "src/server2.pem"}; err != nil || !slices.Equal(index.names, want) || !slices.Equal(index.submodules, []string{"sub"}) {
			t.Errorf("version %s: %v, %v", version, index, err)
		}
		realGit(t, dir, "update-index", "--split-index")
		if _, err := readGitIndex(filepath.Join(dir, ".git/index")); err == nil {
			t.Errorf("version %s: a split index is taken for a whole one", version)
		}
	}
}

// Attack: the settings of a submodule, which git status and git diff obey, run a program.
func TestGitSubmodules(t *testing.T) {
	dir := indexedProject(t)
	set := gitRules(t, "git **")
	if a := set.Judge(gitCall(t, dir, "", "git status"), time.Now()); a.Verdict != rules.Allow {
		t.Fatalf("with a plain submodule: %s: %s", a.Verdict, a.Reason)
	}
	gitFile(t, dir, "sub/.git/config", "[core]\nfsmonitor = touch pwned\n")
	if a := set.Judge(gitCall(t, dir, "", "git status"), time.Now()); a.Verdict != rules.Ask || !strings.Contains(a.Reason, "core.fsmonitor") {
		t.Errorf("with one that runs a program: %s: %s", a.Verdict, a.Reason)
	}
}

// FuzzGitIndex: no file is read beyond its end, or for more names than it can hold.
func FuzzGitIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + strings.Repeat("x", 20)))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x81", 62) + "\x00abc\x00" + strings.Repeat("x", 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, hash := range []int{20, 32} {
			index, err := parseGitIndex(data, hash)
			if n := len(index.names) + len(index.submodules); n > len(data)/hash || err == nil && slices.Contains(index.names, "") {
				t.Errorf("%d names of %d bytes: %v", n, len(data), err)
			}
		}
	})
}
