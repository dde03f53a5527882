package safe

import (
	"strings"
	"unicode/utf8"
)

// stretch is a stretch of characters that all take so many cells: 1, 2, or 0 for
// marks, which are drawn over the letter before them.
type stretch struct {
	first, last rune
	cells       int8
}

// cellsOf is how many cells every terminal gives r, -1 when they do not agree. The
// width of a row is the sum over its characters: none of them joins its neighbours.
func cellsOf(r rune) int {
	if r >= ' ' && r < 0x7f {
		return 1
	}
	// The table is sorted and has no overlaps; the script that makes it sees to that.
	low, high := 0, len(agreed)
	for low < high {
		switch mid := (low + high) / 2; {
		case agreed[mid].last < r:
			low = mid + 1
		case agreed[mid].first > r:
			high = mid
		default:
			return int(agreed[mid].cells)
		}
	}
	return -1
}

// unknownCells is counted for what terminals draw differently, which nothing drawn by
// this package has: a row may come out too short, but not too long.
const unknownCells = 2

// Width is how many cells a drawn line takes. Its colours take none. line should have
// been drawn by this room or by draw; of any other text it is a guess.
func Width(line string) int {
	n := 0
	for line != "" {
		_, size, cells := step(line)
		n += cells
		line = line[size:]
	}
	return n
}

// step reads the first character of a drawn line, or the control sequence there: its
// length and its cells.
func step(line string) (r rune, size, cells int) {
	if line[0] >= ' ' && line[0] < 0x7f {
		return rune(line[0]), 1, 1
	}
	// A sequence of ours takes no cells. One that never ends is no sequence and is
	// counted as signs.
	if strings.HasPrefix(line, "\x1b[") {
		end := strings.IndexFunc(line[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end >= 0 {
			return 0x1b, 2 + end + 1, 0
		}
	}
	r, size = utf8.DecodeRuneInString(line)
	if cells = cellsOf(r); cells < 0 {
		cells = unknownCells
	}
	return r, size, cells
}

// Cut shortens a drawn line to at most cells cells; what was shortened ends in "…",
// which is counted. A line may have colours: those of what was cut off stay, so none
// is left on. Half a wide character is not drawn.
func Cut(line string, cells int) string {
	switch {
	case cells <= 0:
		return ""
	case Width(line) <= cells:
		return line
	}
	return slice(line, 0, cells-1, "…")
}

// Slice is what a drawn line has from column from up to column to. All of its colours
// stay, because one of them switches the others off.
func Slice(line string, from, to int) string { return slice(line, from, to, "") }

// slice is Slice, with tail where the line is cut off.
func slice(line string, from, to int, tail string) string {
	var b strings.Builder
	b.Grow(len(line))
	for col, kept := 0, false; line != ""; {
		r, size, cells := step(line)
		// A mark without cells goes with the character before it.
		if cells > 0 {
			kept = col >= from && col+cells <= to
		}
		// From here on only colours are kept.
		if col += cells; col > to {
			b.WriteString(tail)
			tail, to = "", -1
		}
		if kept || r == '\x1b' {
			b.WriteString(line[:size])
		}
		line = line[size:]
	}
	return b.String()
}
