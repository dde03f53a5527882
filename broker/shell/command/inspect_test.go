package command

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/aoctl/aoctl/broker/brokertest/seeded" // rapid draws the same in every run
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// asWords splits a test's line at blanks outside quotes; ⏎ is a newline. A word $X is not known, one
// with an unquoted * is a pattern, and a leading ~ stands for the home folder.
func asWords(tb testing.TB, line string) []Word {
	tb.Helper()
	line = strings.ReplaceAll(line, "⏎", "\n")
	var words []Word
	var text, raw strings.Builder
	quote, open := byte(0), false
	w := Word{Known: true}
	end := func() {
		if open {
			w.Text, w.Raw = text.String(), raw.String()
			if !w.Known {
				w.Text = ""
			}
			words = append(words, w)
		}
		text.Reset()
		raw.Reset()
		w, open = Word{Known: true}, false
	}
	for i := 0; i < len(line); i++ {
		ch := line[i]
		switch {
		case quote == 0 && ch == ' ':
			end()
			continue
		case quote == 0 && (ch == '\'' || ch == '"'):
			quote = ch
		case ch == quote:
			quote = 0
		case quote == 0 && ch == '$':
			w.Known = false
		default:
			w.Glob = w.Glob || quote == 0 && ch == '*'
			w.Tilde = w.Tilde || quote == 0 && ch == '~' && !open
			text.WriteByte(ch)
		}
		open = true
		raw.WriteByte(ch)
	}
	end()
	if quote != 0 {
		tb.Fatalf("no end of a quote in %s", line)
	}
	return words
}

// told writes a meaning as one line, so that a table of tests can be read.
func told(m Meaning) string {
	var parts []string
	add := func(text string) { parts = append(parts, text) }
	if m.Wrapper != "" {
		add(m.Wrapper + ":")
	}
	for _, a := range m.Assigns {
		add("set[" + a.Name.Text + "=" + a.Value.Text + "]")
	}
	for _, r := range m.Runs {
		text := "run[" + joinedText(r.Words)
		if r.More {
			text += " …"
		}
		if r.Fed {
			text += " fed"
		}
		add(text + "]")
	}
	for _, s := range m.Scripts {
		text := "script[" + s.Text.Text
		if !s.Text.Known {
			text += "?"
		}
		if s.args {
			text += " args"
		}
		add(text + "]")
	}
	if m.Host != "" {
		add("@" + m.Host)
	}
	for _, f := range m.Files {
		add(toldFile(f))
	}
	if m.Chdir != nil {
		switch {
		case *m.Chdir == (Word{}):
			add("cd[home]")
		case !m.Chdir.Known:
			add("cd[?]")
		default:
			add("cd[" + m.Chdir.Text + "]")
		}
	}
	for _, part := range []struct {
		on   bool
		name string
	}{{m.Neutral, "neutral"}, {m.Exact != "", "exact"}, {m.Unsure != "", "unsure"}} {
		if part.on {
			add(part.name)
		}
	}
	if len(parts) == 0 {
		return "plain"
	}
	return strings.Join(parts, " ")
}

func toldFile(f File) string {
	kind := "r"
	if f.Write {
		kind = "w"
	}
	if f.Deletes {
		kind = "d"
	}
	if f.Tree {
		kind += "*"
	}
	return kind + "(" + f.Path.Text + ")"
}

func joinedText(words []Word) string {
	var texts []string
	for _, w := range words {
		texts = append(texts, w.Text)
	}
	return strings.Join(texts, " ")
}

// inspected runs a table of lines and what they mean.
func inspected(t *testing.T, rows [][2]string) {
	t.Helper()
	for _, row := range rows {
		if got := told(Inspect(asWords(t, row[0]))); got != row[1] {
			t.Errorf("%s\n\tgot  %s\n\twant %s", row[0], got, row[1])
		}
	}
}

func TestInspectLooksOnlyAtNamesItKnows(t *testing.T) {
	inspected(t, [][2]string{
		{"sudo rm x", "sudo: run[rm x]"},
		{"/usr/bin/sudo rm x", "sudo: run[rm x]"},
		{"/opt/homebrew/bin/git -c a=b log", "unsure"},
		{"./sudo rm x", "run[rm x]"},
		{"tools/git -c a=b log", "unsure"},
		{"/tmp/git -c a=b log", "unsure"},
		{"~/bin/git -c a=b log", "plain"},
		{"/usr/bin/../bin/sudo rm x", "run[rm x] unsure"},
		{"/usr//bin/sudo rm x", "run[rm x] unsure"},
		{"/bin/echo x", "plain"},
		{"/bin/eval x", "plain"},
		{"python3.12 -c x", "exact"},
		{"gcc-13 -wrapper x a.c", "r(a.c) unsure"},
		{"bash5.2 -c id", "bash -c: script[id]"},
		{"unheard-of -c x", "plain"},
		{"$X -c x", "plain"},
		{"*", "plain"},
	})
	if got := told(Inspect(nil)); got != "plain" {
		t.Errorf("no words: %s", got)
	}
}

// allRows are the tables of tests of all rows.
func allRows() [][][2]string {
	return [][][2]string{
		archiveLines, awkLines, buildLines, builtinLines, codeLines, edgeLines, elsewhereLines, fileLines, findLines, gitLines, netLines, opsLines, otherLines, packageLines, remoteLines, sedLines, shellLines, surpriseLines, textLines, wrapperLines,
	}
}

// Every program that has a row is named by some test, and so is every subcommand whose
// row says anything: a row without one is worth nothing. docker and podman share their
// subcommands, as others do, and one test is enough for those.
func TestEveryRowHasATest(t *testing.T) {
	tested := make(map[string]bool)
	for _, rows := range allRows() {
		for _, row := range rows {
			words := asWords(t, row[0])
			name, _, _ := programOf(words[0])
			s, name, _ := lookUp(name)
			tested[name] = true
			for _, w := range words[1:] {
				tested[family(s)+" "+w.Text] = true
			}
		}
	}
	for name, s := range table() {
		if gnu := strings.TrimPrefix(name, "g"); !tested[name] && !wordset.Map(gnuNames)[gnu] {
			t.Errorf("no test for %s", name)
		}
		for sub, next := range s.subs {
			if !tested[family(s)+" "+sub] && !reflect.DeepEqual(next.Row, &programs.Row{Lax: true}) {
				t.Errorf("no test for %s %s", name, sub)
			}
		}
	}
}

// family is the same for programs that share their subcommands.
func family(s *spec) string {
	if s == nil {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(s.subs)), ",")
}

// gnuNames are programs that Homebrew installs with a g before their names.
const gnuNames = `cat chmod chown chroot cp csplit cut date dd env find head ln ls mkdir mv nice nohup od rm rmdir
	shred shuf sort split stat stdbuf tac tail tee timeout touch truncate uniq unlink wc xargs awk`

func TestHomebrewNames(t *testing.T) {
	inspected(t, [][2]string{
		{"gtimeout 5 rm x", "gtimeout: run[rm x]"},
		{"genv A=1 rm x", "genv: set[A=1] run[rm x]"},
		{"gsort -o a b", "w(a) r(b) exact"},
		{"gfind . -delete", "d*(.)"},
		{"gxargs rm", "gxargs: run[rm …]"},
		{"grm -r x", "d*(x)"},
	})
	for name := range wordset.Map(gnuNames) {
		if s, g := table()[name], table()["g"+name]; s == nil || g == nil || !reflect.DeepEqual(s.Row, g.Row) {
			t.Errorf("%s has no row, or another one with a g", name)
		}
	}
}

// The lists of options of every row can be read.
func TestEveryRowCompiles(t *testing.T) {
	var visit func(name string, s *spec)
	visit = func(name string, s *spec) {
		for option := range s.list.byName {
			if !strings.HasPrefix(option, "-") || strings.ContainsAny(option, "=?") {
				t.Errorf("%s: the option %q cannot be given", name, option)
			}
			if !s.Single && !strings.HasPrefix(option, "--") && len(option) != 2 {
				t.Errorf("%s: the option %q is no single letter", name, option)
			}
		}
		for sub, next := range s.subs {
			visit(name+" "+sub, next)
		}
	}
	for name, s := range table() {
		visit(name, s)
	}
}

// Whatever the words are, inspect returns; and an option that no table lists never
// makes a strict row plain.
func TestInspectBearsAnyWords(t *testing.T) {
	names := make([]string, 0, len(table()))
	for name := range table() {
		names = append(names, name)
	}
	piece := rapid.SampledFrom([]string{
		"", "-", "--", "-c", "-x", "-o", "-e", "--exec", "--output=f", "-i", "{}", ";", "+", "a=b", "s/a/b/w f", "s/a/b/e", "run", "exec", "config", "foreach",
		"push", "-abcdefgh", "--=x", "=", "@f", "~/x", "/", "..", "'", "BEGIN{system(1)}", "é", "-é", "\x00", "p[", "|", "1,2p", "::", "host:", "-exec",
	})
	rapid.Check(t, func(t *rapid.T) {
		words := []Word{literal(rapid.SampledFrom(names).Draw(t, "name"))}
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			w := literal(rapid.OneOf(piece, rapid.String()).Draw(t, "word"))
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				w = Word{Raw: "$x"}
			case 1:
				w.Glob = true
			}
			words = append(words, w)
		}
		m := Inspect(words)
		if m.Neutral && (m.Exact != "" || m.Unsure != "") {
			t.Fatalf("neutral, though %s%s", m.Exact, m.Unsure)
		}
		if m.Wrapper != "" && len(m.Runs)+len(m.Scripts) == 0 {
			t.Fatalf("%s wraps nothing", m.Wrapper)
		}
	})
}

func FuzzInspect(f *testing.F) {
	for _, rows := range allRows() {
		for i := 0; i < len(rows); i += 8 { // all of them would leave a short run no time for others
			f.Add(strings.ReplaceAll(rows[i][0], " ", "\n"))
		}
	}
	f.Add("ar\n-\xfb")
	f.Fuzz(func(t *testing.T, text string) {
		var words []Word
		for _, part := range strings.Split(text, "\n") {
			words = append(words, literal(part))
		}
		if m := Inspect(words); m.Neutral && m.Unsure != "" {
			t.Fatalf("%q is neutral and unsure", text)
		}
	})
}

func TestInert(t *testing.T) {
	for _, name := range []string{"cat", "grep", "wc", "ls", "/usr/bin/head", "jq", "echo", "cut", "basename", "sha256sum"} {
		if !Inert(name) {
			t.Errorf("%s can do nothing", name)
		}
	}
	for _, name := range []string{"sort", "uniq", "date", "file", "tree", "base64", "arch", "printf", "test", "[", "rg", "find", "sed", "awk", "tee", "less", "hostname", "env", "sh", "xargs", "git", "unheard-of", "./cat", "/tmp/cat", "/usr/bin/../../tmp/cat", ""} {
		if Inert(name) {
			t.Errorf("%s can do something", name)
		}
	}
}

// Every function that a page can name is named by one, and each name is a function.
func TestEveryFunctionIsNamed(t *testing.T) {
	named := map[string]bool{}
	var visit func(rows map[string]*programs.Row)
	visit = func(rows map[string]*programs.Row) {
		for _, r := range rows {
			for _, text := range []string{r.Then, r.By} {
				for _, name := range strings.Fields(text) {
					named[name] = true
				}
			}
			visit(r.Subs)
		}
	}
	visit(programs.Rows())
	l := loader{functions: specials()}
	for name := range l.functions {
		if !named[name] {
			t.Errorf("no page names %s", name)
		}
	}
	for _, name := range []string{"none", "none x", "read-from", "read-from x", "follow-links", "follow-links a b c none", "follow-links a b"} {
		if f, err := l.function(name); f != nil || err == nil {
			t.Errorf("%s is a function", name)
		}
	}
}
