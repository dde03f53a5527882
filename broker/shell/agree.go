package shell

import (
	"errors"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/plain"
	"mvdan.cc/sh/v3/syntax"
)

// disagree says why some shell might read text otherwise than file, which is how the
// parser reads it: the plain reader refuses it, or has read other words or operators.
// It is "" when both have read the same.
func disagree(text string, file *syntax.File) (why string) {
	own, why := plain.Read(text)
	if why != "" {
		return why
	}
	var p spelling
	if p.list(file.Stmts); p.err != nil || !slices.Equal(own, p.List()) {
		return "what two readers read in it is not the same"
	}
	return ""
}

// spelling is a tree of the parser, spelled in the plain reader's tokens.
type spelling struct {
	plain.Tokens
	err error
}

var errNotPlain = errors.New("no part of the plain language")

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
	if s.Background {
		p.err = errNotPlain
	}
	p.stmt(s)
}

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
		for _, w := range c.Args {
			p.Word()
			p.word(w)
		}
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

func (p *spelling) compound(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.IfClause:
		p.Op("if")
		p.list(c.Cond)
		p.Op("then")
		p.list(c.Then)
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
		if !ok || c.Select || c.Braces {
			p.err = errNotPlain
			return
		}
		p.Op("for")
		p.Op(items.Name.Value)
		p.Op("in")
		for _, w := range items.Items {
			p.Word()
			p.word(w)
		}
		p.body(c.Do)
	default:
		p.err = errNotPlain
	}
}

func (p *spelling) body(stmts []*syntax.Stmt) {
	p.Op("do")
	p.list(stmts)
	p.Op("done")
}

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

func (p *spelling) redirect(r *syntax.Redirect) {
	op := r.Op.String()
	if r.N != nil {
		op = r.N.Value + op
	}
	switch r.Op { //nolint:exhaustive // the others are an operator and a word
	case syntax.Hdoc:
		var text strings.Builder
		if r.Hdoc != nil {
			for _, part := range r.Hdoc.Parts {
				lit, ok := part.(*syntax.Lit)
				if !ok {
					p.err = errNotPlain
					return
				}
				text.WriteString(lit.Value)
			}
		}
		p.Heredoc(text.String())
	case syntax.DplIn, syntax.DplOut:
		p.Op(op + r.Word.Lit())
	default:
		p.Op(op)
		p.Word()
		p.word(r.Word)
	}
}

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
		if after == "" {
			p.err = errNotPlain
			return
		}
		p.Text(after[:1], true)
		s = after[1:]
	}
}

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
