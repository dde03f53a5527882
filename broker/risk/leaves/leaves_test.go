package leaves

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/shell"
)

// What a search or an archive surely leaves out stands before the bar, and behind it what it
// may look at.
func TestWhatIsLeftOut(t *testing.T) {
	for line, files := range map[string]string{
		"grep -r x":                                     " | .env a/.env a.pem",
		"grep -r x --include=*.go":                      ".env a/.env a.pem | a.go .env.go b/a.go",
		"egrep -r x --include=*.go":                     ".env | a.go",
		"fgrep -r x --include=*.go":                     ".env | a.go",
		"ggrep -r x --include=*.go":                     ".env | a.go",
		"grep -r x --exclude=.env":                      ".env a/.env | .env/x .env2 a.pem",
		"grep -r x --exclude-dir=a":                     "a/.env b/a/.env | a b/a .env",
		"grep -r x --exclude-dir=a/":                    "a/.env | a .env",
		"grep -r x --exclude-dir=a//":                   "a/.env | a .env",
		"grep -r x --include=*.go --exclude=.env":       ".env a.pem | a.go",
		"grep -r x --exclude=.env --include=*.go":       ".env | a.go a.pem",
		"grep -r x --exclude=*.pem --include=a.*":       "b.pem | a.pem .env",
		"grep -r x --exclude-dir=a --include=*.go":      "a/.env .env | a.go",
		"grep -r x --include=*.go --include-dir=a":      " | .env a.pem",
		"grep -r x --include=*.go --unheard-of":         " | .env a.pem",
		"unheard-of --include=*.go":                     " | .env a.pem",
		"/usr/bin/../../tmp/rg x":                       " | .env",
		"cat --include=*.go a":                          " | .env a.pem",
		"rg x":                                          ".env a/.b/c.pem .b/c.pem | a.pem a/b.pem",
		"rg x -.":                                       " | .env",
		"rg x --hidden":                                 " | .env",
		"rg x -u":                                       " | .env",
		"rg x --unrestricted":                           " | .env",
		"rg x -z":                                       " | .env",
		"rg x --search-zip":                             " | .env",
		"rg x --pre=y":                                  " | .env",
		"rg x --ignore-file=y":                          " | .env",
		"rg x -. -g !a":                                 "a a/b b/a b/a/c | b aa",
		"rg x -. --glob=!a":                             "a a/b | b",
		"rg x -. --iglob=!a":                            "a a/b | b",
		"rg x -. -g !**/a":                              "a a/b b/a/c | b",
		"rg x -. -g !a/":                                "a/b b/a/c | a b/a",
		"rg x -. -g !**/a/":                             "a/b b/a/c | a b/a",
		"rg x -. -g !**/a/**":                           "a/b b/a/c | a b/a",
		"rg x -. -g !a/**":                              " | a a/b b/a/c",
		"rg x -g !a":                                    ".env | b.pem",
		"rg x -. -g *.go -g !a.go":                      "a.go .env | b.go",
		"rg x -. -g !a.go -g *.go":                      ".env | a.go b.go",
		"rg x -t go":                                    ".env a.pem | a.go",
		"rg x --type=go":                                ".env a.pem | a.go",
		"rg x -t tf":                                    " | .env a.pem",
		"rg x -t java":                                  ".env a.pem | a.java a.jsp a.jspx a.properties",
		"rg x -g !a.go -t go":                           "a.go .env | b.go",
		"rg x --iglob=!a.go -g a.go":                    "a.go .env | ",
		"rg x --type-add=go:*.env -t go":                " | .env a.pem",
		"rg x --type-clear=go -t go":                    " | .env a.pem",
		"ag x":                                          ".env a/.b/c | a.pem",
		"ag -u x":                                       " | .env",
		"ag --unrestricted x":                           " | .env",
		"ag --hidden x":                                 " | .env",
		"ag -a x":                                       " | .env",
		"ag --all-types x":                              " | .env",
		"ag -t x":                                       " | .env",
		"ag --all-text x":                               " | .env",
		"tar -cf x.tar --exclude=.env .":                ".env a/.env .env/x | a.pem",
		"gtar -cf x.tar --exclude=.env .":               ".env | a.pem",
		"bsdtar -cf x.tar --exclude=.env .":             ".env | a.pem",
		"tar -cf x.tar . --exclude=.env":                " | .env a.pem",
		"tar -cf x.tar --anchored --exclude=.env .":     " | .env",
		"tar -cf x.tar --no-wildcards --exclude=.env .": " | .env",
		"tar -cf x --no-wildcards-match-slash --exclude=.env .": " | .env",
		"rsync -a --exclude=.env . b":                           ".env a/.env .env/x | a.pem",
		"rsync -a . b --exclude=.env":                           ".env | a.pem",
		"rsync -a --include=x --exclude=.env . b":               " | .env",
		"rsync -a --include-from=x --exclude=.env . b":          " | .env",
		"rsync -a --filter=x --exclude=.env . b":                " | .env",
		"rsync -a -f x --exclude=.env . b":                      " | .env",
		"rsync -a -F --exclude=.env . b":                        " | .env",
		"zip -r a.zip . -x *.env":                               "a.env b/a.env b/.env | a.env/x a.pem",
		"zip -r a.zip . -x .env":                                " | .env",
		"zip -r a.zip . -x *.e?v":                               " | a.env",
		"find . -name *.go":                                     ".env a.pem | a.go b/a.go",
		"bfs . -name *.go":                                      ".env | a.go",
		"find . -iname *.go":                                    ".env | a.go",
		"find . -name *.go -exec cat -name .env":                ".env | a.go",
		"find . -exec cat -name *.go":                           " | .env a.go",
		"find -name *.go -exec cat":                             ".env | a.go",
		"find . -name":                                          " | .env",
		"find . -unheard-of -name *.go":                         " | .env",
		"find . ! -name *.go":                                   " | .env",
		"find . ( -name *.go )":                                 " | .env",
		"find . -not -name *.go":                                " | .env",
		"find . -name *.go -o -name a":                          " | .env",
		"find . -name *.go -or -name a":                         " | .env",
		"find . -name *.go , -name a":                           " | .env",
	} {
		out, in, _ := strings.Cut(files, "|")
		l := LeftOut(run(line))
		for file := range strings.FieldsSeq(out) {
			if !l.Out(file) {
				t.Errorf("%s may look at %s", line, file)
			}
		}
		for file := range strings.FieldsSeq(in) {
			if l.Out(file) {
				t.Errorf("%s leaves out %s", line, file)
			}
		}
	}
	for test := range strings.FieldsSeq("-empty -readable -executable -writable -daystart -depth -d -mount -xdev -x -a -and -true -H -P -E") {
		if l := LeftOut(run("find . " + test + " -name *.go")); !l.Out(".env") || l.Out("a.go") {
			t.Errorf("find %s: %+v", test, l)
		}
	}
	for test := range strings.FieldsSeq("-type -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -newer -path -ipath -wholename -regex -iregex -user -group -perm") {
		if l := LeftOut(run("find . " + test + " -name -name *.go")); !l.Out(".env") || l.Out("a.go") || l.Out("-name") && len(l.Picks) != 1 {
			t.Errorf("find %s: %+v", test, l)
		}
	}
	for act := range strings.FieldsSeq("-print -print0 -exec -execdir -ok -okdir -delete -ls") {
		if l := LeftOut(run("find . -name *.go " + act + " -name a")); !l.Out("b") || l.Out("a.go") || len(l.Picks) != 1 {
			t.Errorf("find %s: %+v", act, l)
		}
	}
	// The shell makes other words of a pattern.
	e := run("rg x -. -g !*.env -g !a -g *.go")
	e.Glob = true
	if l := LeftOut(e); len(l.Picks) != 2 || !l.Out("a") || !l.Out(".env") || l.Out("b.go") {
		t.Errorf("with a pattern for the shell: %+v", l)
	}
}

// Nothing needs a look when only sources are chosen.
func TestOnlySourcesAreChosen(t *testing.T) {
	for line, want := range map[string]bool{
		"rg x -g *.go": true, "rg x -t go": true, "rg x -g *.{go,py}": true, "rg x -g *.go -g !a": true, "rg x -g !.env -g *.go": true,
		"rg x": false, "rg x -g !a": false, "rg x -t tf": false, "rg x -t java": false, "rg x -g *.go -g *.env": false, "rg x -g *.{go,env}": false, "rg x -g *.g[o]": false, "rg x -g *": false, `rg x -g \*.go`: false,
	} {
		if got := LeftOut(run(line)).All(); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// One reading of a pattern is not enough to leave a file out, and is enough to look at it.
func TestPatternsThatChoose(t *testing.T) {
	for _, c := range []struct {
		p    Pick
		file string
		want bool
	}{
		{Pick{Pattern: "a"}, "a", true},
		{Pick{Pattern: "a"}, "b", false},
		{Pick{Pattern: "A"}, "a", false},
		{Pick{Pattern: "a*"}, "b/ab/c", true},
		{Pick{Pattern: "a?"}, "ab", true},
		{Pick{Pattern: ""}, "", false},
		{Pick{Pattern: "a[b"}, "a[b", false},
		{Pick{Pattern: "[b]"}, "b", false},
		{Pick{Pattern: "a]"}, "a]", false},
		{Pick{Pattern: "a{"}, "a{", false},
		{Pick{Pattern: "a}"}, "a}", false},
		{Pick{Pattern: `\a`}, "a", false},
		{Pick{Pattern: "!a"}, "!a", false},
		{Pick{Pattern: "#a"}, "#a", false},
		{Pick{Pattern: "a("}, "a(", false},
		{Pick{Pattern: "a)"}, "a)", false},
		{Pick{Pattern: "a|"}, "a|", false},
		{Pick{Pattern: "a b"}, "a b", false},
		{Pick{Pattern: "a\tb"}, "a\tb", false},
		{Pick{Pattern: "*/", Of: WholePath}, "a/", false},
		{Pick{Pattern: "a", Of: FileName}, "b/a", true},
		{Pick{Pattern: "a", Of: FileName}, "a/b", false},
		{Pick{Pattern: "a", Of: FolderNames}, "b/a/c", true},
		{Pick{Pattern: "a", Of: FolderNames}, "b/a", false},
		{Pick{Pattern: "*.env", Of: WholePath}, "b/a.env", true},
		{Pick{Pattern: "*.env", Of: WholePath}, "b/a.pem", false},
		{Pick{Pattern: "*.env", Of: WholePath}, "a.env/b", false},
		{Pick{Pattern: ".env", Of: WholePath}, ".env", false},
		{Pick{Pattern: "*.e*", Of: WholePath}, "a.e*", false},
	} {
		if got := c.p.surely(strings.Split(c.file, "/")); got != c.want {
			t.Errorf("%+v surely fits %s: %v", c.p, c.file, got)
		}
	}
	for pattern, files := range map[string]string{
		"a":           "a A b/a a/b | b",
		"A":           "a | b",
		"./a":         "a b/a | b",
		"/a":          "a | b",
		"a/":          "a/b | b",
		"a/b":         "a/b x/b b/c | a c",
		"a/**":        "a b c/d | ",
		"**":          "a | ",
		"a*b":         "ab a/x/b | ba",
		"*.{a,b}":     "x.a x.b | x.c",
		"{a,b}{c,d}":  "ac bd | ab cd",
		"a[b]":        "ab | b",
		"[ab]":        "a c | ",
		`a\b`:         "x | ",
		"!a":          "x | ",
		"#a":          "x | ",
		"a(b)":        "x | ",
		"a|b":         "x | ",
		"{a,{b,c}}":   "x | ",
		"{a":          "x | ",
		"a}":          "x | ",
		"":            "x | ",
		"{a,b[c]}":    "x | ",
		`{a,b\c}`:     "x | ",
		`\x{a,b}`:     "x | ",
		"{a}{b}{c}":   "abc | x",
		"{a}{b}{c}{d": "x | ",
	} {
		yes, no, _ := strings.Cut(files, "|")
		for file := range strings.FieldsSeq(yes) {
			if !(Pick{Pattern: pattern}).May(strings.Split(file, "/")) {
				t.Errorf("%s may fit %s", pattern, file)
			}
		}
		for file := range strings.FieldsSeq(no) {
			if (Pick{Pattern: pattern}).May(strings.Split(file, "/")) {
				t.Errorf("%s does not fit %s", pattern, file)
			}
		}
	}
	for pattern, want := range map[string]string{
		"a": "a", "{a,b}": "a b", "x{a,b}y": "xay xby", "{a,b}{c,d}": "ac ad bc bd", "{a,{b,c}}": "{a,{b,c}}", "a{b": "a{b", "a}b": "a}b", `\{a,b}`: `\{a,b}`, "{a,[b]}": "{a,[b]}", `{a,\b}`: `{a,\b}`, "{a}{b}{c}": "abc", "{a}{b}{c}{d}": "{a}{b}{c}{d}",
	} {
		if got := strings.Join(Braces(pattern), " "); got != want {
			t.Errorf("%s stands for %s", pattern, got)
		}
	}
}

// run is the element of a simple command. A part in single quotes is one word.
func run(line string) shell.Element {
	e := shell.Element{Kind: shell.Command, Text: line}
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			e.Argv = append(e.Argv, part)
			continue
		}
		e.Argv = append(e.Argv, strings.Fields(part)...)
	}
	return e
}
