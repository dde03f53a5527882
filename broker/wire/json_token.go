package wire

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

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

// escapes are the escapes of one character; 0 stands for all others.
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

// lowHalf looks at the escape after the one at pos. ok says that four digits follow, not that
// they are a low half: utf16.DecodeRune finds that out.
func (s *scanner) lowHalf() (rune, bool) {
	rest := s.data[s.pos+6:]
	if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
		return 0, false
	}
	return hex4(rest[2:6])
}

// hex4 reads four hexadecimal digits in either case.
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

// word reads true, false or null. A text that ends within the word was cut off, which is another
// fault than a wrong word: what is missing may have been lost on the way.
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
