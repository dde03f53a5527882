// Package host runs a real broker in a process of its own, so that its memory is
// measured alone and its life is its own. The measuring program starts itself a second
// time: Start is the side that drives, Child the side that is driven, by lines on its
// standard input.
package host

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Host is the broker's process, driven by lines on its standard input; see serve.
type Host struct {
	Home string // its state folder
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// answer is what the broker's process says to one command, as one line of JSON.
type answer struct {
	Err    string             `json:"err,omitempty"`
	Values map[string]float64 `json:"values,omitempty"`
}

// Start starts a broker with an empty state folder called name and waits until
// it listens.
func Start(ctx context.Context, dir, name string) (*Host, error) {
	home := filepath.Join(dir, name)
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, "serve", home) //nolint:gosec // G204: this very program
	cmd.Env = append(os.Environ(), "AOCTL_HOME="+home)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the broker: %w", err)
	}
	h := &Host{Home: home, cmd: cmd, in: in, out: bufio.NewReader(out)}
	if _, err := h.read(); err != nil {
		h.Stop()
		return nil, err
	}
	return h, nil
}

// Socket is where the broker listens.
func (h *Host) Socket() string { return filepath.Join(h.Home, "broker.sock") }

// Do sends one command and returns the values of its answer.
func (h *Host) Do(command string) (map[string]float64, error) {
	if _, err := fmt.Fprintln(h.in, command); err != nil {
		return nil, fmt.Errorf("tell the broker's process: %w", err)
	}
	return h.read()
}

func (h *Host) read() (map[string]float64, error) {
	line, err := h.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("hear from the broker's process: %w", err)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, fmt.Errorf("hear from the broker's process: %w", err)
	}
	if a.Err != "" {
		return nil, fmt.Errorf("broker's process: %s", a.Err)
	}
	return a.Values, nil
}

// Stop ends the process: it leaves when its standard input is closed.
func (h *Host) Stop() {
	_ = h.in.Close()
	_ = h.cmd.Wait()
}

// Memory is the resident memory of the process, in bytes.
func (h *Host) Memory(ctx context.Context) (float64, error) { return Memory(ctx, h.cmd.Process.Pid) }

// Memory is the resident memory of process id, in bytes.
func Memory(ctx context.Context, id int) (float64, error) {
	pid := strconv.Itoa(id)
	var text []byte
	status, err := os.ReadFile("/proc/" + pid + "/status") //nolint:gosec // G304: a number
	if err == nil {
		_, after, _ := bytes.Cut(status, []byte("VmRSS:"))
		text, _, _ = bytes.Cut(after, []byte("kB"))
	} else if text, err = exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", pid).Output(); err != nil { //nolint:gosec // G204: a number
		return 0, fmt.Errorf("ask ps for the memory: %w", err)
	}
	kb, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		return 0, fmt.Errorf("read the memory: %w", err)
	}
	return kb * 1024, nil
}

// NeedDescriptors makes sure that this process and its children may open n files.
func NeedDescriptors(n uint64) error {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	if lim.Cur >= n {
		return nil
	}
	lim.Cur, lim.Max = n, max(lim.Max, n)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return fmt.Errorf("this takes %d open files and the limit is lower; raise it with ulimit -n: %w", n, err)
	}
	return nil
}
