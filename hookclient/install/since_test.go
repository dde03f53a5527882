package install

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Attack: an older release of an agent reads no hooks, or runs a call whose hook fails. An
// installation for it says that calls run unasked, and from which release on they do not.
func TestInstallForAnOlderAgent(t *testing.T) {
	for _, tt := range []struct{ agent, version, held, warns string }{
		{"codex", "0.123.0", "Codex 0.123.0 runs no hooks, or not before a patch: calls run unasked; update it (npm install -g @openai/codex@latest): releases from 0.124.0 on ask", ""},
		{"codex", "0.124.0", "", ""},
		{"codex", "", "", "the version of Codex is not known here: one before 0.124.0 runs no hooks"},
		{"gemini", "0.25.0", "Gemini CLI 0.25.0 runs no hooks: calls run unasked", ""},
		{"gemini", "0.26.0", "", ""},
		{"gemini", "", "", "one before 0.26.0"},
		{"qwen", "0.12.0", "Qwen Code 0.12.0 runs no hooks: calls run unasked", ""},
		{"qwen", "0.15.6", "", ""},
		{"qwen", "", "", "one before 0.15.6"},
		{"opencode", "0.5.29", "opencode 0.5.29 reads no plugins from that folder, or does not start: calls run unasked; update it (opencode upgrade)", ""},
		{"opencode", "1.0.185", "does not start", ""},
		{"opencode", "1.1.11", "", ""},
		{"opencode", "", "", "one before 1.1.11"},
		{"copilot", "0.0.423", "runs a call when its hook fails", ""},
		{"copilot", "1.0.69", "Copilot CLI 1.0.69 runs a call when its hook fails, as with no console, or runs no hooks: calls run unasked", ""},
		{"copilot", "1.0.70", "", ""},
		{"copilot", "", "", "one before 1.0.70"},
		{"cursor", "", "", ""},
	} {
		t.Run(tt.agent+" "+tt.version, func(t *testing.T) {
			o, _ := home(t)
			o.Agent, o.Version = tt.agent, tt.version
			r := install(t, o)
			if !strings.Contains(r.NotHeld, tt.held) || (r.NotHeld == "") != (tt.held == "") {
				t.Errorf("not held: %q, want %q", r.NotHeld, tt.held)
			}
			warnings := strings.Join(r.Warnings, "\n")
			if !strings.Contains(warnings, tt.warns) || strings.Contains(warnings, "version") != (tt.warns != "") {
				t.Errorf("warnings %q, want %q", warnings, tt.warns)
			}
			if _, err := os.Stat(r.File); err != nil {
				t.Errorf("nothing stands ready for an update: %v", err)
			}
		})
	}
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
			put(t, program, "#!/bin/sh\n")
			if err := os.Chmod(program, 0o700); err != nil { // #nosec G302 -- a program
				t.Fatal(err)
			}
			c.CodexHooks = func(string, string, string) ([]codexHook, error) { return nil, os.ErrInvalid }
			asked := func(version string) AgentReport {
				c.Version = func(context.Context, string) (string, error) { return version, nil }
				return reportOn(t, c, agent)
			}
			if says(asked(tt.older), "version") {
				t.Error("a gate is missed that does not stand")
			}
			o := Options{Agent: agent, Mode: Gate, Timeout: time.Minute, Program: c.Program, Version: tt.older, Now: c.Now, ManagedDir: c.ManagedDir}
			install(t, o)
			wantFinding(t, asked(tt.older), Fail, "version", tt.find)
			if says(asked(tt.since), "version") {
				t.Errorf("%s is taken for one that is not held", tt.since)
			}
		})
	}
}

func says(r AgentReport, name string) bool {
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
	put(t, filepath.Join(programs, "codex"), "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(programs, "codex"), 0o700); err != nil { // #nosec G302 -- a program
		t.Fatal(err)
	}
	c.CodexHooks = func(string, string, string) ([]codexHook, error) { return nil, os.ErrInvalid }
	install(t, Options{Agent: "codex", Mode: Gate, Timeout: time.Minute, Program: c.Program, Version: "0.128.0", Now: c.Now, ManagedDir: c.ManagedDir})
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
