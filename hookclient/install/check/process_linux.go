package check

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	maxProcesses = 10_000
	maxCmdline   = 64 << 10 // bytes that are read of one
)

// runningProcesses lists the processes of this user.
func runningProcesses() ([]Process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // it was only read
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var list []Process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		// Names that are no numbers are not processes.
		if err != nil || pid == os.Getpid() || len(list) == maxProcesses {
			continue
		}
		if p, ok := readProcess(pid); ok {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("/proc shows no other process")
	}
	return list, nil
}

// readProcess reads one; a process that has just ended is none. Of another user's process nothing
// is read.
func readProcess(pid int) (Process, bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	info, err := os.Stat(dir)
	if err != nil {
		return Process{}, false
	}
	// The folder belongs to whoever the process runs as.
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return Process{}, false
	}
	line := readSome(filepath.Join(dir, "cmdline"), maxCmdline)
	if len(line) == 0 {
		return Process{}, false
	}
	p := Process{PID: pid, Args: strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")}
	// The environment is read for this one variable alone; nothing of it is kept.
	if mayBePure(p) {
		for _, v := range bytes.Split(readSome(filepath.Join(dir, "environ"), maxCmdline), []byte{0}) {
			p.Pure = p.Pure || string(v) == "OPENCODE_PURE=1" || string(v) == "OPENCODE_PURE=true"
		}
	}
	return p, true
}

// readSome reads the beginning of a file; nil when it cannot be opened.
func readSome(path string, limit int64) []byte {
	f, err := os.Open(path) //nolint:gosec // below /proc
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()                // it was only read
	data, _ := io.ReadAll(io.LimitReader(f, limit)) // what could be read is looked at
	return data
}
