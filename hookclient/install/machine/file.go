package machine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNoFile means that there is no such file.
var ErrNoFile = errors.New("there is no such file")

// ReadBounded reads a file that somebody else may have put there: a pipe does not hold it
// up, a device is not opened, and a huge one is refused. It is looked at twice, by name and when
// it is open, since another file may take its place in between. Errors say what is wrong without
// the path.
func ReadBounded(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, ErrNoFile
	case err != nil:
		return nil, reasonOf(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // only looked at
	if err != nil {
		return nil, reasonOf(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	tooLarge := fmt.Errorf("it has more than %d MiB", limit>>20)
	if info.Size() > limit {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1)) // it may grow meanwhile
	switch {
	case err != nil:
		return nil, reasonOf(err)
	case int64(len(data)) > limit:
		return nil, tooLarge
	}
	return data, nil
}

// reasonOf is an error without the path, which the sentence around it has.
func reasonOf(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
