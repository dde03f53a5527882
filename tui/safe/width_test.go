package safe

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// drawable lists every character that is drawn as it is, alone or behind a letter.
func drawable() []string {
	var list []string
	for r := rune(' '); r < 0xe0200; r++ {
		if !unicode.IsPrint(r) || r == '\\' {
			continue
		}
		if unicode.Is(unicode.M, r) {
			if s := "e" + string(r); Line(s) == s {
				list = append(list, s)
			}
			continue
		}
		if Line("x"+string(r)+"x") == "x"+string(r)+"x" {
			list = append(list, string(r))
		}
	}
	return list
}

// A row is as wide as the tokens on it: no character changes the width of another,
// which terminals and programs would disagree about.
func TestWidthsAdd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	all := drawable()
	if len(all) < 50_000 {
		t.Fatalf("only %d characters are drawn", len(all))
	}
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	pairs := func(a, b string) {
		drawn := Line(a + b)
		if got, want := Width(drawn), tokensWidth(a+b); got != want {
			t.Errorf("%q is said to take %d cells, its tokens take %d", drawn, got, want)
		}
	}
	for i, b := range all {
		for _, a := range []string{"x", "क", "가", all[(i+1)%len(all)]} {
			pairs(a, b)
			pairs(b, a)
		}
		if t.Failed() && i > 200 {
			t.FailNow()
		}
	}
	for range 20_000 {
		var b strings.Builder
		for range 8 {
			b.WriteString(all[rnd.IntN(len(all))])
		}
		pairs(b.String(), "")
	}
}

func tokensWidth(s string) int {
	n := 0
	for tok := range Tokens(s, OneLine) {
		n += tok.Width
	}
	return n
}

// What takes a cell in one terminal and none in another is not drawn as it is: a
// hundred of them would push a row out of the window, and others off the screen.
func TestMarksWithAWidthAreEscaped(t *testing.T) {
	for _, s := range []string{"कः", "का", "a\u0903", "語\u302e", "កា", "น\u0e33", "ﾊ\uff9e", "\u3248"} {
		if got := Line(s); got == s || Reverse(got) != s {
			t.Errorf("Line(%q) = %q", s, got)
		}
	}
	for _, s := range []string{"é", "e\u0301", "ก\u0e34", "क\u0941", "שָ"} {
		if got := Line(s); got != s {
			t.Errorf("Line(%q) = %q: an accent that takes no cell needs no sign", s, got)
		}
	}
}

// The table of widths is in order, and as large as it was made: a character more or less
// in it, or one of another width, would move what stands behind it.
func TestTableOfWidths(t *testing.T) {
	cells := map[int8]int{}
	last := rune(-1)
	for _, s := range agreed {
		if s.first <= last || s.last < s.first {
			t.Errorf("%U to %U stands behind %U", s.first, s.last, last)
		}
		last = s.last
		cells[s.cells] += int(s.last-s.first) + 1
	}
	if diff := cmp.Diff(map[int8]int{0: 1790, 1: 23306, 2: 111463}, cells); diff != "" {
		t.Errorf("characters by their cells (-want +got):\n%s", diff)
	}
}

// A control sequence takes no cell, and what only looks like one takes those of its characters.
func TestWidthOfSequences(t *testing.T) {
	for line, want := range map[string]int{
		"\x1b[@x": 1, "\x1b[5~x": 1, "\x1b[1mx": 1, "\x1b[1é": 2 + 3, "\x1b[1": 2 + 2, "\x7f": 2,
	} {
		if got := Width(line); got != want {
			t.Errorf("%q takes %d cells, want %d", line, got, want)
		}
	}
}

// Each edge of the table is where it is said to be.
func TestCellsOf(t *testing.T) {
	for r, want := range map[rune]int{
		0: -1, 0x1f: -1, ' ': 1, '~': 1, 0x7f: -1, 0x80: -1, 0xa0: -1, 0xa1: 1, 0xac: 1, 0xad: -1, 0xae: 1, 0x2ff: 1, 0x300: 0, 0x36f: 0, 0x370: 1,
		0x378: -1, 0x20000: 2, 0x2fa1d: 2, 0x2fa1e: -1, 0xe00ff: -1, 0xe0100: 0, 0xe01ef: 0, 0xe01f0: -1, 0x10ffff: -1,
	} {
		if got := cellsOf(r); got != want {
			t.Errorf("%U takes %d cells, want %d", r, got, want)
		}
	}
}
