package hooks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/workspace"
)

// slashFolders are the folders of settings from which the text may come. The agent keeps
// its transcripts in the user's own.
//
// For other sources than these two there is none, and the text counts as not found.
func slashFolders(h agents.Hook, a Asker) []string {
	var folders []string
	switch h.Slash.Source {
	case "userSettings":
		if projects := filepath.Dir(filepath.Dir(h.Transcript)); filepath.IsAbs(projects) && filepath.Base(projects) == "projects" {
			folders = append(folders, filepath.Dir(projects))
		}
	case "projectSettings":
		seen := map[string]bool{}
		add := func(dir string) {
			if filepath.IsAbs(dir) && !seen[dir] {
				seen[dir] = true
				folders = append(folders, filepath.Join(dir, ".claude"))
			}
		}
		for _, dir := range []string{h.CWD, a.Project} {
			for filepath.IsAbs(dir) && !seen[dir] {
				add(dir)
				add(mainWorktree(dir))
				dir = filepath.Dir(dir)
			}
		}
		argv, _, cwd := peers.ArgumentsOf(a.Agent.PID)
		for _, dir := range agents.AddedFolders(argv) {
			for _, start := range []string{"", cwd, h.CWD, a.Project} {
				add(filepath.Join(start, dir))
			}
		}
	}
	return folders
}

// mainWorktree is the main folder of the repository of which dir is another worktree; ""
// when it is none.
func mainWorktree(dir string) string {
	own, ok := workspace.Pointed(filepath.Join(dir, ".git"), "gitdir: ", dir)
	if !ok {
		return ""
	}
	common, ok := workspace.Pointed(filepath.Join(own, "commondir"), "", own)
	if !ok {
		return ""
	}
	return filepath.Dir(common)
}

// maxSlashParts is how many parts a name may have; Claude Code makes one of each folder.
const maxSlashParts = 6

// slashFiles are the files in folders that hold the text of that name if they are there:
// none for a name that is no path. A colon in it may stand in a file's name as well. The name is
// the user's typing. A part that is no plain name ("..", or with a separator) could lead out of
// the folders, so it names no file at all.
func slashFiles(name string, folders []string) []string {
	parts := strings.Split(name, ":")
	if len(parts) > maxSlashParts || strings.ContainsRune(name, '\uFFFD') {
		return nil
	}
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.ContainsRune(p, filepath.Separator) {
			return nil
		}
	}
	paths := parts[:1:1]
	for _, p := range parts[1:] {
		for _, at := range paths[:len(paths):len(paths)] {
			paths = append(paths, filepath.Join(at, p))
		}
		// Each colon may be a folder or a part of the name, so each doubles the paths;
		// maxSlashParts bounds that.
		for i := range len(paths) / 2 {
			paths[i] += ":" + p
		}
	}
	var files []string
	for _, f := range folders {
		for _, at := range paths {
			files = append(files, filepath.Join(f, "commands", at+".md"))
			files = append(files, skillFiles(filepath.Join(f, "commands", at))...)
		}
		files = append(files, filepath.Join(f, "skills", name, "SKILL.md"))
	}
	return files
}

// skillFiles are the files that make a folder among commands a skill.
func skillFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []string{filepath.Join(dir, "SKILL.md")} // which cannot be read either
	}
	var files []string
	for _, e := range entries {
		if strings.EqualFold(e.Name(), "SKILL.md") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// readSlashText reads a regular file, and tells when it or its inode changed last. The time of
// the inode's change is what counts: nobody can set that one back.
func readSlashText(file string) (text string, changed time.Time, err error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // #nosec G304 -- only looked at
	if err != nil {
		return "", time.Time{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", time.Time{}, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return "", time.Time{}, errors.New("it is no file")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSlashText+1))
	if err == nil && len(data) > maxSlashText {
		err = fmt.Errorf("it has more than %d KiB", maxSlashText>>10)
	}
	return string(data), workspace.ChangeTime(st), err
}
