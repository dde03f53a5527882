//go:build linux

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
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/consoles"
)

// What each machine has a rule for.
const (
	ruleAllows  = "make ruled"
	ruleRefuses = "make refused"
)

// box is a process that holds machines, seen from outside.
type box struct {
	first, last int // of the world's machines; without last
	clock       time.Duration

	cmd *exec.Cmd
	in  io.WriteCloser

	mu    sync.Mutex
	n     uint64
	waits map[uint64]chan boxReply
	ended bool
}

// startBox starts a process with the machines from first on, without last, and with its clock off by
// so many seconds. It returns when all of them listen.
func startBox(ctx context.Context, dir string, w *world, first, last, clock int) (*box, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	plan := boxPlan{Allow: ruleAllows, Refuse: ruleRefuses}
	if plan.Fleet, err = w.membership(); err != nil {
		return nil, fmt.Errorf("encode the roster: %w", err)
	}
	for _, m := range w.machines[first:last] {
		plan.Homes = append(plan.Homes, m.home)
	}
	b := &box{first: first, last: last, clock: time.Duration(clock) * time.Second, waits: map[uint64]chan boxReply{}}
	b.cmd = exec.CommandContext(context.WithoutCancel(ctx), self, "box") //nolint:gosec // G204: this very program
	b.cmd.Env = append(os.Environ(), "AOCTL_HOME="+filepath.Join(dir, "none"), fmt.Sprintf("FLEET_CLOCK=%d", clock))
	b.cmd.Stderr = os.Stderr
	if b.in, err = b.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	if err := b.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the machines: %w", err)
	}
	open := make(chan boxReply, 1)
	b.waits[0] = open
	go b.hear(out)
	if err := json.NewEncoder(b.in).Encode(plan); err != nil {
		return nil, fmt.Errorf("tell the machines who they are: %w", err)
	}
	if r := <-open; r.Err != "" {
		b.stop()
		return nil, fmt.Errorf("start the machines: %s", r.Err)
	}
	return b, nil
}

// hear hands replies to those who wait for them.
func (b *box) hear(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r boxReply
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			break
		}
		b.mu.Lock()
		c := b.waits[r.N]
		delete(b.waits, r.N)
		b.mu.Unlock()
		if c != nil {
			c <- r
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	for _, c := range b.waits {
		c <- boxReply{Err: "the machines' process ended"}
	}
	clear(b.waits)
}

// do has the box do something.
func (b *box) do(ctx context.Context, o boxOrder) (boxReply, error) {
	c := make(chan boxReply, 1)
	b.mu.Lock()
	if b.ended {
		b.mu.Unlock()
		return boxReply{}, errors.New("the machines' process ended")
	}
	b.n++
	o.N = b.n
	b.waits[o.N] = c
	err := json.NewEncoder(b.in).Encode(o)
	b.mu.Unlock()
	if err != nil {
		return boxReply{}, fmt.Errorf("tell the machines: %w", err)
	}
	select {
	case r := <-c:
		if r.Err != "" {
			return r, errors.New(r.Err)
		}
		return r, nil
	case <-ctx.Done():
		return boxReply{}, ctx.Err()
	}
}

// allow allows a call at the own console of its machine, and returns when the key was pressed, by our clock.
func (b *box) allow(ctx context.Context, machine int, id, digest string) (time.Time, error) {
	r, err := b.do(ctx, boxOrder{Machine: machine - b.first, ID: id, Digest: digest})
	return time.Unix(0, r.At).Add(-b.clock), err
}

// links is how the links of all its machines are.
func (b *box) links(ctx context.Context) ([]consoles.FleetStatus, error) {
	r, err := b.do(ctx, boxOrder{Status: true})
	return r.Links, err
}

func (b *box) signal(sig syscall.Signal) error { return b.cmd.Process.Signal(sig) }

// stop ends the process in order, and with a signal when it does not end by itself.
func (b *box) stop() {
	_ = b.signal(syscall.SIGCONT)
	_ = b.in.Close()
	kill := time.AfterFunc(30*time.Second, func() { _ = b.signal(syscall.SIGKILL) })
	defer kill.Stop()
	_ = b.cmd.Wait()
}
