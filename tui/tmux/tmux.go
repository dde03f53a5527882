// Package tmux finds panes of the tmux server that this process runs in, jumps to them
// and opens new ones.
//
// It speaks to that server alone, which its own environment names. A tmux client does
// what its server says, up to running a program, so a socket that somebody else names
// is never opened.
//
// Every answer of tmux is read by a pattern that it must fit whole, and only ids go
// back to tmux as arguments. What tmux says of an error is foreign text.
package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

// The errors of this package; the others carry tmux's own words, which are foreign text.
var (
	// ErrOutside means that this process does not run in a pane of tmux.
	ErrOutside = errors.New("not inside tmux")
	// ErrNoProgram means that there is no tmux to be run.
	ErrNoProgram = errors.New("there is no tmux on the PATH")
)

// timeout is how long tmux may take for one command.
const timeout = 2 * time.Second

// Server is the tmux server around this process. The zero value is none; Here makes
// one.
type Server struct {
	Socket string // its path
	Pane   string // ours, such as %4

	program string
}

// Here is the server around this process. Errors: ErrOutside, ErrNoProgram.
func Here() (Server, error) {
	// /tmp/tmux-1000/default,1234,0: path, pid, session
	value := os.Getenv("TMUX")
	// The path may hold commas itself, so the two numbers are taken off from the end.
	for range 2 {
		value = value[:max(strings.LastIndexByte(value, ','), 0)]
	}
	pane := os.Getenv("TMUX_PANE")
	if value == "" || !ValidPane(pane) {
		return Server{}, ErrOutside
	}
	program, err := exec.LookPath("tmux")
	if err != nil {
		return Server{}, fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	return Server{Socket: value, Pane: pane, program: program}, nil
}

var paneID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^%[0-9]{1,9}$`) })

// ValidPane reports whether id is the id of a pane and nothing else.
func ValidPane(id string) bool { return paneID().MatchString(id) }

// run runs one tmux command, or several with ";" between them. No shell is involved.
// It gives up after timeout, as a server may hang.
func (s Server) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var out, problem bytes.Buffer
	cmd := exec.CommandContext(ctx, s.program, append([]string{"-S", s.Socket}, args...)...) //nolint:gosec // our own server, and ids that were checked
	cmd.Stdout, cmd.Stderr = &out, &problem
	cmd.WaitDelay = timeout
	if err := cmd.Run(); err != nil {
		words := strings.TrimSpace(problem.String())
		if ctx.Err() != nil {
			words = "it does not answer"
		}
		return "", fmt.Errorf("tmux %s: %s: %w", args[0], words, err)
	}
	return out.String(), nil
}
