package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// MaxSettings bounds a settings file, bytes: no real one comes near.
const MaxSettings = 16 << 20

// The first backup is the file as it was before aoctl ever wrote to it, which is why it is never
// pruned.
const (
	backupInfix   = ".aoctl-backup-"
	backupsKept   = 5
	maxLinks      = 40 // symbolic links followed to the file itself
	privateFolder = 0o700
)

// settingsFile is a settings file as it was read: writing goes through only if it is
// still the same. It is read once. Whatever happens to the file in between makes the write fail
// with ErrChanged.
type settingsFile struct {
	path   string // as the user names it, absolute
	target string // where the bytes lie: path with its last symbolic links followed
	exists bool
	data   []byte
	info   fs.FileInfo // of target, when it exists
	mkdir  bool        // the folder may be created

	folders int // how many folders above the file an installation may have made

	// disposable tells that nothing but hooks of ours is in the file: no copy of it is kept,
	// and with it goes a folder that is then empty.
	disposable bool
}

// readSettings reads the file at path, which need not exist. A link is followed to its end, so
// that a file in a dotfiles folder is edited where it lies and the link stays.
func readSettings(path string, mkdir bool) (*settingsFile, error) {
	target, err := followLinks(path)
	if err != nil {
		return nil, err
	}
	f := &settingsFile{path: path, target: target, mkdir: mkdir}
	f.info, err = os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	if !f.info.Mode().IsRegular() {
		return nil, fmt.Errorf("read settings: %s is not a regular file", path)
	}
	// A parser on a file of gigabytes would be stopped by the system and not by us.
	if f.info.Size() > MaxSettings {
		return nil, fmt.Errorf("read settings: %s has %d bytes, more than the %d that settings may have", path, f.info.Size(), MaxSettings)
	}
	f.data, err = os.ReadFile(target) //nolint:gosec // the user names the file
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	f.exists = true
	return f, nil
}

// followLinks returns the file behind path; unlike filepath.EvalSymlinks it also
// follows a link whose target does not exist yet. Each link is seen from the folder in which it
// stands.
func followLinks(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // not a link, or not there: path itself is meant
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("read settings: %s: too many symbolic links", path)
}

// write backs the file up and replaces it by data in one step. It returns the path of
// the backup, or "" when there was nothing to back up.
//
// The order: the new text is on the disk whole, then the backup, then a last look at the file,
// then the rename. A crash at any point leaves the old file or the new one.
func (f *settingsFile) write(data []byte, now time.Time) (backup string, err error) {
	if f.mkdir {
		if err = os.MkdirAll(filepath.Dir(f.target), privateFolder); err != nil {
			return "", fmt.Errorf("write settings: %w", err)
		}
	}
	temp, err := f.stage(filepath.Dir(f.target), data)
	if err != nil {
		return "", fmt.Errorf("write settings: %w", err)
	}
	// A leftover of a failed write must not stand beside the user's settings.
	defer func() { _ = os.Remove(temp) }() // gone already when all went well
	if backup, err = f.backUp(now); err != nil {
		return "", fmt.Errorf("back up settings: %w", err)
	}
	if err = f.unchanged(); err != nil {
		return backup, fmt.Errorf("write %s: %w", f.path, err)
	}
	if err = os.Rename(temp, f.target); err != nil {
		return backup, fmt.Errorf("write settings: %w", err)
	}
	f.prune()
	if err = syncFolder(filepath.Dir(f.target)); err != nil {
		return backup, fmt.Errorf("write settings: %w", err)
	}
	return backup, nil
}

// remove backs the file up and deletes it. The same order as in write, without a new text.
func (f *settingsFile) remove(now time.Time) (backup string, err error) {
	if backup, err = f.backUp(now); err != nil {
		return "", fmt.Errorf("back up settings: %w", err)
	}
	if err = f.unchanged(); err != nil {
		return backup, fmt.Errorf("remove %s: %w", f.path, err)
	}
	if err = os.Remove(f.target); err != nil {
		return backup, fmt.Errorf("remove settings: %w", err)
	}
	f.prune()
	if f.folders > 0 && f.disposable {
		f.removeFolders()
		return backup, nil
	}
	return backup, syncFolder(filepath.Dir(f.target))
}

// removeFolders removes the folders that an installation may have made, as far as they are
// empty and below the user's own. A folder with anything in it stays: os.Remove removes empty
// ones only.
func (f *settingsFile) removeFolders() {
	home := machine.Home()
	for dir, n := filepath.Dir(f.target), 0; n < f.folders && home != "" && strings.HasPrefix(dir, home+string(filepath.Separator)); dir, n = filepath.Dir(dir), n+1 {
		if os.Remove(dir) != nil {
			return
		}
	}
}

// stage puts data on disk in dir, with the mode and the owner of the target, under a
// name of its own: what a crash leaves behind is either whole or nobody's. The name begins with a
// dot and the file's own name, so that a leftover can be told where it came from.
func (f *settingsFile) stage(dir string, data []byte) (temp string, err error) {
	t, err := os.CreateTemp(dir, "."+filepath.Base(f.target)+".aoctl-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(t.Name())
		}
	}()
	defer func() { err = errors.Join(err, t.Close()) }()
	if _, err = t.Write(data); err != nil {
		return "", err
	}
	if f.exists {
		if err = f.likeTarget(t); err != nil {
			return "", err
		}
	}
	return t.Name(), t.Sync()
}

// likeTarget gives t the owner and the mode of the target, which exists. Running under sudo must not
// leave a user with settings that belong to root. A group that cannot be set is no error as long
// as the user is right.
func (f *settingsFile) likeTarget(t *os.File) error {
	mine, err := t.Stat()
	if err != nil {
		return err
	}
	have, ok1 := mine.Sys().(*syscall.Stat_t)
	want, ok2 := f.info.Sys().(*syscall.Stat_t)
	if ok1 && ok2 && (have.Uid != want.Uid || have.Gid != want.Gid) {
		if err = t.Chown(int(want.Uid), int(want.Gid)); err != nil && have.Uid != want.Uid {
			return err
		}
	}
	return t.Chmod(f.info.Mode().Perm())
}

// likeBefore gives the file, which another program has written meanwhile, the owner and the
// mode back that it had when it was read.
func (f *settingsFile) likeBefore() (err error) {
	if !f.exists {
		return nil
	}
	t, err := os.Open(f.target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return f.likeTarget(t)
}

// unchanged tells whether the file still is what was read. It compares bytes and not times: a
// program that wrote the same text has changed nothing.
func (f *settingsFile) unchanged() error {
	target, err := followLinks(f.path)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(target) //nolint:gosec // the user names the file
	gone := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !gone:
		return err
	// A link that leads elsewhere by now is a change as well.
	case target != f.target, gone == f.exists, !bytes.Equal(now, f.data):
		return ErrChanged
	}
	return nil
}

// backUp copies what was read to a new file beside the path that the user named, and
// returns its path, or "" when there is nothing to copy. The name has the time in UTC to the
// millisecond, so backups sort by age.
func (f *settingsFile) backUp(now time.Time) (string, error) {
	if !f.exists || f.disposable {
		return "", nil
	}
	temp, err := f.stage(filepath.Dir(f.path), f.data)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(temp) }()
	base := f.path + backupInfix + now.UTC().Format("20060102T150405.000Z")
	// Two installations in one millisecond are tests, or a mistake; ten names are enough.
	for i := 1; i < 10; i++ {
		name := base
		if i > 1 {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		if err = nameBackup(temp, name); err == nil {
			return name, syncFolder(filepath.Dir(name))
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return "", fmt.Errorf("%s: %w", base, err)
}

// nameBackup gives a finished copy its name, unless that is taken. A link cannot
// replace a file; where links do not exist, a look has to do.
func nameBackup(temp, name string) error {
	err := os.Link(temp, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err = os.Lstat(name); err == nil {
		return fs.ErrExist
	}
	return os.Rename(temp, name)
}

// backups lists the backups of the file, the oldest first.
func (f *settingsFile) backups() []string {
	entries, err := os.ReadDir(filepath.Dir(f.path))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(f.path)+backupInfix) && e.Type().IsRegular() {
			names = append(names, filepath.Join(filepath.Dir(f.path), e.Name()))
		}
	}
	slices.Sort(names)
	return names
}

// forget deletes the backups in which nothing is that anybody could miss.
func (f *settingsFile) forget(nothing func(data []byte) bool) {
	for _, name := range f.backups() {
		if data, err := os.ReadFile(name); err == nil && nothing(data) { //nolint:gosec // beside the user's file
			_ = os.Remove(name) // one too many does no harm
		}
	}
}

// prune deletes old backups: the very first stays, and the latest few. The very first shows how
// the file was before aoctl.
func (f *settingsFile) prune() {
	names := f.backups()
	for len(names) > backupsKept {
		_ = os.Remove(names[1]) // one too many does no harm
		names = slices.Delete(names, 1, 2)
	}
}

// earlier returns the bytes that the file had before the installation: those of the
// latest backup without our hooks, if they differ from today's by nothing but them. It is false
// when the user has changed anything else since: then only the hooks are taken out.
func (f *settingsFile) earlier(l layout) ([]byte, bool) {
	bare, err := l.bare(f.data)
	if err != nil {
		return nil, false
	}
	names := f.backups()
	slices.Reverse(names)
	for _, name := range names {
		data, err := os.ReadFile(name) //nolint:gosec // beside the user's file
		if err != nil {
			continue
		}
		d, err := l.document(data)
		if err != nil {
			continue
		}
		// The removal is counted on a text in memory, which is thrown away.
		if n, err := l.remove(d, func(string, *jsonc.Node) bool { return false }); err != nil || n > 0 {
			continue // made while the hooks were in
		}
		then, err := l.bare(data)
		return data, err == nil && bytes.Equal(then, bare)
	}
	return nil, false
}

// syncFolder makes a new name in a folder last through a power cut.
func syncFolder(dir string) (err error) {
	d, err := os.Open(dir) //nolint:gosec // the folder of the user's file
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return d.Sync()
}
