package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
)

// Limits of a look below a folder for files that hold keys.
const (
	maxLooked  = 60_000 // files and folders
	maxSecrets = 500    // that are remembered
	lookTime   = 400 * time.Millisecond
)

// notLooked are folders of what others wrote and a program fetched: their keys are examples.
// Going through them would take nearly all of the time.
var notLooked = map[string]bool{
	"node_modules": true, "bower_components": true, ".venv": true, "venv": true, "site-packages": true, "__pycache__": true, ".tox": true,
}

// secretsFound is what a look below a folder found. whole: nothing was left out but what
// notLooked names.
type secretsFound struct {
	files []string
	whole bool
}

// secretsBelow looks for secrets below a folder, once for each folder. is says which files are
// secret; package risk has the list.
func (f *Paths) secretsBelow(is func(string) bool) func(dir string) ([]string, bool) {
	return func(dir string) ([]string, bool) {
		s, ok := f.secrets[dir]
		if !ok {
			s = lookForSecrets(dir, is, time.Now)
			f.secrets[dir] = s
		}
		return s.files, s.whole
	}
}

// lookForSecrets walks through a folder, and through no link in it. It stops at any of its
// limits, and then whole is false. Of a .git only the settings are looked at.
func lookForSecrets(dir string, is func(string) bool, now func() time.Time) secretsFound {
	s := secretsFound{whole: true}
	end, looked := now().Add(lookTime), 0
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		looked++
		switch {
		case looked > maxLooked || len(s.files) >= maxSecrets || looked%256 == 0 && now().After(end):
			s.whole = false
			return filepath.SkipAll
		// A file that went away meanwhile is no gap, one that may not be read is.
		case err != nil:
			s.whole = s.whole && os.IsNotExist(err)
			return nil
		case d.IsDir() && file != dir && d.Name() == ".git":
			if config := filepath.Join(file, "config"); gitPasswords(config) {
				s.files = append(s.files, config)
			}
			return filepath.SkipDir
		case d.IsDir() && file != dir && notLooked[d.Name()]:
			return filepath.SkipDir
		case !d.IsDir() && is(file):
			s.files = append(s.files, file)
		}
		return nil
	})
	s.whole = s.whole && err == nil
	return s
}

// gitPasswords reports whether a repository's settings hold a password or a token, or cannot be
// read. It looks at keys, and at addresses with a user other than git; the value is never
// shown.
func gitPasswords(file string) bool {
	data, err := readSmall(file)
	if err != nil {
		return !os.IsNotExist(err)
	}
	for key, value := range gitConfig(data) {
		// An address may stand in the name of a setting, as in url.X.insteadOf.
		_, rest, url := strings.Cut(key+" "+value, "://")
		user, _, named := strings.Cut(strings.SplitN(rest, "/", 2)[0], "@")
		if strings.HasSuffix(key, "extraheader") || url && named && user != "git" || strings.Contains(key, "password") || strings.Contains(key, "token") {
			return true
		}
	}
	return false
}

// amongTests are folders whose keys are made for tests. On the disk they count all the same;
// only the many that a repository keeps would be in everybody's way.
var amongTests = map[string]bool{"test": true, "tests": true, "__tests__": true, "testdata": true, "fixtures": true, "spec": true, "examples": true}

// trackedSecrets are the files that hold keys and that a repository keeps. They come from its
// index, so that git need not run. Outside of a repository there are none.
func (f *Paths) trackedSecrets(gitIn func(string) risk.Git, is func(string) bool) func(dir string) ([]string, bool) {
	return func(dir string) ([]string, bool) {
		top := gitIn(dir).Top
		if top == "" {
			return nil, true
		}
		s, ok := f.tracked[top]
		if !ok {
			s = lookInIndex(top, is)
			f.tracked[top] = s
		}
		return s.files, s.whole
	}
}

// lookInIndex goes through the index of the repository in top. One that cannot be read has no
// names here, and whole is false.
func lookInIndex(top string, is func(string) bool) secretsFound {
	index, err := readGitIndex(indexOf(top))
	s := secretsFound{whole: err == nil}
names:
	for _, name := range index.names {
		for _, part := range strings.Split(name, "/") {
			if amongTests[part] {
				continue names
			}
		}
		if file := filepath.Join(top, name); is(file) {
			s.files = append(s.files, file)
		}
	}
	return s
}

// keptNames are the files that the repository has which git would use in a folder. Without one there are none.
func (f *Paths) keptNames(gitIn func(string) risk.Git) func(dir string) ([]string, bool) {
	return func(dir string) ([]string, bool) {
		top := gitIn(dir).Top
		if top == "" {
			return nil, true
		}
		index, err := readGitIndex(indexOf(top))
		files := make([]string, len(index.names))
		for i, name := range index.names {
			files[i] = filepath.Join(top, name)
		}
		return files, err == nil
	}
}

// indexOf is the file in which the repository in top lists what it has.
func indexOf(top string) string {
	dir := filepath.Join(top, ".git")
	if to, ok := Pointed(dir, "gitdir: ", top); ok {
		dir = to
	}
	return filepath.Join(dir, "index")
}
