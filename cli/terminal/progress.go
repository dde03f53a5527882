package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/bubbles/spinner"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

const (
	eraseLine   = "\r\x1b[K"
	widthIfNone = 80
)

// Progress is one line on a terminal that says which steps of a slow command run now.
// The line is drawn over itself and erased at the end, so nothing of it stays in the
// scrollback.
//
// A nil Progress draws nothing; that is what a pipe gets. All methods may be called
// from any goroutine.
type Progress struct {
	out   io.Writer
	doing string // "checking"
	width func() int

	mu      sync.Mutex
	running []string
	done    int
	total   int
	frame   int
	drawn   bool

	stop    chan struct{}
	stopped sync.WaitGroup
}

// StartProgress begins a line on out, such as "checking console, drill (3 of 9 done)".
// It returns nil unless out is a terminal that can erase a line. Stop must be called:
// a goroutine draws until then.
func StartProgress(out io.Writer, doing string, total int) *Progress {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	p := newProgress(out, doing, total, func() int {
		width, _, err := term.GetSize(f.Fd())
		if err != nil || width == 0 {
			return widthIfNone
		}
		return width
	})
	p.stopped.Go(p.spin)
	return p
}

// newProgress is StartProgress without its goroutine and its terminal, for tests.
func newProgress(out io.Writer, doing string, total int, width func() int) *Progress {
	return &Progress{out: out, doing: doing, total: total, width: width, stop: make(chan struct{})}
}

// spin turns the sign in front, so that a long step does not look like a hung command.
func (p *Progress) spin() {
	tick := time.NewTicker(spinner.MiniDot.FPS)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			p.mu.Lock()
			p.frame++
			p.draw()
			p.mu.Unlock()
		}
	}
}

// Step says that a step has begun. The caller calls end when it is over; calling it
// twice counts once. Steps may overlap.
func (p *Progress) Step(name string) (end func()) {
	if p == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, name)
	p.draw()
	return sync.OnceFunc(func() { p.ended(name) })
}

// ended counts a step that is over.
func (p *Progress) ended(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.running, name); i >= 0 {
		p.running = slices.Delete(p.running, i, i+1)
	}
	p.done++
	p.draw()
}

// Stop erases the line. The caller prints only after that; a second Stop does nothing.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	select {
	case <-p.stop:
	default:
		close(p.stop)
		if p.drawn {
			_, _ = io.WriteString(p.out, eraseLine) // the report matters, not this line
		}
	}
	// The lock is let go before waiting, or spin could not see that it is to stop.
	p.mu.Unlock()
	p.stopped.Wait()
}

// draw writes the line anew. The caller holds the lock. Nothing is drawn after Stop.
func (p *Progress) draw() {
	select {
	case <-p.stop:
		return
	default:
	}
	p.drawn = true
	// A line that wraps could not be erased.
	_, _ = io.WriteString(p.out, eraseLine+ansi.Truncate(p.line(), max(p.width()-1, 0), "…")) // the report matters, not this line
}

// line puts the count first: what is behind it may be cut on a narrow terminal.
func (p *Progress) line() string {
	frames := spinner.MiniDot.Frames
	return fmt.Sprintf("%s %s %d/%d  %s", frames[p.frame%len(frames)], p.doing, p.done, p.total, strings.Join(p.running, ", "))
}
