package hookclient

import (
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestQueryEscapeIsNetURLs(t *testing.T) {
	var all strings.Builder
	for c := range 256 {
		all.WriteByte(byte(c))
	}
	for _, s := range []string{"", "plain", all.String(), "grüße 世界"} {
		if got, want := string(queryEscape(nil, s)), url.QueryEscape(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

func TestLongTellTaleIsLeftOut(t *testing.T) {
	t.Setenv("TMUX_PANE", strings.Repeat("x", maxEnvValue+1))
	t.Setenv("OPENCODE", "")
	lines := string(newCaller(address{}).lines)
	if strings.Contains(lines, "TMUX_PANE") || !strings.Contains(lines, HeaderEnv+": OPENCODE=\r\n") {
		t.Errorf("header lines are %q", lines)
	}
}

func TestTimeLeftIsNeverNegative(t *testing.T) {
	if got, _ := newCaller(address{}).request("/x", nil, deadline{until: time.Now().Add(-time.Second)}); !strings.Contains(string(got), HeaderTimeoutMS+": 0\r\n") {
		t.Errorf("the request is %q", got)
	}
}

func TestUUID(t *testing.T) {
	pattern := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	at := time.UnixMilli(0x0190_1234_5678)
	seen := map[string]bool{}
	for range 1000 {
		id := newUUID(at)
		if !pattern.MatchString(id) || !strings.HasPrefix(id, "01901234-5678-") || seen[id] {
			t.Fatalf("%q is malformed or was there before", id)
		}
		seen[id] = true
	}
}

// The hook program stays small: the standard library only, and nothing of net.
func TestImports(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{else}}std:{{.ImportPath}}{{end}}", "./aoctl-hook").Output()
	must(t, err)
	const own = "github.com/aoctl/aoctl/hookclient"
	for _, path := range strings.Fields(string(out)) {
		switch {
		case path == own, path == own+"/paths", path == own+"/profile", path == own+"/aoctl-hook":
		case path == "std:net", strings.HasPrefix(path, "std:net/"), path == "std:crypto/rand":
			t.Errorf("the hook program imports %s, which slows its start", path)
		case !strings.HasPrefix(path, "std:"):
			t.Errorf("the hook program imports %s", path)
		}
	}
}
