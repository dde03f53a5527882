package plain

import (
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for line, want := range map[string]string{
		"ls -la":                                   "word/text ls/word/text -la/op ;",
		"a=1 b= ls \"x y\" 'z'":                    "assign a/text 1/assign b/word/text ls/word/quoted x y/word/quoted z/op ;",
		`ls a\ b"c$d"e`:                            "word/text ls/word/text a/quoted  /text b/quoted c/quotedvalue d/text e/op ;",
		"ls|wc -l&&a;b&":                           "word/text ls/op |/word/text wc/word/text -l/op &&/word/text a/op ;/word/text b/op &",
		"a 2>&1 >f <g b":                           "word/text a/word/text b/op 2>&1/op >/word/text f/op </word/text g/op ;",
		"a $(b \"$(c)\") d":                        "word/text a/word/substitution/word/text b/word/quoted /substitution quoted/word/text c/op ;/op )/op ;/op )/word/text d/op ;",
		"for x in a *.b; do c $x\ndone\n# d":       "op for/op x/op in/word/text a/word/text *.b/op do/word/text c/word/value x/op ;/op done/op ;",
		"if a; then b; elif c; then d; else e; fi": "op if/word/text a/op ;/op then/word/text b/op ;/op elif/word/text c/op ;/op then/word/text d/op ;/op else/word/text e/op ;/op fi/op ;",
		"(a; { b; }) > c":                          "op (/word/text a/op ;/op {/word/text b/op ;/op }/op ;/op )/op >/word/text c/op ;",
		"! a || time b c":                          "op !/word/text a/op ||/op time/word/text b/word/text c/op ;",
		"cat <<'E' > f && a\nx $y\nE\nb":           "word/text cat/heredoc x $y\n/op >/word/text f/op &&/word/text a/op ;/word/text b/op ;",
		"a \"$(cat <<'E'\nit's\nE\n)\" b":          "word/text a/word/quoted /substitution quoted/word/text cat/heredoc it's\n/op ;/op )/word/text b/op ;",
		"docker run \\\n  -it x":                   "word/text docker/word/text run/word/text -it/word/text x/op ;",
		"git log HEAD~1 HEAD^ stash@{0} a#b":       "word/text git/word/text log/word/text HEAD~1/word/text HEAD^/word/text stash@{0}/word/text a#b/op ;",
		"printf ''":                                "word/text printf/word/quoted /op ;",
		"printf '%d %s' 1 2":                       "word/text printf/word/quoted %d %s/word/text 1/word/text 2/op ;",
		"COLUMNS=80 [ $? -eq 0 ]":                  "assign COLUMNS/text 80/word/text [/word/value ?/word/text -eq/word/text 0/word/text ]/op ;",
		"[ -n \"$a\" -a \"$b\" = c ]":              "word/text [/word/text -n/word/quoted /quotedvalue a/word/text -a/word/quoted /quotedvalue b/word/text =/word/text c/word/text ]/op ;",
		`find . \( -name '*.a' \) -exec b {} \;`:   "word/text find/word/text ./word/quoted (/word/text -name/word/quoted *.a/word/quoted )/word/text -exec/word/text b/word/text {}/word/quoted ;/op ;",
	} {
		got, why := Read(line)
		if text := strings.Join(got, "/"); text != want || why != "" {
			t.Errorf("%s: %s\n got %s\nwant %s", line, why, text, want)
		}
	}
}

// Each of these means something else in some shell, or is read by one of them alone.
func TestRefuses(t *testing.T) {
	for _, line := range strings.Split("`a`¦a `b`¦a $'b'¦a $\"b\"¦a ${b:-c}¦a ${b[1]}¦a $b[1]¦a $b:h¦a \"$b:h\"¦a $((1))¦((a))¦a <(b)¦a =b¦a b=~/c d:~¦a {b,c}¦"+
		"a {1..3}¦a }¦a 'b'#c¦a \"b\"#c¦a |& b¦a &> b¦a >& b¦a >&b¦a >| b¦a >! b¦a <> b¦a <<< b¦a <<-E\nE\n¦a <<E\n$b\nE\n¦a <<'E F'\nE F\n¦a <<'E'\nb¦"+
		"a &! b¦a &| b¦a(b)¦a () { b; }¦function a { b; }¦[[ a ]]¦case a in a) b;; esac¦eval a¦. a¦source a¦alias a=b¦trap a 0¦exec a¦'a' b¦\\a b¦\"a\"¦$a b¦"+
		"a$b c¦-a¦command export a=b¦builtin a¦declare a=b¦local a=b¦unset a¦read PATH¦read -p a b¦printf -v a b¦printf \"$a\"¦set -- a¦set a¦path=a¦argv=a b¦"+
		"for path in a; do b; done¦for PATH in a; do b; done¦for a; do b; done¦for ((;;)); do a; done¦select a in b; do c; done¦repeat 2 a¦a; ; b¦a &; b¦;a¦a;;b¦"+
		"10>a b¦a 10>b¦>a¦<a¦a >\n¦(a) b¦{a}¦{ a }¦a \\\n#b¦a\\\nb¦a \"b\\\nc\"¦a \\¦a\x01¦a\r¦time A=1 b¦time -p a¦a | time¦a | ! b¦coproc a¦$(a)¦$(< a)¦a $(b # c\n)¦"+
		"a $(cat <<'E'\nE)¦a 'b¦a \"b¦a $(b¦(a¦a)¦()¦$()¦a[b]=c d¦a+=b¦a=(b c)¦a *(b)¦a @(b)¦a !b¦!a¦if a; then fi¦while a; do b¦a $#¦a $1¦a $@¦a $$'b'¦export a=$b¦"+
		"export \"a=b\"¦export path=a¦a ~b¦a $¦a \"$|\"¦env trap a b¦timeout 5 eval a¦a <<'E' $(b)\nE¦a <<'E' \"b\nE\n\"¦"+
		"RANDOM=a=5 b¦COLUMNS=a b¦SECONDS='a=5'¦OPTIND=$a b¦HISTCMD=1$(a) b¦export RANDOM=a¦[ a=5 -eq 5 ]¦test a -eq 0¦test \"$a\" -gt 0¦[ 5 \"-eq\" a ]¦"+
		"[ 5 \\-lt a ]¦[ a $b c ]¦test -t a¦printf '%d' a=5¦printf \"%5.2f\" a¦printf %i a¦printf '%*s' a b¦printf \"a$b\" c", "¦") {
		if got, why := Read(line); why == "" || got != nil {
			t.Errorf("%q is plain: %q", line, got)
		}
	}
}

func TestDepthEnds(t *testing.T) {
	for _, s := range []string{"(", "( ", "{ ", "if ", "$(", "a $(", "a \"$(", "while ", "a;( "} {
		if _, why := Read(strings.Repeat(s, 50_000)); why == "" {
			t.Errorf("%q, many times, is plain", s)
		}
	}
}

// A line that is plain stays so, with the same words, behind another command.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"ls -la | wc", "a \"$(b 'c' $d)\" > e &", "for x in a; do b; done", "cat <<'E'\nx\nE\n", "if a; then b; fi", "{ a; } 2>&1", "printf '' a", "A=1 [ 1 -eq 2 ]", "test \"\" = a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		own, why := Read(line)
		if (why == "") != (len(own) > 0) {
			t.Fatalf("%q: %q with %q", line, own, why)
		}
		if why != "" {
			return
		}
		first, _ := Read("x")
		if more, why := Read("x;\n" + line); why != "" || !slices.Equal(more, append(first, own...)) {
			t.Errorf("%q reads otherwise behind another command: %q, %s", line, more, why)
		}
	})
}
