package hookclient

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"syscall"
)

// catchSignals takes over the signals that would end the program without a word.
// It makes the runtime start a thread, which costs a seventh of a whole hook run;
// so the fast path goes without, and a signal in those few milliseconds kills the
// program as one does that comes while it is being loaded.
//
// Among them are signals for which the runtime would end the program with 2, as after a
// refusal, but with words of its own. They come from somebody's kill: a fault of the program
// is a panic.
func catchSignals() <-chan os.Signal {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGBUS,
		syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGSYS)
	return ch
}

// signalled names the signal, by which a person finds who sent it.
func signalled(sig os.Signal) error {
	name := sig.String()
	if s, ok := sig.(syscall.Signal); ok {
		name += ", signal " + strconv.Itoa(int(s))
	}
	return &refusalError{kind: ErrStopped, text: "the agent ended the wait before there was an answer (" + name + ")"}
}

// parentWatch notices that nobody is left to read the answer: the agent, or the shell that
// it started us by, is gone or has closed our stdout, or its user gave the call up. Its zero
// value sees nothing. It is used by the one goroutine that watches, but for transcript.
type parentWatch struct {
	parent int         // the pid of our parent at the start
	agent  int         // the agent's own pid, 0 when unknown: the parent may be a shell
	ppid   func() int  //
	closed func() bool // nobody reads stdout any more
	stdout *os.File    // nil when stdout is no file
	armed  bool

	transcript atomic.Pointer[transcript] // nil unless a call that was given up shows only there
}

// watchParent must be called at the start: later the parent may have gone, and another process
// stand in its place.
func watchParent(stdout io.Writer) *parentWatch {
	f, _ := stdout.(*os.File)
	return &parentWatch{parent: os.Getppid(), ppid: os.Getppid, stdout: f}
}

// discarded refuses a stdout that was closed when the program started. The Go
// runtime then puts /dev/null there, open for reading and writing, and an answer
// would vanish into it while the exit code says 0.
func (w *parentWatch) discarded() error {
	if w.stdout == nil {
		return nil
	}
	info, err := w.stdout.Stat()
	if err != nil {
		return &refusalError{kind: ErrStopped, text: "stdout cannot be used: " + err.Error(), cause: err}
	}
	if info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	if null, _ := os.Stat(os.DevNull); null == nil || !os.SameFile(info, null) {
		return nil // a terminal
	}
	if _, err = w.stdout.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
		return &refusalError{kind: ErrStopped, text: "stdout is closed, so no answer could be heard", hint: "run the hook with its stdout open"}
	}
	return nil
}

// check is called now and then while a run waits. What costs time is set up at the first
// call, because most runs end before it.
func (w *parentWatch) check() error {
	if !w.armed {
		w.armed = true
		w.agent = livingPID(os.Getenv("CLAUDE_PID"))
		if w.stdout != nil {
			w.closed = gone(w.stdout)
		}
	}
	switch {
	case w.ppid != nil && w.ppid() != w.parent:
		return &refusalError{kind: ErrStopped, text: "the process that started this hook is gone"}
	case w.agent > 0 && !alive(w.agent):
		return &refusalError{kind: ErrStopped, text: "the agent is gone (pid " + strconv.Itoa(w.agent) + ")"}
	case w.closed != nil && w.closed():
		return &refusalError{kind: ErrStopped, text: "the agent closed the hook's stdout before there was an answer"}
	}
	if t := w.transcript.Load(); t != nil && t.cancelled() {
		return errGivenUp
	}
	return nil
}

// livingPID reads a pid that is alive now. The variable may be left over from
// another agent, long dead, whose end says nothing about this call.
func livingPID(s string) int {
	pid, err := strconv.Atoi(s)
	if err != nil || pid <= 1 || !alive(pid) {
		return 0
	}
	return pid
}

// alive counts a process that may not be signalled as one that lives.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
