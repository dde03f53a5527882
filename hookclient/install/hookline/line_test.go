package hookline

import (
	"strings"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		command             string
		simple, guard, loud bool
	}{
		{"{ '/x/aoctl' hook claude --timeout 10m0s" + loudGuard + shut, true, true, true},
		{"{ '/x/aoctl' hook claude --timeout 10m0s" + gateGuard + shut, true, true, false},
		{"aoctl hook claude", true, false, false},
		{"/x/aoctl-hook claude --timeout=5m || exit 2", true, true, false},
		{"aoctl hook claude || { echo 'no' >&2; exit 2; }", true, true, true},
		{`aoctl hook claude || { echo "no" 1>&2 && exit 2; }`, true, true, true},
		{"aoctl hook claude || exit 1", true, false, false},
		{"aoctl hook claude || { echo 'no'; exit 2; }", false, false, false}, // words on stdout
		{"{ '/x/aoctl' hook claude" + watchTail + shut, true, false, false},
		{"aoctl hook codex", false, false, false},
		{"aoctl hook claude | tee log", false, false, false},
		{"aoctl hook claude || exit 2; true", false, false, false},
		{"aoctl hook claude && touch /tmp/x", false, false, false},
		{"touch x; aoctl hook claude || exit 2", false, false, false},
		{"aoctl hook claude || { touch x; exit 2; }", false, false, false},
		{"aoctl hook claude || { echo \"$(touch x)\" >&2; exit 2; }", false, false, false},
		{"A=1 aoctl hook claude", false, false, false},
		{"sh aoctl hook claude", false, false, false},
		{"aoctl hook claude --timeout soon", false, false, false},
	} {
		l, ok := Read(tt.command, "claude")
		if ok != tt.simple || ok && (l.Guarded != tt.guard || l.Loud != tt.loud) {
			t.Errorf("%s: simple %v, %+v", tt.command, ok, l)
		}
	}
	l, _ := Read("{ '/x/aoctl' hook claude --timeout 10m0s"+gateGuard+shut, "claude")
	for change, want := range map[Change]string{
		{Program: "/y/a b"}:        "'/y/a b' hook claude --timeout 10m0s",
		{Timeout: 2 * time.Second}: "/x/aoctl hook claude --timeout 2s",
		{Socket: "/s/a b"}:         "/x/aoctl hook claude --timeout 10m0s --socket '/s/a b'",
	} {
		if got := l.With(change); got != "{ "+want+gateGuard+shut {
			t.Errorf("with %+v: %q", change, got)
		}
	}
	for _, at := range []string{"--socket '/my/s'", "--socket=/my/s", "--url http://localhost:1 --token-file '/my/t'", "--socket /my/s --socket /my/s2"} {
		l, ok := Read("aoctl hook "+at+" claude || exit 2", "claude")
		if !ok || l.Console == (Console{}) {
			t.Errorf("%s: %v, %+v", at, ok, l.Console)
		}
		if got := l.With(Change{Socket: "/drill"}); got != "aoctl hook claude --socket /drill || exit 2" {
			t.Errorf("%s with another console: %q", at, got)
		}
	}
}

// No line, however odd, is taken for a plain call when it is more than that.
func FuzzRead(f *testing.F) {
	f.Add("{ '/x/aoctl' hook claude --timeout 10m0s" + gateGuard + shut)
	f.Add("aoctl hook claude || { touch x; exit 2; }")
	f.Fuzz(func(t *testing.T, command string) {
		l, ok := Read(command, "claude")
		if !ok {
			return
		}
		call, _ := cutOr(strings.TrimPrefix(strings.TrimSpace(command), "{"))
		bare := strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(call)
		if strings.ContainsAny(call, "$`\n") && !strings.Contains(call, "'") && !strings.Contains(call, `\`) || bare == "" {
			t.Errorf("%q counts as a plain call %q", command, l.Words)
		}
	})
}
