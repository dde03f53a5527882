package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// folder makes a folder that is gone after the test. Commands in the background may
// still write to it then, which is no failure.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "shell") //nolint:usetesting // TempDir fails when the folder is in use at the end
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// recorders makes a folder of harmless programs that write down how they were called.
func recorders(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(folder(t), "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nx=$(printf '%s\\037' \"${0##*/}\" \"$@\"; printf '\\036')\nprintf %s \"$x\" >> \"$REC\"\n"
	for _, name := range []string{"m1", "m2", "m3"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"env", "cat"} {
		if p, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(p, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return bin
}

// ran runs a line in bash, in a folder of its own, and gives the commands that did run.
func ran(t *testing.T, bash, bin, line string) []string {
	t.Helper()
	dir := folder(t)
	if err := os.Mkdir(filepath.Join(dir, "f"), 0o700); err != nil {
		t.Fatal(err)
	}
	rec := filepath.Join(dir, "rec")
	c := exec.CommandContext(t.Context(), bash, "-c", line)
	c.Dir = dir
	c.Env = []string{"PATH=" + bin, "HOME=/nowhere", "REC=" + rec}
	_ = c.Run() // most of these lines fail; what has run before is what counts
	out, err := os.ReadFile(rec)
	if err != nil {
		return nil
	}
	var commands []string
	for _, one := range strings.Split(string(out), "\036") {
		if one != "" {
			commands = append(commands, strings.TrimSuffix(one, "\037"))
		}
	}
	return commands
}

// TestShellsRunThese runs lines in bash, to see that what the cases of other tests say is so.
// scripts/shells.sh does so with generated lines in all shells.
func TestShellsRunThese(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not here")
	}
	bin := recorders(t)
	for _, line := range []string{
		"m1 a | m2 b && m3 c", "x=v; m1 $x \"$x\"", "for i in a b; do m1 \"$i\"; done", "m1 {a,b}{1..2} x{,.y}", "f() { m1; }; f",
		"m1 \"$(cat <<'E'\nx $(y)\n\nE\n)\"", "m1 'a b' \"c d\" e\\ f $'g\\th'", "m1 \\\n a", "eval 'm1 a' b", "if m1; then m2; fi",
		"env A=1 m1 x", "m1 $((2*(3+4)))", "m1 a#b '#' # c", "m1 a;m2 b&m3", "case a in a) m1;; esac", "m1 <<E\n$(m2)\nE",
		"cd f && m1", "! m1 || m2", "{ m1; (m2); }", "m1 \"$(m2)\" > f 2>&1", "x= ; m1 $x b", "m1 \"a\"'b'c\\d",
	} {
		l := Parse(line)
		listed := make(map[string]bool)
		for _, e := range l.Elements {
			listed[strings.Join(e.Argv, "\037")] = true
		}
		commands := ran(t, bash, bin, line)
		if len(commands) == 0 {
			t.Errorf("%q runs nothing", line)
		}
		for _, one := range commands {
			if !listed[one] && !strings.Contains(line, "$(m2)") {
				t.Errorf("%q runs %q, which is not in %s", line, one, show(l))
			}
		}
	}
}
