// Package rulestest has what the tests of rules and of the packages around it share: a project
// on the disk, calls that work in it, and the corpora of command lines.
//
// A World has one of each thing that rules must not be led astray by: names with a blank or a
// tilde, links out of the project, in a circle and to nothing, a folder whose name begins like
// the project's, guarded files. Tests name these by their paths, so what is here stays; a new
// trap is added.
package rulestest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk"
)

// World is a project on the disk and the place of calls in it. Root has the real path of the
// test's folder, as some systems keep temporary folders behind a link.
type World struct {
	Root, Project string
	Place         risk.Place
}

// New makes a world for one test. It is removed with the test.
func New(tb testing.TB) World {
	tb.Helper()
	root, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	w := World{Root: root, Project: root + "/shop"}
	for _, dir := range []string{"/shop/src", "/shop/.claude", "/shop/state", "/shop/secrets", "/shop-evil", "/home/ana/.ssh", "/shop/~/.ssh", "/shop/ /etc"} {
		if err := os.MkdirAll(root+dir, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	for _, file := range []string{"/shop/go.mod", "/shop/src/a.go", "/shop/src/a.go ", "/shop/src/ä.go", "/shop/.env", "/shop/secrets/key", "/shop/.claude/settings.json", "/shop/state/aoctl.db", "/shop-evil/x", "/shop/~/.ssh/id"} {
		if err := os.WriteFile(root+file, []byte("x"), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	for name, to := range map[string]string{"/shop/link": root + "/shop-evil", "/shop/loop": "loop", "/shop/env": ".env", "/shop/dangling": root + "/new"} {
		if err := os.Symlink(to, root+name); err != nil {
			tb.Fatal(err)
		}
	}
	w.Place = risk.Place{
		CWD: w.Project, Project: w.Project, Home: root + "/home/ana",
		Own: []string{w.Project + "/state"}, Real: RealPath,
	}
	return w
}

// RealPath follows links as far as the disk has them, as Place.Real has to: of a path that is
// not there, the part that is. It is simpler than package workspace, which tests of rules must
// not need.
func RealPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !os.IsNotExist(err) {
		return real, err
	}
	if to, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		return RealPath(to)
	}
	dir, file := filepath.Split(strings.TrimSuffix(path, "/"))
	if dir == "/" || dir == "" {
		return path, nil
	}
	real, err = RealPath(strings.TrimSuffix(dir, "/"))
	return filepath.Join(real, file), err
}

// Input is the input of a call as JSON. Keys come out sorted.
func Input(tb testing.TB, input map[string]any) json.RawMessage {
	tb.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// Exists reports whether a file is there, as Question.Exists has to. A link to nothing is not.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Special reports whether a file is a device or the like, as Question.Special has to.
func Special(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// Corpus reads lines of the shell's corpora: entries that end at lines of "%%", with comments
// that begin with "# " before them. folder is shell/testdata as the test sees it. An entry may
// have several lines, as a command may.
func Corpus(tb testing.TB, folder, name string) []string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name)) //nolint:gosec // a file of the tests
	if err != nil {
		tb.Fatal(err)
	}
	var entries, lines []string
	for _, line := range strings.Split(string(data), "\n") {
		switch {
		case line == "%%":
			entries, lines = append(entries, strings.Join(lines, "\n")), nil
		case len(lines) == 0 && (line == "" || strings.HasPrefix(line, "# ")):
		default:
			lines = append(lines, line)
		}
	}
	return entries
}
