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
		"look": "ls -la; netstat -tlnp; clear; openssl rand -hex 16; git status -sb; git --no-pager log -3; grep -rn x .; sed -n 1,5p a; sed 's/a/b/' a; awk '{print $1}' a; git -C a status; git -C a --no-pager diff b; gofmt -l a.go" +
			"; lsof -i :3000; lsof -nP -ti:80; lsof -i tcp:80 -sTCP:LISTEN; ss -ltnp; tar tzf a.tgz; tar -tf a.tar x; unzip -l a.zip; protoc --version; git clean -nd; git clean -n -d src; git config user.email; git config --get user.name",
		"check": "composer test; composer run lint; composer run-script -n test; terraform validate -no-color; pnpm lint --fix; bun run typecheck --noEmit; yarn run test --watch=false; pnpm build; rails test; go test ./...; go test -run TestX -count=1 ./a; go vet ./...; go run . -x y; npm test; npm run lint -- --fix; pytest -xvs tests; python -m pytest -q; python3 x.py --flag; node x.js; node --test a.js; make -j4 test; cargo test --release; cargo --version; bash x.sh a; npx eslint src; golangci-lint run ./...; bash -n x.sh; npm ls --depth=0; ruff check .; ruff format --check src; black --check .; gofmt -l .; go env GOPATH; pytest --cov-report term; pytest --cov-report=xml" +
			"; npm pkg get name version; npm run; go clean -testcache; pnpm -r build; pnpm -r run test; vite build; webpack --mode production; rollup -c; kill %1; shellcheck -x a.sh; clang-tidy -p build a.c; cmake --build build -j4; cmake -B build -S . -DCMAKE_BUILD_TYPE=Debug; ctest --test-dir build --output-on-failure; mvn -q clean package; mvn --version; ruby -c a.rb; ruby -Ilib test/a.rb x; php -l a.php" +
			"; pip show x; pip freeze; python3 -m pip freeze; pip check; python3 -m pip --version; pytest -q -p no:cacheprovider; python3 -m pytest -pno:x; flake8 src --max-line-length 100; pylint -E src; python3 -m json.tool a.json; coverage run -m pytest -q; coverage report -m; coverage run a.py x" +
			"; node --test; node --test --test-only; node --test --test-reporter=dot; node --test --test-reporter spec a.js; tsc --noEmit -p .; eslint src --ext .ts,.tsx --max-warnings 0; prettier --check .; vitest run --coverage; jest -i -t 'a b'; rubocop -f json; gradle -q test -x check; gradle build",
		"edit":   "mkdir -p a/b; rm -rf a; touch a; cp -r a b; mv a b; tee -a log; chmod +x a; sed -i 's/a/b/' f; gofmt -w a.go; sed -i.bak -e 's/a/b/' f; sed -i.bak s/a/b/ f; clang-format -i a.c; rmdir a; tar czf a.tgz src",
		"commit": "git add -A; git commit -am 'x y'; git commit -m x -m y; git switch -c new; git checkout -b new; git reset --soft HEAD~1; git restore --staged a; git rm --cached a; git commit --amend --no-edit",
		"fetch":  "go mod download",
		"serve":  "curl localhost:3000; curl -s http://localhost:3000/health; curl -sSf -m 5 http://127.0.0.1/; curl -sI http://[::1]:80/x; curl -so /dev/null -w '%{http_code} x' http://localhost:80/?a=b; curl -X GET -H 'Accept: application/json' localhost:80/x localhost/y; curl --retry 3 --retry-connrefused -i https://localhost/", "push": "git push origin x; npm publish", "network": "curl x; git pull; ssh h", "delete": "shred a; rm -i a", "privilege": "sudo ls",
		"check, serve": "npm run dev; yarn start", "check, network": "npm view react version; npm info x; yarn info x", "check, fetch, secrets": "pip list; pip list --format=json; python3 -m pip list --local", "secrets": "ps; ps aux; ps -ef; ps -p 1 -o pid,args", "edit, fetch": "go mod tidy", "edit, check, fetch": "npm install --no-audit; deno test; cargo update; uv lock --check; poetry lock --no-update; composer install -n; pre-commit run --all-files; pre-commit run black", "edit, commit": "git rm a; git rm -r b", "network, install": "npm install left-pad; pip install x; go get x", "check, fetch": "python -m build; python3 -m build --wheel; npm ci; cargo fetch; uv sync; npm outdated; npm audit --json; tox -e py312; tox; nox -s tests", "edit, check": "golangci-lint run --fix; ruff check --fix; ruff format .; black .; cargo fmt; gofmt -w .; gcc -Wall -std=c11 -o build/a a.c; gcc -fsyntax-only a.c; g++ -O2 -DX=1 -Iinclude a.cc; javac -d out A.java; rustfmt --edition 2021 a.rs; rubocop -a; eslint --fix src; prettier -w src",
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

// What shows more than files of the project says why it asks.
func TestWhyARowAsks(t *testing.T) {
	for line, effect := range map[string]Effect{"ps aux": Secrets, "npm view x": Network, "pip list": Secrets} {
		if d, ok := known(line); !ok || d.Why[effect] == "" {
			t.Errorf("%s: %v", line, d.Why)
		}
	}
}

// What has an option or a form that no row names is not known.
func TestUnknownCommands(t *testing.T) {
	for line := range strings.SplitSeq(`unheard-of; pip list --python=x; pip list --log=x; python -m build ../x; python -m build -o x; python -m build -C--global-option=x; go test -exec=x ./...; go test -toolexec x; go build -ldflags=-extld=x; go run x@latest; go env -w A=b; python -; python -m x; python; node -; node; node -r x y; bash; bash -; bash -c x; sh -s
		make A=b; make -f x; make --eval=x; npm; npm exec x; npx; npx x@1; npx -p x y; npx ../x; npx tsx -e x; npx ts-node -e x; npx cross-env A=1 git push; npx concurrently x; npx rimraf .; npx gh-pages -d x; npx vercel --prod; npx prisma db push; npx nyc x; npx some-tool; bunx tsx -e x; pnpm exec tsx x; npx eslint --plugin x a; npx npx tsx -e x; pytest -p x; pytest -c x; pytest -o x=y; sed -i.old s/a/b/ f; sed -n 'w f' a; sed e; awk -f x a; git; git -c a=b status; git commit -S; git add -f x; git add -p
		git switch main; git checkout main; git checkout -b new origin/x; git switch -c new origin/x; git stash; git reset --hard; git restore x; git branch -D x; git config a b; chmod u+s a; chmod 4755 a; chmod 777 a; cargo +nightly test; cargo install --path .; find . -exec x; xargs ls; gofmt -r x
		clear -x; openssl rand -out a 16; openssl rand -engine x 16; openssl rand -rand a 16; openssl enc x; netstat; netstat -an; composer deploy; composer run deploy; composer test x; composer test -d x; composer run; terraform plan; terraform validate -chdir=x; terraform -chdir=x validate; terraform fmt;
		lsof; lsof -i @h:80; lsof -i h:80; lsof -p 1; lsof -i :80 -F; lsof -; ss; ss -K; ss -F f; ss -ltn x; tar xzf a; tar tf h:a; tar t; tar tf a --to-command=x; tar tfz a; tar czf; tar czf a; tar czf h:a b; tar czf - b; tar czf a @b; tar czf a -T b; tar cPf a b; tar --list a; unzip a.zip; unzip -l a; unzip -l a.zip -d b; npm pkg set a=b; npm pkg delete a; npm run --json; protoc a.proto; git clean -f; git clean -d -- -n; git clean -nf; git clean -n -f; git clean -fn; git clean -n -e x; git config --list; git config user.name x; git config --get remote.origin.url; git config alias.x
		go clean; go clean -testcache -modcache; go clean -cache; pnpm -r dev; pnpm -r exec x; pnpm -r publish; vite; vite build --config x; webpack serve; webpack -c x; rollup x; rollup -c x; kill 1; kill; kill -9 1; kill %1 1; bash -n -c x; shellcheck --rcfile=x a; clang-tidy a -- -fplugin=x; clang-tidy @a; clang-tidy --load=x a; gcc @a; gcc -fplugin=x a.c; gcc -B x a.c; gcc -specs=x a.c; gcc -wrapper x a.c; gcc -Wl,-x a.c; gcc -std a.c; gcc -std= a.c; clang -Xclang x; cmake -P x; cmake -E rm x; cmake .; cmake -B b -DCMAKE_C_COMPILER=x; cmake -B b -C x; cmake -B b --toolchain x; cmake --build b -- -f x; cmake --install b; ctest -S x; ctest --build-and-test x; mvn deploy; mvn -f x test; mvn -s x test; mvn -Dx deploy; mvn -DskipTests deploy; mvn exec:exec; mvn; javac @a; javac -cp x A.java; javac -processorpath x A.java; javac -J-x A.java; rustfmt --config-path x a.rs
		ruby; ruby -; ruby -r x y; ruby -Ilib:x:/y a.rb; ruby -I lib:x:/y a.rb; ruby -S x; ruby -x a; php a; php -r x; php -d x -l a; pip list -o; pip list --outdated; pip list --path=x; pip list --index-url x; pip freeze -r x; pip download x; pip config set a b; pip; python -m pip; python -m pip config list; pytest -p x; pytest -p no:x -p y; pytest -vp x; pytest -px; pytest -p; flake8 --config x; flake8 --enable-extensions=x; pylint --init-hook=x; pylint --load-plugins=x; pylint --rcfile=x; python -m json.tool a b; python -m json.tool --indent 2 a b; python -m venv; python -m venv x; python -m venv --clear .venv; python -m venv .env; python -m venv .git; python -m venv --upgrade-deps .venv; coverage run -m x; coverage run; coverage run -; coverage run --rcfile=x a.py; coverage erase; tox -c x; tox --conf x; nox -f x; next start; clang-format -style=file:x a; clang-format @a
		curl localhost.x; curl http://localhost@x/; curl http://localhost:80@x/; curl http://localhost?@x; curl http://localhost#@x; curl http://localhost\x; curl http://127.0.0.1.x/; curl http://127.1/; curl http://0.0.0.0/; curl http://localhost:3000/ http://x/; curl -L localhost; curl -d a localhost; curl -T a localhost; curl -F a=b localhost; curl --json {} localhost; curl -X POST localhost; curl -XDELETE localhost; curl -o a localhost; curl -O localhost; curl -oa localhost; curl -so a localhost; curl --output a localhost; curl --output=/dev/null localhost; curl -x h localhost; curl --proxy h localhost; curl -K a localhost; curl -H @a localhost; curl -H 'Authorization: x' localhost; curl -H 'Host: x' localhost; curl -H 'Accept:' localhost
		curl -b a localhost; curl -c a localhost; curl -D a localhost; curl -w @a localhost; curl -w '%output{a}x' localhost; curl -n localhost; curl -u a:b localhost; curl --unix-socket a localhost; curl --connect-to x localhost; curl --resolve x localhost; curl --url x localhost; curl -- localhost; curl localhost -- -w x; curl -w; curl -s; curl file:///etc/passwd; curl ftp://localhost/; curl localhost:2375/x; curl -s localhost:2019/config/; curl localhost:9200; curl localhost:8888/api; curl localhost:4444; curl localhost:9222; curl http://localhost:02375/; curl {localhost,x}; curl http://localhost:[1-3]/; curl --retry x localhost; curl --trace a localhost; curl -E a localhost; curl -A x localhost; curl -e x localhost; curl -G localhost; curl -: localhost
		node --test --import x; node --test --test-reporter ./x a.js; node --test --test-reporter=./x a.js; node --test --test-reporter=../x; node --test -r x; node --test --test-reporter-destination=x; tsc -p a --outDir x; tsc @a; tsc --plugin x; eslint -c x a; eslint --plugin x a; eslint --rulesdir x a; eslint -o x a; eslint --resolve-plugins-relative-to x a; eslint --format ./x a; eslint --parser x a; prettier --plugin=x a; prettier --config x -w a; prettier; jest --config x; jest --globalSetup x; jest --outputFile=x; vitest --config x; vitest --outputFile x; vitest --reporter=./x
		npm outdated x; npm audit fix; npm audit --registry=x; npm audit --prefix x; npm view x; npm info x; npm outdated -g; cargo update --manifest-path x; cargo update x --precise y; cargo update --config x; uv lock --script x; uv lock --index x; uv lock --directory x; poetry lock -C x; poetry update x; poetry lock --directory=x; composer install -d x; composer install --working-dir=x; composer install x; composer require x; pre-commit run -c x; pre-commit run --config=x; pre-commit install; pre-commit try-repo x; rubocop -r x; rubocop --require x; rubocop -c x; rubocop -o x; rubocop -f Foo; rubocop -fFoo; rubocop --format Foo; rubocop -f p -f Foo; rubocop --plugin x; rubocop -C x; rubocop --init; gradle -b x test; gradle -p x test; gradle --init-script x test; gradle -I x test; gradle run; gradle -Dx test; gradle publish; gradle; rmdir -p a; bundle install; shasum -c a; shasum --check a`, ";") {
		line = strings.TrimSpace(line)
		if d, ok := known(line); ok && d.Does.Within(Grantable) && d.Module == "" { // that one the project must have
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
	for line := range strings.SplitSeq(`lsof; lsof -t; lsof -nP; lsof -i; lsof -i -sTCP:LISTEN; ss -a; ss -tnp; git blame --output=x a; git log --remerge-diff -1; git show --remerge-diff; git log --show-signature; git log --format=%h%G? -1; git show -s --pretty=tformat:%+GK; git rev-list --format=%-GS HEAD; git for-each-ref --format %(signature); git branch --format=%(*signature:grade); git tag --sort=-signature; git --no-pager log --format=%GG; git log --help; git status --help;
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
