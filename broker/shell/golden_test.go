package shell

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write anew what testdata/golden says of its lines")

// reading is a line of testdata/golden, with all that Parse says of it. A % in the line stands
// for each of the words, of which the same is said.
type reading struct {
	line  string
	facts string
	words []string
}

// What Parse says of a line is in testdata/golden, whole: most lines have an option or a
// subcommand that the tables know. An entry is the line, the facts behind tabs, and the words
// that may stand for a % in it behind colons. A new line needs no facts: -update writes them,
// and the diff is for a reader.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) < 15 {
		t.Fatalf("only %d files of lines, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			comment, readings := readGolden(t, string(text))
			for _, r := range readings {
				for _, w := range r.words {
					if got := factsOf(r.line, w); got != r.facts && !*update {
						t.Errorf("%s with %s:\n%swant:\n%s", r.line, w, got, r.facts)
					}
				}
			}
			if *update {
				if err := os.WriteFile(file, []byte(comment+writeGolden(readings)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// readGolden reads the entries of a file, and the comment before them.
func readGolden(t *testing.T, text string) (comment string, list []reading) {
	t.Helper()
	listed := false
	for line := range strings.Lines(text) {
		switch {
		case list == nil && (line == "\n" || strings.HasPrefix(line, "# ")):
			comment += line
		case line[0] == '\t':
			list[len(list)-1].facts += line
		case strings.HasPrefix(line, ": "):
			r := &list[len(list)-1]
			if !listed {
				r.words, listed = nil, true
			}
			r.words = append(r.words, strings.Fields(line[2:])...)
		default:
			form := strings.TrimSuffix(line, "\n")
			if form[0] == '"' {
				var err error
				if form, err = strconv.Unquote(form); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			}
			list, listed = append(list, reading{line: form, words: []string{"%"}}), false
		}
	}
	return comment, list
}

// writeGolden writes entries with what is said of them now, one for all words of a line of
// which the same is said.
func writeGolden(list []reading) string {
	var now []*reading
	at := make(map[[2]string]*reading)
	for _, r := range list {
		for _, w := range r.words {
			key := [2]string{r.line, factsOf(r.line, w)}
			if at[key] == nil {
				at[key] = &reading{line: r.line, facts: key[1]}
				now = append(now, at[key])
			}
			at[key].words = append(at[key].words, w)
		}
	}
	var b strings.Builder
	for _, r := range now {
		b.WriteString(oneLine(r.line) + "\n" + r.facts)
		if r.words[0] == "%" {
			continue
		}
		width := 0
		for _, w := range r.words {
			if width == 0 || width+len(w) > 110 {
				if width > 0 {
					b.WriteString("\n")
				}
				b.WriteString(":")
				width = 1
			}
			b.WriteString(" " + w)
			width += 1 + len(w)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// oneLine quotes a line that does not stand on one by itself.
func oneLine(s string) string {
	if s == "" || strings.Trim(s, " ") != s || strings.ContainsAny(s[:1], "#:\"") || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return strconv.Quote(s)
	}
	return s
}

// factsOf is all that is said of a line with a word in the place of its %.
func factsOf(form, word string) string {
	if word == "%" {
		return facts(form)
	}
	return strings.ReplaceAll(facts(strings.Replace(form, "%", word, 1)), word, "%")
}

// facts is all that Parse says of a line: each element on a line of its own, with its marks
// behind two blanks. "=" is a command of the words of the line. The text of an element is shown
// where it is not the words or the path.
func facts(line string) string {
	l := Parse(line)
	var b strings.Builder
	say := func(on bool, text string) {
		if on {
			b.WriteString("  " + text)
		}
	}
	if l.Plain != (l.Odd == "") || l.Raw != line || !l.Parsed {
		fmt.Fprintf(&b, "\tplain %t, parsed %t, raw %t\n", l.Plain, l.Parsed, l.Raw == line)
	}
	if l.Odd != "" {
		b.WriteString("\todd: " + oneLine(l.Odd) + "\n")
	}
	for _, e := range l.Elements {
		var what, text string
		switch {
		case e.Kind == Command && e.Path+e.Name+e.Value == "":
			what = shownWords(e.Argv...)
			text = what
		case e.Kind == Assign && len(e.Argv) == 0 && e.Path == "":
			what = e.Name + "=" + shownWords(e.Value)
			text = what
		case (e.Kind == Read || e.Kind == Write) && len(e.Argv) == 0 && e.Name+e.Value == "":
			text = shownWords(e.Path)
			what = string(e.Kind) + "s " + text
		default:
			what = fmt.Sprintf("%s %q %q %q %q", e.Kind, e.Argv, e.Path, e.Name, e.Value)
		}
		if what == line {
			what = "="
		}
		b.WriteString("\t" + what)
		own := strconv.Quote(e.Text)
		say(e.Text != text, "["+own[1:len(own)-1]+"]")
		say(len(e.Via) > 0, "via "+shownWords(e.Via...))
		say(!slices.Equal(e.Via, e.ViaAs), "as "+shownWords(e.ViaAs...))
		say(e.Host != "", "host "+shownWords(e.Host))
		say(e.Dir != "", "dir "+shownWords(e.Dir))
		say(e.DirUnsure, "dir?")
		say(e.Pipe != 0, fmt.Sprint("pipe ", e.Pipe))
		say(e.Stdin != "", "stdin "+e.Stdin)
		say(e.Home, "home")
		say(e.Operand, "operand")
		say(e.Deletes, "deletes")
		say(e.Tree, "tree")
		say(e.Glob, "glob")
		say(e.Exported, "exported")
		say(e.Neutral, "neutral")
		say(e.Named != 0, fmt.Sprint("named ", e.Named))
		say(e.Exact != "", "exact: "+oneLine(e.Exact))
		say(e.Unsure != "", "unsure: "+oneLine(e.Unsure))
		b.WriteString("\n")
	}
	return b.String()
}

// shownWords shows words, in quotes those that could be taken for none, several or a mark.
func shownWords(words ...string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w == "" || strings.ContainsAny(w, ` "`) || strings.ContainsFunc(w, func(r rune) bool { return r < ' ' || r > '~' }) {
			w = strconv.Quote(w)
		}
		b.WriteString(w)
	}
	return b.String()
}
