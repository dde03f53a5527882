package doctor

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// Who waits for the checks sees on a terminal that they run.
func TestCheckingIsSeen(t *testing.T) {
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "AOCTL_HOME": filepath.Join(home, "state"), "PATH": home, "TERM": "xterm"} {
		t.Setenv(name, value)
	}
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = tty.Close(), screen.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what the checks find is not asked here
	_ = runDoctor(ctx, options{project: home, noDrill: true}, io.Discard, tty)
	said := make([]byte, 1000)
	n, err := screen.Read(said)
	if text := string(said[:n]); err != nil || !strings.Contains(text, " checking 0/") {
		t.Errorf("it shows %q, %v", text, err)
	}
}
