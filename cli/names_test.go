package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/console"
)

// TestEndedOnesMakeNoNameAmbiguous: a folder means the living session in it, for every command, however
// many have ended there.
func TestEndedOnesMakeNoNameAmbiguous(t *testing.T) {
	dir, err := os.MkdirTemp("", "aoctl") //nolint:usetesting // the folders of t.TempDir may be too deep for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("AOCTL_HOME", dir)
	t.Setenv("AOCTL_SOCKET", "")
	t.Setenv("AOCTL_TOKEN", "aoctl_"+strings.Repeat("0", 32)) // no operator, and resume finds its session all the same
	h, err := console.Open(t.Context(), console.Options{Socket: filepath.Join(dir, "broker.sock"), Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	c, err := client.New(&cobra.Command{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct{ id, event string }{
		{"old-1", broker.EventSessionStart},
		{"old-1", broker.EventSessionStop},
		{"old-2", broker.EventSessionStart},
		{"old-2", broker.EventSessionStop},
		{"lives", broker.EventSessionStart},
	} {
		var answer map[string]string
		body := map[string]string{"event_type": e.event, "session_id": e.id, "name": "shop", "cwd": "/src/store"}
		if err := c.Post(t.Context(), "/events", body, &answer); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"session view store", "call list --session store", "log --session store", "transcript store", "stats --session store",
		"interrupt store", "send store hello", "resume store", "answer store", "freeze store", "stop store",
	} {
		root := NewRoot()
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		root.SetArgs(strings.Fields(line))
		if err := root.ExecuteContext(t.Context()); err != nil && (strings.Contains(err.Error(), "fits") || strings.Contains(err.Error(), "unknown")) {
			t.Errorf("%s: %v", line, err)
		} else if testing.Verbose() {
			t.Logf("%s: %v", line, err)
		}
	}
	all, err := c.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if got := s.State.UnderStop(); got != (s.ID == "lives") {
			t.Errorf("%s is %s", s.ID, s.State)
		}
	}
}
