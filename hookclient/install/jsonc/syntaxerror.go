package jsonc

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

const cureEdit = "correct the file by hand, then run this again; nothing was changed"

// SyntaxError is a place in a settings file that cannot be read or edited. Path is empty until
// the caller that knows the file fills it in.
type SyntaxError struct {
	Path      string // file as named by the user
	Line, Col int    // from 1; Col counts characters, not bytes
	Problem   string // what is wrong there
	Cure      string // what to do about it
}

// Error reads "path:line:column: problem; cure".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s; %s", e.Path, e.Line, e.Col, e.Problem, e.Cure)
}

// Locate turns a byte offset of src into a line and a column, both from 1. An offset behind the
// end is the end.
func Locate(src []byte, offset int) (line, col int) {
	before := src[:min(offset, len(src))]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// Wrong is a *SyntaxError about the value at, for callers that find a value where it
// cannot be.
func (d *Document) Wrong(at *Node, cure, format string, args ...any) error {
	return syntaxError(d.Src, at.Start, cure, format, args...)
}

// syntaxError makes one for a byte of src.
func syntaxError(src []byte, offset int, cure, format string, args ...any) error {
	line, col := Locate(src, offset)
	return &SyntaxError{Line: line, Col: col, Problem: fmt.Sprintf(format, args...), Cure: cure}
}

// CutSlashes blanks what an agent with the syntax Slashes takes for comments: all after
// "//" on a line, inside strings too. Every other byte keeps its place. It does not look at
// strings because such an agent does not either.
func CutSlashes(src []byte) []byte {
	out := bytes.Clone(src)
	for i := 0; i < len(out); i++ {
		if out[i] == '/' && i+1 < len(out) && out[i+1] == '/' {
			end := i + lineLength(out[i:])
			for j := i; j < end; j++ {
				out[j] = ' '
			}
			i = end
		}
	}
	return out
}

// blameSlashes puts the first "//" in a string of src in the place of err, the reason why a
// text of that syntax cannot be read: what follows the "//" is missing.
func (d *Document) blameSlashes(src []byte, err error) error {
	for i := 0; i < len(src); i++ {
		switch {
		case src[i] == '/' && i+1 < len(src) && src[i+1] == '/':
			i += lineLength(src[i:])
		case src[i] == '"':
			end := stringEnd(src, i)
			// An address such as https:// is the usual one.
			if at := bytes.Index(src[i:end], []byte("//")); at >= 0 {
				return syntaxError(src, i+at, d.Title+` ignores every hook in the file because of it: write "/\/" there; nothing was changed`,
					`"//", at which %s cuts off the line`, d.Title)
			}
			i = end
		}
	}
	return err
}
