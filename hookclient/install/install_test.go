package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/installtest"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// home makes an empty home with a working folder, and returns options for the user's settings.
func home(t *testing.T) (Options, string) {
	t.Helper()
	dir, bin := installtest.Home(t)
	return Options{
		Agent: "claude", Mode: Gate, Timeout: time.Minute, Program: Program{Path: bin, Console: Console{Socket: "/run/user/1/aoctl/broker.sock"}},
		Version: "2.1.329", Now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), ManagedDir: filepath.Join(dir, "managed"),
	}, filepath.Join(dir, ".claude", "settings.json")
}

func install(t *testing.T, o Options) Report {
	t.Helper()
	r, err := Install(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func uninstall(t *testing.T, o Options) Report {
	t.Helper()
	r, err := Uninstall(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestInstallPlaces(t *testing.T) {
	for name, tc := range map[string]struct {
		set  func(o *Options, dir string)
		want string // relative to HOME
	}{
		"user":    {func(*Options, string) {}, ".claude/settings.json"},
		"project": {func(o *Options, _ string) { o.Scope = Project }, "work/.claude/settings.local.json"},
		"file":    {func(o *Options, _ string) { o.Scope, o.File = File, "my.json" }, "work/my.json"},
		"config dir": {func(_ *Options, dir string) {
			t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(dir, "conf"))
		}, "conf/settings.json"},
	} {
		t.Run(name, func(t *testing.T) {
			o, _ := home(t)
			tc.set(&o, os.Getenv("HOME"))
			r := install(t, o)
			want := filepath.Join(os.Getenv("HOME"), tc.want)
			if r.File != want || !r.Created || !strings.Contains(installtest.Read(t, want), "PreToolUse") {
				t.Errorf("installed into %s (created %v), want %s", r.File, r.Created, want)
			}
			info, err := os.Stat(want)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("mode of the new file = %v, %v", info.Mode(), err)
			}
			if r = uninstall(t, o); !r.Deleted || r.Removed != len(ClaudeEvents()) {
				t.Errorf("uninstall: %+v", r)
			}
			if _, err = os.Stat(want); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is still there: %v", want, err)
			}
			if r = uninstall(t, o); r.Changed {
				t.Errorf("second uninstall changed something: %+v", r)
			}
		})
	}
}

func TestInstallTwice(t *testing.T) {
	o, path := home(t)
	installtest.Put(t, path, "{\"model\": \"opus\"}")
	first := install(t, o)
	text := installtest.Read(t, path)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	second := install(t, o)
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Changed || second.Changed || second.Backup != "" || installtest.Read(t, path) != text || !os.SameFile(before, after) {
		t.Errorf("first: changed %v; second: changed %v, backup %q", first.Changed, second.Changed, second.Backup)
	}
	if installtest.Read(t, first.Backup) != "{\"model\": \"opus\"}" {
		t.Errorf("backup %s holds %q", first.Backup, installtest.Read(t, first.Backup))
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	o, path := home(t)
	o.DryRun = true
	if r := install(t, o); !strings.Contains(r.Diff, "--- /dev/null") || !strings.Contains(r.Diff, `+    "PreToolUse"`) {
		t.Errorf("diff of a new file:\n%s", r.Diff)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dry run made %s: %v", filepath.Dir(path), err)
	}
	installtest.Put(t, path, "{}\n")
	install(t, o)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || installtest.Read(t, path) != "{}\n" {
		t.Errorf("a dry run left %v, %v", entries, err)
	}
	o.DryRun = false
	install(t, o)
	text := installtest.Read(t, path)
	o.DryRun = true
	if r := uninstall(t, o); !r.Changed || !strings.Contains(r.Diff, `-    "PreToolUse"`) || installtest.Read(t, path) != text {
		t.Errorf("dry uninstall: %+v", r)
	}
}

// A link to a file in a dotfiles folder stays a link; the file behind it changes.
func TestInstallThroughLink(t *testing.T) {
	for name, text := range map[string]string{"existing": "{\n\t\"a\": 1\n}\n", "dangling": ""} {
		t.Run(name, func(t *testing.T) {
			o, path := home(t)
			real := filepath.Join(os.Getenv("HOME"), "dotfiles", "claude.json")
			installtest.Put(t, real, text)
			if text == "" {
				if err := os.Remove(real); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../dotfiles/claude.json", path); err != nil {
				t.Fatal(err)
			}
			r := install(t, o)
			if r.File != path || r.Target != real || !strings.Contains(installtest.Read(t, real), "PreToolUse") {
				t.Errorf("report %+v, file behind the link: %s", r, installtest.Read(t, real))
			}
			if to, err := os.Readlink(path); err != nil || to != "../dotfiles/claude.json" {
				t.Errorf("the link is gone: %q, %v", to, err)
			}
			uninstall(t, o)
			got, err := os.ReadFile(real)
			if string(got) != text || (text == "") != errors.Is(err, fs.ErrNotExist) {
				t.Errorf("after removal: %q, %v", got, err)
			}
		})
	}
}

func TestInstallKeepsMode(t *testing.T) {
	o, path := home(t)
	installtest.Put(t, path, "{}")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	r := install(t, o)
	for _, name := range []string{path, r.Backup} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("mode of %s = %v, %v; want 0640", name, info.Mode(), err)
		}
	}
}

func TestInstallRefusals(t *testing.T) {
	o, path := home(t)
	installtest.Put(t, path, "{\n  // mine\n}\n")
	_, err := Install(o)
	if syntax, ok := errors.AsType[*jsonc.SyntaxError](err); !ok || !strings.HasPrefix(syntax.Error(), path+":2:3: a comment; ") {
		t.Errorf("broken file: %v", err)
	}
	if _, err = Uninstall(o); err == nil || !strings.HasPrefix(err.Error(), path+":2:3: ") {
		t.Errorf("uninstall from a broken file: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
	for name, tc := range map[string]struct {
		change func(o *Options)
		want   string
		usage  bool
	}{
		"unknown agent":  {func(o *Options) { o.Agent = "clawd" }, `unknown agent "clawd"`, true},
		"unknown mode":   {func(o *Options) { o.Mode = "all" }, `unknown mode "all"`, true},
		"no file":        {func(o *Options) { o.Scope = File }, "no settings file named", true},
		"no time":        {func(o *Options) { o.Timeout = 0 }, "a timeout of 0s is out of range", true},
		"negative":       {func(o *Options) { o.Timeout = -time.Minute }, "out of range", true},
		"two days":       {func(o *Options) { o.Timeout = 48 * time.Hour }, "out of range", true},
		"go run":         {func(o *Options) { o.Program.Path = "/tmp/go-build123/b001/exe/aoctl" }, "temporary build", false},
		"go's cache":     {func(o *Options) { o.Program.Path = "/home/ana/.cache/go-build/0a/0abc-d/aoctl" }, "temporary build", false},
		"relative":       {func(o *Options) { o.Program.Path = "./aoctl" }, "no absolute path", false},
		"not UTF-8":      {func(o *Options) { o.Program.Path = "/opt/\xff/aoctl" }, "not valid UTF-8", false},
		"a folder":       {func(o *Options) { o.Scope, o.File = File, "." }, "not a regular file", false},
		"missing folder": {func(o *Options) { o.Scope, o.File = File, "no/where.json" }, "no such file", false},
	} {
		t.Run(name, func(t *testing.T) {
			o := o
			tc.change(&o)
			_, err := Install(o)
			_, usage := errors.AsType[*UsageError](err)
			if err == nil || !strings.Contains(err.Error(), tc.want) || usage != tc.usage {
				t.Errorf("got %v (usage %v), want %q (usage %v)", err, usage, tc.want, tc.usage)
			}
		})
	}
}

// Edits made between installing and removing survive.
func TestUninstallKeepsLaterEdits(t *testing.T) {
	o, path := home(t)
	installtest.Put(t, path, "{\n  \"model\": \"opus\",\n  \"hooks\": {}\n}\n")
	install(t, o)
	installtest.Put(t, path, strings.Replace(installtest.Read(t, path), `"opus"`, `"sonnet"`, 1))
	r := uninstall(t, o)
	if want := "{\n  \"model\": \"sonnet\"\n}\n"; r.Restored || installtest.Read(t, path) != want {
		t.Errorf("restored %v, got %q, want %q", r.Restored, installtest.Read(t, path), want)
	}
}

func TestFindProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "aoctl")
	if err = os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	check := func(invoked string, want Program) {
		t.Helper()
		got, err := FindProgram(invoked)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("FindProgram(%q): %v (-want +got):\n%s", invoked, err, diff)
		}
	}
	check(link, Program{Path: link, Args: []string{"hook"}})
	check("aoctl", Program{Path: link, Args: []string{"hook"}})
	check("something-else", Program{Path: self, Args: []string{"hook"}})
	small := filepath.Join(dir, "aoctl-hook")
	installtest.Put(t, small, "#!/bin/sh\n")
	check("aoctl", Program{Path: link, Args: []string{"hook"}}) // not executable
	if err = os.Chmod(small, 0o700); err != nil {
		t.Fatal(err)
	}
	check("aoctl", Program{Path: small})
}

// Installing and removing gives the very bytes back, whatever the settings look like.
func TestRoundTripProperty(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts no goroutine")
	}
	o, path := home(t)
	rapid.Check(t, func(rt *rapid.T) {
		if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			rt.Fatal(err)
		}
		text, exists := settingsText(rt), rapid.IntRange(0, 9).Draw(rt, "no file") > 0
		if exists {
			installtest.Put(t, path, text)
		}
		o := o
		for range rapid.IntRange(1, 3).Draw(rt, "installations") {
			o.Mode = rapid.SampledFrom(Modes()).Draw(rt, "mode")
			o.Timeout = time.Duration(rapid.IntRange(1, 100).Draw(rt, "minutes")) * time.Minute
			o.Now = o.Now.Add(time.Second)
			if _, err := Install(o); err != nil {
				rt.Fatalf("install into %q: %v", text, err)
			}
		}
		if _, err := Uninstall(o); err != nil {
			rt.Fatalf("uninstall: %v", err)
		}
		got, err := os.ReadFile(path)
		if string(got) != text && exists || exists != (err == nil) {
			rt.Fatalf("before %q\nafter  %q, %v", text, got, err)
		}
	})
}

// An installation without a console that a hook could ask would refuse every call, or ask
// whatever the environment names.
func TestInstallNeedsAConsole(t *testing.T) {
	o, path := home(t)
	for _, at := range []Console{
		{},
		{Socket: "s"},
		{Socket: "/" + strings.Repeat("s", 200)},
		{Socket: "/s\xff"},
		{Socket: "/s", URL: "http://localhost:1"},
		{Socket: "/s", TokenFile: "/t"},
		{URL: "http://console.example:1"},
		{URL: "http://localhost:1", TokenFile: "t"},
	} {
		o.Program.Console = at
		var usage *UsageError
		if _, err := Install(o); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", at, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
	// Whatever the socket is called, the line holds it as one word.
	o.Program.Console = Console{Socket: "/a b/it's $HOME/`s`"}
	install(t, o)
	f, err := ParseClaude([]byte(installtest.Read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	command := f.Root.Member("hooks").Member("PreToolUse").Items[0].Children("hooks")[0].Member("command").Text
	if l, ok := hookline.Read(command, "claude"); !ok || l.Console != o.Program.Console || !hookline.IsOurs(command, "claude") {
		t.Errorf("%s is read as %+v", command, l)
	}
}
