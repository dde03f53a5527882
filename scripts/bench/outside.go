//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/host"
	"github.com/aoctl/aoctl/scripts/internal/screen"
)

// outside measures the real console at a terminal. Its clients are a process of their own and
// speak to the real socket: hooks that wait, and deciders who end their calls.
func (b *bench) outside(ctx context.Context) ([]row, error) {
	if err := host.NeedDescriptors(waiting); err != nil {
		return nil, err
	}
	p, err := build(ctx, b.dir)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(b.dir, "outside")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	s, err := screen.Start(ctx, []string{p.aoctl, "--no-bell", "--max-pending=20000", "--max-rate=0"}, append(os.Environ(), "AOCTL_HOME="+home, "HOME="+home, "TERM=xterm-256color"), b.dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.WaitFor(ctx, "Sessions"); err != nil {
		return nil, err
	}
	c, err := startCrowd(ctx, filepath.Join(home, "broker.sock"), b.dir)
	if err != nil {
		return nil, err
	}
	defer c.stop()

	if _, err := c.do("wait 500"); err != nil { // what is there once does not count
		return nil, err
	}
	if _, err := c.do("decide 64"); err != nil {
		return nil, err
	}
	memory := func(after time.Duration) (float64, error) {
		select {
		case <-time.After(after):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		return host.Memory(ctx, s.PID())
	}
	before, err := memory(b.often.settle)
	if err != nil {
		return nil, err
	}
	if _, err := c.do("wait " + strconv.Itoa(b.often.outside)); err != nil {
		return nil, err
	}
	during, err := memory(b.often.settle)
	if err != nil {
		return nil, err
	}
	idle, err := processorTime(s.PID())
	if err != nil {
		return nil, err
	}
	many, err := c.do("decide 64")
	if err != nil {
		return nil, err
	}
	busy, err := processorTime(s.PID())
	if err != nil {
		return nil, err
	}
	after, err := memory(4 * b.often.settle)
	if err != nil {
		return nil, err
	}
	each, back := (during-before)/float64(b.often.outside)/1024, (after-before)/1024/1024
	const wanted, mostEach, mostLeft = 12_000, 14.0, 32.0
	return []row{
		{
			measure: "console at a terminal: synced decisions a second over HTTP, 64 deciders",
			value:   fmt.Sprintf("%.0f", many["per_second"]), floor: "-", ratio: "-",
			limit: fmt.Sprintf(">= %d", wanted), met: many["per_second"] >= wanted,
		},
		{
			measure: "console at a terminal: processor time of a decision, and of its clients",
			value:   fmt.Sprintf("%.0f us, %.0f us", (busy-idle).Seconds()*1e6/float64(b.often.outside), many["clients_us"]), floor: "-", ratio: "-", met: true,
		},
		{
			measure: fmt.Sprintf("console at a terminal: memory of each of %d waiting hooks", b.often.outside),
			value:   fmt.Sprintf("%.1f KB", each), floor: "-", ratio: "-",
			limit: fmt.Sprintf("<= %.0f KB", mostEach), met: each <= mostEach,
		},
		{
			measure: "console at a terminal: memory that stays when they are gone",
			value:   fmt.Sprintf("%.0f MB", back), floor: "-", ratio: "-",
			limit: fmt.Sprintf("<= %.0f MB", mostLeft), met: back <= mostLeft,
		},
	}, nil
}

// processorTime is what a process has used of the processors so far.
func processorTime(id int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return 0, fmt.Errorf("read the processor time: %w", err)
	}
	_, after, _ := strings.Cut(string(stat), ") ") // the program's name
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0, fmt.Errorf("read the processor time: %q", stat)
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, fmt.Errorf("read the processor time: %w", err)
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		return 0, fmt.Errorf("read the processor time: %w", err)
	}
	const tick = 10 * time.Millisecond // on all Linux that Go runs on
	return time.Duration(user+system) * tick, nil
}

// crowd is the clients' process, driven by lines on its standard input.
type crowd struct {
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Reader
}

func startCrowd(ctx context.Context, socket, cwd string) (*crowd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer theirs.Close()
	cmd := exec.CommandContext(ctx, self, crowdArg, socket, cwd) //nolint:gosec // G204: this very program
	cmd.Stdin, cmd.Stderr = theirs, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the clients: %w", err)
	}
	return &crowd{cmd, ours, bufio.NewReader(out)}, nil
}

// do has the clients do something and returns what they measured.
func (c *crowd) do(command string) (map[string]float64, error) {
	if _, err := fmt.Fprintln(c.in, command); err != nil {
		return nil, fmt.Errorf("tell the clients: %w", err)
	}
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("hear from the clients: %w", err)
	}
	var said crowdSaid
	if err := json.Unmarshal(line, &said); err != nil {
		return nil, fmt.Errorf("hear from the clients: %w", err)
	}
	if said.Err != "" {
		return nil, errors.New(said.Err)
	}
	return said.Values, nil
}

func (c *crowd) stop() {
	_ = c.in.Close()
	_ = c.cmd.Wait()
}
