package check

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/installtest"
)

// A hook that an agent stops waiting for while the console still gives it time is as bad as
// any that ends too late; one of before is no fault, and is said.
func TestCheckMoreTime(t *testing.T) {
	for name, tc := range map[string]struct {
		from, to string // in the settings
		status   Status
		words    string
	}{
		"as installed":         {"", "", OK, "after 1m0s (1h0m0s when you give it more time), Claude Code after 1h1m0s"},
		"the agent leaves":     {`"timeout": 3660`, `"timeout": 120`, Fail, "stops waiting first"},
		"just before":          {`"timeout": 3660`, `"timeout": 3600`, Fail, "stops waiting first"},
		"too close":            {`"timeout": 3660`, `"timeout": 3630`, Warn, "less than 1m0s between them"},
		"one of before":        {" --at-most 1h0m0s", "", OK, "a call can be given no more time (aoctl install claude)"},
		"no more by choice":    {"--at-most 1h0m0s", "--at-most 1m0s", OK, "the client gives up after 1m0s, Claude Code after 1h1m0s (pinned)"},
		"a bound below":        {"--at-most 1h0m0s", "--at-most 30s", OK, "the client gives up after 30s, Claude"},
		"one that is no time ": {"--at-most 1h0m0s", "--at-most soon", OK, "the client gives up after 10m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			co, path := checking(t)
			o := install.Options{Agent: "claude", Mode: install.Gate, Timeout: time.Minute, Program: co.Program, Now: co.Now, ManagedDir: co.ManagedDir}
			o.Program.AtMost = time.Hour
			installed(t, o)
			text := installtest.Read(t, path)
			if changed := strings.Replace(text, tc.from, tc.to, 1); tc.from != "" && changed == text {
				t.Fatalf("no %q in %s", tc.from, text)
			} else if tc.from != "" {
				installtest.Put(t, path, changed)
			}
			r := reportOn(t, co, "claude")
			wantFinding(t, r, tc.status, "timeout", tc.words)
		})
	}
}

func TestCheckAnOlderClaude(t *testing.T) {
	c, _ := checking(t)
	program := filepath.Join(t.TempDir(), "claude")
	installtest.Put(t, program, "#!/bin/sh\n")
	if err := os.Chmod(program, 0o700); err != nil { // #nosec G302 -- a program
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(program))
	c.Version = func(context.Context, string) (string, error) { return "2.1.100", nil }
	wantFinding(t, reportOn(t, c, "claude"), Fail, "version", "a hook on UserPromptExpansion, which Claude Code 2.1.100 does not know: it ignores this whole file, and asks nobody")
	o := install.Options{Agent: "claude", Mode: install.Gate, Timeout: time.Minute, Program: c.Program, Version: "2.1.100", Now: c.Now, ManagedDir: c.ManagedDir}
	installed(t, o)
	r := reportOn(t, c, "claude")
	wantFinding(t, r, Warn, "version", "Claude Code 2.1.100 is too old for a hook on UserPromptExpansion")
	for _, f := range r.Findings {
		if f.Status == Fail {
			t.Errorf("%s: %s", f.Name, f.Seen)
		}
	}
	c.Version = func(context.Context, string) (string, error) { return "2.1.329", nil }
	wantFinding(t, reportOn(t, c, "claude"), Fail, "events", "no hook on UserPromptExpansion")
}

// Codex itself is asked whether it trusts the gate.
func TestCheckCodexAsks(t *testing.T) {
	o, _ := checking(t)
	io := install.Options{Agent: "codex", Mode: install.Gate, Timeout: time.Minute, Program: o.Program, Now: o.Now}
	r := installed(t, io)
	program := filepath.Join(os.Getenv("PATH"), "codex")
	installtest.Put(t, program, "#!/bin/sh\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	for status, want := range map[string]Status{"trusted": OK, "managed": OK, "untrusted": Fail, "modified": Fail} {
		o.CodexHooks = func(string, string, string) ([]install.CodexHook, error) {
			return []install.CodexHook{{Key: r.File + ":pre_tool_use:0:0", SourcePath: r.File, Enabled: true, TrustStatus: status}}, nil
		}
		wantFinding(t, reportOn(t, o, "codex"), want, "hook trust", status)
	}
	o.CodexHooks = func(string, string, string) ([]install.CodexHook, error) { return nil, nil }
	wantFinding(t, reportOn(t, o, "codex"), Fail, "hook trust", "does not see the hook")
	o.CodexHooks = func(string, string, string) ([]install.CodexHook, error) { return nil, os.ErrDeadlineExceeded }
	wantFinding(t, reportOn(t, o, "codex"), Warn, "hook trust", "does not tell")
	wantFinding(t, reportOn(t, o, "codex"), Fail, "hook trust", "Codex does not trust")
}

func TestCheckAnOlderAgent(t *testing.T) {
	c, _ := checking(t)
	programs := t.TempDir()
	t.Setenv("PATH", programs)
	for agent, tt := range map[string]struct{ older, since, find string }{
		"codex":    {"0.123.0", "0.124.0", "Codex 0.123.0 runs no hooks, or not before a patch: calls run unasked"},
		"gemini":   {"0.25.0", "0.26.0", "Gemini CLI 0.25.0 runs no hooks: calls run unasked"},
		"qwen":     {"0.12.0", "0.15.6", "Qwen Code 0.12.0 runs no hooks"},
		"opencode": {"1.0.185", "1.1.11", "opencode 1.0.185 reads no plugins"},
		"copilot":  {"1.0.69", "1.0.70", "Copilot CLI 1.0.69 runs a call when its hook fails"},
	} {
		t.Run(agent, func(t *testing.T) {
			program := filepath.Join(programs, agent)
			installtest.Put(t, program, "#!/bin/sh\n")
			if err := os.Chmod(program, 0o700); err != nil { // #nosec G302 -- a program
				t.Fatal(err)
			}
			c.CodexHooks = func(string, string, string) ([]install.CodexHook, error) { return nil, os.ErrInvalid }
			asked := func(version string) Report {
				c.Version = func(context.Context, string) (string, error) { return version, nil }
				return reportOn(t, c, agent)
			}
			if says(asked(tt.older), "version") {
				t.Error("a gate is missed that does not stand")
			}
			o := install.Options{Agent: agent, Mode: install.Gate, Timeout: time.Minute, Program: c.Program, Version: tt.older, Now: c.Now, ManagedDir: c.ManagedDir}
			installed(t, o)
			wantFinding(t, asked(tt.older), Fail, "version", tt.find)
			if says(asked(tt.since), "version") {
				t.Errorf("%s is taken for one that is not held", tt.since)
			}
		})
	}
}

func says(r Report, name string) bool {
	for _, f := range r.Findings {
		if f.Name == name {
			return true
		}
	}
	return false
}

// Codex before 0.129.0 knows no trust: it runs the hooks at once, and cannot be told.
func TestCheckCodexWithoutTrust(t *testing.T) {
	c, _ := checking(t)
	programs := t.TempDir()
	t.Setenv("PATH", programs)
	installtest.Put(t, filepath.Join(programs, "codex"), "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(programs, "codex"), 0o700); err != nil { // #nosec G302 -- a program
		t.Fatal(err)
	}
	c.CodexHooks = func(string, string, string) ([]install.CodexHook, error) { return nil, os.ErrInvalid }
	installed(t, install.Options{Agent: "codex", Mode: install.Gate, Timeout: time.Minute, Program: c.Program, Version: "0.128.0", Now: c.Now, ManagedDir: c.ManagedDir})
	for version, want := range map[string]struct {
		status Status
		words  string
	}{
		"0.124.0": {OK, "Codex 0.124.0 runs hooks without being told to trust them"},
		"0.128.0": {OK, "without being told"},
		"0.129.0": {Fail, "does not trust"},
		"0.169.0": {Fail, "does not trust"},
	} {
		c.Version = func(context.Context, string) (string, error) { return version, nil }
		wantFinding(t, reportOn(t, c, "codex"), want.status, "hook trust", want.words)
	}
}
