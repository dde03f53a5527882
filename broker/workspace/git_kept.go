package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
)

// maxKept is how many files below a folder are compared with what git keeps.
const maxKept = 5000

// keptByGit returns a function that reports whether git could bring back all that is at a real path
// and below: each file is in the index, and as git saw it last. Nothing at the path is nothing to bring
// back. It asks the disk and the index, so that git need not run; in doubt the answer is no.
func (f *Paths) keptByGit(gitIn func(string) risk.Git) func(path string) bool {
	return func(path string) bool {
		if _, err := os.Lstat(path); os.IsNotExist(err) {
			return true
		}
		g := gitIn(filepath.Dir(path))
		if g.Top == "" || g.Foreign != "" {
			return false
		}
		if f.kept == nil || f.kept.top != g.Top {
			f.kept = keptIn(g.Top)
		}
		return f.kept.all(path)
	}
}

// keptFiles are the files of a repository that git keeps, and when it wrote that down.
type keptFiles struct {
	top   string
	at    time.Time // of the index
	stats map[string]indexStat
}

// keptIn reads the index of the repository in top. One that cannot be read keeps nothing.
func keptIn(top string) *keptFiles {
	k := &keptFiles{top: top, stats: map[string]indexStat{}}
	dir := filepath.Join(top, ".git")
	if to, ok := Pointed(dir, "gitdir: ", top); ok {
		dir = to
	}
	file := filepath.Join(dir, "index")
	info, err := os.Stat(file)
	if err != nil {
		return k
	}
	index, err := readGitIndex(file)
	if err != nil {
		return k
	}
	k.at = info.ModTime()
	for i, name := range index.names {
		k.stats[name] = index.stats[i]
	}
	return k
}

// all reports whether every file at path and below is kept.
func (k *keptFiles) all(path string) bool {
	seen, fine := 0, true
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		seen++
		if err != nil || seen > maxKept || d.Name() == ".git" || !d.IsDir() && !k.one(file) {
			fine = false
			return filepath.SkipAll
		}
		return nil
	})
	return fine && err == nil
}

// one reports whether a file is kept as it is now. A file that changed in the moment in which the index was
// written may look unchanged, so only what is older than the index counts.
func (k *keptFiles) one(file string) bool {
	name, err := filepath.Rel(k.top, file)
	if err != nil || strings.HasPrefix(name, "..") {
		return false
	}
	info, err := os.Lstat(file)
	was, ok := k.stats[filepath.ToSlash(name)]
	if err != nil || !ok || !was.whole || !info.Mode().IsRegular() {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	same := func(t time.Time, was [2]uint32) bool {
		return t.Unix()&cut32 == int64(was[0]) && int64(t.Nanosecond()) == int64(was[1])
	}
	return info.Size()&cut32 == int64(was.size) && same(info.ModTime(), was.modified) && same(ChangeTime(st), was.changed) && info.ModTime().Before(k.at)
}

// cut32 is how git cuts numbers in its index.
const cut32 = 1<<32 - 1
