package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// SyntaxError says where and why a JSON text was refused. Its text is made of
// printable ASCII and is short, whatever the JSON held.
type SyntaxError struct {
	Offset int    // of the byte that was refused, from 0
	Path   string // such as tool_input.edits[2].old_string; empty for the text as a whole
	Reason string // a sentence without capital letter and full stop
}

// Error names the byte, so that a program's author finds it in what they sent.
func (e *SyntaxError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s (byte %d)", e.Reason, e.Offset)
	}
	return fmt.Sprintf("%s: %s (byte %d)", e.Path, e.Reason, e.Offset)
}

// Field is one member of a JSON object: its name, decoded, and its value's very bytes.
type Field struct {
	Key   string
	Value json.RawMessage // shares the memory it was read from
}

// Rules tunes the strict reading. The zero value is the strictest.
type Rules struct {
	MaxDepth int // deepest nesting of objects and arrays; MaxDepth of this package when 0

	// Loose names top-level fields that hold data nobody decides on, such as a
	// tool's output. Below them only grammar, UTF-8 and nesting are checked: any
	// keys, NUL characters and halves of surrogate pairs pass.
	Loose []string
}

// Check reads data strictly: exactly one JSON value and nothing after it, valid
// UTF-8, nesting of at most maxDepth, and nothing that two parsers could read
// differently: no key twice in an object, no two keys that differ by case alone,
// no half of a surrogate pair, no NUL character. An error is a *SyntaxError.
//
// What passes means the same to a parser that keeps the first of two equal keys, to
// one that keeps the last, and to one that ignores case.
func Check(data []byte, maxDepth int) error {
	return Rules{MaxDepth: maxDepth}.Check(data)
}

// Check is the function of that name under other rules.
func (r Rules) Check(data []byte) error {
	_, err := r.read(data, false)
	return err
}

// Fields checks data like Check with MaxDepth, and returns the members of the object
// that it must be, in their order. An error is a *SyntaxError and comes without fields. The order
// is the text's own. Two readers of one text therefore list the same members, and a digest over
// the very bytes fits what is shown.
func Fields(data []byte) ([]Field, error) { return Rules{}.Fields(data) }

// Fields is the function of that name under other rules.
func (r Rules) Fields(data []byte) ([]Field, error) { return r.read(data, true) }

// read checks data by the rules and returns the fields of the object at its top when one is
// wanted. No rule allows more than deepest levels, however large its MaxDepth.
func (r Rules) read(data []byte, wantObject bool) ([]Field, error) {
	var keys [32][]byte
	s := scanner{data: data, maxDepth: r.MaxDepth, loose: r.Loose, keys: keys[:0], keep: wantObject}
	if s.maxDepth <= 0 {
		s.maxDepth = MaxDepth
	}
	s.maxDepth = min(s.maxDepth, deepest)
	if err := s.document(); err != nil {
		return nil, err
	}
	return s.fields, nil
}

// deepest bounds the scanner's recursion whatever a caller asks for. The scanner calls itself
// once for each level, and a goroutine's stack is not endless.
const deepest = 10_000

// under puts key in front of the error's path.
func (e *SyntaxError) under(key string) *SyntaxError {
	if e == nil || len(e.Path) > maxPath {
		return e
	}
	join := ""
	if e.Path != "" && !strings.HasPrefix(e.Path, "[") {
		join = "."
	}
	e.Path = key + join + e.Path
	return e
}

// A hostile text may have keys of a megabyte at every level; what is told of them stays short.
const (
	maxPath    = 256 // bytes of a path before outer keys are left out
	maxPathKey = 64  // bytes of one key in a path
)

// pathKey writes key for a path: plain names as they are, others quoted in ASCII.
func pathKey(key []byte) string {
	cut := key[:min(len(key), maxPathKey)]
	for i, c := range cut {
		plain := c == '_' || c == '-' || 'a' <= c|0x20 && c|0x20 <= 'z' || i > 0 && '0' <= c && c <= '9'
		if !plain {
			return "[" + strconv.QuoteToASCII(string(cut)) + "]"
		}
	}
	if len(cut) == 0 {
		return `[""]`
	}
	return string(cut)
}

// pathIndex is the place in an array, as it stands in a path.
func pathIndex(i int) string { return "[" + strconv.Itoa(i) + "]" }
