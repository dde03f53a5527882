package service_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/aoctl/aoctl/broker/api"
)

// Whatever lies where the socket should be, a broker either serves there alone or
// says what is in the way; it never removes what is not its own.
func TestSocketPathIsTaken(t *testing.T) {
	for name, tc := range map[string]struct {
		prepare func(path string) error
		says    string
	}{
		"a file":   {func(p string) error { return os.WriteFile(p, []byte("mine"), 0o600) }, "regular file"},
		"a folder": {func(p string) error { return os.Mkdir(p, 0o700) }, "folder"},
		"a link":   {func(p string) error { return os.Symlink("/etc/passwd", p) }, "symbolic link"},
		"a pipe":   {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "named pipe"},
		"a program": {func(p string) error {
			l, err := new(net.ListenConfig).Listen(t.Context(), "unix", p)
			t.Cleanup(func() { _ = l.Close() })
			return err
		}, "not aoctl"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(shortDir(t), "b.sock")
			must(t, tc.prepare(path))
			before, err := os.Lstat(path)
			must(t, err)
			l, err := api.Listen(path)
			var se *api.SocketError
			if !errors.As(err, &se) || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), path) {
				t.Fatalf("got %v, %v, want a SocketError that names %q and the path", l, err, tc.says)
			}
			if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
				t.Errorf("what was there is gone: %v", err)
			}
		})
	}
}

func TestStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(shortDir(t), "b.sock")
	old, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	old.SetUnlinkOnClose(false)
	must(t, old.Close())
	l, err := api.Listen(path)
	must(t, err)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket mode %v, %v, want 0600", info.Mode(), err)
	}
	if why := l.Replaced(); why != "" {
		t.Errorf("a fresh socket counts as replaced: %s", why)
	}
	must(t, os.Remove(path))
	if l.Replaced() == "" {
		t.Error("nobody notices that the socket is gone")
	}
	must(t, os.WriteFile(path, []byte("other"), 0o600))
	must(t, l.Close())
	if _, err := os.Stat(path); err != nil {
		t.Errorf("closing removed what was not ours: %v", err)
	}
}

func TestFolderMustBePrivate(t *testing.T) {
	dir := shortDir(t)
	must(t, os.Chmod(dir, 0o755))
	if _, err := api.Listen(filepath.Join(dir, "b.sock")); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("an open folder: %v", err)
	}
	link := filepath.Join(shortDir(t), "link")
	must(t, os.Symlink(shortDir(t), link))
	if _, err := api.Listen(filepath.Join(link, "b.sock")); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a linked folder: %v", err)
	}
	if _, err := api.Listen("/tmp/" + strings.Repeat("x", 120) + "/b.sock"); err == nil || !strings.Contains(err.Error(), "AOCTL_SOCKET") {
		t.Errorf("a long path: %v", err)
	}
}

func TestManyStartsOneServes(t *testing.T) {
	t.Parallel()
	for range 12 {
		path := filepath.Join(shortDir(t), "b.sock")
		var mu sync.Mutex
		var held []*api.Listener
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				l, err := api.Listen(path)
				mu.Lock()
				defer mu.Unlock()
				var in *api.InUseError
				switch {
				case err == nil:
					held = append(held, l)
				case !errors.As(err, &in):
					t.Errorf("the second start says %v", err)
				case in.PID != os.Getpid() && in.PID != 0:
					t.Errorf("the second start names pid %d, want %d", in.PID, os.Getpid())
				}
			})
		}
		wg.Wait()
		if len(held) != 1 {
			t.Fatalf("%d brokers hold one socket", len(held))
		}
		must(t, held[0].Close())
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
