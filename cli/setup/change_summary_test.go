package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/hookclient/install"
)

// What is asked stays on the screen: the difference of some 250 lines is told in a few.
func TestAskedForTheDifference(t *testing.T) {
	for _, agent := range []string{"claude", "opencode"} {
		t.Run(agent, func(t *testing.T) {
			home, program := installHome(t)
			t.Setenv("PATH", home) // no agent to ask for its version
			o := installOptions("")
			o.Agent, o.Scope, o.DryRun = agent, install.User, true
			var out, warn bytes.Buffer
			i := &installer{o: o, invoked: program, in: strings.NewReader("d\nn\n"), out: &out, warn: &warn}
			r, err := i.install(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			list := []candidate{{Found: install.Found{Agent: agent, Title: r.Agent}, report: r}}
			if err := i.choose(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			short := out.String()
			if n := strings.Count(short, "\n"); n > 10 || !strings.Contains(short, program+"' hook claude") && !strings.Contains(short, program+" hook opencode") {
				t.Errorf("%d lines:\n%s", n, short)
			}
			out.Reset()
			i.in = strings.NewReader("f\nn\n")
			if err := i.choose(t.Context(), list); err != nil || !strings.Contains(out.String(), diffText(r.Diff)) {
				t.Errorf("the whole difference is not shown: %v\n%s", err, out.String())
			}
		})
	}
}

func TestChangeWords(t *testing.T) {
	home, program := installHome(t)
	t.Setenv("PATH", home)
	file := filepath.Join(home, "s.json")
	o := installOptions(file)
	i := &installer{o: o, invoked: program, out: &bytes.Buffer{}, warn: &bytes.Buffer{}}
	check := func(want string) {
		t.Helper()
		dry := *i
		dry.o.DryRun = true
		r, err := dry.install(t.Context())
		if got := changeWords(r); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	check("a new file with 13 hooks")
	if err := os.WriteFile(file, []byte(`{"model":"opus"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	check("adds 13 hooks; nothing else changes")
	if _, err := i.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.o.Timeout *= 2
	check("13 hooks of aoctl brought up to date (13 so far); nothing else changes")
}
