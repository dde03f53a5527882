package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker/shell/command"
	"mvdan.cc/sh/v3/syntax"
)

// single adds '…' and $'…'. A plain sh takes the second for a dollar and the first, so an
// escaped quote would end it there; decode refuses that escape.
func (p *parts) single(q *syntax.SglQuoted) {
	if !q.Dollar {
		p.buf.WriteString(q.Value)
		return
	}
	text, ok := decode(q.Value)
	if !ok {
		p.unknown("shells disagree about %s", command.Cite(p.src.cut(q)))
		return
	}
	p.buf.WriteString(text)
}

// decode resolves the escapes of $'…'. ok is false when shells disagree about one of them, or
// when it makes a character that is not plainly printable: such a character in the line itself
// is a doubt too (oddities).
func decode(s string) (text string, ok bool) {
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		r, n := escape(s[i+1:])
		if n == 0 || r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= utf8.RuneSelf && !plainRune(r) {
			return "", false
		}
		b.WriteRune(r)
		s = s[i+1+n:]
	}
	return b.String(), true
}

// escape resolves the escape that s begins with, behind its backslash. n is how many bytes it
// takes; 0: it is not known. The list is what bash, zsh and mksh have in common; \' is left out
// on purpose (see single).
func escape(s string) (r rune, n int) {
	if s == "" {
		return 0, 0
	}
	switch s[0] {
	case 'n':
		return '\n', 1
	case 't':
		return '\t', 1
	case '\\', '"':
		return rune(s[0]), 1
	case 'x':
		return digits(s, 16, 2)
	case 'u':
		return digits(s, 16, 4)
	case 'U':
		return digits(s, 16, 8)
	case '0', '1', '2', '3':
		r, n = digits("o"+s, 8, 3)
		return r, max(n-1, 0)
	}
	return 0, 0
}

// digits reads exactly want digits after one letter. Fewer are read differently by different
// shells. Bytes above 127 and what is no character give nothing: in bash \xe4 is a byte,
// elsewhere a letter.
func digits(s string, base, want int) (r rune, n int) {
	if len(s) < want+1 {
		return 0, 0
	}
	code, _ := strconv.ParseUint(s[1:want+1], base, 32) // 0, which is no character of a text, where there are others
	if code > utf8.MaxRune || want <= 3 && code >= utf8.RuneSelf || !utf8.ValidRune(rune(code)) {
		return 0, 0
	}
	return rune(code), want + 1
}

// message is the text that $(cat <<'END' …) gives: the one way in which agents write texts of
// several lines, and just as literal as quotes. A commit with such a message has the text among
// its words, and the cat inside is a harmless element of its own. Anything beside cat and that
// text makes it an ordinary substitution, and so does a function that the line calls cat. Like
// the shell it takes the newlines at the end away.
func (src *source) message(c *syntax.CmdSubst) (text string, ok bool) {
	if c.Backquotes || c.TempFile || c.ReplyVar || len(c.Stmts) != 1 || src.functions["cat"] {
		return "", false
	}
	s := c.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || marked(s) || len(s.Redirs) != 1 ||
		len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" {
		return "", false
	}
	r := s.Redirs[0]
	if r.N != nil || r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc || !quotedMark(r.Word) {
		return "", false
	}
	doc := src.document(r)
	return strings.TrimRight(doc.Text, "\n"), doc.Known
}

// quotedMark reports whether the word that ends a here-document is quoted, so that
// its text stands as it is.
func quotedMark(word *syntax.Word) bool {
	if lit := word.Lit(); lit != "" {
		return strings.Contains(lit, "\\")
	}
	return true
}

// document gives the text of a here-document or here-string, with the values of variables where
// its mark is not quoted. A substitution in it makes the whole text unknown.
func (src *source) document(r *syntax.Redirect) arg {
	// A here-string has a newline at its end, as the shell adds it.
	if r.Op == syntax.WordHdoc {
		a := src.value(r.Word)
		a.Text += "\n"
		return a
	}
	if r.Hdoc == nil {
		return arg{Word: command.Word{Known: true}}
	}
	p := parts{src: src, plain: true}
	for i, part := range r.Hdoc.Parts {
		next := behind(r.Hdoc.Parts, i)
		switch part := part.(type) {
		case *syntax.Lit:
			p.documentLit(part.Value, quotedMark(r.Word), next)
		case *syntax.ParamExp:
			p.param(part, next, true)
		case *syntax.ArithmExp:
			p.arithm(part)
		default:
			p.oneUnknown(part)
		}
	}
	a := p.arg(src.cut(r.Hdoc))
	if r.Op == syntax.DashHdoc {
		a.Text = untab(a.Text)
	}
	return a
}

// documentLit adds text of a here-document. Unless its mark is quoted, a backslash has a
// meaning before $, ` and another backslash, and joins lines.
func (p *parts) documentLit(s string, quoted bool, next syntax.WordPart) {
	if quoted {
		p.buf.WriteString(s)
		return
	}
	if strings.Contains(s, "\\\n") {
		p.unknown("shells disagree about joined lines in a here-document")
	}
	p.quotedLit(s, "$`\\", next)
}

// untab takes the tabs away that <<- ignores.
func untab(s string) string {
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, "\t")
	}
	return strings.Join(lines, "")
}
