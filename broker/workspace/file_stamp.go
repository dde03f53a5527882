package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// FileStamp tells whether a file is still the one that was read. The change time cannot be set
// by a program. Stamps are compared with ==; the zero stamp is that of no file.
type FileStamp struct {
	dev, ino       uint64
	size           int64
	mtime, Changed time.Time
	Missing        bool
}

// StampOf is the stamp of the file at path as it is now, or of its being missing. Links are
// followed. Other errors are returned, with the zero stamp.
func StampOf(path string) (FileStamp, error) {
	info, err := os.Stat(path)
	// A file in the place of a folder above means that this one is not there.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return FileStamp{Missing: true}, nil
	}
	if err != nil {
		return FileStamp{}, err
	}
	return StampOfInfo(info), nil
}

// StampOfInfo is StampOf for what Stat tells. It is taken from an open file where the file may
// be replaced between two looks.
func StampOfInfo(info fs.FileInfo) FileStamp {
	s := FileStamp{size: info.Size(), mtime: info.ModTime()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.ino, s.Changed = uint64(st.Dev), st.Ino, ChangeTime(st) //nolint:unconvert // Dev is signed on some systems
	}
	return s
}
