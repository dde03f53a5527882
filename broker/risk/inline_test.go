package risk

import (
	"path"
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
		"edit, check, outside": `python3 -c 'open("link/x")'; python3 -c "print(open('link'))"; node -e 'require("../x")'; python3 -c 'open("~/x")'; python3 -c 'open("/home/u/src/x")'; ruby -e 'File.read("src/../link/x")'`,
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
		if d.Effect == effects.Network && d.Why != "its code has urllib" {
			t.Errorf("the reason is %q", d.Why)
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
