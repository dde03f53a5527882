package install

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/hookclient/install/installtest"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// Attack: an older Claude Code that finds an event it does not know ignores the whole
// file, and every call runs. It is given the hooks that it knows.
func TestInstallForAnOlderClaude(t *testing.T) {
	for _, tt := range []struct {
		version  string
		mode     Mode
		settings bool // a hook on ConfigChange
		texts    bool // one on UserPromptExpansion
		warns    string
	}{
		{"2.0.60", Gate, false, false, "Claude Code 2.0.60 is too old for a hook on UserPromptExpansion and ConfigChange: shell commands"},
		{"2.0.60", Prompts, false, false, "too old for a hook on ConfigChange: a settings file"},
		{"2.1.49", Gate, false, false, "too old"},
		{"2.1.50", Gate, true, false, "Claude Code 2.1.50 is too old for a hook on UserPromptExpansion: shell commands"},
		{"2.1.50", Prompts, true, false, ""},
		{"2.1.77", Prompts, true, false, ""},
		{"2.1.78", Prompts, true, false, ""},
		{"2.1.100", Gate, true, false, "update it (claude update), then install again"},
		{"2.1.105", Gate, true, true, ""},
		{"2.1.329", Gate, true, true, ""},
		{"3.0", Gate, true, true, ""},
		{"", Gate, true, true, "the version of Claude Code is not known here: one before 2.1.105 ignores this whole file"},
	} {
		t.Run(tt.version+" "+string(tt.mode), func(t *testing.T) {
			o, path := home(t)
			o.Version, o.Mode = tt.version, tt.mode
			r := install(t, o)
			text := installtest.Read(t, path)
			if strings.Contains(text, "ConfigChange") != tt.settings || strings.Contains(text, "UserPromptExpansion") != tt.texts || !strings.Contains(text, ClaudeGates[tt.mode]) {
				t.Errorf("written for it:\n%s", text)
			}
			if failed := tt.version == "" || machine.CompareVersions(tt.version, "2.1.78") >= 0; strings.Contains(text, "StopFailure") != failed {
				t.Errorf("a hook on StopFailure in what is written:\n%s", text)
			}
			if warnings := strings.Join(r.Warnings, "\n"); !strings.Contains(warnings, tt.warns) || (warnings == "") != (tt.warns == "") {
				t.Errorf("warnings %q, want %q", warnings, tt.warns)
			}
		})
	}
}
