package install

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// ErrNoHome means that the user's settings cannot be found.
var ErrNoHome = errors.New("cannot tell where Claude Code's settings are: HOME is not set; set it, or name a file with --settings")

// openSettings finds and reads the settings file that o means.
func openSettings(a agent, o Options) (*settingsFile, error) {
	switch o.Scope {
	case Project:
		path, err := filepath.Abs(a.place().Project)
		if err != nil {
			return nil, err
		}
		return settingsIn(path, depth(a.place().Project))
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
	return settingsIn(filepath.Join(dir, a.place().File), depth(a.place().File)+1)
}

// settingsIn reads the file at path, above which so many folders may be made.
func settingsIn(path string, folders int) (*settingsFile, error) {
	f, err := readSettings(path, true)
	if f != nil {
		f.folders = folders
	}
	return f, err
}

// depth is how many folders stand in a relative path.
func depth(path string) int { return strings.Count(filepath.ToSlash(path), "/") }

// ClaudeFolder is the folder of the user's own settings.
func ClaudeFolder() (string, error) {
	at := profile.Of("claude").Settings
	if dir := machine.InHome(at.Variable, at.Home); dir != "" {
		return dir, nil
	}
	return "", ErrNoHome
}
