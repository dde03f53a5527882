package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A managed session outlives whoever started it, so a test that fails, or whose process is
// killed, would leave it behind. A second process, the reaper, is told where the tests'
// homes are, over a pipe that ends with the tests, and then kills what still lives there.

// reaperEnv makes the test binary the reaper.
const reaperEnv = "AOCTL_TEST_REAPER"

var reaper = sync.OnceValues(func() (io.Writer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self) // it outlives us
	cmd.Env = append(os.Environ(), reaperEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what ends the tests does not end it
	homes, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return homes, cmd.Start()
})

// reapUnder has whatever has its AOCTL_HOME in dir killed when the tests have ended, however
// they did.
func reapUnder(dir string) error {
	homes, err := reaper()
	if err == nil {
		_, err = fmt.Fprintln(homes, dir)
	}
	return err
}

// reap is the reaper.
func reap(homes io.Reader) {
	var dirs []string
	for in := bufio.NewScanner(homes); in.Scan(); {
		dirs = append(dirs, in.Text())
	}
	for quiet, passes := 0, 0; quiet < 5 && passes < 100; time.Sleep(100 * time.Millisecond) { // what is being started meanwhile, too
		passes++
		quiet++
		for _, dir := range dirs {
			if killUnder(dir, func(int) bool { return true }) > 0 {
				quiet = 0
			}
		}
	}
}

// killUnder kills the processes that were started with an AOCTL_HOME in dir and for which
// may says so, and returns how many.
func killUnder(dir string, may func(pid int) bool) (killed int) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well-formed
	for _, name := range environs {
		pid, err := strconv.Atoi(strings.Split(name, "/")[2])
		text, e := os.ReadFile(name)
		if errors.Join(err, e) != nil || !bytes.Contains(text, []byte("AOCTL_HOME="+dir+"/")) || pid == os.Getpid() || !may(pid) {
			continue
		}
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	return killed
}

// When the tests are killed, nothing of theirs stays, also not what leads a session of its own.
func TestReaper(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("finds processes in /proc")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, other := t.TempDir(), t.TempDir()
	sleeper := func(home string) (*exec.Cmd, chan error) {
		cmd := exec.CommandContext(t.Context(), "sleep", "600")
		cmd.Env = append(os.Environ(), "AOCTL_HOME="+filepath.Join(home, "s"))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return cmd, ended
	}
	_, left := sleeper(dir)
	foreign, _ := sleeper(other)

	tests := exec.CommandContext(t.Context(), "sh", "-c", `exec 3>&1; echo "$1" >&3; : >"$1/told"; sleep 600`, "sh", dir) // in place of the tests
	homes, err := tests.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	tests.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := tests.Start(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env, cmd.Stdin = append(os.Environ(), reaperEnv+"=1"), homes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(foreign.Process.Pid, 0) != nil {
		t.Fatal("the reaper did not wait")
	}
	for deadline := time.Now().Add(e2eWait); ; <-time.After(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "told")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the home was not told")
		}
	}
	if err := syscall.Kill(-tests.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the reaper: %v", err)
	}
	_ = tests.Wait() // it was killed
	select {
	case err := <-left:
		t.Logf("what was left: %v", err)
	case <-time.After(e2eWait):
		t.Error("what the tests started is left")
	}
	if !lives(foreign.Process.Pid) {
		t.Error("a process of another home was killed")
	}
}
