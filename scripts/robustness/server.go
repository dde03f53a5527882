package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// server is one life of the broker, as the one who kills it sees it.
type server struct {
	cmd   *exec.Cmd
	real  bool          // it is "aoctl broker": nobody sits at its keys
	up    chan struct{} // closed once it listens
	ended chan struct{} // closed once the process is gone and its last word was read
	began time.Time
	took  time.Duration // until it listened; set before up is closed

	mu      sync.Mutex
	keys    io.WriteCloser
	nextN   uint64
	waiting map[uint64]chan receipt
	meant   bool // we ended it
}

// start starts a broker on home: this program's own, with an operator at a pipe, or
// the real one without.
func start(aoctl, home string, real bool, log *os.File) (*server, error) {
	name, args := aoctl, []string{"broker"}
	if !real {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
		name, args = self, []string{"serve", home}
	}
	cmd := exec.Command(name, args...) //nolint:gosec,noctx // G204: our own programs; ended by signals of our choice
	cmd.Env = environment(home)
	cmd.Stderr = log
	in, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	if real {
		cmd.Stdout = out
	} else {
		cmd.ExtraFiles = []*os.File{out}
	}
	keys, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	s := &server{
		cmd: cmd, real: real, keys: keys, began: time.Now(), waiting: map[uint64]chan receipt{},
		up: make(chan struct{}), ended: make(chan struct{}),
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the broker: %w", err)
	}
	_ = out.Close()
	heard := make(chan struct{})
	go s.listen(in, heard)
	go func() {
		_ = cmd.Wait()
		<-heard
		s.hangUp()
		close(s.ended)
	}()
	return s, nil
}

func environment(home string) []string {
	return append(os.Environ(), "AOCTL_HOME="+home, "HOME="+home, "AOCTL_SOCKET="+socketIn(home))
}

// listen reads receipts. The real broker prints one line when it is ready, which reads
// as a receipt with N 0.
func (s *server) listen(in io.ReadCloser, heard chan<- struct{}) {
	defer close(heard)
	defer in.Close()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var r receipt
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue // cut off by a kill
		}
		if r.N == 0 {
			s.took = time.Since(s.began)
			close(s.up)
			continue
		}
		s.mu.Lock()
		if c, ok := s.waiting[r.N]; ok {
			c <- r
			delete(s.waiting, r.N)
		}
		s.mu.Unlock()
	}
}

// hangUp tells those who still wait for a receipt that there is none.
func (s *server) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, c := range s.waiting {
		close(c)
		delete(s.waiting, n)
	}
	s.waiting = nil
}

// errUnsent marks an order that did not leave.
var errUnsent = errors.New("the order was not sent")

// order sends one order and waits for its receipt; without one the outcome is unknown.
func (s *server) order(ctx context.Context, o order) (receipt, error) {
	answer := make(chan receipt, 1)
	s.mu.Lock()
	if s.waiting == nil {
		s.mu.Unlock()
		return receipt{}, errUnsent
	}
	s.nextN++
	o.N = s.nextN
	s.waiting[o.N] = answer
	line, err := json.Marshal(o)
	if err == nil {
		_, err = s.keys.Write(append(line, '\n'))
	}
	if err != nil {
		delete(s.waiting, o.N)
	}
	s.mu.Unlock()
	if err != nil {
		return receipt{Out: unknown}, nil //nolint:nilerr // part of it may have left
	}
	select {
	case r, ok := <-answer:
		if ok {
			return r, nil
		}
	case <-ctx.Done():
	}
	return receipt{Out: unknown}, nil
}

// signal sends sig, and notes when the process is not to live on.
func (s *server) signal(sig syscall.Signal) {
	if sig == syscall.SIGKILL || sig == syscall.SIGTERM {
		s.mu.Lock()
		s.meant = true
		s.mu.Unlock()
	}
	_ = s.cmd.Process.Signal(sig)
}

func (s *server) wasMeant() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.meant
}
