package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// module is where the programs of aoctl lie.
const module = "github.com/aoctl/aoctl"

// programs are those that tests built, each once: its file in dir, by package and environment.
var programs struct {
	mu    sync.Mutex
	dir   string
	files map[string]string
}

// build makes the program of a package at out.
func build(t *testing.T, out, pkg string, env ...string) {
	t.Helper()
	programs.mu.Lock()
	defer programs.mu.Unlock()
	if programs.dir == "" {
		dir, err := os.MkdirTemp("", "aoctl-programs") //nolint:usetesting // for all tests; removed by tests.Run
		if err != nil {
			t.Fatal(err)
		}
		programs.dir, programs.files = dir, map[string]string{}
	}
	key := fmt.Sprint(pkg, env)
	file, there := programs.files[key]
	if !there {
		file = filepath.Join(programs.dir, strconv.Itoa(len(programs.files)))
		cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", file, pkg) // without what a debugger wants it is linked in half the time
		cmd.Env = append(os.Environ(), env...)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", pkg, err, text)
		}
		programs.files[key] = file
	}
	if err := os.Link(file, out); err != nil {
		t.Fatalf("build %s: %v", pkg, err)
	}
}

// tests are all tests of the package; what build left is removed after them.
type tests struct{ *testing.M }

func (m tests) Run() int {
	leaveTerminal()
	defer func() { _ = os.RemoveAll(programs.dir) }() // nothing when it is ""
	return m.M.Run()
}

// leaveTerminal gives up the terminal that the tests were started in, as where there is none: to a
// person's terminal aoctl speaks otherwise. Scripts that want one get their own.
func leaveTerminal() {
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		_ = unix.IoctlSetInt(int(tty.Fd()), unix.TIOCNOTTY, 0) // else it stays, and a script says so
		_ = tty.Close()
	}
}
