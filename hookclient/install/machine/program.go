package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// versionTime is how long an agent may take to say its version.
const versionTime = 8 * time.Second

// FindProgram looks for a program on PATH and where installers put it. It is "" when there is
// none. Desktop sessions often have a shorter PATH than terminals, so the usual places are looked
// at too.
func FindProgram(names []string) string {
	// An agent may have several names; the first that is found is taken.
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			return path
		}
	}
	dirs := []string{"/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"}
	if h := Home(); h != "" {
		for _, d := range []string{".local/bin", "bin", ".claude/local", ".opencode/bin", ".bun/bin", ".npm-global/bin", ".volta/bin"} {
			dirs = append(dirs, filepath.Join(h, d))
		}
	}
	for _, name := range names {
		for _, dir := range dirs {
			if path := filepath.Join(dir, name); Executable(path) == nil {
				return path
			}
		}
	}
	return ""
}

// Version runs "program --version". Whatever the program does, it is over in a few
// seconds: its whole process group is ended, and pipes that a child holds are let go. The program
// is the user's own agent, found by name; what it prints is foreign text.
func Version(ctx context.Context, program string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.Dir = os.TempDir()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 500 * time.Millisecond
	out := &capped{limit: 64 << 10}
	cmd.Stdout = out
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("no answer within %v", versionTime)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", err
	}
	if v := versionPattern().FindString(out.String()); v != "" {
		return v, nil
	}
	return "", errors.New("its answer has no version in it")
}

// versionPattern is compiled when it is first needed: a hook run never does.
var versionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+(\.\d+)+([-+.][0-9A-Za-z.]+)?`) })

// capped keeps the beginning of what is written to it.
type capped struct {
	bytes.Buffer
	limit int
}

// Write takes everything and keeps the beginning, so that the program is not held up by a full
// pipe.
func (c *capped) Write(p []byte) (int, error) {
	if room := c.limit - c.Len(); room > 0 {
		_, _ = c.Buffer.Write(p[:min(room, len(p))]) // a buffer takes all
	}
	return len(p), nil
}

// CompareVersions is below 0 when a is older than b, and above 0 when it is newer. What is no
// number counts as 0. A suffix such as -beta is not told apart from the release.
func CompareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		var x, y int
		if i < len(as) {
			x, _ = strconv.Atoi(as[i]) // what is no number counts as 0
		}
		if i < len(bs) {
			y, _ = strconv.Atoi(bs[i])
		}
		if x != y {
			return x - y
		}
	}
	return 0
}

// SameFile reports whether both paths lead to one file.
func SameFile(a, b string) bool {
	ai, err := os.Stat(a)
	if err != nil {
		return false
	}
	bi, err := os.Stat(b)
	return err == nil && os.SameFile(ai, bi)
}

// Executable returns why path cannot be run, or nil. Whether this user may run it is not looked
// at further: the permission of any kind counts.
func Executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("%s is not executable", path)
	}
	return nil
}
