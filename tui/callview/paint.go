package callview

import (
	"sort"

	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/syntax"
)

// paint marks the colours of a line of so many bytes, and what changed in it.
func paint(l *diff.Line, length int, spans []syntax.Span, on draw.Ground) []draw.Mark {
	if len(l.Words) == 0 {
		return cut(spans, l.At, length, on, nil)
	}
	return cut(spans, l.At, length, on, l.Words)
}

// cut lays words over the spans of the length bytes from offset at.
func cut(spans []syntax.Span, at, length int, on draw.Ground, words []diff.Extent) []draw.Mark {
	first := sort.Search(len(spans), func(i int) bool { return spans[i].To > at })
	spans = spans[first:]
	var marks []draw.Mark
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
		for len(words) > 0 && words[0].To <= pos {
			words = words[1:]
		}
		if len(words) > 0 {
			switch w := words[0]; {
			case w.From > pos:
				end = min(end, w.From)
			default:
				end, g = min(end, w.To), on.Word()
			}
		}
		if class != syntax.Text || g != on {
			marks = append(marks, draw.Mark{From: pos, To: end, Ink: draw.SyntaxInk(class, g)})
		}
		pos = end
	}
	return marks
}
