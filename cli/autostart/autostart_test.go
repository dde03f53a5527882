package autostart

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// atHome has a home folder of the test's own.
func atHome(t *testing.T) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	for _, name := range kept {
		t.Setenv(name, "")
	}
}

// What a program, a path or a variable has in it stays one word, and expands to nothing.
func TestUnit(t *testing.T) {
	atHome(t)
	s := systemd("/home/ada", []string{`/opt/my tools/100%/ao"ctl`, "serve", "--socket", `/run/$HOME/b.sock`}, []string{"PATH=/usr/bin:/opt/my tools", `AOCTL_HOME=/a\b`})
	for _, line := range []string{
		`ExecStart="/opt/my tools/100%%/ao\"ctl" "serve" "--socket" "/run/$$HOME/b.sock"`,
		`Environment="PATH=/usr/bin:/opt/my tools"`, `Environment="AOCTL_HOME=/a\\b"`,
		"KillMode=process", "Restart=on-failure",
	} {
		if !strings.Contains(s.Text, "\n"+line+"\n") {
			t.Errorf("the unit lacks %s:\n%s", line, s.Text)
		}
	}
	if want := "/home/ada/.config/systemd/user/aoctl.service"; s.File != want {
		t.Errorf("it is %s, not %s", s.File, want)
	}
}

// systemd itself finds nothing wrong in the unit.
func TestUnitVerifies(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("needs systemd-analyze")
	}
	atHome(t)
	t.Setenv("PATH", "/usr/bin")
	program := filepath.Join(t.TempDir(), "my aoctl")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := Of(program, "serve")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), analyze, "verify", "--user", s.File)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	said, err := cmd.CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Errorf("%v: %s\n%s", err, said, s.Text)
	}
}

func TestPropertyList(t *testing.T) {
	s := launchd("/Users/ada", []string{"/opt/a&b/aoctl", "serve"}, []string{"PATH=/usr/bin:<x>"})
	for _, want := range []string{"<string>/opt/a&amp;b/aoctl</string>\n\t\t<string>serve</string>", "<key>PATH</key><string>/usr/bin:&lt;x&gt;</string>", "<key>AbandonProcessGroup</key><true/>"} {
		if !strings.Contains(s.Text, want) {
			t.Errorf("it lacks %s:\n%s", want, s.Text)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(s.Text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, s.Text)
		}
	}
}

// What a person wrote into the file is kept; what aoctl wrote is replaced and removed without a word.
func TestEditedIsKept(t *testing.T) {
	atHome(t)
	one, err := Of("/opt/one/aoctl", "serve")
	if err != nil {
		t.Fatal(err)
	}
	two, err := Of("/opt/two/aoctl", "serve")
	if err != nil {
		t.Fatal(err)
	}
	must := func(w Written, err error) Written {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	if w := must(one.Write()); w != (Written{Changed: true}) {
		t.Errorf("the first time: %+v", w)
	}
	if w := must(one.Write()); w != (Written{}) {
		t.Errorf("once more: %+v", w)
	}
	if there, same := two.Installed(); !there || same {
		t.Errorf("of another program: %t, %t", there, same)
	}
	if w := must(two.Write()); w != (Written{Changed: true}) {
		t.Errorf("of another program: %+v", w)
	}
	const mine = "# mine\n"
	if err := os.WriteFile(two.File, []byte(two.Text+mine), 0o600); err != nil {
		t.Fatal(err)
	}
	w := must(one.Write())
	if kept, err := os.ReadFile(w.Aside); err != nil || !strings.HasSuffix(string(kept), mine) {
		t.Errorf("kept %q, %v", kept, err)
	}
	if there, same := one.Installed(); !there || !same {
		t.Errorf("written over an edited one: %t, %t", there, same)
	}
	if w := must(one.Remove()); w != (Written{Changed: true}) {
		t.Errorf("removed: %+v", w)
	}
	if there, _ := one.Installed(); there {
		t.Error("it is still there")
	}
	if w := must(one.Remove()); w != (Written{}) {
		t.Errorf("removed twice: %+v", w)
	}
}

// A line break would make another line of the unit.
func TestNoLineBreak(t *testing.T) {
	atHome(t)
	t.Setenv("PATH", "/bin\nExecStartPre=/bin/evil")
	if s, err := Of("/opt/aoctl", "serve"); err == nil {
		t.Errorf("it made\n%s", s.Text)
	}
}
