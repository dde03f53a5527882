package rules

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
)

// FuzzRule holds that Check and Compile take the same rules, and that no rule panics.
func FuzzRule(f *testing.F) {
	for _, r := range []Rule{rule(Allow, "Bash", "command", "npm run *"), rule(Deny, "*", "file_path", "**/.env"), rule(Ask, "Web*", "url", "domain:x.y")} {
		data, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, `{"command":"npm run test"}`)
	}
	f.Fuzz(func(t *testing.T, data []byte, input string) {
		var r Rule
		if json.Unmarshal(data, &r) != nil {
			return
		}
		s, err := Compile([]Rule{r})
		if (err == nil) != (r.Check() == nil) {
			t.Fatalf("Compile: %v, Check: %v", err, r.Check())
		}
		if err != nil {
			return
		}
		for _, tool := range []string{"Bash", "Read", "WebFetch", r.Tool} {
			c := Prepare(Question{Tool: tool, Input: json.RawMessage(input), Place: risk.Place{CWD: "/p", Project: "/p", Home: "/h"}})
			agree(t, s, c)
		}
	})
}

func agree(t *testing.T, s *Set, c *Call) {
	t.Helper()
	a := s.Judge(c, time.Unix(1, 0))
	if v, id := s.Verdict(c, time.Unix(1, 0)); v != a.Verdict || id != a.Rule {
		t.Fatalf("Judge says %s by %q, Verdict %s by %q", a.Verdict, a.Rule, v, id)
	}
	if a.Verdict == Allow && (c.unsure != "" || c.risk.Guarded) {
		t.Fatalf("allowed though %q, guarded %t", c.unsure, c.risk.Guarded)
	}
}

// FuzzJudge holds for any line and input that nothing panics, that explanation and
// verdict agree, and that offers keep their word.
func FuzzJudge(f *testing.F) {
	for _, line := range []string{"npm run test", "a && b | c > d", "$(x) `y`", "sudo env A=1 rm -rf ~/x", "cat <<E\nx\nE", "cd .. && cat *", "a 'b", "\x00", "find . -exec rm {} +"} {
		f.Add("Bash", line, "")
		f.Add("Read", "", line)
	}
	everything, err := Compile([]Rule{
		rule(Allow, "*"), rule(Allow, "Bash", "command", "*"), rule(Allow, "Bash", "command", "re:.*"), rule(Allow, "Bash", "write", "**"), rule(Allow, "*", "file_path", "**"),
		rule(Deny, "Bash", "command", "rm *"), rule(Deny, "Read|Write", "file_path", "**/.env"), rule(Ask, "Bash", "command", "re:git push"),
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, tool, line, file string) {
		input, err := json.Marshal(map[string]any{"command": line, "file_path": file})
		if err != nil {
			return
		}
		c := Prepare(Question{Tool: tool, Input: input, Trusted: true, Place: risk.Place{CWD: "/p", Project: "/p", Home: "/h"}})
		agree(t, everything, c)
		for _, r := range Offer(c) {
			s, err := Compile([]Rule{r})
			if err != nil {
				t.Fatalf("offer %+v: %v", r, err)
			}
			if v, _ := s.Verdict(c, time.Time{}); v != Allow {
				t.Fatalf("offer %+v does not allow the call", r)
			}
		}
	})
}
