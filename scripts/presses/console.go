package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

const (
	columns, rows = 120, 40
	patience      = 20 * time.Second // for what must come
	lookEvery     = 5 * time.Millisecond
)

// console is a real console at a pseudo-terminal.
type console struct {
	api  ask.Client
	cmd  *exec.Cmd
	term *os.File
	home string
	done chan struct{}

	mu     sync.Mutex
	drawn  bytes.Buffer // since the last forget
	events []sighting   // texts that are looked for
}

// sighting is a text and when the terminal had it first.
type sighting struct {
	text string
	at   time.Time
}

func openConsole(ctx context.Context, program string) (*console, error) {
	home, err := os.MkdirTemp("", "aopress")
	if err != nil {
		return nil, fmt.Errorf("make a state folder: %w", err)
	}
	c := &console{home: home, api: ask.Client{Socket: filepath.Join(home, "broker.sock")}, done: make(chan struct{})}
	c.cmd = exec.CommandContext(ctx, program, "--no-bell")
	c.cmd.Env = []string{"HOME=" + home, "AOCTL_HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}
	c.term, err = pty.StartWithSize(c.cmd, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the console: %w", err), os.RemoveAll(home))
	}
	go c.read()
	if err := c.await(ctx, "the console to serve", func() bool {
		_, err := c.api.Do(ctx, "GET", "/sessions", nil)
		return err == nil
	}); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *console) close() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(patience, func() { _ = c.cmd.Process.Kill() })
	_ = c.cmd.Wait()
	late.Stop()
	_ = c.term.Close()
	<-c.done
	_ = os.RemoveAll(c.home)
}

func (c *console) read() {
	defer close(c.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := c.term.Read(buf)
		at := time.Now()
		c.mu.Lock()
		c.drawn.Write(buf[:n])
		c.look(at)
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// look notes which texts have come. Caller holds mu.
func (c *console) look(at time.Time) {
	plain := ""
	for i := range c.events {
		if !c.events[i].at.IsZero() {
			continue
		}
		if plain == "" {
			plain = ansi.Strip(c.drawn.String())
		}
		if strings.Contains(plain, c.events[i].text) {
			c.events[i].at = at
		}
	}
}

// watchFor begins to look for texts, and for the empty queue, in what is drawn from now on.
func (c *console) watchFor(texts ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drawn.Reset()
	c.events = nil
	for _, t := range append(texts, idle) {
		c.events = append(c.events, sighting{text: t})
	}
}

// seen is when text was first drawn; zero when it was not.
func (c *console) seen(text string) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.events {
		if e.text == text {
			return e.at
		}
	}
	return time.Time{}
}

// press types text and returns when it began to.
func (c *console) press(text string) (time.Time, error) {
	at := time.Now()
	if _, err := c.term.WriteString(text); err != nil {
		return at, fmt.Errorf("press a key: %w", err)
	}
	return at, nil
}

func (c *console) resize(cols uint16) error {
	return pty.Setsize(c.term, &pty.Winsize{Rows: rows, Cols: cols}) //nolint:wrapcheck // says itself what failed
}

// await waits for a condition.
func (c *console) await(ctx context.Context, what string, met func() bool) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	deadline := time.After(patience)
	for !met() {
		select {
		case <-look.C:
		case <-deadline:
			return errors.New("waited in vain for " + what)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// do calls a route and reads its answer, whose status must be 200.
func (c *console) do(ctx context.Context, method, path string, body, into any) error {
	rep, err := c.api.Do(ctx, method, path, body)
	if err != nil {
		return err
	}
	if rep.Status != 200 {
		return &ask.Error{Status: rep.Status, Body: string(rep.Body)}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(rep.Body, into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return nil
}
