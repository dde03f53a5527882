package rules

import (
	"slices"
	"strings"
	"testing"
)

// What a wildcard or a folder on a command line may reach is compared with the globs of
// refusing rules. A yes too many asks once more, a no too many lets a file be reached.
func TestGlobsMeet(t *testing.T) {
	const project, home = "/p/shop", "/home/ana"
	deep := strings.Repeat("a/", maxParts)
	for _, tt := range []struct {
		pattern, wide string
		want          bool
	}{
		{"src/a.go", "/p/shop/src/a.go", true},
		{"src/a.go", "/p/shop/src/b.go", false},
		{"src/a.go", "/p/shop/src", false},
		{"src/a.go", "/p/shop/src/a.go/x", false},
		{"src/a.go", "/p/shop/src/*", true},
		{"src/a.go", "/p/shop/src/*/a.go", false},
		{"src/a.go", "/p/shop/*/a.go", true},
		{"src/a.go", "/p/*/src/a.go", true},
		{"src/a.go", "/p/shop/src/*.md", false},
		{"src/a.go", "/p/shop/src/b*", false},
		{"src/a.go", "/p/shop/src/a*o", true},
		{"src/a.go", "/p/shop/src/?.go", true},
		{"src/a.go", "/p/shop/src/[ab].go", true},
		{"src/a.go", "/p/shop/src/{a,b}.go", true},
		{"src/a.go", "/p/shop/**", true},
		{"src/a.go", "/**", true},
		{"src/a.go", "**", true},
		{"src/a.go", "**/a.go", true},
		{"src/a.go", "**/b.go", false},
		{"src/a.go", "/p/shop/**/a.go", true},
		{"src/a.go", "/p/shop/src/**/a.go", true},
		{"src/a.go", "/p/shop/src/a.go/**", true},
		{"src/a.go", "/p/shop/lib/**", false},
		{"src/a.go", "/q/**", false},
		{"src/a.go", "/p/sho/*/a.go", false},
		{"src/*.go", "/p/shop/src/*.md", false},
		{"src/*.go", "/p/shop/src/a*", true},
		{"src/a*", "/p/shop/src/b*", false},
		{"src/[ab].go", "/p/shop/src/*.go", true},
		{"src/[ab].go", "/p/shop/src/c*", true}, // not compared any closer
		{"src/**", "/p/shop/src/x/*", true},
		{"src/**", "/p/shop/src", true},
		{"src/**", "/p/shop/lib/*", false},
		{"src/**/b", "/p/shop/src/x/y/*", true},
		{"src/**/b", "/p/shop/src/x/y/*c", false},
		{"src/**/b", "/p/shop/src/b", true},
		{"src", "/p/shop/*", true},
		{"src", "/p/shop", false},
		{".", "/p/shop/**", true},
		{"~/.ssh/id", "/home/ana/.ssh/*", true},
		{"~/.ssh/id", "/home/eve/.ssh/*", false},
		{"~/.ssh/id", "/home/*/.ssh/*", true},
		{"/etc/x", "/etc/*", true},
		{"/etc/x", "/p/shop/etc/*", false},
		{"**/.env", "/p/shop/*", true},
		{"**/.env", "/other/.e*", true},
		{"**/.env", "/other/x*", false},
		{"a|b", "/p/shop/b*", true},
		{"a|b", "/p/shop/c*", false},
		{"re:x", "/p/shop/b*", true},
		{`a\[b`, `/p/shop/a\[b`, true},
		{`a\[b`, `/p/shop/a\[c`, true}, // not compared any closer
		{`a\[b`, `/p/shop/a*b`, true},
		{"x", "/p/shop/" + deep + "b", true}, // too deep to be compared
		{"x", "/p/shop/" + strings.TrimSuffix(deep[:len(deep)-4], "/"), false},
	} {
		p, err := parsePath(tt.pattern, true)
		if err != nil {
			t.Fatalf("%s: %v", tt.pattern, err)
		}
		if got := p.mayMeet(splitPath(tt.wide), project, home); got != tt.want {
			t.Errorf("%s and %s: %t, want %t", tt.pattern, tt.wide, got, tt.want)
		}
	}
	p, err := parsePath("src|~/x", true)
	if err != nil {
		t.Fatal(err)
	}
	if p.mayMeet([]string{"**"}, "", "") {
		t.Error("patterns that start nowhere meet something")
	}
}

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
		{rule(Defer, "Read", "file_path", "secrets/**"), "cat sec*/key", Defer, "put off"},
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
		{rule(Deny, "Read", "file_path", "lib/src/key"), "cat src/key", Allow, ""},     // its folder is known
		{rule(Deny, "Bash", "command", "pages **"), "cat {src,pages}", Deny, "denied"}, // what a shell may read otherwise
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

// A path outside of every reading is none, and one at the root is below it.
func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		dir, path, rest string
		ok              bool
	}{
		{"/a", "/a", "", true},
		{"/a", "/a/b", "b", true},
		{"/a", "/ab", "", false},
		{"/a", "/b/a", "", false},
		{"/a/b", "/a", "", false},
		{"/", "/", "", true},
		{"/", "/a/b", "a/b", true},
		{"/", "a", "", false},
		{"", "/a", "", false},
		{"/a", "", "", false},
		{"", "", "", false},
		{"/a", "/c/b", "", false},
		{"/ab", "/a/b", "", false},
	} {
		if rest, ok := within(tt.dir, tt.path); ok != tt.ok || ok && rest != tt.rest {
			t.Errorf("within(%q, %q) = %q, %t", tt.dir, tt.path, rest, ok)
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
		if got := quotePattern(w); got != want {
			t.Errorf("a pattern has %s for %q", got, w)
		}
	}
	if got := quote(strings.Repeat("ä", 121)); got != `"`+strings.Repeat("ä", 120)+`…"` {
		t.Errorf("a sentence has %s", got)
	}
	if got := quote(strings.Repeat("ä", 120)); got != `"`+strings.Repeat("ä", 120)+`"` {
		t.Errorf("a sentence has %s", got)
	}
	if got := escapePath(`/a*?[]{},|\b`); got != `/a\*\?\[\]\{\}\,\|\\b` {
		t.Errorf("a glob has %s", got)
	}
	if got := escapeText(`re:*|\a`); got != `\re:\*\|\\a` {
		t.Errorf("a text has %s", got)
	}
}

// Every way in which somebody reads a URL counts against it, and only a plain one for it.
func TestPlainURLs(t *testing.T) {
	for _, raw := range []string{
		"https://a.b", "http://a.b/", "https://a.b:443/x", "http://a.b:80/x", "HTTPS://A.b/x?y=z#w", "https://a-b_c.d9/x%20y", "https://a.b/c.d/..e/f.",
	} {
		if a := readURL(raw); !a.plain {
			t.Errorf("%s is not plain", raw)
		}
	}
	for _, raw := range []string{
		"ftp://a.b/", "https:a.b", "https:///x", "https://u@a.b/", "https://u:p@a.b/", "https://a.b:80/", "http://a.b:443/", "https://a.b:8443/", "http://a.b:8080/",
		"https://a.b:/", "https://a.b/ x", "https://a.b/\x01", "https://a.b/\x7f", "https://a.b/ä", `https://a.b/\x`, "https://a.b./", "https://.a.b/", "https://a..b/", "https://ä.b/",
		"https://[::1]/", "https://a%62.b/", "https://a.b/%2e%2e/x", "https://a.b/%2Fx", "https://a.b/%5cx", "https://a.b/%252e", "https://a.b//x", "https://a.b/x;y",
		"https://a.b/./x", "https://a.b/../x", "https://a.b/x/..", "https://a.b/x/.", "//a.b/x", "/x", "", "a.b", "https://a b/", "mailto:x@a.b", " https://a.b",
	} {
		if a := readURL(raw); a.plain {
			t.Errorf("%q is plain", raw)
		}
	}
	for raw, want := range map[string]string{
		"https://u@a.b:1/c":     "u a.b 1 a.b",
		`https:\\a.b\c`:         "a.b c",
		"https:a.b/c":           "https a.b",
		"https:/a.b/c":          "a.b a.b",
		"https://a.b?c.d/e":     "a.b a.b",
		"https://a.b#c.d/e":     "a.b a.b",
		" https://A.B/c":        "a.b",
		"a.b/c":                 "a.b",
		"https://a.b./c":        "a.b. a.b",
		"https://\u00e4.b/x.y/": "",
	} {
		a := readURL(raw)
		for _, h := range strings.Fields(want) {
			if !slices.Contains(a.hosts, h) {
				t.Errorf("%s: hosts %q, want %s among them", raw, a.hosts, h)
			}
		}
	}
	for raw, want := range map[string]string{
		"https://a.b/c/d":            "c/d",
		"https://a.b/c/../d":         "c/../d d",
		"https://a.b/c/%2e%2e/d":     "c/%2e%2e/d d",
		"https://a.b:99/c%2Fd?e#f":   "c%2Fd c/d",
		`https://u@a.b\c\..\d`:       "c/../d d",
		"https://u@a.b/c?d/e":        "c",
		"https://u@a.b/c#d/e":        "c",
		"https://a b/c/%2e./d":       "c/%2e./d d",
		"https://a b/c/./%zz":        "c/./%zz c/%zz",
		"a.b/c/../d":                 "d",
		"https://a.b:x/c/../d?e?f#g": "c/../d d",
	} {
		a := readURL(raw)
		for _, p := range strings.Fields(want) {
			if !slices.Contains(a.paths, p) {
				t.Errorf("%s: paths %q, want %s among them", raw, a.paths, p)
			}
		}
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
	if parts := splitPath("/"); len(parts) != 0 {
		t.Errorf("the root has the parts %q", parts)
	}
}
