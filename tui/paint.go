package tui

import (
	"sort"

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

// paint marks the colours of a line of so many bytes, and what changed in it.
func paint(l *diffLine, length int, spans []syntax.Span, on ground) []mark {
	if len(l.words) == 0 {
		return cut(spans, l.at, length, on, nil)
	}
	return cut(spans, l.at, length, on, l.words)
}

// cut lays words over the spans of the length bytes from offset at.
func cut(spans []syntax.Span, at, length int, on ground, words []extent) []mark {
	first := sort.Search(len(spans), func(i int) bool { return spans[i].To > at })
	spans = spans[first:]
	var marks []mark
	for pos := 0; pos < length; {
		end, class, g := length, syntax.Text, on
		for len(spans) > 0 && spans[0].To-at <= pos {
			spans = spans[1:]
		}
		if len(spans) > 0 {
			switch from := spans[0].From - at; {
			case from > pos:
				end = min(end, from)
			default:
				end, class = min(end, spans[0].To-at), spans[0].Class
			}
		}
		for len(words) > 0 && words[0].to <= pos {
			words = words[1:]
		}
		if len(words) > 0 {
			switch w := words[0]; {
			case w.from > pos:
				end = min(end, w.from)
			default:
				end, g = min(end, w.to), on.word()
			}
		}
		if class != syntax.Text || g != on {
			marks = append(marks, mark{pos, end, syntaxInk(class, g)})
		}
		pos = end
	}
	return marks
}

// marksOf are a whole text's colours.
func marksOf(spans []syntax.Span, on ground) []mark {
	marks := make([]mark, len(spans))
	for i, s := range spans {
		marks[i] = mark{s.From, s.To, syntaxInk(s.Class, on)}
	}
	return marks
}
