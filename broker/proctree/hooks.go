package proctree

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// An agent may take the death of its hook for permission. So no hook is signalled before the
// process is gone that waits for it, also a hook of another session that this process
// serves: until then it is held where it is. One whose agent lives on is let go unharmed.

// markHooks finds the hooks among what counts, with the shells around their clients, and the
// process that hears how each ends. It is called after every look: a client may have come after
// its shell.
func (l *search) markHooks() {
	byPID := make(map[int]*member, len(l.order))
	for _, m := range l.order {
		byPID[m.PID] = m
	}
	for _, m := range l.order {
		if !l.isClient(m.Process, m.Command) {
			continue
		}
		m.hook = true
		// An agent starts a hook through a shell, whose end it would hear first.
		for up := byPID[m.Parent]; up != nil && isShell(up.Name) && up.id() != l.agent.id(); up = byPID[up.Parent] {
			up.hook = true
		}
	}
	for _, m := range l.order {
		if !m.hook || m.hears != nil || m.sparedHears {
			continue
		}
		top := m
		// The top of a chain of hook processes; what is above it waits for the end.
		for up := byPID[top.Parent]; up != nil && up.hook; up = byPID[top.Parent] {
			top = up
		}
		m.hears = byPID[top.Parent]
		for id := range l.spared {
			m.sparedHears = m.sparedHears || id.pid == top.Parent && id.start <= top.Start
		}
	}
}

// isClient knows a hook client, and a shell that is about to start one. It goes by the pids
// that the broker knows, and by the command line; a process that only looks like a client is
// ended later than others, and no worse.
func (l *search) isClient(p Process, command string) bool {
	words := strings.Fields(command)
	switch {
	case slices.Contains(l.t.Hooks, p.PID):
		return true
	case len(words) < 2:
		return false
	case isShell(p.Name):
		return strings.HasPrefix(words[1], "-") && strings.Contains(command, "aoctl")
	}
	base := path.Base(words[0])
	return strings.HasPrefix(base, "aoctl-hook") || strings.HasPrefix(base, "aoctl") && words[1] == "hook"
}

// isShell knows the shells that agents start their hooks with.
func isShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox", "fish"}, name)
}

// isHeard reports whether somebody would hear m end and take that for permission. In doubt
// somebody would.
func (m *member) isHeard() bool {
	switch {
	case m.sparedHears:
		return true
	case m.hears == nil:
		return false
	case m.hears.handle == nil:
		return !errors.Is(m.hears.err, errGone) // it may live, out of reach
	}
	return m.hears.handle.alive()
}

// release asks those hooks to end of which nobody hears any more. It is called after every
// look, as agents end one by one.
func (l *search) release() {
	for _, m := range l.order {
		if m.hook && !m.released && !m.isHeard() {
			m.released = true
			l.send(m, term)
			l.send(m, resume)
		}
	}
}

// letGo has the hooks go on whose agent lives: to end them would let their calls run. It runs
// at the end of every end, also after an error.
func (l *search) letGo() {
	for _, m := range l.order {
		if m.hook && !m.released {
			l.send(m, resume)
		}
	}
}

// holdsHook reports whether a group has a hook in it that somebody would hear end. Such a group
// is never killed as a whole.
func (l *search) holdsHook(group int) bool {
	return slices.ContainsFunc(l.order, func(m *member) bool {
		return m.Group == group && m.hook && m.isHeard() && m.handle != nil && m.handle.alive()
	})
}
