package hookclient

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The hook program reads three small answers and checks a fourth. Package
// encoding/json would do it too, and make every hook run 6 % slower by being loaded;
// fuzz tests hold what is here to its judgement.

// maxDepth is how deep an answer may nest: deeper than any call that a broker takes.
const maxDepth = 256

// isJSONValue reports whether b is exactly one JSON value in valid UTF-8, with
// blanks around it at most.
func isJSONValue(b []byte) bool {
	s := scanner{b: b}
	s.blanks()
	if !s.value(maxDepth) {
		return false
	}
	s.blanks()
	return s.i == len(b) && utf8.Valid(b)
}

// member returns the raw value of the member called name of the object b, nil when
// there is none, more than one, or b is no valid object.
func member(b []byte, name string) []byte {
	if !isJSONValue(b) {
		return nil
	}
	s := scanner{b: b}
	s.blanks()
	if s.next() != '{' {
		return nil
	}
	var found []byte
	s.blanks()
	for s.peek() == '"' {
		start := s.i
		s.text()
		key, _ := unquote(b[start:s.i])
		s.blanks()
		s.i++ // the colon
		s.blanks()
		start = s.i
		s.value(maxDepth)
		if key == name {
			if found != nil {
				return nil
			}
			found = b[start:s.i]
		}
		s.blanks()
		s.i++ // the comma, or the end
		s.blanks()
	}
	return found
}

// textMember returns a member that is a string, "" for anything else.
func textMember(b []byte, name string) string {
	s, _ := unquote(member(b, name))
	return s
}

// scanner walks over JSON text (RFC 8259). Its methods return false at the first
// byte that does not belong.
type scanner struct {
	b []byte
	i int
}

// peek is the next byte, 0 at the end: no JSON text has a 0.
func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// next takes the next byte. At the end it goes on counting, so that no loop stands still.
func (s *scanner) next() byte {
	c := s.peek()
	s.i++
	return c
}

// blanks passes over white space as JSON has it.
func (s *scanner) blanks() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

// value passes over one JSON value of at most depth levels; false when it is none.
func (s *scanner) value(depth int) bool {
	if depth == 0 {
		return false
	}
	switch c := s.peek(); {
	case c == '{':
		return s.list('}', func() bool {
			if !s.text() {
				return false
			}
			s.blanks()
			if s.next() != ':' {
				return false
			}
			s.blanks()
			return s.value(depth - 1)
		})
	case c == '[':
		return s.list(']', func() bool { return s.value(depth - 1) })
	case c == '"':
		return s.text()
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	default:
		return s.word("true") || s.word("false") || s.word("null")
	}
}

// list reads from the opening bracket to end, with item for what stands between
// the commas.
func (s *scanner) list(end byte, item func() bool) bool {
	s.i++
	s.blanks()
	if s.peek() == end {
		s.i++
		return true
	}
	for {
		if !item() {
			return false
		}
		s.blanks()
		switch s.next() {
		case end:
			return true
		case ',':
			s.blanks()
		default:
			return false
		}
	}
}

// word passes over w, if it stands there.
func (s *scanner) word(w string) bool {
	if !strings.HasPrefix(string(s.b[min(s.i, len(s.b)):min(s.i+len(w), len(s.b))]), w) {
		return false
	}
	s.i += len(w)
	return true
}

// number passes over a number as the RFC writes it: no plus, no leading zeros.
func (s *scanner) number() bool {
	if s.peek() == '-' {
		s.i++
	}
	if s.peek() == '0' {
		s.i++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		s.i++
		if !s.digits() {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.i++
		if c = s.peek(); c == '+' || c == '-' {
			s.i++
		}
		return s.digits()
	}
	return true
}

// digits passes over one digit or more.
func (s *scanner) digits() bool {
	start := s.i
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.i++
	}
	return s.i > start
}

// text passes over a string. Whether it is UTF-8 is looked at once for the whole text.
func (s *scanner) text() bool {
	if s.next() != '"' {
		return false
	}
	for s.i < len(s.b) {
		switch c := s.next(); {
		case c == '"':
			return true
		case c < 0x20:
			return false
		case c == '\\':
			if !s.escape() {
				return false
			}
		}
	}
	return false
}

// escape passes over what follows a backslash. Half a surrogate pair is let pass, as
// encoding/json does.
func (s *scanner) escape() bool {
	switch s.next() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		if s.i+4 > len(s.b) {
			return false
		}
		_, ok := hex4(s.b[s.i:])
		s.i += 4
		return ok
	}
	return false
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// unquote turns a valid JSON string, with its quotes, into what it says; ok is
// false for any other value. Half a surrogate pair becomes U+FFFD.
func unquote(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	raw = raw[1 : len(raw)-1]
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			b.WriteByte(raw[i])
			continue
		}
		i++
		switch c := raw[i]; c {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, _ := hex4(raw[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), i+2 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u'
				if ok {
					low, _ = hex4(raw[i+3:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			b.WriteRune(r)
		default: // quote, backslash, slash
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// quote appends s as a JSON string. Invalid UTF-8 becomes U+FFFD.
func quote(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r)) // #nosec G115 -- both are ASCII
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
