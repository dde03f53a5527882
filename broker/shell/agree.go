package shell

import (
	"errors"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/plain"
	"mvdan.cc/sh/v3/syntax"
)

// disagree says why some shell might read text otherwise than file, which is how the parser
// reads it: the plain reader refuses it, or has read other words or operators. It is "" when
// both have read the same.
//
// Both readings are spelled in the plain reader's tokens and compared as lists. A defect in one
// reader then shows as a difference, and a line that an agent wrote for that defect loses its
// wildcards instead of being allowed by one.
//
// Braces that make several words are read as they stand: the walk has elements for what both kinds of shells
// make of them.
func disagree(text string, file *syntax.File) (why string) {
	own, why := plain.Read(plainText(text, file))
	// The plain reader's reason is the better one: it says what is not plain.
	if why != "" {
		return why
	}
	var p spelling
	if p.list(file.Stmts); p.err != nil || !slices.Equal(own, p.List()) {
		return "what two readers read in it is not the same"
	}
	return ""
}

// spelling is a tree of the parser, spelled in the plain reader's tokens. "a 'b' > c" becomes a
// word with the text a, a word with the quoted text b, the operator >, a word with the text c,
// and the operator ";". Whatever has no place in the plain language sets err. The spelling goes
// on then, but its tokens count for nothing.
type spelling struct {
	plain.Tokens
	err error
}

// errNotPlain says that the tree has a form that the plain reader never takes. Nobody sees its
// text: disagree answers with a sentence of its own.
var errNotPlain = errors.New("no part of the plain language")

// list spells commands that follow each other. The last one gets its ";" as well, as the plain
// reader writes one at the end of every list.
func (p *spelling) list(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		p.stmt(s)
		if s.Background {
			p.Op("&")
		} else {
			p.Op(";")
		}
	}
}

// joined spells a statement that stands in a pipeline or beside && and ||.
func (p *spelling) joined(s *syntax.Stmt) {
	// The parser puts the "&" of a list on the whole pipeline. On a part of one it is a form
	// that the plain reader does not have.
	if s.Background {
		p.err = errNotPlain
	}
	p.stmt(s)
}

// stmt spells a command and then its redirections, wherever those stand in the text: that is
// the order of Tokens.
func (p *spelling) stmt(s *syntax.Stmt) {
	if s.Coprocess || s.Disown {
		p.err = errNotPlain
	}
	if s.Negated {
		p.Op("!")
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		for _, a := range c.Assigns {
			p.assign(a)
		}
		p.words(plainArgs(c))
	// To the parser export is a clause of its own, to the plain reader a command like others.
	case *syntax.DeclClause:
		p.declare(c)
	case *syntax.BinaryCmd:
		p.joined(c.X)
		p.Op(c.Op.String())
		p.joined(c.Y)
	case *syntax.TimeClause:
		p.Op("time")
		if c.PosixFormat || c.Stmt == nil {
			p.err = errNotPlain
			return
		}
		p.joined(c.Stmt)
	case *syntax.Subshell:
		p.Op("(")
		p.list(c.Stmts)
		p.Op(")")
	case *syntax.Block:
		p.Op("{")
		p.list(c.Stmts)
		p.Op("}")
	default:
		p.compound(s.Cmd)
	}
	for _, r := range s.Redirs {
		p.redirect(r)
	}
}

// compound spells conditions and loops. What the plain language leaves out, such as case,
// functions and tests, ends in the last case.
func (p *spelling) compound(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.IfClause:
		p.Op("if")
		p.list(c.Cond)
		p.Op("then")
		p.list(c.Then)
		// The parser keeps elif and else as a chain of if clauses; an else is one without a
		// condition.
		for c = c.Else; c != nil; c = c.Else {
			if len(c.Cond) == 0 {
				p.Op("else")
			} else {
				p.Op("elif")
				p.list(c.Cond)
				p.Op("then")
			}
			p.list(c.Then)
		}
		p.Op("fi")
	case *syntax.WhileClause:
		if c.Until {
			p.Op("until")
		} else {
			p.Op("while")
		}
		p.list(c.Cond)
		p.body(c.Do)
	case *syntax.ForClause:
		items, ok := c.Loop.(*syntax.WordIter)
		// select, counting loops and zsh's loops in braces are read by some shells alone.
		if !ok || c.Select || c.Braces {
			p.err = errNotPlain
			return
		}
		p.Op("for")
		p.Op(items.Name.Value)
		p.Op("in")
		values := items.Items
		if literal, ok := withoutBraces(values); ok {
			values = literal
		}
		p.words(values)
		p.body(c.Do)
	default:
		p.err = errNotPlain
	}
}

// body spells what a loop repeats.
func (p *spelling) body(stmts []*syntax.Stmt) {
	p.Op("do")
	p.list(stmts)
	p.Op("done")
}

// assign spells name=value. Arrays, indexes and += are not known to a plain sh.
func (p *spelling) assign(a *syntax.Assign) {
	if a.Append || a.Naked || a.Index != nil || a.Array != nil {
		p.err = errNotPlain
		return
	}
	p.Assign(a.Name.Value)
	p.word(a.Value)
}

// declare spells the words of export, which the plain reader takes for any others.
func (p *spelling) declare(c *syntax.DeclClause) {
	p.Word()
	p.Text(c.Variant.Value, false)
	for _, a := range c.Args {
		if a.Append || a.Name == nil || a.Index != nil || a.Array != nil {
			p.err = errNotPlain
			return
		}
		p.Word()
		p.Text(a.Name.Value, false)
		if !a.Naked {
			p.Text("=", false)
			p.word(a.Value)
		}
	}
}

// redirect spells one redirection: its digit and operator as one token, then its file. A
// here-document has its text in the place of a file.
func (p *spelling) redirect(r *syntax.Redirect) {
	op := r.Op.String()
	if r.N != nil {
		// One token, so that "2>x" and "2 >x" differ.
		op = r.N.Value + op
	}
	switch r.Op { //nolint:exhaustive // the others are an operator and a word
	case syntax.Hdoc:
		var text strings.Builder
		if r.Hdoc != nil {
			for _, part := range r.Hdoc.Parts {
				lit, ok := part.(*syntax.Lit)
				// A text that the shell expands has other parts; the plain reader refuses those
				// too.
				if !ok {
					p.err = errNotPlain
					return
				}
				text.WriteString(lit.Value)
			}
		}
		p.Heredoc(text.String())
	// The descriptor behind >& is part of the operator, and no file.
	case syntax.DplIn, syntax.DplOut:
		p.Op(op + r.Word.Lit())
	default:
		p.Op(op)
		p.Word()
		p.word(r.Word)
	}
}

// words spells words that follow each other.
func (p *spelling) words(list []*syntax.Word) {
	for _, w := range list {
		p.Word()
		p.word(w)
	}
}

// word spells the parts of one word. nil is the empty value of an assignment.
func (p *spelling) word(w *syntax.Word) {
	if w == nil {
		return
	}
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			p.unquoted(part.Value)
		case *syntax.SglQuoted:
			if part.Dollar {
				p.err = errNotPlain
			}
			p.Text(part.Value, true)
		case *syntax.DblQuoted:
			p.double(part)
		default:
			p.value(part, false)
		}
	}
}

// unquoted spells text outside of quotes, where a backslash quotes what is behind it.
func (p *spelling) unquoted(s string) {
	for s != "" {
		before, after, ok := strings.Cut(s, "\\")
		if before != "" {
			p.Text(before, false)
		}
		if !ok {
			return
		}
		// The parser leaves no backslash at an end, unless a text is odd in a way that is not
		// known here.
		if after == "" {
			p.err = errNotPlain
			return
		}
		p.Text(after[:1], true)
		s = after[1:]
	}
}

// double spells "…". It begins with an empty quoted text, so that "" and no word at all differ.
func (p *spelling) double(q *syntax.DblQuoted) {
	if q.Dollar {
		p.err = errNotPlain
	}
	p.Text("", true)
	for _, part := range q.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			p.Text(unescape(lit.Value), true)
		} else {
			p.value(part, true)
		}
	}
}

// unescape takes away the backslashes that quote something between double quotes.
func unescape(s string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// value spells what is put in the place of a part.
func (p *spelling) value(part syntax.WordPart, quoted bool) {
	switch part := part.(type) {
	case *syntax.ParamExp:
		if bare(part) {
			p.Value(part.Param.Value, quoted)
			return
		}
	case *syntax.CmdSubst:
		if !part.Backquotes && !part.TempFile && !part.ReplyVar {
			p.Open(quoted)
			p.list(part.Stmts)
			p.Op(")")
			return
		}
	}
	p.err = errNotPlain
}
