package install

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/installtest"
)

// Nothing is thrown away: the first backup stays, and the last few.
func TestBackupsArePruned(t *testing.T) {
	o, path := home(t)
	installtest.Put(t, path, "{\"first\": true}")
	for i := range 12 {
		o.Mode = Modes()[i%2]
		o.Now = o.Now.Add(time.Duration(i%3) * time.Hour) // also several in one instant
		install(t, o)
	}
	f, err := openSettings(claudeAgent(), o)
	if err != nil {
		t.Fatal(err)
	}
	names := f.backups()
	if len(names) != backupsKept || installtest.Read(t, names[0]) != "{\"first\": true}" {
		t.Errorf("backups: %v", names)
	}
	if uninstall(t, o); installtest.Read(t, path) != "{\"first\": true}" {
		t.Errorf("not as before: %q", installtest.Read(t, path))
	}
}

// Another program that writes at the same moment loses nothing.
func TestConcurrentChangeIsNoticed(t *testing.T) {
	for name, tc := range map[string]struct {
		before string  // "" for no file
		after  *string // nil for no file
	}{
		"changed": {"{}", new(`{"new": 1}`)},
		"created": {"", new("")},
		"gone":    {"{}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			o, path := home(t)
			if tc.before != "" {
				installtest.Put(t, path, tc.before)
			}
			f, err := openSettings(claudeAgent(), o)
			if err != nil {
				t.Fatal(err)
			}
			if tc.after != nil {
				installtest.Put(t, path, *tc.after)
			} else if err = os.Remove(path); err != nil {
				t.Fatal(err)
			}
			want, wantErr := os.ReadFile(path)
			if _, err = f.write([]byte("{\"mine\": 1}"), o.Now); !errors.Is(err, ErrChanged) {
				t.Errorf("write: %v, want ErrChanged", err)
			}
			got, gotErr := os.ReadFile(path)
			if !bytes.Equal(got, want) || (gotErr == nil) != (wantErr == nil) {
				t.Errorf("the other program's %q became %q, %v", want, got, gotErr)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".settings*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Settings are replaced, never written over: whoever reads them meanwhile, and a crash
// at any moment, finds the old text or the new one.
func TestInstallReplacesTheFile(t *testing.T) {
	o, path := home(t)
	const old = `{"old": 1}`
	installtest.Put(t, path, old)
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	before, err := reader.Stat()
	if err != nil {
		t.Fatal(err)
	}
	install(t, o)
	if text, err := io.ReadAll(reader); err != nil || string(text) != old {
		t.Errorf("a reader of the old file got %q, %v", text, err)
	}
	if after, err := os.Stat(path); err != nil || os.SameFile(before, after) {
		t.Errorf("the file was written over, %v", err)
	}
}

// killLoop makes the test binary install over and over, in turns, until it is killed.
const killLoop = "AOCTL_TEST_INSTALL_LOOP"

// Killed at any moment, an installation leaves a file that is whole: the one before or
// the one after.
func TestKilledInstallLeavesWholeFile(t *testing.T) {
	if os.Getenv(killLoop) != "" {
		loopInstall(t)
	}
	o, path := home(t)
	const old = `{"old": 1}`
	installtest.Put(t, path, old)
	whole := map[string]bool{}
	for next := []string{old}; len(next) > 0; next = next[1:] { // a child may be killed when it has gone on to another mode
		if whole[next[0]] {
			continue
		}
		whole[next[0]] = true
		for _, mode := range Modes() {
			next = append(next, string(mustInstall(t, []byte(next[0]), claudeHooks(o.Program, mode, o.Timeout))))
		}
	}
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	for round := range rounds {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledInstallLeavesWholeFile$")
		cmd.Env = append(os.Environ(), killLoop+"="+o.Program.Path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err = cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := make([]byte, 1+round) // a byte for each installation
		if _, err = io.ReadFull(out, said); err != nil || strings.Trim(string(said), ".") != "" {
			t.Fatalf("the child said %q, %v", said, err)
		}
		if err = cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed
		backups, err := filepath.Glob(path + backupInfix + "*")
		if err != nil || len(backups) == 0 {
			t.Fatalf("round %d: backups %v, %v", round, backups, err)
		}
		for _, name := range append(backups, path) {
			if text := installtest.Read(t, name); !whole[text] {
				t.Fatalf("round %d left %q in %s", round, text, name)
			}
		}
	}
}

func loopInstall(t *testing.T) {
	t.Helper()
	o := Options{
		Agent: "claude", Timeout: time.Minute, Program: Program{Path: os.Getenv(killLoop), Console: Console{Socket: "/run/user/1/aoctl/broker.sock"}},
		ManagedDir: os.DevNull, Now: time.Now(),
	}
	for i := range 10_000 {
		o.Mode = Modes()[i%2]
		o.Now = o.Now.Add(time.Second)
		if _, err := Install(o); err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString(".") // the reader may be gone
		if _, err := Uninstall(o); err != nil {
			t.Fatal(err)
		}
	}
}

// A write that cannot finish leaves the old file, whole.
func TestFailedWriteLeavesOld(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root may write anywhere: only the backup's failure is tried")
	}
	o, path := home(t)
	installtest.Put(t, path, "{\"old\": 1}")
	for i := 1; i < 10; i++ { // every name that a backup could take is taken
		name := path + backupInfix + o.Now.Format("20060102T150405.000Z")
		if i > 1 {
			name += "-" + string(rune('0'+i))
		}
		installtest.Put(t, name, "{}")
	}
	if _, err := Install(o); !errors.Is(err, fs.ErrExist) {
		t.Errorf("install without a backup: %v", err)
	}
	if installtest.Read(t, path) != "{\"old\": 1}" {
		t.Errorf("file now holds %q", installtest.Read(t, path))
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".settings*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
