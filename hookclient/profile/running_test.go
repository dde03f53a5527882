package profile

import (
	"strings"
	"testing"
)

// Claude Code alone was seen to take up hooks that were written while it ran.
func TestRestart(t *testing.T) {
	for _, p := range All() {
		if atOnce := strings.HasSuffix(p.Restart(), "use the hooks within seconds."); atOnce != (p.Name == "claude") {
			t.Errorf("%s: %s", p.Name, p.Restart())
		}
	}
	if got := RestartAny(); !strings.HasPrefix(got, "Running sessions of Claude Code use new hooks") {
		t.Error(got)
	}
}
