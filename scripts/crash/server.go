package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// server is the broker's process, as the one who kills it sees it.
type server struct {
	cmd       *exec.Cmd
	began     time.Time
	up        chan struct{} // closed once it listens
	heard     chan struct{} // closed once the pipe is read to its end
	ended     chan struct{} // closed once the process is gone
	startTook time.Duration // until it listened; set before up is closed
}

// closed is a channel that is closed.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

const ready = "ready"

// startServer starts a broker on the state in home. Its acknowledgements go into book.
func startServer(ctx context.Context, home string, book *ledger) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, "serve", home) //nolint:gosec // G204: this very program
	cmd.Env = append(os.Environ(), "AOCTL_HOME="+home)
	cmd.Stderr = os.Stderr
	// A pipe of our own: what was written before the kill stays readable after it.
	in, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	cmd.ExtraFiles = []*os.File{out}
	p := &server{cmd: cmd, began: time.Now(), up: make(chan struct{}), heard: make(chan struct{}), ended: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the broker: %w", err)
	}
	_ = out.Close()
	go p.listen(in, book)
	go func() {
		_ = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// killAfter waits for up, then for after, and ends the process without warning. It
// returns when its last word is in the book.
func (p *server) killAfter(ctx context.Context, up <-chan struct{}, after time.Duration) error {
	defer p.kill()
	select {
	case <-up:
	case <-p.ended:
		return fmt.Errorf("the broker did not start: %s", p.cmd.ProcessState)
	}
	select {
	case <-time.After(after):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ended:
		return fmt.Errorf("the broker ended by itself: %s", p.cmd.ProcessState)
	}
}

// listen reads the decider's acknowledgements into book.
func (p *server) listen(in io.ReadCloser, book *ledger) {
	defer close(p.heard)
	defer in.Close()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if lines.Text() == ready {
			p.startTook = time.Since(p.began)
			close(p.up)
			continue
		}
		if id, state, ok := strings.Cut(lines.Text(), " "); ok {
			book.decided(id, state)
		}
	}
}

// kill ends the process without warning and returns when its last word was heard.
func (p *server) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.ended
	<-p.heard
}

func databaseIn(home string) string { return filepath.Join(home, "aoctl.db") }
