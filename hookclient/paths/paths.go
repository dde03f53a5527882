// Package paths says where aoctl's files lie. It only names them: nothing is made, opened or
// checked here. It imports only the standard library, because the hook client asks it before
// every tool call.
//
//	state   $XDG_STATE_HOME/aoctl     (~/.local/state/aoctl)   aoctl.db, aoctl.log
//	config  $XDG_CONFIG_HOME/aoctl    (~/.config/aoctl)        config.toml
//	socket  $XDG_RUNTIME_DIR/aoctl/broker.sock, or broker.sock in the state folder
//
// AOCTL_HOME moves all three into one folder; AOCTL_SOCKET names the socket alone. Hook client
// and console must come to the same answer, or an agent finds no console: so the answer depends
// on these variables and HOME and on nothing else. Without any of them it is ErrNoHome.
package paths

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrNoHome means that no folder can be named: HOME and the XDG variables are unset.
var ErrNoHome = errors.New("cannot tell where aoctl's files are: HOME is not set; set HOME, AOCTL_HOME or AOCTL_SOCKET")

// StateDir is the folder of the database and the program's log.
func StateDir() (string, error) { return dir("XDG_STATE_HOME", ".local/state") }

// ConfigDir is the folder of config.toml.
func ConfigDir() (string, error) { return dir("XDG_CONFIG_HOME", ".config") }

// Database is the path of the SQLite file.
func Database() (string, error) { return in(StateDir, "aoctl.db") }

// LogFile is the path of the program's own log, JSON lines.
func LogFile() (string, error) { return in(StateDir, "aoctl.log") }

// Socket is the path of the broker's Unix socket.
func Socket() (string, error) {
	if s := os.Getenv("AOCTL_SOCKET"); s != "" {
		return filepath.Abs(s)
	}
	if os.Getenv("AOCTL_HOME") == "" {
		if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
			return filepath.Join(run, "aoctl", "broker.sock"), nil
		}
	}
	return in(StateDir, "broker.sock")
}

// in joins a name to a folder, or hands on that there is none.
func in(dir func() (string, error), name string) (string, error) {
	d, err := dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(d, name), nil
}

// dir follows the XDG base directory rules: a relative value counts as unset.
func dir(xdg, fallback string) (string, error) {
	if home := os.Getenv("AOCTL_HOME"); home != "" {
		return filepath.Abs(home)
	}
	if base := os.Getenv(xdg); filepath.IsAbs(base) {
		return filepath.Join(base, "aoctl"), nil
	}
	home := os.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", ErrNoHome
	}
	return filepath.Join(home, fallback, "aoctl"), nil
}
