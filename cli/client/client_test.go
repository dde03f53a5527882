package client

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/exit"
)

// TestSilentConsole: a console that is suspended accepts connections and says nothing.
func TestSilentConsole(t *testing.T) {
	c := listenInstead(t)
	c.http.Timeout = 50 * time.Millisecond
	_, err := c.Sessions(t.Context())
	f, ok := errors.AsType[exit.Error](err)
	if !ok || f.Code != exit.NoConsole || !strings.Contains(f.Text, "does not answer") {
		t.Errorf("got %v", err)
	}
}

// TestForeignSocket: nothing is sent to a socket that belongs to another user.
func TestForeignSocket(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give a file away")
	}
	c := listenInstead(t)
	if err := os.Chown(c.socket, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	f, ok := errors.AsType[exit.Error](checkSocket(c.socket))
	if !ok || f.Code != exit.Failed || !strings.Contains(f.Text, "belongs to user 12345") {
		t.Errorf("got %v", f)
	}
}

// listenInstead puts a socket that never answers where a console's belongs.
func listenInstead(t *testing.T) *Client {
	t.Helper()
	dir := shortTempDir(t)
	t.Setenv("AOCTL_SOCKET", filepath.Join(dir, "broker.sock"))
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "unix", filepath.Join(dir, "broker.sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c, err := New(&cobra.Command{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCompletionIsBounded: a suspended console does not freeze the tab key.
func TestCompletionIsBounded(t *testing.T) {
	listenInstead(t)
	begun := time.Now()
	words, _ := CompleteSessions(&cobra.Command{}, nil, "")
	if took := time.Since(begun); len(words) > 0 || took < completionTime/2 || took > callTimeout/2 {
		t.Errorf("%q after %v", words, took)
	}
}

// shortTempDir is a folder for a socket: those of t.TempDir may be too deep.
func shortTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "aoctl") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
