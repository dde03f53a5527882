package runner

import (
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// stderrTail logs what the agent writes to stderr and keeps its last lines: they often say
// why it died. Its text is the agent's, so it is logged and cut, and never printed as it is.
type stderrTail struct {
	log   *slog.Logger
	quiet chan struct{} // closed when nothing more comes

	mu    sync.Mutex
	lines []string
}

// maxErrors is how many lines are told with the agent's end.
const maxErrors = 3

// newStderrTail has nothing yet; follow fills it.
func newStderrTail(log *slog.Logger) *stderrTail {
	return &stderrTail{log: log, quiet: make(chan struct{})}
}

// follow reads r to its end, a bounded part of each line.
func (t *stderrTail) follow(r io.Reader) {
	defer close(t.quiet)
	_ = readLines(r, func(l line) bool { // what cannot be read is over
		t.note(cut(string(l.text), maxReason))
		return true
	})
}

// note keeps a line that says something.
func (t *stderrTail) note(text string) {
	t.log.Info("agent wrote to stderr", "text", text)
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, text)
	// The last lines are those that say why a program died.
	t.lines = t.lines[max(0, len(t.lines)-maxErrors):]
}

// last is what an agent that has ended wrote last. It waits a moment for that and no longer:
// processes that the agent left running may hold stderr open.
func (t *stderrTail) last() string {
	select {
	case <-t.quiet:
	case <-time.After(time.Second):
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, " / ")
}
