package risk

import "testing"

func TestRuleClasses(t *testing.T) {
	for line, want := range map[string]Class{
		"git push": Normal, "git push --force": Dangerous, "git stash drop": Normal, "git stash clear": Dangerous,
		"git config user.name x": Normal, "npm i x": Normal, "make": Normal, "env": Normal, "pkill node": Normal,
		"/usr/bin/sudo ls": Dangerous, "SUDO ls": Dangerous, "python3.12 -m twine upload x": Dangerous,
	} {
		check(t, assessLine(run(line)), want, "")
	}
}

func TestRaises(t *testing.T) {
	for _, line := range []string{"sudo ls", "su -", "doas ls", "pkexec x"} {
		check(t, assessLine(run(line)), Dangerous, "runs as another user")
	}
	if r := assessLine(run("ls sudo")); finds(r, "runs as another user") {
		t.Errorf("ls sudo: %+v", r.Findings)
	}
}
