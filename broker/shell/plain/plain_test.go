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
		"a é 'à Å'":                                "word/text a/word/text é/word/quoted à Å/op ;",
		"printf ''":                                "word/text printf/word/quoted /op ;",
		"printf '%d %s' 1 2":                       "word/text printf/word/quoted %d %s/word/text 1/word/text 2/op ;",
		"COLUMNS=80 [ $? -eq 0 ]":                  "assign COLUMNS/text 80/word/text [/word/value ?/word/text -eq/word/text 0/word/text ]/op ;",
		"[ -n \"$a\" -a \"$b\" = c ]":              "word/text [/word/text -n/word/quoted /quotedvalue a/word/text -a/word/quoted /quotedvalue b/word/text =/word/text c/word/text ]/op ;",
		`find . \( -name '*.a' \) -exec b {} \;`:   "word/text find/word/text ./word/quoted (/word/text -name/word/quoted *.a/word/quoted )/word/text -exec/word/text b/word/text {}/word/quoted ;/op ;",
		"A=1":                                      "assign A/text 1/op ;",
		"A=1; B=2 && c":                            "assign A/text 1/op ;/assign B/text 2/op &&/word/text c/op ;",
		"A=b c":                                    "assign A/text b/word/text c/op ;",
		"a 2>&1;b":                                 "word/text a/op 2>&1/op ;/word/text b/op ;",
		"a 2>&-":                                   "word/text a/op 2>&-/op ;",
		"a >> b":                                   "word/text a/op >>/word/text b/op ;",
		"a b>c":                                    "word/text a/word/text b/op >/word/text c/op ;",
		"a 1":                                      "word/text a/word/text 1/op ;",
		"cat << 'END'\n$x\nEND\nb":                 "word/text cat/heredoc $x\n/op ;/word/text b/op ;",
		"cat <<\"E\"\nx\nE":                        "word/text cat/heredoc x\n/op ;",
		"cat <<E\nplain\nE":                        "word/text cat/heredoc plain\n/op ;",
		"(cat) <<'E'\nx\nE":                        "op (/word/text cat/op ;/op )/heredoc x\n/op ;",
		"{ a | cat; } <<'E'\nx\nE\n":               "op {/word/text a/op |/word/text cat/op ;/op }/heredoc x\n/op ;",
		"a&b":                                      "word/text a/op &/word/text b/op ;",
		"a # b\nc":                                 "word/text a/op ;/word/text c/op ;",
		"a\tb\t\\\n c":                             "word/text a/word/text b/word/text c/op ;",
		"!\ta":                                     "op !/word/text a/op ;",
		"!  a":                                     "op !/word/text a/op ;",
		"! (a)":                                    "op !/op (/word/text a/op ;/op )/op ;",
		"! { a; }":                                 "op !/op {/word/text a/op ;/op }/op ;",
		"a |\n b":                                  "word/text a/op |/word/text b/op ;",
		"a | # c\n b":                              "word/text a/op |/word/text b/op ;",
		"while a; do b; done":                      "op while/word/text a/op ;/op do/word/text b/op ;/op done/op ;",
		"until a; do b; done>c":                    "op until/word/text a/op ;/op do/word/text b/op ;/op done/op >/word/text c/op ;",
		"while a\ndo b\ndone < c":                  "op while/word/text a/op ;/op do/word/text b/op ;/op done/op </word/text c/op ;",
		"if a; then b; fi>c":                       "op if/word/text a/op ;/op then/word/text b/op ;/op fi/op >/word/text c/op ;",
		"(for x in a; do b; done)":                 "op (/op for/op x/op in/word/text a/op do/word/text b/op ;/op done/op ;/op )/op ;",
		"for x in a b\ndo c; done<d":               "op for/op x/op in/word/text a/word/text b/op do/word/text c/op ;/op done/op </word/text d/op ;",
		"for a_b in c;do d; done":                  "op for/op a_b/op in/word/text c/op do/word/text d/op ;/op done/op ;",
		"{ a; }>b":                                 "op {/word/text a/op ;/op }/op >/word/text b/op ;",
		"(if a; then b; fi)":                       "op (/op if/word/text a/op ;/op then/word/text b/op ;/op fi/op ;/op )/op ;",
		"a $(b) # c\nd $(e)\n# f":                  "word/text a/word/substitution/word/text b/op ;/op )/op ;/word/text d/word/substitution/word/text e/op ;/op )/op ;",
		"a eval b":                                 "word/text a/word/text eval/word/text b/op ;",
		"command -v a":                             "word/text command/word/text -v/word/text a/op ;",
		"command -V a":                             "word/text command/word/text -V/word/text a/op ;",
		"command ls -l":                            "word/text command/word/text ls/word/text -l/op ;",
		"read -r x y":                              "word/text read/word/text -r/word/text x/word/text y/op ;",
		"read -r a_b":                              "word/text read/word/text -r/word/text a_b/op ;",
		"set -e":                                   "word/text set/word/text -e/op ;",
		"set":                                      "word/text set/op ;",
		"set -euxo pipefail":                       "word/text set/word/text -euxo/word/text pipefail/op ;",
		"wait":                                     "word/text wait/op ;",
		"wait $!":                                  "word/text wait/word/value !/op ;",
		"wait %1 23":                               "word/text wait/word/text %1/word/text 23/op ;",
		"printf \"a$b\"":                           "word/text printf/word/quoted a/quotedvalue b/op ;",
		"printf 'a%' 1":                            "word/text printf/word/quoted a%/word/text 1/op ;",
		"printf '%5s %-3c %b' a b c":               "word/text printf/word/quoted %5s %-3c %b/word/text a/word/text b/word/text c/op ;",
		"printf '%%d %s' a":                        "word/text printf/word/quoted %%d %s/word/text a/op ;",
		"printf '%d' -3 \"4\" $?":                  "word/text printf/word/quoted %d/word/text -3/word/quoted 4/word/value ?/op ;",
		"[ a = \"$b\" ]":                           "word/text [/word/text a/word/text =/word/quoted /quotedvalue b/word/text ]/op ;",
		"[ ! \"$a\" = b ]":                         "word/text [/word/text !/word/quoted /quotedvalue a/word/text =/word/text b/word/text ]/op ;",
		"[ \\( \"$a\" = b \\) ]":                   "word/text [/word/quoted (/word/quoted /quotedvalue a/word/text =/word/text b/word/quoted )/word/text ]/op ;",
		"test a \"$b\"":                            "word/text test/word/text a/word/quoted /quotedvalue b/op ;",
		"test 5 -eq 5":                             "word/text test/word/text 5/word/text -eq/word/text 5/op ;",
		"test -1 -lt 5":                            "word/text test/word/text -1/word/text -lt/word/text 5/op ;",
		"[ 1 -ne 2 ]":                              "word/text [/word/text 1/word/text -ne/word/text 2/word/text ]/op ;",
		"[ -t 1 ]":                                 "word/text [/word/text -t/word/text 1/word/text ]/op ;",
		"[ -t ]":                                   "word/text [/word/text -t/word/text ]/op ;",
		"test -t 1":                                "word/text test/word/text -t/word/text 1/op ;",
		"test -t":                                  "word/text test/word/text -t/op ;",
		"export A":                                 "word/text export/word/text A/op ;",
		"export RANDOM":                            "word/text export/word/text RANDOM/op ;",
		"export A=b":                               "word/text export/word/text A=b/op ;",
		"export A='b c' B=\"d\" C=":                "word/text export/word/text A=/quoted b c/word/text B=/quoted d/word/text C=/op ;",
		"export A=/a_b-c.d,e+f@g:h%":               "word/text export/word/text A=/a_b-c.d,e+f@g:h%/op ;",
		": a":                                      "word/text :/word/text a/op ;",
		"~/bin/a b":                                "word/text ~/bin/a/word/text b/op ;",
		"./a.sh":                                   "word/text ./a.sh/op ;",
		"a_b-c++@1 x":                              "word/text a_b-c++@1/word/text x/op ;",
		"zZ9 azAZ09":                               "word/text zZ9/word/text azAZ09/op ;",
		"a '\t'":                                   "word/text a/word/quoted \t/op ;",
		"a 'x\ny' \"x\ny\"":                        "word/text a/word/quoted x\ny/word/quoted x\ny/op ;",
		"[ a != b ]":                               "word/text [/word/text a/word/text !=/word/text b/word/text ]/op ;",
		"[ ! a ]":                                  "word/text [/word/text !/word/text a/word/text ]/op ;",
		"a é ÀÀ":                                   "word/text a/word/text é/word/text ÀÀ/op ;",
		"a b@c":                                    "word/text a/word/text b@c/op ;",
		"a --x=y":                                  "word/text a/word/text --x=y/op ;",
		"cd ~":                                     "word/text cd/word/text ~/op ;",
		"cd ~/b;c":                                 "word/text cd/word/text ~/b/op ;/word/text c/op ;",
		"a HEAD^^ HEAD~~ stash@{0}^ HEAD^~2":       "word/text a/word/text HEAD^^/word/text HEAD~~/word/text stash@{0}^/word/text HEAD^~2/op ;",
		"a x-#y b/#c":                              "word/text a/word/text x-#y/word/text b/#c/op ;",
		"ls [a-z]* [a] [^a_.-] [!b]":               "word/text ls/word/text [a-z]*/word/text [a]/word/text [^a_.-]/word/text [!b]/op ;",
		"a b@{c.d-e~f}":                            "word/text a/word/text b@{c.d-e~f}/op ;",
		"a \"b\\c\" \"\\$b \\\" \\\\ \\`\"":        "word/text a/word/quoted b\\c/word/quoted $b \" \\ `/op ;",
		"a \"b $ c\" \"d$\"":                       "word/text a/word/quoted b $ c/word/quoted d$/op ;",
		"a \"$\";b":                                "word/text a/word/quoted $/op ;/word/text b/op ;",
		"a ${b} \"${c}d\"":                         "word/text a/word/value b/word/quoted /quotedvalue c/quoted d/op ;",
		"a $? $! $$ \"$?\" $?.x":                   "word/text a/word/value ?/word/value !/word/value $/word/quoted /quotedvalue ?/word/value ?/text .x/op ;",
		"a $b_c $b/d":                              "word/text a/word/value b_c/word/value b/text /d/op ;",
		"a $b-c":                                   "word/text a/word/value b/text -c/op ;",
		"a \"b\n$c\"":                              "word/text a/word/quoted b\n/quotedvalue c/op ;",
		"a b=c":                                    "word/text a/word/text b=c/op ;",
		"a <&3":                                    "word/text a/op <&3/op ;",
		"a 3<b":                                    "word/text a/op 3</word/text b/op ;",
		"a <b":                                     "word/text a/op </word/text b/op ;",
		"a % b":                                    "word/text a/word/text %/word/text b/op ;",
		"a ?b *":                                   "word/text a/word/text ?b/word/text */op ;",
		"a {} +":                                   "word/text a/word/text {}/word/text +/op ;",
		"cat <<'E' > f 2>&1\nx\nE\ng":              "word/text cat/heredoc x\n/op >/word/text f/op 2>&1/op ;/word/text g/op ;",
		"cat <<'E' 'x'\ny\nE":                      "word/text cat/word/quoted x/heredoc y\n/op ;",
		"a +b @c -d":                               "word/text a/word/text +b/word/text @c/word/text -d/op ;",
		"env a trap2":                              "word/text env/word/text a/word/text trap2/op ;",
		"A=b B=\"$c\" d":                           "assign A/text b/assign B/quoted /quotedvalue c/word/text d/op ;",
		"a;b\n\nc":                                 "word/text a/op ;/word/text b/op ;/word/text c/op ;",
		"a || b && c":                              "word/text a/op ||/word/text b/op &&/word/text c/op ;",
		"time a":                                   "op time/word/text a/op ;",
		"! a | b":                                  "op !/word/text a/op |/word/text b/op ;",
		"a > $(b)":                                 "word/text a/op >/word/substitution/word/text b/op ;/op )/op ;",
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
		"[ 5 \\-lt a ]¦[ a $b c ]¦test -t a¦printf '%d' a=5¦printf \"%5.2f\" a¦printf %i a¦printf '%*s' a b¦printf \"a$b\" c¦"+
		"2>a b¦a ><E\nx\nE\n¦a >&1b¦a >&12¦a > !¦a >! b¦cat <<'A' <<'B'\na\nA\nb\nB\n¦cat <<'A' && cat <<'B'\na\nA\nb\nB\n¦cat 3<<'E'\nx\nE\n¦cat <<''E''\nx\nE\n¦cat <<'E\"\nx\nE\n¦cat <<'E-F'\nx\nE-F\n¦cat <<'E'¦cat <<'E'\n¦cat <<<'E'\nx\nE\n¦(cat <<'E')\nx\nE\n¦a $(cat <<'E')\nx\nE\n¦cat <<'E' $(b\nx\nE\n)¦cat <<'E' 'x\ny'\nz\nE\n¦cat <<'E' \"x\ny\"\nz\nE\n¦cat <<'E' \\\n> f\nx\nE\n¦cat <<E\n\\$b\nE\n¦cat <<E\n`b`\nE\n¦a;&b¦a &;b¦a&!b¦(a)#b¦a;#b¦a&#b¦!(a)¦! ! a¦a |& b¦time if a; then b; fi¦time (a)¦time eval a¦time ! a¦time time a¦time¦if(a); then b; fi¦if a; then(b); fi¦while(a); do b; done¦for x in a; do(b); done¦{(a); }¦if a; then b; else(c); fi¦for x in; do b; done¦for x in ; do b; done¦for x in\ndo b; done¦for _ in a; do b; done¦for dis_x in a; do b; done¦for a-b in c; do d; done¦command¦command -p a¦command eval a¦command -a¦command cd b¦read x¦read¦read -r¦read -r _x¦read -r x PATH¦read -r x a-b¦set -¦set +e¦set -k¦set -ek¦set ee¦set -o noexec¦printf¦printf -- a¦printf '\\na'¦printf $a¦printf 'a%' b¦printf '%' b¦printf '%5' b¦wait -n¦wait a¦wait $a¦test a $b c¦test -eq 5¦test 5 -eq¦test a -ne 5¦test a -lt 5¦test a -le 5¦test a -ge 5¦test 5 -gt a¦[ \"\" -eq 0 ]¦test \"-\" -eq 5¦[ \"-t\" a ]¦[ 5 -n\\e a ]¦export path¦export 1a=b¦export a-b=c¦export a-b¦export A='b'c'd'¦export A='b'c¦export A=*¦export A=b?¦export _a=b;export RANDOM=a¦dis_x=1 a¦a,b c¦+a b¦@a b¦a%b¦a '\x01'¦a \"\x1b\"¦a '\x7f'¦a;\\\nb¦(a)\\\n| b¦a \\\n\n¦a \\\n\\; b¦a \\\n¦a # b\\\nc¦a $(b;# c\n)¦a -{b}¦a x.{b}¦a b!c¦a b}c¦a b{c¦a b]c¦a [b¦a []¦a [b c]¦a [b;c]¦a [$b]¦a b@{$c}¦a 22<b¦a '2'>b¦a \\2>b¦a \\\tb¦a \\b¦a \\é¦a \"b$\"c¦a \"$\"'b'¦a ${b}[c]¦a ${b¦a ${}¦a ${b-c}¦a $?b¦a $!b¦a $$b¦a $bé¦a \"$bé\"¦a $b[c]¦a b(c)¦a 'b'~¦a b=~¦a .~¦a -^¦a 'b'#¦"+
		"!;a¦!\na¦!|a¦!&a¦export A=a*a¦export A='a¦[ ${?} -eq 0 ]¦[ $# -eq 0 ]¦[ \"${#}\" -eq 0 ]¦A=1 time eval b¦"+
		"a \\\x80¦a $b\x80¦a bàc¦a Å", "¦") {
		if got, why := Read(line); why == "" || got != nil {
			t.Errorf("%q is plain: %q", line, got)
		}
	}
}

// A command whose name is a word of some shell is left to the first reader.
// Where quotes and values leave nothing, what stands behind them begins the word: zsh puts a
// path in the place of =name and ~name there, and behind the colon of an assigned value.
func TestRefusesWhatMayBeginAWord(t *testing.T) {
	for _, line := range []string{
		"a ''=b", `a ""=b`, "a $b=c", "a ${b}=c", `a "$b"=c`, "a $(b)=c", "a ''\"\"=b", "a $b$c=d", "a $b~", "a ${b}~", "a $b^", "b=c:=d", "b==d", "export a=b:=c", "b=''=c",
	} {
		if !refused(line) {
			t.Errorf("%s is plain", line)
		}
	}
	for _, line := range []string{"a --b=$c", `a "b$c"=d`, "a b$c=d", "a 'b'=c", "a \\ =b", "a b$c~", "a b=c=d", "a b''=c", `a b""=c`, "b=c=d", "make CC=gcc"} {
		if refused(line) {
			_, why := Read(line)
			t.Errorf("%s is not plain: %s", line, why)
		}
	}
}

// mksh has aliases from the start, and nohup is one that has the next word looked up too.
func TestRefusesAliasesOfKornShells(t *testing.T) {
	for _, line := range []string{"nohup r", "nohup type a", "r", "login a"} {
		if !refused(line) {
			t.Errorf("%s is plain", line)
		}
	}
	for _, line := range []string{"nohup a r", "nohup ./a &", "nohup", "find . -name local", "xargs -n1 type"} {
		if refused(line) {
			t.Errorf("%s is not plain", line)
		}
	}
}

// bash 5.2 takes a line that begins with the mark and has a bracket for the end of a
// here-document in a substitution.
func TestRefusesWhatMayEndAHereDocument(t *testing.T) {
	for line, want := range map[string]bool{
		"a \"$(cat <<'E'\nE <(b)E\nE\n)\"c": true, "a \"$(cat <<'E'\nE)\nE\n)\"": true, "a $(cat <<E\nEd\nE\n)": true,
		"a \"$(cat <<'E'\nb E (c)\nE\n)\"": false, "cat <<'E'\nE (b)\nE\n": false,
	} {
		if refused(line) != want {
			t.Errorf("%q is refused: %v", line, !want)
		}
	}
}

func TestRefusesWordsOfShells(t *testing.T) {
	for form, list := range map[string]string{
		"% a": `case coproc do done elif else end esac fi foreach function if in namespace nocorrect repeat select then until while
			for . source eval exec trap builtin noglob command_not_found_handle alias unalias autoload bind bindkey compgen
			complete compctl compopt declare typeset local readonly integer float nameref private emulate enable disable fc getopts
			hash rehash history let mapfile readarray print vared sched setopt unsetopt shopt sysread unset unhash unfunction
			functions zcompile zle zmodload zparseopts zpty zstyle ztcp limit login r stop suspend`,
		"time % a": "if while for until eval exec case",
		"command % a": `: [ bg break cd chdir continue dirs disown echo exit export false fg jobs kill popd printf pushd pwd read return
			set shift test times true type ulimit umask wait whence where which command eval exec time`,
		"% eval a":     "chrt env find ionice nice nohup setsid stdbuf taskset time timeout xargs",
		"env a % b":    "builtin eval exec export nocorrect noglob source trap",
		"read -r %":    specialNames,
		"% run eval a": "hatch pdm pipenv poetry rye uv",
		"uv run % a":   "builtin eval exec export nocorrect noglob source trap",
		"nohup %":      "autoload functions hash history integer local login nameref r stop suspend type",
		"%=1 a":        specialNames,
		"%=a b":        countedNames,
		"export %=a":   countedNames + specialNames,
	} {
		for _, word := range strings.Fields(list) {
			if line := strings.Replace(form, "%", word, 1); !refused(line) {
				t.Errorf("%q is plain", line)
			}
		}
	}
}

const (
	specialNames = ` aliases argv builtins cdpath commands compstate dirstack errnos fignore fpath funcfiletrace funcsourcetrace
		funcstack functions functrace galiases histchars history historywords jobdirs jobstates jobtexts keymaps langinfo
		mailpath manpath mapfile match mbegin mend module_path modules nameddirs options parameters patchars path pipestatus
		prompt psvar reswords saliases signals status sysparams termcap terminfo userdirs usergroups watch widgets words
		zsh_eval_context zsh_scheduled_events`
	countedNames = `BASHPID COLUMNS EGID EPOCHREALTIME EPOCHSECONDS ERRNO EUID FUNCNEST GID HISTCMD HISTFILESIZE HISTSIZE KEYTIMEOUT
		LINENO LINES LISTMAX LOGCHECK MAILCHECK OPTIND PERIOD PGRP PPID RANDOM SAVEHIST SECONDS SHLVL SRANDOM TMOUT
		TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE UID USER_ID`
)

func refused(line string) bool {
	_, why := Read(line)
	return why != ""
}

// The reason is that of the first place that is not plain.
func TestReasons(t *testing.T) {
	for line, want := range map[string]string{
		"a }":                 `what begins at "}"`,
		"a }bcdefghijkl":      `what begins at "}bcdefghijkl"`,
		"a }bcdefghijklm":     `what begins at "}bcdefghijkl…"`,
		"a }\nb":              `what begins at "}"`,
		"(a":                  "its end",
		"a <<'E'\nb":          "a here-document without its end",
		"RANDOM=a ${b:-c}":    "a variable that some shell knows: RANDOM",
		"a # b\\\nc }":        "a backslash in a comment",
		"a '\x01' }":          "a control character",
		"a 'b":                "a quote without its end",
		"cat <<A <<B\na\nA\n": "a here-document of another kind",
		"read x":              "what read is given",
		"((a))":               "((",
	} {
		if _, why := Read(line); why != want {
			t.Errorf("%q: %s, want %s", line, why, want)
		}
	}
}

func TestTokensOfOneKindAreOne(t *testing.T) {
	var tokens Tokens
	tokens.Word()
	for _, quoted := range []bool{false, false, true, false} {
		tokens.Text("a", quoted)
	}
	if got := tokens.List(); !slices.Equal(got, []string{"word", "text aa", "quoted a", "text a"}) {
		t.Errorf("%q", got)
	}
}

func TestDepthEnds(t *testing.T) {
	for depth, want := range map[int]bool{19: false, 20: true} {
		if line := strings.Repeat("( ", depth) + "a" + strings.Repeat(")", depth); refused(line) != want {
			t.Errorf("%d brackets are refused: %v", depth, !want)
		}
	}
	if refused(strings.Repeat("(a);", 30) + "b") {
		t.Error("what was closed counts as depth")
	}
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
