package wire

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// scanner reads one JSON text, once, from left to right. Its methods return the
// first fault; the path of a fault is put together on the way out. It allocates nothing for a
// text that is sound, but for fields and for keys with escapes: every hook's payload passes
// through here.
type scanner struct {
	data     []byte
	pos      int
	maxDepth int
	loose    []string

	keys   [][]byte // decoded keys of the objects that are open, innermost last
	keyAt  int      // where the last key began
	keep   bool     // the text must be an object, and its members go to fields
	fields []Field
}

// document reads the one value that data may hold. Whatever comes before or after it is a fault:
// another reader might take that for the value.
func (s *scanner) document() error {
	if bytes.HasPrefix(s.data, []byte("\xef\xbb\xbf")) {
		return s.fault("begins with a byte order mark, which JSON does not have")
	}
	s.blanks()
	if s.pos == len(s.data) {
		return s.fault("is empty")
	}
	if s.keep && s.data[s.pos] != '{' {
		return s.fault("must be a JSON object, not " + kindOf(s.data[s.pos]))
	}
	if err := s.value(0, false); err != nil {
		return err
	}
	s.blanks()
	if s.pos < len(s.data) {
		return s.fault("something follows the end of the JSON value")
	}
	return nil
}

// value reads one value that lies inside depth objects and arrays.
func (s *scanner) value(depth int, loose bool) *SyntaxError {
	if s.pos == len(s.data) {
		return s.cut()
	}
	switch c := s.data[s.pos]; c {
	case '{', '[':
		if depth == s.maxDepth {
			return s.fault(fmt.Sprintf("is nested deeper than %d", s.maxDepth))
		}
		if c == '{' {
			return s.object(depth+1, loose)
		}
		return s.array(depth+1, loose)
	case '"':
		_, err := s.str(loose, false)
		return err
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

// array reads an array, whose opening bracket is next.
func (s *scanner) array(depth int, loose bool) *SyntaxError {
	s.pos++
	s.blanks()
	if s.at(']') {
		s.pos++
		return nil
	}
	for i := 0; ; i++ {
		if err := s.value(depth, loose); err != nil {
			return err.under(pathIndex(i))
		}
		more, err := s.separator(']')
		if err != nil || !more {
			return err
		}
	}
}

// object reads an object, whose opening brace is next. In a strict one a key that comes twice is
// a fault, because readers differ in which of the two they take. The keys of the object lie on a
// stack that all objects share, so that checking costs no memory.
func (s *scanner) object(depth int, loose bool) *SyntaxError {
	s.pos++
	outer := len(s.keys)
	defer func() { s.keys = s.keys[:outer] }()
	var many map[string]struct{}
	s.blanks()
	if s.at('}') {
		s.pos++
		return nil
	}
	for {
		key, err := s.key(loose)
		if err != nil {
			return err
		}
		if !loose {
			if many, err = s.unique(key, outer, many); err != nil {
				return err
			}
		}
		if err = s.member(key, depth, loose); err != nil {
			return err.under(pathKey(key))
		}
		more, err := s.separator('}')
		if err != nil || !more {
			return err
		}
	}
}

// key reads a member's name, the colon and the blanks after it.
func (s *scanner) key(loose bool) ([]byte, *SyntaxError) {
	if s.pos == len(s.data) {
		return nil, s.cut()
	}
	if !s.at('"') {
		return nil, s.fault("expected a key in double quotes, found " + s.found())
	}
	s.keyAt = s.pos
	key, err := s.str(loose, true)
	if err != nil {
		return nil, err
	}
	s.blanks()
	if s.pos == len(s.data) {
		return nil, s.cut()
	}
	if !s.at(':') {
		return nil, s.fault("expected ':' after a key, found " + s.found())
	}
	s.pos++
	s.blanks()
	return key, nil
}

// member reads the value of a member. At the top the value's very bytes are kept, without room
// to append to, and whether what is below may be loose depends on the member's name.
func (s *scanner) member(key []byte, depth int, loose bool) *SyntaxError {
	if depth > 1 {
		return s.value(depth, loose)
	}
	loose = slices.Contains(s.loose, string(key))
	start := s.pos
	if err := s.value(depth, loose); err != nil {
		return err
	}
	if s.keep {
		if s.fields == nil {
			s.fields = make([]Field, 0, 16)
		}
		s.fields = append(s.fields, Field{Key: string(key), Value: s.data[start:s.pos:s.pos]})
	}
	return nil
}

// fewKeys is how many keys of an object are compared one by one; past that a map is
// quicker.
const fewKeys = 24

// unique notes key and refuses it when the object, whose keys start at first, has
// one like it. The map is nil while the object is small.
func (s *scanner) unique(key []byte, first int, many map[string]struct{}) (map[string]struct{}, *SyntaxError) {
	own := s.keys[first:]
	if many == nil && len(own) < fewKeys {
		for _, k := range own {
			if bytes.EqualFold(k, key) {
				return nil, s.twice(key)
			}
		}
		s.keys = append(s.keys, key)
		return nil, nil
	}
	if many == nil {
		many = make(map[string]struct{}, 4*fewKeys)
		for _, k := range own {
			many[fold(k)] = struct{}{}
		}
	}
	folded := fold(key)
	if _, ok := many[folded]; ok {
		return nil, s.twice(key)
	}
	many[folded] = struct{}{}
	return many, nil
}

// twice is the fault of a key that came before. It points to the second one.
func (s *scanner) twice(key []byte) *SyntaxError {
	const reason = "the object has this key twice, or twice but for upper and lower case"
	return (&SyntaxError{Offset: s.keyAt, Reason: reason}).under(pathKey(key))
}

// fold maps all keys that bytes.EqualFold calls equal to one string.
func fold(key []byte) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, string(key))
}

// separator reads a comma, or the bracket that ends the list, and the blanks around it.
func (s *scanner) separator(end byte) (more bool, err *SyntaxError) {
	s.blanks()
	switch {
	case s.pos == len(s.data):
		return false, s.cut()
	case s.at(end):
		s.pos++
		return false, nil
	case s.at(','):
		s.pos++
		s.blanks()
		return true, nil
	}
	return false, s.fault(fmt.Sprintf("expected ',' or '%c', found %s", end, s.found()))
}

// blanks passes over what JSON calls white space, which is four characters and no others.
func (s *scanner) blanks() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return
		}
	}
}

// at reports whether c is next; at the end of the data nothing is.
func (s *scanner) at(c byte) bool { return s.pos < len(s.data) && s.data[s.pos] == c }

// fault is an error at the place where the scanner stands.
func (s *scanner) fault(reason string) *SyntaxError {
	return &SyntaxError{Offset: s.pos, Reason: reason}
}

// cut is the fault of a text that ends too early, told at its end.
func (s *scanner) cut() *SyntaxError {
	s.pos = len(s.data)
	return s.fault("ends too early, as if it was cut off")
}

// found names the byte at pos in printable ASCII.
func (s *scanner) found() string { return strconv.QuoteToASCII(string(s.data[s.pos : s.pos+1])) }

// kindOf names the kind of value that begins with c.
func kindOf(c byte) string {
	switch {
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "a string"
	case c == 't' || c == 'f':
		return "a boolean"
	case c == 'n':
		return "null"
	case c == '-' || '0' <= c && c <= '9':
		return "a number"
	}
	return "something that is not JSON"
}
