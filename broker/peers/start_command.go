package peers

import (
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/workspace"
)

// StartedHow is the program of an agent's process with those of its arguments with which a
// later process of the session is started as well; "" when it cannot be told. The process is
// looked at twice, so that the arguments are not those of another one that took over its pid.
func StartedHow(agent string, p broker.Process) (program string, args []string) {
	if p.PID == 0 {
		return "", nil
	}
	argv, exe, cwd := ArgumentsOf(p.PID)
	if len(argv) == 0 || p.Start != 0 && startOf(p.PID) != p.Start {
		return "", nil
	}
	program, script := programOf(argv, exe, cwd)
	kept, ok := agents.Restart(agent, argv[1+len(script):])
	if !ok || program == "" {
		return "", nil
	}
	return program, append(script, kept...)
}

// Forgets reports whether an agent's process keeps nothing of its session.
func Forgets(agent string, p broker.Process) bool {
	if p.PID == 0 {
		return false
	}
	argv, _, _ := ArgumentsOf(p.PID)
	return agents.Forgets(agent, argv)
}

// programOf is the absolute path of the program behind argv, and the script that it runs
// when it is an interpreter. An agent that is a script of node or bun is started by the
// interpreter, which alone would start nothing.
func programOf(argv []string, exe, cwd string) (program string, script []string) {
	name := argv[0]
	switch base := strings.TrimSuffix(filepath.Base(exe), " (deleted)"); {
	case (base == "node" || base == "bun") && len(argv) > 1 && !strings.HasPrefix(argv[1], "-"):
		if path := absolute(argv[1], cwd); path != "" {
			return exe, []string{path}
		}
		return "", nil
	case base == "node" || base == "bun":
		return "", nil
	}
	if strings.ContainsRune(name, filepath.Separator) {
		return absolute(name, cwd), nil
	}
	// By its name, if that leads to the very program: an update may move the file itself.
	if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) && workspace.RealPath(path) == exe {
		return path, nil
	}
	return exe, nil
}

// absolute is path seen from cwd; "" when that is not known.
func absolute(path, cwd string) string {
	switch {
	case filepath.IsAbs(path):
		return path
	case cwd == "":
		return ""
	}
	return filepath.Join(cwd, path)
}
