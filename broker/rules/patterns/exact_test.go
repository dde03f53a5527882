package patterns

import "testing"

// Patterns over commands whose characters mean something.
func TestCommandPatternCharacters(t *testing.T) {
	for _, tt := range []struct {
		pattern, argv string
		want          int
	}{
		{"~/x y", "~/x|y", both},
		{"~/x *", "~/x|y", lenient},
		{"~/* y", "~/x|y", lenient},
		{"re:\\./x .*", "./x|y", both},
		{"re:\\.\\./x.*", "../x|y", lenient},
		{"re:a/\\.\\./x.*", "a/../x|y", lenient},
		{"re:x.*", "./x|y", none},
		{"re:a b.*", "a b|c", lenient},
		{"re:[a-z]+ y", "x|y", both},
		{"re:[a-z]+", "X", none},
		{"cat *.go", "cat|../x.go", both},
		{"cat a/*.go", "cat|a/../x.go", lenient},
		{"cat a*", "cat|ab", both},
		{"cat a*", "cat|ba", none},
		{"cat *a*b*", "cat|xaxbx", both},
		{"cat *a*b*", "cat|xbxax", none},
		{"n*m x", "npm|x", both},
		{"n*m x", "/bin/npm|x", lenient},
		{"n*m x", "./npm|x", lenient},
		{"*/npm x", "bin/npm|x", both},
		{"*/npm x", "a/bin/npm|x", lenient},
		{"*/npm x", "../npm|x", lenient},
		{"** x", "a|b|x", both},
		{"** x", "./a|x", lenient},
		{"** x", "x", both},
		{"a ** ** b", "a|b", both},
		{"a ** b ** c", "a|b|b|x|c", both},
		{"a ** b ** c", "a|c|b", none},
		{"a ** b", "a|b|x|b", both},
		{"a *b ** c", "a|xb|c", both},
		{`a \"`, `a|"`, both},
		{`a "\\"`, `a|\`, both},
		{`a 'b\'`, `a|b\`, both},
		{`a "b'c"`, `a|b'c`, both},
		{`a b"c d"e`, "a|bc de", both},
		{"a ''", "a|", both},
		{"a ''", "a", none},
		{`a\ b c`, "a b|c", both},
		{"a|b c|d", "b|c", both},
		{"a | b c", "a", both},
		{`a \|`, "a||", none}, // the words here are cut at bars
		{"A b", "a|b", lenient},
		{"a B", "a|b", none},
		{"a/b *", "A/B|c", lenient},
		{"a/b *", "b|c", none},
		{"line:a b", "a|b", none},
	} {
		matchesOn(t, tt.pattern, tt.argv, tt.want)
	}
	for _, p := range []string{"a;b", "a&b", "a<b", "a>b", "a (b", "a )b", "a `b", "a 'b", `a "b`, `a "b\`, `a \`, "a||b", "|a", "a|", " ", "a | "} {
		if _, err := ParseCommand(p, false); err == nil {
			t.Errorf("%s is taken", p)
		}
	}
	for n, want := range map[int]bool{1: true, 2: true, 3: false} {
		p, err := ParseCommand("x *|npx jest *", false)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Spells([]string{"npx", "jest", "a"}, n); got != want {
			t.Errorf("npx jest * spells %d words: %t", n, got)
		}
	}
}
