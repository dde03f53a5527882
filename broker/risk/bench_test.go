package risk

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/shell"
)

func BenchmarkAssess(b *testing.B) {
	words := strings.Repeat("foo a*1 ", 8000)
	many := make([]shell.Element, 0, 2000)
	for i := range 1000 {
		many = append(many, piped(1+i%5, run("curl x")), piped(-1-i%5, run("sh")))
	}
	for _, c := range []struct {
		name string
		line *shell.Line
	}{
		{"plain", lineOf(run("git status"))},
		{"usual", lineOf(run("cd src"), piped(1, run("grep -rn foo internal")), piped(-1, run("head -20")), read("internal"), write("out.txt"))},
		{"patterns", lineOf(run(words))},
		{"deep pattern", lineOf(tree(remove(strings.Repeat("[a*/", 8000))))},
		{"long pattern", lineOf(run("foo " + strings.Repeat("*a", 1900)))},
		{"flows", lineOf(many...)},
		{"not read", &shell.Line{Raw: strings.Repeat("curl rm -rf git push chmod sh (", 2000)}},
		{"spaces", &shell.Line{Raw: "rm " + strings.Repeat("-f ", 20000)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				Assess(Call{Tool: "Bash", Line: c.line}, place())
			}
		})
	}
}
