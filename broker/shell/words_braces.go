package shell

import (
	"strings"

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
