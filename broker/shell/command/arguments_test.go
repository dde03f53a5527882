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
