package proctree

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Field positions in /proc/PID/stat, counted after the command's closing parenthesis;
// see proc_pid_stat(5), where they are 3 to 6, 20 and 22.
const (
	statState   = 0
	statParent  = 1
	statGroup   = 2
	statSession = 3
	statThreads = 17
	statStart   = 19
)

// maxCommand is how much of a command line is kept, bytes.
const maxCommand = 4096

// proc is the process table in /proc.
type proc struct{}

func machine() system { return proc{} }

func (proc) self() int { return os.Getpid() }

// list reads /proc. Processes that end while it reads are left out. Init and
// systemd adopt orphans, so their children count as such.
func (proc) list() ([]Process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("look at the processes: %w", err)
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("look at the processes: %w", err)
	}
	list := make([]Process, 0, len(names))
	reapers := map[int]bool{0: true, 1: true}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := readProcess(pid); err == nil {
			list = append(list, p)
			if p.Name == "systemd" {
				reapers[p.PID] = true
			}
		}
	}
	for i, p := range list {
		list[i].orphan = reapers[p.Parent]
	}
	return list, nil
}

// readProcess reads one process. The name may hold blanks and parentheses, so the fields
// are those after the last one.
func readProcess(pid int) (Process, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Process{}, err
	}
	from, to := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	f := bytes.Fields(raw[to+1:])
	if from < 0 || to < from || len(f) <= statStart {
		return Process{}, fmt.Errorf("read the state of process %d: unexpected format", pid)
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(f[i]))
		return n
	}
	p := Process{PID: pid, Parent: number(statParent), Group: number(statGroup), Session: number(statSession), Name: string(raw[from+1 : to])}
	p.Start, err = strconv.ParseUint(string(f[statStart]), 10, 64)
	if err != nil {
		return Process{}, err
	}
	// Of a program whose first thread has ended the others may run on: it looks like a
	// zombie and is none.
	state := f[statState][0]
	p.dead = (state == 'Z' || state == 'X') && number(statThreads) <= 1
	var st unix.Stat_t
	if err := unix.Stat(fmt.Sprintf("/proc/%d", pid), &st); err != nil {
		return Process{}, err
	}
	p.UID = int(st.Uid)
	return p, nil
}

// environ may be read of the user's own processes alone; nil of others.
func (proc) environ(p Process) []string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
	if err != nil {
		return nil
	}
	return strings.Split(string(raw), "\x00")
}

// folder is "" when it may not be read. A folder that was deleted has a mark behind its name.
func (proc) folder(p Process) string {
	dir, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.PID))
	return dir
}

// command is the arguments with blanks between them, or the name where there are none, as of a
// process that has ended.
func (proc) command(p Process) string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
	raw = bytes.TrimRight(raw[:min(len(raw), maxCommand)], "\x00")
	if len(raw) == 0 {
		return p.Name
	}
	return string(bytes.ReplaceAll(raw, []byte{0}, []byte{' '}))
}

// pidfd holds on to a process: what is sent through it reaches that run or nobody. The kernel
// has it since 5.3.
type pidfd struct {
	fd  int
	uid int
}

// open takes hold of p by a descriptor, and then reads its start once more: only a process that
// is held cannot be replaced by another one under the same pid. Other errors than errGone say
// what the system refused.
func (proc) open(p Process) (handle, error) {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EINVAL) { // EINVAL: a thread has this number now
		return nil, errGone
	}
	if err != nil {
		return nil, fmt.Errorf("get hold of it: %w", err)
	}
	// Only now is it certain that the number stays with the process that has it.
	if now, err := readProcess(p.PID); err != nil || now.Start != p.Start {
		_ = unix.Close(fd)
		return nil, errGone
	}
	return &pidfd{fd: fd, uid: p.UID}, nil
}

var signals = map[signal]unix.Signal{hold: unix.SIGSTOP, term: unix.SIGTERM, resume: unix.SIGCONT, kill: unix.SIGKILL}

func (h *pidfd) send(s signal) error {
	err := unix.PidfdSendSignal(h.fd, signals[s], nil, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return errGone
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("not permitted: it belongs to user %d", h.uid)
	}
	return err
}

// alive looks whether the process can be waited for: then it runs no more.
func (h *pidfd) alive() bool {
	fds := []unix.PollFd{{Fd: int32(h.fd), Events: unix.POLLIN}} //nolint:gosec // a descriptor fits
	for {
		n, err := unix.Poll(fds, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err != nil || n == 0
	}
}

func (h *pidfd) close() { _ = unix.Close(h.fd) }

// signalGroup has no handle: the kernel knows none for groups. killGroups has just looked at
// who is in it.
func (proc) signalGroup(group int, s signal) error { return unix.Kill(-group, signals[s]) }
