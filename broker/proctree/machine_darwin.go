package proctree

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

// maxCommand is how much of a command line is kept, bytes.
const maxCommand = 4096

// kern is the kernel's process table.
type kern struct{}

func machine() system { return kern{} }

func (kern) self() int { return os.Getpid() }

func (kern) list() ([]Process, error) {
	raw, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("look at the processes: %w", err)
	}
	list := make([]Process, 0, len(raw))
	for i := range raw {
		list = append(list, process(&raw[i]))
	}
	return list, nil
}

func process(k *unix.KinfoProc) Process {
	t := k.Proc.P_starttime
	p := Process{
		PID: int(k.Proc.P_pid), Parent: int(k.Eproc.Ppid), Group: int(k.Eproc.Pgid), UID: int(k.Eproc.Ucred.Uid),
		Start: uint64(t.Sec)*1e6 + uint64(t.Usec), //nolint:gosec // a start time is never negative
		Name:  unix.ByteSliceToString(k.Proc.P_comm[:]),
		dead:  k.Proc.P_stat == zombie, orphan: k.Eproc.Ppid <= 1,
	}
	// The table does not have it.
	p.Session, _ = unix.Getsid(p.PID)
	return p
}

// now is p as it is now; false when its pid is another one's, or nobody's. The start tells them
// apart.
func now(p Process) (Process, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", p.PID)
	if err != nil || int(k.Proc.P_pid) != p.PID {
		return Process{}, false
	}
	q := process(k)
	return q, q.Start == p.Start
}

// arguments reads what a process was started with: the number of arguments, the program's path,
// zeros, the arguments and the environment; see KERN_PROCARGS2. nil of processes of other
// users. The system hides the environment of some programs.
func arguments(p Process) (args, env []string) {
	raw, err := unix.SysctlRaw("kern.procargs2", p.PID)
	if err != nil || len(raw) < 4 {
		return nil, nil
	}
	n := int(binary.LittleEndian.Uint32(raw))
	rest := raw[4:]
	if i := bytes.IndexByte(rest, 0); i >= 0 {
		rest = bytes.TrimLeft(rest[i:], "\x00")
	}
	list := strings.Split(string(rest), "\x00")
	n = min(max(n, 0), len(list))
	return list[:n], list[n:]
}

func (kern) environ(p Process) []string {
	_, env := arguments(p)
	return env
}

func (kern) folder(Process) string { return "" } // only a debugger may ask

func (kern) command(p Process) string {
	args, _ := arguments(p)
	text := strings.Join(args, " ")
	if text == "" {
		return p.Name
	}
	return text[:min(len(text), maxCommand)]
}

// run is a process by its pid and start. Between the look at the start and the signal there is
// a moment in which the pid could become another one's; it takes a whole turn of all pids in
// that moment. The system has nothing like a pidfd.
type run struct{ p Process }

func (kern) open(p Process) (handle, error) {
	if _, same := now(p); !same {
		return nil, errGone
	}
	return run{p}, nil
}

var signals = map[signal]unix.Signal{hold: unix.SIGSTOP, term: unix.SIGTERM, resume: unix.SIGCONT, kill: unix.SIGKILL}

func (h run) send(s signal) error {
	if !h.alive() {
		return errGone
	}
	err := unix.Kill(h.p.PID, signals[s])
	switch {
	case errors.Is(err, unix.ESRCH):
		return errGone
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("not permitted: it belongs to user %d", h.p.UID)
	}
	return err
}

func (h run) alive() bool {
	p, same := now(h.p)
	return same && !p.dead
}

func (run) close() {}

// signalGroup sends to a group by its number, as on Linux.
func (kern) signalGroup(group int, s signal) error { return unix.Kill(-group, signals[s]) }
