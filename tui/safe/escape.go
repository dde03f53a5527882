package safe

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const lowerHex = "0123456789abcdef"

// byteEscape draws one byte as \x and two digits. It is for control characters, for
// bytes that are no UTF-8, and for a backslash that would be read as an escape.
func byteEscape(raw string) Token {
	c := raw[0]
	return Token{Raw: raw, Drawn: string([]byte{'\\', 'x', lowerHex[c>>4], lowerHex[c&15]}), Width: 4, Kind: Escape}
}

// runeEscape draws a character as its number, \u{…} in lower-case hex.
func runeEscape(raw string, r rune) Token {
	drawn := `\u{` + strconv.FormatInt(int64(r), 16) + `}`
	return Token{Raw: raw, Drawn: drawn, Width: len(drawn), Kind: Escape}
}

// counted draws a run of one character as glyph and number. end closes the number, so
// that digits of the text cannot join it.
func counted(glyph rune, raw, end string) Token {
	n := strconv.Itoa(len(raw))
	return Token{
		Raw: raw, Drawn: string(glyph) + string(times) + n + end,
		Width: 2 + len(n) + 1, Kind: Blank,
	}
}

// looksEscaped reports whether s begins with what Reverse would take for an escape.
func looksEscaped(s string) bool {
	_, n := unescape(s)
	return n > 0
}

// unescape reads the escape at the front of s: the bytes it stands for and its length,
// 0 when there is none. Only the forms that are written here count: two digits, lower
// case.
func unescape(s string) (raw string, n int) {
	switch {
	case len(s) >= 4 && s[:2] == `\x`:
		hi, lo := strings.IndexByte(lowerHex, s[2]), strings.IndexByte(lowerHex, s[3])
		if hi < 0 || lo < 0 {
			return "", 0
		}
		return string([]byte{byte(hi)<<4 | byte(lo)}), 4 //nolint:gosec // both are below 16
	case len(s) >= 5 && s[:3] == `\u{`:
		return unescapeRune(s)
	}
	return "", 0
}

// unescapeRune reads \u{…}. A number that is no character stands for nothing.
func unescapeRune(s string) (raw string, n int) {
	// No more than the longest escape there is gets looked at, however long the text.
	digits, _, ended := strings.Cut(s[3:min(len(s), len(`\u{10ffff}`))], "}")
	if !ended || strings.Trim(digits, lowerHex) != "" {
		return "", 0
	}
	v, err := strconv.ParseInt(digits, 16, 32)
	if err != nil || !utf8.ValidRune(rune(v)) {
		return "", 0
	}
	return string(rune(v)), len(`\u{}`) + len(digits)
}

// Reverse turns what Line or Text drew back into the bytes it was drawn from, as when
// a person copies a row of the screen. Text that neither of them drew may come out
// changed, but it never fails.
func Reverse(drawn string) string {
	var b strings.Builder
	for s := drawn; s != ""; {
		raw, n := reverseOne(s)
		b.WriteString(raw)
		s = s[n:]
	}
	return b.String()
}

// reverseOne reads the first sign or character of s. n is at least 1.
func reverseOne(s string) (raw string, n int) {
	if s[0] == '\\' {
		if raw, n = unescape(s); n > 0 {
			return raw, n
		}
		return s[:1], 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch r {
	case glyphTab:
		if raw, n = uncount(s[size:], "\t", " "); n > 0 {
			return raw, size + n
		}
		return "\t", min(len(s), len(tabDrawn))
	case glyphBlank:
		if raw, n = uncount(s[size:], " ", " "); n > 0 {
			return raw, size + n
		}
		return " ", size
	case glyphBreak:
		if raw, n = uncount(s[size:], "\n", " \n"); n > 0 {
			return raw, size + n
		}
		return "\n", size
	}
	return s[:size], size
}

// maxCount bounds what Reverse writes for one sign: no message is larger.
const maxCount = 64 << 20

// uncount reads "×412" and one character out of ends: what is counted, so often. At
// the end of a line that character may be missing, as it is when a row was copied from
// a terminal.
func uncount(s, what, ends string) (raw string, n int) {
	rest, found := strings.CutPrefix(s, string(times))
	if !found {
		return "", 0
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	count, err := strconv.Atoi(digits)
	// A number of the text's own could ask for more memory than there is.
	if err != nil || count > maxCount {
		return "", 0
	}
	n = len(s) - len(rest) + len(digits)
	switch rest = rest[len(digits):]; {
	case rest == "", rest[0] == '\n' && !strings.Contains(ends, "\n"):
	case strings.IndexByte(ends, rest[0]) >= 0:
		n++
	default:
		return "", 0
	}
	return strings.Repeat(what, count), n
}
