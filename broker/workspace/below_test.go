package workspace

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A look below a folder tells of links, pipes and names that fall apart, also in folders of others.
func TestNamesBelow(t *testing.T) {
	for name, c := range map[string]struct {
		file, link     string
		links          int
		special, blank bool
	}{
		"plain":       {file: "a/b.go"},
		"link":        {link: "node_modules/x", links: 1},
		"pipe":        {file: "a/pipe", special: true},
		"blank":       {file: "a /b", blank: true},
		"quote":       {file: "a/it's", blank: true},
		"newline":     {file: "a/x\ny", blank: true},
		"link in git": {link: ".git/x y", links: 1, blank: true},
	} {
		dir := t.TempDir()
		switch file := filepath.Join(dir, c.file+c.link); {
		case os.MkdirAll(filepath.Dir(file), 0o700) != nil:
			t.Fatal(file)
		case c.link != "":
			if err := os.Symlink("/etc", file); err != nil {
				t.Fatal(err)
			}
		case c.special:
			if err := syscall.Mkfifo(file, 0o600); err != nil {
				t.Fatal(err)
			}
		default:
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if b := NewPaths().namesBelow(dir); !b.Whole || len(b.Links) != c.links || b.Special != c.special || b.Blanks != c.blank {
			t.Errorf("%s: %+v", name, b)
		}
	}
	if b := lookBelow(t.TempDir()+"/missing", time.Now); b.Whole {
		t.Error("what is not there was looked at")
	}
}

// A name that begins with a dash is seen, and a folder that is not there may have one.
func TestDashes(t *testing.T) {
	dir := t.TempDir()
	if dashesIn(dir) || !dashesIn(dir+"/missing") {
		t.Error("an empty folder, or one that is missing")
	}
	if err := os.WriteFile(dir+"/-x", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !dashesIn(dir) {
		t.Error("-x was not seen")
	}
}
