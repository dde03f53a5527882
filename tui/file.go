package tui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
	"unicode/utf8"
)

// maxFile is how much of a file is read to compare it with what a call brings.
const maxFile = 1 << 20

// fileState is what is known of a file that a call would change.
type fileState struct {
	wanted  bool // it is being read, or has been
	done    bool
	text    string
	missing bool
	problem string // why there is no text
	stamp   string // tells this state of the file from another one; see stampFile
	at      time.Time
}

// compared reports whether it is known what the file holds, if only that it is missing.
func (f fileState) compared() bool { return f.done && f.problem == "" }

func (f fileState) exists() bool { return f.done && !f.missing }

func (f fileState) clock() string { return f.at.Format("15:04:05") }

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

// stampFile tells one state of a file from another without reading it: what it is, its
// size and its times.
func stampFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%v %d %d %s", info.Mode(), info.Size(), info.ModTime().UnixNano(), inode(info))
}

// inode names the file that a path leads to: another one may have taken its place.
func inode(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(st.Dev, st.Ino)
	}
	return ""
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
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		s.problem = errNotText.Error()
	default:
		s.text = string(data)
	}
	return s
}
