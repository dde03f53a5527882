package console

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
)

// scriptedRunner is a launcher whose program is a shell script that keeps its arguments.
func scriptedRunner(t *testing.T, script string) (l launcher, args func() []string) {
	t.Helper()
	dir := t.TempDir()
	program, kept := filepath.Join(dir, "aoctl"), filepath.Join(dir, "args")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" >"+kept+"\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return launcher{program: program, socket: "/run/b.sock", linger: 5 * time.Second}, func() []string {
		raw, err := os.ReadFile(kept)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	}
}

func TestLaunchNew(t *testing.T) {
	t.Setenv(client.TokenEnv, "aoctl_op_secret")
	l, args := scriptedRunner(t, `test -z "$AOCTL_TOKEN" || { echo "aoctl: it has the token" >&2; exit 1; }
test "$(cat)" = '--help; $(me)' || { echo "another prompt" >&2; exit 1; }
test "$(ps -o sid= -p $$ | tr -d ' ')" = $$ || { echo "no session of its own" >&2; exit 1; }
sleep 30 & # goes into the background with the output
`)
	l.linger = 100 * time.Millisecond // whatever it said by then, it worked
	folder := t.TempDir()
	if err := l.Launch("id-1", broker.NewRun{Folder: folder, Agent: "claude", Prompt: "--help; $(me)", Name: "docs", Model: "opus"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"run", "--socket", "/run/b.sock", "--detach", "--session-id", "id-1", "--cwd", folder, "--name", "docs", "--model", "opus", "--", "claude", "-"}
	if got := args(); !slices.Equal(got, want) {
		t.Errorf("started %q, want %q", got, want)
	}
}

func TestLaunchResume(t *testing.T) {
	l, args := scriptedRunner(t, "")
	folder := t.TempDir()
	s := broker.Session{ID: "id-1", Name: "its title", CWD: folder, Run: &broker.Run{Program: "/bin/claude", Args: []string{"--add-dir", "/x"}, MaxTurns: 3}}
	if err := l.Resume(s); err != nil {
		t.Fatal(err)
	}
	want := []string{"run", "--socket", "/run/b.sock", "--detach", "--session-id", "id-1", "--cwd", folder, "--resume"}
	if got := args(); !slices.Equal(got, want) {
		t.Errorf("started %q, want %q", got, want)
	}
	s.Run.Program = ""
	if err := l.Resume(s); err == nil {
		t.Error("started without knowing what")
	}
}

func TestLaunchFails(t *testing.T) {
	for name, tc := range map[string]struct{ script, want string }{
		"says why":     {"printf 'aoctl: claude was not found\\n  install it\\n' >&2; exit 1", "start a runner: claude was not found; install it"},
		"says nothing": {"exit 3", "start a runner: exit status 3"},
	} {
		l, _ := scriptedRunner(t, tc.script)
		if err := l.Launch("id-1", broker.NewRun{Folder: t.TempDir(), Agent: "claude", Prompt: "go"}); err == nil || err.Error() != tc.want {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
	l, _ := scriptedRunner(t, "cat >/dev/null")
	if err := l.Launch("id-1", broker.NewRun{Folder: t.TempDir(), Agent: "claude", Prompt: strings.Repeat("x", 256<<10)}); err != nil {
		t.Errorf("a long prompt: %v", err)
	}
	if err := l.Launch("id-1", broker.NewRun{Folder: t.TempDir() + "/gone", Agent: "claude", Prompt: "go"}); err == nil {
		t.Error("started in a folder that is not there")
	}
}
