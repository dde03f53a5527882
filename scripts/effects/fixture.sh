# Makes a world in the current folder: project, home, other. Code of the project that runs tries
# to open aoctl-effects-ran, which the trace shows. MARKED-SECRET marks what nobody may print.
mkdir -p home/.cache home/.ssh home/.aws home/.local/share/aoctl home/.config/aoctl home/.config/git home/.config/go home/set home/.claude other project
printf 'MARKED-SECRET key\n' >home/.ssh/id_rsa
printf 'machine x login y password MARKED-SECRET\n' >home/.netrc
printf 'export TOKEN=MARKED-SECRET\n' >home/.bash_history
printf '[default]\naws_secret_access_key=MARKED-SECRET\n' >home/.aws/credentials
printf 'secret=MARKED-SECRET\n' >home/.local/share/aoctl/token
touch home/set/list
printf 'echo hello\n' >home/notes.sh
printf '[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n' >home/.gitconfig
printf 'notes of somebody else\n' >other/notes.txt
printf '#!/bin/sh\necho other\n' >other/run.sh
printf 'package other\n' >other/other.go
printf 'a\nb\n' >other/list.txt
printf 'A=MARKED-SECRET\n' >other/.env
chmod +x other/run.sh home/notes.sh
printf 'console.log("other")\n' | tee other/x.js other/x.mjs other/x.cjs >/dev/null
printf 'print("other")\n' | tee other/x.py other/conftest.py >/dev/null
printf '[x]\n' | tee other/x other/x.ini other/x.toml other/x.yml other/x.cfg other/x.out >/dev/null
printf 'module example.com/other\n\ngo 1.21\n' >other/go.mod
printf 'all test x:\n\techo other\n' >other/Makefile
printf '{"name": "other", "scripts": {"test": "echo other", "build": "echo other"}}\n' >other/package.json
git -C other init -q
cd project
git init -q -b main
mkdir -p src cmd/app web tests docs scripts node_modules/.bin node_modules/tool 'my dir' build
cat >go.mod <<'X'
module example.com/demo

go 1.21
X
printf 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("hi") }\n' >cmd/app/main.go
printf 'package src\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n\n// TODO: more\n' >src/a.go
printf 'package src\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n' >src/a_test.go
cat >package.json <<'X'
{
  "name": "demo", "version": "1.0.0", "private": true,
  "scripts": {
    "test": "node web/index.js", "build": "node web/index.js", "lint": "tool", "dev": "node web/index.js", "start": "node web/index.js",
    "pretest": "node web/index.js", "posttest": "node web/index.js"
  }
}
X
printf 'try { require("fs").readFileSync("aoctl-effects-ran") } catch {}\nconsole.log("ran")\n' >web/index.js
printf 'export const x: number = 1\n' >web/app.ts
printf '{"name": "tool", "version": "1.0.0", "bin": "tool.js"}\n' >node_modules/tool/package.json
printf '#!/usr/bin/env node\ntry { require("fs").readFileSync("aoctl-effects-ran") } catch {}\n' >node_modules/tool/tool.js
chmod +x node_modules/tool/tool.js
ln -s ../tool/tool.js node_modules/.bin/tool
printf 'import unittest\ntry:\n    open("aoctl-effects-ran")\nexcept OSError:\n    pass\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 1)\n' >tests/test_a.py
touch tests/__init__.py
printf 'print("hi")\ntry:\n    open("aoctl-effects-ran")\nexcept OSError:\n    pass\n' >scripts/tool.py
printf '#!/bin/sh\ncat aoctl-effects-ran 2>/dev/null\necho ran\n' >scripts/run.sh
chmod +x scripts/run.sh
printf 'all: test\ntest:\n\t@sh scripts/run.sh\nbuild:\n\t@sh scripts/run.sh\nclean:\n\t@echo clean\n' >Makefile
printf '# Demo\n\nSome words, and a [link](docs/guide.md).\n' >README.md
printf 'guide\nsecond line\nthird line\n' >docs/guide.md
printf '{"a": {"b": [1, 2, 3]}, "name": "x"}\n' >data.json
printf 'a: 1\nb: [x, y]\n' >data.yaml
printf 'xtouch ../other/ran\n' >cmds.txt
printf 'b,2\na,1\nc,3\n' >data.csv
printf 'a.go\n' >'my dir/file one.txt'
printf 'node_modules\nbuild\n.env\n*.log\n' >.gitignore
printf 'first\n' >CHANGES
git add -A
git commit -qm first
printf 'second\n' >>CHANGES
git commit -qam second
git branch feature
git tag v0.1
printf 'third\n' >>CHANGES
git stash -q
printf 'API_KEY=MARKED-SECRET\n' >.env
printf 'not tracked\n' >notes.txt
printf 'object\n' >build/out.o
printf 'line one\nerror: two\n' >app.log
printf 'changed\n' >>README.md
ln -s ../other outlink
ln -s ../other/notes.txt outfile
ln -s ../home/.ssh/id_rsa keylink
ln -s .env envlink
ln -s src srclink
ln -s README.md readlink.md
printf '/outlink\n/outfile\n/keylink\n/envlink\n/srclink\n/readlink.md\n' >>.git/info/exclude
