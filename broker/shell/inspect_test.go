package shell

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/aoctl/aoctl/broker/brokertest/seeded" // rapid draws the same in every run
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// asWords splits a test's line at blanks outside quotes; ⏎ is a newline. A word $X is not known, one
// with an unquoted * is a pattern, and a leading ~ stands for the home folder.
func asWords(tb testing.TB, line string) []word {
	tb.Helper()
	line = strings.ReplaceAll(line, "⏎", "\n")
	var words []word
	var text, raw strings.Builder
	quote, open := byte(0), false
	w := word{known: true}
	end := func() {
		if open {
			w.text, w.raw = text.String(), raw.String()
			if !w.known {
				w.text = ""
			}
			words = append(words, w)
		}
		text.Reset()
		raw.Reset()
		w, open = word{known: true}, false
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
			w.known = false
		default:
			w.glob = w.glob || quote == 0 && ch == '*'
			w.tilde = w.tilde || quote == 0 && ch == '~' && !open
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
func told(m meaning) string {
	var parts []string
	add := func(text string) { parts = append(parts, text) }
	if m.wrapper != "" {
		add(m.wrapper + ":")
	}
	for _, a := range m.assigns {
		add("set[" + a.name.text + "=" + a.value.text + "]")
	}
	for _, r := range m.runs {
		text := "run[" + joinedText(r.words)
		if r.more {
			text += " …"
		}
		if r.fed {
			text += " fed"
		}
		add(text + "]")
	}
	for _, s := range m.scripts {
		text := "script[" + s.text.text
		if !s.text.known {
			text += "?"
		}
		if s.args {
			text += " args"
		}
		add(text + "]")
	}
	if m.host != "" {
		add("@" + m.host)
	}
	for _, f := range m.files {
		add(toldFile(f))
	}
	if m.chdir != nil {
		switch {
		case *m.chdir == (word{}):
			add("cd[home]")
		case !m.chdir.known:
			add("cd[?]")
		default:
			add("cd[" + m.chdir.text + "]")
		}
	}
	for _, part := range []struct {
		on   bool
		name string
	}{{m.neutral, "neutral"}, {m.exact != "", "exact"}, {m.unsure != "", "unsure"}} {
		if part.on {
			add(part.name)
		}
	}
	if len(parts) == 0 {
		return "plain"
	}
	return strings.Join(parts, " ")
}

func toldFile(f file) string {
	kind := "r"
	if f.write {
		kind = "w"
	}
	if f.deletes {
		kind = "d"
	}
	if f.tree {
		kind += "*"
	}
	return kind + "(" + f.path.text + ")"
}

func joinedText(words []word) string {
	var texts []string
	for _, w := range words {
		texts = append(texts, w.text)
	}
	return strings.Join(texts, " ")
}

// inspected runs a table of lines and what they mean.
func inspected(t *testing.T, rows [][2]string) {
	t.Helper()
	for _, row := range rows {
		if got := told(inspect(asWords(t, row[0]))); got != row[1] {
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
	if got := told(inspect(nil)); got != "plain" {
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
				tested[family(s)+" "+w.text] = true
			}
		}
	}
	for name, s := range table() {
		if gnu := strings.TrimPrefix(name, "g"); !tested[name] && !wordset.Map(gnuNames)[gnu] {
			t.Errorf("no test for %s", name)
		}
		for sub, next := range s.subs {
			if !tested[family(s)+" "+sub] && !reflect.DeepEqual(next, spec{lax: true}) {
				t.Errorf("no test for %s %s", name, sub)
			}
		}
	}
}

// family is the same for programs that share their subcommands.
func family(s spec) string {
	return strings.Join(slices.Sorted(maps.Keys(s.subs)), ",")
}

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
		if _, ok := table()[name]; !ok {
			t.Errorf("%s has no row", name)
		}
	}
}

// The lists of options of every row can be read.
func TestEveryRowCompiles(t *testing.T) {
	var visit func(name string, s spec)
	visit = func(name string, s spec) {
		for option := range s.options().byName {
			if !strings.HasPrefix(option, "-") || strings.ContainsAny(option, "=?") {
				t.Errorf("%s: the option %q cannot be given", name, option)
			}
			if !s.single && !strings.HasPrefix(option, "--") && len(option) != 2 {
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
		words := []word{literal(rapid.SampledFrom(names).Draw(t, "name"))}
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			w := literal(rapid.OneOf(piece, rapid.String()).Draw(t, "word"))
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				w = word{raw: "$x"}
			case 1:
				w.glob = true
			}
			words = append(words, w)
		}
		m := inspect(words)
		if m.neutral && (m.exact != "" || m.unsure != "") {
			t.Fatalf("neutral, though %s%s", m.exact, m.unsure)
		}
		if m.wrapper != "" && len(m.runs)+len(m.scripts) == 0 {
			t.Fatalf("%s wraps nothing", m.wrapper)
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
		var words []word
		for _, part := range strings.Split(text, "\n") {
			words = append(words, literal(part))
		}
		if m := inspect(words); m.neutral && m.unsure != "" {
			t.Fatalf("%q is neutral and unsure", text)
		}
	})
}

func TestInert(t *testing.T) {
	for _, name := range []string{"cat", "grep", "wc", "ls", "/usr/bin/head", "jq", "echo", "cut", "basename", "sha256sum"} {
		if !inert(name) {
			t.Errorf("%s can do nothing", name)
		}
	}
	for _, name := range []string{"sort", "uniq", "date", "file", "tree", "base64", "arch", "printf", "test", "[", "rg", "find", "sed", "awk", "tee", "less", "hostname", "env", "sh", "xargs", "git", "unheard-of", "./cat", "/tmp/cat", "/usr/bin/../../tmp/cat", ""} {
		if inert(name) {
			t.Errorf("%s can do something", name)
		}
	}
}
