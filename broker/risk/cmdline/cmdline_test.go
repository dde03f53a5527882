package cmdline

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/shell"
)

func of(line string) Command {
	return Of(shell.Element{Kind: shell.Command, Argv: strings.Fields(line)})
}

// Whatever may be the option counts as given; only what is the option excuses.
func TestHasAndSurely(t *testing.T) {
	for line, want := range map[string]string{
		"git clean --dry-run": "surely", "git clean -n": "surely", "git clean -xnd": "surely", "git -C a clean -n": "surely", "git-clean -n": "surely", "zzz -n": "surely", "zzz --dry-run": "surely",
		"git clean -e -n": "may", "git clean -fen": "may", "git clean --dry": "may", "zzz --dry": "may", "zzz --d": "may", "zzz --dry-run=false": "may", "git clean --dry-run=false": "may",
		"/tmp/git clean -xn": "surely", "GIT clean -n": "surely", "git zzz -n": "surely",
		"git clean": "no", "git clean -- -n": "no", "zzz --": "no", "zzz --dry-run-not": "no", "zzz -N": "no", "zzz n": "no", "zzz --no": "no", "zzz": "no",
	} {
		a := of(line)
		got := map[[2]bool]string{{true, true}: "surely", {true, false}: "may", {}: "no"}[[2]bool{a.Has("-n", "--dry-run"), a.Surely("-n", "--dry-run")}]
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string]bool{"rm --r x": true, "rm --rec x": true, "npx rm --r x": false, "npx rm --rec x": true, "claude --r": false} {
		if got := of(line).Has("--recursive"); got != want {
			t.Errorf("%s: %t, want %t", line, got, want)
		}
	}
	if a := of("find . -delete"); !a.Has("-delete") || of("find . -deleted").Has("-delete") || of("find . -delet").Has("-delete") {
		t.Errorf("a long option after one dash: %+v", a)
	}
	if len(Of(shell.Element{Kind: shell.Read}).Words) > 0 {
		t.Error("what is no command has words")
	}
}

// An option may be given several values, and each of them may be the one that counts.
func TestValues(t *testing.T) {
	a := of("gh api -X GET x --method=POST -XPUT --method -- -X DELETE")
	if got := strings.Join(a.Values("-X", "--method"), " "); got != "GET POST PUT --" {
		t.Errorf("values: %s", got)
	}
	if v, ok := a.Value("-X", "--method"); v != "GET" || !ok {
		t.Errorf("the first value: %s", v)
	}
	if v, ok := a.Value("-Y"); ok {
		t.Errorf("an option that is not there: %s", v)
	}
	for line, want := range map[string]string{"zzz -X=a": "=a", "zzz --method a": "a", "zzz --methods=a": "", "zzz --methoda": "", "zzz --meth=a": "", "zzz -exec=a": "", "zzz -execa": "", "zzz -X": "", "zzz --method=": ""} {
		if got := strings.Join(of(line).Values("-X", "--method", "-exec"), " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// Of a program that takes no shortened options two letters are another one, which may be of
// what it runs.
func TestProgramsThatTakeNoShortenedOptions(t *testing.T) {
	for program := range strings.FieldsSeq("docker podman nerdctl npx npm pnpm yarn bunx bun claude codex gemini") {
		for option, want := range map[string]bool{"--r": false, "--re": false, "--rec": true, "--recursive": true} {
			if got := of(program + " x " + option).Has("--recursive"); got != want {
				t.Errorf("%s %s: %t, want %t", program, option, got, want)
			}
		}
	}
}

// An option of one letter may stand in a cluster, but not in the value of another one.
func TestOptionsOfOneLetter(t *testing.T) {
	for word, want := range map[string]bool{"-d": true, "-sd": true, "-ds": true, "-d@x": true, "-sd=x": true, "-s=d": false, "-s": false, "--d": false, "--data": false, "d": false, "sd": false, "-": false, "": false} {
		if got := IsOption(word, "-d"); got != want {
			t.Errorf("%q: %t, want %t", word, got, want)
		}
	}
}

// A subcommand of two words is there when the second follows the first, but for options and
// what may be their values.
func TestSubcommands(t *testing.T) {
	for line, want := range map[string]bool{
		"gh release create": true, "gh release -x create": true, "gh -R release release create": true, "gh -R x release create": true,
		"gh release release create": false, "gh -R release x release create": false, "gh release view create": false, "gh release": false, "gh - release create": false, "gh release - create": false,
	} {
		if got := of(line).SubOf("release create"); got != want {
			t.Errorf("%s: %t, want %t", line, got, want)
		}
	}
}

// The stars are those of the table; a word that looks like a pattern is a word.
func TestMatches(t *testing.T) {
	for word, want := range map[string]bool{"ax": true, "b": true, "bcd": true, "c?d": true, "a?": false, "a*": false, "?x": false, "x": false, "*": false, "": false, "b*": true, "c*d": true} {
		if got := Matches("ax|b*|c?d", word); got != want {
			t.Errorf("%q: %t, want %t", word, got, want)
		}
	}
}

// What stands behind a lone -- is an operand, though it stood before the subcommand.
func TestOperandsBehindASubcommand(t *testing.T) {
	for line, want := range map[string]string{
		"zzz sub a -b c": "a c", "zzz sub a -- -b": "a -b", "zzz sub -- -- b": "-- b", "zzz -- sub a": "a", "zzz -- sub -a b": "-a b", "zzz -- sub": "", "zzz sub --": "", "zzz sub -": "-",
	} {
		a := of(line)
		rest, ok := a.Sub("sub")
		if got := strings.Join(a.After(rest).Operands(), " "); !ok || got != want {
			t.Errorf("%s: %q, %t; want %q", line, got, ok, want)
		}
	}
}
