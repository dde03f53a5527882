package pathtable

import (
	"strings"
	"testing"
)

// A name is compared as a whole however long it is, and a long pattern meets too much rather
// than too little.
func TestMeetOfLongNames(t *testing.T) {
	long := strings.Repeat("a", 300)
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{long, long, true},
		{long + "b", long + "c", false},
		{long + "b", "*b", true},
		{"?" + long + "b", "*b", true},
		{"ab", "ab*", true},
		{"xb", "a*b", false},
		{"ax", "a*b", false},
		{".netrc{,}", ".netrc", true},
		{".net{,rc}", ".netrc", true},
		{".net{rc}", ".netrc", false},
		{".netr[c]", ".netrc", true},
		{".netr[]", ".netrc", false},
	} {
		if Meet(c.a, c.b) != c.want || Meet(c.b, c.a) != c.want {
			t.Errorf("%.20q (%d bytes) and %.20q: want %t", c.a, len(c.a), c.b, c.want)
		}
	}
}

// No letter of either case is left as it is, and bytes that are no text are all alike.
func TestFold(t *testing.T) {
	for s, want := range map[string]string{"A": "a", "Z": "z", ".ENV": ".env", "z-1[": "z-1[", "\x80": "\ufffd", "\u00ad.env": ".env"} {
		if got := Fold(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

// A pattern is one wherever the name of a file is asked for, and a name never is, whatever
// stands in it.
func TestPatternsAndNames(t *testing.T) {
	table := New(Rows("any", ".netrc", "id_rsa*", "*.pem", "d/.env"))
	for _, c := range []struct {
		path    string
		pattern bool // as a shell expands it
		want    string
	}{
		{".net*", true, "any"},
		{".net*", false, ""},
		{"id_rs?", true, "any"},
		{"id_rs?", false, ""},
		{"id_rsa?", false, "any"},
		{".pe*", true, "any"},
		{"d/.en?", true, "any"},
		{"d/.en?", false, ""},
	} {
		f := Form{Names: Split(c.path), Root: true, Home: 2, Glob: c.pattern}
		if e, _ := table.FindForm(f); e.Why != c.want {
			t.Errorf("%s (a pattern: %t): %q, want %q", c.path, c.pattern, e.Why, c.want)
		}
	}
	for name, fits := range map[string]string{"a*b*": "axbx ab*", "a*b": "a*b ab"} {
		n := NameOf(name)
		for got := range strings.FieldsSeq("axbx ab* a*b ab * ?b [a]b {a,b}b") {
			if want := strings.Contains(" "+fits+" a*b ab ", " "+got+" "); n.Fits(got) != want {
				t.Errorf("%s fits %s: want %t", name, got, want)
			}
		}
	}
}

// What begins in the root is found there only, not below a folder that nobody knows, nor in the
// home folder of somebody else.
func TestWhereAPathBegins(t *testing.T) {
	table := New(Rows("root", "/etc/shadow"), Rows("home", "~/.zsh_history"))
	for _, f := range []Form{
		{Names: Split("etc/shadow"), Home: -1, Loose: true},
		{Names: Split("etc/shadow"), Home: 0},
		{Names: Split("x/etc/shadow"), Root: true, Home: -1},
		{Names: Split("x/.zsh_history"), Root: true, Home: 0},
		{Names: Split("x/etc/shado?"), Root: true, Home: -1, Glob: true},
		{Names: Split("x/.zsh_hist*"), Root: true, Home: 0, Glob: true},
	} {
		if e, ok := table.FindForm(f); ok {
			t.Errorf("%+v: %s", f, e.Why)
		}
	}
	for want, f := range map[string]Form{"root": {Names: Split("etc/shadow"), Root: true, Home: -1}, "home": {Names: Split("x/.zsh_history"), Home: -1, Loose: true}} {
		if e, _ := table.FindForm(f); e.Why != want {
			t.Errorf("%+v: %q, want %q", f, e.Why, want)
		}
	}
}

// Of several rows the first counts, but before those with wildcards one that names the file.
func TestWhichRowCounts(t *testing.T) {
	table := New(Rows("wild", "*.pem"), Rows("home", "~/b"), Rows("root", "/home/"), Rows("named", "id.pem"))
	for path, want := range map[string]string{"home/u/b": "home", "home/u/c": "root", "home/u/x.pem": "wild", "x.pem": "wild", "id.pem": "named", "id.pe?": "named", "x.pe?": "wild"} {
		f := Form{Names: Split(path), Root: true, Home: 2, Glob: HasGlob(path)}
		if e, _ := table.FindForm(f); e.Why != want {
			t.Errorf("%s: %q, want %q", path, e.Why, want)
		}
	}
}

// A folder holds what begins with all of its names.
func TestSamePrefix(t *testing.T) {
	for _, c := range []struct {
		folder, path string
		want         bool
	}{{"a/b", "a/b/c", true}, {"a/b", "a/b", true}, {"a/b", "a", false}, {"a/b", "a/c/b", false}, {"a/b", "x/b", false}, {"", "a", true}, {"a", "ab", false}} {
		if SamePrefix(Split(c.folder), Split(c.path)) != c.want {
			t.Errorf("%s holds %s: want %t", c.folder, c.path, c.want)
		}
	}
}
