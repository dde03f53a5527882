package diff

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// drawDiff writes compared lines the way a person would.
func drawDiff(lines []Line, context int) string {
	var b strings.Builder
	for _, p := range Fold(lines, context) {
		if p.Folded {
			fmt.Fprintf(&b, "...%d\n", p.To-p.From)
			continue
		}
		for _, l := range lines[p.From:p.To] {
			end, number := "", l.Fresh
			if l.NoBreak {
				end = "|"
			}
			if l.Kind == Goes {
				number = l.Old
			}
			fmt.Fprintf(&b, "%s%d %s%s\n", map[Kind]string{Comes: "+", Goes: "-", Stays: " "}[l.Kind],
				number, strings.TrimSuffix(l.Text, "\n"), end)
		}
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	for name, tc := range map[string]struct {
		old, fresh string
		context    int
		want       string
	}{
		"all lines":         {"a\nb\nc\n", "a\nB\nc\n", -1, " 1 a\n-2 b\n+2 B\n 3 c\n"},
		"context":           {"a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nD\ne\nf\ng\n", 1, "...2\n 3 c\n-4 d\n+4 D\n 5 e\n...2\n"},
		"one line is drawn": {"a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", 1, " 1 a\n 2 b\n-3 c\n+3 C\n 4 d\n 5 e\n"},
		"no context":        {"a\nb\nc\n", "a\nb\nc\nd\n", 0, "...3\n+4 d\n"},
		"between changes":   {"a\nb\nc\nd\ne\nf\n", "A\nb\nc\nd\ne\nF\n", 1, "-1 a\n+1 A\n 2 b\n...2\n 5 e\n-6 f\n+6 F\n"},
		"from nothing":      {"", "a\nb\n", 3, "+1 a\n+2 b\n"},
		"to nothing":        {"a\n", "", 3, "-1 a\n"},
		"the same":          {"a\nb", "a\nb", -1, " 1 a\n 2 b\n"},
		"break taken away":  {"a\nb\n", "a\nb", -1, " 1 a\n-2 b\n+2 b|\n"},
		"break added":       {"a\nb", "a\nb\n", -1, " 1 a\n-2 b|\n+2 b\n"},
		"neither has one":   {"a\nb", "x\nb", -1, "-1 a\n+1 x\n 2 b\n"},
		"no lines":          {"", "", -1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, drawDiff(Compare(tc.old, tc.fresh, time.Minute), tc.context)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// Both texts, whole, can be read from a comparison, and so can what would be left of
// them when lines are folded. A comparison that ran out of time shows all of both too.
func FuzzCompare(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\n")
	f.Add("", "")
	f.Add("", "x")
	f.Add("\n\n", "\n")
	f.Add(strings.Repeat("a\nb\n", 200), strings.Repeat("b\na\n", 200))
	f.Add("x\xff\r\n\x00", "x\xff\n\u2028")
	f.Fuzz(func(t *testing.T, old, fresh string) {
		for _, limit := range []time.Duration{time.Nanosecond, time.Second} {
			lines := Compare(old, fresh, limit)
			var gone, comes strings.Builder
			atOld, atFresh := 0, 0
			for _, l := range lines {
				if l.Kind != Comes {
					atOld++
					if l.Old != atOld {
						t.Fatalf("old line %d has number %d", atOld, l.Old)
					}
					gone.WriteString(l.Text)
				}
				if l.Kind != Goes {
					atFresh++
					if l.Fresh != atFresh || fresh[l.At:l.At+len(l.Text)] != l.Text {
						t.Fatalf("new line %d has number %d, offset %d", atFresh, l.Fresh, l.At)
					}
					comes.WriteString(l.Text)
				} else if old[l.At:l.At+len(l.Text)] != l.Text {
					t.Fatalf("old line %d is not at %d", l.Old, l.At)
				}
			}
			if gone.String() != old || comes.String() != fresh {
				t.Errorf("comparison of %q and %q shows %q and %q", old, fresh, gone.String(), comes.String())
			}
			for _, context := range []int{-1, 0, 1, 3} {
				checkFold(t, lines, context)
			}
			CompareWords(lines, time.Now().Add(time.Second))
			checkWords(t, lines)
		}
	})
}

// checkFold asserts that a fold passes over every line once, and hides only what stays.
func checkFold(t *testing.T, lines []Line, context int) {
	t.Helper()
	at := 0
	for _, p := range Fold(lines, context) {
		if p.From != at || p.To <= p.From {
			t.Fatalf("part %+v behind %d", p, at)
		}
		for _, l := range lines[p.From:p.To] {
			if p.Folded && l.Kind != Stays {
				t.Fatalf("a line that changes is folded: %+v", l)
			}
		}
		at = p.To
	}
	if at != len(lines) {
		t.Fatalf("%d of %d lines are accounted for", at, len(lines))
	}
}

// checkWords asserts that the words of lines lie in them, in order.
func checkWords(t *testing.T, lines []Line) {
	t.Helper()
	for _, l := range lines {
		at := 0
		for _, w := range l.Words {
			if w.From < at || w.To <= w.From || w.To > len(l.Text) || l.Kind == Stays {
				t.Fatalf("word %+v of %q", w, l.Text)
			}
			at = w.To
		}
	}
}

func TestWordsOfChangedLines(t *testing.T) {
	mark := func(l Line) string {
		text, shift := l.Text, 0
		for _, w := range l.Words {
			text = text[:w.From+shift] + "[" + text[w.From+shift:w.To+shift] + "]" + text[w.To+shift:]
			shift += 2
		}
		return text
	}
	for name, tc := range map[string]struct{ old, fresh, want string }{
		"one word":         {"return a.Close()\n", "return a.closed()\n", "return a.[Close]()\nreturn a.[closed]()\n"},
		"inserted":         {"f(a)\n", "f(a, b)\n", "f(a)\nf(a[, b])\n"},
		"blanks":           {"a  b c d e\n", "a b c d e\n", "a[  ]b c d e\na[ ]b c d e\n"},
		"nothing the same": {"one two three\n", "vier fünf sechs sieben\n", "one two three\nvier fünf sechs sieben\n"},
		"CR":               {"some words\n", "some words\r\n", "some words\nsome words[\r]\n"},
		"more lines":       {"if a && b {\n", "if a &&\n\tb {\n", "if a &&[ ]b {\nif a &&[\n][\t]b {\n"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := Compare(tc.old, tc.fresh, time.Minute)
			CompareWords(lines, time.Now().Add(time.Minute))
			var got strings.Builder
			for _, l := range lines {
				got.WriteString(mark(l))
			}
			if got.String() != tc.want {
				t.Errorf("%q, want %q", got.String(), tc.want)
			}
		})
	}
}

// Many small changes are found, not one large one.
func TestManyChangesAreFound(t *testing.T) {
	var old, fresh strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&old, "line %d\n", i)
		if i%10 == 0 {
			fmt.Fprintf(&fresh, "LINE %d\n", i)
			continue
		}
		fmt.Fprintf(&fresh, "line %d\n", i)
	}
	if added, gone := Tally(Compare(old.String(), fresh.String(), time.Minute)); added != 500 || gone != 500 {
		t.Errorf("+%d −%d, want 500 each", added, gone)
	}
}
