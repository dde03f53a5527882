package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// find waits until the client's own process runs, which under a guarded line is not the
// one that was started. It returns 0 when all had ended before.
func (p *running) find() int {
	want, err := filepath.EvalSymlinks(p.client.program())
	if err != nil {
		return 0
	}
	for {
		if pid := p.look(want); pid != 0 {
			return pid
		}
		select {
		case <-p.ended:
			return 0
		case <-time.After(200 * time.Microsecond):
		}
	}
}

// look looks once.
func (p *running) look(program string) int {
	if p.visit == nil {
		return findProgram(p.cmd.Process.Pid, program)
	}
	if clients := p.visit.Clients(program, ""); len(clients) > 0 {
		return clients[0]
	}
	return 0
}

// findProgram looks for a process that runs program at or below pid.
func findProgram(pid int, program string) int {
	dir := "/proc/" + strconv.Itoa(pid)
	if exe, err := os.Readlink(dir + "/exe"); err == nil && exe == program {
		return pid
	}
	threads, _ := filepath.Glob(dir + "/task/*/children") // the pattern is well-formed
	var children []byte
	for _, t := range threads {
		text, _ := os.ReadFile(t) //nolint:gosec // G304: /proc; a thread that has ended has none
		children = append(children, text...)
	}
	for _, word := range strings.Fields(string(children)) {
		child, err := strconv.Atoi(word)
		if err != nil {
			continue
		}
		if found := findProgram(child, program); found != 0 {
			return found
		}
	}
	return 0
}

// waiting returns the client's process once its call waits at the console.
func (p *running) waiting() (pid int, err error) {
	if err := p.console.await("pending"); err != nil {
		return 0, err
	}
	return p.find(), nil
}
