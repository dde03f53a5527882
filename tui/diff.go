package tui

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/tui/draw"
)

// maxDiffed is how much text is compared line by line, in bytes of both texts, and
// maxDiffedLines how many lines; more is drawn as all that goes and all that comes.
const (
	maxDiffed      = 4 << 20
	maxDiffedLines = 200_000
)

// How long a comparison may look for what is the same, while the screen waits for it
// and off it. What it has not found by then is drawn as going and coming. Tests of what
// is drawn give it any time, for on a busy machine it finds less.
var (
	compareDrawing = 15 * time.Millisecond
	compareBehind  = 400 * time.Millisecond
)

// lineKind is what becomes of a line.
type lineKind uint8

// The kinds of line.
const (
	lineStays lineKind = iota
	lineGoes
	lineComes
	lineSought // a line that a patch looks for first
)

// diffLine is one line of a comparison. Its text has its line break, unless it is
// the last one of a text without.
type diffLine struct {
	kind    lineKind
	text    string
	old     int      // its number in the old text, from 1; 0 for a line that comes
	fresh   int      // its number in the new text, from 1; 0 for a line that goes
	at      int      // where it begins in its text: the old one for a line that goes, else the new one
	words   []extent // what in it changed, in bytes of its text; nil where that is all of it
	noBreak bool     // the text ends here without a line break, and the other text with one
}

// extent is the bytes [from, to) of a text.
type extent struct{ from, to int }

// compare lists all lines of both texts. It looks no longer than limit for those that
// are the same.
func compare(old, fresh string, limit time.Duration) []diffLine {
	lines := compareLines(old, fresh, limit)
	oldEnds, freshEnds := strings.HasSuffix(old, "\n"), strings.HasSuffix(fresh, "\n")
	if old == "" || fresh == "" || oldEnds == freshEnds {
		return lines
	}
	shorter := lineGoes // which lines the text without the line break has
	if oldEnds {
		shorter = lineComes
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].kind == shorter {
			lines[i].noBreak = !strings.HasSuffix(lines[i].text, "\n")
			break
		}
	}
	return lines
}

func compareLines(old, fresh string, limit time.Duration) []diffLine {
	from, to := splitLines(old), splitLines(fresh)
	var l lister
	switch {
	case old == fresh:
		return l.add(lineStays, to)
	case len(old)+len(fresh) > maxDiffed || len(from)+len(to) > maxDiffedLines:
		l.add(lineGoes, from)
		return l.add(lineComes, to)
	}
	i, j := 0, 0
	for _, op := range sequences(from, to, limit) {
		switch op.kind {
		case lineGoes:
			l.add(lineGoes, from[i:i+op.n])
			i += op.n
		case lineComes:
			l.add(lineComes, to[j:j+op.n])
			j += op.n
		case lineStays, lineSought:
			l.add(lineStays, to[j:j+op.n])
			i, j = i+op.n, j+op.n
		}
	}
	return l.lines
}

func splitLines(text string) []string {
	lines := make([]string, 0, draw.CountLines(text))
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}

// lister numbers the lines of a comparison.
type lister struct {
	lines          []diffLine
	old, fresh     int // numbers of the last lines
	atOld, atFresh int // where the next ones begin
}

func (l *lister) add(kind lineKind, texts []string) []diffLine {
	for _, text := range texts {
		line := diffLine{kind: kind, text: text, at: l.atFresh}
		if kind == lineGoes {
			line.at = l.atOld
		}
		if kind != lineComes {
			l.old, l.atOld = l.old+1, l.atOld+len(text)
			line.old = l.old
		}
		if kind != lineGoes {
			l.fresh, l.atFresh = l.fresh+1, l.atFresh+len(text)
			line.fresh = l.fresh
		}
		l.lines = append(l.lines, line)
	}
	return l.lines
}

// tally counts the lines that come and go.
func tally(lines []diffLine) (added, gone int) {
	for _, l := range lines {
		switch l.kind {
		case lineComes:
			added++
		case lineGoes:
			gone++
		case lineStays, lineSought:
		}
	}
	return added, gone
}

// part is a run of a comparison's lines that is drawn, or stands for lines that are not.
type part struct {
	from, to int // of the comparison's lines
	folded   bool
}

// leastFold is how many lines a fold hides at least: its own row is one.
const leastFold = 2

// fold leaves out unchanged lines that are farther than context from a change; with
// context < 0 it leaves out none.
func fold(lines []diffLine, context int) []part {
	if context < 0 {
		return extend(nil, part{0, len(lines), false})
	}
	var parts []part
	for at := 0; at < len(lines); {
		end := at
		for end < len(lines) && lines[end].kind != lineStays {
			end++
		}
		parts = extend(parts, part{at, end, false})
		for at = end; end < len(lines) && lines[end].kind == lineStays; {
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
		case p.from == p.to:
		case n > 0 && !p.folded && !parts[n-1].folded:
			parts[n-1].to = p.to
		default:
			parts = append(parts, p)
		}
	}
	return parts
}
