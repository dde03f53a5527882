package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

var errOwnView = errors.New("it is another file for each program that opens it")

// ownView reports whether an absolute path leads through what each process sees as its own:
// /proc/self/cwd is the console's folder to the console and the agent's to the agent, and so
// are open files. Such a path, or a link to one, cannot be followed in another's place.
//
// It follows link by link, because the system's own way of following ends up at a file and does
// not say through what.
func ownView(path string) bool {
	rest := path
	at := "/"
	for range maxLinks {
		next, more, ok := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		for ; next != ""; next, more, ok = strings.Cut(strings.TrimLeft(more, "/"), "/") {
			at = filepath.Join(at, next) // after a link has been followed, dots mean what they do to the system
			if isOwnView(at) {
				return true
			}
			if _, err := os.Readlink(at); err == nil {
				break
			}
			if !ok {
				return false
			}
		}
		if next == "" {
			return false
		}
		to, err := os.Readlink(at)
		if err != nil {
			return false
		}
		// A relative link starts in the folder that it lies in.
		if at = filepath.Dir(at); filepath.IsAbs(to) {
			at = "/"
		}
		rest = to + "/" + more
	}
	return true // a loop leads nowhere
}

// isOwnView reports whether a clean path without links is such a place. A process by its number
// is one too: it may be the one that asks.
func isOwnView(path string) bool {
	switch path {
	case "/proc/self", "/proc/thread-self", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	pid, ok := strings.CutPrefix(path, "/proc/")
	return ok && pid != "" && strings.Trim(pid, "0123456789") == ""
}
