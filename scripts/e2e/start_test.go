package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHookRunsBeforeTheConsoleIsReady: "aoctl hook" ends before the packages of the console
// are initialised, so that an agent does not wait for them at every call.
func TestHookRunsBeforeTheConsoleIsReady(t *testing.T) {
	aoctl := filepath.Join(t.TempDir(), "aoctl")
	build(t, aoctl, module)
	cmd := exec.CommandContext(t.Context(), aoctl, "hook", "claude")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "init encoding/json ") {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, late := range []string{module + "/tui", module + "/broker", module + "/broker/risk", module + "/store", "github.com/charmbracelet/bubbletea", "github.com/yuin/goldmark/util", "net/http"} {
		if strings.Contains(string(out), "init "+late+" ") {
			t.Errorf("%s is made ready before a hook asks", late)
		}
	}
}
