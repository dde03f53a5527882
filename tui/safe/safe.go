package safe

import (
	"strings"
	"unicode/utf8"
)

// Form says what becomes of line breaks. The zero value draws all on one line.
type Form uint8

// The forms.
const (
	OneLine Form = iota // line breaks are drawn as ⏎
	Lines               // line breaks stay line breaks
)

// Kind says what a token stands for.
type Kind uint8

// The kinds of token.
const (
	Plain  Kind = iota // drawn as it is
	Escape             // \x… or \u{…}
	Blank              // tabs, and blanks that had to be made visible or counted
	Break              // one or more line breaks
)

// Token is one sign, one character with its accents, or a run of plain ASCII
// characters. All but the runs are drawn as a whole; a run may be split between any
// two of its bytes.
type Token struct {
	Raw   string // the bytes it stands for
	Drawn string // what to draw; in the form Lines a Break ends in "\n"
	Width int    // cells that Drawn takes, the "\n" of a Break not counted
	Kind  Kind

	// Indent says that it is a tab before the first letter of its line. Who draws a text whose
	// lines all begin alike may draw it as blanks; see Ambiguous.
	Indent bool
}

// The glyphs of the signs. A text that has one of them itself gets it drawn as an
// escape.
const (
	glyphTab   = '⇥'
	glyphBlank = '␠'
	glyphBreak = '⏎'
	times      = '×'
)

// From how many on equal characters are counted. Below these numbers a reader can
// still see how many there are; above, they could push what follows out of sight.
const (
	tabDrawn   = "⇥   " // a lone tab; the blanks belong to it
	manyBlanks = 8      // so many blanks or tabs in a row are counted on one line, and at the end of any
	wideBlanks = 40     // so many blanks are counted in a text of several lines
	manyBreaks = 3      // so many line breaks in a row are counted
	maxMarks   = 2      // accents on one letter
)

// Line draws s on one line. The result has no control characters and is as wide as
// Width says.
func Line(s string) string {
	if plainASCII(s) {
		return s
	}
	return draw(s, OneLine)
}

// Text draws s and keeps its line breaks, except that three or more in a row are
// counted.
func Text(s string) string { return draw(s, Lines) }

// Head draws the beginning of s on one line: enough to fill so many cells, and "…"
// when there is more. However long s is, it costs little. The "…" comes in addition to
// the cells.
func Head(s string, cells int) string {
	if len(s) <= cells && plainASCII(s) {
		return s
	}
	var b strings.Builder
	width := 0
	for t := range Tokens(s, OneLine) {
		// A token that does not fit whole is left out, a run is cut.
		if width += t.Width; width > cells {
			if t.Run() {
				b.WriteString(t.Drawn[:len(t.Drawn)-(width-cells)])
			}
			return b.String() + "…"
		}
		b.WriteString(t.Drawn)
	}
	return b.String()
}

// Tail draws the end of s on one line: as much as has room in so many cells.
func Tail(s string, cells int) string {
	var tokens []Token
	for t := range Tokens(s, OneLine) {
		tokens = append(tokens, t)
	}
	from := len(tokens)
	// A token is whole or not there; only a run of plain letters may begin in its
	// middle.
	for from > 0 && tokens[from-1].Width <= cells {
		from--
		cells -= tokens[from].Width
	}
	var b strings.Builder
	if from > 0 && tokens[from-1].Run() {
		run := tokens[from-1].Drawn
		b.WriteString(run[len(run)-max(cells, 0):])
	}
	for _, t := range tokens[from:] {
		b.WriteString(t.Drawn)
	}
	return b.String()
}

// draw joins what all tokens of s draw.
func draw(s string, f Form) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	for t := range Tokens(s, f) {
		b.WriteString(t.Drawn)
	}
	return b.String()
}

// plainASCII reports whether s is drawn as it is, for sure: most names and summaries
// are. Two blanks in a row are left to the scanner, and so is a backslash.
func plainASCII(s string) bool {
	for i := range len(s) {
		c := s[i]
		blank := c == ' ' && (i+1 == len(s) || s[i+1] == ' ')
		if c < ' ' || c >= 0x7f || c == '\\' || blank {
			return false
		}
	}
	return true
}

// Tokens cuts s into what is to be drawn. The Raw fields, joined, are s, so nothing is
// left out whatever s holds. It stops when yield returns false, and looks no further
// than it must.
func Tokens(s string, f Form) func(yield func(Token) bool) {
	return func(yield func(Token) bool) {
		// On one line no tab begins a line, as nobody could see that.
		sc := scanner{rest: s, form: f, lineStart: f == Lines}
		// Each token takes at least one byte, so this comes to an end.
		for sc.rest != "" {
			if !yield(sc.next()) {
				return
			}
		}
	}
}

// scanner walks over a text; the flags tell what the last token was.
type scanner struct {
	rest      string
	form      Form
	lineStart bool // nothing but blanks since the line began
	afterSign bool // the last token was a ⏎ that a × would turn into a count
}

// next takes one token off the rest. Each is at least a byte long, so a text comes to
// an end.
func (s *scanner) next() Token {
	var t Token
	switch s.rest[0] {
	case ' ':
		t = s.blanks()
		s.lineStart = s.lineStart && t.Kind == Plain
	case '\t':
		t = s.tabs()
	case '\n':
		t = s.breaks()
		s.lineStart = s.form == Lines
	default:
		t = s.char()
		s.lineStart = false
	}
	s.afterSign = t.Kind == Break && s.form == OneLine
	s.rest = s.rest[len(t.Raw):]
	return t
}

// run is how often c stands at the front of the rest; c must stand there once.
func (s *scanner) run(c byte) int {
	n := 1
	for n < len(s.rest) && s.rest[n] == c {
		n++
	}
	return n
}

// blanks takes a run of blanks: as they are between words, as signs at the end of a
// line where nobody would see them, and counted when they are many.
func (s *scanner) blanks() Token {
	n := s.run(' ')
	atEnd := n == len(s.rest) || s.rest[n] == '\n'
	switch {
	// On one line few blanks are enough to be suspicious: they push what follows out
	// of the window.
	case n >= wideBlanks, n >= manyBlanks && (atEnd || s.form == OneLine):
		return counted(glyphBlank, s.rest[:n], " ")
	case atEnd:
		return Token{Raw: s.rest[:n], Drawn: strings.Repeat(string(glyphBlank), n), Width: n, Kind: Blank}
	}
	return Token{Raw: s.rest[:n], Drawn: s.rest[:n], Width: n}
}

// tabs takes one tab, or a run of many as a count.
func (s *scanner) tabs() Token {
	if n := s.run('\t'); n >= manyBlanks {
		return counted(glyphTab, s.rest[:n], " ")
	}
	return Token{Raw: "\t", Drawn: tabDrawn, Width: 4, Kind: Blank, Indent: s.lineStart && s.indents()}
}

// indents reports whether a letter follows the blanks and tabs at the front of the
// rest, on its line.
func (s *scanner) indents() bool {
	rest := strings.TrimLeft(s.rest, " \t")
	return rest != "" && rest[0] != '\n'
}

// breaks takes a run of line breaks when they are counted, else one.
func (s *scanner) breaks() Token {
	end := "\n"
	if s.form == OneLine {
		end = " "
	}
	var t Token
	switch n := s.run('\n'); {
	case n >= manyBreaks:
		t = counted(glyphBreak, s.rest[:n], end)
		if s.form == Lines {
			t.Width-- // the line break itself takes no cell
		}
	case s.form == Lines:
		t = Token{Raw: "\n", Drawn: "\n"}
	default:
		t = Token{Raw: "\n", Drawn: string(glyphBreak), Width: 1}
	}
	t.Kind = Break
	return t
}

// Run reports whether t is a run of plain ASCII characters, each a cell wide.
func (t Token) Run() bool { return t.Kind == Plain && t.Width == len(t.Drawn) }

// ascii is how many characters at the front of the rest are ASCII and drawn as they
// are, whatever stands behind them: a letter may get an accent from what is not ASCII.
func (s *scanner) ascii() int {
	n := 0
	for n < len(s.rest) && s.rest[n] > ' ' && s.rest[n] < 0x7f && s.rest[n] != '\\' {
		n++
	}
	// The last letter is left for withMarks: what follows may be its accent.
	if n < len(s.rest) && s.rest[n] >= utf8.RuneSelf {
		n--
	}
	return n
}

// char is a run of plain ASCII, or one character that is neither blank, tab nor line
// break, with the accents that follow it.
func (s *scanner) char() Token {
	if n := s.ascii(); n > 0 {
		return Token{Raw: s.rest[:n], Drawn: s.rest[:n], Width: n}
	}
	c := s.rest[0]
	if c < utf8.RuneSelf {
		// A backslash is plain, unless it and what follows would be read as a sign of
		// ours.
		if c < ' ' || c == 0x7f || looksEscaped(s.rest) {
			return byteEscape(s.rest[:1])
		}
		return s.withMarks(1)
	}
	r, n := utf8.DecodeRuneInString(s.rest)
	switch {
	case n == 1: // no UTF-8
		return byteEscape(s.rest[:1])
	// Behind a drawn line break a × and digits of the text would read as its count.
	case !plain(r), r == times && s.afterSign:
		return runeEscape(s.rest[:n], r)
	}
	return s.withMarks(n)
}

// withMarks takes the character of n bytes and up to maxMarks accents. An accent
// without a letter before it never gets here as plain: see plain. More accents than a
// language needs would draw over the rows above and below.
func (s *scanner) withMarks(n int) Token {
	if isLetter(s.rest) {
		for range maxMarks {
			r, size := utf8.DecodeRuneInString(s.rest[n:])
			if !isAccent(r) {
				break
			}
			n += size
		}
	}
	raw := s.rest[:n]
	return Token{Raw: raw, Drawn: raw, Width: Width(raw)}
}
