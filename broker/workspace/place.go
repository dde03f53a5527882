package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
)

// PlaceOf is where a call of this project would run: home is the user's home folder and own are
// aoctl's files and folders, all three as the disk has them. It is for one call, or for one run
// over a history, as it remembers where paths lead; and for one goroutine. Its functions ask
// the disk only when they are called.
func PlaceOf(project, cwd, home string, own []string) risk.Place {
	return PlaceAt(NewPaths(), project, cwd, home, own)
}

// PlaceAt is PlaceOf with what f knows of the disk. The two share f, so they are of one
// goroutine.
func PlaceAt(f *Paths, project, cwd, home string, own []string) risk.Place {
	root, _ := f.projectRoot(project, home)
	p := risk.Place{CWD: cwd, Project: root, Home: home, Own: own, Real: f.real, Git: f.gitIn(root)}
	p.OwnPassword = func() bool {
		return home != "" && (gitPasswords(filepath.Join(home, ".gitconfig")) || gitPasswords(filepath.Join(home, ".config/git/config")))
	}
	// Made before Secrets is set, as it asks the disk for nothing.
	is := risk.SecretAt(p)
	p.Secrets, p.Tracked, p.Below = f.secretsBelow(is), f.trackedSecrets(p.Git, is), f.namesBelow
	p.HookFolders = sync.OnceValue(func() []string { return hookFolders(p.Git(root).Top, home) })
	p.Dashes, p.Kept, p.Exists, p.Brings = dashesIn, f.keptByGit(p.Git), FileExists, f.bringsIn(p.Git)
	p.Matches, p.Index = Matches, f.keptNames(p.Git)
	return p
}

// projectRoot returns dir's real path, unless it is so wide that "inside the project" would
// mean everything: the root, the home folder, or a parent of it. Without a home nobody knows
// what is too wide, so there is none.
func (f *Paths) projectRoot(dir, home string) (string, bool) {
	if !filepath.IsAbs(dir) {
		return "", false
	}
	real := f.folder(dir)
	if real == "" && !ownView(dir) { // no folder, but perhaps a file
		real, _ = filepath.EvalSymlinks(dir)
	}
	if real == "" || home == "" || Below(real, home) {
		return "", false
	}
	return real, true
}

// maxLinks is how many links to nothing are followed, as the system follows links.
const maxLinks = 40

// realAsFar follows the links in path as far as it exists, and appends the rest as it stands:
// where a file would be made. A link to nothing leads where it points. Errors are those of the
// system, such as a loop or a folder that may not be read; then nobody knows where the path
// leads.
func realAsFar(path string) (string, error) {
	rest := ""
	for range maxLinks {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		path = strings.TrimRight(path, string(filepath.Separator)) // as in ls -d */
		// The path is a link to something that is not there: go on with what it names.
		if target, err := os.Readlink(path); err == nil {
			if !filepath.IsAbs(target) {
				target = filepath.Dir(path) + string(filepath.Separator) + target
			}
			path = target
			continue
		}
		dir, name := filepath.Split(path)
		dir = strings.TrimRight(dir, string(filepath.Separator))
		if dir == "" || name == "" || name == "." || name == ".." {
			return "", err
		}
		path, rest = dir, filepath.Join(name, rest)
	}
	return "", syscall.ELOOP
}

// FileExists reports whether there is something at a real path. A link counts, whatever it
// leads to.
func FileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// maxMatches is how many files of a pattern are looked at.
const maxMatches = 1000

// maxPatterns is how many folders of a path may be patterns for it to be looked at. Each of
// them multiplies the files that a look has to go through.
const maxPatterns = 2

// Matches are the files that a pattern of a shell may stand for, hidden ones too. all is false
// when there may be others: too many to look at, or where shells differ, as about [!a]. Of ** they are the files
// of all readings.
// pattern is absolute.
func Matches(pattern string) (files []string, all bool) {
	patterns := 0
	for part := range strings.SplitSeq(pattern, "/") {
		if strings.ContainsAny(part, "*?") {
			patterns++
		}
	}
	if patterns > maxPatterns || strings.ContainsAny(pattern, `[\`) {
		return nil, false
	}
	deep, all := deepMatches(pattern)
	if !all {
		return nil, false
	}
	// Where ** stands for any folders, it also stands for one; elsewhere it is a star.
	files, err := filepath.Glob(strings.ReplaceAll(pattern, "**", "*"))
	files = append(files, deep...)
	return files[:min(len(files), maxMatches)], err == nil && len(files) <= maxMatches
}

// deepMatches are the files of folder/**/name, at any depth. all is false for any other pattern with two
// stars, and when there is too much to look at.
func deepMatches(pattern string) (files []string, all bool) {
	dir, name, deep := strings.Cut(pattern, "/**/")
	if !deep {
		return nil, !strings.Contains(pattern, "**")
	}
	if strings.ContainsAny(dir, "*?") || strings.Contains(name, "/") || strings.Contains(name, "**") {
		return nil, false
	}
	end, looked, all := time.Now().Add(lookTime), 0, true
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		looked++
		switch fits, bad := filepath.Match(name, filepath.Base(file)); {
		case os.IsNotExist(err) && file == dir:
		case err != nil, bad != nil, looked > maxLooked, len(files) > maxMatches, looked%256 == 0 && time.Now().After(end):
			all = false
			return filepath.SkipAll
		case fits && file != dir:
			files = append(files, file)
		}
		return nil
	})
	return files, all && err == nil
}

// SpecialFile reports whether there is something at a real path that is neither a plain file
// nor a folder: a pipe, a socket or a device, or a link that was put there since.
func SpecialFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// RealPath follows links in path as far as the disk has it. A path that cannot be followed
// comes back as it is, so it is for folders of our own and no proof of anything.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// UserHome is the user's home folder, with its links followed; "" when there is none.
func UserHome() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return RealPath(home)
}

// Below reports whether path is dir or lies in it. Both are clean absolute paths. It compares
// texts, so links must have been followed.
func Below(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
