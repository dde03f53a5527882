package console

import (
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/aoctl/aoctl/broker/vet"
	"github.com/aoctl/aoctl/cli/exit"
)

// ParseGuard is the hidden command by which the console starts itself again to read hostile
// texts. Main runs it before any other command is built.
const ParseGuard = "parse-guard"

// What the guard may take. It has to be less than the console has: a text that comes
// through there must come through here. One that does not ends the guard, and its call
// asks.
const (
	guardStack = 32 << 20  // bytes of one goroutine; the console has a gigabyte
	guardData  = 512 << 20 // bytes beyond what the program has at its start
	guardTimes = 4         // the console's patience, for one text, should the console not end it
)

// RunParseGuard reads texts from standard input until it ends, and answers on standard
// output. Exit codes: 0 the console is gone, 1 anything else. It writes nothing else: a
// text that kills it must not get its words onto the terminal.
func RunParseGuard() int {
	// A parser that goes too deep ends the process at this size, long before memory is
	// short.
	debug.SetMaxStack(guardStack)
	if err := KeepPrivate(); err != nil {
		return exit.Failed
	}
	limitGuard()
	err := vet.Serve(os.Stdin, os.Stdout, guardTimes*vet.Patience, func() { os.Exit(exit.Failed) })
	if err != nil {
		return exit.Failed
	}
	return exit.OK
}

// limitGuard takes from this process what it does not need. A limit that the system does
// not have is one less; the console's own limit of time stays. No files can be written and
// few opened: a parser that is made to misbehave has nothing to do it with.
func limitGuard() {
	for what, most := range map[int]uint64{
		syscall.RLIMIT_CORE: 0, syscall.RLIMIT_FSIZE: 0, syscall.RLIMIT_NOFILE: 16,
		syscall.RLIMIT_DATA: dataInUse() + guardData,
	} {
		_ = syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most})
	}
	if f, err := os.OpenFile("/proc/self/oom_score_adj", os.O_WRONLY, 0); err == nil {
		_, _ = f.WriteString("1000") // when memory runs out, this process goes first
		_ = f.Close()
	}
}

// newGuard starts the processes that read for the console. They get no environment of ours,
// so no token, and no folder of the project's.
func newGuard(log *slog.Logger) *vet.Guard {
	return vet.Start(vet.Options{Log: log, Command: func() *exec.Cmd {
		// Linux runs the very file that this process runs, also after an update replaced it.
		program := "/proc/self/exe"
		if runtime.GOOS != "linux" {
			program, _ = os.Executable() // without it nothing starts, and everything asks
		}
		cmd := exec.Command(program) //nolint:noctx // this very program; it ends with its input
		cmd.Args = []string{os.Args[0], ParseGuard}
		cmd.Dir = "/"
		// A trace would print parts of the text that was read.
		cmd.Env = []string{"GOMEMLIMIT=256MiB", "GOMAXPROCS=2", "GOTRACEBACK=none", "GORACE=atexit_sleep_ms=0"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a key at the terminal is for the console
		return cmd
	}})
}
