package tui

import (
	"encoding/json"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/aoctl/aoctl/broker/wire"
)

// maxDiffed is how much text is compared line by line, in bytes; more is drawn as
// all that goes and all that comes.
const maxDiffed = 256 << 10

// sameLines is how many unchanged lines are drawn around a change of a file.
const sameLines = 3

// change is one replacement that an agent wants to make.
type change struct {
	old, fresh string
	rest       []wire.Field // its other fields
}

// readEdits takes the replacements out of an Edit's or a MultiEdit's input; false
// when the input is not of that shape.
func readEdits(tool string, c call) ([]change, bool) {
	if tool == "Edit" {
		one, ok := readEdit(c)
		return []change{one}, ok
	}
	raw, ok := c.raw("edits")
	if !ok {
		return nil, false
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) == 0 {
		return nil, false
	}
	edits := make([]change, 0, len(items))
	for _, item := range items {
		one := readCall(item)
		e, ok := readEdit(one)
		if !ok || one.broken != "" {
			return nil, false
		}
		e.rest = one.without("old_string", "new_string")
		edits = append(edits, e)
	}
	return edits, true
}

func readEdit(c call) (change, bool) {
	old, ok1 := c.text("old_string")
	fresh, ok2 := c.text("new_string")
	return change{old: old, fresh: fresh}, ok1 && ok2
}

// diffLine is one line of a comparison. Its text has its line break, unless it is
// the last one of a text without.
type diffLine struct {
	kind    udiff.OpKind
	text    string
	number  int  // in the new text, or in the old one for a line that goes; from 1
	skipped int  // for a stand-in: so many unchanged lines are not drawn
	noBreak bool // the text ends here without a line break, and the other text with one
}

// compare lists the lines of both texts. With context < 0 it lists all lines, else
// unchanged ones only so close to a change.
func compare(old, fresh string, context int) []diffLine {
	lines := compareLines(old, fresh, context)
	oldEnds, freshEnds := strings.HasSuffix(old, "\n"), strings.HasSuffix(fresh, "\n")
	if old == "" || fresh == "" || oldEnds == freshEnds {
		return lines
	}
	shorter := udiff.Delete // which lines the text without the line break has
	if oldEnds {
		shorter = udiff.Insert
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].kind == shorter {
			lines[i].noBreak = !strings.HasSuffix(lines[i].text, "\n")
			break
		}
	}
	return lines
}

func compareLines(old, fresh string, context int) []diffLine {
	if len(old)+len(fresh) > maxDiffed {
		return append(allLines(udiff.Delete, old), allLines(udiff.Insert, fresh)...)
	}
	if old == fresh {
		return allLines(udiff.Equal, old)
	}
	around := context
	if around < 0 {
		around = countLines(old)
	}
	d, err := udiff.ToUnifiedDiff("", "", old, udiff.Lines(old, fresh), around)
	if err != nil {
		return append(allLines(udiff.Delete, old), allLines(udiff.Insert, fresh)...)
	}
	var lines []diffLine
	atOld := 1 // the next line of the old text
	for _, h := range d.Hunks {
		if n := h.FromLine - atOld; n > 0 {
			lines = append(lines, diffLine{kind: udiff.Equal, skipped: n})
		}
		atOld = h.FromLine
		atNew := h.ToLine
		for _, l := range h.Lines {
			at := atNew
			if l.Kind == udiff.Delete {
				at = atOld
			}
			lines = append(lines, diffLine{kind: l.Kind, text: l.Content, number: at})
			if l.Kind != udiff.Insert {
				atOld++
			}
			if l.Kind != udiff.Delete {
				atNew++
			}
		}
	}
	if n := countLines(old) - atOld + 1; n > 0 {
		lines = append(lines, diffLine{kind: udiff.Equal, skipped: n})
	}
	return lines
}

func allLines(kind udiff.OpKind, text string) []diffLine {
	var lines []diffLine
	for text != "" {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		lines = append(lines, diffLine{kind: kind, text: text[:end], number: len(lines) + 1})
		text = text[end:]
	}
	return lines
}

// tally counts the lines that come and go.
func tally(lines []diffLine) (added, gone int) {
	for _, l := range lines {
		switch l.kind {
		case udiff.Insert:
			added++
		case udiff.Delete:
			gone++
		case udiff.Equal:
		}
	}
	return added, gone
}

func countEdits(edits []change) (added, gone int) {
	for _, e := range edits {
		a, g := tally(compare(e.old, e.fresh, 0))
		added, gone = added+a, gone+g
	}
	return added, gone
}
