package vet

import (
	"sync"
	"time"
)

// turns lets one text of each session in at a time. The zero value is ready.
type turns struct {
	mu    sync.Mutex
	taken map[string]*turn
}

type turn struct {
	free    chan struct{} // holds a value while nobody has the turn
	waiting int           // those who have it or want it
}

// take waits for the turn of a session; false when it was too late, or over. whose is any name;
// each that gets true calls leave once.
func (t *turns) take(whose string, late <-chan time.Time, quit <-chan struct{}) bool {
	t.mu.Lock()
	if t.taken == nil {
		t.taken = map[string]*turn{}
	}
	mine := t.taken[whose]
	if mine == nil {
		mine = &turn{free: make(chan struct{}, 1)}
		mine.free <- struct{}{}
		t.taken[whose] = mine
	}
	mine.waiting++
	t.mu.Unlock()
	select {
	case <-mine.free:
		return true
	default:
	}
	select {
	case <-mine.free:
		return true
	case <-late:
	case <-quit:
	}
	t.gone(whose, mine)
	return false
}

// leave passes a turn on.
func (t *turns) leave(whose string) {
	t.mu.Lock()
	mine := t.taken[whose]
	t.mu.Unlock()
	mine.free <- struct{}{}
	t.gone(whose, mine)
}

// gone counts one out, and forgets a session that nobody waits for.
func (t *turns) gone(whose string, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.waiting--; mine.waiting == 0 {
		delete(t.taken, whose)
	}
}
