package install

import (
	"strings"
	"testing"
)

// What a settings file may not bring into a session that is guarded.
func TestSilences(t *testing.T) {
	for text, want := range map[string]string{
		``:   "",
		`{}`: "",
		`{"model": "opus", "disableAllHooks": false, "env": {"FOO": "x"}}`: "",
		`{"hooks": {"Stop": []}, "permissions": {"allow": ["Bash"]}}`:      "",
		`{"disableAllHooks": true}`:                                        "disableAllHooks",
		`{"disableAllHooks": "true"}`:                                      "disableAllHooks",
		`{"disable\u0041llHooks": true}`:                                   "disableAllHooks",
		`{"allowManagedHooksOnly": true}`:                                  "allowManagedHooksOnly",
		`{"strictPluginOnlyCustomization": ["hooks"]}`:                     "strictPluginOnlyCustomization",
		`{"env": {"AOCTL_SOCKET": "/tmp/x"}}`:                              "AOCTL_SOCKET",
		`{"env": {"PATH": "/tmp"}}`:                                        "PATH",
		`{"env": []}`:                                                      "cannot tell which variables",
		`{"disableAllHooks": false, "disableAllHooks": true}`:              "not strict JSON",
		`{"disableAllHooks": true,}`:                                       "not strict JSON",
		`{"disableAllHooks": true} // x`:                                   "not strict JSON",
		`[]`:                                                               "not strict JSON",
	} {
		if got := Silences([]byte(text)); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
