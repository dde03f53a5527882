package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
)

// TestUnread: of a call that must not be parsed, no rule allows anything, not even one
// that allows everything; rules that refuse still find their words in the raw text.
func TestUnread(t *testing.T) {
	allow := Rule{ID: "all", Version: 1, Enabled: true, Priority: 1, Tool: "*", Decision: Allow}
	deny := Rule{ID: "no-push", Version: 1, Enabled: true, Priority: 2, Tool: "Bash", Where: map[string]string{"command": "git push **"}, Decision: Deny}
	line := Rule{ID: "line", Version: 1, Enabled: true, Priority: 3, Tool: "Bash", Where: map[string]string{"command": "line:ls -x"}, Decision: Deny}
	set, err := Compile([]Rule{allow, deny, line})
	if err != nil {
		t.Fatal(err)
	}
	place := risk.Place{CWD: "/p", Project: "/p", Home: "/home/ana"}
	for _, tt := range []struct {
		name, tool, input string
		want              Verdict
	}{
		{"a command", "Bash", `{"command":"ls"}`, Ask},
		{"a refused command", "Bash", `{"command":"x; git push origin"}`, Deny},
		{"a refused line", "Bash", `{"command":" ls -x "}`, Deny},
		{"a list", "Bash", `{"command":["git","status"]}`, Ask},
		{"a read", "Read", `{"file_path":"/p/a"}`, Ask},
		{"no object", "Bash", `[`, Ask},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Unread(Question{Tool: tt.tool, Input: []byte(tt.input), Place: place, Trusted: true}, "it broke the parser")
			a := set.Judge(c, time.Now())
			if v, _ := set.Verdict(c, time.Now()); v != a.Verdict {
				t.Errorf("Verdict says %s, Judge %s", v, a.Verdict)
			}
			if a.Verdict != tt.want || a.Class != risk.Dangerous || a.Unread == "" || len(Offer(c)) > 0 {
				t.Errorf("got %s, class %v, unread %q, %d offers; want %s, dangerous, no offer", a.Verdict, a.Class, a.Unread, len(Offer(c)), tt.want)
			}
			if tt.want == Ask && !strings.Contains(a.Reason, "it broke the parser") {
				t.Errorf("the reason does not say why: %s", a.Reason)
			}
		})
	}
}

// TestRawTextInTime: a long text that nobody can read is searched once, not once for
// each of its words.
func TestRawTextInTime(t *testing.T) {
	set, err := Compile([]Rule{
		{ID: "a", Version: 1, Enabled: true, Tool: "Bash", Where: map[string]string{"command": "foo ** bar"}, Decision: Deny},
		{ID: "b", Version: 1, Enabled: true, Tool: "Bash", Where: map[string]string{"command": "** --force **"}, Decision: Deny},
	})
	if err != nil {
		t.Fatal(err)
	}
	input := fmt.Appendf(nil, `{"command":"%s \\""}`, strings.Repeat("foo ", 200_000))
	begun := time.Now()
	c := Unread(Question{Tool: "Bash", Input: input}, "why")
	if v, _ := set.Verdict(c, begun); v != Ask {
		t.Errorf("verdict %s, want ask", v)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
