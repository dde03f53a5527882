package risk

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/shell"
)

// effectsOf are the effects of all parts of a line.
func effectsOf(line string, at Place) (all effects.Set) {
	l := shell.Parse(line)
	for _, set := range Assess(Call{Tool: "Bash", Line: &l}, at).Parts {
		all |= set
	}
	return all
}

// Texts in quotes that may be files are followed through links, whatever they are called.
func TestCodeIsFollowedOnTheDisk(t *testing.T) {
	for want, all := range map[string]string{
		"edit, check":          `python3 -c 'open("src/a")'; python3 -c 'open("/home/u/src/app/a")'; node -e 'require("../app/a")'; python3 -c 'print("a/b c", 1)'`,
		"edit, check, outside": `python3 -c 'open("link/x")'; python3 -c "print(open('link'))"; python3 -c 'p = Path.cwd(), q = open(p.parent / "x")'; ruby -e 'File.read(File.dirname(Dir.pwd) + "/x")'; node -e 'fs.readFileSync(path.join(path.dirname(path.resolve("a")), "x"))'; node -e 'require("../x")'; python3 -c 'open("~/x")'; python3 -c 'open("../other/a=b (1).txt")'; node -e 'fs.readFileSync("link/a,b")'; python3 -c 'open("/home/u/src/x")'; ruby -e 'File.read("src/../link/x")'`,
		"edit, check, secrets": `python3 -c 'open("creds")'; node -e 'fs.readFileSync("./creds")'`,
		"edit, check, gate":    `python3 -c 'open("rules")'`,
		"edit, check, unknown": `python3 -c 'open(".git")'; python3 -c 'open(".vscode/tasks.json")'`,
	} {
		for _, line := range lines(all) {
			if got := effectsOf(line, place()); got.String() != want {
				t.Errorf("%s: %s, want %s", line, got, want)
			}
		}
	}
	if got := effectsOf("perl -pi -e s/a/b/ a", place()); got.String() != "look, edit, check" {
		t.Errorf("perl -pi: %s", got)
	}
	at := place()
	at.Git = func(string) Git { return Git{} }
	if got := effectsOf("perl -pi -e s/a/b/ a", at); !got.Has(effects.Delete) {
		t.Errorf("no git: %s", got)
	}
	r := Assess(Call{Tool: "Bash", Line: parsed(`python3 -c 'import urllib; open("link")'`)}, place())
	for _, d := range r.Does {
		if wants := !effects.Of(d.Effect).Within(effects.Grantable); (d.Why != "") != wants {
			t.Errorf("%s because %q", d.Effect, d.Why)
		}
		if want := map[effects.Effect]string{effects.Network: "its code has urllib", effects.Outside: "its code names a file outside the project"}[d.Effect]; d.Why != want {
			t.Errorf("%s because %q, want %q", d.Effect, d.Why, want)
		}
	}
}

func parsed(line string) *shell.Line {
	l := shell.Parse(line)
	return &l
}

// The Python of an environment in the project is Python, though it is a link to that of the machine.
func TestPythonOfAnEnvironment(t *testing.T) {
	at := place()
	real := at.Real
	at.Real = func(p string) (string, error) {
		switch strings.TrimPrefix(path.Clean(p), at.Project) {
		case "/.venv/bin/python", "/.venv/bin/python3":
			return "/usr/bin/python3.12", nil
		case "/.venv/bin/deploy", "/.venv/bin/python-x":
			return "/usr/bin/deploy", nil
		case "/run":
			return "/usr/bin/python3.12", nil
		}
		return real(p)
	}
	for _, line := range lines("./.venv/bin/python -c 'print(1)'; .venv/bin/python3 -m pytest -q; .venv/bin/python a.py; .venv/bin/pytest; scripts/python -c 'print(1)'") {
		if got := effectsOf(line, at); !got.Within(effects.Of(effects.Check, effects.Edit, effects.Look)) || !got.Has(effects.Check) {
			t.Errorf("%s: %s", line, got)
		}
	}
	for _, line := range lines(".venv/bin/deploy -c 'print(1)'; .venv/bin/deploy; .venv/bin/python-x a.py; ./run -c 'print(1)'; .venv/bin/python -i a.py; .venv/bin/python; link/bin/python -c 'print(1)'; .venv/bin/python ../a.py; .venv/bin/python -c 'import socket'") {
		if got := effectsOf(line, at); got.Within(effects.Grantable) {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// python -m runs the project's code when the project has the package, where Python looks first.
func TestModulesOfTheProject(t *testing.T) {
	at := place()
	there := []string{"/pkg/__init__.py", "/tool.py", "/src/inner/__init__.py", "/plain/a.py", "/link/far/__init__.py", "/src/late.py", "/venv"}
	at.Exists = func(p string) bool { return slices.Contains(there, strings.TrimPrefix(p, at.Project)) }
	for line, want := range map[string]string{
		"python3 -m pkg": "check", "python3 -m pkg.cli --file a.csv": "check", "python3 -u -m tool": "check", "cd src && python3 -m inner": "check",
		"PYTHONPATH=src python3 -m inner.cli": "check", "PYTHONPATH=tests:src python3 -m late": "unknown", "python3 -m inner": "unknown", "python3 -m plain.a": "unknown",
		"PYTHONPATH=src ls && python3 -m inner": "look, check, unknown", "python3 -m other": "unknown", "python3 -m far": "unknown", "PYTHONPATH=link python3 -m far": "unknown",
		"python3 -m pkg ../x": "unknown", "python3 -m pkg ~/x": "unknown", "python3 -i -m pkg": "unknown", "python3 -m http.server": "unknown", "python3.9 -m pkg": "unknown",
		"python3 -m venv .venv": "edit, check", "python3 -m venv ./.venv": "edit, check", "python3 -m venv venv": "unknown", "make && python3 -m venv .venv": "check, unknown", "python3 -m venv src": "unknown", "python3 -m venv --clear .venv": "unknown",
	} {
		if got := effectsOf(line, at); got.String() != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	at.Exists = nil
	for _, line := range lines("python3 -m pkg; python3 -m venv .venv") {
		if got := effectsOf(line, at); !got.Has(effects.Unknown) {
			t.Errorf("%s, and nobody looks: %s", line, got)
		}
	}
}

// Plain code that reaches further by less common names is named, too.
func TestCodeThatReachesFurther(t *testing.T) {
	for want, all := range map[effects.Effect]string{
		effects.Network: `python3 -c 'import ssl; ssl.get_server_certificate(a)'; python3 -c 'import logging.handlers as h; h.SMTPHandler(a, b, c, d)'; python3 -c 'import multiprocessing.connection as c'; python3 -c 'import antigravity'; python3 -c 'from http import client'`,
		effects.Serve:   `python3 -c 'from http import server'; python3 -c 'import asyncio; asyncio.start_server(a)'`,
		effects.Outside: `python3 -c 'from pathlib import Path; print(Path("/", "etc"))'; python3 -c 'import os; os.walk(os.sep)'; node -e 'require("fs").readdirSync(require("path").sep)'; python3 -c 'import os, sys; d = os.path.dirname; print(open(d(d(d(sys.executable))) + "etc/hosts").read())'; python3 -c 'import os; d = os.path.dirname; d(d(os.__file__))'; node -e 'path.parse(process.cwd()).root'; node -e 'path.dirname(module.paths[0])'; perl -MCwd -e '$d = getcwd; $d =~ s,/[^/]*$,,; open F, "$d/x"'`,
		effects.Secrets: `node -e 'const {env} = process'; node -p 'Object.values(process)'; node -e 'for (const k in process) k'; node -p 'process.report.getReport()'; node --input-type=module -e 'import { env } from "node:process"'; python3 -c 'from os import environ'; python3 -c 'from dotenv import dotenv_values'`,
		effects.Install: `python3 -c 'import venv; venv.create("x", with_pip=True)'`,
		effects.Unknown: `python3 -c 'import git'; python3 -c 'from invoke import run'; node -e 'require("zx")'; node -e 'require("simple-git")()'; python3 -c 'from sh import ls'; python3 -c 'import zipfile; zipfile.ZipFile("a.zip").extractall()'; python3 -c 'import shutil; shutil.unpack_archive("a.zip")'`,
	} {
		for line := range strings.SplitSeq(all, "'; ") {
			line = strings.TrimSuffix(line, "'") + "'"
			if got := effectsOf(line, place()); !got.Has(want) {
				t.Errorf("%s: %s, want %s", line, got, want)
			}
		}
	}
	for _, line := range []string{`node -e 'process.exit(0)'`, `python3 -c 'print("a/b".split("/", 1))'`, `python3 -c 'print("a".replace("/", "-"))'`} {
		if got := effectsOf(line, place()); got != effects.Of(effects.Check, effects.Edit) {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// Code that goes through folders and reads files reads the keys of the project, too, unless it looks for one ending.
func TestCodeThatGoesThroughFolders(t *testing.T) {
	at := place()
	at.Secrets = func(string) ([]string, bool) { return []string{"/home/u/src/app/.env"}, true }
	reads := `python3 -c "import os;[print(open(f).read()) for f in os.listdir('.')]"
		python3 -c 'from pathlib import Path; print([p.read_text() for p in Path(".").rglob("*")])'
		python3 -c 'import glob; [print(open(f).read()) for f in glob.glob("**/*", recursive=True)]'
		python3 -c 'import os; [open(os.path.join(d,f)) for d,_,n in os.walk(".") for f in n]'
		python3 -c 'import shutil; shutil.make_archive("a", "zip", ".", list(iter.iterdir()))'
		node -e 'fs.readdirSync(".").map(f => console.log(fs.readFileSync(f)))'
		node -e 'for (const f of fs.globSync("*.{env,js}")) console.log(fs.readFileSync(f, "utf8"))'
		ruby -e 'Dir["*"].each { |f| puts File.read(f) }'
		ruby -e 'Dir.children(".").each { |f| puts IO.read(f) }'
		perl -e 'print while <$_> for glob("*")'
		perl -e '@ARGV = <*>; print <>'
		perl -e 'opendir(D, "."); print readdir(D)'
		python3 -c 'import os; l=os.listdir; [print(open(p).read()) for p in l(".")]'
		python3 -c 'from os import listdir as l; [print(open(p).read()) for p in l(".")]'
		python3 -c 'import glob; [print(open(p).read()) for p in glob.glob(".e"+"*")]'
		python3 -c 'import glob; [print(open(p).read()) for p in glob.glob("*.e" "*")]'
		python3 -c 'import os; [print(open(d+"/"+f).read()) for d, _, n in os.walk("a.d") for f in n]'
		python3 -c 'import shutil; shutil.copytree(".", "src/x")'
		python3 -c 'import shutil; shutil.make_archive("a", "tar", ".")'
		python3 -c 'import tarfile; tarfile.open("x.tar", "w").add(".")'
		node -e 'fs.cpSync(".", "src/x", {recursive: true})'
		node -e 'const {readdirSync: r, readFileSync: f} = require("fs"); r(".").map(p => console.log(f(p)))'
		node -e 'for (const d of fs["readdirSync"](".")) console.log(fs.readFileSync(d))'
		node -e 'for (const d of fs.globSync?.("*")) console.log(fs.readFileSync(d))'
		ruby -e 'puts Dir["*.rb", "*"].map { |f| File.read f }'
		ruby -e 'puts Dir.glob("*.e" "*").map { |f| File.read f }'`
	for line := range strings.SplitSeq(reads, "\n") {
		if line = strings.TrimSpace(line); !effectsOf(line, at).Has(effects.Secrets) {
			t.Errorf("%s: %s", line, effectsOf(line, at))
		}
		if got := effectsOf(line, place()); got.Has(effects.Secrets) {
			t.Errorf("without keys %s: %s", line, got)
		}
	}
	for line := range strings.SplitSeq(`python3 -c "import os; print(os.listdir('.'))"
		python3 -c 'import glob; [print(open(f).read()) for f in glob.glob("src/**/*.py", recursive=True)]'
		python3 -c 'import ast; print([n for n in ast.walk(ast.parse(open("a.py").read()))])'
		node -e 'console.log(Object.entries(JSON.parse(fs.readFileSync("package.json"))))'
		ruby -e 'Dir.glob("lib/**/*.rb").each { |f| puts File.read(f) }'
		ruby -e 'puts File.read("a")'
		perl -ne 'print if /x/' a
		perl -e 'print 1 < 2'`, "\n") {
		if line = strings.TrimSpace(line); effectsOf(line, at).Has(effects.Secrets) {
			t.Errorf("%s: %s", line, effectsOf(line, at))
		}
	}
}
