package patterns

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
		p, err := ParsePath(tt.pattern, true)
		if err != nil {
			t.Fatalf("%s: %v", tt.pattern, err)
		}
		if got := p.MayMeet(SplitPath(tt.wide), project, home); got != tt.want {
			t.Errorf("%s and %s: %t, want %t", tt.pattern, tt.wide, got, tt.want)
		}
	}
	p, err := ParsePath("src|~/x", true)
	if err != nil {
		t.Fatal(err)
	}
	if p.MayMeet([]string{"**"}, "", "") {
		t.Error("patterns that start nowhere meet something")
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
		if rest, ok := Within(tt.dir, tt.path); ok != tt.ok || ok && rest != tt.rest {
			t.Errorf("within(%q, %q) = %q, %t", tt.dir, tt.path, rest, ok)
		}
	}
}

// Every way in which somebody reads a URL counts against it, and only a plain one for it.
func TestPlainURLs(t *testing.T) {
	for _, raw := range []string{
		"https://a.b", "http://a.b/", "https://a.b:443/x", "http://a.b:80/x", "HTTPS://A.b/x?y=z#w", "https://a-b_c.d9/x%20y", "https://a.b/c.d/..e/f.",
	} {
		if a := ReadURL(raw); !a.Plain {
			t.Errorf("%s is not plain", raw)
		}
	}
	for _, raw := range []string{
		"ftp://a.b/", "https:a.b", "https:///x", "https://u@a.b/", "https://u:p@a.b/", "https://a.b:80/", "http://a.b:443/", "https://a.b:8443/", "http://a.b:8080/",
		"https://a.b:/", "https://a.b/ x", "https://a.b/\x01", "https://a.b/\x7f", "https://a.b/ä", `https://a.b/\x`, "https://a.b./", "https://.a.b/", "https://a..b/", "https://ä.b/",
		"https://[::1]/", "https://a%62.b/", "https://a.b/%2e%2e/x", "https://a.b/%2Fx", "https://a.b/%5cx", "https://a.b/%252e", "https://a.b//x", "https://a.b/x;y",
		"https://a.b/./x", "https://a.b/../x", "https://a.b/x/..", "https://a.b/x/.", "//a.b/x", "/x", "", "a.b", "https://a b/", "mailto:x@a.b", " https://a.b",
	} {
		if a := ReadURL(raw); a.Plain {
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
		a := ReadURL(raw)
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
		a := ReadURL(raw)
		for _, p := range strings.Fields(want) {
			if !slices.Contains(a.paths, p) {
				t.Errorf("%s: paths %q, want %s among them", raw, a.paths, p)
			}
		}
	}
}
