package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// errNoHome means that the user's settings cannot be found.
var errNoHome = errors.New("cannot tell where Claude Code's settings are: HOME is not set; set it, or name a file with --settings")

// openSettings finds and reads the settings file that o means.
func openSettings(a agent, o Options) (*settingsFile, error) {
	switch o.Scope {
	case Project:
		path, err := filepath.Abs(a.project)
		if err != nil {
			return nil, err
		}
		return settingsIn(path, depth(a.project))
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
	return settingsIn(filepath.Join(dir, a.file), depth(a.file)+1)
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

// claudeConfigDir is the folder of the user's own settings.
func claudeConfigDir() (string, error) {
	if dir := os.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	home := os.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", errNoHome
	}
	return filepath.Join(home, ".claude"), nil
}
