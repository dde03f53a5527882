package shell

import "testing"

// last is the last command of a line that runs, as show writes it.
func last(line string) string {
	got := ""
	for _, e := range Parse(line).Elements {
		if e.Kind == Command {
			got = showElement(e)
		}
	}
	return got
}

// What a variable is set to counts for the commands behind it only when nothing else in the
// line can have changed it. In each line stands another thing between the two.
func TestWhatAVariableHolds(t *testing.T) {
	for _, between := range []string{
		"export x", "readonly x", "declare -x y=1", "declare -r y=1", "declare -g y=1", "declare -gx y=1", "local y=1",
		"b ${x:-w}", "b ${x:+w}", "b ${x#w}", "b ${y:=w}", "b ${#x}", "b $((1+2))", "b 3>f", "b {y}>f", "f() { b; }",
		"set -euo pipefail", "set +x", "set -u", "for y in 1; do b; done",
		"printf %s y", "printf \"%s\" y", "printf '%s' y", "printf", "printf y -v x", "b printf", "y[1]=w", "y+=w", "y=(1)", "declare y", "((y++))", "((-y))", "((1 + 2))", "let y=1",
		"b 'x'", "b $y", "b r\\ead", "command b", "exec 3>f",
	} {
		if got := last("x=v; " + between + "; a \"$x\""); got != "a v" {
			t.Errorf("%s takes the value away: %s", between, got)
		}
	}
	for _, between := range []string{
		"x=w", "x+=w", "x[1]=w", "x=(w)", "x=w b", "y=1 x=w", "declare x", "local x", "typeset x", "declare x=w", "export x=w", "declare -i y", "declare -n y", "declare +x y", "declare -l x=w",
		"b ${x:=w}", "b ${x=w}", "((x++))", "((++x))", "((x = 1))", "((x += 1))", "((1 + (x = 2)))", "let x=1", "let x++", "b $((x++))", "b $((x = 1))", "b {x}>f", "coproc b",
		"for x in w; do b; done", "select x in w; do b; done", "for ((x=0; x<2; x++)); do b; done",
		"read x", "read y", "mapfile y", "getopts ab y", "unset y", "eval b", "wait", "b set -a", "zparseopts b", "enable b", "fc b", "alias b=c",
		"export -p", "set -a", "set -k", "set y", "set -- y", "set --", "set -", "set +", "set -o posix", "set -ea", "set -o pipefail y", "command set -a", "b set y read", "command read y",
		"printf -v x w", "printf '-vx' w", "printf \"-vx\" w", "printf \\\\-vx w", "printf $y x w", "printf \"$y\" x w", "printf '' w", "printf \"\" w", "printf '\\055vx' w", "printf {-v,x} w", "printf -- -v", "command printf -v x w",
		"$y x", "\"$y\" x", "re\\ad x", "'read' x", "\"read\" x", "command 'read' x", "builtin $y x", "command re\\ad x", "exec \"$y\" x", "noglob 'read' x", "b read",
	} {
		if got := last("x=v; " + between + "; a \"$x\""); got != "a \"\" ?" {
			t.Errorf("%s leaves the value as it is: %s", between, got)
		}
	}
	for _, c := range [][2]string{
		{"x='v w'; a $x", "a \"\" ?"},
		{"x='{v,w}'; a $x", "a \"\" ?"}, // mksh makes two words of it
		{"x='{v,w}'; a \"$x\"", "a {v,w}"},
		{"x=v; IFS=v; a $x", "a \"\" ?"},
		{"x=v; IFS=v; a \"$x\"", "a v"},
		{"IFS=v; a $?", "a \"\" ?"},
		{"HOME=/y; a ~/x", "a \"\" ?"},
		{"for IFS in v; do b; done; x=v; a $x", "a \"\" ?"},
	} {
		if got := last(c[0]); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}
