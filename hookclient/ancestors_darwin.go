package hookclient

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
)

var errNoArguments = errors.New("ps does not tell the arguments of the processes above this hook")

// readAncestor asks ps, which tells the arguments joined by blanks: one with a blank in it
// counts as several.
//
// Package os/exec is not used: os.StartProcess is enough, and is linked already.
func readAncestor(pid int) (ancestor, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return ancestor{}, err
	}
	defer func() { _ = r.Close() }() // it was only read
	ps, err := os.StartProcess("/bin/ps", []string{"ps", "-ww", "-o", "ppid=,command=", "-p", strconv.Itoa(pid)},
		&os.ProcAttr{Env: []string{"LC_ALL=C"}, Files: []*os.File{nil, w, nil}})
	_ = w.Close() // ps has its own
	if err != nil {
		return ancestor{}, err
	}
	out, err := io.ReadAll(r)
	if _, waited := ps.Wait(); err == nil {
		err = waited
	}
	fields := strings.Fields(string(out))
	if err == nil && len(fields) < 2 {
		err = errNoArguments
	}
	if err != nil {
		return ancestor{}, err
	}
	parent, err := strconv.Atoi(fields[0])
	return ancestor{parent, fields[1:]}, err
}
