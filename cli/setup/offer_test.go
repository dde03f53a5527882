package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/hookclient/install"
)

// What was answered with yes is done, although a later answer leaves out the rest.
func TestChooseDoesWhatWasAnswered(t *testing.T) {
	for answers, want := range map[string]struct {
		files string
		says  string
	}{
		"y\nq\n":        {"claude", "Left out: Gemini CLI, Qwen Code."},
		"n\ny\nn\n":     {"gemini", "Left out: Claude Code, Qwen Code."},
		"n\na\n":        {"gemini qwen", "Left out: Claude Code."},
		"maybe\ny\na\n": {"claude gemini qwen", "Installed for Qwen Code."},
		"q\n":           {"", "Nothing was changed."},
		"y\ny\n":        {"", "Nothing was changed."}, // and then the input ends
	} {
		t.Run(answers, func(t *testing.T) {
			home, program := installHome(t)
			t.Setenv("PATH", home) // no agent to ask for its version
			o := installOptions("")
			o.Scope = install.User
			var out, warn bytes.Buffer
			i := &installer{o: o, invoked: program, in: strings.NewReader(answers), out: &out, warn: &warn}
			var list []candidate
			for _, agent := range []string{"claude", "gemini", "qwen"} {
				list = append(list, candidate{
					Found:  install.Found{Agent: agent, Title: install.Title(agent)},
					report: install.Report{Changed: true},
				})
			}
			if err := i.choose(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			var files []string
			for _, agent := range []string{"claude", "gemini", "qwen"} {
				if _, err := os.Stat(filepath.Join(home, "."+agent, "settings.json")); err == nil {
					files = append(files, agent)
				}
			}
			if got := strings.Join(files, " "); got != want.files {
				t.Errorf("installed for %q, want %q", got, want.files)
			}
			if !strings.Contains(out.String(), want.says) || want.files != "" && strings.Contains(out.String(), "Nothing was changed") {
				t.Errorf("it does not say %q:\n%s", want.says, out.String())
			}
			const atOnce = "Running sessions of Claude Code use the hooks within seconds."
			if strings.Contains(out.String(), atOnce) != strings.HasPrefix(want.files, "claude") {
				t.Errorf("what running sessions do is not said:\n%s", out.String())
			}
		})
	}
}

// An agent without our hook was found all the same, and the line says so.
func TestCandidateState(t *testing.T) {
	for want, c := range map[string]candidate{
		"found, no aoctl hook yet → /h/s.json (new)": {report: install.Report{File: "/h/s.json", Changed: true, Created: true}},
		"found, no aoctl hook yet → /h/s.json":       {report: install.Report{File: "/h/s.json", Changed: true}},
		"installed, but out of date → /h/s.json":     {Found: install.Found{Installed: true}, report: install.Report{File: "/h/s.json", Changed: true}},
		"installed": {Found: install.Found{Installed: true}, report: install.Report{File: "/h/s.json"}},
	} {
		if got := c.state(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
