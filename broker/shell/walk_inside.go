package shell

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"mvdan.cc/sh/v3/syntax"
)

// inside walks what runs while a word is expanded. The word's value is made elsewhere
// (source.words); here only its substitutions become elements. nil is a word that is not there.
func (w *walker) inside(word *syntax.Word) {
	if word == nil {
		return
	}
	w.insideParts(word.Parts)
}

// insideParts walks the parts of a word, and doubts those whose extent shells disagree about,
// even where the value of the word does not matter.
func (w *walker) insideParts(list []syntax.WordPart) {
	for i, part := range list {
		switch part := part.(type) {
		case *syntax.DblQuoted:
			w.sink()
			w.insideParts(part.Parts)
			w.nest--
		case *syntax.CmdSubst:
			w.substitution(part)
		case *syntax.ProcSubst:
			w.process(part)
		case *syntax.ArithmExp:
			if part.Bracket || part.Unsigned {
				w.unsure(part, "shells disagree about "+command.Cite(w.cut(part)))
			}
			w.insideArithm(part.X)
		case *syntax.ParamExp:
			if part.Short && i+1 < len(list) && modified(list[i+1]) {
				w.unsure(part, "zsh reads more into "+command.Cite(w.cut(part)+w.cut(list[i+1])))
			}
			w.insideParam(part)
		case *syntax.ExtGlob:
			w.unsure(part, "shells disagree about "+command.Cite(w.cut(part)))
		}
	}
}

// substitution walks $(…) and `…`. It reads what its command reads, and is in no pipeline but
// its own. The one that only gives a literal text (message) becomes a harmless cat.
func (w *walker) substitution(c *syntax.CmdSubst) {
	// ${ cmd; } and ${| cmd; }: older shells see a variable with an odd name.
	if c.TempFile || c.ReplyVar {
		w.unsure(c, "only new shells read "+command.Cite(w.cut(c)))
	}
	if !c.Backquotes && w.endsElsewhere(c.Left, c.Right) {
		w.unsure(c, "older shells end "+command.Cite(w.cut(c))+" elsewhere")
	}
	if c.Backquotes && strings.Contains(w.cut(c), "\\") {
		w.unsure(c, "shells disagree about backslashes between backquotes")
	}
	if _, ok := w.message(c); ok {
		e := w.builtin(c.Stmts[0], "cat")
		e.Stdin, e.Pipe = "text", 0
		w.add(e)
		return
	}
	w.alone(c.Stmts, input{kind: w.in.kind}, 0)
}

// endsElsewhere reports whether an older shell closes the bracket of two characters at left
// before or after right. Positions of the parser that lie outside of the text count as no
// reason: it made those parts up.
func (src *source) endsElsewhere(left, right syntax.Pos) bool {
	from, to := int(left.Offset())+2, int(right.Offset())
	return from <= to && to <= len(src.text) && older(src.text[from:], to-from)
}

// process walks <(…) and >(…), which are in a pipeline with the command that has them: in "sh
// <(curl x)" what curl prints is what sh runs. The word itself is the name of a pipe, and no
// file.
func (w *walker) process(p *syntax.ProcSubst) {
	if w.endsElsewhere(p.OpPos, p.Rparen) {
		w.unsure(p, "older shells end "+command.Cite(w.cut(p))+" elsewhere")
	}
	in := input{kind: w.in.kind}
	w.moves.late = true
	if p.Op == syntax.CmdOut {
		in.kind = "pipe"
	}
	w.alone(p.Stmts, in, w.pipe)
}

// alone walks commands that run beside the one that is being walked. Links that they move may
// be moved before anything of the line has been opened.
func (w *walker) alone(stmts []*syntax.Stmt, in input, pipe int) {
	oldIn, oldPipe, oldLinked := w.in, w.pipe, w.linked
	w.in, w.pipe, w.linked = in, pipe, pipe > 0
	w.moves.beside++
	// linked lets a pipeline inside keep the number of the outer one.
	w.apart(stmts)
	w.moves.beside--
	w.in, w.pipe, w.linked = oldIn, oldPipe, oldLinked
}

// insideParam walks ${…}. Its plain forms only look a value up. Others are judged by whether
// they may run something: an index or an offset is computed, @P expands a value as a prompt,
// ${!x} leads to a variable that nobody named.
func (w *walker) insideParam(e *syntax.ParamExp) {
	if bare(e) {
		return
	}
	w.sink()
	switch {
	case e.Excl || e.Names != 0:
		w.unsure(e, "what "+command.Cite(w.cut(e))+" names is not known")
	// ${x@P} and the like: the value is expanded once more.
	case e.Exp != nil && e.Exp.Op == syntax.OtherParamOps:
		w.unsure(e, command.Cite(w.cut(e))+" may run what a variable holds")
	case e.Exp != nil && (e.Exp.Op == syntax.AssignUnset || e.Exp.Op == syntax.AssignUnsetOrNull):
		w.unsure(e, command.Cite(w.cut(e))+" sets a variable")
	case e.Index != nil, e.Slice != nil, e.Flags != nil, e.NestedParam != nil, len(e.Modifiers) > 0, e.Width, e.IsSet:
		if !plainIndex(e) {
			w.unsure(e, command.Cite(w.cut(e))+" computes with values that are not known")
		}
	}
	w.insideParamWords(e)
	w.nest--
}

// plainIndex reports whether e is ${a[@]}, ${a[*]}, ${#a[@]}, ${a[3]} or ${a:1:2}.
func plainIndex(e *syntax.ParamExp) bool {
	if e.Flags != nil || e.NestedParam != nil || len(e.Modifiers) > 0 || e.Width || e.IsSet {
		return false
	}
	if word, ok := e.Index.(*syntax.Word); ok {
		if lit := word.Lit(); lit != "@" && lit != "*" && !smallNumber(lit) {
			return false
		}
	} else if e.Index != nil {
		return false
	}
	return e.Slice == nil || numeric(e.Slice.Offset) && numeric(e.Slice.Length)
}

// insideParamWords walks the words inside of ${…}: index, offsets, replacement and default. All
// of them are expanded by some form.
func (w *walker) insideParamWords(e *syntax.ParamExp) {
	if e.NestedParam != nil {
		w.insideParts([]syntax.WordPart{e.NestedParam})
	}
	w.insideArithm(e.Index)
	if e.Slice != nil {
		w.insideArithm(e.Slice.Offset)
		w.insideArithm(e.Slice.Length)
	}
	if e.Repl != nil {
		w.inside(e.Repl.Orig)
		w.inside(e.Repl.With)
	}
	if e.Exp != nil {
		w.inside(e.Exp.Word)
	}
}

// insideArithm walks what runs while a number is computed. nil runs nothing.
func (w *walker) insideArithm(x syntax.ArithmExpr) {
	w.sink()
	switch x := x.(type) {
	case *syntax.Word:
		w.inside(x)
	case *syntax.BinaryArithm:
		w.insideArithm(x.X)
		w.insideArithm(x.Y)
	case *syntax.UnaryArithm:
		w.insideArithm(x.X)
	case *syntax.ParenArithm:
		w.insideArithm(x.X)
	case *syntax.FlagsArithm:
		w.unsure(x, "only zsh reads it")
	}
	w.nest--
}

// numeric reports whether x computes with nothing but numbers; nil does. Names do not count,
// and longer numbers neither: shells differ in when they overflow.
func numeric(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case nil:
		return true
	case *syntax.Word:
		lit := x.Lit()
		return lit != "" && len(lit) < 10 && strings.Trim(lit, "0123456789") == ""
	case *syntax.BinaryArithm:
		return numeric(x.X) && numeric(x.Y)
	case *syntax.UnaryArithm:
		return x.Op != syntax.Inc && x.Op != syntax.Dec && numeric(x.X)
	case *syntax.ParenArithm:
		return numeric(x.X)
	}
	return false
}
