package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// How long the trial itself waits for what must come: a console that starts, a call that
// arrives, and one of an agent, which takes its time on a busy machine.
const (
	patience      = time.Minute
	agentPatience = 3 * time.Minute
)

// world is what one hook run meets: folders of its own, and what lies or listens where
// the console's socket belongs.
type world struct {
	lab     *lab
	dir     string // short, because a socket's path must be
	home    string // AOCTL_HOME
	socket  string
	random  *rand.Rand
	console *console    // the last one started here
	patient bool        // an agent is to ask it
	agent   *os.Process // what a hook takes for its agent

	again chan struct{} // somebody asked a false console again

	mu   sync.Mutex
	ends []func()
}

func newWorld(l *lab, random *rand.Rand) (*world, error) {
	dir, err := os.MkdirTemp("", "aov")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	w := &world{lab: l, dir: dir, home: filepath.Join(dir, "s"), random: random, again: make(chan struct{}, 1)}
	w.socket = filepath.Join(w.home, "broker.sock")
	w.atEnd(func() {
		_ = os.Chmod(w.home, 0o700) //nolint:gosec // G302: a folder
		_ = os.RemoveAll(dir)
	})
	if err := os.Mkdir(w.home, 0o700); err != nil {
		w.end()
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	return w, nil
}

func (w *world) atEnd(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends = append(w.ends, f)
}

func (w *world) end() {
	for i := len(w.ends) - 1; i >= 0; i-- {
		w.ends[i]()
	}
}

// console is a broker's process.
type console struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	lines   chan string // what it prints; closed at its end
	ended   chan struct{}
	endOnce sync.Once
	late    time.Duration // how long a line is waited for
}

// serve starts a console with somebody at it who acts by mode.
func (w *world) serve(mode string) (*console, error) {
	cmd := exec.Command(w.lab.self, "serve", w.home, mode) //nolint:gosec,noctx // G204: this very program; ended with its world
	cmd.Env = append(os.Environ(), "AOCTL_HOME="+w.home)
	cmd.Stderr = os.Stderr
	if w.lab.quiet {
		cmd.Stderr = nil
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a console: %w", err)
	}
	c := &console{cmd: cmd, stdin: stdin, lines: make(chan string, 1<<10), ended: make(chan struct{}), late: patience}
	if w.patient {
		c.late = agentPatience
	}
	go func() {
		defer close(c.ended)
		for in := bufio.NewScanner(stdout); in.Scan(); {
			select {
			case c.lines <- in.Text():
			default: // nobody reads them in this world
			}
		}
		close(c.lines)
		_ = cmd.Wait()
	}()
	w.console = c
	w.atEnd(c.stop)
	return c, c.await("ready")
}

// await waits for a line that begins with word.
func (c *console) await(word string) error {
	late := time.After(c.late)
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				return fmt.Errorf("the console ended before it said %q", word)
			}
			if strings.HasPrefix(line, word) {
				return nil
			}
		case <-late:
			return fmt.Errorf("the console did not say %q", word)
		}
	}
}

func (c *console) signal(sig syscall.Signal) { _ = c.cmd.Process.Signal(sig) }

func (c *console) kill() {
	c.signal(syscall.SIGKILL)
	<-c.ended
}

func (c *console) stop() {
	c.endOnce.Do(func() {
		c.signal(syscall.SIGCONT)
		_ = c.stdin.Close()
		select {
		case <-c.ended:
		case <-time.After(5 * time.Second):
			c.kill()
		}
	})
}

// lock writes the lock file that says who serves the socket.
func (w *world) lock(pid int) error { return lockFor(w.socket, pid) }

func lockFor(socket string, pid int) error {
	return os.WriteFile(socket+".lock", []byte(strconv.Itoa(pid)+"\n"), 0o600) //nolint:gosec // G703: in our own folder
}

// write makes a file in the world.
func (w *world) write(name, text string) (string, error) {
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("make a folder: %w", err)
	}
	return path, os.WriteFile(path, []byte(text), 0o600)
}
