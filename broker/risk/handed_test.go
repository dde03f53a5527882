package risk

import (
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/shell"
)

// handedAt is the test's place, with folders in which find meets something odd.
func handedAt() Place {
	at := place()
	at.Below = func(dir string) Below {
		b := Below{Whole: !strings.HasSuffix(dir, "/large")}
		switch dir[strings.LastIndexByte(dir, '/')+1:] {
		case "blank":
			b.Blanks = true
		case "pipe":
			b.Special = true
		case "inner":
			b.Links = []string{dir + "/link-inside"}
		case "linked":
			b.Links = []string{dir + "/x"}
		}
		return b
	}
	real := at.Real
	at.Real = func(p string) (string, error) {
		switch {
		case strings.HasSuffix(p, "/link-inside"):
			return strings.TrimSuffix(p, "/link-inside") + "/y", nil
		case strings.HasSuffix(p, "/linked/x"):
			return "/home/u/other", nil
		case real == nil:
			return p, nil
		}
		return real(p)
	}
	return at
}

// What looks at files that find hands it looks below find's folders, as long as their names are
// plain and no link leads elsewhere.
func TestFilesThatFindHandsOn(t *testing.T) {
	judge := func(line string) effects.Set {
		l, got := shell.Parse(line), effects.Set(0)
		if !l.Plain || slices.ContainsFunc(l.Elements, func(e shell.Element) bool { return e.Unsure != "" }) {
			return effects.Of(effects.Unknown)
		}
		for _, set := range Assess(Call{Tool: "Bash", Line: &l}, handedAt()).Parts {
			got |= set
		}
		return got
	}
	for line := range strings.SplitSeq(`find . -name '*.go' | xargs wc -l
find src -type f | xargs grep -n x
find src -name '*.c' -print0 | xargs -0 grep -l malloc
find src | xargs -r wc -l
find blank -print0 | xargs -0 cat
find inner | xargs cat
find . -name "*.py" -not -path "./.venv/*" | xargs wc -l
find . -name '*.go' | xargs wc -l | tail -1
cd src && find . | xargs wc
find . -type f -name "*_test.go" -exec grep -l "t.Parallel" {} \;
find blank -exec wc -l {} \;`, "\n") {
		if got := judge(line); got != effects.Of(effects.Look) {
			t.Errorf("%s: %s", line, got)
		}
	}
	for line := range strings.SplitSeq(`find | xargs wc -l
find linked | xargs cat
find pipe | xargs cat
find large | xargs cat
find blank | xargs cat
find 'a b' | xargs cat
find -L src | xargs cat
find src -follow | xargs cat
find .. | xargs cat
find ~/x | xargs cat
find src/* | xargs cat
find src -printf '/etc/x\n' | xargs cat
find src -fprint x | xargs cat
find src -print0 | xargs cat
find src | xargs -0 cat
find src | xargs -a x cat
find src | xargs -I{} cat {}
find src | xargs -d x cat
find src | xargs wc --files0-from=x
find src | xargs grep -f /etc/x
find src | xargs rm
find src | xargs python3
find src | xargs sort
find src | xargs sh -c x
find src | xargs xargs cat
find src | xargs cat < list
find src > x | xargs cat
find src 2>&1 | xargs cat
find src | sed s,^,/, | xargs cat
ls src | xargs cat
cat list | xargs cat
xargs cat < list
printf '/etc/x' | xargs cat
find src; cat list | xargs cat
mkdir 'src/a b' && find src | xargs cat
mv a src/b && find src | xargs cat
cp -a a src && find src | xargs cat
find linked -exec cat {} \;
find src -exec rm {} \;
find src -exec sh -c 'cat {}' \;
find src -execdir cat {} \;
find src -exec cat {} \; -delete
find src -exec cat /etc/x \;
find -L src -exec cat {} \;`, "\n") {
		if got := judge(line); got.Within(effects.Of(effects.Look)) {
			t.Errorf("%s only looks", line)
		}
	}
}

// A pattern in front is no option where no name begins with a dash; what a check writes to no file is
// no file elsewhere.
func TestPatternsWithoutDashes(t *testing.T) {
	at := place()
	at.Dashes = func(dir string) bool { return strings.HasSuffix(dir, "/dashed") }
	for line, want := range map[string]bool{
		"du -sh *": true, "wc -l *.md": true, "cd src && du -sh *": true, "go build -o /dev/null ./x": true, "cat /dev/null": true,
		"cd dashed && du -sh *": false, "touch x && du -sh *": false, "mv a b && wc -l *.md": false, "sort *": false, "awk *": false, "make *": false, "jq *": false, "npx *": false, "[ * ]": false, "cd $x && du -sh *": false, "mv a /dev/null": false, "sed -i s/a/b/ /dev/null": false,
	} {
		l := shell.Parse(line)
		got := effects.Set(0)
		for _, set := range Assess(Call{Tool: "Bash", Line: &l}, at).Parts {
			got |= set
		}
		if ok := got.Within(effects.Of(effects.Look, effects.Check, effects.Edit)); ok != want {
			t.Errorf("%s: %s", line, got)
		}
	}
	at.Dashes = nil
	l := shell.Parse("du -sh *")
	if r := Assess(Call{Tool: "Bash", Line: &l}, at); r.Class == Safe {
		t.Error("nobody looked")
	}
}
