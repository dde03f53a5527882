package sessions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/console"
	"github.com/aoctl/aoctl/cli/output"
)

// openTestHouse opens a real broker on a real store below a folder whose path is
// short enough for a socket.
func openTestHouse(t *testing.T) (*console.App, *client.Client) {
	t.Helper()
	dir := shortFolder(t)
	t.Setenv("AOCTL_HOME", dir)
	t.Setenv("AOCTL_SOCKET", "")
	socket := filepath.Join(dir, "broker.sock")
	h, err := console.Open(t.Context(), console.Options{Socket: socket, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	c, err := client.New(&cobra.Command{})
	if err != nil {
		t.Fatal(err)
	}
	return h, c
}

// ask submits a call and returns its id.
func ask(t *testing.T, h *console.App, session string, n int) string {
	t.Helper()
	q := broker.Question{}
	q.SessionID, q.Agent, q.CWD, q.ToolName = session, "claude", "/src/"+session, "Bash"
	q.ToolInput = json.RawMessage(fmt.Sprintf(`{"command":"make %d"}`, n))
	r, err := h.Broker.Submit(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// TestStopAllAtScale: one command refuses everything that 200 sessions ask.
func TestStopAllAtScale(t *testing.T) {
	const sessions, each = 200, 5
	h, c := openTestHouse(t)
	var asking sync.WaitGroup
	for s := range sessions {
		asking.Go(func() {
			for n := range each {
				ask(t, h, fmt.Sprintf("s-%03d", s), n)
			}
		})
	}
	asking.Wait()
	waiting, err := c.Pending(t.Context(), "")
	if err != nil || len(waiting) != sessions*each {
		t.Fatalf("%d calls wait, %v", len(waiting), err)
	}
	var out bytes.Buffer
	begun := time.Now()
	if err := stopSessions(t.Context(), c, stopOptions{all: true, json: output.JSON()}, &out); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d calls of %d sessions refused in %v", sessions*each, sessions, time.Since(begun))
	var done []stopped
	if err := json.Unmarshal(out.Bytes(), &done); err != nil || len(done) != sessions {
		t.Fatalf("%d sessions reported, %v", len(done), err)
	}
	for _, s := range done {
		if s.Status != "stopping" || s.Waited != each || s.Already {
			t.Errorf("%+v", s)
		}
	}
	if waiting, err = c.Pending(t.Context(), ""); err != nil || len(waiting) != 0 {
		t.Errorf("%d calls still wait, %v", len(waiting), err)
	}
}

// TestStopAllWhileOneEnds: a session that ended after it was listed is no failure.
func TestStopAllWhileOneEnds(t *testing.T) {
	h, c := openTestHouse(t)
	ask(t, h, "s-1", 1)
	known, err := c.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	targets := append(client.Plain(known), broker.Session{ID: "s-1"}, broker.Session{ID: "s-ended"})
	endSession(t, c, "s-ended")
	done, err := stopEach(t.Context(), c, targets)
	if err != nil || len(done) != 2 {
		t.Errorf("stopped %+v, %v", done, err)
	}
}

func endSession(t *testing.T, c *client.Client, id string) {
	t.Helper()
	for _, event := range []string{broker.EventSessionStart, broker.EventSessionStop} {
		var answer map[string]string
		if err := c.Post(t.Context(), "/events", map[string]string{"event_type": event, "session_id": id}, &answer); err != nil {
			t.Fatal(err)
		}
	}
}

// shortFolder is a folder for a socket: those of t.TempDir may be too deep.
func shortFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "aoctl") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
