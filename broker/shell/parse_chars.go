package shell

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// oddities says what is wrong with the characters of a line: those that have no picture of
// their own, or could be taken for others. Nobody can judge by sight what such a line does, and
// shells disagree about some of them. It names the first three.
func oddities(line string) []string {
	var why []string
	seen := func(format string, args ...any) {
		if len(why) < 3 {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	for i, r := range line {
		// Newline and tab are the control characters that agents use and that the screen can
		// show.
		if r < utf8.RuneSelf {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
				seen("it contains the control character U+%04X", r)
			}
			continue
		}
		// U+FFFD itself may stand in a text; a byte that is no UTF-8 reads as the same rune, of
		// length one.
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(line[i:]); n == 1 {
				seen("it contains the byte 0x%02x, which is no UTF-8", line[i])
				continue
			}
		}
		if !plainRune(r) {
			seen("it contains U+%04X, which cannot be seen for what it is", r)
		}
	}
	return why
}

// plainRune reports whether r, which is not ASCII, has a picture of its own. The ranges are
// Unicode's; each has a character that a reviewer would not see, or would take for another one.
func plainRune(r rune) bool {
	switch {
	case !unicode.IsPrint(r): // controls, format characters, blanks, private, unassigned
		return false
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0x180b && r <= 0x180f, r >= 0xe0000: // variation selectors, tags
		return false
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0: // Hangul fillers
		return false
	case r == 0x2800, r == 0x1d159, r == 0x34f, r == 0x17b4, r == 0x17b5: // pictures of nothing
		return false
	case r == 0xfffc, r == 0xfffd: // stand-ins
		return false
	case r > 0xff00 && r <= 0xff5e, r >= 0x1d400 && r <= 0x1d7ff, r >= 0xfe50 && r <= 0xfe6b: // disguised ASCII
		return false
	case r == 0x37e, r == 0x1fef, r == 0x212a, r == 0x1c0, r == 0x2223: // drawn as ; ` K | |
		return false
	}
	return true
}

// falseDash reports whether a word of a command looks like an option and is none: it begins
// with a dash that is not ASCII's, and a letter or another dash follows. The range is that of
// U+2010, a hyphen, to U+2015, a bar; U+2212 is the minus sign.
func falseDash(s string) bool {
	first, n := utf8.DecodeRuneInString(s)
	if (first < 0x2010 || first > 0x2015) && first != 0x2212 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(s[n:])
	return unicode.IsLetter(next) || unicode.Is(unicode.Pd, next) || next == 0x2212
}

// lookAlike reports whether a word of a command mixes Latin letters with those of another
// alphabet that has letters of the same shape. A word all in one alphabet is left alone: people
// write commit messages in Greek and Russian.
func lookAlike(s string) bool {
	latin, other := false, false
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			latin = latin || unicode.IsLetter(r)
		case unicode.In(r, unicode.Latin):
			latin = true
		case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Lisu, unicode.Coptic):
			other = true
		}
	}
	return latin && other
}
