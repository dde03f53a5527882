package command

import (
	"fmt"
	"strings"
	"testing"
)

// Options are told apart as the program does it, each with how many operands stand before it.
func TestGivenOptions(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"install -m 644 a -t b c", "-m=644/0 -t=b/1 of 2"},
		{"/usr/bin/cp -r a b", "-r=/0? of 2"},
		{"tar xf a b", "-x=/0 -f=a/0 of 1"},
		{"tar -x -f a b", "-x=/0 -f=a/0 of 1"},
		{"tar a --bzip2 -f b", "-a=/0 --bzip2=/0 -f=b/0 of 0"},
		{"tar", "of 0"},
		{"cat xf a", "of 2"},
		{"grep --colour=x -e a", "--colour=x/0 -e=a/0 of 0"},
		{"curl --zzz b", "--zzz=/0? of 1"},
		{"zzz -a b", "unknown"},
		{"/usr/bin/../bin/cp -r a b", "unknown"},
		{"", "unknown"},
	} {
		list, operands, ok := Options(strings.Fields(c.line))
		var b strings.Builder
		for _, o := range list {
			fmt.Fprintf(&b, "%s=%s/%d", o.Name, o.Value, o.Operands)
			if !o.Known {
				b.WriteByte('?')
			}
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "of %d", operands)
		if got := b.String(); !ok && (got != "of 0" || c.want != "unknown") || ok && got != c.want {
			t.Errorf("%s: %s, %t; want %s", c.line, got, ok, c.want)
		}
	}
	if list, _, ok := Options([]string{"tar", ""}); len(list) > 0 || !ok {
		t.Errorf("tar with an empty word: %v, %t", list, ok)
	}
}

// An option is given when the program reads it as one, in whatever row: not as the value of another.
func TestGiven(t *testing.T) {
	for line, want := range map[string]string{
		"git clean -n": "given", "git clean -xn": "given", "git -C a clean -n": "given", "git clean -fen": "not", "git clean -e -n": "not", "git clean -- -n": "not",
		"git -n clean": "given", "git zzz -n": "unknown", "git": "not", "zzz -n": "unknown", "/tmp/git clean -n": "unknown", "": "unknown",
		"git clean -n=x": "given", "sort -k -n": "not", "sort -n": "given", "grep -m n": "not", "tail -n 3": "not",
	} {
		given, known := Given(strings.Fields(line), "-n")
		if got := map[[2]bool]string{{true, true}: "given", {false, true}: "not", {false, false}: "unknown"}[[2]bool{given, known}]; got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	if given, _ := Given([]string{"cargo", "publish", "--dry-run=false"}, "--dry-run"); given {
		t.Error("an option with a value counts as one without")
	}
}
