package tui

import (
	"github.com/aoctl/aoctl/tui/syntax"
)

// ground is what a piece of a comparison lies on.
type ground uint8

// The grounds.
const (
	groundPlain ground = iota
	groundAdded
	groundRemoved
	groundAddedWord   // what came inside a line
	groundRemovedWord // what went
	grounds           // how many there are
)

// word is the ground of what changed inside a line on g.
func (g ground) word() ground {
	switch g {
	case groundAdded:
		return groundAddedWord
	case groundRemoved:
		return groundRemovedWord
	case groundPlain, groundAddedWord, groundRemovedWord, grounds:
	}
	return g
}

// syntaxInk is the ink of a class of text on a ground.
func syntaxInk(c syntax.Class, g ground) ink {
	return inkSyntax + ink(c)*ink(grounds) + ink(g)
}

// blankInk is the ink of a blank made visible, where text would have ink i: it lies on
// the same ground.
func blankInk(i ink) ink {
	if i < inkSyntax {
		return inkBlank
	}
	return syntaxInk(syntax.Classes, ground((i-inkSyntax)%ink(grounds)))
}

// marksOf are a whole text's colours.
func marksOf(spans []syntax.Span, on ground) []mark {
	marks := make([]mark, len(spans))
	for i, s := range spans {
		marks[i] = mark{s.From, s.To, syntaxInk(s.Class, on)}
	}
	return marks
}
