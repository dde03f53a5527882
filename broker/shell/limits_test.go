package shell

import (
	"fmt"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// hostile are lines that try to make the reader sink, or work, without an end.
func hostile() map[string]string {
	lines := make(map[string]string)
	for _, s := range []string{
		"$(", "(", "{ ", "if ", "! ", "`", "a|", "a&&", "a||", "[[ (", "[[ ! ", "$((", "${a:-", "\"$(", "<(", "<<a ",
		"case x in x) ", "f(){ ", "while a;do ", "for i in a;do ", "a;", "\\\n", "{a,", "{a,b}", "{1..2}{1..2}", "x=(", "x[", "[",
		"((", "time ", "coproc ", "@(", "<<E\n", "((a?", "((-", "((1+", "${a[", "`\\`", "if a;then b;else ", "eval ", "sudo ",
		"env ", "xargs ", "bash -c '", "x=1;$x ", "for a in 1 2 3 4 5 6 7 8 9;do ", "cd a&&", "\"$(cat <<'E'\nE\n)\" ",
	} {
		lines[s] = strings.Repeat(s, MaxBytes/len(s))
		lines["a "+s] = "a " + strings.Repeat(s, MaxBytes/len(s)-2)
	}
	for _, p := range [][2]string{
		{"$(", ")"},
		{"(", ")"},
		{"{ ", "; }"},
		{"\"$(", ")\""},
		{"${a:-", "}"},
		{"$((", "))"},
		{"[[ (", ") ]]"},
		{"x=(", ")"},
		{"if a; then ", "; fi"},
		{"case x in x) ", "; esac"},
		{"f() { ", "; }"},
		{"{a,", "b}"},
		{"${a[", "]}"},
		{"'", "'"},
	} {
		n := MaxBytes/(len(p[0])+len(p[1])) - 1
		lines[p[0]+"…"+p[1]] = strings.Repeat(p[0], n) + "a" + strings.Repeat(p[1], n)
	}
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "for x%d in 1 2 3 4 5 6 7 8 9 10; do ", i)
	}
	lines["loops"] = b.String() + "a $x1;" + strings.Repeat("done;", 40)
	lines["five million"] = strings.Repeat("$(", 5_000_000)
	lines["words"] = "a " + strings.Repeat("$x ", 20_000)
	lines["products"] = "a " + strings.Repeat("{a,b}{1..9999}", 4)
	return lines
}

// TestHostile: hostile lines end, within the limits, and are never taken for plain.
func TestHostile(t *testing.T) {
	for name, line := range hostile() {
		l := Parse(line)
		if len(l.Elements) > MaxElements+3 {
			t.Errorf("%q: %d elements", name, len(l.Elements))
		}
		if !l.Parsed && (len(l.Elements) != 1 || l.Elements[0].Unsure == "") {
			t.Errorf("%q: %s", name, show(l))
		}
	}
}

func TestNesting(t *testing.T) {
	for _, p := range [][2]string{
		{"$(", ")"},
		{"(", ")"},
		{"{ ", "; }"},
		{"if ", "; then a; fi"},
		{"while ", "; do a; done"},
		{"while a; do ", "; done"},
		{"for x in a; do ", "; done"},
		{"bash -c \"$(", ")\""},
		{"case x in x) ", " ;; esac"},
		{"f() { ", "; }"},
		{"a \"$(", ")\""},
		{"a ${x:-", "}"},
		{"$((1+", "))"},
	} {
		line := func(n int) string { return strings.Repeat(p[0], n) + "1" + strings.Repeat(p[1], n) }
		if l := Parse(line(10)); !l.Parsed {
			t.Errorf("%q is not read: %s", line(10), l.Elements[0].Unsure)
		}
		if l := Parse(line(MaxNesting + 1)); l.Parsed {
			t.Errorf("%s … %s is read %d levels deep", p[0], p[1], MaxNesting+1)
		}
	}
}

func TestMaxElements(t *testing.T) {
	if l := Parse(strings.Repeat("a;", MaxElements)); !l.Parsed || len(l.Elements) != MaxElements {
		t.Errorf("parsed %v, %d elements", l.Parsed, len(l.Elements))
	}
	if l := Parse(strings.Repeat("a;", MaxElements+1)); l.Parsed || len(l.Elements) != 1 {
		t.Errorf("parsed %v, %d elements", l.Parsed, len(l.Elements))
	}
	for n, want := range map[int]bool{2000: true, 3000: false} { // words, after their braces
		if l := Parse("a" + strings.Repeat(" {1..60}", n)); l.Parsed != want {
			t.Errorf("%d words with braces: parsed %v", n, l.Parsed)
		}
	}
	long := "for x in 1 2 3 4 5 6 7 8 9; do for y in 1 2 3 4 5 6 7 8 9; do for z in 1 2 3 4 5; do a=$x"
	if l := Parse(long + strings.Repeat("b", MaxBytes-200) + "; done; done; done"); l.Parsed {
		t.Error("each round of a long loop is followed")
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		Parse("npm run build && git push origin dev")
	}
}

func BenchmarkParseHostile(b *testing.B) {
	lines := hostile()
	for name, line := range lines {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Parse(line)
			}
		})
	}
}

// TestPieces: the parser, which gets a text in small pieces, reads the same as from
// the whole text, wherever the pieces end.
func TestPieces(t *testing.T) {
	var all []string
	for _, c := range parseCases {
		all = append(all, c.line)
	}
	all = append(all, corpus(t, "bypass.txt")...)
	all = append(all, corpus(t, "everyday.txt")...)
	shifts := 8
	if testing.Short() {
		shifts = 1
	}
	for _, line := range all {
		if _, why := read(line); why != "" || strings.Contains(line, "<<") {
			continue // a here-document would swallow what stands behind it
		}
		for shift := range shifts {
			text := strings.Repeat("#", chunk-min(chunk, len(line)/2+shift)) + "\n" + line
			whole, err := syntax.NewParser().Parse(strings.NewReader(text), "")
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			pieces, why := read(text)
			if why != "" {
				t.Fatalf("%q: %s", line, why)
			}
			if a, b := printed(t, whole), printed(t, pieces); a != b {
				t.Fatalf("%q in pieces is\n%s\nand not\n%s", line, b, a)
			}
		}
	}
}

func printed(t *testing.T, file *syntax.File) string {
	t.Helper()
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, file); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What stands beside each other is not nested, however much of it there is, and a loop in
// loops ends whatever it does.
func TestBesideIsNotNested(t *testing.T) {
	for _, one := range []string{
		"(a)", "{ a; }", "if a; then b; fi", "while a; do b; done", "case x in y) a;; esac", "f() { a; }", "[[ -n x ]]", "((1))", "for x in y; do a; done",
		`a "$b"`, `a "${b:-c}"`, "a ${#b}", "a $((1))", "a $(b)", "a <(b)", "a && b",
	} {
		if l := Parse(strings.Repeat(one+"; ", MaxNesting+50)); !l.Parsed {
			t.Errorf("%s: %s", one, l.Elements[0].Unsure)
		}
	}
	loops := []string{
		"a $v1", "a=$v1", "[[ $v1 ]]", "((1 + $v1))", "export a=$v1", "(a=$v1)", "<$v1", "{ <$v1; }", "case $v1 in x) ;; esac", "f() { <$v1; }", "a=$v1 && <x",
	}
	if testing.Short() {
		loops = loops[:3]
	}
	for _, one := range loops {
		var b strings.Builder
		for i := range 6 {
			fmt.Fprintf(&b, "for v%d in 1 2 3 4 5 6 7 8 9 10; do ", i)
		}
		if l := Parse(b.String() + one + strings.Repeat("; done", 6)); l.Parsed {
			t.Errorf("all rounds of %s are followed", one)
		}
	}
}
