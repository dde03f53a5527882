package draw

import (
	"github.com/aoctl/aoctl/tui/syntax"
)

// Ground is what a piece of a comparison lies on. The zero value is none.
type Ground uint8

// The grounds.
const (
	GroundPlain Ground = iota
	GroundAdded
	GroundRemoved
	groundAddedWord   // what came inside a line
	groundRemovedWord // what went
	grounds           // how many there are
)

// Word is the ground of what changed inside a line on g; a ground that has none stays
// what it is.
func (g Ground) Word() Ground {
	switch g {
	case GroundAdded:
		return groundAddedWord
	case GroundRemoved:
		return groundRemovedWord
	case GroundPlain, groundAddedWord, groundRemovedWord, grounds:
	}
	return g
}

// SyntaxInk is the ink of a class of text on a ground. All of them are counted
// through, so that Styles is one array and finding an ink costs nothing.
func SyntaxInk(c syntax.Class, g Ground) Ink {
	return inkSyntax + Ink(c)*Ink(grounds) + Ink(g)
}

// blankInk is the ink of a blank made visible, where text would have ink i: it lies on
// the same ground. Blanks are fainter than letters, or they would be all that one
// sees.
func blankInk(i Ink) Ink {
	if i < inkSyntax {
		return blank
	}
	return SyntaxInk(syntax.Classes, Ground((i-inkSyntax)%Ink(grounds)))
}

// MarksOf are a whole text's colours. The spans must be in order.
func MarksOf(spans []syntax.Span, on Ground) []Mark {
	marks := make([]Mark, len(spans))
	for i, s := range spans {
		marks[i] = Mark{s.From, s.To, SyntaxInk(s.Class, on)}
	}
	return marks
}
