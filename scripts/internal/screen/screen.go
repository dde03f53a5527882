//go:build linux

// Package screen runs a program at a terminal, so that measuring programs can have the
// real console drawn.
package screen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
)

// kept is how much of what was drawn is remembered, bytes; a console may draw for long.
const kept = 1 << 20

// Screen is a program at a terminal of 120 × 40 cells.
type Screen struct {
	Began time.Time // just before the program was started

	cmd    *exec.Cmd
	master *os.File
	ended  chan struct{}
	drew   chan struct{} // something was drawn

	mu  sync.Mutex
	out bytes.Buffer // what was drawn since the last Press, at most kept
}

// Start runs argv with env in dir at a new terminal.
func Start(ctx context.Context, argv, env []string, dir string) (*Screen, error) {
	master, slave, err := Open()
	if err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	defer slave.Close()
	s := &Screen{master: master, ended: make(chan struct{}), drew: make(chan struct{}, 1)}
	s.cmd = exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // G204: programs that the caller built
	s.cmd.Env, s.cmd.Dir = append(env, "TERM=xterm-256color", "LANG=C.UTF-8"), dir
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.Began = time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", argv[0], err), master.Close())
	}
	go s.read()
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait()
	}()
	return s, nil
}

// Open makes a terminal of 120 × 40 cells and returns both of its ends.
func Open() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	return master, slave, nil
}

func (s *Screen) read() {
	buf := make([]byte, 16<<10)
	for {
		n, err := s.master.Read(buf)
		s.mu.Lock()
		if s.out.Len() > kept {
			s.out.Next(kept / 2)
		}
		s.out.Write(buf[:n])
		s.mu.Unlock()
		select {
		case s.drew <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// PID is the program's.
func (s *Screen) PID() int { return s.cmd.Process.Pid }

// Text is what was drawn since the last Press, without colours and movements.
func (s *Screen) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ansi.Strip(s.out.String())
}

// Press types keys and forgets what was drawn before.
func (s *Screen) Press(keys string) error {
	s.mu.Lock()
	s.out.Reset()
	s.mu.Unlock()
	_, err := s.master.WriteString(keys)
	return err
}

// WaitFor returns once text was drawn. One goroutine waits at a time.
func (s *Screen) WaitFor(ctx context.Context, text string) error {
	for {
		if strings.Contains(s.Text(), text) {
			return nil
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the program ended (%s); it drew:\n%s", s.cmd.ProcessState, s.Text())
		case <-ctx.Done():
			return fmt.Errorf("%q was not drawn: %w; this was:\n%s", text, ctx.Err(), s.Text())
		case <-s.drew:
		}
	}
}

// Close ends the program in order, and kills it when it does not end by itself.
func (s *Screen) Close() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(10 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
	_ = s.master.Close()
}
