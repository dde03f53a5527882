package safe

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

const (
	maxNotes    = 4  // remarks on one text; more tell a reader nothing new
	maxNoteWord = 40 // cells of a word that a remark cites
)

// Notes remarks on letters that may be taken for others, although each has a picture
// of its own: words of several scripts, look-alikes of ASCII characters, and letters
// that a terminal may lay out from right to left. Its sentences are safe to draw;
// there are at most four.
//
// A note is a hint for a reader and refuses nothing. Text in one foreign script gets
// none: people write in their own languages.
func Notes(s string) []string {
	if isASCII(s) {
		return nil
	}
	var n notes
	start := -1
	// Letters, digits and marks make a word; everything else parts words and is looked
	// at by itself.
	for i, r := range s {
		// A circled letter counts as a letter here, or a word could be cut in two by
		// one.
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || circled(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			n.word(s[start:i])
			start = -1
		}
		n.lookAlike(r)
	}
	if start >= 0 {
		n.word(s[start:])
	}
	return n.found
}

// isASCII reports whether s has no byte beyond ASCII, as most texts have none.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// notes are the remarks on one text while it is gone through.
type notes struct {
	found []string
	last  *unicode.RangeTable // script of the last letter: the next one's, mostly
	name  string
}

// add adds a remark once. Remarks beyond the last that is wanted are dropped.
func (n *notes) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(n.found) >= maxNotes {
		return
	}
	for _, old := range n.found {
		if old == text {
			return
		}
	}
	n.found = append(n.found, text)
}

// word remarks on one run of letters and digits, once at most.
func (n *notes) word(w string) {
	if len(n.found) >= maxNotes || isASCII(w) {
		return
	}
	first := ""
	for _, r := range w {
		// A disguised letter is remarked whatever script it has, and is the last
		// remark on the word.
		if styled(r) {
			n.add("look-alike letters in «%s»", cite(w))
			return
		}
		script := n.script(r)
		switch {
		case script == "":
		case first == "":
			first = script
		case script != first:
			n.add("mixed scripts in «%s» (%s, %s)", cite(w), first, script)
			return
		}
	}
	// Scripts that are written from right to left are told even alone: what stands
	// beside them may move.
	if first == "Hebrew" || first == "Arabic" || first == "Syriac" || first == "Thaana" || first == "Nko" {
		n.add("right-to-left letters in «%s»: your terminal may reorder what is around them", cite(w))
	}
}

// cite is a word as a remark quotes it: safe to draw, and cut.
func cite(w string) string { return Cut(Line(w), maxNoteWord) }

// styled reports whether r is a letter or digit in disguise: full-width, mathematical,
// circled. They look like Latin letters and are others to every program.
func styled(r rune) bool {
	return r >= 0xff10 && r <= 0xff5a || r >= 0x1d400 && r <= 0x1d7ff || r >= 0x2100 && r <= 0x214f || circled(r)
}

// circled reports whether r is a letter in a circle, a square or brackets, which Unicode
// counts among the symbols.
func circled(r rune) bool { return r >= 0x249c && r <= 0x24e9 || r >= 0x1f110 && r <= 0x1f189 }

// script names r's script: empty for characters of many scripts, and one name for the
// East Asian ones, which nobody takes for Latin. The last answer is kept, because the
// next letter mostly has the same script.
func (n *notes) script(r rune) string {
	// ASCII letters are Latin without a look at any table.
	if r < utf8.RuneSelf {
		if unicode.IsLetter(r) {
			return "Latin"
		}
		return ""
	}
	if n.last != nil && unicode.Is(n.last, r) {
		return n.name
	}
	for name, table := range unicode.Scripts {
		if !unicode.Is(table, r) {
			continue
		}
		switch name {
		case "Common", "Inherited", "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo":
			name = ""
		}
		n.last, n.name = table, name
		return name
	}
	return ""
}

// lookAlike remarks on a sign that looks like one that shells and paths know. A path
// with another slash is another file, and a command with another dash has no option.
func (n *notes) lookAlike(r rune) {
	like := rune(0)
	switch {
	case r > 0xff00 && r <= 0xff5e:
		like = r - 0xff00 + ' '
	case r == 0x37e: // Greek question mark
		like = ';'
	case r == 0x2044, r == 0x2215, r == 0x29f8:
		like = '/'
	case r == 0x2216, r == 0x29f5, r == 0x29f9:
		like = '\\'
	case r == 0x2010, r == 0x2011, r == 0x2212:
		like = '-'
	case r == 0x2024:
		like = '.'
	case r == 0x2223, r == 0x1c0:
		like = '|'
	case r == 0x223c:
		like = '~'
	case r == 0x2039:
		like = '<'
	case r == 0x203a:
		like = '>'
	case r == 0x2236, r == 0xa789:
		like = ':'
	}
	if like != 0 {
		n.add("%c (U+%04X) is not %c", r, r, like)
	}
}
