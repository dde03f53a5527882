package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What a deny rule takes from a rule that allows, and whether another allow rule says the
// same: pairs of patterns, of which the second is the wider one or is not.
func TestLintPairs(t *testing.T) {
	for _, tt := range []struct {
		key, narrow, wide string
		shadowed, same    bool // by a deny rule of the wide pattern; and an allow rule says the same
	}{
		{"command", "npm test *", "npm *", true, true},
		{"command", "npm test", "npm *", true, false}, // an exact one speaks where a wildcard must not
		{"command", "npm test", "npm test", true, true},
		{"command", "npm test", "npm test|ls", true, true},
		{"command", "npm test|ls", "npm *", false, false},
		{"command", "npm test *|ls *", "npm *|ls *", true, true},
		{"command", "npm test *|npm run *", "npm *", true, true},
		{"command", "npm *", "npm test *", false, false},
		{"command", "npm", "npm test", false, false},
		{"command", "npm test", "npm", false, false},
		{"command", "npm test x *", "npm test *", true, true},
		{"command", "npm te*", "npm test", false, false},
		{"command", "npm test* *", "npm te* *", true, true},
		{"command", "npm te* *", "npm test* *", false, false},
		{"command", "npm *x *", "npm *y *", false, false},
		{"command", "npm axb *", "npm a*b *", true, true},
		{"command", "npm ** x", "npm *", true, true},
		{"command", "npm ** x", "npm a *", false, false},
		{"command", "npm ** x", "npm ** x", true, true},
		{"command", "npm a x", "npm ** x", false, false}, // not proved
		{"command", "NPM test *", "npm *", true, false},
		{"command", "npm TEST *", "npm test *", false, false},
		{"command", "/bin/npm test *", "/bin/npm *", true, true},
		{"command", "npm a/b *", "npm a/* *", true, false},
		{"command", "npm a/* *", "npm a/* *", true, true},
		{"command", "n* test", "n* *", false, false},
		{"command", "re:npm .*", "re:npm .*", true, true},
		{"command", "re:npm .*", "npm *", false, false},
		{"command", "npm *", "re:npm .*", false, false},
		{"command", "line:npm test", "line:npm test", true, true},
		{"command", "line:npm test", "npm *", false, false},
		{"read", "src/a", "src/**", true, false},
		{"read", "src/*", "src/**", true, true},
		{"read", "src", "src/**", true, false},
		{"read", "srcx/*", "src/**", false, false},
		{"read", "src/**", "src/*", false, false},
		{"read", "src/*", "**", true, true},
		{"read", "/etc/*", "**", true, false},
		{"read", "~/x*", "**", true, false},
		{"read", "/etc/*", "src/**", false, false},
		{"read", "/etc/x/*", "/etc/**", true, true},
		{"read", "~/x/*", "~/x/**", true, true},
		{"read", "~/x/*", "/x/**", false, false},
		{"read", "**/a", "**/a", true, true},
		{"read", "b/**/a", "**/a", false, false},
		{"read", "a*/b", "a*/**", false, false}, // not proved
		{"read", "SRC/*", "src/**", false, false},
		{"read", "src/*|lib/*", "src/**|lib/**", true, true},
		{"read", "src/*|lib/*", "src/**", false, false},
		{"read", "src/a*", "b|src/a*", true, true},
		{"read", "src/a*", "b|/src/a*", false, false},
		{"read", "re:x", "re:x", true, true},
		{"read", "re:x", "re:y", false, false},
		{"read", "re:x", "**", false, false},
		{"read", "x", "re:x", false, false},
		{"write", "src/*", "src/**", true, true},
		{"write", "src/**", "src/*", false, false},
		{"write", "re:x", "re:x", true, true},
		{"assign", "A=1", "A=*", true, false},
		{"assign", "A=*", "*", true, true},
		{"assign", "A=*", "B=*", false, false},
		{"assign", "A=*", "re:A=.*", false, false},
		{"assign", "re:A=.*", "re:A=.*", true, true},
		{"description", "ab*", "a*", true, true},
		{"description", "a*b", "a*", true, true},
		{"description", "xa", "*a", true, false},
		{"description", "a", "a*b", false, false},
		{"description", "*a", "*b", false, false},
		{"description", "a*b*c", "a*c", true, true},
		{"description", "a*c", "a*b*c", false, false},
		{"description", "axbyc", "a*b*c", true, false},
		{"description", "re:a", "re:a", true, true},
		{"description", "a", "re:a", false, false},
		{"description", "re:a", "*", false, false},
		{"url", "https://docs.rs/std/**", "https://docs.rs/**", true, true},
		{"url", "https://docs.rs/std/**", "docs.rs", true, true},
		{"url", "docs.rs", "https://docs.rs/**", true, false},
		{"url", "http://docs.rs/a*", "https://docs.rs/**", true, false},
		{"url", "docs.rs/a*", "docs.rs/a*", true, true},
		{"url", "docs.rs/a*", "docs.rs/b*", false, false},
		{"url", "docs.rs", "docs.rs/a*", false, false},
		{"url", "api.docs.rs", "*.docs.rs", true, true},
		{"url", "docs.rs", "*.docs.rs", false, false},
		{"url", "domain:docs.rs", "domain:docs.rs", true, true},
		{"url", "docs.rs", "domain:docs.rs", true, true},
		{"url", "domain:docs.rs", "docs.rs", false, false},
		{"url", "domain:api.docs.rs", "*.docs.rs", false, false},
		{"url", "https://docs.rs/a?b", "docs.rs", false, false},
		{"url", "https://docs.rs/a?b", "https://docs.rs/a?b", true, true},
		{"url", "re:x", "re:x", true, true},
		{"url", "re:x", "docs.rs", false, false},
		{"url", "docs.rs", "re:x", false, false},
	} {
		tool := "Bash"
		if tt.key == "url" {
			tool = "WebFetch"
		}
		narrow, wide := where(Allow, tool, tt.key, tt.narrow), where(Deny, tool, tt.key, tt.wide)
		kinds := func(a, b Rule) string {
			a.ID, b.ID = "a", "b"
			got := ""
			for _, f := range Lint([]Rule{a, b}, testNow) {
				if f.ID == "a" || tt.narrow == tt.wide {
					got += string(f.Kind)
				}
			}
			return got
		}
		if got := kinds(narrow, wide); (got == "shadowed") != tt.shadowed || got != "" && got != "shadowed" {
			t.Errorf("deny %s %s over allow %s: %q", tt.key, tt.wide, tt.narrow, got)
		}
		wide.Decision = Allow
		if got := kinds(narrow, wide); (got == "redundant") != tt.same || got != "" && got != "redundant" {
			t.Errorf("allow %s %s beside %s: %q", tt.key, tt.wide, tt.narrow, got)
		}
	}
}

// What else decides whether one of two rules takes something from the other.
func TestLintOfTwo(t *testing.T) {
	type change func(*Rule)
	none := func(*Rule) {}
	deny, ask, put := func(r *Rule) { r.Decision = Deny }, func(r *Rule) { r.Decision = Ask }, func(r *Rule) { r.Decision = Defer }
	both := func(list ...change) change {
		return func(r *Rule) {
			for _, c := range list {
				c(r)
			}
		}
	}
	at := func(n int) change { return func(r *Rule) { r.Priority = n } }
	in := func(p string) change { return func(r *Rule) { r.Scope.Project = p } }
	session, agent := func(r *Rule) { r.Scope.Session = "s" }, func(r *Rule) { r.Scope.Agent = "a" }
	ends := func(d time.Duration) change { return func(r *Rule) { r.ExpiresAt = testNow.Add(d) } }
	for name, tt := range map[string]struct {
		a, b change // of the rule that is looked at, and of the other
		want string
	}{
		"deny":                          {none, deny, "shadowed"},
		"deny of a worse priority":      {none, both(deny, at(900)), "shadowed"},
		"two denies":                    {deny, both(deny, at(900)), ""}, // the later one is reported
		"ask":                           {none, ask, "shadowed"},
		"ask of a worse priority":       {none, both(ask, at(900)), ""},
		"ask of a better priority":      {none, both(ask, at(1)), "shadowed"},
		"defer":                         {none, put, "shadowed"},
		"defer over ask":                {ask, put, ""},
		"ask over defer":                {put, ask, "shadowed"},
		"ask over deny":                 {deny, ask, ""},
		"allow before ask":              {ask, at(1), "conflict"},
		"allow before defer":            {put, at(1), "conflict"},
		"allow beside ask":              {ask, none, ""},
		"allow before deny":             {deny, at(1), ""},
		"allow twice":                   {none, none, ""},
		"allow, better":                 {none, at(1), "redundant"},
		"allow, worse":                  {none, at(900), ""},
		"allow for a while":             {ends(time.Hour), none, "redundant"},
		"allow, the other for a while":  {none, ends(time.Hour), ""},
		"allow, the other for longer":   {ends(time.Hour), ends(2 * time.Hour), "redundant"},
		"allow, the other for less":     {ends(2 * time.Hour), ends(time.Hour), ""},
		"allow, as long":                {ends(time.Hour), ends(time.Hour), ""},
		"allow, the other a few times":  {none, func(r *Rule) { r.MaxUses = 3 }, ""},
		"allow a few times":             {func(r *Rule) { r.MaxUses = 3 }, none, "redundant"},
		"in a project":                  {in("/p"), none, "redundant"},
		"the other in a project":        {none, in("/p"), ""},
		"in a project below":            {in("/p/q"), in("/p"), "redundant"},
		"in a project above":            {in("/p"), in("/p/q"), ""},
		"in another project":            {in("/p"), in("/pq"), ""},
		"in a session":                  {session, none, "redundant"},
		"the other in a session":        {none, session, ""},
		"both in a session":             {session, session, ""},
		"of an agent":                   {agent, none, "redundant"},
		"the other of an agent":         {none, agent, ""},
		"deny of an agent":              {none, both(deny, agent), ""},
		"deny in a project":             {in("/p/q"), both(deny, in("/p")), "shadowed"},
		"dangerous":                     {func(r *Rule) { r.Dangerous, r.Where = true, map[string]string{"command": "npm test"} }, none, ""},
		"more that it asks for":         {func(r *Rule) { r.Where = map[string]string{"command": "npm *", "description": "x"} }, none, ""},
		"deny of more that it asks for": {func(r *Rule) { r.Where = map[string]string{"command": "npm *", "description": "x"} }, deny, "shadowed"},
		"a part more":                   {func(r *Rule) { r.Where = map[string]string{"command": "npm *", "write": "x"} }, none, ""},
		"deny and a part more":          {func(r *Rule) { r.Where = map[string]string{"command": "npm *", "write": "x"} }, deny, ""}, // not proved
		"of two parts, alike": {
			func(r *Rule) { r.Where = map[string]string{"command": "npm *", "write": "x"} },
			both(deny, func(r *Rule) { r.Where = map[string]string{"command": "npm *", "write": "x"} }), "shadowed",
		},
		"of two other parts": {
			func(r *Rule) { r.Where = map[string]string{"command": "npm *", "write": "x"} },
			both(deny, func(r *Rule) { r.Where = map[string]string{"command": "npm *", "read": "x"} }), "",
		},
		"another part":      {func(r *Rule) { r.Where = map[string]string{"write": "**"} }, both(deny, func(r *Rule) { r.Where = map[string]string{"read": "**"} }), ""},
		"another parameter": {func(r *Rule) { r.Where = map[string]string{"a": "x"} }, both(deny, func(r *Rule) { r.Where = map[string]string{"b": "x"} }), ""},
		"another kind":      {func(r *Rule) { r.Where = map[string]string{"command": "npm *"} }, both(deny, func(r *Rule) { r.Where = nil }), "shadowed"},
		"of any tool":       {none, both(deny, func(r *Rule) { r.Tool = "*" }), "shadowed"},
		"of several tools":  {none, both(deny, func(r *Rule) { r.Tool = "Bash|Monitor" }), "shadowed"},
		"of fewer tools":    {func(r *Rule) { r.Tool = "Bash|Monitor" }, deny, ""},
		"of another tool":   {none, both(deny, func(r *Rule) { r.Tool = "Monitor" }), ""},
		"switched off":      {none, both(deny, func(r *Rule) { r.Enabled = false }), ""},
		"ended":             {none, both(deny, ends(-time.Hour)), ""},
		"used up":           {none, both(deny, func(r *Rule) { r.MaxUses, r.Uses = 1, 1 }), ""},
		"relative paths of two projects": {
			both(in("/p/q"), func(r *Rule) { r.Where = map[string]string{"write": "src/*"} }), both(deny, in("/p"), func(r *Rule) { r.Where = map[string]string{"write": "src/*"} }), "",
		},
		"absolute paths of two projects": {
			both(in("/p/q"), func(r *Rule) { r.Where = map[string]string{"write": "/src/*"} }), both(deny, in("/p"), func(r *Rule) { r.Where = map[string]string{"write": "/src/*"} }), "shadowed",
		},
	} {
		a, b := where(Allow, "Bash", "command", "npm *"), where(Allow, "Bash", "command", "npm *")
		tt.a(&a)
		tt.b(&b)
		a.ID, b.ID = "a", "b"
		got := ""
		for _, f := range Lint([]Rule{a, b}, testNow) {
			if f.ID == "a" {
				got += string(f.Kind)
				if f.Index != 0 || f.Other != "b" {
					t.Errorf("%s: %+v", name, f)
				}
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// Findings stand in the order of the list, one of each kind for a rule.
func TestLintFindsEachKindOnce(t *testing.T) {
	npm := func(d Verdict, pattern string) Rule { return where(d, "Bash", "command", pattern) }
	list := []Rule{
		npm(Allow, "npm test *"), npm(Deny, "npm *"), npm(Deny, "npm test *"), npm(Allow, "npm *|yarn *"),
		{Tool: "Bash"},
		npm(Allow, "npm test *"),
		changed(npm(Deny, "x"), func(r *Rule) { r.ExpiresAt = testNow.Add(-time.Hour) }), changed(npm(Deny, "x"), func(r *Rule) { r.MaxUses, r.Uses = 1, 1 }),
	}
	for i := range list {
		list[i].ID = fmt.Sprint(i)
	}
	var got []string
	for _, f := range Lint(list, testNow) {
		got = append(got, fmt.Sprintf("%d %s %s", f.Index, f.Kind, f.Other))
	}
	want := "[0 shadowed 1 0 redundant 3 2 redundant 1 4 broken  5 redundant 0 5 shadowed 1 6 expired  7 used up ]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// Rules about commands are sorted by the names of their programs, where all are known.
func TestProgramsOfARule(t *testing.T) {
	for pattern, want := range map[string]string{
		"npm test": "npm", "NPM": "npm", "npm test|ls": "npm ls", "npm test|n*": "", "n*": "", "** x": "", "re:npm x": "", "line:npm x": "",
	} {
		e, err := build(where(Deny, "Bash", "command", pattern))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join((&linted{entry: e}).programs(), " "); got != want {
			t.Errorf("%s: %q", pattern, got)
		}
	}
}
