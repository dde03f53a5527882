package peers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Ancestor is one process of an ancestry, as the system described it at one moment.
type Ancestor struct {
	broker.Process
	Parent  int // 0 at the top: init, or a parent outside of our namespace of pids
	Session int // the POSIX session, named by its leader's pid; 0 when the leader is outside of our namespace
	Group   int // the process group, named likewise
}

// maxAncestors bounds an ancestry; longer ones are not followed. A process that hides below a
// long row of parents is not followed, and so counts as an agent's.
const maxAncestors = 256

// errUnsteady is an ancestry that changed while it was read.
var errUnsteady = errors.New("its ancestry changes")

// lineageOf is pid and its ancestors, up to the top. A parent is never younger than its
// child: one that is stands where the real one was, under a pid that is used again.
func lineageOf(pid int) ([]Ancestor, error) {
	var chain []Ancestor
	for len(chain) < maxAncestors {
		k, err := ancestorOf(pid)
		if err != nil {
			return nil, err
		}
		if n := len(chain); n > 0 && k.Start > chain[n-1].Start {
			return nil, errUnsteady
		}
		chain = append(chain, k)
		if k.Parent == 0 || pid == 1 {
			return chain, nil
		}
		pid = k.Parent
	}
	return nil, fmt.Errorf("it has more than %d ancestors", maxAncestors)
}

// SteadyLineage reads the ancestry of pid until two readings agree. An ancestry changes when a
// parent ends while it is read: the child then hangs below another process, and one reading could
// join two lines.
func SteadyLineage(pid int) ([]Ancestor, error) {
	last, err := lineageOf(pid)
	for range 4 {
		var next []Ancestor
		next, nextErr := lineageOf(pid)
		if err == nil && nextErr == nil && slices.Equal(last, next) {
			return next, nil
		}
		last, err = next, nextErr
	}
	if err == nil {
		err = errUnsteady
	}
	return nil, err
}

// agentMarks are environment variables that agents set for what they run.
var agentMarks = profile.Gather(func(p *profile.Profile) []string { return p.Marks })

// MarkIn is the first of agentMarks that env, a row of NAME=value each ended by a zero
// byte, sets to anything; "" when there is none. An empty value is no mark: a person may have
// cleared the variable so that a program does not take itself for an agent's.
func MarkIn(env []byte) string {
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		name, value, _ := bytes.Cut(kv, []byte{'='})
		if len(value) > 0 && slices.Contains(agentMarks, string(name)) {
			return string(name)
		}
	}
	return ""
}

// BornOfAgent looks in an ancestry for signs that an agent started it although no known
// agent stands in it, and says what it found; "" when there is nothing.
//
// The signs are an agent's mark in an environment as it was at the start, and a process
// that was cut off from what started it. Processes that this console itself descends from
// say nothing: a terminal multiplexer that was started from an agent once would bar
// everybody for good.
func BornOfAgent(chain []Ancestor) string {
	own := map[int]bool{}
	if line, err := lineageOf(os.Getpid()); err == nil {
		for _, k := range line {
			own[k.PID] = true
		}
	}
	for i, k := range chain {
		if own[k.PID] {
			break
		}
		env, err := environOf(k.PID)
		if err != nil && i == 0 {
			return "its environment cannot be read"
		}
		if err != nil { // of another user, or closed to us as a login's process is
			continue
		}
		if mark := MarkIn(env); mark != "" {
			return fmt.Sprintf("the environment of process %d has %s, which agents set for what they run", k.PID, mark)
		}
	}
	if CutOff(chain, own, func(pid int) bool { return isShell(commandOf(pid)) }) {
		return "what started it has ended, so whose it is cannot be told"
	}
	return ""
}

// BornOfAgentHere is BornOfAgent for this process itself, of which that says nothing: its own
// environment counts, and that of everything above it. What starts agents' terminals, such as a tmux
// server that an agent started, counts too.
func BornOfAgentHere() string {
	chain, err := SteadyLineage(os.Getpid())
	if err != nil {
		return "its ancestry cannot be followed: " + err.Error()
	}
	for i, k := range chain {
		env, err := environOf(k.PID)
		if i == 0 { // a private process cannot read its own there
			env, err = []byte(strings.Join(os.Environ(), "\x00")), nil
		}
		if err != nil { // of another user, as a login's process is
			continue
		}
		if mark := MarkIn(env); mark != "" {
			return fmt.Sprintf("the environment of process %d has %s, which agents set for what they run", k.PID, mark)
		}
	}
	return ""
}

// Within reports whether p runs, and is the process top or comes from it. Errors: the
// ancestry of p cannot be read.
func Within(p broker.Process, top int) (bool, error) {
	chain, err := SteadyLineage(p.PID)
	if err != nil {
		return false, err
	}
	if p.Start != 0 && chain[0].Start != p.Start {
		return false, nil
	}
	for _, k := range chain {
		if k.PID == top {
			return true, nil
		}
	}
	return false, nil
}
