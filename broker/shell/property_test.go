package shell

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const marker = "marker-7f3a"

// around are ways to hide a command in a line; % is where it stands.
var around = []string{
	"%", "a; %", "% ; a", "a && %", "a || %", "a | %", "% | a", "a & %", "! %", "(%)", "{ %; }", "a\n%\nb", "time %",
	"if %; then a; fi", "if a; then %; fi", "if a; then b; else %; fi", "while %; do a; done", "until a; do %; done",
	"for x in p q; do %; done", "case x in a) % ;; esac", "case $(%) in a) b ;; esac", "f() { %; }; f", "function f { %; }; f",
	"a $(%)", `a "$(%)"`, "a <(%)", "a > >(%)", "x=$(%)", "X=$(%) a", "[[ -n $(%) ]]", `[ -n "$(%)" ]`, "a $((1 + $(%)))",
	"a ${x:-$(%)}", "a ${x/$(%)/b}", "a <<E\n$(%)\nE\n", "a <<< \"$(%)\"", "a > $(%)", "for x in $(%); do a; done", "x=(p $(%))",
	"export X=$(%)", "coproc %", "a ${x[$(%)]}", "(( $(%) ))", "select x in a; do %; done", "for ((i=$(%); i<1; i++)); do a; done", "a && (b | { c; %; })",
}

// before are wrappers that only stand before a simple command.
var before = []string{"sudo %", "env A=1 %", "nice -n 5 %", "nohup %", "timeout 5 %", "xargs %", "command %", "exec %", "time %"}

// insideQuotes are ways to hand a command to a shell as a text.
var insideQuotes = []string{"bash -c '%'", "sh -c '%'", "eval '%'", "bash -lc '%'", "sudo bash -c '%'", "bash <<'Q'\n%\nQ\n", "trap '%' EXIT"}

// hidden draws a line with the marker somewhere in it.
func hidden(t *rapid.T) string {
	line := marker + rapid.SampledFrom([]string{"", " x", " --flag 'y z'", " > out"}).Draw(t, "words")
	for range rapid.IntRange(0, 3).Draw(t, "wrappers") {
		line = strings.Replace(rapid.SampledFrom(before).Draw(t, "wrapper"), "%", line, 1)
	}
	for range rapid.IntRange(0, 6).Draw(t, "depth") {
		forms := around
		if !strings.ContainsAny(line, "'\n") {
			forms = append(slices.Clip(around), insideQuotes...)
		}
		if strings.HasPrefix(line, "(") {
			line = " " + line // a parenthesis right behind another would make it arithmetic
		}
		line = strings.Replace(rapid.SampledFrom(forms).Draw(t, "form"), "%", line, 1)
	}
	return line
}

// TestNothingIsLost: a command that stands anywhere in a line is among its elements,
// or somebody is asked.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := hidden(t)
		l := Parse(line)
		for _, e := range l.Elements {
			if e.Unsure != "" || len(e.Argv) > 0 && e.Argv[0] == marker {
				return
			}
		}
		t.Fatalf("%q: %s", line, show(l))
	})
}

// TestEachForm is the same for each form by itself, and there most find the marker.
func TestEachForm(t *testing.T) {
	lost := 0
	forms := slices.Concat(around, before, insideQuotes)
	for _, form := range forms {
		line := strings.Replace(form, "%", marker+" x", 1)
		l := Parse(line)
		found := slices.ContainsFunc(l.Elements, func(e Element) bool { return len(e.Argv) > 0 && e.Argv[0] == marker })
		if !found {
			lost++
			t.Logf("%q: %s", line, show(l))
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d forms hide a command", lost, len(forms))
	}
}

// quote writes a word in one of the ways that mean the same to every shell.
func quote(t *rapid.T, w string) string {
	var b strings.Builder
	for _, r := range w {
		c := string(r)
		special := strings.ContainsRune(" \t;&|<>()$`\\\"'*?[]{}~#=!%^\n,", r)
		switch n := rapid.IntRange(0, 3).Draw(t, "style"); {
		case n == 0 && !special:
			b.WriteString(c)
		case n == 1 && c != "\n":
			b.WriteString(`\` + c)
		case n == 2 && c != "'":
			b.WriteString("'" + c + "'")
		default:
			b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(c) + `"`)
		}
	}
	if b.Len() == 0 {
		return `""`
	}
	return b.String()
}

// TestQuoting: however a word is quoted, it is the same word.
func TestQuoting(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abrm-_/.019 ;&|<>()$`\\\"'*?[]{}~#=%^,ä日\n")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 1, 4).Draw(t, "words")
		argv := []string{"program"}
		line := quote(t, "program")
		for _, w := range words {
			argv = append(argv, w)
			line += " " + quote(t, w)
		}
		l := Parse(line)
		if len(l.Elements) != 1 || !slices.Equal(l.Elements[0].Argv, argv) {
			t.Fatalf("%s\n got: %q\nwant: %q", line, l.Elements[0].Argv, argv)
		}
		if l.Elements[0].Unsure != "" || l.Elements[0].Glob {
			t.Fatalf("%s: %+v", line, l.Elements[0])
		}
	})
}

// TestAnyText: no text makes Parse fail, lose the text, or leave its limits.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.String().Draw(t, "line")) })
}

// check holds what is true of every line.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, line string,
) {
	t.Helper()
	l := Parse(line)
	if l.Raw != line {
		t.Fatalf("%q became %q", line, l.Raw)
	}
	if len(l.Elements) > MaxElements+3 {
		t.Fatalf("%q: %d elements", line, len(l.Elements))
	}
	if !l.Parsed && (len(l.Elements) != 1 || l.Elements[0].Kind != Unknown) {
		t.Fatalf("%q is not parsed: %s", line, show(l))
	}
	for _, e := range l.Elements {
		switch {
		case e.Kind == Unknown && e.Unsure == "":
			t.Fatalf("%q: an unknown part is taken for sure: %s", line, show(l))
		case e.Kind == Command && len(e.Argv) == 0 && e.Unsure == "":
			t.Fatalf("%q: a command without a program: %s", line, show(l))
		case (e.Kind == Read || e.Kind == Write) && e.Path == "" && e.Unsure == "":
			t.Fatalf("%q: a file without a name: %s", line, show(l))
		case e.Neutral && (e.Unsure != "" || e.Exact != ""):
			t.Fatalf("%q: neutral, and in doubt: %s", line, show(l))
		}
	}
	if again := show(Parse(line)); again != show(l) {
		t.Fatalf("%q is read in two ways:\n%s\n%s", line, show(l), again)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range parseCases {
		f.Add(c.line)
	}
	for _, form := range around {
		f.Add(strings.Replace(form, "%", marker, 1))
	}
	f.Fuzz(func(t *testing.T, line string) { check(t, line) })
}
