package workspace

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// hookFolders are the folders that settings of git name for the hooks of the repository in top: its own
// settings and the user's. A relative one starts in top, as git runs hooks there. Each is given as it
// is written and as the disk has it.
func hookFolders(top, home string) (list []string) {
	if top == "" {
		return nil
	}
	for _, dir := range hooksPaths(top, home) {
		if below, ok := strings.CutPrefix(dir, "~/"); ok && home != "" {
			dir = filepath.Join(home, below)
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(top, dir)
		}
		dir = filepath.Clean(dir)
		for _, d := range []string{dir, realOrSame(dir)} {
			if !slices.Contains(list, d) {
				list = append(list, d)
			}
		}
	}
	return list
}

// hooksPaths are the values of core.hooksPath that may hold for the repository in top. A file that cannot
// be read has none here; git is asked about with such settings anyway (gitSettings).
func hooksPaths(top, home string) (list []string) {
	dir := filepath.Join(top, ".git")
	if to, ok := Pointed(dir, "gitdir: ", top); ok {
		dir = to
	}
	common := dir
	if to, ok := Pointed(filepath.Join(dir, "commondir"), "", dir); ok {
		common = to
	}
	files := []string{filepath.Join(common, "config"), filepath.Join(dir, "config.worktree")}
	if home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config/git/config"))
	}
	for _, file := range files {
		data, err := readSmall(file)
		if err != nil {
			continue
		}
		for key, value := range gitConfig(bytes.TrimPrefix(data, []byte("\ufeff"))) {
			if key == "core.hookspath" && value != "" {
				list = append(list, value)
			}
		}
	}
	return list
}

// realOrSame follows the links of a path as far as it exists.
func realOrSame(path string) string {
	if real, err := realAsFar(path); err == nil {
		return real
	}
	return path
}
