package rules

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// What rules about files say of the wildcards and folders of a line.
func TestRulesAboutWhatALineMayReach(t *testing.T) {
	w := newWorld(t)
	cat := rule(Allow, "Bash", "command", "cat *|rm *|grep *|cp *|npm *|cd *")
	for _, tt := range []struct {
		rule Rule
		line string
		want Verdict
		why  string
	}{
		{rule(Deny, "Read", "file_path", "secrets/**"), "cat sec*/key", Ask, "may reach what rule"},
		{rule(Ask, "Read", "file_path", "secrets/**"), "cat sec*/key", Ask, "asks"},
		{rule(Defer, "Read", "file_path", "secrets/**"), "cat sec*/key", Defer, "deferred"},
		{rule(Deny, "Bash", "read", "secrets/**"), "cat sec*/key", Ask, "may reach"},
		{rule(Ask, "Bash", "read", "secrets/**"), "cat sec*/key", Ask, "asks"},
		{rule(Deny, "Bash", "write", "secrets/**"), "cat sec*/key", Allow, ""},
		{rule(Deny, "Bash", "write", "secrets/**"), "rm sec*/key", Ask, "may reach"},
		{rule(Deny, "Bash", "write", `src\[1]/keep`), "rm -r 'src[1]'", Ask, "may reach"},
		{rule(Deny, "Bash", "read", "secrets/**"), "rm sec*/key", Allow, ""},
		{rule(Deny, "Write", "file_path", "secrets/**"), "rm sec*/key", Ask, "may reach"},
		{rule(Deny, "Edit", "file_path", "secrets/**"), "rm sec*/key", Ask, "may reach"},
		{rule(Deny, "Edit", "file_path", "secrets/**"), "cat sec*/key", Allow, ""},
		{rule(Deny, "Read", "file_path", "secrets/**"), "rm sec*/key", Allow, ""},
		{rule(Deny, "R*", "file_path", "secrets/**"), "cat sec*/key", Ask, "may reach"},
		{rule(Deny, "W*", "file_path", "secrets/**"), "cat sec*/key", Allow, ""},
		{rule(Deny, "W*", "file_path", "secrets/**"), "rm sec*/key", Ask, "may reach"},
		{rule(Deny, "E*", "file_path", "secrets/**"), "rm sec*/key", Ask, "may reach"},
		{rule(Deny, "Read", "path", "secrets/**"), "cat sec*/key", Allow, ""},
		{rule(Deny, "Read", "file_path", "secrets/**", "x", "y"), "cat secrets/key", Allow, ""},
		{rule(Deny, "Read"), "cat src/a.go", Deny, ""},
		{rule(Deny, "Read"), "cat < /dev/null", Allow, ""},
		{rule(Deny, "Read", "file_path", "secrets/**"), "cat secrets/key", Deny, ""},
		{rule(Deny, "Read", "file_path", "secrets/**"), "cat SECRETS/KEY", Deny, ""},
		{rule(Deny, "Read", "file_path", "secrets/**"), "cd src && cat ../sec*/key", Ask, "may reach"},
		{rule(Deny, "Read", "file_path", "src/key"), "cd src && cat k*", Ask, "may reach"},
		{rule(Deny, "Read", "file_path", "src/key"), "cd src && cat x*", Allow, ""},
		{rule(Deny, "Read", "file_path", "src/key"), "npm test || cd src; cat key", Ask, "may reach"},
		{rule(Deny, "Read", "file_path", "src/key"), "npm test || cd src; cat ../src/key", Ask, "may reach"},
		{rule(Deny, "Read", "file_path", "src/key"), "npm test || cd src; cat other", Allow, ""},
		{rule(Deny, "Read", "file_path", "src/[k]"), "npm test || cd src; cat '[x]'", Ask, "may reach"}, // not compared any closer
		{rule(Deny, "Read", "file_path", "src/a/b"), "npm test || cd src; grep -r y a", Ask, "may reach"},
		{rule(Deny, "Read", "file_path", "src/a/b"), "npm test || cd src; cat a", Allow, ""},
		{rule(Deny, "Read", "file_path", "src/a/b"), "grep -r y src", Ask, "may reach"},
		{rule(Deny, "Read", "file_path", "src/a/b"), "grep y src", Allow, ""},
		{rule(Deny, "Read", "file_path", "src/a/b"), "grep -r y lib", Allow, ""},
		{rule(Deny, "Read", "file_path", "lib/src/key"), "cat src/key", Allow, ""},      // its folder is known
		{rule(Deny, "Bash", "command", "pages **"), "cat {src,pages,}", Deny, "denied"}, // what a shell may read otherwise
	} {
		a := judge(t, set(t, cat, tt.rule), w.trusted(t, tt.line))
		if a.Verdict != tt.want || !strings.Contains(a.Reason, tt.why) {
			t.Errorf("%s with %s: %s, %s; want %s", tt.line, tt.rule.ID, a.Verdict, a.Reason, tt.want)
		}
	}
}

// Of two rules that a wildcard may reach, the one that speaks first is named.
func TestFirstRuleThatIsReached(t *testing.T) {
	w := newWorld(t)
	first := with(rule(Deny, "Read", "file_path", "secrets/**"), func(r *Rule) { r.Priority = 1 })
	second := rule(Deny, "Read", "file_path", "**/key")
	for _, list := range [][]Rule{{first, second}, {second, first}} {
		a := judge(t, set(t, append(list, rule(Allow, "Bash", "command", "cat *"))...), w.trusted(t, "cat sec*/k*"))
		if !strings.Contains(a.Reason, "secrets/**") {
			t.Errorf("%s", a.Reason)
		}
	}
}

// A line that is one command of literal words is known by these words.
func TestPlainWords(t *testing.T) {
	for line, want := range map[string]string{
		"npm test": "npm|test", "  npm   test  ": "npm|test", "a 'b c' d": "a|b c|d", `a "b c"`: "a|b c", `a "b'c"`: "a|b'c", "a '$x`!\\'": "a|$x`!\\",
		"a ''": "a|", `a "" b`: "a||b", "a'b'c": "abc", "a b=c": "a|b=c", "x_./:@%+,-9Z": "x_./:@%+,-9Z", "": "", "A z 0": "A|z|0",
	} {
		if got, ok := plainWords(line); !ok || strings.Join(got, "|") != want {
			t.Errorf("%q: %q, %t", line, got, ok)
		}
	}
	for _, line := range []string{
		"a=b c", "a $x", `a "$x"`, "a `b`", "a \"`b`\"", `a "b\c"`, `a "b!"`, "a 'b", `a "b`, "a;b", "a|b", "a&b", "a>b", "a<b", "a*", "a?", "a[b", "a{b", "a}", "~/a", "#a", "a\tb", "a\nb", "a ä", `a\b`, "a!", "(a)", "a^b",
	} {
		if got, ok := plainWords(line); ok {
			t.Errorf("%q: %q", line, got)
		}
	}
}

// A word that rules or agents may carry into a line stays one word.
func TestQuoting(t *testing.T) {
	for w, want := range map[string]string{"a": "a", "a-b_c./D9": "a-b_c./D9", "": "''", "a b": "'a b'", "a'b": `'a'\''b'`, "$x": "'$x'", "a=b": "'a=b'"} {
		if got := quoteShell(w); got != want {
			t.Errorf("a shell gets %s for %q", got, w)
		}
	}
	for w, want := range map[string]string{
		"a": "a", "a=b$c": "a=b$c", "": "''", "a b": "'a b'", "a'b": `"a'b"`, `a'"\b`: `"a'\"\\b"`, "a*": "'a*'", "a|b": "'a|b'", "a;": "'a;'", "&": "'&'",
		"<": "'<'", ">": "'>'", "(": "'('", ")": "')'", "`": "'`'", `\`: `'\'`, `"`: `'"'`, "re:x": "'re:x'", "line:x": "'line:x'", "rex": "rex", "\t": "'\t'",
	} {
		if got := patterns.QuoteWord(w); got != want {
			t.Errorf("a pattern has %s for %q", got, w)
		}
	}
	if got := quote(strings.Repeat("ä", 121)); got != `"`+strings.Repeat("ä", 120)+`…"` {
		t.Errorf("a sentence has %s", got)
	}
	if got := quote(strings.Repeat("ä", 120)); got != `"`+strings.Repeat("ä", 120)+`"` {
		t.Errorf("a sentence has %s", got)
	}
	if got := patterns.EscapePath(`/a*?[]{},|\b`); got != `/a\*\?\[\]\{\}\,\|\\b` {
		t.Errorf("a glob has %s", got)
	}
	if got := patterns.EscapeText(`re:*|\a`); got != `\re:\*\|\\a` {
		t.Errorf("a text has %s", got)
	}
}

// Relative paths of a rule start in the project that it is for, not in that of the call.
func TestRelativePathsOfAScope(t *testing.T) {
	w := newWorld(t)
	scoped := func(d Verdict) Rule {
		return with(rule(d, "Write", "file_path", "src/*"), func(r *Rule) { r.Scope.Project = w.project })
	}
	w.place.Project = w.project + "/src"
	for _, d := range []Verdict{Allow, Deny} {
		if v := judge(t, set(t, scoped(d)), Prepare(w.question(t, "Write", map[string]any{"file_path": w.project + "/src/a.go"}))).Verdict; v != d {
			t.Errorf("%s: %s", d, v)
		}
	}
	if parts := patterns.SplitPath("/"); len(parts) != 0 {
		t.Errorf("the root has the parts %q", parts)
	}
}
