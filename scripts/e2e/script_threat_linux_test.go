package e2e

import (
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func init() { scriptCommands["disk"] = cmdDisk }

// cmdDisk lets no file of another process grow any more, as a full disk would, or again:
//
//	disk full|free PIDFILE
func cmdDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: disk full|free PIDFILE")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[1])))
	ts.Check(err)
	limit := unix.Rlimit{Max: unix.RLIM_INFINITY, Cur: unix.RLIM_INFINITY}
	if args[0] == "full" {
		limit.Cur = 0
	}
	ts.Check(unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil))
}
