package install

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// How much Codex may say, bytes: in one message, and in one conversation. It tells of other things
// in between, as often as it likes.
const (
	maxCodexLine = 4 << 20
	maxCodexSaid = 16 << 20
)

// codexServer is a running "codex app-server": JSON-RPC 2.0, one message a line. One goroutine
// uses it. A request waits for its answer before the next one is sent.
type codexServer struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *boundedLines
	last int // id of the last request
}

// startCodex starts Codex as a server for its own settings, in a process group of its own, and
// greets it. Only Codex knows the hash by which it trusts a hook.
func startCodex(ctx context.Context, program, home string) (*codexServer, error) {
	cmd := exec.CommandContext(ctx, program, "app-server") //nolint:gosec // the user's own codex
	cmd.Dir = home
	// Codex must look at the folder that was installed into, whatever the variable said before.
	cmd.Env = append(os.Environ(), "CODEX_HOME="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// The group is killed and not only the process: codex may be a script that starts another.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err = cmd.Start(); err != nil {
		return nil, fmt.Errorf("start codex: %w", err)
	}
	s := &codexServer{cmd: cmd, in: in, out: newBoundedLines(out, maxCodexLine, maxCodexSaid)}
	err = s.call("initialize", map[string]any{"clientInfo": map[string]any{"name": "aoctl", "version": "1.0.0"}}, nil)
	if err == nil {
		err = s.send(map[string]any{"method": "initialized"})
	}
	if err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// end closes the conversation; codex ends with it, or is ended. It must be called once for each
// server that was started.
func (s *codexServer) end() {
	_ = s.in.Close() // it may be gone already
	done := time.AfterFunc(2*time.Second, func() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) })
	_ = s.cmd.Wait() // how it ended does not matter
	done.Stop()
}

// send writes one message and its line end.
func (s *codexServer) send(message map[string]any) error {
	text, err := json.Marshal(message)
	if err == nil {
		_, err = s.in.Write(append(text, '\n'))
	}
	return err
}

// call makes a request and reads its result into result, which may be nil.
func (s *codexServer) call(method string, params map[string]any, result any) error {
	s.last++
	if err := s.send(map[string]any{"id": s.last, "method": method, "params": params}); err != nil {
		return fmt.Errorf("codex app-server, %s: %w", method, err)
	}
	for {
		line, err := s.out.next()
		if errors.Is(err, io.EOF) {
			err = errors.New("it ended without an answer")
		}
		if err != nil {
			return fmt.Errorf("codex app-server, %s: %w", method, err)
		}
		var m struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  *struct{ Message string }
		}
		switch err = json.Unmarshal(line, &m); {
		case err != nil:
			return fmt.Errorf("codex app-server, %s: %w", method, err)
		// Codex tells of other things in between; they are not for us.
		case m.ID == nil || *m.ID != s.last || m.Method != "":
			continue // a notification, or a request of its own
		case m.Error != nil:
			return fmt.Errorf("codex app-server, %s: %s", method, machine.Shorten(m.Error.Message))
		case result == nil:
			return nil
		}
		if err = json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("codex app-server, %s: %w", method, err)
		}
		return nil
	}
}

// boundedLines reads lines from a program that may say anything: each has a bound, and all of them
// together have one.
type boundedLines struct {
	in    *bufio.Reader
	most  int // of one line, bytes
	total int // of all lines
	left  int // of total
}

func newBoundedLines(in io.Reader, most, total int) *boundedLines {
	return &boundedLines{in: bufio.NewReader(in), most: most, total: total, left: total}
}

// next is the next line with its end. The error is io.EOF for a line that has no end.
func (l *boundedLines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		l.left -= len(part)
		switch {
		case len(line) > l.most:
			return nil, fmt.Errorf("it wrote a line of more than %d bytes", l.most)
		case l.left < 0:
			return nil, fmt.Errorf("it wrote more than %d bytes", l.total)
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
