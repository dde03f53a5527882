package shell

import (
	"strings"
	"testing"
)

// parseCases are what lines do, feature by feature, as show writes it. The programs
// named a, b, c and so on are in no table.
var parseCases = []struct{ name, line, want string }{
	{"nothing", "", ""},
	{"a comment", "# rm x", ""},
	{"one command", "a b c", "a b c"},
	{"words of all kinds", `a 'x y' "z $ w" \* $'\t' --o=v`, "a \"x y\" \"z $ w\" * \"\\t\" --o=v"},
	{"a joined line", "a \\\n b", "a b"},
	{"a list", "a; b & c\nd", "a; b; c; d"},
	{"and, or", "a && b || c", "a; b; c"},
	{"not", "! a", "a"},
	{"a pipeline", "a | b |& c; d | e", "a pipe=1; b pipe=1 in=pipe; c pipe=1 in=pipe; d pipe=2; e pipe=2 in=pipe"},
	{"a subshell", "(a; b) | c", "a pipe=1; b pipe=1; c pipe=1 in=pipe"},
	{"a block", "{ a; b; }", "a; b"},
	{"if", "if a; then b; elif c; then d; else e; fi", "a; b; c; d; e"},
	{"while", "while a; do b; done", "a; b"},
	{"until", "until a; do b; done", "a; b"},
	{"case", "case $x in a) b ;; *) c ;; esac", "b; c"},
	{"case of a substitution", "case $(a) in x) b ;; esac", "a; b"},
	{"for, each value", `for x in p q; do a "$x"; done`, "a p; a q"},
	{"for, without its value", "for x in p q; do a; done", "a"},
	{"for, of a pattern", `for x in d/*.c; do a "$x"; done`, "a d/*.c +glob"},
	{"for, of a pattern at the front", `for x in *.c; do a "$x"; done`, "a *.c +glob ?"},
	{"for, unquoted", "for x in 'p q'; do a $x; done", "a \"\" ?"},
	{"for, not known", `for x in $(b); do a "$x"; done`, "b; a \"\" ?"},
	{"for, of arguments", `for x; do a "$x"; done`, "a \"\" ?"},
	{"for, set twice", `for x in p; do x=q; a "$x"; done`, "x=q +neutral; a \"\" ?"},
	{"for, in for", `for x in p q; do for y in 1 2; do a "$x$y"; done; done`, "a p1; a p2; a q1; a q2"},
	{"a block that only zsh sees", "for x in a { b }\ndo c; done", "unknown ?; unknown ?; c"},
	{"a counting loop", "for ((i=0; i<3; i++)); do a; done", "unknown ?; a"},
	{"select", "select x in p; do a; done", "x= ?; a"},
	{"time", "time -p a", "a"},
	{"coproc", "coproc a", "unknown ?; a"},

	{"a function", "f() { a; }; f x", "a; f x"},
	{"a function hides a program", "ls() { a; }; ls", "a; ls"},
	{"a function of another shell", "(f() { a; }); f", "a; f"},
	{"a function that may not be", "a && f() { b; }; f", "a; b; f"},
	{"a function too late", "f; f() { a; }", "f; a dir?"},
	{"a program behind a function", "f() { a; }; env f", "a; f via=env"},
	{"a function's arguments", `f() { a "$1"; }; f x`, "a \"\" ?; f x"},
	{"a function named like a builtin", "eval() { a; }", "unknown ?; a"},

	{"a substitution", "a $(b | c)", "a \"\" ?; b pipe=1; c pipe=1 in=pipe"},
	{"in quotes", `a "x$(b)y"`, "a \"\" ?; b"},
	{"backquotes", "a `b`", "a \"\" ?; b"},
	{"backquotes with backslashes", "a `b \\`c\\``", "a \"\" ?; unknown ?; b \"\" ?; unknown ?; c"},
	{"in each other", `a $(b "$(c)")`, "a \"\" ?; b \"\" ?; c"},
	{"as a program", "$(a) x", "\"\" x ?; a"},
	{"a default value", "a ${x:-$(b)}", "a \"\" ?; b"},
	{"a value that is set", "a ${x:=b}", "a \"\" ?; unknown ?"},
	{"a value that is run", "a ${x@P}", "a \"\" ?; unknown ?"},
	{"indirect", "a ${!x}", "a \"\" ?; unknown ?"},
	{"an index that computes", "a ${x[$(b)]}", "a \"\" ?; unknown ?; b"},
	{"arithmetic of numbers", "a $((2 * (3+4)))", "a 14"},
	{"arithmetic of variables", "a $((x))", "a \"\" ?"},
	{"arithmetic that runs", "a $((1 + $(b)))", "a \"\" ?; b"},
	{"an arithmetic command", "((1+2))", "(( +neutral"},
	{"an arithmetic command of variables", "((x++))", "(( ?"},
	{"let", "let x=1", "let ?"},
	{"input from a process", "diff <(a) <(b)", "diff \"\" \"\" pipe=1; a pipe=1; b pipe=1"},
	{"output to a process", "a > >(b)", "a; b in=pipe"},
	{"a message", "a -m \"$(cat <<'E'\nx $(y)\n\nE\n)\"", "a -m \"x $(y)\"; cat in=text +neutral"},
	{"a message with an end in quotes", "a \"$(cat <<\"E\"\nx\nE\n)\"", "a x; cat in=text +neutral"},
	{"a message that expands", "a \"$(cat <<E\n$(b)\nE\n)\"", "a \"\" ?; cat in=text; b"},
	{"a message from a function", "cat() { b; }; a \"$(cat <<'E'\nx\nE\n)\"", "b; a \"\" ?; cat in=text"},

	{"a test", `[ -n "$x" ] && a`, "[ -n \"\" ] +neutral; a"},
	{"a test of a file", "test -f x", "test -f x +neutral"},
	{"a test of many words", `[ "$x" "$y" ]`, "[ \"\" \"\" ] ?"},
	{"a test of words that may be many", "[ -n $x ]", "[ -n \"\" ] ?"},
	{"a test of a subscript", "test -v 'x[$(a)]'", "test -v x[$(a)] ?"},
	{"a test of a status", "test $? -eq 0", "test $? -eq 0 +neutral"},
	{"a long test", `[[ -n $x && -f y ]]`, "[[ +neutral"},
	{"a long test of numbers", `[[ $x -eq 1 ]]`, "[[ ?"},
	{"a long test of a status", `[[ $? -eq 0 ]]`, "[[ +neutral"},
	{"a long test that runs", `[[ -n $(a) ]]`, "[[ +neutral; a"},
	{"a long test that a plain sh runs", `[[ -n x || rm ]]`, "[[ ?"},
	{"a long test that a plain sh writes", `[[ x > y ]]`, "[[ ?"},
	{"a long test of a name", `[[ -v x ]]`, "[[ ?"},

	{"a variable", "x=v; a $x \"$x\" ${x}w", "x=v +neutral; a v v vw"},
	{"a variable of two words", "x='v w'; a $x \"$x\"", "x=v w +neutral; a \"\" \"v w\" ?"},
	{"a variable set twice", "x=v; x=w; a $x", "x=v +neutral; x=w +neutral; a \"\" ?"},
	{"a variable that may be set", "a && x=v; b $x", "a; x=v +neutral; b \"\" ?"},
	{"a variable of another shell", "(x=v); b $x", "x=v +neutral; b \"\" ?"},
	{"a variable that read may set", "x=v; read x; b $x", "x=v +neutral; read x +neutral; x= ?; b \"\" ?"},
	{"a variable that printf may set", "x=v; printf '-vx' a; b $x", "x=v +neutral; printf -vx a +neutral; x= ?; b \"\" ?"},
	{"a variable beside printf", "x=v; printf '%s' $x", "x=v +neutral; printf %s v +neutral"},
	{"a variable of the shell", "a $HOME", "a \"\" ?"},
	{"an empty variable", "x=; a $x b", "x= +neutral; a b"},
	{"a variable and zsh", "x=v; a $x[1] \"$x:h\"", "x=v +neutral; a \"\" \"\" ?; unknown ?; unknown ?"},
	{"a status", "a $? \"$$\"", "a $? $$"},
	{"the status of a pipe", "a \"${PIPESTATUS[0]}\"", "a ${PIPESTATUS[0]}"},
	{"a status that the text sets", "PIPESTATUS=x; a \"${PIPESTATUS[0]}\"", "PIPESTATUS=x +neutral; a \"\" ?"},
	{"a status that nobody knows", "a ${PIPESTATUS[0]} \"${PIPESTATUS[x]}\" \"${PIPESTATUS[0]@P}\"", "a \"\" \"\" \"\" ?; unknown ?; unknown ?"},
	{"the last job may be none", "a $!", "a \"\" ?"},
	{"a value that is not known", "x=$(a)", "x= ?; a"},
	{"a value that is code", "x='$(a)'", "x=$(a) ?"},
	{"an array", "x=(a b); y[0]=1", "x=a b +neutral; y= ?"},
	{"of one command", "X=v a", "X=v +exported !; a"},
	{"export", "export X=v", "X=v +exported !"},
	{"export of what is not known", "export X", "X= +exported ! ?"},
	{"export in quotes", `export "X=v"`, "X=v +exported !"},
	{"integers", "declare -i x=y", "unknown ?; x=y +neutral"},

	{"a pattern", "a x*.c", "a x*.c +glob"},
	{"a pattern that may be an option", "a *.c", "a *.c +glob ?"},
	{"a pattern behind --", "a -- *.c", "a -- *.c +glob"},
	{"a pattern for what does no harm", "wc *.c", "wc *.c +glob; read *.c +operand +glob"},
	{"a pattern in quotes", "a '*.c' \\*.c", "a *.c *.c"},
	{"a program from a pattern", "/bin/c?t x", "/bin/c?t x +glob ?"},
	{"an extended pattern", "a @(x|y)", "a \"\" ?; unknown ?"},
	{"braces", "a {b,c}{1..2} x{,.y}", "a b1 b2 c1 c2 x x.y"},
	{"braces as a program", "{rm,x}", "rm x ?"},
	{"braces that are none", "a {} {x} @{1}", "a {} {x} @{1}"},
	{"too many braces", "a {1..100}", "a \"\" ?"},
	{"braces in braces", "a {b,{c,{d,{e,{f,g}}}}}", "a b c d e f g"},
	{"braces too deep", "a {b,{c,{d,{e,{f,{g,h}}}}}}", "a \"\" ?"},
	{"a lone brace", "a }", "a \"\" ?"},
	{"home", "cat ~/x '~/y'", "cat ~/x ~/y; read ~/x +home +operand; read ~/y +operand"},
	{"another home", "HOME=/y; cat ~/x", "HOME=/y ?; cat \"\" ?; read \"\" +operand ?"},
	{"somebody's home", "a ~b/x ~+", "a \"\" \"\" ?"},
	{"a tilde in an argument", "a of=~/x", "a of=~/x ?"},
	{"zsh's commands", "a =b", "a \"\" ?"},
	{"translated", `a $"b"`, "a \"\" ?"},
	{"an escaped quote", `a $'b\'c'`, "a \"\" ?"},
	{"an escaped control character", `a $'\e[8m'`, "a \"\" ?"},
	{"characters by their numbers", `a $'\x41b' $'\u00e9b' $'\U000000e9b' $'\101b'`, "a Ab éb éb Ab"},
	{"characters by half a number", `a $'\x4' $'\u00e' $'\U000e9' $'\10'`, "a \"\" \"\" \"\" \"\" ?"},
	{"program in quotes", `r''m "x"`, "rm x; write x +operand +deletes"},
	{"program with a backslash", `\rm x`, "rm x; write x +operand +deletes"},
	{"program without a name", `"" x`, "\"\" x ?"},
	{"program of two alphabets", "l\u0455 x", "l\u0455 x ?"},
	{"zsh's precommands", "noglob rm x", "noglob rm x ?"},

	{"output", "a > f", "a; write f"},
	{"appended output", "a >> ~/f", "a; write ~/f +home"},
	{"errors", "a 2> e", "a; write e"},
	{"both", "a &> f", "a; write f"},
	{"both, and a command for a plain sh", "a &> f b", "unknown ?; a b; write f"},
	{"input", "a < f", "a in=file; read f"},
	{"both ways", "a <> f", "a in=file; read f; write f"},
	{"forced output", "a >| f", "a; write f"},
	{"copies", "a 2>&1 >&2 <&- 2>&-", "a in=file"},
	{"output to a file by a copy", "a >& f", "a; write f"},
	{"null", "a > /dev/null 2> /dev/stderr < /dev/null", "a in=file"},
	{"the network", "a < /dev/tcp/h/80", "a in=file; read /dev/tcp/h/80 ?"},
	{"output that is not known", "a > $x", "a; write \"\" ?"},
	{"output alone", "> f", "write f"},
	{"zsh's forced output", "a >! f", "a f; write ! ?"},
	{"a range of zsh", "a <1-2>f", "a in=file; unknown ?; read 1-2; write f"},
	{"a descriptor in a variable", "a {x}> f", "a; unknown ?; write f"},
	{"of a loop", "while a; do b; done < f", "a in=file; b in=file; read f"},
	{"a here-document", "a <<E\nx\nE", "a in=text"},
	{"a here-document that runs", "a <<E\n$(b)\nE", "a in=text; b"},
	{"a here-document that does not", "a <<'E'\n$(b)\nE", "a in=text"},
	{"a here-document with an odd end", "a <<'E F'\nx\nE F", "a in=text; unknown ?"},
	{"a here-string", "a <<< 'x y'", "a in=text"},

	{"a folder", "cd x && cat y; cat z", "cd x +neutral; cat y dir=x; read y dir=x +operand; cat z dir=x dir?; read z dir=x dir? +operand"},
	{"a folder or the end", "cd x || exit 1; a", "cd x +neutral; exit 1 +neutral; a dir=x"},
	{"folders in each other", "cd x && cd y && a", "cd x +neutral; cd y dir=x +neutral; a dir=x/y"},
	{"a folder and back", "cd x && cd .. && a", "cd x +neutral; cd .. dir=x +neutral; a"},
	{"a folder above", "cd .. && a", "cd .. +neutral; a dir=.."},
	{"the home folder", "cd && a", "cd +neutral; a dir=~"},
	{"a folder in the home", "cd ~/x && a", "cd ~/x +neutral; a dir=~/x"},
	{"a folder named like the home", "cd '~' && a", "cd ~ +neutral; a dir=./~"},
	{"above the home", "cd ~ && cd .. && a", "cd ~ +neutral; cd .. dir=~ +neutral; a dir=. dir?"},
	{"a folder that is not known", `cd "$x" && a`, "cd \"\" ?; a dir?"},
	{"a folder of a subshell", "(cd x && a); b", "cd x +neutral; a dir=x; b"},
	{"a folder of a pipeline", "a | cd x; b", "a pipe=1; cd x pipe=1 in=pipe +neutral; b dir?"},
	{"a folder in a loop", "while a; do cd x; done; b", "a dir?; cd x dir? +neutral; b dir?"},
	{"a folder in a condition", "if a; then cd x; fi; b", "a; cd x +neutral; b dir?"},
	{"a folder of a function", "f() { cd x; }; f; a", "cd x dir? +neutral; f; a dir?"},
	{"a function of a part of a pipeline", "a() { b; } | c; a x", "b pipe=1; c pipe=1 in=pipe; a x"},
	{"a function that is taken away", "a() { b; }; unset a; a x", "b; unset a +neutral; a x"},
	{"a function that changes the folder and fails", "f() { cd x; b; }; f || a", "cd x dir? +neutral; b dir=x dir?; f; a dir?"},
	{"a function instead of cd", "cd() { b; }; cd x; a", "b dir?; cd x; a dir=x dir?"},
	{"a folder changed by words", "eval 'cd x && b' || a", "cd x via=eval +neutral; b via=eval dir=x; a dir?"},
	{"links and what comes after", "ln -s p q; a <q; b >q", "ln -s p q; read p +operand; write q +operand; a in=file; read q ?; b; write q ?"},
	{"links and what comes before", "b >q; ln -s p q", "b; write q; ln -s p q; read p +operand; write q +operand"},
	{"links beside what stands before", "b >q | mv p q", "b pipe=1; write q pipe=1 ?; mv p q pipe=1 in=pipe; write p pipe=1 +operand +deletes +tree; write q pipe=1 +operand +tree"},
	{"links and what runs later", "b >q & mv p q", "b; write q ?; mv p q; write p +operand +deletes +tree; write q +operand +tree"},
	{"links in a loop", "while a; do mv p q; done", "a; mv p q; write p +operand +deletes +tree ?; write q +operand +tree ?"},
	{"a folder behind a link", "mv p q; cd q; a", "mv p q; write p +operand +deletes +tree; write q +operand +tree; cd q +neutral; a dir?"},
	{"names behind a link", "mv p q; ls q; ls -R q", "mv p q; write p +operand +deletes +tree; write q +operand +tree; ls q; read q +operand; ls -R q; read q +operand ?"},
	{"a folder and CDPATH", "CDPATH=/y; cd x && a", "CDPATH=/y ?; cd x +neutral; a dir=x dir?"},

	{"a wrapper", "sudo rm x", "rm x via=sudo; write x via=sudo +operand +deletes"},
	{"wrappers around it", "sudo nice timeout 5 a b", "a b via=sudo,nice,timeout"},
	{"a wrapper that is not known", "sudo $x a", "\"\" a via=sudo ?"},
	{"a script", "bash -c 'a; b > c'", "a via=bash -c; b via=bash -c; write c via=bash -c"},
	{"a script in a script", `sh -c "bash -c 'a'"`, "a via=sh -c,bash -c"},
	{"a script that is not known", `bash -c "$x"`, "unknown via=bash -c ?"},
	{"a script that cannot be read", "bash -c 'a ('", "unknown via=bash -c ?"},
	{"an empty script", "bash -c ''", "bash -c \"\""},
	{"a script's arguments", `sh -c 'a "$1"' x y`, "a \"\" via=sh -c ?"},
	{"a script in a folder", "bash -c 'cd x && a'; b", "cd x via=bash -c +neutral; a via=bash -c dir=x; b"},
	{"eval", "eval 'a b' c", "a b c via=eval"},
	{"eval in a folder", "eval 'cd x' && a", "cd x via=eval +neutral; a dir=x dir?"},
	{"a shell that is fed", "bash <<'E'\na\nE", "a via=bash in=text; bash in=text !"},
	{"a shell that is fed by a pipe", "a | sh", "a pipe=1; sh pipe=1 in=pipe ?"},
	{"a shell in a pipeline behind a wrapper", "a | sudo bash -s", "a pipe=1; bash -s via=sudo pipe=1 in=pipe ?"},
	{"a shell that reads nothing", "a | bash --version", "a pipe=1; bash --version pipe=1 in=pipe ! ?"},
	{"a shell with a letter less", "a | bash +s", "a pipe=1; bash +s pipe=1 in=pipe ?"},
	{"a shell with a setting", "a | bash -O x", "a pipe=1; bash -O x pipe=1 in=pipe ?"},
	{"a shell with a file", "a | bash - x", "a pipe=1; bash - x pipe=1 in=pipe !; read x pipe=1 +operand"},
	{"a shell that reads a process", "bash < <(a)", "bash in=pipe ?; a"},
	{"a program that is fed", "python3 - <<'E'\na\nE", "python3 - in=text ! ? program=\"a\\n\""},
	{"a program with a value", "a=b; python3 - <<E\n$a\nE", "a=b +neutral; python3 - in=text ! ? program=\"b\\n\""},
	{"a program with a value that nobody knows", "python3 - <<E\n$a\nE", "python3 - in=text ! ?"},
	{"a program with a command", "python3 - <<E\n$(a)\nE", "python3 - in=text ! ?; a"},
	{"a program with a word that nobody knows", "python3 - $a <<'E'\na\nE", "python3 - \"\" in=text ! ?"},
	{"a program for a function", "python3() { a; }; python3 - <<'E'\na\nE", "a; python3 - in=text ! ?"},
	{"a program for one of several", "{ a; python3; } <<'E'\na\nE", "a in=text; python3 in=text ! ?"},
	{"a program for what xargs runs", "xargs python3 - <<'E'\na\nE", "python3 - via=xargs in=text ! ?"},
	{"a program from a pipe", "a | python3", "a pipe=1; python3 pipe=1 in=pipe ! ?"},
	{"a program among the words", "a | python3 -c b", "a pipe=1; python3 -c b pipe=1 in=pipe !"},
	{"a program from a descriptor", "bash /dev/stdin <<'E'\na\nE", "bash /dev/stdin in=text ! ? program=\"a\\n\""},
	{"words that nobody knows", "a | xargs rm", "a pipe=1; rm via=xargs pipe=1 in=pipe ?"},
	{"words for what opens none", "a | xargs echo", "a pipe=1; echo via=xargs pipe=1 in=pipe +neutral"},
	{"files that nobody knows", "a | xargs cat", "a pipe=1; cat via=xargs pipe=1 in=pipe ?"},
	{"a script with words that nobody knows", "a | xargs -I{} sh -c 'b {}'", "a pipe=1; unknown via=xargs,sh -c pipe=1 ?"},
	{"find", "find d -exec a {} +", "find d -exec a {} +; read d +operand +tree; a {} via=find ?"},
	{"another machine", "ssh h a b", "a b via=ssh host=h dir?"},
}

func TestParse(t *testing.T) {
	for _, c := range parseCases {
		t.Run(c.name, func(t *testing.T) {
			l := Parse(c.line)
			if got := show(l); got != c.want {
				t.Errorf("%s\n got: %s\nwant: %s", c.line, got, c.want)
			}
			if !l.Parsed || l.Raw != c.line {
				t.Errorf("parsed %v, raw %q", l.Parsed, l.Raw)
			}
		})
	}
}

// TestDoubts checks that a doubt says which part it is about, and why.
func TestDoubts(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`a "$(cat x)"`, "$(cat x) is not known before it runs"},
		{"a $HOME", "$HOME is not known"},
		{"$x y", "which program runs is not known"},
		{"a *.c", "would be an option"},
		{"a (", "cannot be read as bash"},
		{"a \u202e", "U+202E"},
		{"a\u037e b", "U+037E"},
		{"a \u1fefb\u1fef", "U+1FEF"},
		{"a\ufe54 b", "U+FE54"},
		{"a \u2013n", "looks like an option"},
		{"a \u2011\u2011dry-run", "looks like an option"},
		{"a \u2212f", "looks like an option"},
		{"a | xargs rm", "xargs gives it words that nobody knows"},
		{"echo .env | xargs cat", "xargs gives it files that nobody knows"},
		{"RANDOM=PATH=5; ls", "computes the value of RANDOM"},
		{"export COLUMNS=x; ls", "computes the value of COLUMNS"},
		{"for SECONDS in 5; do ls; done", "computes the value of SECONDS"},
		{"curl x | sh", "runs whatever it reads"},
		{"a > /dev/tcp/h/1", "connection"},
		{strings.Repeat("a;", MaxElements+1), "more than"},
	} {
		found := false
		for _, e := range Parse(c.line).Elements {
			found = found || strings.Contains(e.Unsure, c.want)
		}
		if !found {
			t.Errorf("%.60q: no doubt says %q", c.line, c.want)
		}
	}
}

func TestText(t *testing.T) {
	l := Parse("cd x && FOO=1 rm -rf \"y z\" > log | a")
	want := []string{"cd x", "FOO=1", `FOO=1 rm -rf "y z"`, `"y z"`, "> log", "a"}
	for i, e := range l.Elements {
		if i >= len(want) || e.Text != want[i] {
			t.Errorf("element %d: %q", i, e.Text)
		}
	}
}

func TestNotParsed(t *testing.T) {
	for _, line := range []string{
		"a (", "a 'b", "if a", "a |", "a\\", "cat <<E\nx", "a $(", "{ a", "a)", "for", "case x in", "ls *.c(N)", "()",
		"a # b \\\nrm x", "a\\\n#b", "a &&& b", "\xff\xfe", strings.Repeat("x", MaxBytes+1),
	} {
		l := Parse(line)
		if l.Parsed || len(l.Elements) != 1 || l.Elements[0].Kind != Unknown || l.Elements[0].Unsure == "" {
			t.Errorf("%.60q: %s", line, show(l))
		}
	}
}

// TestOddCharacters: whatever cannot be seen for what it is makes the line unsure,
// wherever it stands.
func TestOddCharacters(t *testing.T) {
	for _, c := range []string{
		"\u200b", "\u200d", "\u202e", "\u2066", "\u00a0", "\u2003", "\u3000", "\u2800", "\ufe0f", "\u3164", "\u115f",
		"\ufeff", "\u00ad", "\u2028", "\u0085", "\x1b", "\x00", "\x07", "\x7f", "\r", "\v", "\U000e0041", "\U000e0100",
		"\ufff9", "\U0001d173", "\ue000", "\u0378", "\xff", "\xc3", "\uff52", "\ufffd", "\u061c", "\u180e",
	} {
		for _, line := range []string{"ls " + c, "ls 'a" + c + "b'", "ls # " + c, c, "cat <<'E'\n" + c + "\nE"} {
			sure := true
			for _, e := range Parse(line).Elements {
				sure = sure && e.Unsure == ""
			}
			if sure {
				t.Errorf("%q is taken for plain", line)
			}
		}
	}
	for _, line := range []string{"ls ä é 日本 'ж'", "echo '✓ done — ok'", "git commit -m 'café'"} {
		for _, e := range Parse(line).Elements {
			if e.Unsure != "" {
				t.Errorf("%q: %s", line, e.Unsure)
			}
		}
	}
}

// computed are variables that a shell sets, computes or keeps from being set, as the manuals
// of bash and zsh name them. What a line sets them to need not be what they hold later.
var computed = strings.Fields(`_ BASHPID BASH_ARGV0 BASH_COMMAND BASH_SUBSHELL DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME
	GROUPS HISTCMD LINENO OPTARG OPTIND PIPESTATUS PPID RANDOM REPLY SECONDS SHLVL SRANDOM UID COLUMNS LINES HISTSIZE SAVEHIST ARGC
	EGID ERRNO GID HISTCHARS KEYTIMEOUT LISTMAX LOGCHECK TTY TTYIDLE USERNAME VENDOR ZSH_SUBSHELL ZSH_EVAL_CONTEXT funcstack
	historywords history jobdirs jobstates jobtexts keymaps modules parameters patchars pipestatus reswords signals status
	usergroups watch widgets zsh_eval_context BASH_REMATCH MATCH MBEGIN MEND match mbegin mend functrace funcfiletrace`)

func TestComputedVariables(t *testing.T) {
	for _, name := range computed {
		for _, line := range []string{name + "=b; a $" + name, "export " + name + "=b; a $" + name} {
			all := Parse(line).Elements
			if e := all[len(all)-1]; e.Kind != Command || e.Unsure == "" {
				t.Errorf("%s: %s", line, show(Parse(line)))
			}
		}
	}
	if got := show(Parse("x=b; a $x")); got != "x=b +neutral; a b" {
		t.Errorf("another variable: %s", got)
	}
}
