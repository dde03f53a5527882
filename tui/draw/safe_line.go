package draw

import (
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// MaxSummary is how much of a text a summary shows, in cells: more than any screen is
// wide.
const MaxSummary = 400

// SafeLine is a short text on one line. It is what a name, a reason or a path of
// somebody else passes through before it is put into a row. However long s is, it
// costs little.
func SafeLine(s string) string { return safe.Head(s, MaxSummary) }

// Tail is the end of a text on one line: as much as has room.
func Tail(text string, room int) string {
	var tokens []safe.Token
	for t := range safe.Tokens(text, safe.OneLine) {
		tokens = append(tokens, t)
	}
	from := len(tokens)
	for from > 0 && tokens[from-1].Width <= room {
		from--
		room -= tokens[from].Width
	}
	var b strings.Builder
	if from > 0 && tokens[from-1].Run() {
		run := tokens[from-1].Drawn
		b.WriteString(run[len(run)-max(room, 0):])
	}
	for _, t := range tokens[from:] {
		b.WriteString(t.Drawn)
	}
	return b.String()
}
