package pathtable

import (
	"slices"
	"strings"
	"unicode"
)

// Fold makes names equal that some file system takes for the same file: letters of
// both cases, look-alikes that fold into ASCII (the Kelvin sign, the long s), and
// characters that HFS+ ignores. It may call two files alike that are not; the tables
// here only ever make a call look worse.
func Fold(s string) string {
	if plainLower(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, s)
}

// plainLower reports whether there is nothing to fold, as in most names.
func plainLower(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// HasGlob reports whether a shell would take s for a pattern.
func HasGlob(s string) bool {
	for i := range len(s) {
		if unlike(s[i]) {
			return true
		}
	}
	return false
}

// Meet reports whether some name fits both a and b. Both are patterns of one path component,
// with * and ?; a bracket expression stands for any one character and a brace for any text, so
// Meet may say yes too often, never too rarely. Its work is the product of the lengths, which
// maxPattern bounds.
func Meet(a, b string) bool {
	if !HasGlob(a) && !HasGlob(b) {
		return a == b
	}
	x, y := tokens(a), tokens(b)
	// row[j] says whether x from i on and y from j on have a name in common.
	next := make([]bool, len(y)+1)
	row := make([]bool, len(y)+1)
	for i := len(x); i >= 0; i-- {
		for j := len(y); j >= 0; j-- {
			row[j] = meetAt(x, y, i, j, row, next)
		}
		row, next = next, row
	}
	return next[0]
}

// meetAt is one cell of meet's table: same is the row of i, below that of i+1.
func meetAt(x, y []rune, i, j int, same, below []bool) bool {
	endX, endY := i == len(x), j == len(y)
	switch {
	case endX && endY:
		return true
	case !endX && x[i] == many:
		return below[j] || !endY && same[j+1]
	case !endY && y[j] == many:
		return same[j+1] || below[j]
	case endX || endY:
		return false
	}
	return (x[i] == one || y[j] == one || x[i] == y[j]) && below[j+1]
}

// Tokens of a pattern that are no characters.
const (
	many = -1 - iota // any text
	one              // any character
)

// maxPattern caps the work on one component; file names are no longer than this.
const maxPattern = 255

// tokens takes a pattern apart into characters and the two above. What is too long goes on with
// any text.
func tokens(s string) []rune {
	out := make([]rune, 0, len(s))
	text := []rune(s)
	for i := 0; i < len(text); i++ {
		switch r := text[i]; {
		case len(out) == maxPattern:
			return append(out, many)
		case r == '*':
			out = append(out, many)
		case r == '?':
			out = append(out, one)
		case r == '[':
			i = closing(text, i, ']')
			out = append(out, one)
		case r == '{' && expands(text[i:]):
			i = closing(text, i, '}')
			out = append(out, many)
		default:
			out = append(out, r)
		}
	}
	return out
}

// expands reports whether a brace at the start of text makes several words; {} and {a}
// stand for themselves.
func expands(text []rune) bool {
	inner := string(text[:closing(text, 0, '}')])
	return strings.Contains(inner, ",") || strings.Contains(inner, "..")
}

// closing returns the index of the bracket that closes the one at i; a lone bracket
// closes itself.
func closing(text []rune, i int, end rune) int {
	for j := i + 2; j < len(text); j++ {
		if text[j] == end {
			return j
		}
	}
	return i
}

// Pointed reports whether glob was plainly meant for names like those of known, and
// does not merely happen to fit one of them as * and *.json would.
func Pointed(glob, known string) bool {
	if known == "" || !unlike(glob[0]) && glob[0] != known[0] && !unlike(known[0]) {
		return false
	}
	if known[0] == '.' {
		return glob[0] == '.' && Meet(glob, known) // a leading * does not match a dot
	}
	stem, ext := glob, ""
	if i := strings.LastIndexByte(glob, '.'); i >= 0 {
		stem, ext = glob[:i], glob[i+1:]
	}
	if known[0] == '*' {
		return Literals(ext, 1) && Meet(glob, known)
	}
	return Literals(stem, 2) && Meet(glob, known)
}

// unlike reports whether a pattern that begins with c may begin with any character.
func unlike(c byte) bool { return c == '*' || c == '?' || c == '[' || c == '{' }

// Literals reports whether at least n characters of a pattern stand for themselves.
func Literals(s string, n int) bool {
	closed := byte(0)
	for i := range len(s) {
		switch c := s[i]; {
		case closed != 0:
			if c == closed {
				closed = 0
			}
		case c == '[' && strings.IndexByte(s[i+1:], ']') > 0:
			closed = ']'
		case c == '{' && strings.IndexByte(s[i+1:], '}') > 0:
			closed = '}'
		case !unlike(c) || c == '[' || c == '{':
			n--
		}
	}
	return n <= 0
}

// SourceEnds are endings of programs and texts; secrets.go is no secret.
var SourceEnds = []string{
	".go", ".py", ".pyi", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".rb", ".rs", ".java", ".kt", ".c", ".h", ".cpp", ".cs", ".php",
	".swift", ".md", ".html", ".css", ".sh", ".tf", ".example", ".sample", ".template", ".dist",
}

// EndsIn reports whether s has one of the endings.
func EndsIn(s string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(e string) bool { return strings.HasSuffix(s, e) })
}
