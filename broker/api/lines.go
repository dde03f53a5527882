package api

import (
	"slices"
	"sync"
)

// waiter is somebody who waits for news, and looks for it when woken. Waking one never waits, and
// twice is fine.
type waiter interface{ wake() }

// lines are those who wait, by what they wait for: a request's id, or runnerLine of a session.
type lines struct {
	mu   sync.Mutex
	held map[string][]waiter
}

// runnerLine is the line of the runner that holds a session.
func runnerLine(sessionID string) string { return "runner\x1f" + sessionID }

func (l *lines) join(id string, w waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[id] = append(l.held[id], w)
}

func (l *lines) leave(id string, w waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if list := slices.DeleteFunc(l.held[id], func(o waiter) bool { return o == w }); len(list) > 0 {
		l.held[id] = list
	} else {
		delete(l.held, id)
	}
}

func (l *lines) wake(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.held[id] {
		w.wake()
	}
}

// later reports whether somebody joined a line after w.
func (l *lines) later(id string, w waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.held[id]
	return len(list) > 0 && list[len(list)-1] != w
}

func (l *lines) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range l.held {
		for _, w := range list {
			w.wake()
		}
	}
}
