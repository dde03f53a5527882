package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/visit"
)

// fault is one thing that goes wrong, and what must come of it.
type fault struct {
	name  string
	want  verdict  // deny when empty
	words []string // each must be in the reason
	cause string   // names a cause of refusal that must read unlike the others (threat 2)

	prepare   func(w *world) error             // what lies or listens at the socket; nil: nothing
	alter     func(w *world, s *start)         // how the client is started
	meanwhile func(w *world, p *running) error // while it runs

	onlyLine bool          // kills the client itself: only the guarded line can refuse for it
	onlyBare bool          // changes arguments that the installed line does not have
	either   bool          // also right when the client was faster than the fault
	slow     bool          // left out of the mixed runs
	timeout  time.Duration // the client's own; 0 is the usual
	more     time.Duration // that it promises a client, and that a line may take
	skip     func() string // says why it cannot be tried here
}

// start is how a client is started; a fault may change every part.
type start struct {
	client  client
	line    string // the guarded line, or "" for the bare program
	words   []string
	env     map[string]string
	stdin   io.Reader // nil: /dev/null
	wrap    string    // shell text around "$@", such as a redirection or a limit
	orphan  bool      // the client's parent is killed
	mute    bool      // stderr is taken away
	timeout time.Duration
}

// running is a started client.
type running struct {
	cmd     *exec.Cmd
	client  client
	console *console // the one that prepare started, if any
	ended   chan struct{}
	visit   *visit.Visit // the agent that started it, in its runs
}

// result is what one trial showed.
type result struct {
	fault   *fault
	client  client
	form    string // "bare" or "line"
	verdict verdict
	reason  string
	outcome outcome
	limit   time.Duration // by when it had to end
	err     error         // the trial itself failed
	skipped string
}

// wrong says what is not as it must be, or "".
func (r result) wrong() string {
	want := r.fault.want
	if want == "" {
		want = deny
	}
	switch {
	case r.skipped != "":
		return ""
	case r.err != nil:
		return "the trial failed: " + r.err.Error()
	case r.verdict == want:
	case r.fault.either && r.verdict == allow:
		return ""
	default:
		return "want " + string(want)
	}
	if r.outcome.took > r.limit {
		return "took longer than " + r.limit.String()
	}
	if r.outcome.mute {
		return ""
	}
	for _, word := range r.fault.words {
		if !strings.Contains(r.reason, word) {
			return fmt.Sprintf("the reason does not say %q", word)
		}
	}
	return ""
}

const (
	usualTimeout = 400 * time.Millisecond
	// beyond is what a client may take beyond its deadline, and slack what a busy machine
	// may add to that.
	beyond = time.Second
	slack  = 3 * time.Second
)

// try runs one fault once.
func try(ctx context.Context, l *lab, f *fault, c client, form string, random *rand.Rand) (r result) {
	r = result{fault: f, client: c, form: form}
	if f.skip != nil {
		if r.skipped = f.skip(); r.skipped != "" {
			return r
		}
	}
	w, err := newWorld(l, random)
	if err != nil {
		r.err = err
		return r
	}
	defer w.end()
	if f.prepare != nil {
		if r.err = f.prepare(w); r.err != nil {
			return r
		}
	}
	s := newStart(w, f, c, form)
	if f.alter != nil {
		f.alter(w, s)
	}
	s.pin(w)
	r.limit = s.timeout + f.more + beyond + slack
	r.outcome, r.err = s.run(ctx, w, f)
	r.verdict, r.reason = r.outcome.judge()
	return r
}

func newStart(w *world, f *fault, c client, form string) *start {
	s := &start{client: c, timeout: f.timeout, stdin: strings.NewReader(payload(w)), env: map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": w.dir, "AOCTL_HOME": w.home, "TMPDIR": w.dir, "LANG": "C.UTF-8",
	}}
	if s.timeout == 0 {
		s.timeout = usualTimeout
	}
	if form == "line" {
		s.line = c.guarded(s.timeout)
	}
	s.words = append(append([]string{}, c.words...), "claude", "--timeout", s.timeout.String())
	return s
}

// pin has the installed line ask the console of this trial, or the one that the fault put
// in its place: no variable says so to a line.
func (s *start) pin(w *world) {
	socket := w.socket
	if other := s.env["AOCTL_SOCKET"]; other != "" {
		socket = other
	}
	s.line = strings.Replace(s.line, pinned(w.lab.world.socket), pinned(socket), 1)
}

// payload is the hook JSON of a call that would leave a file in the world.
func payload(w *world) string {
	name := filepath.Base(w.dir)
	session := name[len(name)-2:] // one of a hundred: the console bounds new sessions, and what one session asks
	return `{"session_id":"s-` + session + `","transcript_path":"/dev/null","cwd":"` + w.dir +
		`","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"touch canary"},"tool_use_id":"toolu_` +
		name + `"}` + "\n"
}

// argv is the command as it is started: by a shell where a line or a wrap needs one.
func (s *start) argv() []string {
	argv := s.words
	if s.line != "" {
		argv = []string{"/bin/sh", "-c", s.line}
	}
	if s.wrap != "" {
		argv = append([]string{"/bin/sh", "-c", s.wrap, "sh"}, argv...)
	}
	return argv
}

func (s *start) run(ctx context.Context, w *world, f *fault) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout+patience)
	defer cancel()
	argv := s.argv()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // G204: the programs under trial
	cmd.Dir, cmd.Env = w.dir, []string{}                  // nil would be this process's own
	for name, value := range s.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.stdin, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that all of it can be ended
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = s.timeout + 5*time.Second
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return outcome{}, fmt.Errorf("start the client: %w", err)
	}
	p := &running{cmd: cmd, client: s.client, console: w.console, ended: make(chan struct{})}
	var disturbed sync.WaitGroup
	var disturbErr error
	if f.meanwhile != nil {
		disturbed.Go(func() { disturbErr = f.meanwhile(w, p) })
	}
	err := cmd.Wait()
	took := time.Since(began)
	close(p.ended)
	disturbed.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // whatever it left behind
	o := outcome{
		exit: cmd.ProcessState.ExitCode(), stdout: stdout.Bytes(), stderr: stderr.Bytes(), took: took,
		orphan: s.orphan, mute: s.mute,
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, exec.ErrWaitDelay) {
		return o, fmt.Errorf("wait for the client: %w", err)
	}
	return o, disturbErr
}
