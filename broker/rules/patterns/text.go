package patterns

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Patterns of any kind come in four forms:
//
//	exact        npm, src/main.go
//	wildcards    * and **; what they stand for depends on the kind
//	a|b          alternatives, each of which may have wildcards
//	re:          a regular expression (RE2) that must fit the whole text
//
// A backslash takes the meaning from the character after it. A pattern is read on one
// of two sides. On the strict side, of allow rules, it must fit what certainly
// happens; on the lenient side, of deny and ask rules, all that it might stand for.

// Limits of a pattern.
const (
	MaxPattern = 4096 // bytes
	MaxRE      = 200  // characters of an re: pattern
)

// Expression begins a pattern that is a regular expression. Where a literal text begins so, its
// first letter is escaped.
const Expression = "re:"

// maxProgram is how many instructions a regular expression may compile to. Its time is
// this times the length of the text, and a project's own file can bring in rules.
const maxProgram = 500

// Glob is one alternative of a text pattern: literal texts with anything between them.
type Glob []string

// Exact reports whether the glob has no wildcard.
func (g Glob) Exact() bool { return len(g) == 1 }

// match takes no memory and, without nesting, no more than the product of the lengths. Taking
// each part where it first stands is enough: what follows has the most room then.
func (g Glob) match(s string) bool {
	first, last := g[0], g[len(g)-1]
	if len(g) == 1 {
		return s == first
	}
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	// The ends are fixed; what is between them is taken from the left.
	s = s[len(first) : len(s)-len(last)]
	for _, part := range g[1 : len(g)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

// Text is a pattern over a plain text: the name of a tool, a parameter, an assignment. Alts and
// RE exclude each other. Exact says that it fits a known list of texts alone.
type Text struct {
	Alts  []Glob
	RE    *regexp.Regexp
	Exact bool
}

// ParseText reads a text pattern, where * and ** stand for any characters. The two sides differ
// only in whether a dot of an expression fits a newline.
func ParseText(s string, lenient bool) (*Text, error) {
	if body, ok := strings.CutPrefix(s, Expression); ok {
		re, err := compileRE(body, dotAll(lenient))
		return &Text{RE: re}, err
	}
	t := &Text{Exact: true}
	for _, alt := range splitAlternatives(s) {
		g, err := parseGlob(alt)
		if err != nil {
			return nil, err
		}
		t.Alts = append(t.Alts, g)
		t.Exact = t.Exact && g.Exact()
	}
	return t, nil
}

// Match reports whether one of the alternatives fits s.
func (t *Text) Match(s string) bool {
	if t.RE != nil {
		return t.RE.MatchString(s)
	}
	for _, g := range t.Alts {
		if g.match(s) {
			return true
		}
	}
	return false
}

var (
	errEmpty    = errors.New("is empty")
	errNoAlt    = errors.New(`has an empty alternative; write \| for the character itself`)
	errTrailing = errors.New(`ends in a backslash; write \\ for the character itself`)
)

// Words is a pattern as it reads in a sentence: its alternatives with "or" between them. A
// bare | looks like a pipe where the pattern stands for a command line.
func Words(pattern string) string {
	if strings.HasPrefix(pattern, Expression) {
		return pattern
	}
	return strings.Join(splitAlternatives(pattern), " or ")
}

// splitAlternatives cuts s at each | that no backslash precedes. Backslashes stay in.
func splitAlternatives(s string) []string {
	var alts []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '|':
			alts = append(alts, s[start:i])
			start = i + 1
		}
	}
	return append(alts, s[start:])
}

// parseGlob reads one alternative of a text pattern.
func parseGlob(s string) (Glob, error) {
	if s == "" {
		return nil, errNoAlt
	}
	var g Glob
	var lit strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i == len(s) {
				return nil, errTrailing
			}
			lit.WriteByte(s[i])
		case '*':
			for i+1 < len(s) && s[i+1] == '*' {
				i++
			}
			g = append(g, lit.String())
			lit.Reset()
		default:
			lit.WriteByte(s[i])
		}
	}
	return append(g, lit.String()), nil
}

// compileRE compiles an expression that must fit a whole text. flags stand before it, as in
// "(?s)".
func compileRE(body, flags string) (*regexp.Regexp, error) {
	if err := checkRE(body); err != nil {
		return nil, err
	}
	return regexp.Compile(flags + `\A(?:` + body + `)\z`)
}

// dotAll returns the flags of an expression over texts of several lines. On the
// lenient side a newline must not hide a text from a dot.
func dotAll(lenient bool) string {
	if lenient {
		return "(?s)"
	}
	return ""
}

// headRE is the literal text that everything begins with that an expression fits; "" is always
// right. It lets most texts pass without the expression.
func headRE(body string) string {
	re, err := regexp.Compile(body)
	if err != nil {
		return ""
	}
	head, _ := re.LiteralPrefix()
	return head
}

// searchRE compiles an expression that may fit any part of a text.
func searchRE(body string) (*regexp.Regexp, error) { return regexp.Compile(`(?s)` + body) }

// checkRE bounds an expression before it is compiled for use: rules may come from a file that
// an agent wrote, and each call asks every rule.
func checkRE(body string) error {
	switch n := utf8.RuneCountInString(body); {
	case n == 0:
		return errors.New("has nothing after its re: prefix")
	case n > MaxRE:
		return fmt.Errorf("has an expression of %d characters; at most %d are allowed", n, MaxRE)
	}
	tree, err := syntax.Parse(body, syntax.Perl)
	if err != nil {
		return fmt.Errorf("has a wrong expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return fmt.Errorf("has a wrong expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if len(prog.Inst) > maxProgram {
		return errors.New("has an expression that is too large; use smaller repeat counts")
	}
	return nil
}

// EscapeText is the text pattern that fits s and nothing else. For s of any content: ParseText
// of it is exact.
func EscapeText(s string) string {
	var b strings.Builder
	if strings.HasPrefix(s, Expression) {
		b.WriteByte('\\')
	}
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`\*|`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Check refuses what no kind of pattern may be: nothing, too much, and what cannot be shown.
func Check(p string) error {
	switch {
	case p == "":
		return errEmpty
	case len(p) > MaxPattern:
		return fmt.Errorf("has %d bytes; at most %d are allowed", len(p), MaxPattern)
	}
	return CheckShown(p)
}

// Quote is the command pattern that fits argv and nothing else.
func Quote(argv []string) string {
	quoted := make([]string, len(argv))
	for i, w := range argv {
		quoted[i] = QuoteWord(w)
	}
	return strings.Join(quoted, " ")
}

// QuoteWord writes one word of a command pattern literally, with quotes only where they are
// needed, so that most patterns read like commands.
func QuoteWord(w string) string {
	bare := w != "" && !strings.HasPrefix(w, Expression) && !strings.HasPrefix(w, LinePrefix)
	for i := 0; bare && i < len(w); i++ {
		bare = w[i] > ' ' && strings.IndexByte("\\'\"*|;&<>()`", w[i]) < 0
	}
	switch {
	case bare:
		return w
	case !strings.Contains(w, "'"):
		return "'" + w + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w) + `"`
}

// CheckShown refuses what a screen cannot show as it is: nobody could check it there. Newlines
// and tabs are refused too, as the texts of rules stand in one line.
func CheckShown(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("is not valid UTF-8")
	}
	for _, r := range s {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return fmt.Errorf("has the character %U, which cannot be shown as it is", r)
		}
	}
	return nil
}
