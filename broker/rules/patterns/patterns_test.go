package patterns

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTextPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no []string
	}{
		{"Bash", []string{"Bash"}, []string{"bash", "Bash2", "", "aBash"}},
		{"Edit|Write", []string{"Edit", "Write"}, []string{"EditWrite", "Edit|Write", "NotebookEdit"}},
		{"mcp__github__*", []string{"mcp__github__", "mcp__github__get_issue"}, []string{"mcp__gitlab__x", "mcp__github_"}},
		{"*", []string{"", "x", "a\nb"}, nil},
		{"a*b*c", []string{"abc", "axbyc", "abbc", "a*b*c"}, []string{"ab", "ac", "acb", "abcd"}},
		{"ab*ba", []string{"abba", "abxba"}, []string{"aba"}},
		{"a**c", []string{"ac", "abc"}, []string{"a"}},
		{`a\*`, []string{"a*"}, []string{"ab", `a\*`}},
		{`a\|b`, []string{"a|b"}, []string{"a", "b"}},
		{`\re:x`, []string{"re:x"}, []string{"x"}},
		{"re:a+|b", []string{"a", "aa", "b"}, []string{"", "ab", "ca", "aab"}},
		{"re:a.c", []string{"abc"}, []string{"a\nc", "abc\n"}},
	} {
		p, err := ParseText(tt.pattern, false)
		if err != nil {
			t.Fatalf("%s: %v", tt.pattern, err)
		}
		for _, s := range tt.yes {
			if !p.Match(s) {
				t.Errorf("%s does not match %q", tt.pattern, s)
			}
		}
		for _, s := range tt.no {
			if p.Match(s) {
				t.Errorf("%s matches %q", tt.pattern, s)
			}
		}
	}
	if p, _ := ParseText("re:a.c", true); !p.Match("a\nc") {
		t.Error("a newline hides a text from a deny rule")
	}
}

func TestCommandPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		argv    string // words between bars
		want    int
	}{
		{"npm run test", "npm|run|test", both},
		{"npm run test", "npm|run|test|x", none},
		{"npm run test", "npm|run", none},
		{"npm  run   test", "npm|run|test", both},
		{"git push *", "git|push", both},
		{"git push *", "git|push|origin|main", both},
		{"git push *", "git|pushx", none},
		{"git push*", "git|pushx", both},
		{"git push*", "git|push|x", none},
		{"git * main", "git|push|main", both},
		{"git * main", "git|main", none},
		{"git ** main", "git|main", both},
		{"git ** main", "git|a|b|main", both},
		{"git ** main", "git|a|main|b", none},
		{"git ** --force **", "git|push|--force|x", both},
		{"*", "ls", both},
		{"*", "./ls", lenient},
		{"**", "/bin/ls|-l", lenient},
		{"rm *", "/bin/rm|x", lenient},
		{"rm *", "./rm|x", lenient},
		{"rm *", "RM|x", lenient},
		{"rm *", "/bin/rmx|x", none},
		{"./gradlew test", "./gradlew|test", both},
		{"./gradlew test", "gradlew|test", none},
		{"./scripts/* -v", "./scripts/a|-v", both},
		{"./scripts/* -v", "./scripts/../../evil|-v", lenient},
		{"./scripts/* -v", "./scripts/x/y|-v", lenient},
		{"cat src/*", "cat|src/a", both},
		{"cat src/*", "cat|src/../../etc/passwd", lenient},
		{"cat src/..", "cat|src/..", both},
		{"npm test|npm run lint", "npm|test", both},
		{"npm test|npm run lint", "npm|run|lint", both},
		{"npm test|npm run lint", "npm|test|npm|run|lint", none},
		{"echo 'a b'", "echo|a b", both},
		{"echo 'a b'", "echo|a|b", none},
		{`echo "a \" *"`, `echo|a " *`, both},
		{`echo "*"`, "echo|x", none},
		{`echo \*`, "echo|*", both},
		{"re:go (build|vet) .*", "go|vet|./...", both},
		{"re:go (build|vet) .*", "go|run|./...", none},
		{"re:go .*", "go|vet|a\nb", lenient},
		{"re:.*", "./evil", lenient},
		{"re:go vet x", "go vet|x", lenient},
		{"line:go vet x", "go|vet|x", none},
	} {
		matchesOn(t, tt.pattern, tt.argv, tt.want)
	}
}

// The sides on which a pattern may match: rules that allow are strict, those that refuse lenient.
const strict, lenient, both, none = 1, 2, 3, 0

// matchesOn wants a pattern of a command to match the words of argv, cut at bars, on these sides only.
func matchesOn(t *testing.T, pattern, argv string, want int) {
	t.Helper()
	s := Speak(strings.Split(argv, "|"))
	for _, side := range []int{strict, lenient} {
		p, err := ParseCommand(pattern, side == lenient)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		got := p.MatchStrict(&s)
		if side == lenient {
			got = p.MatchLenient(&s)
		}
		if want := want&side != 0; got != want {
			t.Errorf("%s on %s, side %d: %t, want %t", pattern, argv, side, got, want)
		}
	}
}

func TestPatternsRefused(t *testing.T) {
	long := "re:" + strings.Repeat("a", MaxRE+1)
	for _, tt := range []struct{ kind, pattern, why string }{
		{"text", "a|", "empty alternative"},
		{"text", `a\`, "backslash"},
		{"text", "re:(", "wrong expression"},
		{"text", "re:", "nothing after"},
		{"text", long, "201 characters"},
		{"text", "re:(a{100}){100}", "wrong expression"},
		{"text", "re:" + strings.Repeat("a{300}", 3), "too large"},
		{"command", "npm test||x", "empty alternative"},
		{"command", "npm test && rm x", "outside of quotes"},
		{"command", "npm test > x", "outside of quotes"},
		{"command", "echo `id`", "outside of quotes"},
		{"command", "echo 'a", "not closed"},
		{"command", `echo "a`, "not closed"},
		{"command", `echo \`, "backslash"},
		{"command", "line:", "nothing after"},
		{"command", "re:[", "wrong expression"},
		{"path", "src/[", "no valid glob"},
		{"path", `src/a\`, "no valid glob"},
		{"path", "../x", `".."`},
		{"path", "src/./x", `"."`},
		{"path", "src//x", "empty part"},
		{"path", "~ana/x", "another user"},
		{"path", "a||b", "empty alternative"},
		{"path", strings.Repeat("{a,b}", 7), "choices"},
		{"path", strings.Repeat("{a}", 7), "more than 6 braces"},
		{"url", "ftp://x/", "scheme"},
		{"url", "https:///x*", "no host"},
		{"url", "user@host", "characters other"},
		{"url", "docs.rs:8080/**", "characters other"},
		{"url", "domain:docs.rs/x", "domain:"},
		{"url", "docs.rs/x?y=*", "beside wildcards"},
		{"url", "docs.rs/x#*", "beside wildcards"},
		{"url", "docs.rs/[", "no valid glob"},
		{"url", "docs.rs/a/../*", `".."`},
		{"url", "docs.rs|", "empty alternative"},
		{"url", `docs.rs\`, "backslash"},
		{"url", "https://.", "no host"},
		{"url", ".", "no host"},
		{"url", "re:(", "wrong expression"},
	} {
		for _, lenient := range []bool{false, true} {
			if err := parseKind(tt.kind, tt.pattern, lenient); err == nil || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%s %s: %v, want %q", tt.kind, tt.pattern, err, tt.why)
			}
		}
	}
}

// parseKind reads a pattern of any kind.
func parseKind(kind, pattern string, lenient bool) (err error) {
	switch kind {
	case "text":
		_, err = ParseText(pattern, lenient)
	case "command":
		_, err = ParseCommand(pattern, lenient)
	case "path":
		_, err = ParsePath(pattern, lenient)
	case "url":
		_, err = ParseURL(pattern, lenient)
	}
	return err
}

func TestPathPattern(t *testing.T) {
	const project, home = "/p/shop", "/home/ana"
	for _, tt := range []struct {
		pattern, path string
		strict, loose bool
	}{
		{"src/**", "/p/shop/src/a/b.go", true, true},
		{"src/**", "/p/shop/src", true, true},
		{"src/**", "/p/shop/SRC/a", false, true},
		{"src/**", "/p/shop/srcx/a", false, false},
		{"SRC/**", "/p/shop/src/a", false, true},
		{"SRC/A", "/p/shop/src/a", false, true},
		{"src/**", "/p/shop-evil/src/a", false, false},
		{"src/*", "/p/shop/src/a/b", false, false},
		{"./src/*", "/p/shop/src/a", true, true},
		{"src/", "/p/shop/src", true, true},
		{"**", "/p/shop/a", true, true},
		{"**", "/p/shop", true, true},
		{"**", "/etc/passwd", false, true},
		{".", "/p/shop", true, true},
		{"**/.env", "/p/shop/.env", true, true},
		{"**/.env", "/p/shop/a/b/.env", true, true},
		{"**/.env", "/other/.env", false, true},
		{"**/.env", "/p/shop/.envrc", false, false},
		{"**.go", "/p/shop/a.go", true, true},
		{"/etc/**", "/etc/ssh/x", true, true},
		{"/etc/**", "/etcx", false, false},
		{"/", "/", true, true},
		{"/**", "/x/y", true, true},
		{"~/.ssh/**", "/home/ana/.ssh/id", true, true},
		{"~", "/home/ana", true, true},
		{"~/.ssh/**", "/home/anax/.ssh/id", false, false},
		{"a|b/*", "/p/shop/b/x", true, true},
		{"a.{go,mod}", "/p/shop/a.mod", true, true},
		{`\[id\].ts`, "/p/shop/[id].ts", true, true},
		{`\[id\].ts`, "/p/shop/i.ts", false, false},
		{`re:/p/shop/.*\.go`, "/p/shop/x/a.go", true, true},
		{`re:/p/shop/.*\.go`, "/P/shop/x/a.GO", false, true},
		{`re:.*\.go`, "x/a.gox", false, false},
	} {
		strict, err := ParsePath(tt.pattern, false)
		if err != nil {
			t.Fatalf("%s: %v", tt.pattern, err)
		}
		if got := strict.Match(tt.path, project, home); got != tt.strict {
			t.Errorf("%s on %s: %t, want %t", tt.pattern, tt.path, got, tt.strict)
		}
		loose, err := ParsePath(tt.pattern, true)
		if err != nil {
			t.Fatalf("%s: %v", tt.pattern, err)
		}
		if got := loose.Match(strings.ToLower(tt.path), project, home); got != tt.loose {
			t.Errorf("lenient %s on %s: %t, want %t", tt.pattern, tt.path, got, tt.loose)
		}
		if strict.re == nil && (strict.Match(tt.path, "", "") || loose.Match(strings.ToLower(tt.path), "", "")) &&
			!strings.HasPrefix(tt.pattern, "/") && !strings.HasPrefix(tt.pattern, "**/") && tt.pattern != "**" {
			t.Errorf("%s on %s matches without project and home", tt.pattern, tt.path)
		}
	}
}

func TestURLPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, url  string
		strict, loose bool
	}{
		{"docs.rs", "https://docs.rs/serde", true, true},
		{"docs.rs", "http://docs.rs", true, true},
		{"docs.rs", "https://DOCS.rs/", true, true},
		{"docs.rs", "https://evil-docs.rs/", false, false},
		{"docs.rs", "https://docs.rs.evil.com/", false, false},
		{"docs.rs", "https://evil.com/docs.rs", false, false},
		{"docs.rs", "https://docs.rs@evil.com/", false, true},
		{"docs.rs", "https://evil.com@docs.rs/", false, true},
		{"docs.rs", `https://evil.com\@docs.rs/`, false, true},
		{"evil.com", `https://evil.com\@docs.rs/`, false, true},
		{"evil.com", `https:\\evil.com/x`, false, true},
		{"evil.com", "https:evil.com", false, true},
		{"docs.rs", "https://docs.rs:8443/", false, true},
		{"docs.rs", "https://docs.rs:443/", true, true},
		{"docs.rs", "https://docs.rs./", false, true},
		{"docs.rs", "https://docs.rs/\u00e4", false, true},
		{"docs.rs", `https://docs.rs/?a\b`, false, true},
		{"docs.rs", "ftp://docs.rs/", false, true},
		{"docs.rs", "docs.rs", false, true},
		{"https://docs.rs/**", "http://docs.rs/x", false, true},
		{"https://docs.rs/std/**", "https://docs.rs/std/x/y", true, true},
		{"https://docs.rs/std/**", "https://docs.rs/std/../evil", false, true},
		{"https://docs.rs/std/**", "https://docs.rs/std/%2e%2e/evil", false, true},
		{"docs.rs/evil", "https://docs.rs/std/%2e%2e/evil", false, true},
		{"docs.rs/*", "https://docs.rs/a/b", false, false},
		{"docs.rs/a/**", "https://docs.rs/a?x=1", true, true},
		{"*.github.com", "https://api.github.com/", true, true},
		{"*.github.com", "https://github.com/", false, false},
		{"*.github.com", "https://evilgithub.com/", false, false},
		{"domain:github.com", "https://api.github.com/", true, true},
		{"domain:github.com", "https://github.com/", true, true},
		{"domain:github.com", "https://evilgithub.com/", false, false},
		{"https://a.b/c?d=e", "https://a.b/c?d=e", true, true},
		{"https://a.b/c?d=e", "https://a.b/c?d=f", false, true},
		{"https://u@a.b:99/c", "https://u@a.b:99/c", true, true},
		{"re:https://docs\\.rs/.*", "https://docs.rs/x", true, true},
		{"re:https://docs\\.rs/.*", "https://docs.rs@evil.com/x", false, false},
		{"re:evil", "https://x/EVIL", false, true},
		{"a.b|docs.rs", "https://docs.rs/", true, true},
	} {
		a := ReadURL(tt.url)
		strict, err := ParseURL(tt.pattern, false)
		if err != nil {
			t.Fatalf("%s: %v", tt.pattern, err)
		}
		if got := strict.MatchStrict(&a); got != tt.strict {
			t.Errorf("%s on %s: %t, want %t", tt.pattern, tt.url, got, tt.strict)
		}
		loose, err := ParseURL(tt.pattern, true)
		if err != nil {
			t.Fatalf("%s: %v", tt.pattern, err)
		}
		if got := loose.MatchLenient(&a); got != tt.loose {
			t.Errorf("lenient %s on %s: %t, want %t", tt.pattern, tt.url, got, tt.loose)
		}
	}
}

// What is quoted for a pattern means itself and nothing else.
func TestEscapesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		argv := rapid.SliceOfN(rapid.StringMatching(`[a-c*|'"\\ ;{}\[\]?~$&:re/=,.-]{0,6}`), 1, 4).Draw(t, "argv")
		other := rapid.SliceOfN(rapid.StringMatching(`[a-c*|'"\\ ;{}\[\]?~$&:re/=,.-]{0,6}`), 1, 4).Draw(t, "other")
		p, err := ParseCommand(Quote(argv), false)
		if err != nil || !p.Exact {
			t.Fatalf("%q: %v, exact %t", Quote(argv), err, p != nil && p.Exact)
		}
		for _, words := range [][]string{argv, other} {
			want := strings.Join(words, "\x00") == strings.Join(argv, "\x00")
			if got := len(p.alts) == 1 && p.alts[0].same(words); got != want {
				t.Errorf("%s on %q: %t, want %t", Quote(argv), words, got, want)
			}
		}
		s, o := strings.Join(argv, " "), strings.Join(other, " ")
		if s == "" {
			return
		}
		x, err := ParseText(EscapeText(s), false)
		if err != nil || !x.Exact || !x.Match(s) || x.Match(o) != (s == o) {
			t.Errorf("text %s for %q: %v", EscapeText(s), s, err)
		}
		file, other2 := "/"+strings.Trim(strings.ReplaceAll(s, "/", "_"), "."), "/"+strings.Trim(strings.ReplaceAll(o, "/", "_"), ".")
		if file == "/" {
			return
		}
		g, err := ParsePath(EscapePath(file), false)
		if err != nil || !g.Exact || !g.Match(file, "", "") || g.Match(other2, "", "") != (file == other2) {
			t.Errorf("path %s for %q: %v", EscapePath(file), file, err)
		}
	})
}
