package shell

import (
	"cmp"
	"strconv"

	"github.com/aoctl/aoctl/broker/shell/command"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// arithm adds the value of $((…)) when it has only numbers. A variable in it may hold an index
// like a[$(cmd)], which shells run while they compute, so its value would not be enough.
func (p *parts) arithm(a *syntax.ArithmExp) {
	if a.Bracket || a.Unsigned || !numeric(a.X) {
		p.oneUnknown(a)
		return
	}
	// With numbers alone the result is the same in every shell, or an error such as 1/0.
	n, err := expand.Arithm(nil, a.X)
	if err != nil {
		p.unknown("%s cannot be computed", command.Cite(p.src.cut(a)))
		return
	}
	p.buf.WriteString(strconv.Itoa(n))
}

// arithmCommand walks ((…)) and let. A plain sh takes ((…)) for two subshells and runs
// what is in it; that there are only numbers keeps it from running a program that exists.
func (w *walker) arithmCommand(n syntax.Node, name string, exprs ...syntax.ArithmExpr) {
	e := w.builtin(n, name)
	for _, x := range exprs {
		if !numeric(x) {
			e.Neutral, e.Unsure = false, "it computes with values that are not known"
		}
	}
	w.add(e)
	for _, x := range exprs {
		w.insideArithm(x)
	}
}

// testClause walks [[ … ]], which only looks, but for the numbers that it computes.
func (w *walker) testClause(t *syntax.TestClause) {
	e := w.builtin(t, "[[")
	e.Unsure = w.test(t.X)
	e.Neutral = e.Unsure == ""
	w.add(e)
	w.insideTest(t.X)
}

// test says what is wrong with a test, or "". A plain sh knows no [[: it would open files for <
// and >, and run what stands behind && and ||. Operands are words whose value does not matter,
// as [[ takes them for one word each.
func (w *walker) test(x syntax.TestExpr) string {
	w.sink()
	defer func() { w.nest-- }()
	switch x := x.(type) {
	case *syntax.Word:
		return w.testWord(x)
	case *syntax.ParenTest:
		return "a plain sh would run what stands between the brackets"
	case *syntax.UnaryTest:
		// -v, -R and -o.
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar || x.Op == syntax.TsOptSet {
			return "a name may have an index that is computed"
		}
		return w.test(x.X)
	case *syntax.BinaryTest:
		return cmp.Or(comparison(x), w.test(x.X), w.test(x.Y))
	}
	return "this test is not known"
}

// comparison says what is wrong with the operator of a test, or "".
func comparison(x *syntax.BinaryTest) string {
	switch x.Op { //nolint:exhaustive // the others compare texts and look at files
	case syntax.TsBefore, syntax.TsAfter:
		return "a plain sh would open a file for it"
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		if !testNumber(x.X) || !testNumber(x.Y) {
			return "it computes with values that are not known"
		}
	case syntax.TsReMatch:
		return "shells disagree about =~"
	// Behind && a plain sh runs a program called like the word there; an operator such as -f is
	// surely none.
	case syntax.AndTest, syntax.OrTest:
		if u, ok := x.Y.(*syntax.UnaryTest); !ok || u.Op == syntax.TsNot || u.Op == syntax.TsParen {
			return "a plain sh would run what stands behind " + x.Op.String()
		}
	}
	return ""
}

// testWord says what is wrong with a word of a test, or ""; its value does not matter.
func (src *source) testWord(word *syntax.Word) string {
	for _, p := range word.Parts {
		if _, ok := p.(*syntax.ExtGlob); ok {
			return "shells disagree about " + command.Cite(src.cut(word))
		}
	}
	if closes(word) {
		return "zsh may take the brace of " + command.Cite(src.cut(word)) + " for a part of a block"
	}
	return ""
}

// testNumber reports whether an operand of -eq and its like is surely a number: digits, or a
// special parameter that always is one, in quotes or not.
func testNumber(x syntax.TestExpr) bool {
	word, ok := x.(*syntax.Word)
	if !ok {
		return false
	}
	if len(word.Parts) == 1 {
		if q, ok := word.Parts[0].(*syntax.DblQuoted); ok {
			word = &syntax.Word{Parts: q.Parts}
		}
	}
	if numeric(word) {
		return true
	}
	if len(word.Parts) != 1 {
		return false
	}
	e, ok := word.Parts[0].(*syntax.ParamExp)
	return ok && bare(e) && number(e.Param.Value)
}

// insideTest walks what runs while the words of a test are expanded.
func (w *walker) insideTest(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		w.inside(x)
	case *syntax.ParenTest:
		w.insideTest(x.X)
	case *syntax.UnaryTest:
		w.insideTest(x.X)
	case *syntax.BinaryTest:
		w.insideTest(x.X)
		w.insideTest(x.Y)
	}
}
