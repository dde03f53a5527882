package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// What git has as it is now can be brought back; what it does not know, or knows otherwise, cannot.
func TestKeptByGit(t *testing.T) {
	top := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-C", top}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	for _, name := range []string{"clean", "changed", "rewritten", "dir/a", "dir/b", "mixed/a", "trusted", "gone"} {
		write(name, "content of "+name)
	}
	if err := os.Symlink("clean", filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	git("add", ".")
	git("commit", "-qm", "x")
	git("update-index", "--assume-unchanged", "trusted")
	write("announced", "x")
	git("add", "-N", "announced")
	// Git takes what is as young as its index for perhaps changed, and so does this.
	if err := os.Chtimes(filepath.Join(top, ".git/index"), time.Now(), time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	write("changed", "something else of another size")
	write("rewritten", "content of rewritteN")
	write("mixed/new", "x")
	write("new", "x")
	if err := os.Remove(filepath.Join(top, "gone")); err != nil {
		t.Fatal(err)
	}
	kept := PlaceOf(top, top, "/home/nobody", nil).Kept
	for name, want := range map[string]bool{
		"clean": true, "dir": true, "dir/a": true, "gone": true, "missing": true,
		"changed": false, "rewritten": false, "mixed": false, "mixed/a": true, "new": false, "link": false, "trusted": false, "announced": false, ".git": false, ".git/config": false, ".": false,
	} {
		if got := kept(filepath.Join(top, name)); got != want {
			t.Errorf("%s is kept: %v", name, got)
		}
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if kept(filepath.Join(outside, "x")) {
		t.Error("a file outside of any repository is kept")
	}
}
