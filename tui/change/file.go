package change

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

// MaxFile is how much of a file is read to compare it with what a call brings.
const MaxFile = 1 << 20

// File is what is known of a file that a call would change.
type File struct {
	Wanted  bool // it is being read, or has been
	Done    bool
	Text    string
	Missing bool
	Problem string // why there is no text
	Stamp   string // tells this state of the file from another one; see StampFile
	At      time.Time
}

// compared reports whether it is known what the file holds, if only that it is missing.
func (f File) compared() bool { return f.Done && f.Problem == "" }

func (f File) exists() bool { return f.Done && !f.Missing }

var (
	// ErrNotRegular is what ReadFile says of a folder, a FIFO or a device.
	ErrNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("larger than 1 MiB")
	errNotText    = errors.New("not a text file")
)

// ReadFile reads a regular file of at most MaxFile bytes. A FIFO or a device must not
// hold it up, hence O_NONBLOCK.
func ReadFile(path string) ([]byte, error) {
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
		return nil, ErrNotRegular
	case info.Size() > MaxFile:
		return nil, errTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(data) > MaxFile {
		return nil, errTooLarge
	}
	return data, nil
}

// StampFile tells one state of a file from another without reading it: what it is, its
// size and its times.
func StampFile(path string) string {
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

// Result turns what reading gave into what is drawn.
func Result(data []byte, err error, at time.Time) File {
	s := File{Wanted: true, Done: true, At: at}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Missing = true
	case errors.Is(err, fs.ErrPermission):
		s.Problem = "no permission to read it"
	case err != nil:
		s.Problem = err.Error()
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		s.Problem = errNotText.Error()
	default:
		s.Text = string(data)
	}
	return s
}
