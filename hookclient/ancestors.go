package hookclient

import (
	"slices"
	"strings"
)

// Some agents have a mode in which they fire no hook before a call, though still the one
// before a prompt. Nothing in the payload tells of the mode; the agent's arguments do.

// ancestor is a process above the hook.
type ancestor struct {
	parent int
	args   []string
}

// A hook has few ancestors; the bound is for a process table that leads round in a circle.
const (
	maxAncestors = 256
	// nearest is how many ancestors must be seen: the shell of the hook's line and the
	// agent. Those above may be hidden, as another user's are on some machines.
	nearest = 2
)

// startedWith is the first of flags among the arguments of the process pid or one above
// it, "" when it stands in none. look is the system's table of processes, which tests replace. An
// error means that too little can be seen to say "none".
func startedWith(flags []string, pid int, look func(pid int) (ancestor, error)) (string, error) {
	seen := 0
	for ; pid > 0 && seen < maxAncestors; seen++ {
		a, err := look(pid)
		if err == nil && len(a.args) == 0 {
			err = errNoArguments
		}
		switch {
		// The agent itself is one of the nearest two. When it cannot be read, nobody knows how it
		// was started.
		case err != nil && seen < nearest:
			return "", err
		case err != nil:
			return "", nil //nolint:nilerr // one further up may be hidden
		}
		for _, arg := range a.args {
			if i := slices.IndexFunc(flags, func(f string) bool { return isFlag(arg, f) }); i >= 0 {
				return flags[i], nil
			}
		}
		pid = a.parent
	}
	if seen < nearest {
		return "", errNoArguments
	}
	return "", nil
}

// isFlag reports whether arg sets flag. A value that means "no" counts as well: how an agent
// reads it is not known here.
func isFlag(arg, flag string) bool {
	rest, ok := strings.CutPrefix(arg, flag)
	return ok && flag != "" && (rest == "" || rest[0] == '=' || rest[0] == '.')
}

// refusePrompt says why a prompt must not reach an agent that was started with one of
// flags; nil when it was started with none.
func refusePrompt(flags []string, pid int, look func(pid int) (ancestor, error)) error {
	switch flag, err := startedWith(flags, pid, look); {
	case err != nil:
		return &refusalError{
			kind: ErrInput, text: "how this agent was started cannot be seen, and with " + strings.Join(flags, " or ") + " it asks about no call: the prompt was refused",
			hint: "let it see its own processes (on Linux, mount /proc): " + err.Error(), cause: err,
		}
	case flag != "":
		return &refusalError{
			kind: ErrInput, text: "this agent was started with " + flag + ", as editors do, and then asks about no call: the prompt was refused",
			hint: "start it in a terminal, without " + flag,
		}
	}
	return nil
}
