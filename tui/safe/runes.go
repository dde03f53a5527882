package safe

import (
	"unicode"
	"unicode/utf8"
)

// plain reports whether r may be drawn as it is, alone. It must have a picture of its
// own, which nothing else has, and a width that every terminal agrees about, whatever
// its neighbours are: see agreed. Accents are not plain: they are drawn only behind
// their letter.
func plain(r rune) bool {
	switch r {
	case glyphTab, glyphBlank, glyphBreak: // ours
		return false
	case 0x2800, 0x1d159: // Braille blank, empty note head: pictures of nothing
		return false
	case 0xfffc, 0xfffd: // stand-ins that a terminal draws for what it cannot show
		return false
	}
	return cellsOf(r) > 0
}

// isLetter reports whether s begins with a letter.
func isLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// isAccent reports whether r may sit on a letter: a mark that no terminal gives a cell,
// and that has a picture which leaves its letter readable. Marks that join letters are
// not among them, nor are those that some terminals give a cell: either would let a text
// grow out of its row.
func isAccent(r rune) bool {
	switch {
	// A variation selector may make a picture of a letter, in some terminals only.
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x180b && r <= 0x180f: // variation selectors
		return false
	case r == 0x34f, r == 0x17b4, r == 0x17b5, r == 0x16fe4: // without a picture
		return false
	case r >= 0x20d0 && r <= 0x20f0, r >= 0x334 && r <= 0x338: // strike through, circle and box their letter
		return false
	}
	return cellsOf(r) == 0
}
