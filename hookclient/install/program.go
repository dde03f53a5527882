package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// FindProgram says what an agent should run to reach this aoctl: the small aoctl-hook
// when it lies beside it, else aoctl itself. invoked is os.Args[0].
//
// The path is the one that was typed or found in PATH rather than the file behind it:
// package managers link the former to a new version with every upgrade.
//
// The small program is preferred because an agent starts it before every call.
func FindProgram(invoked string) (Program, error) {
	self, err := os.Executable()
	if err != nil {
		return Program{}, fmt.Errorf("find aoctl's own path: %w", err)
	}
	named := self
	// It must lead to the very program that runs: a file of the same name elsewhere is another
	// one.
	if found, err := exec.LookPath(invoked); err == nil {
		if abs, err := filepath.Abs(found); err == nil && machine.SameFile(abs, self) {
			named = abs
		}
	}
	for _, beside := range []string{named, self} {
		small := filepath.Join(filepath.Dir(beside), "aoctl-hook")
		if machine.Executable(small) == nil {
			return Program{Path: small}, nil
		}
	}
	return Program{Path: named, Args: []string{"hook"}}, nil
}

// checkProgram refuses one that an agent could not run tomorrow. What is merely odd is a warning;
// see programWarnings.
func checkProgram(p Program) error {
	if !filepath.IsAbs(p.Path) {
		return fmt.Errorf("the hook program %q has no absolute path", p.Path)
	}
	if !utf8.ValidString(p.Path) {
		return fmt.Errorf("the path %q is not valid UTF-8, which settings cannot hold; move aoctl elsewhere", p.Path)
	}
	if inGoBuild(p.Path) {
		return fmt.Errorf("%s: %w", p.Path, ErrTemporary)
	}
	return nil
}

// inGoBuild reports whether path lies where "go run" and "go test" put what they build.
func inGoBuild(path string) bool {
	if cache := os.Getenv("GOCACHE"); cache != "" && strings.HasPrefix(path, filepath.Clean(cache)+string(filepath.Separator)) {
		return true
	}
	// Both put their programs below a folder of that name, wherever the temporary folder is.
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if strings.HasPrefix(filepath.Base(dir), "go-build") {
			return true
		}
	}
	return false
}

// programWarnings says what may become of the program.
func programWarnings(p Program) []string {
	var w []string
	if err := machine.Executable(p.Path); err != nil {
		w = append(w, fmt.Sprintf("the hook program cannot be run (%v); until it can, every call is refused", err))
	}
	if temp := filepath.Clean(os.TempDir()) + string(filepath.Separator); strings.HasPrefix(p.Path, temp) {
		w = append(w, fmt.Sprintf("%s lies in the folder for temporary files; when it is cleared, every call is refused", p.Path))
	}
	return w
}
