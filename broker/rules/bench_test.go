package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/brokertest/cputime"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// manyRules are rules as an operator's might be, a few of each kind about every program.
func manyRules(n int) []Rule {
	programs := []string{"npm", "git", "go", "cargo", "ls", "cat", "grep", "docker", "kubectl", "python3"}
	list := make([]Rule, 0, n)
	for i := range n {
		p := programs[i%len(programs)]
		var r Rule
		switch i / len(programs) % 6 {
		case 0, 1, 2:
			r = rule(Allow, "Bash", "command", fmt.Sprintf("%s sub%d *", p, i))
		case 3:
			r = rule(Deny, "Bash", "command", fmt.Sprintf("%s ** --bad%d **", p, i))
		case 4:
			r = rule(Ask, "Read|Write|Edit", "file_path", fmt.Sprintf("dir%d/**/*.go", i))
		case 5:
			r = rule(Deny, "*", "command", fmt.Sprintf("re:evil%d .*", i))
		}
		r.ID = fmt.Sprint("r", i)
		list = append(list, r)
	}
	return list
}

func benchCall(line string) Question {
	return Question{Tool: "Bash", Input: fmt.Appendf(nil, `{"command":%q}`, line), Place: risk.Place{CWD: "/p", Project: "/p", Home: "/h"}}
}

var benchLines = map[string]string{
	"simple": "npm run test",
	"line":   "cd src && git status --short && grep -rn TODO src/a.go | head -20 > out.log",
	"unsure": "git commit -m \"$(cat msg)\" && npm run $X",
}

func BenchmarkVerdict(b *testing.B) {
	s, err := Compile(manyRules(1000))
	if err != nil {
		b.Fatal(err)
	}
	for name, line := range benchLines {
		c := Prepare(benchCall(line))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Verdict(c, now)
			}
		})
	}
}

func BenchmarkJudge(b *testing.B) {
	s, err := Compile(manyRules(1000))
	if err != nil {
		b.Fatal(err)
	}
	for name, line := range benchLines {
		c := Prepare(benchCall(line))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Judge(c, now)
			}
		})
	}
}

func BenchmarkPrepare(b *testing.B) {
	for name, line := range benchLines {
		q := benchCall(line)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Prepare(q)
			}
		})
	}
}

func BenchmarkCompile10000(b *testing.B) {
	list := manyRules(10_000)
	for b.Loop() {
		if _, err := Compile(list); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWith10000(b *testing.B) {
	s, err := Compile(manyRules(10_000))
	if err != nil {
		b.Fatal(err)
	}
	r := rule(Allow, "Bash", "command", "npm *")
	for b.Loop() {
		if _, err := s.With(r); err != nil {
			b.Fatal(err)
		}
	}
}

// A rule that does not match costs no memory, and the number of rules little time.
func TestVerdictTakesNoMemory(t *testing.T) {
	list := manyRules(1000)
	// The machines of expressions are kept in a pool, which the race detector empties.
	list = slices.DeleteFunc(list, func(r Rule) bool { return strings.HasPrefix(r.Where["command"], patterns.Expression) })
	s := set(t, list...)
	for name, line := range benchLines {
		c := Prepare(benchCall(line))
		few := testing.AllocsPerRun(10, func() { set0.Verdict(c, now) })
		if got := testing.AllocsPerRun(10, func() { s.Verdict(c, now) }); got > few {
			t.Errorf("%s: %v allocations with 1,000 rules, %v with none", name, got, few)
		}
	}
}

var set0 = func() *Set { s, _ := Compile(nil); return s }()

// Loading must not be the square of the number of rules.
func TestTenThousandRulesLoad(t *testing.T) {
	var s *Set
	if took := cputime.Of(func() { s = set(t, manyRules(10_000)...) }); took > 10*time.Second {
		t.Errorf("10,000 rules took %v", took)
	}
	if n := len(s.Rules()); n != 10_000 {
		t.Errorf("%d rules", n)
	}
}

func BenchmarkLint10000(b *testing.B) {
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	list := manyRules(n)
	for b.Loop() {
		Lint(list, now)
	}
}
