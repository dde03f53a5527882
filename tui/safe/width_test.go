package safe

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
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
