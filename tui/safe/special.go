package safe

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/runenames"
)

// Special is a character that is not drawn as it is, and where a text has it.
type Special struct {
	At    int    // offset of the first one, bytes
	Raw   string // its bytes
	Times int
	Name  string // as Unicode names it, such as U+202E RIGHT-TO-LEFT OVERRIDE; safe to draw
}

// Specials lists the characters of s that are not plain text of one line or several:
// those that are drawn as escapes, tabs, and letters beyond ASCII. They are in the
// order in which they come first. Blanks and line breaks are not among them. It looks
// at all of s.
func Specials(s string) []Special {
	var list []Special
	known := map[string]int{}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		raw := s[i : i+n]
		if at, ok := known[raw]; ok {
			list[at].Times++
		} else if r < ' ' && r != '\n' || r >= 0x7f {
			known[raw] = len(list)
			list = append(list, Special{At: i, Raw: raw, Times: 1, Name: nameOf(r, raw)})
		}
		i += n
	}
	return slices.Clip(list)
}

// nameOf is a character's number and name; its bytes when it is no character.
func nameOf(r rune, raw string) string {
	if r == utf8.RuneError && len(raw) == 1 {
		return fmt.Sprintf("byte 0x%02X, which is no UTF-8", raw[0])
	}
	name := runenames.Name(r)
	if control, ok := controls[r]; ok {
		name = control
	}
	if name == "" {
		name = "without a name"
	}
	return fmt.Sprintf("U+%04X %s", r, name)
}

// controls are the names by which people know the control characters; Unicode has
// none.
var controls = map[rune]string{
	0: "NULL", 7: "BELL", 8: "BACKSPACE", '\t': "TAB", '\v': "LINE TABULATION", '\f': "FORM FEED", '\r': "CARRIAGE RETURN",
	0x1b: "ESCAPE", 0x7f: "DELETE", 0x85: "NEXT LINE", 0x90: "DEVICE CONTROL STRING", 0x9b: "CONTROL SEQUENCE INTRODUCER",
	0x9c: "STRING TERMINATOR", 0x9d: "OPERATING SYSTEM COMMAND",
}
