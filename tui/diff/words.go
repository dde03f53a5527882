package diff

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// seqOp says what becomes of the next n items of a sequence.
type seqOp struct {
	kind Kind
	n    int
}

// sequences compares two rows of lines or words. What it has not found to be the same
// within limit goes and comes. The counts always add up to both rows. The library
// compares characters, so each item becomes one.
func sequences(old, fresh []string, limit time.Duration) []seqOp {
	ids := make(map[string]rune, len(old))
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = limit
	a, b := numbered(ids, old), numbered(ids, fresh)
	var ops []seqOp
	i, j := 0, 0
	for _, d := range dmp.DiffMainRunes(a, b, false) {
		op := seqOp{n: utf8.RuneCountInString(d.Text)}
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			op.kind = Goes
			i += op.n
		case diffmatchpatch.DiffInsert:
			op.kind = Comes
			j += op.n
		case diffmatchpatch.DiffEqual:
			// The answer is checked against the rows themselves, because a picture
			// that leaves out a line would lie.
			if i+op.n > len(a) || j+op.n > len(b) || string(a[i:i+op.n]) != string(b[j:j+op.n]) {
				return []seqOp{{Goes, len(a)}, {Comes, len(b)}} // never seen; the screen would lie
			}
			i, j = i+op.n, j+op.n
		}
		ops = append(ops, op)
	}
	if i != len(a) || j != len(b) {
		return []seqOp{{Goes, len(a)}, {Comes, len(b)}}
	}
	return ops
}

// numbered gives each item a rune: the same one for the same text. Runes that UTF-8
// cannot write are left out. ids is shared by both rows and grows.
func numbered(ids map[string]rune, items []string) []rune {
	const surrogates, afterSurrogates = 0xd800, 0xe000
	runes := make([]rune, len(items))
	for i, it := range items {
		id, ok := ids[it]
		if !ok {
			id = rune(len(ids) + 1) //nolint:gosec // maxDiffedLines is far below
			if id >= surrogates {
				id += afterSurrogates - surrogates
			}
			ids[it] = id
		}
		runes[i] = id
	}
	return runes
}

// Word marks are a help for the eye; they are left out where they would cost time or
// help nobody.
const (
	maxWordBlock = 16 << 10 // bytes of a block whose words are compared
	wordsAlike   = 4        // a line keeps its words' marks when this part of it stayed, at least: 1/4
)

// CompareWords finds what changed inside changed lines, until the deadline. Lines that
// it did not get to have nil Words, and all of them counts as changed. It writes into
// lines.
func CompareWords(lines []Line, deadline time.Time) {
	for at := 0; at < len(lines); {
		if lines[at].Kind == Stays {
			at++
			continue
		}
		end, gone := at, 0
		for ; end < len(lines) && lines[end].Kind != Stays; end++ {
			if lines[end].Kind == Goes {
				gone++
			}
		}
		goes, comes := lines[at:at+gone], lines[at+gone:end]
		if gone > 0 && len(comes) > 0 && inOrder(goes, comes) {
			if !time.Now().Before(deadline) {
				return
			}
			wordsOfBlock(goes, comes, time.Until(deadline))
		}
		at = end
	}
}

// inOrder reports whether all lines of a block that go stand before all that come. A
// block that is mixed, as patches have them, has no pairs to compare.
func inOrder(goes, comes []Line) bool {
	for i := range goes {
		if goes[i].Kind != Goes {
			return false
		}
	}
	for i := range comes {
		if comes[i].Kind != Comes {
			return false
		}
	}
	return true
}

// wordsOfBlock compares line by line when as many come as go, else the block as a
// whole.
func wordsOfBlock(goes, comes []Line, limit time.Duration) {
	if len(goes) != len(comes) {
		wordsOf(goes, comes, limit)
		return
	}
	for i := range goes {
		wordsOf(goes[i:i+1], comes[i:i+1], limit)
	}
}

// wordsOf marks what changed between some lines and others. When too little stayed,
// the marks are taken away again: a line that is nearly all marked reads worse than
// one that is new.
func wordsOf(goes, comes []Line, limit time.Duration) {
	old, fresh := wordsIn(goes), wordsIn(comes)
	if lengthOf(goes)+lengthOf(comes) > maxWordBlock {
		return
	}
	oldMarks, freshMarks := wordMarker{lines: goes}, wordMarker{lines: comes}
	same := 0
	for _, op := range sequences(old, fresh, limit) {
		if op.kind != Comes {
			n := oldMarks.pass(old[:op.n], op.kind != Stays)
			old = old[op.n:]
			if op.kind == Stays {
				same += n
			}
		}
		if op.kind != Goes {
			freshMarks.pass(fresh[:op.n], op.kind != Stays)
			fresh = fresh[op.n:]
		}
	}
	if same*wordsAlike < min(lengthOf(goes), lengthOf(comes)) { // too little is left of them
		for i := range goes {
			goes[i].Words = nil
		}
		for i := range comes {
			comes[i].Words = nil
		}
	}
}

// lengthOf is how many bytes lines have.
func lengthOf(lines []Line) int {
	n := 0
	for i := range lines {
		n += len(lines[i].Text)
	}
	return n
}

// wordsIn cuts lines into words, runs of blanks, and single other characters.
func wordsIn(lines []Line) []string {
	var words []string
	for i := range lines {
		for rest := lines[i].Text; rest != ""; {
			n := wordLength(rest)
			words = append(words, rest[:n])
			rest = rest[n:]
		}
	}
	return words
}

// wordLength is how many bytes the first word of a text has; text must not be empty.
func wordLength(text string) int {
	first, n := utf8.DecodeRuneInString(text)
	kind := wordKind(first)
	for kind != 0 && n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if wordKind(r) != kind {
			break
		}
		n += size
	}
	return n
}

// wordKind is 0 for characters that are words by themselves.
func wordKind(r rune) int {
	switch {
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return 1
	case r == ' ' || r == '\t':
		return 2
	}
	return 0
}

// wordMarker notes in lines which of their words changed, as it passes over them.
type wordMarker struct {
	lines []Line
	at    int // in the first of lines
}

// pass goes over words and returns how many bytes they have, blanks not counted.
// Changed words that touch become one extent.
func (w *wordMarker) pass(words []string, changed bool) int {
	n := 0
	for _, word := range words {
		l := &w.lines[0]
		// A line that was compared and has no change has an empty list, which differs
		// from nil.
		if changed && l.Words == nil {
			l.Words = []Extent{}
		}
		if k := len(l.Words); changed && k > 0 && l.Words[k-1].To == w.at {
			l.Words[k-1].To += len(word)
		} else if changed {
			l.Words = append(l.Words, Extent{w.at, w.at + len(word)})
		}
		if strings.TrimSpace(word) != "" {
			n += len(word)
		}
		if w.at += len(word); w.at == len(l.Text) {
			w.lines, w.at = w.lines[1:], 0
		}
	}
	return n
}
