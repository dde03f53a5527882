package wire

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads one JSON text, once, from left to right. Its methods return the
// first fault; the path of a fault is put together on the way out.
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

// plain marks the bytes of a string that need no second look.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// str reads a string. With want it returns what the string says: a part of the data
// when it has no escapes. In loose data NUL and half surrogate pairs pass.
func (s *scanner) str(loose, want bool) ([]byte, *SyntaxError) {
	s.pos++
	start := s.pos
	var decoded []byte // once an escape was met: everything before copied
	copied := start    // data up to here is in decoded
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		switch {
		case plain[c]:
			s.pos++
		case c == '"':
			end := s.pos
			s.pos++
			if copied == start {
				return s.data[start:end], nil
			}
			return append(decoded, s.data[copied:end]...), nil
		case c == '\\':
			before := s.data[copied:s.pos]
			r, err := s.escape(loose)
			if err != nil {
				return nil, err
			}
			copied = s.pos
			if want {
				decoded = utf8.AppendRune(append(decoded, before...), r)
			}
		case c < 0x20:
			return nil, s.fault(fmt.Sprintf("a string holds the raw control character 0x%02x", c))
		default:
			r, n := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && n == 1 {
				return nil, s.fault("is not valid UTF-8")
			}
			s.pos += n
		}
	}
	return nil, s.cut()
}

var escapes = [256]rune{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape reads one escape, or the two that make up a surrogate pair.
func (s *scanner) escape(loose bool) (rune, *SyntaxError) {
	if s.pos+1 >= len(s.data) {
		return 0, s.cut()
	}
	if r := escapes[s.data[s.pos+1]]; r != 0 {
		s.pos += 2
		return r, nil
	}
	unit, err := s.unit()
	if err != nil {
		return 0, err
	}
	switch {
	case unit == 0 && !loose:
		return 0, s.fault("holds a NUL character, which some programs take for the end of the text")
	case !utf16.IsSurrogate(unit):
		s.pos += 6
		return unit, nil
	}
	if low, ok := s.lowHalf(); ok {
		if r := utf16.DecodeRune(unit, low); r != unicode.ReplacementChar {
			s.pos += 12
			return r, nil
		}
	}
	if !loose {
		return 0, s.fault(fmt.Sprintf("holds \\u%04x, half of a surrogate pair, which programs read in different ways", unit))
	}
	s.pos += 6
	return unicode.ReplacementChar, nil
}

// unit reads the \uXXXX at pos without moving.
func (s *scanner) unit() (rune, *SyntaxError) {
	if s.data[s.pos+1] != 'u' {
		return 0, s.fault("a string holds an unknown escape")
	}
	if s.pos+6 > len(s.data) {
		return 0, s.cut()
	}
	r, ok := hex4(s.data[s.pos+2 : s.pos+6])
	if !ok {
		return 0, s.fault(`a string holds \u without four hex digits`)
	}
	return r, nil
}

// lowHalf looks at the escape after the one at pos.
func (s *scanner) lowHalf() (rune, bool) {
	rest := s.data[s.pos+6:]
	if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
		return 0, false
	}
	return hex4(rest[2:6])
}

func hex4(digits []byte) (rune, bool) {
	var r rune
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

func (s *scanner) word(w string) *SyntaxError {
	rest := s.data[s.pos:]
	if bytes.HasPrefix(rest, []byte(w)) {
		s.pos += len(w)
		return nil
	}
	if len(rest) < len(w) && strings.HasPrefix(w, string(rest)) {
		s.pos = len(s.data)
		return s.cut()
	}
	return s.fault("expected a value, found " + s.found())
}

// number reads -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (s *scanner) number() *SyntaxError {
	if s.at('-') {
		s.pos++
	} else if c := s.data[s.pos]; c < '0' || c > '9' {
		return s.fault("expected a value, found " + s.found())
	}
	if s.at('0') {
		s.pos++
		if s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
			return s.fault("a number begins with 0")
		}
	} else if err := s.digits(); err != nil {
		return err
	}
	if s.at('.') {
		s.pos++
		if err := s.digits(); err != nil {
			return err
		}
	}
	if s.at('e') || s.at('E') {
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		return s.digits()
	}
	return nil
}

// digits reads one digit or more.
func (s *scanner) digits() *SyntaxError {
	start := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	switch {
	case s.pos > start:
		return nil
	case s.pos == len(s.data):
		return s.cut()
	}
	return s.fault("a number lacks a digit, found " + s.found())
}

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

func (s *scanner) at(c byte) bool { return s.pos < len(s.data) && s.data[s.pos] == c }

func (s *scanner) fault(reason string) *SyntaxError {
	return &SyntaxError{Offset: s.pos, Reason: reason}
}

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
