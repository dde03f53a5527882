package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	_ "github.com/aoctl/aoctl/broker/brokertest/seeded" // rapid draws the same in every run
	"github.com/aoctl/aoctl/broker/patch"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// drawn reads a comparison off the screen: the texts that its rows say are there before
// and after. One of them at most has no line break at its end.
func drawn(t interface{ Fatalf(string, ...any) }, s change.Section, v callview.DiffView) (before, after string) {
	d := &callview.Doc{Paper: *tuitest.PlainStyles().Paper(4000)}
	d.Comparison(&s, v)
	d.LookAtAll()
	digits := callview.DigitsOf(s.Lines)
	both := "\n" + s.Old + "\n" + s.Fresh + "\n"
	tabs := strings.Contains(both, "\n\t") && !safe.Ambiguous(both)
	var b, a strings.Builder
	last := ""
	endless := func(text *strings.Builder) {
		whole := strings.TrimSuffix(text.String(), "\n")
		text.Reset()
		text.WriteString(whole)
	}
	read := func(row, sides string) {
		row = strings.TrimRight(row, " ")
		if row == "" {
			return
		}
		letters := []rune(row + strings.Repeat(" ", digits+3))
		text := strings.TrimRight(safe.Reverse(string(letters[digits+3:])), " ") + "\n"
		if tabs { // no line begins with four blanks, so those are a tab
			code := strings.TrimLeft(text, " ")
			text = strings.ReplaceAll(text[:len(text)-len(code)], "    ", "\t") + code
		}
		glyph := letters[digits+1]
		if sides == "" && glyph != '⌁' {
			last = string(glyph)
		}
		switch {
		case glyph == '⌁' && (sides == "left" || last == "−"):
			endless(&b)
		case glyph == '⌁':
			endless(&a)
		case glyph == '+':
			a.WriteString(text)
		case glyph == '−':
			b.WriteString(text)
		case glyph == ' ' && sides == "left":
			b.WriteString(text)
		case glyph == ' ' && sides == "right":
			a.WriteString(text)
		case glyph == ' ':
			b.WriteString(text)
			a.WriteString(text)
		default:
			t.Fatalf("row %q", row)
		}
	}
	for _, row := range d.Rows {
		if !v.Sides {
			read(row, "")
			continue
		}
		left, right, ok := strings.Cut(row, " │ ")
		if !ok {
			t.Fatalf("row without a middle: %q", row)
		}
		read(left, "left")
		read(right, "right")
	}
	return b.String(), a.String()
}

// What is drawn is what would be done: the rows, read back, are the file before and
// after, in both views. So + lines are the new text's, and no byte of it is left out.
func TestDrawnIsDone(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "", "\tif x {", "\t\t  y", "    if x {", "  z", "a\tb", "}", "x := 1 // \u202e", "é\x1b[2J", `\x1b ⇥`, "the same", "ä +"})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 1, 40).Draw(t, "file")
		from := rapid.IntRange(0, len(lines)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(lines)).Draw(t, "to")
		file := strings.Join(lines, "\n") + "\n"
		old := strings.Join(lines[from:to], "\n") + "\n"
		fresh := strings.Join(append(rapid.SliceOfN(line, 0, 20).Draw(t, "new"), ""), "\n")
		c := change.Change{Kind: change.Replaces, Path: "/x.go", Named: true, Edits: []change.Replacement{{Old: old, Fresh: fresh, All: rapid.Bool().Draw(t, "all")}}}
		files := map[string]change.File{"/x.go": change.Result([]byte(file), nil, tuitest.Noon)}
		list := change.Dressed(t.Context(), change.Changes{List: []change.Change{c}}.Compare(files, "", time.Minute))
		n := strings.Count(file, old)
		s := list[0]
		if located := n == 1 || c.Edits[0].All && n > 0; s.Numbered != located {
			t.Fatalf("located %v, with %d places", s.Numbered, n)
		}
		if !s.Numbered {
			return
		}
		for _, sides := range []bool{false, true} {
			before, after := drawn(t, s, callview.DiffView{Sides: sides, More: 3})
			if before != file || after != strings.ReplaceAll(file, old, fresh) {
				t.Fatalf("sides %v: drawn %q → %q, is %q → %q", sides, before, after, file, strings.ReplaceAll(file, old, fresh))
			}
		}
		checkFolded(t, s)
	})
}

// checkFolded asserts that with any context the + rows are all there, in order.
func checkFolded(t *rapid.T, s change.Section) {
	var want []string
	for _, l := range s.Lines {
		if l.Kind == diff.Comes {
			want = append(want, strings.TrimSuffix(safe.Line(strings.TrimSuffix(l.Text, "\n")), " "))
		}
	}
	for more := -1; more <= 3; more++ {
		d := &callview.Doc{Paper: *tuitest.PlainStyles().Paper(4000)}
		d.Comparison(&s, callview.DiffView{More: more})
		d.LookAtAll()
		got := 0
		for _, row := range d.Rows {
			if letters := []rune(row); letters[callview.DigitsOf(s.Lines)+1] == '+' {
				got++
			}
		}
		if got != len(want) {
			t.Fatalf("with context %d, %d of %d new lines are drawn", more, got, len(want))
		}
	}
}

// Whatever texts come, rows have their width, no control characters, and the call shows
// every letter that it brings.
func FuzzChangesLayout(f *testing.F) {
	f.Add("a\nb\nc\n", "b", "B\r\n\x1b[31m", 80, true)
	f.Add("\x00\xff", "", "x", 40, false)
	f.Add("é́\u200b\u202e日本語\n", "日", "\t\t\t\t\t\t\t\t\t", 100, true)
	f.Add(strings.Repeat("x", 300)+"\n", "xxx", strings.Repeat("\n", 50), 90, true)
	f.Add("l1\n\nl3\n", "\n\n", "\n*** End Patch\n+", 31, false)
	f.Fuzz(func(t *testing.T, file, old, fresh string, width int, sides bool) {
		width = 30 + (width&0xff)%200
		part := patch.File{Op: patch.Update, Path: "/x.go", Hunks: []patch.Hunk{{Header: old, AtEnd: sides, Lines: []patch.Line{{Kind: '-', Text: oneLine(old)}, {Kind: '+', Text: oneLine(fresh)}}}}}
		cs := change.Changes{List: []change.Change{
			{Kind: change.Replaces, Path: "/x.go", Named: true, Edits: []change.Replacement{{Old: old, Fresh: fresh}, {Old: fresh, Fresh: old, All: true}}},
			{Kind: change.Writes, Path: "/y.py", Named: true, Text: fresh},
			{Kind: change.Patches, Path: "/x.go", Named: true, Part: part},
			{Kind: change.EditsCell, Path: "/z.ipynb", Named: true, Cell: change.Cell{ID: old, Mode: "replace", Source: fresh}},
		}}
		files := map[string]change.File{
			"/x.go": change.Result([]byte(file), nil, tuitest.Noon), "/y.py": change.Result([]byte(file), nil, tuitest.Noon), "/z.ipynb": change.Result([]byte(file), nil, tuitest.Noon),
		}
		list := change.Dressed(t.Context(), cs.Compare(files, "/", time.Second))
		for _, st := range []*draw.Styles{tuitest.PlainStyles(), draw.NewStyles(draw.DefaultPalette(), termenv.TrueColor, true, true)} {
			d := &callview.Doc{Paper: *st.Paper(width)}
			d.Changes(list, callview.DiffView{Sides: sides})
			d.LookAtAll()
			for i, row := range d.Rows {
				plain := tuitest.OwnColours.ReplaceAllString(row, "")
				if n := safe.Width(plain); n != width {
					t.Fatalf("row %d takes %d of %d cells: %q", i, n, width, plain)
				}
				if strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f || r == 0x202e || r == 0xfffd }) {
					t.Fatalf("row %d: %q", i, plain)
				}
			}
		}
		for _, s := range list {
			for _, l := range s.Lines {
				if l.Kind == diff.Sought {
					return
				}
			}
			if s.Whole || s.Numbered {
				var all strings.Builder
				for _, l := range s.Lines {
					if l.Kind != diff.Goes {
						all.WriteString(l.Text)
					}
				}
				if all.String() != s.Fresh {
					t.Fatalf("the lines are %q, the new text is %q", all.String(), s.Fresh)
				}
			}
		}
	})
}

func oneLine(text string) string { return strings.NewReplacer("\n", "", "\r", "").Replace(text) }

func TestApplyPatch(t *testing.T) {
	hunk := func(header string, atEnd bool, lines ...string) patch.Hunk {
		h := patch.Hunk{Header: header, AtEnd: atEnd}
		for _, l := range lines {
			h.Lines = append(h.Lines, patch.Line{Kind: l[0], Text: l[1:]})
		}
		return h
	}
	for name, tc := range map[string]struct {
		text          string
		hunks         []patch.Hunk
		want, problem string
	}{
		"in the middle":      {"a\nb\nc\n", []patch.Hunk{hunk("", false, " a", "-b", "+B")}, "a\nB\nc\n", ""},
		"behind a header":    {"x\nb\ny\nb\n", []patch.Hunk{hunk("y", false, "-b", "+B")}, "x\nb\ny\nB\n", ""},
		"at the end":         {"b\na\nb\n", []patch.Hunk{hunk("", true, "-b", "+B")}, "b\na\nB\n", ""},
		"only comes":         {"a\n", []patch.Hunk{hunk("", false, "+b")}, "a\nb\n", ""},
		"two":                {"a\nb\na\nb\n", []patch.Hunk{hunk("", false, "-a", "+1"), hunk("", false, "-a", "+2")}, "1\nb\n2\nb\n", ""},
		"blanks at the end":  {"a  \nb\n", []patch.Hunk{hunk("", false, " a", "-b", "+B")}, "a\nB\n", ""},
		"indented otherwise": {"\ta\n\tb\n", []patch.Hunk{hunk("", false, " a", "-b", "+B")}, "a\nB\n", ""},
		"empty last line":    {"a\nb\n", []patch.Hunk{hunk("", false, "-b", "+B", " ")}, "a\nB\n", ""},
		"no end":             {"a\nb", []patch.Hunk{hunk("", false, "-b", "+B")}, "a\nB\n", ""},
		"not there":          {"a\n", []patch.Hunk{hunk("", false, "-x", "+y")}, "", change.LinesMissing},
		"no header":          {"a\n", []patch.Hunk{hunk("f", false, "-a", "+y")}, "", change.HeaderMissing},
		"out of order":       {"a\nb\n", []patch.Hunk{hunk("", false, "-b", "+B"), hunk("", false, "-a", "+A")}, "", change.LinesMissing},
		"too long":           {strings.Repeat("a\n", 5_000), []patch.Hunk{hunk("", false, append(repeated("-a", 4_000), "-b")...)}, "", change.LinesMissing},
	} {
		t.Run(name, func(t *testing.T) {
			got, problem := change.ApplyPatch(tc.text, tc.hunks)
			if got != tc.want || problem != tc.problem {
				t.Errorf("%q, %q; want %q, %q", got, problem, tc.want, tc.problem)
			}
		})
	}
	s := change.Seeker{Text: repeated("a", 1000), Left: 10}
	if s.Find(append(repeated("a", 20), "b"), 0, false) >= 0 || s.Why(change.LinesMissing) != change.TooMuchSought {
		t.Error("a patch that takes too long is not given up")
	}
}

func repeated(text string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = text
	}
	return list
}
