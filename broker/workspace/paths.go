package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Paths follows the links of paths, like realAsFar, and asks the disk once for each
// path and each folder. It does not notice when a link changes, so it is for one call,
// or for one run over a history. It is for one goroutine.
type Paths struct {
	paths   map[string]followed
	folders map[string]string // real paths of folders by clean path, "" for what is none
	secrets map[string]secretsFound
	tracked map[string]secretsFound // by the folder of the repository
}

// followed is an answer of realAsFar.
type followed struct {
	real string
	err  error
}

// maxRemembered bounds the memory of a follower, in paths.
const maxRemembered = 16384

// NewPaths returns one that knows nothing yet.
func NewPaths() *Paths {
	return &Paths{paths: map[string]followed{}, folders: map[string]string{}, secrets: map[string]secretsFound{}, tracked: map[string]secretsFound{}}
}

// real is realAsFar.
func (f *Paths) real(path string) (string, error) {
	if known, ok := f.paths[path]; ok {
		return known.real, known.err
	}
	real, ok := f.inFolder(path)
	var err error
	switch {
	case ok:
	case ownView(path):
		err = errOwnView
	default:
		real, err = realAsFar(path)
	}
	if len(f.paths) >= maxRemembered {
		clear(f.paths)
		clear(f.folders)
	}
	f.paths[path] = followed{real, err}
	return real, err
}

// inFolder says where a path leads that is no link, or nothing yet, in a folder that
// exists: most are. It leaves everything else to realAsFar.
func (f *Paths) inFolder(path string) (string, bool) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if !filepath.IsAbs(path) || filepath.Clean(path) != path || filepath.Dir(dir) == dir {
		return "", false
	}
	folder := f.folder(dir)
	if folder == "" {
		return "", false
	}
	real := filepath.Join(folder, name)
	info, err := os.Lstat(real)
	if err == nil && info.Mode()&fs.ModeSymlink == 0 || errors.Is(err, fs.ErrNotExist) {
		return real, true
	}
	return "", false
}

// folder is where a folder leads, "" when it is not there.
func (f *Paths) folder(dir string) string {
	real, ok := f.folders[dir]
	if !ok {
		if !ownView(dir) {
			real, _ = filepath.EvalSymlinks(dir)
		}
		f.folders[dir] = real
	}
	return real
}

// InParallel calls look for 0 to n-1, on all processors, each with a follower of its
// own: a look at many calls spends most of its time on asking the disk.
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
