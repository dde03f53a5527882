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
	at.Dashes = func(dir string) bool { return strings.HasSuffix(dir, "/dashed") }
	at.Index = func(dir string) ([]string, bool) {
		switch {
		case strings.HasSuffix(dir, "/blank"):
			return []string{dir + "/a /etc/x"}, true
		case strings.HasSuffix(dir, "/dashed"):
			return []string{dir + "/-f"}, true
		case strings.HasSuffix(dir, "/linked"):
			return []string{dir + "/x"}, true
		}
		return []string{dir + "/a.go", "/home/u/code/shop/blank/a /etc/x"}, !strings.HasSuffix(dir, "/large")
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
		if !l.Plain || slices.ContainsFunc(l.Elements, func(e shell.Element) bool { return e.Unsure != "" && !e.Names }) {
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
find blank -exec wc -l {} \;
find . -exec sed -n 1,5p {} \;
find . -name '*.go' -exec gofmt -l {} +
find src -name '*.js' -exec node --check {} \;
find src 2>/dev/null | xargs cat
diff -r src lib
diff -ruq --exclude=x src inner
grep -Rn x src
grep -R --include='*.go' -A 3 -e x src lib
cd src && grep -R x
find src | grep -v vendor | sort -u | head -20 | xargs wc -l
find src | xargs -n1 cat
find src | xargs -n 5 -P 4 cat
git ls-files | xargs wc -l
git ls-files '*.go' | grep -v _test | xargs grep -n x
git ls-files -z | xargs -0 wc -l
grep -rl x src | xargs grep -n y
grep -rlZ --include='*.go' x src | xargs -0 cat
grep -rnl -e x src lib | xargs sed -n 1,5p
rg -l x | xargs wc -l
rg -l -t go x src | xargs cat
rg --files src | xargs wc -l`, "\n") {
		if got := judge(line); !got.Within(effects.Of(effects.Look, effects.Check)) || got == 0 {
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
find -L src -exec cat {} \;
find linked -exec gofmt -l {} +
find src -exec gofmt -w {} +
find src -exec gofmt -r x {} +
find src -exec sed -i s/a/b/ {} +
find src -exec sed -n 'w x' {} \;
find src -exec sed {} +
find src -exec sed -n {} {} +
find src -exec sed -n '1{}' {} \;
find src -exec sed -n -e {} \;
find src -exec python3 -c x {} \;
find src -exec node -e x {} \;
find src -exec awk {} +
find src -exec make {} \;
find src | xargs sed -i s/a/b/
find src | xargs gofmt -w
find src | xargs node
find src | xargs awk
find src | sed p | xargs cat
find src | grep -o x | xargs cat
find src | head -c 5 | xargs cat
find src | head -5 x | xargs cat
find src | tail -n +5 x | xargs cat
find src | sort x | xargs cat
find src | sort -o x | xargs cat
find src | uniq x | xargs cat
find src | grep x list | xargs cat
find src | grep -f list | xargs cat
find src | tee x | xargs cat
find src | xargs -n x cat
find src | xargs -i cat
find src | xargs --arg-file=x cat
find src 2>/tmp/x | xargs cat
find src >/dev/null | xargs cat
echo 'find src | xargs cat'; find src | xargs cat
find src | xargs cat; find src | xargs cat
git ls-files -o | xargs cat
git ls-files --others --exclude-standard | xargs cat
git ls-files -s | xargs cat
git ls-files .. | xargs cat
git ls-files :/ | xargs cat
git ls-files /etc | xargs cat
git ls-files --format=/etc/x | xargs cat
git -C .. ls-files | xargs cat
git -C src ls-files | xargs cat
git --git-dir=x ls-files | xargs cat
git ls-files | xargs grep -rn x
git ls-files | xargs grep -d recurse x
git ls-files | xargs du -L
git ls-files | xargs grep -R x
diff -r src linked
diff -rq src large
diff -r src ../x
diff -r --to-file=x src
diff -r -x y src linked
diff -r src* lib
grep -R x linked
grep -R linked -e x
grep -R -e x linked
grep -R -A 3 x linked
grep -Rf src linked
cd linked && grep -R x
grep -S x linked
mv a b && diff -r src lib
rg -L x src
du -L linked
cp -rL src lib
git ls-files -z | xargs cat
cd blank && git ls-files | xargs cat
cd dashed && git ls-files | xargs cat
cd dashed && git ls-files -z | xargs -0 cat
cd linked && git ls-files | xargs cat
cd large && git ls-files | xargs cat
git add x; git ls-files | xargs cat
make; git ls-files | xargs cat
GIT_DIR=x git ls-files | xargs cat
export GIT_DIR=x; git ls-files | xargs cat
git diff --name-only main | xargs cat
git log --name-only | xargs cat
grep -rl x .. | xargs cat
grep -rl x ~ | xargs cat
grep -rl x linked | xargs cat
grep -rl x pipe | xargs cat
grep -rl x blank | xargs cat
grep -rn x src | xargs cat
grep -r x src | xargs cat
grep -Rl x src | xargs cat
grep -rlo x src -f y | xargs cat
grep -rl /etc -e x | xargs cat
grep -rl x -- src | xargs cat
grep -l x | xargs cat
grep -rl --label=/etc/x x src - | xargs cat
grep -rlc x src | xargs cat
grep -rlZ x src | xargs cat
grep -rl x src | xargs -0 cat
cd dashed && grep -rl x | xargs cat
cd dashed && rg -l x | xargs cat
rg x src | xargs cat
rg -lL x src | xargs cat
rg -l --pre y x src | xargs cat
rg -l --path-separator / x src | xargs cat
rg -l -r /etc/x y src | xargs cat
rg -l --hidden x | xargs cat
rg -lu x | xargs cat
rg /etc --files | xargs cat
rg -l0 x | xargs cat`, "\n") {
		if got := judge(line); got.Within(effects.Of(effects.Look, effects.Check)) {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// A pattern in front is no option where no name begins with a dash; what a check writes to no file is
// no file elsewhere.
func TestPatternsWithoutDashes(t *testing.T) {
	at := place()
	at.Dashes = func(dir string) bool { return strings.HasSuffix(dir, "/dashed") }
	at.Kept = func(string) bool { return true }
	at.Matches = func(string) ([]string, bool) { return nil, true }
	for line, want := range map[string]bool{
		"du -sh *": true, "wc -l *.md": true, "cd src && du -sh *": true, "go build -o /dev/null ./x": true, "cat /dev/null": true,
		"rm -f *.log": true, "chmod +x *.sh": true, "printf '%s\n' *.md": true, "cp *.md docs": true, "git add *.md": true, "sed -i s/a/b/ *.md": true, "ls **/*.go": true, "touch *.md": true,
		"cd dashed && rm -f *.log": false, "cd dashed && cp *.md docs": false, "cd dashed && git add *.md": false, "cp *": false, "cp a *": false, "sed -i *": false, "sed *.md": false, "git commit *": false, "git rm *": false, "xargs rm *": false,
		"touch x && rm -f *.log": false, "timeout 5 awk *": false, "sh -c 'rm *' x": false, "rm -f *.log $x": false,
		"cd dashed && du -sh *": false, "touch x && du -sh *": false, "mv a b && wc -l *.md": false, "sort *": false, "awk *": false, "make *": false, "jq *": false, "npx *": false, "[ * ]": false, "cd $x && du -sh *": false, "mv a /dev/null": false, "sed -i s/a/b/ /dev/null": false,
	} {
		l := shell.Parse(line)
		got := effects.Set(0)
		for _, set := range Assess(Call{Tool: "Bash", Line: &l}, at).Parts {
			got |= set
		}
		if ok := got.Within(effects.Of(effects.Look, effects.Check, effects.Edit, effects.Commit)); ok != want {
			t.Errorf("%s: %s", line, got)
		}
	}
	at.Dashes = nil
	l := shell.Parse("du -sh *")
	if r := Assess(Call{Tool: "Bash", Line: &l}, at); r.Class == Safe {
		t.Error("nobody looked")
	}
}
