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
