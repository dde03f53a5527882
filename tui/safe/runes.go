package safe

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// plain reports whether r may be drawn as it is, alone. It must have a picture of
// its own whose width does not depend on its neighbours. Accents are not plain:
// they are drawn only behind their letter.
func plain(r rune) bool {
	if r < 0x7f {
		return r >= ' '
	}
	if !unicode.IsPrint(r) || unicode.Is(unicode.M, r) {
		return false // controls, format characters, other blanks, private, unassigned; accents
	}
	switch {
	case r == glyphTab, r == glyphBlank, r == glyphBreak: // ours
		return false
	case r >= 0x1100 && r <= 0x11ff, r >= 0xa960 && r <= 0xa97f, // Hangul jamo, which join each other, and fillers
		r >= 0xd7b0 && r <= 0xd7ff, r == 0x3164, r == 0xffa0:
		return false
	case r == 0x2800, r == 0x1d159: // Braille blank, empty note head: pictures of nothing
		return false
	case r == 0xfffc, r == 0xfffd: // stand-ins that a terminal draws for what it cannot show
		return false
	case r >= 0x1f1e6 && r <= 0x1f1ff, r >= 0x1f3fb && r <= 0x1f3ff: // join into flags, colour what is before them
		return false
	case r == 0xe33, r == 0xeb3, r == 0xff9e, r == 0xff9f: // join what is before them; terminals disagree on the width
		return false
	case r == 0xd4e, r == 0x111c2, r == 0x111c3, r == 0x113d1, r == 0x1193f, r == 0x11941, // join what is behind them
		r == 0x11a3a, r >= 0x11a84 && r <= 0x11a89, r == 0x11d46, r == 0x11f02:
		return false
	case r >= 0x3248 && r <= 0x324f: // terminals disagree on their width
		return false
	}
	return true
}

func isLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// isAccent reports whether r may sit on a letter. Variation selectors and the
// invisible marks may not, nor may marks with a width of their own: some terminals
// give them a cell and some do not, which would let a text grow out of its row.
func isAccent(r rune) bool {
	if !unicode.In(r, unicode.Mn, unicode.Me) || !unicode.IsPrint(r) {
		return false
	}
	switch {
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x180b && r <= 0x180f: // variation selectors
		return false
	case r == 0x34f, r == 0x17b4, r == 0x17b5, r == 0x16fe4: // without a picture
		return false
	case r >= 0x20d0 && r <= 0x20f0, r >= 0x334 && r <= 0x338: // strike through, circle and box their letter
		return false
	}
	return true
}

// width is how many cells the characters of s take.
func width(s string) int {
	if len(s) == 1 {
		return 1
	}
	return ansi.StringWidth(s)
}

// Width is how many cells a drawn line takes.
func Width(line string) int { return ansi.StringWidth(line) }

// Cut shortens a drawn line to at most cells cells; what was shortened ends in "…".
func Cut(line string, cells int) string {
	if cells <= 0 {
		return ""
	}
	return ansi.Truncate(line, cells, "…")
}
