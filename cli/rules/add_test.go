package rules

import (
	"strings"
	"testing"
	"time"
)

// A forgotten pattern denies nothing.
func TestARuleNeedsAPatternOrANamedTool(t *testing.T) {
	for _, tc := range []struct {
		o    addOptions
		args []string
		want string // of the error
	}{
		{addOptions{deny: true, tool: "Bash"}, nil, "deny every call of Bash"},
		{addOptions{ask: true, tool: "Bash", session: "s"}, nil, "ask every call of Bash"},
		{addOptions{allow: true, tool: "Bash", toolNamed: true}, nil, "allow every call of Bash"},
		{addOptions{deny: true, tool: "Bash", toolNamed: true}, nil, ""},
		{addOptions{deny: true, tool: "Bash"}, []string{"git push *"}, ""},
		{addOptions{deny: true, tool: "Bash", where: []string{"command=git push *"}}, nil, ""},
	} {
		tc.o.priority = 100
		_, err := tc.o.rules(tc.args, time.Now())
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v %q: %v", tc.o, tc.args, err)
		}
	}
}
