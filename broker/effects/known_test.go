package effects

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
)

// known is what a line of plain words is known to do; a part in single quotes is one word.
func known(line string) (Doing, bool) {
	e := shell.Element{Kind: shell.Command, Text: line}
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			e.Argv = append(e.Argv, part)
			continue
		}
		e.Argv = append(e.Argv, strings.Fields(part)...)
	}
	return Known(cmdline.Of(e))
}

// Everyday commands have the effects that a person would name.
func TestKnownCommands(t *testing.T) {
	for want, lines := range map[string]string{
		"look":   "ls -la; git status -sb; git --no-pager log -3; grep -rn x .; sed -n 1,5p a; sed 's/a/b/' a; awk '{print $1}' a; gofmt -l .; bash -n x.sh",
		"check":  "go test ./...; go test -run TestX -count=1 ./a; go vet ./...; go run . -x y; npm test; npm run lint -- --fix; pytest -xvs tests; python -m pytest -q; python3 x.py --flag; node x.js; node --test; make -j4 test; cargo test --release; cargo --version; bash x.sh a; npx eslint src; golangci-lint run ./...",
		"edit":   "mkdir -p a/b; touch a; cp -r a b; mv a b; tee -a log; chmod +x a; sed -i 's/a/b/' f; gofmt -w a.go",
		"commit": "git add -A; git commit -am 'x y'; git commit -m x -m y; git switch -c new; git checkout -b new; git reset --soft HEAD~1; git restore --staged a",
		"fetch":  "go mod download; npm ci; cargo fetch; uv sync",
		"serve":  "", "push": "git push origin x; npm publish", "network": "curl x; git pull; ssh h", "delete": "rm -rf a", "privilege": "sudo ls",
		"check, serve": "npm run dev; yarn start", "edit, fetch": "go mod tidy; npm install --no-audit", "network, install": "npm install left-pad; pip install x; go get x", "check, edit": "", "edit, check": "ruff format .; black .; cargo fmt",
	} {
		for line := range strings.SplitSeq(lines, ";") {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if d, ok := known(line); !ok || d.Does.String() != want {
				t.Errorf("%s: %s, %t; want %s", line, d.Does, ok, want)
			}
		}
	}
}

// What has an option or a form that no row names is not known.
func TestUnknownCommands(t *testing.T) {
	for line := range strings.SplitSeq(`unheard-of; go test -exec=x ./...; go test -toolexec x; go build -ldflags=-extld=x; go run x@latest; go env -w A=b; python -; python -c x; python -m x; python; node -; node -e x; node; node -r x y; bash; bash -; bash -c x; sh -s
		make A=b; make -f x; make --eval=x; npm; npm run; npm exec x; npx; npx x@1; npx -p x y; npx ../x; pytest -p x; pytest -c x; pytest -o x=y; sed -i.bak s/a/b/ f; sed -n 'w f' a; sed e; awk -f x a; git; git -c a=b status; git commit --no-verify; git commit -S; git add -f x; git add -p
		git switch main; git checkout main; git checkout -b new origin/x; git switch -c new origin/x; git stash; git reset --hard; git restore x; git branch -D x; git config a b; chmod u+s a; chmod 4755 a; chmod 777 a; cargo +nightly test; cargo install --path .; find . -exec x; xargs ls; gofmt -r x`, ";") {
		line = strings.TrimSpace(line)
		if d, ok := known(line); ok && d.Does.Within(Grantable) {
			t.Errorf("%s: %s", line, d.Does)
		}
	}
}

// Sets read what they write, and nothing else.
func TestSetText(t *testing.T) {
	for s := range Set(1 << (Unknown + 1)) {
		var got Set
		text, err := s.MarshalText()
		if err == nil {
			err = got.UnmarshalText(text)
		}
		if err != nil || got != s {
			t.Fatalf("%q reads as %q: %v", text, got, err)
		}
	}
	for _, text := range []string{"x", "look edit x", "Look", "look;edit"} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%q is %s", text, s)
		}
	}
	if Grantable.String() != "look, edit, check, commit, fetch, serve" || Of(Push).Within(Grantable) || !Of(Serve).Within(Grantable) {
		t.Errorf("%s can be granted", Grantable)
	}
}
