package workspace

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aoctl/aoctl/broker/risk"
)

// git obeys the settings of whatever repository it finds, and these can run programs. An
// agent is allowed git for the project's own; a folder that came with the project's files
// may look like a repository too, with settings that somebody else wrote.

// gitIn looks for the repository that git would use in a folder of a project, and asks
// the disk once for each folder.
func (f *Paths) gitIn(project string) func(dir string) risk.Git {
	seen := map[string]risk.Git{}
	return func(dir string) risk.Git {
		g, ok := seen[dir]
		if !ok {
			g = gitAt(project, dir)
			seen[dir] = g
		}
		return g
	}
}

// gitAt is what git finds in dir. Both are real paths. It walks up as git does, to the first
// folder with a .git, or one that looks like a bare repository; what it cannot look at is
// foreign.
func gitAt(project, dir string) risk.Git {
	switch info, err := os.Lstat(dir); {
	case project == "":
		return risk.Git{Foreign: "the project has no folder of its own, so that git may use any repository"}
	case !Below(project, dir):
		return risk.Git{Foreign: "git works outside the project, in a repository whose settings can run programs"}
	case err != nil || !info.IsDir():
		return risk.Git{Foreign: "git works in " + inside(project, dir) + ", which is not there yet"}
	}
	for at := dir; ; at = filepath.Dir(at) {
		// Before .git is looked for: git takes either, and a folder in the project may be both.
		if looksBare(at) {
			return risk.Git{Nested: true, Foreign: "git would use the repository in " + inside(project, at) + ", whose settings can run programs"}
		}
		entry := filepath.Join(at, ".git")
		switch info, err := os.Lstat(entry); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return risk.Git{Foreign: "git's folder cannot be looked at"}
		// A repository below the project's folder came with the project's files.
		case !Below(at, project):
			return risk.Git{Nested: true, Foreign: "git would use the repository in " + inside(project, at) + ", whose settings can run programs"}
		default:
			return gitTop(project, at, info)
		}
		if at == filepath.Dir(at) {
			return risk.Git{} // no repository, and no settings
		}
	}
}

// inside is a folder as seen from the project, for the screen. Outside of it, it is the path
// itself.
func inside(project, dir string) string {
	rel, err := filepath.Rel(project, dir)
	if err != nil || rel == "." || strings.HasPrefix(rel, "..") {
		return dir
	}
	return rel + "/"
}

// looksBare reports whether git may take a folder for a bare repository. It is wider
// than git, which also reads HEAD, and may have been told where objects and refs are.
func looksBare(dir string) bool {
	return FileExists(filepath.Join(dir, "HEAD")) && (FileExists(filepath.Join(dir, "refs")) || FileExists(filepath.Join(dir, "commondir")))
}

// gitTop is the repository whose .git, described by info, is in top: the project's folder or
// one above it. A .git that is a file leads elsewhere, as in a worktree; that is fine as long
// as it does not lead back into the project's files, which anybody who works there can write.
func gitTop(project, top string, info fs.FileInfo) risk.Git {
	g := risk.Git{Top: top}
	dir := filepath.Join(top, ".git")
	switch {
	case info.IsDir():
	case info.Mode().IsRegular():
		to, ok := Pointed(dir, "gitdir: ", top)
		if !ok || Below(project, to) && !Below(filepath.Join(top, ".git"), to) {
			g.Foreign = "the project's .git leads to another repository, whose settings can run programs"
			return g
		}
		dir = to
	default:
		g.Foreign = "the project's .git leads to another repository, whose settings can run programs"
		return g
	}
	common := dir
	// A worktree has its settings in the repository that it belongs to.
	if FileExists(filepath.Join(dir, "commondir")) {
		to, ok := Pointed(filepath.Join(dir, "commondir"), "", dir)
		if !ok || Below(project, to) && !Below(filepath.Join(top, ".git"), to) {
			g.Foreign = "the project's .git shares the settings of another repository, which can run programs"
			return g
		}
		common = to
	}
	gitLook(&g, dir, common, false)
	g.Hooks = commitHooks(top, common)
	// Only here, as the addresses of submodules are shown by no command about this repository.
	g.Password = gitPasswords(filepath.Join(common, "config")) || gitPasswords(filepath.Join(dir, "config.worktree"))
	looked := 0
	gitParts(&g, top, dir, 0, &looked)
	return g
}

// gitLook fills in what the settings and hooks of the repository in dir run. part: it is one of
// a submodule, whose settings say where its files are. The first reason that is found stands.
func gitLook(g *risk.Git, dir, common string, part bool) {
	var remotes gitRemotes
	for _, file := range []string{filepath.Join(common, "config"), filepath.Join(dir, "config.worktree")} {
		g.Settings = cmp.Or(g.Settings, gitSettings(g, file, part, &remotes))
	}
	g.Settings = cmp.Or(g.Settings, gitHooks(common))
	if key := remotes.folder(); key != "" {
		g.Remote = cmp.Or(g.Remote, "the repository's setting "+key+" names a folder, whose hooks and settings run programs")
	}
	// Old forms of remotes, which git still reads.
	for _, name := range []string{"remotes", "branches"} {
		if entries, err := os.ReadDir(filepath.Join(common, name)); len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			g.Remote = cmp.Or(g.Remote, "the repository's folder .git/"+name+" says where to fetch from, which can be a program")
		}
	}
}

// gitHooks says which hook of a repository runs with commands that only look, or with
// nearly all of them. Others belong to what they are called for: a commit runs its hooks.
func gitHooks(common string) string {
	for _, hook := range []string{"post-index-change", "reference-transaction", "pre-auto-gc"} {
		if FileExists(filepath.Join(common, "hooks", hook)) {
			return "the repository's hook " + hook + " runs with nearly every command"
		}
	}
	return ""
}

// commitHooks reports whether commits and checkouts run hooks: those of the repository, or husky's, which
// are the project's own code. Hooks that the user has for all repositories are the user's own.
func commitHooks(top, common string) bool {
	for _, hook := range []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-rewrite", "pre-merge-commit", "post-merge"} {
		if FileExists(filepath.Join(common, "hooks", hook)) {
			return true
		}
	}
	return FileExists(filepath.Join(top, husky[0]))
}

// maxSubmodules is how many submodules are looked at, and how deep they may lie in each
// other.
const maxSubmodules = 200

// gitParts looks at the submodules of the repository in top: git goes into them by itself, and
// obeys their settings. looked counts them over all levels.
func gitParts(g *risk.Git, top, dir string, depth int, looked *int) {
	index, err := readGitIndex(filepath.Join(dir, "index"))
	if err != nil {
		g.Settings = cmp.Or(g.Settings, "the repository's index cannot be read, so its submodules are not known")
		return
	}
	for _, name := range index.submodules {
		at := filepath.Join(top, name)
		info, err := os.Lstat(filepath.Join(at, ".git"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // not checked out
		}
		sub := filepath.Join(at, ".git")
		// A submodule's .git is a folder, or a file that leads to one.
		ok := err == nil && info.IsDir()
		if err == nil && info.Mode().IsRegular() {
			sub, ok = Pointed(sub, "gitdir: ", at)
		}
		if *looked++; !ok || *looked > maxSubmodules || depth > maxLinks {
			g.Settings = cmp.Or(g.Settings, "the repository's submodules cannot be looked at")
			return
		}
		gitLook(g, sub, sub, true)
		gitParts(g, at, sub, depth+1, looked)
	}
}

// Pointed is the real path of the folder that a small file names behind a prefix; a relative
// one starts in dir. ok is false when there is no such file or folder.
func Pointed(file, prefix, dir string) (string, bool) {
	data, err := readSmall(file)
	to, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if err != nil || !ok || to == "" {
		return "", false
	}
	if !filepath.IsAbs(to) {
		to = dir + string(filepath.Separator) + to
	}
	real, err := filepath.EvalSymlinks(to)
	return real, err == nil
}

// maxGitFile is the largest of git's files that is read, in bytes.
const maxGitFile = 64 << 10

// errNoSmallFile also stands for a pipe or a device, which is not opened.
var errNoSmallFile = errors.New("not a regular file of at most 64 KiB")

// readSmall reads a regular file of at most maxGitFile bytes. It looks before it opens, and
// once more while it reads, since the file may have grown.
func readSmall(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxGitFile {
		return nil, errNoSmallFile
	}
	file, err := os.Open(path) //nolint:gosec // G304: git's own files are what this is about
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxGitFile+1))
	if err == nil && len(data) > maxGitFile {
		err = errNoSmallFile
	}
	return data, err
}

// gitSettings says why the settings in a file may run a program or read a file of elsewhere, ""
// when they do not, and notes where they fetch from and what they make only some commands do.
func gitSettings(g *risk.Git, file string, part bool, remotes *gitRemotes) string {
	why := ""
	data, err := readSmall(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return "git's settings of this repository cannot be read"
	}
	// git takes a mark of the byte order at the beginning for nothing.
	for key, value := range gitConfig(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		remotes.note(key, value)
		gitSome(g, key, value)
		switch {
		case why != "":
		case gitRuns(key, value):
			why = "the repository's setting " + key + " makes git run a program"
		case gitReads(key, value):
			why = "the repository's setting " + key + " makes git read another file"
		case key == "core.worktree" && !part:
			why = "the repository's setting core.worktree makes git work in another folder"
		}
	}
	return why
}
