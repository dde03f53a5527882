package shell

import "strings"

// older reports whether bash 3.2, which macOS has as bash and sh, ends a substitution
// elsewhere: it looks for the closing bracket through here-documents and, between double
// quotes, through comments. The text begins behind the opening bracket, and the substitution
// ends at right.
//
// A line that the parser takes for one harmless echo could be two commands to that shell.
func older(text string, right int) bool {
	// Only here-documents and comments make the difference, and most substitutions have
	// neither.
	if inner := text[:min(right, len(text))]; !strings.Contains(inner, "<<") && !strings.Contains(inner, "#") {
		return false
	}
	// A hostile line with many substitutions must not be searched to its end for each of them.
	shown := text[:min(right+maxBehind, len(text))]
	// It reads a comment in one way between double quotes and in another outside.
	for _, comments := range [...]bool{false, true} {
		end := closing(shown, 0, '(', ')', comments)
		// No end is an error to that shell, which then runs nothing, unless it lies beyond what
		// was searched.
		if end != right && (end != -1 || len(shown) < len(text)) {
			return true
		}
	}
	return false
}

// maxBehind is how far behind a substitution its end is looked for, in bytes.
const maxBehind = 4 << 10

// closing is the index in s of the bracket or quote that closes what was opened before i,
// as bash 3.2 finds it, or -1: the text is an error to it.
func closing(s string, i int, open, end byte, comments bool) int {
	depth := 1
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && end != '\'':
			i++
		case c == end:
			if depth--; depth == 0 {
				return i
			}
		case end == '\'':
		case c == open:
			depth++
		case comments && open != end && c == '#' && i > 0 && strings.IndexByte(" \t\n", s[i-1]) >= 0:
			for i+1 < len(s) && s[i+1] != '\n' {
				i++
			}
		// Inside of quotes brackets are text, so the quote's end is looked for first.
		case open != end && (c == '\'' || c == '"'), c == '`':
			if i = closing(s, i+1, c, c, comments); i < 0 {
				return -1
			}
		// A substitution inside has brackets of its own.
		case c == '$' && i+1 < len(s) && strings.IndexByte("({[", s[i+1]) >= 0:
			mate := map[byte]byte{'(': ')', '{': '}', '[': ']'}[s[i+1]]
			if i = closing(s, i+2, s[i+1], mate, comments); i < 0 {
				return -1
			}
		}
	}
	return -1
}
