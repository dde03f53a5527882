package check

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/installtest"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// checking makes options for a check in the current folder, with a program of ours and no
// agent on PATH, and the installed gate of Claude Code.
func checking(t *testing.T) (Options, string) {
	t.Helper()
	o, path := home(t)
	t.Setenv("PATH", t.TempDir())
	for _, name := range []string{"CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "OPENCODE_PURE", "GEMINI_CLI_TRUST_WORKSPACE"} {
		t.Setenv(name, "")
	}
	installed(t, o)
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Project: wd, Program: o.Program, Now: o.Now, ManagedDir: o.ManagedDir,
		Processes: func() ([]Process, error) { return nil, nil },
		Version:   func(context.Context, string) (string, error) { return "1.2.3", nil },
	}, path
}

// reportOn checks and returns what was said of one agent.
func reportOn(t *testing.T, o Options, agent string) Report {
	t.Helper()
	for _, r := range All(t.Context(), o) {
		if r.Agent == agent {
			return r
		}
	}
	t.Fatalf("no report on %s", agent)
	return Report{}
}

// wantFinding checks that one finding has this status and name and holds the words; with
// no name, that nothing failed or warns.
func wantFinding(t *testing.T, r Report, status Status, name, words string) {
	t.Helper()
	for _, f := range r.Findings {
		if name == "" && (f.Status == Fail || f.Status == Warn) {
			t.Errorf("%s %s: %s", f.Status, f.Name, f.Seen)
		}
		if f.Name == name && f.Status == status && strings.Contains(f.Seen, words) {
			return
		}
	}
	if name != "" {
		t.Errorf("no %s %q with %q in %+v", status, name, words, r.Findings)
	}
}

func TestCheckClaudeGate(t *testing.T) {
	o, path := checking(t)
	good := installtest.Read(t, path)
	for _, name := range []string{"other", "open"} {
		script := filepath.Join(filepath.Dir(o.Program.Path), name, "aoctl-hook")
		installtest.Put(t, script, "#!/bin/sh\n")
		if err := os.Chmod(script, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(filepath.Dir(o.Program.Path), "open"), 0o777); err != nil {
		t.Fatal(err)
	}
	gate := func(from, to string) string {
		begin := strings.Index(good, "PreToolUse")
		end := begin + strings.Index(good[begin:], "]")
		part := strings.Replace(good[begin:end], from, to, 1)
		if part == good[begin:end] {
			t.Fatalf("%q is not in %s", from, part)
		}
		return good[:begin] + part + good[end:]
	}
	for name, tc := range map[string]struct {
		text   string
		status Status
		find   string
		words  string
	}{
		"gate":              {good, OK, "gate", "PreToolUse (gate)"},
		"program":           {good, OK, "hook program", "this aoctl"},
		"console":           {good, OK, "console", "asks /run/user/1/aoctl/broker.sock"},
		"unpinned":          {strings.ReplaceAll(good, " --socket '/run/user/1/aoctl/broker.sock'", ""), Warn, "console", "does not say where to ask"},
		"pinned in part":    {gate(" --socket '/run/user/1/aoctl/broker.sock'", " --socket '/x'"), Warn, "console", "asks /x, and a console started here listens on /run/user/1"},
		"user's variable":   {strings.Replace(good, "{", `{"env": {"AOCTL_TOKEN": "aoctl_ask_x"},`, 1), Warn, "variables", "sets AOCTL_TOKEN"},
		"other program":     {strings.ReplaceAll(good, "aoctl-hook'", "other/aoctl-hook'"), Fail, "hook program", "is not aoctl"},
		"open program":      {strings.ReplaceAll(good, "aoctl-hook'", "open/aoctl-hook'"), Fail, "hook program", "open can be written by everybody"},
		"own form":          {gate(gateGuard+shut, "; true; }"), Warn, "gate", "calls aoctl in a form that aoctl does not know"},
		"timeout":           {gate(`"timeout": 120`, `"timeout": 30`), Fail, "timeout", "the call runs"},
		"short grace":       {gate(`"timeout": 120`, `"timeout": 70`), Warn, "timeout", "less than 1m0s between them"},
		"no timeout":        {gate(`"timeout": 120,`, ``), OK, "timeout", "after 10m0s (without a timeout of its own)"},
		"unguarded":         {gate(gateGuard+shut, "; }"), Fail, "command", "not guarded"},
		"other guard":       {gate(gateGuard, " || exit 2"), Warn, "command", "not as aoctl writes it"},
		"guard exits 1":     {gate("exit 2", "exit 1"), Fail, "command", "not guarded"},
		"no switch":         {gate(`"onFailure": "block",`, ``), Fail, "fail-closed", "lets the call run"},
		"continues":         {gate(`"block"`, `"continue"`), Fail, "fail-closed", "lets the call run"},
		"matcher":           {gate(`"matcher": "*"`, `"matcher": "Bash"`), Fail, "matcher", `"Bash" are asked about`},
		"async":             {gate(`"type"`, `"async": true, "type"`), Fail, "handler", "async"},
		"if":                {gate(`"type"`, `"if": "Bash(git *)", "type"`), Fail, "handler", `"if"`},
		"not async":         {gate(`"type"`, `"async": false, "type"`), OK, "gate", ""},
		"untold":            {strings.Replace(good, `"Stop"`, `"Later"`, 1), Warn, "events", "does not hear of Stop"},
		"unasked texts":     {strings.Replace(good, `"UserPromptExpansion"`, `"Later"`, 1), Fail, "events", "no hook on UserPromptExpansion: shell commands"},
		"texts let through": {letThrough(good), Fail, "events", "the hook on UserPromptExpansion is not as aoctl writes it"},
		"unasked settings":  {strings.Replace(good, `"ConfigChange"`, `"Later"`, 1), Fail, "events", "no hook on ConfigChange"},
		"deaf settings":     {strings.Replace(good, `"timeout": 70`, `"timeout": 5`, 1), Fail, "events", "not as aoctl writes it"},
		"missing program":   {strings.ReplaceAll(good, "aoctl-hook'", "gone/aoctl-hook'"), Fail, "hook program", "there is no such file"},
		"off":               {strings.Replace(good, "{", `{"disableAllHooks": true,`, 1), Fail, "settings", "no hook runs"},
		"broken":            {strings.TrimRight(good, "\n }"), Fail, "settings", "ignores this whole file"},
		"void":              {strings.Replace(good, "{", `{"model": 5,`, 1), Fail, "settings", "ignores this whole file"},
		"shape":             {strings.Replace(good, `"timeout": 120`, `"timeout": "120"`, 1), Fail, "settings", "hooks in this file do not run"},
	} {
		t.Run(name, func(t *testing.T) {
			installtest.Put(t, path, tc.text)
			wantFinding(t, reportOn(t, o, "claude"), tc.status, tc.find, tc.words)
		})
	}
}

// What Check offers to mend, it mends: then the same check finds nothing.
func TestCheckMends(t *testing.T) {
	o, path := checking(t)
	good := installtest.Read(t, path)
	for name, bad := range map[string]string{
		"guard":   strings.Replace(good, gateGuard+shut, shut, 1),
		"switch":  strings.Replace(good, `"onFailure": "block",`, "", 1),
		"matcher": strings.Replace(good, `"matcher": "*"`, `"matcher": "Bash"`, 1),
		"events":  strings.Replace(good, `"Stop"`, `"Later"`, 1),
		"console": strings.ReplaceAll(good, " --socket '/run/user/1/aoctl/broker.sock'", ""),
		"program": strings.ReplaceAll(good, "aoctl-hook'", "gone/aoctl-hook'"),
	} {
		t.Run(name, func(t *testing.T) {
			if bad == good {
				t.Fatal("nothing was broken")
			}
			installtest.Put(t, path, bad)
			done := 0
			for _, f := range reportOn(t, o, "claude").Findings {
				if f.Repair == nil {
					continue
				}
				did, err := f.Repair.Do()
				if err != nil {
					t.Fatal(err)
				}
				if did != "" {
					done++
				}
			}
			if done != 1 {
				t.Errorf("%d repairs, want one, however many findings there are", done)
			}
			if strings.Contains(installtest.Read(t, path), "gone/") {
				t.Error("the missing program is still named")
			}
			for _, f := range reportOn(t, o, "claude").Findings {
				if f.Status == Fail {
					t.Errorf("still: %s: %s", f.Name, f.Seen)
				}
			}
		})
	}
}

func TestCheckClaudeAround(t *testing.T) {
	o, path := checking(t)
	for name, tc := range map[string]struct {
		file, text string
		status     Status
		find       string
		words      string
	}{
		"off in the project": {".claude/settings.json", `{"disableAllHooks": true}`, Fail, "settings", "no hook runs"},
		"off locally":        {".claude/settings.local.json", `{"disableAllHooks": true}`, Fail, "settings", "no hook runs"},
		"broken project":     {".claude/settings.json", `{`, Warn, "settings", "ignores this whole file"},
		"managed":            {"../managed/managed-settings.json", `{"allowManagedHooksOnly": true}`, Fail, "settings", "hooks of users"},
		"other hook":         {".claude/settings.json", installtest.HookOn("PreToolUse", "rewrite"), Warn, "other hooks", "PreToolUse: rewrite can change a call"},
		"double gate":        {".claude/settings.local.json", installtest.HookOn("PreToolUse", "aoctl hook claude"), Warn, "gate", "2 gates"},
		"redirected":         {".claude/settings.json", `{"env": {"AOCTL_URL": "http://127.0.0.1:3000"}}`, Fail, "variables", "the project sets AOCTL_URL, and so where a hook asks"},
		"redirected locally": {".claude/settings.local.json", `{"env": {"HOME": "/x"}}`, Fail, "variables", "the project sets HOME"},
		"loaded":             {".claude/settings.json", `{"env": {"LD_PRELOAD": "./x.so"}}`, Fail, "variables", "what is loaded into the shell"},
		"a function":         {".claude/settings.json", `{"env": {"BASH_FUNC_echo%%": "() { exit 0; }"}}`, Fail, "variables", "what is loaded into the shell"},
		"simple":             {".claude/settings.json", `{"env": {"CLAUDE_CODE_SIMPLE": "1"}}`, Fail, "variables", "which settings and hooks"},
		"hooks off":          {".claude/settings.json", `{"env": {"CLAUDE_CODE_PERSONAL_HOOKS_OFF": "1"}}`, Fail, "variables", "which settings and hooks"},
		"a harmless one":     {".claude/settings.json", `{"env": {"FOO": "AOCTL_URL", "LDFLAGS": "x", "ENVIRONMENT": "x"}}`, OK, "variables", "3 variables"},
		"env twice":          {".claude/settings.json", `{"env": {}, "env": {"HOME": "/x"}}`, Fail, "variables", "cannot tell which variables"},
		"by the admin":       {"../managed/managed-settings.json", `{"env": {"PATH": "/bin"}}`, Warn, "variables", "sets PATH"},
		"an operator token":  {"../managed/managed-settings.json", `{"env": {"X": "Bearer aoctl_op_abc"}}`, Fail, "variables", "X holds an operator token"},
		"alias":              {"../.bashrc", "# alias c='claude --bare'\nalias c='claude --bare'\n", Fail, "alias", ".bashrc:2 starts claude with --bare"},
		"alias of sources":   {"../.zshrc", "c() { claude --setting-sources=project; }\n", Fail, "alias", "--setting-sources project"},
		"alias that is well": {"../.zshrc", "alias c='claude --setting-sources user,project'\nalias d='foo --bare'\n", OK, "running process", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(o.Project, tc.file)
			installtest.Put(t, file, tc.text)
			defer func() { _ = os.Remove(file) }()
			wantFinding(t, reportOn(t, o, "claude"), tc.status, tc.find, tc.words)
		})
	}
	t.Run("prompts", func(t *testing.T) {
		installtest.Put(t, path, strings.Replace(installtest.Read(t, path), "PreToolUse", "PermissionRequest", 1))
		r := reportOn(t, o, "claude")
		wantFinding(t, r, Warn, "permission mode", "starts in auto mode")
		installtest.Put(t, filepath.Join(o.Project, ".claude", "settings.json"), `{"permissions": {"defaultMode": "bypassPermissions", "allow": ["Bash"]}}`)
		r = reportOn(t, o, "claude")
		wantFinding(t, r, Warn, "permission mode", "sets bypassPermissions")
		wantFinding(t, r, Warn, "permission rules", "1 allow rule ")
	})
}

// letThrough has the agent go on when the hook on texts fails.
func letThrough(settings string) string {
	before, after, _ := strings.Cut(settings, `"UserPromptExpansion"`)
	return before + `"UserPromptExpansion"` + strings.Replace(after, `"onFailure": "block",`, "", 1)
}

func TestCheckRunning(t *testing.T) {
	o, _ := checking(t)
	for name, tc := range map[string]struct {
		args []string
		fail bool
	}{
		"bare":         {[]string{"/usr/bin/claude", "-p", "--bare"}, true},
		"by node":      {[]string{"node", "/x/bin/claude", "--safe-mode"}, true},
		"by package":   {[]string{"node", "/x/claude-code/cli.js", "--bare"}, true},
		"sources":      {[]string{"claude", "--setting-sources", "project,local"}, true},
		"with user":    {[]string{"claude", "--setting-sources", "project,user"}, false},
		"settings":     {[]string{"claude", "--settings", `{"disableAllHooks":true}`}, true},
		"as it should": {[]string{"claude", "-p", "say --bare please"}, false},
		"another":      {[]string{"vim", "--bare", "claude"}, false},
		"a wrapper":    {[]string{"sh", "-c", "claude", "--bare"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			o.Processes = func() ([]Process, error) { return []Process{{PID: 77, Args: tc.args}}, nil }
			status := OK
			if tc.fail {
				status = Fail
			}
			wantFinding(t, reportOn(t, o, "claude"), status, "running process", "")
		})
	}
	o.Processes = func() ([]Process, error) { return nil, errors.New("no /proc") }
	wantFinding(t, reportOn(t, o, "claude"), Skipped, "running process", "no /proc")
}

// Whatever lies where settings should be, the check comes to an end and says what it saw.
func TestCheckOddFiles(t *testing.T) {
	o, _ := checking(t)
	path := filepath.Join(o.Project, ".claude", "settings.json")
	big := `{"hooks": {"PreToolUse": [` + strings.TrimSuffix(strings.Repeat(`{"hooks": [{"type": "command", "command": "x"}]},`, 200_000), ",") + `]}}`
	for name, tc := range map[string]struct {
		make  func() error
		find  string
		words string
	}{
		"pipe":     {func() error { return syscall.Mkfifo(path, 0o600) }, "settings", "not a regular file"},
		"folder":   {func() error { return os.Mkdir(path, 0o700) }, "settings", "not a regular file"},
		"loop":     {func() error { return os.Symlink(path, path) }, "settings", "too many levels"},
		"device":   {func() error { return os.Symlink("/dev/zero", path) }, "settings", "not a regular file"},
		"huge":     {func() error { return os.Truncate(touch(t, path), install.MaxSettings+1) }, "settings", "more than 16 MiB"},
		"10 MB":    {func() error { return os.WriteFile(path, []byte(big), 0o600) }, "other hooks", "and 199995 more"},
		"not JSON": {func() error { return os.WriteFile(path, []byte(strings.Repeat("[", 1000)), 0o600) }, "settings", "ignores"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := tc.make(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = os.RemoveAll(filepath.Dir(path)) }()
			wantFinding(t, reportOn(t, o, "claude"), Warn, tc.find, tc.words)
		})
	}
}

func touch(t *testing.T, path string) string {
	t.Helper()
	installtest.Put(t, path, "")
	return path
}

// "claude mcp serve" runs what it is told without a hook: doctor names what starts it.
func TestCheckServe(t *testing.T) {
	o, _ := checking(t)
	wantFinding(t, reportOn(t, o, "claude"), OK, "mcp serve", "none of the usual settings")
	installtest.Put(t, filepath.Join(o.Project, ".mcp.json"), "{\"mcpServers\": {\n\"cc\": {\"command\": \"claude\", \"args\": [\"mcp\", \"serve\"]}}}")
	wantFinding(t, reportOn(t, o, "claude"), Warn, "mcp serve", ".mcp.json:2 starts claude mcp serve")
	o.Processes = func() ([]Process, error) {
		return []Process{{PID: 77, Args: []string{"/usr/bin/claude", "mcp", "serve"}}}, nil
	}
	wantFinding(t, reportOn(t, o, "claude"), Fail, "mcp serve", "pid 77 is claude mcp serve")
}

// Every agent that has a page is looked at.
func TestEveryPageHasACheck(t *testing.T) {
	for _, name := range profile.Names() {
		if checks[name] == nil {
			t.Errorf("%s has a page, but nothing looks at it", name)
		}
	}
}
