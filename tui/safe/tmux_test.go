package safe

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/aoctl/aoctl/tui/safe/measure"
)

func TestMain(m *testing.M) {
	measure.Inside()
	os.Exit(m.Run())
}

// joining are the characters that join others, or change how those are drawn.
var joining = []string{
	"\u094d", "\u09cd", "\u0d4d", "\u1039", "\u17d2", "\u1a60", "\U0001193e", // viramas
	"\u200d", "\u200c", "\ufe0f", "\ufe0e", "\u034f", "\u20e3", "\U0001f3fd", "\U0001f1e9", "\u0903", "\u093f", "\u0e33", "\u1160", "\u11a8",
}

// What is drawn takes the cells that are counted, in the tmux that is installed. All
// characters and all scripts take minutes: scripts/widths.sh.
func TestTmuxCountsTheSame(t *testing.T) {
	tmux, ok := measure.Tmux(t.Context())
	if !ok {
		t.Skip("tmux is not installed: nothing to compare with")
	}
	var drawn []string
	add := func(text string) { drawn = append(drawn, Line(text)) }
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, name := range sortedScripts() {
		letters, marks := some(rnd, unicode.Scripts[name], 3)
		for _, a := range letters {
			for _, m := range append(marks, joining...) {
				add(a + m)
				add(a + m + a)
				add(a + m + m + m + letters[0])
				add(a + m + "\u094d" + letters[0])
				add(a + m + "\u200d" + a)
			}
		}
	}
	all := drawable()
	for range 2000 {
		add(all[rnd.IntN(len(all))] + all[rnd.IntN(len(all))] + all[rnd.IntN(len(all))])
	}
	cells, err := tmux.Cells(t.Context(), drawn)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range drawn {
		if want := Width(text); cells[i] != want {
			t.Errorf("%s draws %+q in %d cells, counted are %d", tmux.Name, text, cells[i], want)
		}
	}
}

func sortedScripts() []string {
	names := make([]string, 0, len(unicode.Scripts))
	for name := range unicode.Scripts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// some takes n letters and n marks of a script by chance.
func some(rnd *rand.Rand, script *unicode.RangeTable, n int) (letters, marks []string) {
	for r := rune(' '); r < 0x20000; r++ {
		switch {
		case !unicode.Is(script, r):
		case unicode.IsMark(r):
			marks = append(marks, string(r))
		default:
			letters = append(letters, string(r))
		}
	}
	for _, list := range []*[]string{&letters, &marks} {
		rnd.Shuffle(len(*list), func(i, j int) { (*list)[i], (*list)[j] = (*list)[j], (*list)[i] })
		*list = (*list)[:min(len(*list), n)]
	}
	if letters == nil {
		letters = []string{"e"}
	}
	return letters, marks
}

// Consonants that are joined take one cell in some terminals and one each in others:
// the sign that joins them is not drawn as it is.
func TestConjunctsAreEscaped(t *testing.T) {
	for in, want := range map[string]string{
		"क्ष":          `क\u{94d}ष`,
		"क्षि":         `क\u{94d}ष\u{93f}`,
		"न्द्र":        `न\u{94d}द\u{94d}र`,
		"ক্ষ":          `ক\u{9cd}ষ`,
		"ക്ഷ":          `ക\u{d4d}ഷ`,
		"ක්ෂ":          `ක\u{dca}ෂ`,
		"ក្ស":          `ក\u{17d2}ស`,
		"မ္မ":          `မ\u{1039}မ`,
		"👨\u200d👩":     `👨\u{200d}👩`,
		"☝":            `\u{261d}`, // one cell in tmux 3.3, two in 3.5
		"\u1100\u1161": `\u{1100}\u{1161}`,
	} {
		if got := Line(in); got != want || Reverse(got) != in {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
	for _, s := range []string{
		"中文 日本語 ひらがな カタカナ 한국어", "Привет Ελληνικά", "größe e\u0301 Việt Vie\u0302\u0323t", "שלום سلام", "สวัสดี", "नमत", "😀🚀👍✅", "│─╮▸●…", "naïve “quotes” – €",
	} {
		if got := Line(s); got != s {
			t.Errorf("Line(%q) = %q: all terminals draw it alike", s, got)
		}
	}
}

// The drawing library cuts rows by its own count, which must not be another.
func TestLibraryCountsTheSame(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	all := append(drawable(), joining...)
	for range 50_000 {
		var b strings.Builder
		for range 6 {
			b.WriteString(all[rnd.IntN(len(all))])
		}
		if drawn := Line(b.String()); Width(drawn) != ansi.StringWidth(drawn) {
			t.Fatalf("%+q takes %d cells, the library counts %d", drawn, Width(drawn), ansi.StringWidth(drawn))
		}
	}
}

func TestSliceAndCut(t *testing.T) {
	const line = "a\x1b[1m語e\u0301b\x1b[0mc" // columns 0, 1-2, 3, 4, 5
	for _, tc := range []struct {
		from, to int
		want     string
	}{
		{0, 6, line},
		{0, 2, "a\x1b[1m\x1b[0m"},
		{0, 3, "a\x1b[1m語\x1b[0m"},
		{2, 4, "\x1b[1me\u0301\x1b[0m"},
		{3, 5, "\x1b[1me\u0301b\x1b[0m"},
		{5, 9, "\x1b[1m\x1b[0mc"},
		{4, 4, "\x1b[1m\x1b[0m"},
	} {
		if got := Slice(line, tc.from, tc.to); got != tc.want {
			t.Errorf("Slice(%d, %d) = %q, want %q", tc.from, tc.to, got, tc.want)
		}
	}
	for cells, want := range map[int]string{6: line, 5: "a\x1b[1m語e\u0301…\x1b[0m", 3: "a\x1b[1m…\x1b[0m", 1: "…\x1b[1m\x1b[0m", 0: ""} {
		if got := Cut(line, cells); got != want || Width(got) > cells {
			t.Errorf("Cut(%d) = %q, want %q", cells, got, want)
		}
	}
}
