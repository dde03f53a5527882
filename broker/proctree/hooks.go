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
// process that hears how each ends.
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
		for up := byPID[m.Parent]; up != nil && isShell(up.Name) && up.id() != l.agent.id(); up = byPID[up.Parent] {
			up.hook = true
		}
	}
	for _, m := range l.order {
		if !m.hook || m.hears != nil || m.sparedHears {
			continue
		}
		top := m
		for up := byPID[top.Parent]; up != nil && up.hook; up = byPID[top.Parent] {
			top = up
		}
		m.hears = byPID[top.Parent]
		for id := range l.spared {
			m.sparedHears = m.sparedHears || id.pid == top.Parent && id.start <= top.Start
		}
	}
}

// isClient knows a hook client, and a shell that is about to start one.
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

func isShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox", "fish"}, name)
}

// isHeard reports whether somebody would hear m end and take that for permission.
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

// release asks those hooks to end of which nobody hears any more.
func (l *search) release() {
	for _, m := range l.order {
		if m.hook && !m.released && !m.isHeard() {
			m.released = true
			l.send(m, term)
			l.send(m, resume)
		}
	}
}

// letGo has the hooks go on whose agent lives: to end them would let their calls run.
func (l *search) letGo() {
	for _, m := range l.order {
		if m.hook && !m.released {
			l.send(m, resume)
		}
	}
}

// holdsHook reports whether a group has a hook in it that somebody would hear end.
func (l *search) holdsHook(group int) bool {
	return slices.ContainsFunc(l.order, func(m *member) bool {
		return m.Group == group && m.hook && m.isHeard() && m.handle != nil && m.handle.alive()
	})
}
