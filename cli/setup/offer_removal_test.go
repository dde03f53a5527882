package setup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/install"
)

// installedFor is an installer that removes, in a home where these agents have hooks of
// aoctl in settings that held something before.
func installedFor(t *testing.T, agents ...string) (i *installer, out *bytes.Buffer) {
	t.Helper()
	home, program := installHome(t)
	t.Setenv("PATH", home) // no agent to ask for its version
	out = &bytes.Buffer{}
	i = &installer{o: installOptions(""), invoked: program, out: out, warn: &bytes.Buffer{}}
	i.o.Scope = install.User
	for _, agent := range agents {
		file := filepath.Join(home, "."+agent, "settings.json")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(`{"a": 1}`), 0o600)); err != nil {
			t.Fatal(err)
		}
		i.o.Agent = agent
		if _, err := i.install(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	i.remove = true
	return i, out
}

// Only agents with hooks are asked about, and only those answered with yes lose them.
func TestUninstallAsks(t *testing.T) {
	i, out := installedFor(t, "claude", "gemini")
	list := i.removals()
	if len(list) != 2 || list[0].removalState() != "13 hooks in "+list[0].report.File {
		t.Fatalf("asked about %+v", list)
	}
	i.in = strings.NewReader("n\nd\ny\n")
	if err := i.choose(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Take them out for Claude Code? [y]es, [n]o, [a]ll the rest, [d]iff, [q]uit: ", "as it was before the installation",
		"Removed ", "2 backups of it, yours to delete, and nothing else:\n           " + list[1].report.File + ".aoctl-backup-", "Left out: Claude Code.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not said:\n%s", want, out.String())
		}
	}
	left := i.removals()
	if len(left) != 1 || left[0].Agent != "claude" {
		t.Fatalf("hooks are left in %+v", left)
	}
	left[0].only = true
	if got := i.question(left[0]); got != "Take them out for Claude Code? [y]es, [n]o, [d]iff: " {
		t.Errorf("the last one is asked about with %q", got)
	}
}

// A file that held nothing but hooks goes, and no backup of it stays.
func TestUninstallLeavesNothing(t *testing.T) {
	i, out := installedFor(t)
	i.remove = false
	i.o.Agent = "claude"
	r, err := i.install(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i.remove = true
	if err := i.one(t.Context()); err != nil || !strings.Contains(out.String(), "left     no backup, and nothing else\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if _, err := os.Stat(r.File); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", r.File, err)
	}
}

// A script that names no agent must not take its success for a removal.
func TestUninstallWithoutTerminal(t *testing.T) {
	i, _ := installedFor(t, "claude", "gemini")
	for want, agents := range map[string]int{"claude, gemini; take them out with: aoctl uninstall all": 2, "claude; take them out with: aoctl uninstall claude": 1, "no agent has hooks": 0} {
		list := i.removals()
		u, ok := errors.AsType[usage.Error](unnamed(list[:agents]))
		if !ok || !strings.Contains(u.Hint, want) {
			t.Errorf("%d agents: %+v", agents, u)
		}
	}
	if err := i.offerRemoval(t.Context()); err == nil {
		t.Error("it succeeded without an answer")
	}
}
