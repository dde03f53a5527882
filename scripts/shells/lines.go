package main

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"

	reading "github.com/aoctl/aoctl/broker/shell"
)

// line is a line that a wildcard could allow.
type line struct {
	text string
	read reading.Line
}

// pieces are put into lines, between words and inside them.
var pieces = strings.Split(" ¦ ¦'¦\"¦\\¦$(¦)¦(¦`¦{¦}¦#¦ #¦;¦&¦|¦&&¦||¦\n¦\\\n¦$¦${¦$x¦\"$x\"¦$?¦$$¦$!¦~¦=¦=m1¦!¦! ¦%¦*¦?¦[¦]¦[a]¦<¦>¦>>¦<<¦<<E¦<<'E'¦\nE\n¦E\n¦2>&1¦>f¦<a.txt¦10>f¦>&¦&>f¦"+
	">!f¦>|f¦<<<¦<(m2)¦:¦:h¦,¦{a,b}¦{}¦ {} ¦-¦--¦time ¦do ¦done¦then ¦fi¦else ¦in ¦for i in a b; do ¦if m1; then ¦; fi¦; done¦m2¦m3 x¦$(m2)¦\"$(m2)\"¦`m2`¦(m2)¦{ m2; }¦; m2¦"+
	" && m2¦\nm2¦ | m2¦export PATH=/evil¦PATH=/evil ¦command ¦'export' ¦\\m1¦x=m2¦x='a b'¦x=¦$x[1]¦${x}¦${x}[1]¦^¦@{0}¦é¦m1#¦'a'#¦\"a\"#¦#a¦''¦\"\"¦$''¦$\"\"¦\\'¦\\\"¦"+
	"\\$¦\\#¦\\ ¦\\;¦\\(¦[ -n a ]¦[[ a ]]¦((1))¦$((1))¦case a in a) ¦;; esac¦f() { ¦function f { ¦repeat 2 ¦select i in a; do ¦noglob ¦- ¦set -e¦exit¦cd src¦cd ..¦return¦break¦"+
	"read -r x¦true¦false¦unset x¦eval 'm2'¦. ./a.txt¦alias m1=m2¦trap m2 EXIT¦exec m2¦wait¦printf %s¦echo -n¦0¦1¦A¦z¦\t¦"+
	"RANDOM=¦SECONDS=¦COLUMNS=¦OPTIND=¦export RANDOM=¦PATH=5¦x=PATH=5¦'a[$(m2)]'¦x='a[$(m2)]'¦printf %d ¦[ ¦ -eq 5 ]¦test ¦ -gt ¦ -t ¦ -v ¦$RANDOM¦local ¦let ¦$((x))", "¦")

// words of lines that are made from the grammar.
var (
	programs  = []string{"m1", "m2", "m3", "git", "ls", "cat", "grep", "echo", "go", "env m1", "timeout 5 m2", "command m1", "nohup m3", "xargs m1"}
	arguments = []string{
		"a", "-l", "--x=y", "src/", "a.txt", "*.txt", "src/*", "HEAD~1", "HEAD^", "stash@{0}", "./...", "'a b'", "\"a b\"", "'it is $x; (m2) # no'", "\"a 'b' c\"", "\"a\\\"b\\$c\"",
		"a\\ b", "\\(", "\\;", "{}", "+", "!", "=", "''", "a#b", "%s\\n", "'%s\\n'", "1", "--", "~/x", "~", "a=b", "\"$?\"", "$?", "x:y", "@scope/p", "a,b", "\"a;b|c&d\"", "'\"'", "\"'\"",
		"\"a\nb\"", "'a\nb'", "é", "\"$i\"", "$i", "$x", "\"$x\"", "\"a$\"", "'a'\"b\"c", "[a-c].txt", "{a,b}.txt", "src{,.bak}", "x{1..3}", "{a,{b,c}}", "do", "done", "then", "if", "in", "fi", "end", "time", "function", "-", "a~b", "m1", "\"#\"", "\\#",
	}
	// numbers are commands that take what follows for a number, in some shell.
	numbers = []string{
		"RANDOM=N; ", "SECONDS=N; ", "HISTSIZE=N ", "export COLUMNS=N; ", "[ N -eq 5 ] && ", "[ 1 -gt N ]; ", "test N -ne 0 || ", "test -t N && ", "printf %d N; ", "printf '%5d %s' 1 a N; ",
		"for x in N; do RANDOM=x; done; ", "for x in 1 N; do [ $x -le 5 ]; done; ", "x=N; [ 0 -eq x ]; ", "wait N; ",
	}
	counts = []string{"5", "007", "x", "PATH=5", "'PATH=5'", "'a[$(m2)]'", "\"a[$x]\"", "$x", "\"$x\"", "$?", "1+1", "-1", "''", "a"}
	files  = []string{">f", "> f", ">>f", "2>f", "2>&1", "<a.txt", "< a.txt", "2>/dev/null", ">/dev/null 2>&1", ">&2", "<&-", "> \"f g\""}
)

type generator struct {
	r          *rand.Rand
	defect     bool
	seeds      []string
	seen       map[string]bool
	made, kept int
}

func newGenerator(o options, seeds []string) *generator {
	return &generator{r: rand.New(rand.NewPCG(o.seed, 1)), defect: o.defect, seeds: seeds, seen: map[string]bool{}} //nolint:gosec // the same lines for the same seed
}

// seedLines are the lines of two corpora, which others are made of: those of every day, and those
// that hide something.
func seedLines() ([]string, error) {
	hidden, err := os.ReadFile("broker/shell/testdata/hidden.txt")
	if err != nil {
		return nil, err
	}
	ordinary, err := os.ReadFile("broker/rules/testdata/ordinary.txt")
	if err != nil {
		return nil, err
	}
	list := strings.Split(strings.ReplaceAll(string(hidden), "evil", "m2"), "\n%%\n")
	for _, text := range strings.Split(string(ordinary), "\n") {
		switch {
		case strings.HasPrefix(text, "\t\t"):
			list[len(list)-1] += "\n" + text[2:]
		case strings.HasPrefix(text, "\t"):
			list = append(list, text[1:])
		}
	}
	return list, nil
}

// programNames are the words of all lines that may be taken for programs.
func programNames(seeds []string) []string {
	names := []string{"m1", "m2", "m3"}
	text := strings.Join(seeds, " ") + strings.Join(pieces, " ") + strings.Join(programs, " ") + strings.Join(arguments, " ")
	names = append(names, regexp.MustCompile(`[A-Za-z][A-Za-z0-9_-]*|[0-9]+`).FindAllString(text, -1)...)
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(s string) bool { return len(s) > 30 || s == "cd" })
}

// lines makes n lines that a wildcard could allow, none twice.
func (g *generator) lines(n int) []line {
	var list []line
	for len(list) < n {
		g.made++
		text := g.text()
		for range g.r.IntN(4) {
			text = g.mutate(text)
		}
		if len(text) > 600 || endless.MatchString(text) || g.seen[text] {
			continue
		}
		if l := reading.Parse(text); g.allowable(l) {
			g.seen[text] = true
			g.kept++
			list = append(list, line{text: text, read: l})
		}
	}
	if len(g.seen) > 1_000_000 {
		clear(g.seen)
	}
	return list
}

// endless are loops whose condition no recorder ends.
var endless = regexp.MustCompile(`\b(while|until)\b[^m]*?;|\bsleep\b`)

// allowable reports whether rules with wildcards could allow a line, and whether it runs
// a program. With a defect, the strict reader is not asked.
func (g *generator) allowable(l reading.Line) bool {
	if !l.Parsed || !l.Plain && !g.defect {
		return false
	}
	runs := false
	for _, e := range l.Elements {
		if e.Unsure != "" || e.Exact != "" {
			return false
		}
		runs = runs || e.Kind == reading.Command && !e.Neutral
	}
	return runs
}

func (g *generator) one(list []string) string { return list[g.r.IntN(len(list))] }

func (g *generator) text() string {
	if g.r.IntN(3) == 0 {
		return g.one(g.seeds)
	}
	return g.list(0)
}

func (g *generator) list(depth int) string {
	text := g.command(depth)
	for g.r.IntN(3) == 0 {
		text += g.one([]string{"; ", " && ", " || ", " | ", " & ", "\n", "|", "&&", ";", "||", " |\n", " &&\n  ", " # it's\n", " ;\n"}) + g.command(depth)
	}
	return text
}

func (g *generator) command(depth int) string {
	if depth < 3 {
		inner := func() string { return g.list(depth + 1) }
		switch g.r.IntN(24) {
		case 0:
			return "(" + inner() + ")" + g.tail()
		case 1:
			return "{ " + inner() + "; }" + g.tail()
		case 2:
			return "if " + inner() + "; then " + inner() + g.one([]string{"", "; else " + inner(), "\nelif m1; then m2"}) + "; fi" + g.tail()
		case 3:
			return "while m1; do " + inner() + "; done" + g.tail()
		case 4, 5:
			return "for i in " + g.one(arguments) + " " + g.one(arguments) + g.one([]string{"; do ", "\ndo ", ";\ndo\n"}) + inner() + "; done" + g.tail()
		case 6:
			return "! " + g.simple(depth)
		case 7:
			return "time " + g.simple(depth)
		case 8:
			return "x=" + g.one(arguments) + "; " + g.simple(depth)
		case 9:
			return "cd src && " + g.simple(depth)
		case 10:
			return strings.Replace(g.one(numbers), "N", g.one(counts), 1) + g.simple(depth)
		}
	}
	return g.simple(depth)
}

func (g *generator) simple(depth int) string {
	text := ""
	if g.r.IntN(8) == 0 {
		text = g.one([]string{"X=1 ", "Y='a b' ", "Z= ", "W=\"$x\" "})
	}
	text += g.one(programs)
	for range g.r.IntN(4) {
		text += g.one([]string{" ", " ", " ", "  ", "\t", " \\\n  "})
		switch {
		case depth < 3 && g.r.IntN(10) == 0:
			text += g.one([]string{"\"$(", "\"a $("}) + g.list(depth+1) + ")\""
		case depth < 3 && g.r.IntN(20) == 0:
			text += "$(" + g.list(depth+1) + ")"
		case g.r.IntN(25) == 0:
			text += "\"$(cat <<'E'\n" + g.one([]string{"it's $x", "(a", "`b`", "\"", "# a", "a)\nb", "E E", ""}) + "\nE\n)\""
		default:
			text += g.one(arguments)
		}
	}
	return text + g.tail()
}

func (g *generator) tail() string {
	switch g.r.IntN(12) {
	case 0, 1:
		return " " + g.one(files)
	case 2:
		return g.one(files)
	case 3:
		return " <<'E'\n" + g.one([]string{"it's $x", "$(m2)", "m2", "`m2`", "E ", " E", "a\\"}) + "\nE\n"
	}
	return ""
}

// mutate changes a line in one place.
func (g *generator) mutate(s string) string {
	at := g.r.IntN(len(s) + 1)
	switch g.r.IntN(6) {
	case 0, 1, 2:
		return s[:at] + g.one(pieces) + s[at:]
	case 3: // take some bytes away
		return s[:at] + s[min(len(s), at+1+g.r.IntN(3)):]
	case 4: // put a part of it elsewhere
		to := min(len(s), at+g.r.IntN(12))
		other := g.r.IntN(len(s) + 1)
		return s[:other] + s[at:to] + s[other:]
	default:
		other := g.one(g.seeds)
		return s[:at] + other[g.r.IntN(len(other)+1):]
	}
}
