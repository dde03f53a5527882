package rules

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
)

// harmlessCode are programs on the command line that say nothing beyond the project.
const harmlessCode = `python3 -c 'print(1)'
python -c "import json; d = json.load(open('data/a.json')); print(len(d['orders']), sum(o['cents'] for o in d))"
python3 -u -c 'import re, sys; print(re.compile("a|b").sub("/", sys.argv[1]))' src/a.py
python3 -Bc 'import ledger'
python3 - <<'EOF'§import sys§sys.path.insert(0, "src")§from ledger import to_csv§print(to_csv([[1, 2]]), end="")§EOF
python3 <<'EOF'§import re§p = "src/core.py"§s = open(p).read()§open(p, "w").write(re.sub(r"entries\b", "amounts", s))§EOF
python3 - src/a.py --flag <<'EOF'§import sys§print(sys.argv)§EOF
python3 <<EOF§print(1)§EOF
cat src/a.go | python3 -c 'import sys, json; print(json.load(sys.stdin)["a"])'
python3 -m timeit -n 100 -s 'import json' 'json.dumps({"a": 1})'
timeout 5 python3 -c 'print("a" + "\n")'
cd src && python3 -c 'print(open("../README.md").read())'
node -e "console.log(require('./src/util/format.js').formatPrice(3))"
node -p "require('./package.json').version"
node -p '[..."ab"].map(c => /a/.exec(c))' | head
node --input-type=module -e 'import fs from "node:fs"; console.log(fs.readFileSync("README.md", "utf8").split("/"))'
node <<'EOF'§const f = require('./src/util/format.js');§console.log(f.formatPrice(2), /x\/y/.test("/"));§EOF
node - a <<'EOF'§console.log(process.argv)§EOF
ruby -e 'puts File.read("README.md").lines.count'
ruby -rjson -e 'puts JSON.parse(File.read("data/a.json")).keys'
ruby -ne 'puts $_ if /x/' README.md
perl -ne 'print if /TODO/' src/a.go src/b.go
perl -i -pe 's/oldName/newName/g' src/a.go
python3 -c "from app import app; print(app.test_client().get('/health').json)"
perl -pi -e 's/foo/bar/g' src/a.go
perl -0777 -pi.bak -e 's/a\n/b/' src/a.go
perl -lane 'print $F[1]' README.md
perl -MList::Util=sum -e 'print sum(1..10)'
deno eval 'console.log(1)'
bun -e 'console.log(require("fs").readFileSync("./README.md").length, require("./src/a.js"))'
python3 -c 'x = 1' > out.txt`

// Code on the command line passes with edit and check, and not with one of them: who may write a program
// and run it has nothing to gain by it.
func TestGrantsOfCode(t *testing.T) {
	w := newWorld(t)
	both := set(t, about(Allow, "look"), about(Allow, "edit, check"))
	for line := range strings.SplitSeq(harmlessCode, "\n") {
		line = strings.ReplaceAll(line, "§", "\n")
		if a := judge(t, both, w.trusted(t, line)); a.Verdict != Allow {
			t.Errorf("%q: %s (%s) %v", line, a.Verdict, a.Reason, a.Does)
		}
		for missing := range effects.Serve + 1 {
			if missing != effects.Edit && missing != effects.Check {
				continue
			}
			all := set(t, about(Allow, (effects.Grantable&^effects.Of(missing)).String()))
			if a := judge(t, all, w.trusted(t, line)); a.Verdict != Ask {
				t.Errorf("%q without %s: %s", line, missing, a.Verdict)
			}
		}
		for _, r := range []Rule{rule(Allow, "Bash", "command", "*"), rule(Allow, "Bash", "command", "python3 *"), rule(Allow, "Bash", "command", "node **")} {
			if a := judge(t, set(t, r), w.trusted(t, line)); a.Verdict == Allow {
				t.Errorf("%q passes by %v", line, r.Where)
			}
		}
		for _, r := range []Rule{rule(Deny, "Bash", "command", "*"), about(Deny, "edit"), about(Ask, "check")} {
			if a := judge(t, set(t, about(Allow, "look, edit, check"), r), w.trusted(t, line)); a.Verdict != r.Decision {
				t.Errorf("%q is %s in spite of %s", line, a.Verdict, r.ID)
			}
		}
	}
}

// A card offers the grant that it needs, and says so.
func TestCodeIsOfferedAGrant(t *testing.T) {
	w := newWorld(t)
	c := w.trusted(t, "python3 - <<'EOF'\nprint(1)\nEOF")
	r, ok := OfferEffects(c)
	if !ok || r.Effects != effects.Of(effects.Edit, effects.Check) || len(Offer(c)) > 0 {
		t.Errorf("%v, %t, %v", r.Effects, ok, Offer(c))
	}
	if a := judge(t, set(t), c); a.Reason != `only a grant of edit, check can allow "python3 -": python3 may run what it reads` {
		t.Error(a.Reason)
	}
	if r, ok := OfferEffects(w.trusted(t, "python3 - <<'EOF'\nimport urllib\nEOF")); ok {
		t.Errorf("offers %s", r.Effects)
	}
}

// What the text says that it does beyond the project asks, and says why.
func TestCodeThatSaysMore(t *testing.T) {
	w := newWorld(t)
	all := set(t, about(Allow, effects.Grantable.String()))
	for want, lines := range map[string]string{
		"network": `python3 -c 'import urllib.request as u; print(u)'
python3 -c 'import requests'
python3 -c "print('https://x.example')"
python3 -c 'import http.client'
python3 - <<'EOF'§import socket§EOF
node -e 'fetch("//x.example")'
node -e "require('node:http').get(x)"
node -e 'const h = require("https")'
ruby -e 'require "net/http"'
ruby -e 'TCPSocket.new("h", 1)'
perl -MLWP::Simple -e 'print 1'
perl -e 'use IO::Socket; print 1'
deno eval 'import "npm:x"'
bun -e 'import x from "left-pad"'
bun -e 'require("@a/b")'
cat README.md | node -e 'require("net").connect(1)'`,
		"outside": `python3 -c 'open("/etc/hosts")'
python3 -c 'import os; print(os.listdir("/"))'
python3 -c 'open("../other/x")'
python3 -c 'open("/health")'
python3 -c 'x.get("/etc/hosts")'
python3 -c 'x.get("/a/../../etc/hosts")'
python3 -c 'open("src/../../x")'
python3 -c 'import os; print(os.path.expanduser("x"))'
python3 -c 'from pathlib import Path; print(Path.home())'
python3 -c 'from pathlib import Path; print(list(Path(".").resolve().parent.iterdir()))'
python3 -c 'import tempfile'
python3 -c 'open("link/x")'
python3 -c 'print(1)' /etc/hosts
python3 -c 'print(1)' ../x > out.txt
python3 - ../x <<'EOF'§print(1)§EOF
node -e 'require("fs").readdirSync("..")'
node -e 'require("os").homedir()'
node -e 'require("/opt/x")'
ruby -e 'puts Dir.home'
perl -e 'open F, q(/etc/hosts)'
perl -e 'open F, q(../x)'
perl -e 'open F, q{link/x}'
perl -e 'open F, q(src/../../x)'
ruby -e 'puts File.read(%q!link/x!)'
perl -pi -e 's/a/b/' ../x
perl -pi -e 's/a/b/' link/x
cd src && perl -pi -e 's/a/b/' ../../x`,
		"secrets": `python3 -c 'import os; print(os.environ)'
python3 -c 'import os; print(os.getenv("A"))'
python3 -c 'print(open(".env").read())'
python3 -c 'print(open("config/credentials.json").read())'
python3 -c 'print(1)' .env
node -p 'process.env'
node -e 'require("fs").readFileSync(".npmrc")'
ruby -e 'puts ENV["A"]'
perl -e 'print %ENV'
perl -ne 'print' .env
perl -pe 1 keys/id_rsa`,
		"delete": `python3 -c 'import shutil; shutil.rmtree("src")'
python3 -c 'import os; os.remove("a")'
python3 -c 'from os import remove; remove("a")'
python3 -c 'from pathlib import Path; Path("a").unlink()'
node -e 'require("fs").rmSync("src")'
node -e 'require("fs").promises.rm("src")'
ruby -e 'File.delete("a")'
ruby -e 'require "fileutils"; FileUtils.rm_r "src"'
perl -e 'unlink "a"'`,
		"unknown": `python3 -c 'import subprocess'
python3 -c 'import os; os.system("id")'
python3 -c 'from os import system; system("id")'
python3 -c 'eval("1")'
python3 -c 'import os; os.execvp("id", ["id"])'
python3 -c 'import asyncio; asyncio.create_subprocess_exec("id")'
node -e 'process["binding"]("fs")'
bun -e 'import { $ } from "bun"; await $¦id¦'
ruby -e 'IO.read("|id")'
ruby -e 'method(:system).call "id"'
perl -e 'CORE::system("id")'
python3 -c 'exec(open("a.py").read())'
python3 -c '__import__("o" + "s")'
python3 -c 'import importlib'
python3 -c 'print(getattr(x, "y"))'
python3 -c 'compile("1", "", "eval")'
python3 -c 'import base64'
python3 -c 'print("\x2fetc")'
python3 -c 'print("\057etc")'
python3 -c 'print("".join([chr(47)]))'
python3 -c 'import os; os.chdir("src")'
python3 -c 'import os; os.symlink("a", "b")'
node -e 'require("child_process")'
node -e 'require("child" + "_process")'
node -e 'require(process.argv[1])'
node -e 'import(x)'
node -e 'new Function("1")()'
node -e 'require("vm")'
node -e 'process.binding("fs")'
ruby -e 'system "id"'
ruby -e 'puts %x(id)'
ruby -e 'open("|id")'
ruby -e 'send(:x)'
perl -e 'system "id"'
perl -e 'print qx(id)'
perl -e 'open F, "id |"'
perl -pe 's/a/b/ee' a
python3 -c 'open(".github/workflows/x.yml", "w")'
python3 -c 'open(".git/hooks/x", "w")'
perl -pi -e 's/a/b/' .git/info/attributes`,
		"privilege": `python3 -c 'import os; os.kill(1, 9)'
node -e 'process.kill(1)'
perl -e 'setuid(0)'`,
		"gate": `python3 -c 'open(".claude/settings.json", "w")'
node -e 'require("fs").writeFileSync(".codex/config.toml", "")'
perl -pi -e 's/a/b/' .claude/settings.json`,
	} {
		for line := range strings.SplitSeq(lines, "\n") {
			line = strings.NewReplacer("§", "\n", "¦", "`").Replace(line)
			a := judge(t, all, w.trusted(t, line))
			if e, err := effects.Parse(want); err != nil || a.Verdict != Ask || !allOf(a).Has(e.List()[0]) {
				t.Errorf("%q: %s, %s (%s)", line, a.Verdict, allOf(a), a.Reason)
			}
		}
	}
}

// allOf are the effects of all parts.
func allOf(a Assessment) (all effects.Set) {
	for _, p := range a.Parts {
		all |= p
	}
	return all
}

// A program is unknown that is not fixed, or comes with options that nobody vouches for.
func TestCodeThatNobodyKnows(t *testing.T) {
	w := newWorld(t)
	all := set(t, about(Allow, effects.Grantable.String()))
	for line := range strings.SplitSeq(`python3 -c "print('$x')"
python3 -c "$(cat a)"
python3 -c print\ [a]*
python3 <<EOF§print("$x")§EOF
python3 <<EOF§print("$(id)")§EOF
python3 - <<'EOF' < a§print(1)§EOF
python3 <<< 'print(1)'
echo 'print(1)' | python3
cat a.py | python3 -
curl x.example | python3 - <<'EOF'§print(1)§EOF
python3
python3 -
python3 -i -c 'print(1)'
python3 -W error::x.Y -c 'print(1)'
python3 -X importtime -c 'print(1)'
python3 -m pdb -c 'print(1)'
/opt/python3 -c 'print(1)'
~/python3 -c 'print(1)'
sudo python3 -c 'print(1)'
xargs python3 -c 'print(1)' < a
find . -name '*.py' -exec python3 -c 'print(1)' {} +
node -r ./x -e '1'
node -e 1 -r ./x
node -p -r
node --require=./x -e 1
node --eval
node --inspect -e 1
ruby -I lib -e 1
ruby -rx -e 1
ruby -i -pe 1 a
perl -I lib -e 1
perl -pie 's/a/b/' f
perl -pi/etc/* -e 1 f
perl -d -e 1
perl -x a
perl -ne print 'id |'
perl -ne print '>x'
perl '-Mlib qw(a);print' -e 1
php -r 'echo 1;'
lua -e 'print(1)'
bun -e 1 -r ./x
deno eval --config=x 1
deno run -
ssh h python3 -c 'print(1)'
PYTHONSTARTUP=x python3 -c 'print(1)'
NODE_OPTIONS='--require ./x' node -e 1
FOO=bar python3 -c 'print(1)'
cd .. && python3 -c 'print(1)'
cd $x && python3 -c 'print(1)'
(python3) <<'EOF'§print(1)§EOF
{ cat; python3; } <<'EOF'§print(1)§EOF
bash <<'EOF'§python3 <<'X'§print(1)§X§EOF
cp -a src d && perl -pi -e 's/a/b/' d/x`, "\n") {
		line = strings.ReplaceAll(line, "§", "\n")
		if a := judge(t, all, w.trusted(t, line)); a.Verdict != Ask {
			t.Errorf("%q: %s, %s", line, a.Verdict, allOf(a))
		}
	}
}
