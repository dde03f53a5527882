package shell

import (
	"errors"
	"io"
	"runtime"
	"strings"
)

// errDeep ends the parse; read looks at guarded.deep and not at the error.
var errDeep = errors.New("nested too deep")

// The first is a guess with room to spare: the parser needs about ten frames for each level.
const (
	maxFrames = 12 * MaxNesting // of the parser's stack; a level of nesting takes up to ten
	chunk     = 256             // bytes that the parser gets at a time, and levels that it may sink unseen
)

// guarded hands a text to the parser in small pieces and ends it once the parser's stack is too
// deep. The parser calls itself for every bracket, and running out of stack would end the whole
// program: nothing recovers from that.
//
// It cannot count brackets instead: which of them nest is for the parser to know. So each Read
// looks at how deep the stack is that called it.
type guarded struct {
	text string
	deep bool
}

// Read gives at most chunk bytes, so that the parser has to come back before it can sink far.
// It never gives an error once the text is over.
func (g *guarded) Read(p []byte) (int, error) {
	if g.text == "" {
		return 0, io.EOF
	}
	// The array is on the stack and as large as what is too deep, so a full one is the answer.
	var pcs [maxFrames]uintptr
	if runtime.Callers(1, pcs[:]) == maxFrames {
		g.deep = true
		return 0, errDeep
	}
	n := copy(p[:min(len(p), chunk)], g.text)
	g.text = g.text[n:]
	return n, nil
}

// misread names forms that the parser and the shells, or the shells among themselves, read so
// differently that whatever follows cannot be trusted. It is "" when there is none. All of them
// have a backslash at a line's end: whether the next line belongs to a comment decides what
// runs.
func misread(text string) string {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\\')
		if i < 0 {
			return ""
		}
		at += i + 1
		switch {
		case at == len(text):
			return "shells disagree about a backslash at the end"
		case text[at] == '\n' && at+1 < len(text) && text[at+1] == '#':
			return "shells disagree about a joined line that goes on with #"
		case text[at] == '\n' && comment(text[strings.LastIndexByte(text[:at], '\n')+1:at]):
			return "shells disagree about a comment that ends in a backslash"
		}
		at++
	}
}

// comment reports whether there may be a comment in a line. It does not know quotes, and so
// suspects some lines that have none.
func comment(line string) bool {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || strings.IndexByte(" \t;&|()<>`", line[i-1]) >= 0) {
			return true
		}
	}
	return false
}
