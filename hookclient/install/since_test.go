package install

import (
	"os"
	"strings"
	"testing"
)

// Attack: an older release of an agent reads no hooks, or runs a call whose hook fails. An
// installation for it says that calls run unasked, and from which release on they do not.
func TestInstallForAnOlderAgent(t *testing.T) {
	for _, tt := range []struct{ agent, version, held, warns string }{
		{"codex", "0.123.0", "Codex 0.123.0 runs no hooks, or not before a patch: calls run unasked; update it (npm install -g @openai/codex@latest): releases from 0.124.0 on ask", ""},
		{"codex", "0.124.0", "", ""},
		{"codex", "", "", "aoctl does not know the version of Codex: one before 0.124.0 runs no hooks"},
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
			if !strings.Contains(r.Ungated, tt.held) || (r.Ungated == "") != (tt.held == "") {
				t.Errorf("not held: %q, want %q", r.Ungated, tt.held)
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
