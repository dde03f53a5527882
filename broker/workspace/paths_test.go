package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFollower: a follower says what realAsFar says, about every kind of path, in
// whatever order it is asked.
func TestFollower(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"a/b", "c"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a/file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"a/in": "b", "a/out": "../c", "c/back": "../a/file", "a/none": "../c/new", "a/loop": "loop", "a/far": filepath.Join(dir, "x/y"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{"/", "/nowhere", "/nowhere/x", "relative", "/a\x00b", dir + "/", dir + "//a", dir + "/" + strings.Repeat("n", 300)}
	for _, p := range []string{
		"", "a", "a/b", "a/new", "a/new/er", "a/file", "a/file/x", "a/in", "a/in/new", "a/out", "a/out/back", "a/out/new", "a/none", "a/none/x",
		"a/loop", "a/loop/x", "a/far", "a/far/z", "a/out/..", "a/out/../file", "a/./file", "c/back", "c/back/x",
		"a/in/", "a/in/.", "a/in/../new", "a/out/../in/../file", "a/file/", "a/file/.", "a/file/..", "a/new/", "a/new/../file", "a//b//new", "a/out/new/x", "c/back/..", "a/../../..",
		strings.Repeat("deep/", maxLinks-2) + "x", strings.Repeat("deep/", maxLinks+2) + "x",
	} {
		paths = append(paths, dir+"/"+p)
	}
	f := NewPaths()
	for range 2 {
		for _, p := range paths {
			got, err := f.real(p)
			want, wantErr := realAsFar(p)
			if got != want || (err == nil) != (wantErr == nil) {
				t.Errorf("%q leads to %q (%v), want %q (%v)", p, got, err, want, wantErr)
			}
		}
	}
}

// TestSlashAtTheEnd: a name that is not there leads to the same place with a slash behind it, as
// the */ of ls -d */ does.
func TestSlashAtTheEnd(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("new", filepath.Join(root, "dangling")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"": "", "*": "*", "new": "new", "a/b": "a/b", "dangling": "new"} {
		if real, err := realAsFar(filepath.Join(root, path) + "/"); err != nil || real != filepath.Join(root, want) {
			t.Errorf("%s/ leads to %q, %v", path, real, err)
		}
	}
}

// TestFollowerAsksOnce: within one call a path leads to one place, even when a link
// changes meanwhile; the next call sees the change.
func TestFollowerAsksOnce(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	point := func(to string) {
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	point("one")
	call := PlaceOf(dir, dir, "/home/me", nil)
	before, _ := call.Real(link)
	point("two")
	if again, _ := call.Real(link); again != before {
		t.Errorf("one call has %q and %q", before, again)
	}
	next := PlaceOf(dir, dir, "/home/me", nil)
	if now, _ := next.Real(link); filepath.Base(now) != "two" {
		t.Errorf("the next call has %q", now)
	}
}

// TestStampLooksAnew: a stamp is of what is there now, also where only a folder on the way to a file
// became a link to another one.
func TestStampLooksAnew(t *testing.T) {
	dir := RealPath(t.TempDir())
	for _, name := range []string{"one/a.go", "two/a.go"} {
		gitFile(t, dir, name, "x")
	}
	c := toolCall(t, dir, "Edit", map[string]any{"file_path": dir + "/way/a.go"})
	seen := map[string]bool{}
	for _, to := range []string{"", "one", "two"} {
		_ = os.Remove(filepath.Join(dir, "way"))
		if to != "" {
			if err := os.Symlink(to, filepath.Join(dir, "way")); err != nil {
				t.Fatal(err)
			}
		}
		stamp := CallStamp(c)
		if seen[stamp] {
			t.Errorf("the stamp does not tell that the folder leads to %q", to)
		}
		if stamp != CallStamp(c) {
			t.Error("two stamps of the same files differ")
		}
		seen[stamp] = true
	}
}

// TestFollowerForgets: it takes no more memory than for so many paths.
func TestFollowerForgets(t *testing.T) {
	f := NewPaths()
	for i := range maxRemembered + 9 {
		_, _ = f.real("/nowhere/" + strings.Repeat("x", i%200) + string(rune('a'+i/200%26)) + string(rune('a'+i/5200)))
	}
	for i := range maxRemembered + 9 {
		_, _ = f.real(fmt.Sprint("/nowhere/", i, "/x"))
	}
	if len(f.paths) > maxRemembered || len(f.folders) > maxRemembered {
		t.Errorf("it remembers %d paths and %d folders", len(f.paths), len(f.folders))
	}
}

func TestInParallelLooksAtEachOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 1000} {
		looks := make([]int, n) // each look has an element of its own
		InParallel(n, func(i int, f *Paths) {
			if f == nil {
				t.Error("a look without a follower")
			}
			looks[i]++
		})
		for i, times := range looks {
			if times != 1 {
				t.Errorf("of %d, number %d was looked at %d times", n, i, times)
			}
		}
	}
}

// What a shell may put in the place of a pattern, and nothing about patterns that shells read
// differently.
func TestMatches(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.go", "b.go", ".c.go", "d/e.go", "d/f/g.go"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string]string{
		"*.go": ".c.go a.go b.go", "?.go": "a.go b.go", "x*": "", "d/*.go": "d/e.go", "*/e.go": "d/e.go", "*/*/g.go": "d/f/g.go",
		"*/*/*": "others", "**": "others", "**/g.go": "d/f/g.go", "d/**/*.go": "d/f/g.go d/e.go d/f/g.go", "**/e.go": "d/e.go d/e.go", "missing/**/*.go": "", "*/**/*.go": "others", "**/*/g.go": "others", "***/g.go": "others", "**/**": "others", "d/**": "others", "[!a].go": "others", "[a].go": "others", `\a.go`: "others",
	} {
		files, all := Matches(dir + "/" + pattern)
		var names []string
		for _, file := range files {
			names = append(names, strings.TrimPrefix(file, dir+"/"))
		}
		got := strings.Join(names, " ")
		if !all {
			got += "others"
		}
		if got != want {
			t.Errorf("%s matches %q, want %q", pattern, got, want)
		}
	}
	for i := range maxMatches {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("m", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if files, all := Matches(dir + "/m*"); len(files) != maxMatches || !all {
		t.Errorf("%d files, all: %v", len(files), all)
	}
	if files, all := Matches(dir + "/*"); len(files) != maxMatches || all {
		t.Errorf("%d files of more, all: %v", len(files), all)
	}
}
