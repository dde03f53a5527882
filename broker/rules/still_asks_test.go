package rules

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk"
)

func TestStillAsks(t *testing.T) {
	place := risk.Place{CWD: "/src/app", Project: "/src/app", Home: "/home/u"}
	for pattern, want := range map[string][2]string{
		"make *":              {},
		"npm run test":        {},
		"git ** --force":      {},
		"* x":                 {},
		"re:make .*":          {},
		"uv run pytest *":     {},
		"timeout 60 make *":   {"timeout 60 make x", `a rule looks at what timeout runs: write "make *"`},
		"uv run *":            {"uv run x", "say as well what uv run is to run"},
		"sudo apt install *":  {"sudo apt install x", "what runs through sudo is allowed by its exact words only"},
		"sudo ls":             {"sudo ls", "what runs through sudo is allowed by its exact words only"},
		"timeout 60 make":     {},
		"npx jest *":          {},
		"npx *":               {},
		"git *":               {},
		"terraform apply *":   {},
		"make 'a b' *":        {},
		"bash -c *":           {"bash -c x", ""},
		"line:timeout 6 make": {},
	} {
		line, why := StillAsks(rule(Allow, "Bash", "command", pattern), place)
		if line != want[0] || !strings.Contains(why, want[1]) || (why == "") != (line == "") {
			t.Errorf("%s: %q, %q; want %q, %q", pattern, line, why, want[0], want[1])
		}
	}
	for _, r := range []Rule{rule(Allow, "Bash", "cmd", "sudo *"), rule(Allow, "Bash", "command", "sudo *", "description", "x"), rule(Allow, "Bash"), rule(Allow, "Bash", "command", "(")} {
		if line, why := StillAsks(r, place); line+why != "" {
			t.Errorf("%s: %q, %q", r.ID, line, why)
		}
	}
	// Whether the rule is in force by now is no matter.
	for name, change := range map[string]func(*Rule){
		"disabled": func(r *Rule) { r.Enabled = false }, "of another project": func(r *Rule) { r.Scope.Project = "/other" },
		"ended": func(r *Rule) { r.ExpiresAt = r.CreatedAt.Add(1) }, "used up": func(r *Rule) { r.MaxUses, r.Uses = 1, 1 },
	} {
		if line, why := StillAsks(with(rule(Allow, "Bash", "command", "uv run pytest *"), change), place); line+why != "" {
			t.Errorf("%s: %q, %q", name, line, why)
		}
	}
	for _, d := range []Verdict{Ask, Deny, Defer} {
		if line, why := StillAsks(rule(d, "Bash", "command", "sudo *"), place); line+why != "" {
			t.Errorf("%s: %q, %q", d, line, why)
		}
	}
}
