package diff

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/tui/draw"
)

// MaxDiffed is how much text is compared line by line, in bytes of both texts, and
// maxDiffedLines how many lines; more is drawn as all that goes and all that comes.
const (
	MaxDiffed      = 4 << 20
	maxDiffedLines = 200_000
)

// How long a comparison may look for what is the same, while the screen waits for it
// and off it. What it has not found by then is drawn as going and coming. Tests of what
// is drawn give it any time, for on a busy machine it finds less.
var (
	WhileDrawing = 15 * time.Millisecond
	OffScreen    = 400 * time.Millisecond
)

// Kind is what becomes of a line. The zero value is a line that stays.
type Kind uint8

// The kinds of line.
const (
	Stays Kind = iota
	Goes
	Comes
	Sought // a line that a patch looks for first
)

// Line is one line of a comparison. Its text has its line break, unless it is the last
// one of a text without. The text is the file's own and not safe to draw.
type Line struct {
	Kind    Kind
	Text    string
	Old     int      // its number in the old text, from 1; 0 for a line that comes
	Fresh   int      // its number in the new text, from 1; 0 for a line that goes
	At      int      // where it begins in its text: the old one for a line that goes, else the new one
	Words   []Extent // what in it changed, in bytes of its text; nil where that is all of it
	NoBreak bool     // the text ends here without a line break, and the other text with one
}

// Extent is the bytes [from, to) of a text.
type Extent struct{ From, To int }

// Compare lists all lines of both texts. It looks no longer than limit for those that
// are the same. Whatever it has found by then, the lines that stay and go are the old
// text, and those that stay and come are the new one.
func Compare(old, fresh string, limit time.Duration) []Line {
	lines := compareLines(old, fresh, limit)
	oldEnds, freshEnds := strings.HasSuffix(old, "\n"), strings.HasSuffix(fresh, "\n")
	// Where one text is empty there is nothing to tell apart.
	if old == "" || fresh == "" || oldEnds == freshEnds {
		return lines
	}
	shorter := Goes // which lines the text without the line break has
	if oldEnds {
		shorter = Comes
	}
	for i := len(lines) - 1; i >= 0; i-- {
		// Only the last line of that text can lack its break.
		if lines[i].Kind == shorter {
			lines[i].NoBreak = !strings.HasSuffix(lines[i].Text, "\n")
			break
		}
	}
	return lines
}

// compareLines is Compare but for the last line's break.
func compareLines(old, fresh string, limit time.Duration) []Line {
	from, to := splitLines(old), splitLines(fresh)
	var l lister
	switch {
	case old == fresh:
		return l.add(Stays, to)
	// Too much to look through: the picture is long, and says all there is.
	case len(old)+len(fresh) > MaxDiffed || len(from)+len(to) > maxDiffedLines:
		l.add(Goes, from)
		return l.add(Comes, to)
	}
	i, j := 0, 0
	for _, op := range sequences(from, to, limit) {
		switch op.kind {
		case Goes:
			l.add(Goes, from[i:i+op.n])
			i += op.n
		case Comes:
			l.add(Comes, to[j:j+op.n])
			j += op.n
		case Stays, Sought:
			l.add(Stays, to[j:j+op.n])
			i, j = i+op.n, j+op.n
		}
	}
	return l.lines
}

// splitLines is a text as lines, each with its break, so that joined they are the
// text.
func splitLines(text string) []string {
	lines := make([]string, 0, draw.CountLines(text))
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}

// lister numbers the lines of a comparison.
type lister struct {
	lines          []Line
	old, fresh     int // numbers of the last lines
	atOld, atFresh int // where the next ones begin
}

// add takes lines of one kind. A line that stays has a number in both texts.
func (l *lister) add(kind Kind, texts []string) []Line {
	for _, text := range texts {
		line := Line{Kind: kind, Text: text, At: l.atFresh}
		if kind == Goes {
			line.At = l.atOld
		}
		if kind != Comes {
			l.old, l.atOld = l.old+1, l.atOld+len(text)
			line.Old = l.old
		}
		if kind != Goes {
			l.fresh, l.atFresh = l.fresh+1, l.atFresh+len(text)
			line.Fresh = l.fresh
		}
		l.lines = append(l.lines, line)
	}
	return l.lines
}

// Tally counts the lines that come and go.
func Tally(lines []Line) (added, gone int) {
	for _, l := range lines {
		switch l.Kind {
		case Comes:
			added++
		case Goes:
			gone++
		case Stays, Sought:
		}
	}
	return added, gone
}

// part is a run of a comparison's lines that is drawn, or stands for lines that are
// not.
type part struct {
	From, To int // of the comparison's lines
	Folded   bool
}

// leastFold is how many lines a fold hides at least: its own row is one.
const leastFold = 2

// Fold leaves out unchanged lines that are farther than context from a change; with
// context < 0 it leaves out none. A changed line is never left out. The parts cover
// all lines, in their order.
func Fold(lines []Line, context int) []part {
	if context < 0 {
		return extend(nil, part{0, len(lines), false})
	}
	var parts []part
	for at := 0; at < len(lines); {
		end := at
		for end < len(lines) && lines[end].Kind != Stays {
			end++
		}
		parts = extend(parts, part{at, end, false})
		for at = end; end < len(lines) && lines[end].Kind == Stays; {
			end++
		}
		from, to := at, end
		if at > 0 {
			from = min(at+context, end)
		}
		if end < len(lines) {
			to = max(end-context, from)
		}
		if to-from < leastFold {
			from = to
		}
		parts = extend(parts, part{at, from, false}, part{from, to, true}, part{to, end, false})
		at = end
	}
	return parts
}

// extend appends parts that are not empty, and joins those that are drawn.
func extend(parts []part, more ...part) []part {
	for _, p := range more {
		n := len(parts)
		switch {
		case p.From == p.To:
		case n > 0 && !p.Folded && !parts[n-1].Folded:
			parts[n-1].To = p.To
		default:
			parts = append(parts, p)
		}
	}
	return parts
}
