package tui

import (
	"io"
	"sync"

	"github.com/charmbracelet/x/term"
)

// output is the terminal, for the program's frames and for what goes beside them
// (bell, notification, clipboard): each write goes out whole, so neither tears the
// other.
type output struct {
	mu sync.Mutex
	w  io.Writer
}

func newOutput(w io.Writer) *output { return &output{w: w} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(p) //nolint:wrapcheck // a plain pass-through
}

// forProgram is the writer for Bubble Tea, which looks for a file to learn the
// terminal's size.
func (o *output) forProgram() io.Writer {
	if f, ok := o.w.(term.File); ok {
		return fileOutput{output: o, File: f}
	}
	return o
}

// fileOutput is an output that is a file as well.
type fileOutput struct {
	*output
	term.File
}

// Write goes through the output's lock.
func (f fileOutput) Write(p []byte) (int, error) { return f.output.Write(p) }
