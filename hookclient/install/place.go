package install

import (
	"errors"
	"os"
	"path/filepath"
)

// errNoHome means that the user's settings cannot be found.
var errNoHome = errors.New("cannot tell where Claude Code's settings are: HOME is not set; set it, or name a file with --settings")

// openSettings finds and reads the settings file that o means.
func openSettings(o Options) (*settingsFile, error) {
	switch o.Scope {
	case Project:
		path, err := filepath.Abs(filepath.Join(".claude", "settings.local.json"))
		if err != nil {
			return nil, err
		}
		return readSettings(path, true)
	case File:
		path, err := filepath.Abs(o.File)
		if err != nil {
			return nil, err
		}
		return readSettings(path, false)
	case User:
	}
	dir, err := claudeConfigDir()
	if err != nil {
		return nil, err
	}
	return readSettings(filepath.Join(dir, "settings.json"), true)
}

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
