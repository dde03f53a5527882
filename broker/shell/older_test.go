package shell

import (
	"slices"
	"strings"
	"testing"
)

func doubted(line string) bool {
	return slices.ContainsFunc(Parse(line).Elements, func(e Element) bool { return e.Unsure != "" })
}

// Attack: on macOS the bash that reads the line is of 2007. To it a bracket in the text of
// a here-document, or in a comment between quotes, ends the substitution, and what
// follows as a text here is a command there.
func TestOlderShellsEndSubstitutionsElsewhere(t *testing.T) {
	for line, want := range map[string]bool{
		"git commit -m \"$(cat <<'A'\n)\"; rm x; echo \"\nA\n)\"":           true,
		"git commit -m \"$(cat <<'A'\n')' \" )\nA\n)\" --no-edit":           false, // to that bash an error, which runs nothing
		"git commit -m \"$(cat <<'A'\na) b\nA\n)\"":                         true,
		"git commit -m \"$(cat <<'A'\nfix(a): b (#12), \"q\" 'r'\nA\n)\"":   false,
		"git commit -m \"$(cat <<'A'\ndon't (a), it's (b)\nA\n)\"":          false,
		"git commit -m \"$(cat <<'A'\ndon't\nA\n)\"; echo ') \"; rm x; \"'": true,
		"git commit -m \"$(cat <<'A'\n\\) \\( `a`\nA\n)\"":                  false,
		"git commit -m \"$(cat <<'A'\n$(a) ${b} $[c]\nA\n)\"":               false,
		"git commit -m \"$(cat <<'A'\n$(a\nA\n)\"; echo \"); rm x\"":        true,
		"echo \"$(printf a # )\"; rm x; echo \"\n)\"":                       true,
		"echo \"$(a # ')\"\n)\"; " + strings.Repeat("b", maxBehind):         true, // too long to look for
		"diff <(cat <<'A'\n)\nA\n) b":                                       true,
	} {
		parsed := slices.ContainsFunc(Parse(line).Elements, func(e Element) bool { return strings.HasPrefix(e.Unsure, "older shells") })
		if parsed != want {
			t.Errorf("%.99q: %v, want %v", line, parsed, want)
		}
	}
}

// Attack: zsh expands a variable behind $=, $~, $^ and $+, where bash sees a plain text:
// the file that is read is another one.
func TestDollarSignsOfZsh(t *testing.T) {
	for line, want := range map[string]bool{
		`cat $=HOME/.ssh/x`: true, `cat "$=HOME/.ssh/x"`: true, `cat $~x`: true, `cat $^x`: true, `cat $+x`: true, `cat $==x`: true,
		`cat a$=x`: true, `cat "a$=x b"`: true, `cat $=1`: true, `cat $=0`: true, `cat $=9`: true, `cat $=a`: true, `cat $=z`: true, `cat $=A`: true, `cat $=Z`: true, `cat $=@`: true, `cat $=é`: true, `cat "$="$x`: true, `cat < $=x`: true, `A=$=x ls`: true,
		`grep "a$" b`: false, `grep "a$|b" c`: false, `sed -n "$=" a`: false, `cat '$=x'`: false, `cat \$=x`: false, `cat "\$=x"`: false, `echo "costs 5$ + x"`: false,
	} {
		if got := doubted(line); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}
