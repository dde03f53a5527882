package risk

import (
	"encoding/json"
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
)

// place is where the tests run: a project in a home folder, with links that lead out
// of it.
func place() Place {
	links := map[string]string{
		"/home/u/src/app/link":  "/home/u/other",
		"/home/u/src/app/creds": "/home/u/.aws/credentials",
		"/home/u/src/app/rules": "/home/u/.claude/settings.json",
		"/home/u/app":           "/home/u/src/app",
		"/etc/mine":             "/home/u/src/app/etc",
	}
	return Place{
		CWD: "/home/u/src/app", Project: "/home/u/src/app", Home: "/home/u",
		Own: []string{"/home/u/.local/state/aoctl", "/home/u/.config/aoctl", "/run/user/1000/aoctl/broker.sock", "/opt/tools/aoctl"},
		Real: func(p string) (string, error) {
			if strings.Contains(p, "loop") {
				return "", errors.New("too many links")
			}
			return follow(links, p), nil
		},
	}
}

// follow walks p name by name, as a disk would.
func follow(links map[string]string, p string) string {
	at := "/"
	for _, name := range strings.Split(p, "/") {
		at = path.Join(at, name)
		if to, ok := links[at]; ok {
			at = to
		}
	}
	return at
}

// words splits a line at blanks; a part in single quotes is one word, and ” is a word
// that nobody knows.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// run is the element of a simple command.
func run(line string) shell.Element {
	e := shell.Element{Kind: shell.Command, Text: line, Argv: words(line)}
	for _, w := range e.Argv {
		if w == "" {
			e.Unsure = "a word is not known"
		}
	}
	return e
}

func read(p string) shell.Element {
	return shell.Element{Kind: shell.Read, Text: p, Path: p, Home: strings.HasPrefix(p, "~"), Glob: pathtable.HasGlob(p), Operand: true}
}

func write(p string) shell.Element {
	return shell.Element{Kind: shell.Write, Text: p, Path: p, Home: strings.HasPrefix(p, "~"), Glob: pathtable.HasGlob(p)}
}

func remove(p string) shell.Element {
	e := write(p)
	e.Deletes, e.Operand = true, true
	return e
}

func tree(e shell.Element) shell.Element {
	e.Tree = true
	return e
}

func in(dir string, e shell.Element) shell.Element {
	e.Dir = dir
	return e
}

func lost(e shell.Element) shell.Element {
	e.DirUnsure = true
	return e
}

func piped(n int, e shell.Element) shell.Element {
	e.Pipe = n
	if n < 0 {
		e.Pipe, e.Stdin = -n, "pipe"
	}
	return e
}

func via(e shell.Element, wrappers ...string) shell.Element {
	e.Via = wrappers
	return e
}

func set1(name, value string) shell.Element {
	return shell.Element{Kind: shell.Assign, Text: name + "=" + value, Name: name, Value: value}
}

// lineOf is a line that was read, made of elements.
func lineOf(elements ...shell.Element) *shell.Line {
	var texts []string
	for _, e := range elements {
		texts = append(texts, e.Text)
	}
	return &shell.Line{Raw: strings.Join(texts, "; "), Elements: elements, Parsed: true, Plain: true}
}

func assessLine(elements ...shell.Element) Risk {
	return Assess(Call{Tool: "Bash", Line: lineOf(elements...)}, place())
}

func assessTool(tool, input string) Risk {
	return Assess(Call{Tool: tool, Input: json.RawMessage(input)}, place())
}

// finds reports whether r has a finding with this reason.
func finds(r Risk, why string) bool {
	for _, f := range r.Findings {
		if f.Why == why {
			return true
		}
	}
	return false
}

// check compares a risk with its class and, unless it is empty, one of its reasons.
func check(t *testing.T, r Risk, class Class, why string) {
	t.Helper()
	if r.Class != class || why != "" && !finds(r, why) {
		t.Errorf("got %v, %+v; want %v: %s", r.Class, r.Findings, class, why)
	}
}
