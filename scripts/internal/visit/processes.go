package visit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Processes are all that live on v's ground: they have its home in their environment,
// whoever started them and whatever session they made for themselves.
func (v *Visit) Processes() []int {
	mark := []byte("\x00HOME=" + v.Ground.Home + "\x00")
	var pids []int
	for _, dir := range procDirs() {
		env, err := os.ReadFile(filepath.Join(dir, "environ")) //nolint:gosec // G304: /proc; a process may just have ended
		if err != nil || !bytes.Contains(append([]byte{0}, env...), mark) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if stat(pid).state != "Z" && !strings.HasSuffix(v.exe(pid), "/tmux") {
			pids = append(pids, pid)
		}
	}
	return pids
}

func procDirs() []string {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well-formed
	return dirs
}

func (v *Visit) exe(pid int) string {
	exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)) // "" for one that has ended
	return exe
}

// Clients are the processes among v's that run program, with that word among its arguments.
func (v *Visit) Clients(program, word string) []int {
	want, err := filepath.EvalSymlinks(program)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(v.Processes(), func(pid int) bool {
		words, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // one that has ended has none
		return v.exe(pid) != want || !bytes.Contains(words, []byte(word))
	})
}

// Shell is the shell that a client was started by, the client itself where there is none.
func (v *Visit) Shell(client int) int {
	parent := stat(client).parent
	if name := filepath.Base(v.exe(parent)); name == "sh" || name == "bash" || name == "dash" || name == "zsh" {
		return parent
	}
	return client
}

// Group is the process group of a process.
func (v *Visit) Group(pid int) int { return stat(pid).group }

// Agents are the process groups that hold the agent: those of the programs that were
// started by a terminal or by this program.
func (v *Visit) Agents() []int {
	if v.cmd != nil {
		return []int{v.cmd.Process.Pid}
	}
	return v.panes()
}

type procStat struct {
	state         string
	parent, group int
}

func stat(pid int) procStat {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return procStat{state: "Z"}
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 3 {
		return procStat{state: "Z"}
	}
	s := procStat{state: fields[0]}
	s.parent, _ = strconv.Atoi(fields[1]) // the kernel writes numbers
	s.group, _ = strconv.Atoi(fields[2])
	return s
}

// Signal sends sig to each; one that has just ended needs none.
func Signal(sig syscall.Signal, pids ...int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, sig)
	}
}
