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
	heard     chan struct{} // closed once the pipe is read to its end
	ended     chan struct{} // closed once the process is gone
	startTook time.Duration
}

const ready = "ready"

// startServer starts a broker on the state in home and waits until it listens. Its
// acknowledgements go into book.
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
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the broker: %w", err)
	}
	_ = out.Close()
	p := &server{cmd: cmd, heard: make(chan struct{}), ended: make(chan struct{})}
	up := make(chan struct{})
	go p.listen(in, book, up)
	go func() {
		_ = cmd.Wait()
		close(p.ended)
	}()
	select {
	case <-up:
		p.startTook = time.Since(began)
		return p, nil
	case <-p.ended:
		return nil, fmt.Errorf("the broker did not start: %s", cmd.ProcessState)
	}
}

// listen reads the decider's acknowledgements into book.
func (p *server) listen(in io.ReadCloser, book *ledger, up chan<- struct{}) {
	defer close(p.heard)
	defer in.Close()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if lines.Text() == ready {
			close(up)
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
