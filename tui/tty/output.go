package tty

import (
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
)

// Output is the terminal, for the program's frames and for what goes beside them
// (bell, notification, clipboard): each write goes out whole, so neither tears the
// other. It may be used by any goroutine.
type Output struct {
	mu sync.Mutex // held for the length of a write
	w  io.Writer

	state   sync.Mutex   // guards what follows; never held for long
	began   time.Time    // of the write that is under way; zero when none is
	slowEnd time.Time    // of the last write that took long
	last    [2]time.Time // beginning and end of the last write
}

// slowWrite is how long a terminal that keeps up never takes for a frame.
const slowWrite = 100 * time.Millisecond

// NewOutput is the terminal behind w.
func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// Write hands p to the terminal and notes how long that took. It waits for a write
// that is under way.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	began := o.begin()
	defer o.end(began)
	return o.w.Write(p) //nolint:wrapcheck // a plain pass-through
}

// begin notes that a write is under way, and since when.
func (o *Output) begin() time.Time {
	o.state.Lock()
	defer o.state.Unlock()
	o.began = time.Now()
	return o.began
}

// end notes that it was taken, and whether that took longer than a terminal which
// keeps up needs.
func (o *Output) end(began time.Time) {
	o.state.Lock()
	defer o.state.Unlock()
	o.began = time.Time{}
	o.last = [2]time.Time{began, time.Now()}
	if now := o.last[1]; now.Sub(began) > slowWrite {
		o.slowEnd = now
	}
}

// Behind tells until when the terminal showed something older than what it was sent:
// now, while it does not take a frame that it has been sent. Zero when it kept up.
func (o *Output) Behind() time.Time {
	o.state.Lock()
	defer o.state.Unlock()
	if now := time.Now(); !o.began.IsZero() && now.Sub(o.began) > slowWrite {
		return now
	}
	return o.slowEnd
}

// LastWrite tells when the last write began and ended; zero before the first.
func (o *Output) LastWrite() (began, end time.Time) {
	o.state.Lock()
	defer o.state.Unlock()
	return o.last[0], o.last[1]
}

// ForProgram is the writer for Bubble Tea, which looks for a file to learn the
// terminal's size.
func (o *Output) ForProgram() io.Writer {
	if f, ok := o.w.(term.File); ok {
		return fileOutput{Output: o, File: f}
	}
	return o
}

// fileOutput is an output that is a file as well.
type fileOutput struct {
	*Output
	term.File
}

// Write goes through the output's lock.
func (f fileOutput) Write(p []byte) (int, error) { return f.Output.Write(p) }
