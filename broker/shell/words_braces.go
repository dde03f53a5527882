package shell

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraces is how many words one word with braces may become. Two dozen characters can ask for
// millions.
const maxBraces = 64

// braces expands {a,b} and {1..3}. A nil word says that there are too many, or that shells
// disagree about them. A word without braces comes back as it is.
func braces(word *syntax.Word) []*syntax.Word {
	switch n := countBraces(word); {
	case n == 0:
		return []*syntax.Word{word}
	case n > 10: // even a few of the words that they make would take long
		return []*syntax.Word{nil}
	}
	// SplitBraces changes the word that it is given, and this one belongs to the tree.
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), word.Parts...)}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{word}
	}
	if !plainBraces(split, 0) {
		return []*syntax.Word{nil}
	}
	var out []*syntax.Word
	for one, err := range expand.BracesSeq(nil, split) {
		if err != nil || len(out) >= maxBraces {
			return []*syntax.Word{nil}
		}
		out = append(out, one)
	}
	return out
}

// countBraces counts the unquoted texts' opening braces. Escaped ones count too; that only
// makes it careful.
func countBraces(word *syntax.Word) int {
	n := 0
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			n += strings.Count(lit.Value, "{")
		}
	}
	return n
}

// plainBraces reports whether all shells agree on the braces of a word: lists nested
// a few levels, and sequences of plain numbers.
func plainBraces(word *syntax.Word, depth int) bool {
	if depth > 5 {
		return false
	}
	for _, p := range word.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		if b.Sequence && (len(b.Elems) != 2 || !smallNumber(b.Elems[0].Lit()) || !smallNumber(b.Elems[1].Lit())) {
			return false
		}
		for _, e := range b.Elems {
			if !plainBraces(e, depth+1) {
				return false
			}
		}
	}
	return true
}

// smallNumber reports whether s is a number of one to four digits that every shell takes as
// decimal: one with a zero before it may be octal.
func smallNumber(s string) bool {
	if s == "" || len(s) > 4 || len(s) > 1 && s[0] == '0' {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

// closes reports whether a word has a closing brace that no opening one belongs to, or is nothing
// but a brace: zsh may end a block there, and run what follows as commands of their own.
func closes(from *syntax.Word) bool {
	open := 0
	for _, part := range from.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			switch lit.Value[i] {
			case '\\':
				i++
			case '{':
				open++
			case '}':
				if open--; open < 0 {
					return true
				}
			}
		}
	}
	return from.Lit() == "{"
}

// bracesIn are programs that only take their words, in every shell: no builtin that computes or runs what braces
// could make of them, and no wrapper.
var bracesIn = wordset.New(`cat head tail wc ls file stat du tree sort uniq diff cmp grep egrep fgrep rg echo basename dirname
	cp mv rm rmdir mkdir touch chmod ln sed git go gofmt goimports node npm pnpm yarn npx eslint prettier tsc jest vitest
	python python3 pytest ruff black mypy flake8`)

// withoutBraces are the words of a command as they are to shells that expand no braces, such as dash. Other
// shells take the words that package expand makes; the line may do what either says.
// ok is false when it has no such words, or more than these two readings: mksh expands lists and no sequences.
func withoutBraces(words []*syntax.Word) (literal []*syntax.Word, ok bool) {
	var kinds kindsOfBraces
	literal = slices.Clone(words)
	for i, w := range words {
		if kind := kindOfBraces(w); kind != 0 {
			kinds |= kind
			lit := *w.Parts[0].(*syntax.Lit) //nolint:forcetypeassert // it has a kind
			lit.Value = quoteBraces.Replace(lit.Value)
			literal[i] = &syntax.Word{Parts: []syntax.WordPart{&lit}}
		}
	}
	return literal, kinds == lists || kinds == sequences
}

var quoteBraces = strings.NewReplacer("{", `\{`, "}", `\}`)

// kindsOfBraces are the kinds of braces that words have.
type kindsOfBraces byte

const (
	lists kindsOfBraces = 1 << iota
	sequences
	halves // a brace that belongs to neither
)

// kindOfBraces is what braces a plain word has. It is 0 when some shell may make anything of them but the words
// that package expand makes, or the word itself. zsh keeps an empty word, which others drop.
func kindOfBraces(word *syntax.Word) kindsOfBraces {
	text := word.Lit()
	if !strings.Contains(text, "{") || strings.Trim(text, bracesAmong) != "" {
		return 0
	}
	for _, one := range braces(word) {
		if one == nil || one == word || one.Lit() == "" {
			return 0
		}
	}
	split := &syntax.Word{Parts: slices.Clone(word.Parts)}
	syntax.SplitBraces(split)
	if kinds := kindsIn(split); kinds&halves == 0 {
		return kinds
	}
	return 0
}

// bracesAmong is all that a word with braces may have: nothing that could become a pattern in brackets, another
// user's home or a path of zsh, wherever braces put it.
const bracesAmong = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,*@+{}"

// kindsIn are the braces of a word that was split at them.
func kindsIn(split *syntax.Word) (kinds kindsOfBraces) {
	for _, p := range split.Parts {
		switch p := p.(type) {
		case *syntax.BraceExp:
			kind := lists
			if p.Sequence {
				kind = sequences
			}
			kinds |= kind
			for _, e := range p.Elems {
				kinds |= kindsIn(e)
			}
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "{}") {
				kinds |= halves
			}
		}
	}
	return kinds
}

// plainArgs are the words of a command as the plain reader is to have them: with the braces quoted that some shells
// take as they stand, and with true in the place of a source or dot that reads in an environment of Python: what that
// changes is no more than PATH and a few functions, and what else somebody wrote there is code that runs.
func plainArgs(c *syntax.CallExpr) (literal []*syntax.Word) {
	switch {
	case len(c.Args) == 0:
	case bracesIn.Has(c.Args[0].Lit()):
		if literal, ok := withoutBraces(c.Args); ok {
			return literal
		}
	case len(c.Args) == 2 && len(c.Assigns) == 0 && (c.Args[0].Lit() == "source" || c.Args[0].Lit() == "."):
		if file := c.Args[1].Lit(); simple(file) && file[0] != '-' && strings.HasSuffix(file, "/bin/activate") {
			name := *c.Args[0].Parts[0].(*syntax.Lit) //nolint:forcetypeassert // Lit has just read it
			name.Value = "true"
			return []*syntax.Word{{Parts: []syntax.WordPart{&name}}, c.Args[1]}
		}
	}
	return c.Args
}

// plainText is text with the words of its commands as plainArgs has them.
func plainText(text string, file *syntax.File) string {
	var found []*syntax.Word
	gather := func(words, literal []*syntax.Word) {
		for i, w := range literal {
			if w != words[i] {
				found = append(found, w)
			}
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			gather(n.Args, plainArgs(n))
		case *syntax.WordIter:
			if literal, ok := withoutBraces(n.Items); ok {
				gather(n.Items, literal)
			}
		}
		return true
	})
	slices.SortFunc(found, func(a, b *syntax.Word) int { return int(b.Pos().Offset()) - int(a.Pos().Offset()) })
	for _, w := range found {
		text = text[:w.Pos().Offset()] + w.Lit() + text[w.End().Offset():]
	}
	return text
}
