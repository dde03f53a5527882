package setup

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/install"
)

// installHome makes an empty home and a link called aoctl to this program in it: the
// test's own path is a temporary one, which is refused.
func installHome(t *testing.T) (home, program string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("AOCTL_HOME", filepath.Join(home, "state"))
	t.Setenv("TMPDIR", filepath.Join(home, "tmp"))
	t.Chdir(home)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(home, "aoctl")
	if err = os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	return home, program
}

func installOptions(file string) install.Options {
	return install.Options{
		Agent: "claude", Scope: install.File, File: file, Mode: install.Gate, Timeout: 10 * time.Minute,
		Now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), ManagedDir: os.DevNull,
		Program: install.Program{Console: install.Console{Socket: "/run/user/1/aoctl/broker.sock"}},
	}
}

func TestInstallAndUninstallSay(t *testing.T) {
	home, program := installHome(t)
	file := filepath.Join(home, "settings.json")
	if err := os.WriteFile(file, []byte(`{"disableAllHooks": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o := installOptions("settings.json")
	var out, warn bytes.Buffer
	if err := installHooks(o, program, &out, &warn); err != nil {
		t.Fatal(err)
	}
	backup := file + ".aoctl-backup-20261120T100000.000Z"
	for _, want := range []string{
		"Installed for Claude Code.\n", file, "gate (PreToolUse)", "PostToolUse, PostToolUseFailure, UserPromptSubmit",
		"10m to answer", "after 11m\n", program + " hook\n", "asks        /run/user/1/aoctl/broker.sock", backup, "claude --settings settings.json", "aoctl\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not said in:\n%s", want, out.String())
		}
	}
	if !strings.Contains(warn.String(), `aoctl: warning: `+file+` has "disableAllHooks": true`) {
		t.Errorf("warnings:\n%s", warn.String())
	}
	out.Reset()
	if err := installHooks(o, program, &out, &warn); err != nil || !strings.HasPrefix(out.String(), "Already installed for Claude Code") {
		t.Errorf("second time: %v\n%s", err, out.String())
	}
	out.Reset()
	o.Now = o.Now.Add(time.Hour)
	if err := uninstallHooks(o, &out, &warn); err != nil || !strings.Contains(out.String(), "Removed 13 hooks") ||
		!strings.Contains(out.String(), "as it was before the installation") {
		t.Errorf("uninstall: %v\n%s", err, out.String())
	}
	out.Reset()
	if err := uninstallHooks(o, &out, &warn); err != nil || out.String() != "Nothing of aoctl is installed in "+file+".\n" {
		t.Errorf("second uninstall: %v\n%s", err, out.String())
	}
}

// A settings file is somebody's text: what it holds must not act on the terminal that a
// diff of it is printed to.
func TestInstallDryRunIsSafeToPrint(t *testing.T) {
	home, program := installHome(t)
	file := filepath.Join(home, "settings.json")
	text := "{\r\n\t\"a\": \"\u009b31m \u202e \x7f\",\r\n                \"b\": 1\r\n}"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := installOptions(file)
	o.DryRun = true
	var out, warn bytes.Buffer
	if err := installHooks(o, program, &out, &warn); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(out.String(), func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r <= 0x9f || r == '\u202e'
	}); i >= 0 {
		t.Errorf("unsafe character at %d in %q", i, out.String())
	}
	for _, want := range []string{"\n+++ " + file, `+	"hooks": {\x0d`, "\n-                \"b\": 1\\x0d\n", `\u{202e}`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the diff:\n%s", want, out.String())
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != text {
		t.Errorf("a dry run wrote %q, %v", got, err)
	}
}

func TestInstallUsage(t *testing.T) {
	installHome(t)
	for name, tc := range map[string]struct {
		cmd  *cobra.Command
		args []string
		want string
	}{
		"no agent":         {newUninstallCommand(), nil, "needs the name of an agent"},
		"two agents":       {newInstallCommand(), []string{"claude", "codex"}, "takes one argument, got 2"},
		"unknown agent":    {newUninstallCommand(), []string{"clawd"}, `unknown agent "clawd"`},
		"two places":       {newInstallCommand(), []string{"claude", "--user", "--project"}, "not several"},
		"place and file":   {newUninstallCommand(), []string{"claude", "--project", "--settings", "x"}, "not several"},
		"empty file name":  {newInstallCommand(), []string{"claude", "--settings", ""}, "no settings file named"},
		"unknown mode":     {newInstallCommand(), []string{"claude", "--mode", "all"}, `unknown mode "all"`},
		"timeout too long": {newInstallCommand(), []string{"claude", "--timeout", "25h"}, "out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.cmd.SetArgs(append([]string{}, tc.args...))
			tc.cmd.SilenceErrors, tc.cmd.SilenceUsage = true, true
			err := tc.cmd.Execute()
			if _, ok := errors.AsType[usage.Error](err); !ok || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %T %v, want a usage error with %q", err, err, tc.want)
			}
		})
	}
}

func TestInstallRefusesTemporaryBuild(t *testing.T) {
	home, _ := installHome(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", filepath.Dir(self))
	err = installHooks(installOptions(filepath.Join(home, "s.json")), self, &bytes.Buffer{}, &bytes.Buffer{})
	if !errors.Is(err, install.ErrTemporary) {
		t.Errorf("got %v, want ErrTemporary", err)
	}
}

func TestInstallPlaceFlags(t *testing.T) {
	for want, args := range map[install.Scope][]string{
		install.User:    {"--user"},
		install.Project: {"--project"},
		install.File:    {"--settings", "x.json"},
	} {
		var f settingsFlags
		cmd := &cobra.Command{}
		f.add(cmd)
		if err := cmd.ParseFlags(append(args, "--dry-run")); err != nil {
			t.Fatal(err)
		}
		o := f.options(cmd, "claude")
		if o.Scope != want || !o.DryRun || o.Agent != "claude" || (o.File == "x.json") != (want == install.File) {
			t.Errorf("%q: %+v", args, o)
		}
	}
}

func TestInstallCompletesAgents(t *testing.T) {
	got, _ := newInstallCommand().ValidArgsFunction(nil, nil, "")
	if strings.Join(got, " ") != "claude codex gemini qwen opencode copilot cursor all" {
		t.Errorf("completion offers %q", got)
	}
	if got, _ = newUninstallCommand().ValidArgsFunction(nil, []string{"claude"}, ""); len(got) != 0 {
		t.Errorf("completion offers a second agent: %q", got)
	}
}

// installHooks installs what o says for the aoctl that was called as invoked.
func installHooks(o install.Options, invoked string, out, warn io.Writer) error {
	i := &installer{o: o, invoked: invoked, out: out, warn: warn}
	return i.one(context.Background())
}

func uninstallHooks(o install.Options, out, warn io.Writer) error {
	i := &installer{o: o, remove: true, out: out, warn: warn}
	return i.one(context.Background())
}
