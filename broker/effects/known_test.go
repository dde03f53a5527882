package effects

import (
	"encoding/json"
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
		"look":   "ls -la; git status -sb; git --no-pager log -3; git -C a status; git -C a --no-pager diff b; grep -rn x .; sed -n 1,5p a; sed 's/a/b/' a; awk '{print $1}' a; gofmt -l a.go; bash -n x.sh",
		"check":  "go test ./...; go test -run TestX -count=1 ./a; go vet ./...; go run . -x y; npm test; npm run lint -- --fix; pytest -xvs tests; python -m pytest -q; python3 x.py --flag; node x.js; node --test; make -j4 test; cargo test --release; cargo --version; bash x.sh a; npx eslint src; golangci-lint run ./...; npm ls --depth=0; gofmt -l .; go env GOPATH; pytest --cov-report term; pytest --cov-report=xml",
		"edit":   "mkdir -p a/b; rm -rf a; touch a; cp -r a b; mv a b; tee -a log; chmod +x a; sed -i 's/a/b/' f; gofmt -w a.go",
		"commit": "git add -A; git commit -am 'x y'; git commit -m x -m y; git switch -c new; git checkout -b new; git reset --soft HEAD~1; git restore --staged a; git rm --cached a; git commit --amend --no-edit",
		"fetch":  "go mod download",
		"serve":  "", "push": "git push origin x; npm publish", "network": "curl x; git pull; ssh h", "delete": "shred a; rm -i a", "privilege": "sudo ls",
		"check, serve": "npm run dev; yarn start", "edit, fetch": "go mod tidy", "edit, check, fetch": "npm install --no-audit; deno test", "check, fetch": "npm ci; cargo fetch; uv sync", "edit, commit": "git rm a; git rm -r b", "network, install": "npm install left-pad; pip install x; go get x", "check, edit": "", "edit, check": "ruff format .; black .; cargo fmt; gofmt -w .",
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

// An effect is its name in JSON, and no number that a reader would have to look up.
func TestEffectIsText(t *testing.T) {
	var back Effect
	raw, err := json.Marshal(Check)
	if err != nil || string(raw) != `"check"` || json.Unmarshal(raw, &back) != nil || back != Check {
		t.Errorf("check is %s, %v, and reads as %s", raw, err, back)
	}
	if err := json.Unmarshal([]byte(`"chek"`), &back); err == nil || back != Check {
		t.Errorf("what is no effect reads as %s, %v", back, err)
	}
}

// What these add to a known command makes it one that nobody knows. scripts/effects.sh found them,
// or a manual.
func TestAttackedCommands(t *testing.T) {
	for line := range strings.SplitSeq(`git blame --output=x a; git log --remerge-diff -1; git show --remerge-diff; git log --show-signature; git log --help; git status --help;
		git blame --outpu x a; git rm -f a; git -C a diff ../b; git -C a mv b c; git -C a -C b status; git -C; git -c a=b status; git rm '*.json'; git rm :/; git commit; git commit --amend; git commit -a;
		strings @a; md5sum -c a; sha256sum --check a; cksum --check a; hexdump -f a b; file -p a; yq -i .a b; yq -L x . a; yq '$ENV' a; yq 'eval(.a)' b; yq -s .a b;
		go env; go env GOPROXY; go env GOFLAGS; go tool cover -html=a; make X=1; node inspect a.js; node debug a.js; deno check https://x/a.ts;
		pytest --cov-report=html:x; pytest --cov-report xml:../x; pytest -p x; pytest -o a=b; npm run test --script-shell=x;
		sed -i 's/a/id/e' f; sed -i '1e id' f; sed -i 'w x' f; sed -i '1r x' f; bash ls; sh xdg-open x; bash run;
		go test -exec a b; go test -pgo=a b; go build -modfile a; go build -overlay a; go vet -mod=mod; gofmt -lw a.go; go test -vx; node --no-warning`, ";") {
		if d, ok := known(strings.TrimSpace(line)); ok {
			t.Errorf("%s: %s", strings.TrimSpace(line), d.Does)
		}
	}
}
