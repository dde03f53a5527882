package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Read returns the settings file of a folder, and when it was changed last. The error is
// fs.ErrNotExist when there is none, else a *FileError: the folder and the file must be
// this user's own, no links, and not for others to write, or somebody else says what holds.
//
// At most MaxFile bytes are read. What they say is not looked at.
func Read(dir string) (data []byte, changed time.Time, err error) {
	data, changed, err = read(dir)
	if err == nil {
		return data, changed, nil
	}
	var p *FileError
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &p) {
		return nil, changed, err
	}
	return nil, changed, &FileError{Text: "it cannot be read: " + printable(err.Error()), Cure: "see that you may read it"}
}

// read returns the settings file in dir and when it was changed. Folder and file are opened
// before they are checked, and neither may be a link, so that what was checked is what is
// read. The file is opened by way of the open folder, which cannot be exchanged in between.
func read(dir string) (data []byte, changed time.Time, err error) {
	folder, err := open(unix.AT_FDCWD, dir, unix.O_DIRECTORY)
	if err != nil {
		return nil, changed, linked(err, "its folder", "name the folder itself with AOCTL_HOME or XDG_CONFIG_HOME")
	}
	defer func() { _ = folder.Close() }() // it was only read
	if _, err := owned(folder, "its folder ", "look what is in it, then: chmod 700 "+dir); err != nil {
		return nil, changed, err
	}
	path := filepath.Join(dir, Name)
	file, err := open(int(folder.Fd()), Name, unix.O_NONBLOCK) // a pipe must not hold up the reader
	if err != nil {
		return nil, changed, linked(err, "it", "put the file itself there")
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := owned(file, "it ", "look what is in it, then: chmod 600 "+path)
	if err != nil {
		return nil, changed, err
	}
	if err := whole(info); err != nil {
		return nil, changed, err
	}
	data, err = io.ReadAll(io.LimitReader(file, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = tooLarge()
	}
	return data, info.ModTime(), err
}

// open opens a file to be read, and no link. at is the folder that name is in. A signal
// that comes in between does not count as an error.
func open(at int, name string, flags int) (*os.File, error) {
	for {
		fd, err := unix.Openat(at, name, flags|unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err == nil {
			return os.NewFile(uintptr(fd), name), nil
		}
		if !errors.Is(err, unix.EINTR) {
			return nil, err
		}
	}
}

// linked explains why something could not be opened. Systems have different numbers for a
// link that O_NOFOLLOW refuses, hence the several cases.
func linked(err error, what, cure string) error {
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EMLINK):
		return &FileError{Text: what + " is a symbolic link: what it leads to may be another's", Cure: cure}
	case errors.Is(err, unix.ENOTDIR):
		return &FileError{Text: what + " is a symbolic link, or no folder", Cure: cure}
	case errors.Is(err, unix.ENXIO):
		return notRegular()
	}
	return err
}

// owned refuses what is not this user's own, or can be written by others. what begins the
// sentence, with a blank at its end. Others may read it: settings are no secret.
func owned(f *os.File, what, cure string) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		owner := "somebody else"
		if ok {
			owner = fmt.Sprintf("user %d", st.Uid)
		}
		return nil, &FileError{Text: what + "belongs to " + owner, Cure: "put one of your own there"}
	}
	if perm := info.Mode().Perm(); perm&0o022 != 0 {
		return nil, &FileError{Text: fmt.Sprintf("%scan be written by others (mode %04o)", what, perm), Cure: cure}
	}
	return info, nil
}

// whole refuses what is no file, or is reached by another name as well: a link that is not
// symbolic lets the file be changed from a folder where nobody looks. A system that does
// not count names is refused too.
func whole(info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return notRegular()
	case !ok || st.Nlink > 1:
		return &FileError{Text: "it has another name elsewhere, a hard link", Cure: "copy it, and put the copy in its place"}
	}
	return nil
}

// notRegular is the error for a pipe, a device, a socket or a folder in the file's place.
func notRegular() *FileError {
	return &FileError{Text: "it is not a regular file", Cure: "move it away"}
}
