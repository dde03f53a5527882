package run

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
)

// envSpec is a run of session s whose files lie in dir.
func envSpec(dir string) *spec {
	s := &spec{}
	s.Start.SessionID, s.Start.Log = "s", filepath.Join(dir, "s.log")
	return s
}

// startedIn is what the console knows of a session that was started with env.
func startedIn(t *testing.T, dir string, env ...string) *broker.Run {
	t.Helper()
	s := envSpec(dir)
	if err := s.withEnv(nil, true, env); err != nil {
		t.Fatal(err)
	}
	return &broker.Run{Log: s.Start.Log, RunEnv: wire.RunEnv{EnvSeal: s.Start.EnvSeal, EnvNames: s.Start.EnvNames}}
}

// A session goes on in the environment that it was started with, whoever resumes it.
func TestResumedInItsOwnEnvironment(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	old := startedIn(t, dir, "AWS_PROFILE=staging", "KEY=se\xffcret\nline", "AOCTL_SOCKET=/old", "AOCTL_TOKEN=op", "CLAUDECODE=1", "PWD=/x")
	s := envSpec(elsewhere)
	if err := s.withEnv(old, false, []string{"AWS_PROFILE=production", "AOCTL_SOCKET=/new", "AOCTL_TOKEN=op", "OTHER=1"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"AWS_PROFILE=staging", "KEY=se\xffcret\nline", "AOCTL_SOCKET=/new"}
	if got := s.options().Env; !slices.Equal(got, want) {
		t.Errorf("resumed with %q, want %q", got, want)
	}
	if len(s.Start.EnvDiffers) > 0 {
		t.Errorf("it is said to differ by %q", s.Start.EnvDiffers)
	}
	again := envSpec(dir)
	if err := again.withEnv(&broker.Run{Log: s.Start.Log, RunEnv: wire.RunEnv{EnvSeal: s.Start.EnvSeal, EnvNames: s.Start.EnvNames}}, false, nil); err != nil {
		t.Errorf("resumed once more: %v", err)
	}
	if got := again.options().Env; !slices.Contains(got, "AWS_PROFILE=staging") {
		t.Errorf("resumed once more with %q", got)
	}
}

// Who names the agent in another shell gets that shell's environment, and is told what is
// otherwise there: names, never values.
func TestStartedInAnotherEnvironment(t *testing.T) {
	dir := t.TempDir()
	old := startedIn(t, dir, "AWS_PROFILE=staging", "SAME=1", "GONE=secret-1", "TMUX_PANE=%1")
	s := envSpec(dir)
	if err := s.withEnv(old, true, []string{"AWS_PROFILE=secret-2", "SAME=1", "NEW=1", "TMUX_PANE=%2"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"AWS_PROFILE", "GONE", "NEW"}; !slices.Equal(s.Start.EnvDiffers, want) {
		t.Errorf("differs by %q, want %q", s.Start.EnvDiffers, want)
	}
	if got := s.options().Env; !slices.Contains(got, "AWS_PROFILE=secret-2") || slices.Contains(got, "GONE=secret-1") {
		t.Errorf("started with %q", got)
	}
	raw, err := show.JSONLine(s.Start)
	if err != nil || strings.Contains(string(raw), "secret") {
		t.Errorf("the console is told %s, %v", raw, err)
	}
}

// Attack: an agent changes or removes the file, so that a session goes on as somebody else's.
func TestAChangedEnvironmentIsNotUsed(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		errEnvGone.Error(): os.Remove,
		errEnvChanged.Error(): func(path string) error {
			text, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, []byte(strings.Replace(string(text), "staging", "nothing", 1)), 0o600))
		},
		"too many levels": func(path string) error {
			return errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path))
		},
	} {
		dir := t.TempDir()
		old := startedIn(t, dir, "AWS_PROFILE=staging", "KEY=secret")
		path := envFileOf(old.Log, old.EnvSeal)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v, %v", info, err)
		}
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		s := envSpec(dir)
		err := s.withEnv(old, false, []string{"KEY=other"})
		f, ok := errors.AsType[exit.Error](err)
		if !ok || !strings.Contains(f.Text, name) || !strings.Contains(f.Text, "AWS_PROFILE") || strings.Contains(f.Text, "KEY") || strings.Contains(f.Text, "staging") {
			t.Errorf("%s: %v", name, err)
		}
		if s.Env != nil {
			t.Errorf("%s: resumed all the same", name)
		}
	}
}

// The environments of sessions that are long over go with their logs, and not before.
func TestEnvironmentsArePruned(t *testing.T) {
	dir := t.TempDir()
	old := startedIn(t, dir, "A=1")
	path, now := envFileOf(old.Log, old.EnvSeal), time.Now()
	if err := os.WriteFile(old.Log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := now.Add(-2 * keepLog)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	if pruneLogs(dir, now); !exists(path) {
		t.Error("the environment of a session with a fresh log is gone")
	}
	if err := os.Remove(old.Log); err != nil {
		t.Fatal(err)
	}
	if pruneLogs(dir, now); exists(path) {
		t.Error("the environment of a session that is long over is still there")
	}
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }
