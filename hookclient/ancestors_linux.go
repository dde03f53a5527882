package hookclient

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
)

var errNoArguments = errors.New("/proc does not tell the arguments of the processes above this hook")

// readAncestor reads a process from /proc.
func readAncestor(pid int) (ancestor, error) {
	dir := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(dir + "/stat") //nolint:gosec // G304: below /proc
	if err != nil {
		return ancestor{}, err
	}
	line, err := os.ReadFile(dir + "/cmdline") //nolint:gosec // G304: below /proc
	if err != nil {
		return ancestor{}, err
	}
	// The name in parentheses may hold anything; after it come the state and the parent.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return ancestor{}, errNoArguments
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil || len(line) == 0 {
		return ancestor{}, errNoArguments
	}
	return ancestor{parent, strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")}, nil
}
