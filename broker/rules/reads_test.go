package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/google/go-cmp/cmp"
)

// The built-in rule lets a file be read when all of this holds.
func TestMayRead(t *testing.T) {
	const missing, device = "/p/missing", "/p/device"
	ask := func(path string) func(string) bool { return func(p string) bool { return p == path } }
	q := Question{
		Place:  risk.Place{CWD: "/p", Project: "/p", Home: "/home/ana", Own: []string{"/p/state", "/p/deep/own"}},
		Exists: func(p string) bool { return p != missing }, Special: ask(device),
	}
	for _, tt := range []struct {
		p    located
		want bool
	}{
		{located{abs: "/p/x", real: "/p/x"}, true},
		{located{abs: "/p", real: "/p"}, true},
		{located{abs: "/p/link", real: "/p/x"}, true},
		{located{abs: "/p/x", real: "/p/x", odd: "is odd"}, false},
		{located{abs: "/p/x"}, false},
		{located{abs: "/p/x", real: "/q/x"}, false},
		{located{abs: "/p/x", real: "/px"}, false},
		{located{abs: missing, real: missing}, false},
		{located{abs: device, real: device}, false},
		{located{abs: "/p/state", real: "/p/state"}, false},
		{located{abs: "/p/state/x", real: "/p/state/x"}, false},
		{located{abs: "/p/link", real: "/p/state/x"}, false},
		{located{abs: "/p/state/link", real: "/p/x"}, false},
		{located{abs: "/p/deep", real: "/p/deep"}, false},
		{located{abs: "/p/x", real: "/p/.aoctl/x"}, false},
		{located{abs: "/p/x", real: "/p/a/.qwen/b/c"}, false},
		{located{abs: "/p/x", real: "/p/a/.mcp.json"}, false},
	} {
		if got := q.mayRead(&tt.p); got != tt.want {
			t.Errorf("%s, which is %s %s: %t", tt.p.abs, tt.p.real, tt.p.odd, got)
		}
	}
	q.Exists, q.Special = nil, nil
	for _, p := range []string{missing, device} {
		if !q.mayRead(&located{abs: p, real: p}) {
			t.Errorf("%s may not be read where nobody tells what it is", p)
		}
	}
}

// The built-in rule speaks for a part of a call when nothing speaks against it.
func TestBuiltinAllows(t *testing.T) {
	file := located{abs: "/p/x", real: "/p/x"}
	plainLine, oddLine := &shell.Line{Plain: true}, &shell.Line{}
	for name, tt := range map[string]struct {
		call func(*Call)
		elem elem
		want bool
	}{
		"a read":              {nil, elem{kind: shell.Read, path: &file}, true},
		"a read elsewhere":    {nil, elem{kind: shell.Read, path: &located{abs: "/q", real: "/q"}}, false},
		"a write":             {nil, elem{kind: shell.Write, path: &file}, false},
		"a command":           {nil, elem{kind: shell.Command}, false},
		"not trusted":         {func(c *Call) { c.q.Trusted = false }, elem{kind: shell.Read, path: &file}, false},
		"read otherwise":      {func(c *Call) { c.line.Line = oddLine }, elem{kind: shell.Read, path: &file}, false},
		"guarded":             {func(c *Call) { c.risk.Guarded = true }, elem{kind: shell.Read, path: &file}, false},
		"dangerous":           {func(c *Call) { c.risk.Class = risk.Dangerous }, elem{kind: shell.Read, path: &file}, false},
		"exact":               {nil, elem{kind: shell.Read, path: &file, exact: "x"}, false},
		"a tool":              {nil, elem{kind: toolKind}, false},
		"a tool that reads":   {func(c *Call) { c.readsOnly = true }, elem{kind: toolKind}, true},
		"a guarded tool":      {func(c *Call) { c.readsOnly, c.risk.Guarded = true, true }, elem{kind: toolKind}, false},
		"a tool for names":    {func(c *Call) { c.lists, c.risk.Guarded = true, true }, elem{kind: toolKind}, true},
		"not trusted to read": {func(c *Call) { c.readsOnly, c.q.Trusted = true, false }, elem{kind: toolKind}, false},
	} {
		c := &Call{q: Question{Trusted: true, Place: risk.Place{Project: "/p", CWD: "/p"}}, line: commandLine{Line: plainLine}}
		if tt.call != nil {
			tt.call(c)
		}
		if got := c.builtinAllows(&tt.elem); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A search for names may pass by aoctl's own files, and must not begin at them, nor where
// nobody knows.
func TestOnlyLists(t *testing.T) {
	place := risk.Place{CWD: "/p", Project: "/p", Own: []string{"/p/state", "/p/deep/own"}, Real: func(p string) (string, error) {
		if strings.HasPrefix(p, "/p/loop") {
			return "", errors.New("too many links")
		}
		return p, nil
	}}
	for pattern, want := range map[string]bool{
		"*": true, "src/*": true, "state/*": false, "state/x": false, "deep/*": false, "deep/own/*": false, "deep/x/*": true, "stat*/x": true, "loop/x/*": false,
		".git/*": true, ".clau*": false, ".claude": false, "{a,.b}": false, "[.]x": false, "(.a)": false, "{a,b}": true,
	} {
		in, p := &input{tool: "Glob", members: map[string]any{"pattern": pattern}}, &paths{q: &Question{Place: place}}
		if got := onlyLists(in, p); got != want {
			t.Errorf("%s: %t", pattern, got)
		}
		in.tool = "Grep"
		if onlyLists(in, p) {
			t.Errorf("%s of another tool lists names", pattern)
		}
	}
}

// The ways to read a path of a tool, and why nobody vouches for it.
func TestToolPlaceForms(t *testing.T) {
	long := strings.Repeat("x", maxPath)
	for _, tt := range []struct {
		given, cwd, home string
		forms            []string
		odd              string
	}{
		{"a", "/p", "/h", []string{"/p/a"}, ""},
		{"/a/../b", "/p", "/h", []string{"/b"}, ""},
		{"", "/p", "/h", []string{"/p"}, ""},
		{"a", "", "/h", nil, "is relative to a folder that is not known"},
		{"~", "/p", "/h", []string{"/h", "/p/~"}, "begins with a tilde, which only some programs expand"},
		{"~/x", "/p", "/h", []string{"/h/x", "/p/~/x"}, "begins with a tilde, which only some programs expand"},
		{"~x", "/p", "/h", []string{"/p/~x"}, "begins with a tilde, which only some programs expand"},
		{"~/x", "/p", "", []string{"/p/~/x"}, "begins with a tilde, which only some programs expand"},
		{" ~/x", "/p", "/h", []string{"/h/x", "/p/ ~/x", "/p/~/x"}, "begins or ends with a blank, which some programs drop"},
		{" a ", "/p", "/h", []string{"/p/ a ", "/p/a"}, "begins or ends with a blank, which some programs drop"},
		{"@a", "/p", "/h", []string{"/p/@a", "/p/a"}, ""},
		{"@a", "", "/h", nil, "is relative to a folder that is not known"},
		{"a$b", "/p", "/h", []string{"/p/a$b"}, "has a character that some programs expand"},
		{`a\b`, "/p", "/h", []string{`/p/a\b`}, "has a character that some programs expand"},
		{"ä", "/p", "/h", []string{"/p/ä"}, "has characters that file systems read differently"},
		{"a\x1fb", "/p", "/h", []string{"/p/a\x1fb"}, "has characters that file systems read differently"},
		{"a\x7fb", "/p", "/h", []string{"/p/a\x7fb"}, "has characters that file systems read differently"},
		{"a b~", "/p", "/h", []string{"/p/a b~"}, ""},
		{"/" + long[1:], "/p", "/h", []string{"/" + long[1:]}, ""},
		{"/" + long, "/p", "/h", []string{"/" + long}, "is too long"},
		{long[3:], "/p", "/h", []string{"/p/" + long[3:]}, ""},
		{long[2:], "/p", "/h", []string{"/p/" + long[2:]}, "is too long"},
		{"@" + long[2:], "/p", "/h", []string{"/p/@" + long[2:]}, "is too long"},
		{"@" + long[3:], "/p", "/h", []string{"/p/" + long[3:], "/p/@" + long[3:]}, "is too long"},
	} {
		slices.Sort(tt.forms)
		ps := &paths{q: &Question{Place: risk.Place{CWD: tt.cwd, Home: tt.home}}}
		p := ps.toolPlace(tt.given)
		if diff := cmp.Diff(tt.forms, p.forms); diff != "" || p.odd != tt.odd {
			t.Errorf("%.20q in %s: %s (-want +got):\n%.300s", tt.given, tt.cwd, p.odd, diff)
		}
	}
}

// Rules that match and may not speak for a part, by what speaks against it.
func TestIdleRules(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		line    string
		rule    Rule
		matches int
		idle    int
	}{
		{"npm test", rule(Allow, "Bash", "command", "npm *"), 1, 0},
		{"npm $X", rule(Allow, "Bash", "command", "npm *"), 0, 1},
		{"npm $X", rule(Ask, "Bash", "command", "npm *"), 1, 0},
		{"cat .claude/settings.json", rule(Allow, "Bash", "command", "cat *"), 0, 1},
		{"cat .claude/settings.json", rule(Deny, "Bash", "command", "cat *"), 1, 0},
		{"sudo ls", rule(Allow, "Bash"), 0, 1},
		{"python3 -c x", rule(Allow, "Bash", "command", "python3 *"), 0, 1},
		{"python3 -c x", rule(Allow, "Bash", "command", "python3 -c x"), 1, 0},
		{"git push --force o x", rule(Allow, "Bash", "command", "git push --force o x"), 0, 1},
		{"git push --force o x", with(rule(Allow, "Bash", "command", "git push --force o x"), func(r *Rule) { r.Dangerous = true }), 1, 0},
	} {
		e := judge(t, set(t, tt.rule), w.trusted(t, tt.line)).Elements[0]
		if len(e.Matches) != tt.matches || len(e.Idle) != tt.idle {
			t.Errorf("%s for %s: matches %v, idle %v", tt.rule.ID, tt.line, e.Matches, e.Idle)
		}
	}
	for input, want := range map[string]int{`{"url":"https://a.b/"}`: 1, `{"url":"https://a.b/","dangerouslySkip":true}`: 0, `{"url":"https://a.b/","x":"\u0007"}`: 0} {
		c := Prepare(Question{Tool: "WebFetch", Input: []byte(input), Place: w.place})
		if e := judge(t, set(t, rule(Allow, "WebFetch")), c).Elements[0]; len(e.Matches) != want || len(e.Idle) != 1-want {
			t.Errorf("%s: matches %v, idle %v", input, e.Matches, e.Idle)
		}
	}
}

// A rule stands on a shelf once, however many alternatives it has.
func TestShelves(t *testing.T) {
	s := set(t, rule(Allow, "Bash", "command", "git status|git diff|ls"), rule(Deny, "Bash", "command", "git push *"), rule(Deny, "Bash", "command", "line:ls"), rule(Ask, "Ba*", "command", "* x"), rule(Ask, "Bash"))
	h := s.tools["Bash"]
	if got := fmt.Sprint(len(h.byName["git"]), len(h.byName["ls"]), len(h.byLine["ls"]), len(h.whole), len(h.command), len(s.wild.command)); got != "2 1 1 1 0 1" {
		t.Error(got)
	}
}

// A set takes no more rules than the most, and one without an id takes the place of none.
func TestSetHoldsSoMany(t *testing.T) {
	none := Rule{Tool: "T", Decision: Ask}
	s := set(t, none, none)
	if more, err := s.With(none); err != nil || len(more.Rules()) != 3 {
		t.Errorf("a third rule without id: %v", err)
	}
	list := slices.Repeat([]Rule{none}, MaxRules)
	full := set(t, list...)
	if _, err := full.With(none); err == nil {
		t.Error("one more than the most was added")
	}
	if _, err := Compile(append(list, none)); err == nil {
		t.Error("one more than the most was read")
	}
	if _, err := set(t, list[1:]...).With(none); err != nil {
		t.Error(err)
	}
}

// The paths of an address, in each way that somebody may read it.
func TestPathsIn(t *testing.T) {
	for raw, want := range map[string]string{
		"https://a.b/p": "p p p", "https://a.b/p?q": "p p p", "https://a.b/p#q": "p p p", "https://a.b/p#q?r": "p p p", "https://a.b/p?q#r": "p p p", `https:\\a.b\p`: "p p p",
		"a.b/p": "p p p", "a.b": "  ", "https://a.b/x/../p": "x/../p p p", "https://a.b/x/%2e%2e/p": "x/%2e%2e/p x/%2e%2e/p p", "https://a.b/%zz/../p": "%zz/../p p",
	} {
		if got := strings.Join(patterns.PathsIn(raw), " "); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}
