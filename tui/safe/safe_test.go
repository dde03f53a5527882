package safe

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"plain":                 {"git push origin dev", "git push origin dev"},
		"escape sequence":       {"\x1b[2Jrm", `\x1b[2Jrm`},
		"carriage return":       {"ls\rrm", `ls\x0drm`},
		"C1":                    {"\u009b2J", `\u{9b}2J`},
		"DEL":                   {"a\x7f", `a\x7f`},
		"bidi":                  {"a\u202eb", `a\u{202e}b`},
		"zero width":            {"r\u200bm", `r\u{200b}m`},
		"soft hyphen":           {"r\u00adm", `r\u{ad}m`},
		"variation selector":    {"a\ufe0f", `a\u{fe0f}`},
		"Hangul filler":         {"a\u3164b\u115f\u1160\uffa0", `a\u{3164}b\u{115f}\u{1160}\u{ffa0}`},
		"Braille blank":         {"a\u2800b", `a\u{2800}b`},
		"tag":                   {"a\U000e0041", `a\u{e0041}`},
		"private use":           {"\ue000", `\u{e000}`},
		"unassigned":            {"\u0378", `\u{378}`},
		"no-break space":        {"a\u00a0b", `a\u{a0}b`},
		"invalid UTF-8":         {"a\xffb", `a\xffb`},
		"replacement character": {"\ufffd", `\u{fffd}`},
		"a byte from within":    {"\x80", `\x80`},
		"umlaut":                {"größe", "größe"},
		"decomposed accent":     {"e\u0301", "e\u0301"},
		"flood of accents":      {"e\u0301\u0301\u0301\u0301", "e\u0301\u0301\\u{301}\\u{301}"},
		"accent on nothing":     {" \u0301", ` \u{301}`},
		"struck through":        {"a\u0338", `a\u{338}`},
		"flag":                  {"\U0001f1e9\U0001f1ea", `\u{1f1e9}\u{1f1ea}`},
		"line break":            {"a\nb", "a⏎b"},
		"line breaks":           {"a" + strings.Repeat("\n", 500) + "b", "a⏎×500 b"},
		"blanks":                {"a" + strings.Repeat(" ", 412) + "5", "a␠×412 5"},
		"few blanks":            {"a       b", "a       b"},
		"trailing blank":        {"a  ", "a␠␠"},
		"leading blanks":        {"         b", "␠×9 b"},
		"few leading blanks":    {"       b", "       b"},
		"blanks only":           {"  ", "␠␠"},
		"seven tabs":            {"\t\t\t\t\t\t\tb", "⇥   ⇥   ⇥   ⇥   ⇥   ⇥   ⇥   b"},
		"eight tabs":            {"\t\t\t\t\t\t\t\tb", "⇥×8 b"},
		"two breaks":            {"\n\nb", "⏎⏎b"},
		"three breaks":          {"\n\n\nb", "⏎×3 b"},
		"letter and accent":     {"xye\u0301z", "xye\u0301z"},
		"tab":                   {"a\tb", "a⇥   b"},
		"tabs":                  {strings.Repeat("\t", 9) + "b", "⇥×9 b"},
		"literal escape":        {`printf '\x1b\u{41}'`, `printf '\x5cx1b\x5cu{41}'`},
		"other backslashes":     {`printf '\n\X1B\u0041\x1B'`, `printf '\n\X1B\u0041\x1B'`},
		"literal glyphs":        {"⇥␠⏎", `\u{21e5}\u{2420}\u{23ce}`},
		"break and letter":      {"\né", "⏎é"},
		"first of the table":    {"¡a", "¡a"},
		"times":                 {"3×4 ×5", "3×4 ×5"},
		"emoji":                 {"🚀🇦", `🚀\u{1f1e6}`},
		"break and times":       {"\n×5 ", "⏎\\u{d7}5␠"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Line(tc.in)
			if got != tc.want {
				t.Errorf("Line(%q) = %q, want %q", tc.in, got, tc.want)
			}
			if back := Reverse(got); back != tc.in {
				t.Errorf("Reverse(%q) = %q, want %q", got, back, tc.in)
			}
		})
	}
}

func TestText(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"lines":           {"a\nb\n\nc\n", "a\nb\n\nc\n"},
		"line breaks":     {"a\n\n\n\nb", "a⏎×4\nb"},
		"three breaks":    {"a\n\n\nb", "a⏎×3\nb"},
		"indent":          {"if x:\n            y", "if x:\n            y"},
		"indent to count": {"x\n" + strings.Repeat(" ", 39) + "y", "x\n" + strings.Repeat(" ", 39) + "y"},
		"behind a tab":    {"x\n \t        y", "x\n ⇥           y"},
		"counted, a tab":  {"x\n" + strings.Repeat(" ", 40) + "\t        y", "x\n␠×40 ⇥           y"},
		"deep indent":     {"x\n" + strings.Repeat(" ", 40) + "y", "x\n␠×40 y"},
		"not an indent":   {"x" + strings.Repeat(" ", 8) + "y", "x        y"},
		"inside to count": {"x" + strings.Repeat(" ", 40) + "y", "x␠×40 y"},
		"trailing blanks": {"a \nb", "a␠\nb"},
		"many at the end": {"a        \nb", "a␠×8 \nb"},
		"empty line":      {"a\n          \nb", "a\n␠×10 \nb"},
		"CRLF":            {"a\r\nb", "a\\x0d\nb"},
		"blank, tab":      {"a \t         b", "a ⇥            b"},
		"times":           {"a\n×3", "a\n×3"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Text(tc.in)
			if got != tc.want {
				t.Errorf("Text(%q) = %q, want %q", tc.in, got, tc.want)
			}
			if back := Reverse(got); back != tc.in {
				t.Errorf("Reverse(%q) = %q, want %q", got, back, tc.in)
			}
		})
	}
}

// A tab indents before the first letter of its line, and not where nothing follows it.
func TestIndent(t *testing.T) {
	for text, want := range map[string]int{"\tx": 1, "\t\tx\n\ty": 3, "x\ty": 0, " \tx": 1, "\t\n": 0, "\t \nx": 0, "\t": 0, "x\n\t  y": 1} {
		got := 0
		for tok := range Tokens(text, Lines) {
			if tok.Indent {
				got++
			}
		}
		if got != want {
			t.Errorf("%q has %d tabs that indent, want %d", text, got, want)
		}
	}
	for tok := range Tokens("\tx", OneLine) {
		if tok.Indent {
			t.Error("a tab indents on one line")
		}
	}
}

// A text is ambiguous exactly where another one would look the same with four blanks for a tab.
func TestAmbiguous(t *testing.T) {
	for text, want := range map[string]bool{
		"\tx\n\t\ty\n": false, "\tx\n\t  y\n": false, "\t * x\nx\n": false, "    x\n  y\n": false, "x\n": false, "x\ty\n    z\n": false,
		"\tx\n    y\n": true, "x\n \ty\n": true, "\t    x\ny\n": true, "\tx": true, "\tx\n": true,
	} {
		if got := Ambiguous(text); got != want {
			t.Errorf("%q is ambiguous: %v", text, got)
		}
	}
}

// What only looks like something that Line draws stands for itself.
func TestReverseOfOthers(t *testing.T) {
	for in, want := range map[string]string{
		`\x1`: `\x1`, `\x1g`: `\x1g`, `\xg1`: `\xg1`, `\x1B`: `\x1B`, `\x1b`: "\x1b", `\u{1b}`: "\x1b", `\u{7}`: "\a", `\u{1B}`: `\u{1B}`, `\u{}`: `\u{}`, `\u{}x`: `\u{}x`,
		`\u{41`: `\u{41`, `\u{10ffff}`: "\U0010ffff", `\u{110000}`: `\u{110000}`, `\u{d800}`: `\u{d800}`, `\u{0000041}`: `\u{0000041}`, `\u{-1}`: `\u{-1}`,
		"⏎×3 ": "\n\n\n", "⏎×3\n": "\n\n\n", "⏎×3": "\n\n\n", "⏎×3x": "\n×3x", "⏎× ": "\n× ", "⏎x3 ": "\nx3 ", "␠×2 x": "  x", "␠×2\nx": "  \nx",
		"␠×67108865 x": " ×67108865 x", "␠5 x": " 5 x", "⏎5 x": "\n5 x", "⇥×2 ": "\t\t", "⇥   x": "\tx",
	} {
		if got := Reverse(in); got != want {
			t.Errorf("Reverse(%q) = %q, want %q", in, got, want)
		}
	}
	if n := len(Reverse("␠×67108864 ")); n != 67108864 {
		t.Errorf("the longest count gives %d blanks", n)
	}
}

// Marks that have no picture, move or strike through what they sit on are no accents.
func TestAccents(t *testing.T) {
	for r, want := range map[rune]bool{
		0x300: true, 0x333: true, 0x334: false, 0x338: false, 0x339: true, 0x34f: false, 0x34e: true, 0x350: true, 0x20d0: false, 0x20f0: false,
		0xfe00: false, 0xfe0f: false, 0xfe20: true, 0xe0100: false, 0xe01ef: false, 0x180b: false, 0x180f: false, 0x17b4: false, 0x17b5: false,
		0x16fe4: false, 0x488: true, 'a': false, ' ': false, 0x903: false,
	} {
		if isAccent(r) != want {
			t.Errorf("isAccent(%U) is %v", r, !want)
		}
	}
	for in, want := range map[string]string{"1\u0301": `1\u{301}`, "-\u0301": `-\u{301}`, "a\u0301": "a\u0301", "ab\u0301": "ab\u0301", "ä\u0323": "ä\u0323"} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

// A head is as wide as it may be, whatever it is cut from.
func TestHeads(t *testing.T) {
	for _, tc := range []struct {
		in    string
		cells int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"abcd", 0, "…"},
		{"\x1bab", 3, "…"},
		{"\x1bab", 4, `\x1b…`},
		{"\x1bab", 5, `\x1ba…`},
		{"\x1bab", 6, `\x1bab`},
		{"日本", 1, "…"},
		{"日本", 2, "日…"},
		{"日本", 3, "日…"},
		{"日本", 4, "日本"},
		{"a\tb", 2, "a…"},
		{"a\tb", 5, "a⇥   …"},
		{"a ", 2, "a␠"},
		{"a  b", 3, "a  …"},
	} {
		if got := Head(tc.in, tc.cells); got != tc.want {
			t.Errorf("Head(%q, %d) = %q, want %q", tc.in, tc.cells, got, tc.want)
		}
	}
	for cells, want := range map[int]string{-1: "", 0: "", 1: "…", 2: "a…", 3: "abc", 4: "abc"} {
		if got := Cut("abc", cells); got != want {
			t.Errorf("Cut to %d is %q, want %q", cells, got, want)
		}
	}
}

// Every character of Unicode, alone and behind a letter: nothing that could move,
// hide or repaint other text is drawn as it is, and all of it can be read back.
func TestEveryRune(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r == 0x20000 { // ideographs, then planes without characters: samples will do
			r = 0x2fa00
		}
		if r == 0x32400 {
			r = 0xe0000
		}
		if r == 0xe0200 {
			r = 0x10ff00
		}
		if !utf8.ValidRune(r) {
			continue
		}
		in := string(r) + "e" + string(r) + "\u0301"
		check(t, in, Line(in), "")
		if t.Failed() {
			t.FailNow()
		}
	}
}

// check asserts what must hold of everything drawn; allowed lists extra runes.
func check(t *testing.T, in, out, allowed string) {
	t.Helper()
	if back := Reverse(out); back != in {
		t.Errorf("drawn %q reads back as %q, want %q", out, back, in)
	}
	for _, r := range out {
		if strings.ContainsRune(allowed, r) {
			continue
		}
		if !unicode.IsPrint(r) || r == utf8.RuneError || unicode.Is(unicode.Variation_Selector, r) ||
			r != ' ' && unicode.Is(unicode.White_Space, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			t.Errorf("%q is drawn as %q, which has %U", in, out, r)
		}
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{
		"", "ls -la", "\x1b]0;x\a", `\x1b \u{202e} \\x1b \u{`, "⏎×3 ␠×9 ⇥×8 ⇥   ", "\n×5 \n\n×5 ", "a \n b\t\t\n\n\n\n×",
		"\xff\xfe\u202e", "e\u0301\u0301\u0301", " \u0301", strings.Repeat(" ", 9) + "5", "\\\x1b", "\\u{4\u202e}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line, text := Line(s), Text(s)
		check(t, s, line, "")
		check(t, s, text, "\n")
		for _, form := range []Form{OneLine, Lines} {
			var raw strings.Builder
			for tok := range Tokens(s, form) {
				raw.WriteString(tok.Raw)
				if w := Width(strings.TrimSuffix(tok.Drawn, "\n")); w != tok.Width {
					t.Errorf("%q is said to take %d cells, takes %d", tok.Drawn, tok.Width, w)
				}
			}
			if raw.String() != s {
				t.Errorf("tokens join to %q, want %q", raw.String(), s)
			}
		}
		if cut := Cut(line, 10); Width(cut) > 10 {
			t.Errorf("%q cut to 10 cells takes %d", line, Width(cut))
		}
	})
}

func BenchmarkText(b *testing.B) {
	s := strings.Repeat("for f in *.go; do gofmt -l \"$f\"; done\n", 1000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Text(s)
	}
}
