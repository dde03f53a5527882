package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHolds(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"package.json", "go.mod", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"go.mod", "package.json", "git"}, Holds(dir)); diff != "" {
		t.Error(diff)
	}
	if !InRepository(dir) || InRepository(t.TempDir()) {
		t.Error("a folder with .git is no repository, or one without it is")
	}
	if got := Holds(filepath.Join(dir, "none")); got != nil {
		t.Errorf("a folder that is not there holds %v", got)
	}
}

// A project's folder is named as the disk has it. One that holds everything is no project.
func TestProjectRoot(t *testing.T) {
	home := RealPath(t.TempDir())
	dir, link := filepath.Join(home, "shop"), filepath.Join(home, "link")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		dir: dir, link: dir, home: "", filepath.Dir(home): "", "/": "", "shop": "", filepath.Join(home, "none"): "",
	} {
		if got := ProjectRoot(given, home); got != want {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
}
