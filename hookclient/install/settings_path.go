package install

import (
	"path/filepath"
	"strings"
)

// openSettings finds and reads the settings file that o means. A file that the user named must be
// in a folder that exists: a typing error must not make one.
func openSettings(a agent, o Options) (*settingsFile, error) {
	switch o.Scope {
	// The current folder is the project's, as it is for the agent that is started there.
	case Project:
		path, err := filepath.Abs(a.settings().Project)
		if err != nil {
			return nil, err
		}
		return settingsIn(path, depth(a.settings().Project))
	case File:
		path, err := filepath.Abs(o.File)
		if err != nil {
			return nil, err
		}
		return readSettings(path, false)
	case User:
	}
	dir, err := a.home()
	if err != nil {
		return nil, err
	}
	return settingsIn(filepath.Join(dir, a.settings().File), depth(a.settings().File)+1)
}

// settingsIn reads the file at path, above which so many folders may be made. A removal may take
// those folders away again when they are empty.
func settingsIn(path string, folders int) (*settingsFile, error) {
	f, err := readSettings(path, true)
	if f != nil {
		f.folders = folders
	}
	return f, err
}

// depth is how many folders stand in a relative path.
func depth(path string) int { return strings.Count(filepath.ToSlash(path), "/") }
