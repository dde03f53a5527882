package paths

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestPlaces(t *testing.T) {
	type env map[string]string
	for name, c := range map[string]struct {
		env                            env
		socket, state, config, db, log string
	}{
		"home only": {
			env{"HOME": "/h"},
			"/h/.local/state/aoctl/broker.sock", "/h/.local/state/aoctl", "/h/.config/aoctl", "/h/.local/state/aoctl/aoctl.db", "/h/.local/state/aoctl/aoctl.log",
		},
		"XDG": {
			env{"HOME": "/h", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c", "XDG_RUNTIME_DIR": "/r"},
			"/r/aoctl/broker.sock", "/s/aoctl", "/c/aoctl", "/s/aoctl/aoctl.db", "/s/aoctl/aoctl.log",
		},
		"relative XDG counts as unset": {
			env{"HOME": "/h", "XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "c", "XDG_RUNTIME_DIR": "r"},
			"/h/.local/state/aoctl/broker.sock", "/h/.local/state/aoctl", "/h/.config/aoctl", "/h/.local/state/aoctl/aoctl.db", "/h/.local/state/aoctl/aoctl.log",
		},
		"AOCTL_HOME": {
			env{"AOCTL_HOME": "/a", "XDG_RUNTIME_DIR": "/r", "XDG_STATE_HOME": "/s"},
			"/a/broker.sock", "/a", "/a", "/a/aoctl.db", "/a/aoctl.log",
		},
		"AOCTL_SOCKET wins": {
			env{"AOCTL_HOME": "/a", "AOCTL_SOCKET": "/x/../y.sock"},
			"/y.sock", "/a", "/a", "/a/aoctl.db", "/a/aoctl.log",
		},
	} {
		t.Run(name, func(t *testing.T) {
			clearEnv(t)
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			check(t, "socket", Socket, c.socket)
			check(t, "state", StateDir, c.state)
			check(t, "config", ConfigDir, c.config)
			check(t, "database", Database, c.db)
			check(t, "log", LogFile, c.log)
		})
	}
}

func clearEnv(t *testing.T) {
	t.Helper()
	for _, name := range []string{"HOME", "AOCTL_HOME", "AOCTL_SOCKET", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, "")
	}
}

func check(t *testing.T, what string, f func() (string, error), want string) {
	t.Helper()
	if got, err := f(); got != want || err != nil {
		t.Errorf("%s is %q, %v; want %q", what, got, err, want)
	}
}

func TestNoHome(t *testing.T) {
	clearEnv(t)
	for name, f := range map[string]func() (string, error){
		"socket": Socket, "state": StateDir, "config": ConfigDir, "database": Database, "log": LogFile,
	} {
		if got, err := f(); !errors.Is(err, ErrNoHome) || got != "" {
			t.Errorf("%s is %q, %v; want ErrNoHome", name, got, err)
		}
	}
}

func TestRelativePlacesBecomeAbsolute(t *testing.T) {
	clearEnv(t)
	t.Setenv("AOCTL_HOME", "a")
	t.Setenv("AOCTL_SOCKET", "s")
	for _, f := range []func() (string, error){Socket, StateDir} {
		if got, err := f(); err != nil || !filepath.IsAbs(got) {
			t.Errorf("got %q, %v", got, err)
		}
	}
}
