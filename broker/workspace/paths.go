package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk"
)

// Paths follows the links of paths, like realAsFar, and asks the disk once for each
// path and each folder on the way to it. It does not notice when a link changes, so it
// is for one call, or for one run over a history. It is for one goroutine.
type Paths struct {
	paths   map[string]followed
	folders map[string]string // real paths of folders, "" for what is none
	secrets map[string]secretsFound
	tracked map[string]secretsFound // by the folder of the repository
	kept    *keptFiles              // of the repository that was asked about last
	below   map[string]risk.Below
	brought broughtFiles
}

// followed is an answer of realAsFar. Errors are remembered as well, so that one call has one
// answer.
type followed struct {
	real string
	err  error
}

// maxRemembered bounds the memory of a follower, in paths. A full one forgets everything, which
// costs time and no truth.
const maxRemembered = 16384

// NewPaths returns one that knows nothing yet.
func NewPaths() *Paths {
	return &Paths{paths: map[string]followed{}, folders: map[string]string{}, secrets: map[string]secretsFound{}, tracked: map[string]secretsFound{}, below: map[string]risk.Below{}}
}

// real is realAsFar. The cheap ways come first: most paths are a name in a folder that is
// known.
func (f *Paths) real(path string) (string, error) {
	if known, ok := f.paths[path]; ok {
		return known.real, known.err
	}
	if real := f.folders[path]; real != "" {
		return real, nil
	}
	var err error
	real, _, _ := f.plain(path)
	if real == "" {
		real = f.inNewFolder(path)
	}
	switch {
	case real != "":
	case ownView(path):
		err = errOwnView
	default:
		real, err = realAsFar(path)
	}
	if len(f.paths) >= maxRemembered {
		clear(f.paths)
	}
	f.paths[path] = followed{real, err}
	return real, err
}

// longestPath is the longest path, in bytes, that a system opens.
const longestPath = 4096

// plain says where a path leads that is no link, or nothing yet, in a folder that exists, and
// what the disk says of it: most are. real is "" for everything else; err is not nil when nothing
// is there.
func (f *Paths) plain(path string) (real string, info fs.FileInfo, err error) {
	if real = f.step(path); real == "" {
		return "", nil, nil
	}
	info, err = os.Lstat(real)
	switch {
	case err != nil && (!errors.Is(err, fs.ErrNotExist) || filepath.Dir(real) == "/"):
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
	// With dots behind such a place, the text and the system disagree.
	case isOwnView(real) && filepath.Clean(path) != path:
	default:
		return real, info, err
	}
	return "", nil, nil
}

// inNewFolder says where a path leads in a folder that is not there yet, in one that is; "" for
// everything else. mkdir and a write into it often stand in one line.
func (f *Paths) inNewFolder(path string) string {
	dir := filepath.Dir(path)
	if filepath.Clean(path) != path || f.folder(dir) != "" {
		return ""
	}
	folder, _, err := f.plain(dir)
	if folder == "" || err == nil || isOwnView(folder) {
		return ""
	}
	return filepath.Join(folder, filepath.Base(path))
}

// step is an absolute path with the links of its folder followed, but not the one that it may
// be itself; "" when there is no such folder. A ".." is taken from where the folder leads, as
// the system does.
func (f *Paths) step(path string) string {
	if !filepath.IsAbs(path) || len(path) > longestPath {
		return ""
	}
	last, folder := strings.LastIndexByte(path, '/'), "/"
	if last > 0 {
		folder = f.folder(path[:last])
	}
	switch name := path[last+1:]; {
	case folder == "":
		return ""
	case name == "..":
		return filepath.Dir(folder)
	default:
		return filepath.Join(folder, name)
	}
}

// folder is where a folder leads, "" when it is not there. Folders in the same one share what
// is known of that, so each is looked at once. What is not there is remembered, too.
func (f *Paths) folder(dir string) string {
	real, ok := f.folders[dir]
	if !ok {
		real = f.lookAt(dir)
		if len(f.folders) >= maxRemembered {
			clear(f.folders)
		}
		f.folders[dir] = real
	}
	return real
}

// lookAt is folder for one that is not known yet. Only links are followed from the root on: for
// all else the folder above is known, and one look is enough.
func (f *Paths) lookAt(dir string) string {
	real := f.step(dir)
	if real == "" || isOwnView(real) {
		return ""
	}
	info, err := os.Lstat(real)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return real
	case info.Mode()&fs.ModeSymlink == 0 || ownView(dir):
		return ""
	}
	if real, err = filepath.EvalSymlinks(dir); err != nil {
		return ""
	}
	if info, err = os.Lstat(real); err != nil || !info.IsDir() {
		return ""
	}
	return real
}

// InParallel calls look for 0 to n-1, on all processors, each with a follower of its own: a
// look at many calls spends most of its time on asking the disk. It returns when all are done.
// look is called for one i once, and must not touch what another one touches.
func InParallel(n int, look func(i int, f *Paths)) {
	var lookers sync.WaitGroup
	workers := min(n, runtime.GOMAXPROCS(0))
	for w := range workers {
		lookers.Go(func() {
			f := NewPaths()
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				look(i, f)
			}
		})
	}
	lookers.Wait()
}
