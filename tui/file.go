package tui

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unicode/utf8"
)

// maxFile is how much of a file is read to compare it with what a Write brings.
const maxFile = 1 << 20

// fileState is what is known of the file that a Write would replace.
type fileState struct {
	wanted  bool // it is being read, or has been
	done    bool
	text    string
	missing bool
	problem string // why there is no text
	at      time.Time
}

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("larger than 1 MiB")
	errNotText    = errors.New("not a text file")
)

// readFile reads a regular file of at most maxFile bytes. A FIFO or a device must not
// hold it up, hence O_NONBLOCK.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // shown to the operator, never run or stored
	if err != nil {
		return nil, err //nolint:wrapcheck // names the path already
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // names the path already
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > maxFile:
		return nil, errTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(data) > maxFile {
		return nil, errTooLarge
	}
	return data, nil
}

// fileTarget is the file that a Write names, as the agent would find it.
func fileTarget(c call, cwd string) (string, bool) {
	path, ok := c.text("file_path")
	if !ok || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	return path, filepath.IsAbs(path)
}

// fileResult turns what reading gave into what is drawn.
func fileResult(data []byte, err error, at time.Time) fileState {
	s := fileState{wanted: true, done: true, at: at}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.missing = true
	case errors.Is(err, fs.ErrPermission):
		s.problem = "no permission to read it"
	case err != nil:
		s.problem = err.Error()
	case !utf8.Valid(data):
		s.problem = errNotText.Error()
	default:
		s.text = string(data)
	}
	return s
}
