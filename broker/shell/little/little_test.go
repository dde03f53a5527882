package little

import (
	"strings"
	"testing"
)

// A program of sed as this package reads it: what it runs and opens, and behind it what it is
// not certain of.
func sedSays(text string) string {
	acts, ok := Sed(text)
	var said []string
	for _, a := range acts {
		switch {
		case a.Runs != "":
			said = append(said, a.Runs)
		case a.Write:
			said = append(said, "w "+a.Path)
		default:
			said = append(said, "r "+a.Path)
		}
	}
	if !ok {
		said = append(said, "?")
	}
	return strings.Join(said, ", ")
}

// twice is what both readings say.
func twice(said string) string { return said + ", " + said }

func TestSed(t *testing.T) {
	const runs, flag = "sed's command e", "sed's flag e"
	for text, want := range map[string]string{
		"":                            "",
		"p":                           "",
		" \t\n;}p":                    "",
		"1,$!p;2~3 \tp":               "",
		"/x/IMp":                      "",
		`\,x,p`:                       "",
		`\`:                           "?",
		"1":                           "?", // an address without a command
		"{p;d}":                       "",
		"=;d;D;g;G;h;H;n;N;P;p;x;z;F": "",
		"p q":                         "?", // nothing may follow a command
		"p \t#e":                      "",
		"p}e rm x":                    twice(runs),
		"#e\ne rm x":                  twice(runs),
		":a\nta;ba;Ta;e":              twice(runs),
		":a b\ne":                     runs + ", ?",
		"b\te":                        "", // the label e
		"b a;e rm x":                  twice(runs),
		"b a}e rm x":                  twice(runs),
		"b a\te":                      "?",
		"a\\\ne rm x":                 "",
		"a text\ne rm x":              twice(runs),
		"i text\\\ne x\np":            "",
		"c e":                         "",
		"l 5;L;q 5;Q\te":              "?",
		"q 5;e rm x":                  twice(runs),
		"r /etc/passwd":               twice("r /etc/passwd"),
		"R \t/x y;p":                  twice("r /x y;p"),
		"w /x\np":                     twice("w /x"),
		"W  /x":                       twice("w /x"),
		"e":                           twice(runs),
		"1e rm x":                     twice(runs),
		"m":                           "?", // of another version, perhaps
		"Z":                           "?",
		"&":                           "?",
		"y/abc/def/;e":                twice(runs),
		`y/a\/b/c\/d/;e`:              twice(runs),
		"y/abc/def/e":                 "?", // y has no flags
		"y":                           "?",
		"y/a/b":                       "?",
		"s":                           "?",
		"s/a/b":                       "?",
		"s/a/b/":                      "",
		"s/a/b/gpIiMm7":               "",
		"s/a/b/e":                     twice(flag),
		"s/a/b/ge":                    twice(flag),
		"s/a/b/2w /x":                 twice("w /x"),
		"s/a/b/w /x\ne":               twice("w /x, " + runs),
		"s/a/b/;e":                    twice(runs),
		"s/a/b/ e":                    "?",
		`s/a\/b/c/e`:                  twice(flag),
		`s,a,b\,c,e`:                  twice(flag),
		"s\na\nb\ne":                  "?",
		`s\a\b\e`:                     "?",
		"s;a;b;e":                     "?",
		"s[a[b[e":                     "?",
		"s]a]b]e":                     "?",
		"s\u00e9a\u00e9b\u00e9e":      "?",
		"s\x80a\x80b\x80e":            "?",
		"s\x80a\x80b\x80p":            "?",
		"/\\":                         "?",
		"/x":                          "?",
		"9e":                          twice(runs),
		"p;e":                         twice(runs),
		"/[/]/e":                      runs,
		"m;e":                         "?",
		"y;a;b;p":                     "?",
		"s;a;b;p":                     "?",
		"s\na\nb\np":                  "?",
		`s\a\b\p`:                     "?",
		"s[a[b[p":                     "?",
		"s]a]b]p":                     "?",
		"s/[a/x/":                     "",
		"s/[:a]/x/e":                  twice(flag),
		"s/[a[]/x/e":                  twice(flag),
		"s/[a[:]/x/e":                 flag,
		"s/[a[/x/e":                   flag,
		"s/x[a]/y/e":                  twice(flag),
		"s/[a][/]/y/e":                flag,
		"s/a/b/w":                     twice("w "),
		"s/a/b/}e":                    twice(runs),
		"{p}":                         "",
		"}p":                          "",
		"p;}p":                        "",
		"s/[/]/x/;Z":                  "?",
		"s/[/x/;Z;/]/y/":              "?",

		// One reading has the delimiter end the expression, the other not.
		"s/[/]/x/e":          flag,
		"s/[^/]/x/e":         flag,
		"s/[]/]/x/e":         flag,
		"s/[^]/]/x/e":        flag,
		"s/[[:alpha:]/]/x/e": flag,
		"s/[[.-.]/]/x/e":     flag,
		"s/[[=a=]/]/x/e":     flag,
		"s/[[x]/]/x/e":       "?",
		"s/[[:alpha/x/e":     flag,
		"s/[a/x/e":           flag,
		"s/[a]/x/e":          twice(flag),
		"s/[[:a:]]/x/e":      twice(flag),
	} {
		if got := sedSays(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAwk(t *testing.T) {
	const programs, files, text = "runs programs", "writes files", "has a text without an end"
	const expression, unread, other = "has a regular expression that aoctl cannot read", "is one that aoctl cannot read", "may run programs or read other files"
	for program, want := range map[string]string{
		"":                            "",
		"{print $1}":                  "",
		`BEGIN { system("id") }`:      other,
		`"id" | getline`:              other,
		"@load \"x\"":                 other,
		"{ARGV[1]=0}":                 other,
		"{SYMTAB[0]}":                 other,
		"{print ENVIRON[0]}":          other,
		`{print | "sh"}`:              programs,
		`{print "a" "b"|"sh"}`:        programs,
		`{print("a") | "sh"}`:         programs,
		`$1 || $2`:                    "",
		"$1 > 2":                      "",
		"$1 >= 2 {print}":             "",
		`{print > "x"}`:               files,
		`{printf "%s", $1 >> "x"}`:    files,
		`{print($1 > 2)}`:             "",
		`{print ($1) > "x"}`:          files,
		`{print$1 > "x"}`:             files,
		`{printf$NF > "x"}`:           files,
		`{print.5 > "x"}`:             files,
		`1print 2 > "x"`:              files,
		`{print5 > "x"}`:              "",
		`{xprint > "x"}`:              "",
		`{print0 > "x"}`:              "",
		`{print9 > "x"}`:              "",
		`(print > "x")`:               files,
		`{print a[$1 > 2]}`:           "",
		`{print $1 >= 2}`:             "",
		`{print; x = $1 > 2}`:         "",
		`{print}$1 > 2`:               "",
		"{print\n> \"x\"}":            files,
		`{x = $1 > 2; print}`:         "",
		`{print > "/dev/stderr"}`:     "",
		`{print >"/dev/stdout"; x}`:   "",
		"{print > \"/dev/stderr\"\n}": "",
		`{print > "/dev/stderr" }`:    "",
		`{print > "/dev/stderr" "x"}`: files,
		`{print > "/dev/stdout" 1}`:   files,
		`{print > "/dev/stdin"}`:      files,
		`{print ">" "|"}`:             "",
		`{print "\">" }`:              "",
		`{print "a > }`:               text,
		"{print \"a\n>\"}":            text,
		`{print "a\"|"}`:              "",
		"{print} # | sh":              "",
		"# x\n{print | \"sh\"}":       programs,
		`\x| "sh"`:                    unread,
		`\| x`:                        unread,

		// A slash behind a value divides, elsewhere it begins an expression.
		`/|/ {print}`:                            "",
		`/\/|/ {print}`:                          "",
		`/[/]|/`:                                 expression,
		`/|`:                                     expression,
		"/|\n/":                                  expression,
		`$1 / 2 | "sh"`:                          programs,
		`x / 2 | "sh" / 2`:                       programs,
		`x_ / 2 | "sh" / 2`:                      programs,
		`X / 2 | "sh" / 2`:                       programs,
		`_ / 2 | "sh" / 2`:                       programs,
		`9 / 2 | "sh" / 2`:                       programs,
		`0 / 2 | "sh" / 2`:                       programs,
		`. / 2 | "sh" / 2`:                       programs,
		`1.5 / 2 | "sh" / 2`:                     programs,
		`a / 2 | "sh" / 2`:                       programs,
		`z / 2 | "sh" / 2`:                       programs,
		`A / 2 | "sh" / 2`:                       programs,
		`Z / 2 | "sh" / 2`:                       programs,
		`x0 / 2 | "sh" / 2`:                      programs,
		`x9 / 2 | "sh" / 2`:                      programs,
		"\x80 / 2 | \"sh\" / 2":                  programs,
		`x / /|/`:                                "",
		`print9 /|/`:                             programs,
		`"a" / 2 | "sh" / 2`:                     programs,
		"\u00e9 / 2 | \"sh\" / 2":                programs,
		`a[1] / 2 | "sh" / 2`:                    programs,
		`print /|/`:                              "",
		`return /|/`:                             "",
		`x ~ /|/`:                                "",
		`!/|/`:                                   "",
		`(/|/)`:                                  "",
		`$ /|/`:                                  "",
		`x /|/ / 2 | "sh"`:                       programs,
		`/a/ / 2 | "sh" / 2`:                     programs,
		`(x) /|/`:                                unread,
		`x++ /|/`:                                unread,
		`x-- /|/`:                                unread,
		`x + /|/`:                                "",
		`x - /|/`:                                "",
		"x\t/ 2\t| \"sh\" / 2":                   programs,
		"x\r/ 2 | \"sh\" / 2":                    programs,
		"if (x) y = /|/":                         "",
		`for (i in x) print i > "x"`:             files,
		`{print$1 > "f"}`:                        files,
		`{print.5 > "f"}`:                        files,
		`{printf$1 > "f"}`:                       files,
		`{print1 > "f"}`:                         "",
		`{print $1 $2 > 1}`:                      files,
		"function f() { return /a|b/ }":          "",
		"{print /a>b/}":                          "",
		"{if ($ /a|b/) x = 1}":                   "",
		"{print 1; x = $1 > 2}":                  "",
		"{print 1} $1 > 2":                       "",
		"/a/ || /b|c/":                           "",
		"{print 1 \\\n| \"sh\"}":                 programs,
		"{print a |& b}":                         programs,
		`{print > "/dev/stdout"}`:                "",
		`{print > "/dev/stderr"; x = 1}`:         "",
		"{print > \"/dev/stderr\"\nx = 1}":       "",
		`{print > "/dev/stdout" x}`:              files,
		`{print > "/dev/stdout2"}`:               files,
		"{x = \"a\n\" || 1}":                     text,
		"1 || /a\nb/":                            expression,
		"{print 1 # > \"f\"\n}":                  "",
		"{print 1 # a\n > \"f\"}":                files,
		"{print 1 +\n2 > \"f\"}":                 files,
		`{x = "\" || "; print "id" | "sh"; "\""`: programs,
	} {
		if got := Awk(program); got != want {
			t.Errorf("%q: %q, want %q", program, got, want)
		}
	}
}

// The value of X stands before a division here: read as a regular expression, what follows
// would hide a pipe.
func TestAwkDivides(t *testing.T) {
	for _, value := range []string{
		"a", "z", "A", "Z", "_", "a0", "0", "9", "1.", ".5", "1.5", "é", "\x80", "$1", "$NF", "$.5", `"a"`, "/a/", "a[1]",
		"a\t", "a\r", "a\f", "a\v", "a \\\n", "a\\ \t\n", "a\\\r\n",
	} {
		if got := Awk("{x = " + value + ` / 2; print "id" | "sh"; y = 1 / 2}`); got != "runs programs" {
			t.Errorf("%q: %q", value, got)
		}
	}
}

// Behind a closing parenthesis or a doubled sign a slash may be either, and behind a backslash
// nothing but the end of the line is understood.
func TestAwkDoubts(t *testing.T) {
	for _, text := range []string{
		`{x = (1) / 2; print "id" | "sh"; y = 1 / 2}`,
		`{x = i++ / 2; print "id" | "sh"; y = 1 / 2}`,
		`{x = i-- / 2; print "id" | "sh"; y = 1 / 2}`,
		`{x = 1 \a || 2}`,
		"{x = 1 || 2 \\",
	} {
		if got := Awk(text); got != "is one that aoctl cannot read" {
			t.Errorf("%q: %q", text, got)
		}
	}
}
