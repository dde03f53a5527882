package rules

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules/patterns"
)

func TestCheckRefuses(t *testing.T) {
	ok := rule(Allow, "Bash", "command", "npm run *")
	many := map[string]string{}
	for i := range MaxWhere + 1 {
		many[fmt.Sprint("p", i)] = "x"
	}
	for name, tt := range map[string]struct {
		change func(*Rule)
		field  string
		why    string
	}{
		"no decision":           {func(r *Rule) { r.Decision = "" }, "decision", "use allow, deny, ask or defer"},
		"other decision":        {func(r *Rule) { r.Decision = "Allow\x1b" }, "decision", `"Allow\x1b"`},
		"no tool":               {func(r *Rule) { r.Tool = "" }, "tool", "is empty"},
		"tool with a blank":     {func(r *Rule) { r.Tool = "Edit | Write" }, "tool", "blank"},
		"tool alternatives":     {func(r *Rule) { r.Tool = "Edit|" }, "tool", "empty alternative"},
		"tool control":          {func(r *Rule) { r.Tool = "Ba\nsh" }, "tool", "U+000A"},
		"negative priority":     {func(r *Rule) { r.Priority = -1 }, "priority", "-1"},
		"priority too high":     {func(r *Rule) { r.Priority = MaxPriority + 1 }, "priority", "use 0 to"},
		"negative uses":         {func(r *Rule) { r.Uses = -1 }, "uses", "negative"},
		"negative limit":        {func(r *Rule) { r.MaxUses = -1 }, "max_uses", "negative"},
		"negative version":      {func(r *Rule) { r.Version = -1 }, "version", "negative"},
		"ends before it began":  {func(r *Rule) { r.ExpiresAt = r.CreatedAt }, "expires_at", "is not after"},
		"long reason":           {func(r *Rule) { r.Reason = strings.Repeat("x", MaxReason+1) }, "reason", "1001 bytes"},
		"reason with escape":    {func(r *Rule) { r.Reason = "\x1b[2J" }, "reason", "U+001B"},
		"reason bidi":           {func(r *Rule) { r.Reason = "a\u202eb" }, "reason", "U+202E"},
		"id with newline":       {func(r *Rule) { r.ID = "a\nb" }, "id", "U+000A"},
		"not UTF-8":             {func(r *Rule) { r.Where["command"] = "a\xffb" }, "where.command", "UTF-8"},
		"relative project":      {func(r *Rule) { r.Scope.Project = "code" }, "scope.project", "absolute"},
		"unclean project":       {func(r *Rule) { r.Scope.Project = "/a/../b" }, "scope.project", "use /b"},
		"project with slash":    {func(r *Rule) { r.Scope.Project = "/a/" }, "scope.project", "use /a"},
		"project control":       {func(r *Rule) { r.Scope.Project = "/a\x00" }, "scope.project", "U+0000"},
		"session control":       {func(r *Rule) { r.Scope.Session = "\r" }, "scope.session", "U+000D"},
		"agent too long":        {func(r *Rule) { r.Scope.Agent = strings.Repeat("x", maxName+1) }, "scope.agent", "301 bytes"},
		"too many parameters":   {func(r *Rule) { r.Where = many }, "where", "11 parameters"},
		"parameter, no name":    {func(r *Rule) { r.Where[""] = "x" }, "where", "without a name"},
		"parameter control":     {func(r *Rule) { r.Where["a\x1b"] = "x" }, "where", "cannot be shown"},
		"parameter too deep":    {func(r *Rule) { r.Where["a.b.c.d.e"] = "x" }, "where.a.b.c.d.e", "deeper"},
		"empty pattern":         {func(r *Rule) { r.Where["command"] = "" }, "where.command", "is empty"},
		"long pattern":          {func(r *Rule) { r.Where["command"] = strings.Repeat("x", patterns.MaxPattern+1) }, "where.command", "4097 bytes"},
		"newline in pattern":    {func(r *Rule) { r.Where["command"] = "a\nb" }, "where.command", "U+000A"},
		"wrong expression":      {func(r *Rule) { r.Where["command"] = "re:(" }, "where.command", "wrong expression"},
		"long expression":       {func(r *Rule) { r.Where["command"] = "re:" + strings.Repeat("ä", patterns.MaxRE+1) }, "where.command", "201 characters"},
		"command and cmd":       {func(r *Rule) { r.Where["cmd"] = "x" }, "", "same as"},
		"command of a plain":    {func(r *Rule) { r.Tool = "Edit|Write" }, "where.command", "runs none"},
		"command of mcp":        {func(r *Rule) { r.Tool = "mcp__x__run" }, "where.command", "has to be exact"},
		"write of a plain":      {func(r *Rule) { r.Tool, r.Where = "Edit", map[string]string{"write": "x"} }, "where.write", "runs none"},
		"read of a plain":       {func(r *Rule) { r.Tool, r.Where = "Edit", map[string]string{"read": "x"} }, "where.read", "runs none"},
		"assign of a plain":     {func(r *Rule) { r.Tool, r.Where = "Edit", map[string]string{"assign": "x"} }, "where.assign", "runs none"},
		"bad glob":              {func(r *Rule) { r.Where["write"] = "a/[" }, "where.write", "no valid glob"},
		"dangerous deny":        {func(r *Rule) { r.Dangerous, r.Decision, r.Where["command"] = true, Deny, "ls" }, "dangerous", "does not allow"},
		"dangerous wildcard":    {func(r *Rule) { r.Dangerous = true }, "dangerous", "needs exact patterns"},
		"dangerous re":          {func(r *Rule) { r.Dangerous, r.Where["command"] = true, "re:ls" }, "dangerous", "needs exact patterns"},
		"dangerous, no where":   {func(r *Rule) { r.Dangerous, r.Where = true, nil }, "dangerous", "needs exact patterns"},
		"dangerous, any tool":   {func(r *Rule) { r.Dangerous, r.Tool, r.Where["command"] = true, "*", "ls" }, "dangerous", "needs exact patterns"},
		"dangerous, words only": {func(r *Rule) { r.Dangerous, r.Where = true, map[string]string{"description": "x"} }, "dangerous", "needs where.command"},
		"dangerous address":     {func(r *Rule) { r.Dangerous, r.Tool, r.Where = true, "WebFetch", map[string]string{"url": "docs.rs/**"} }, "dangerous", "needs exact patterns"},
		"dangerous text":        {func(r *Rule) { r.Dangerous, r.Where = true, map[string]string{"command": "ls", "description": "x*"} }, "dangerous", "needs exact patterns"},
		"dangerous read":        {func(r *Rule) { r.Dangerous, r.Where = true, map[string]string{"command": "ls", "read": "x*"} }, "dangerous", "needs exact patterns"},
		"dangerous write":       {func(r *Rule) { r.Dangerous, r.Where = true, map[string]string{"command": "ls", "write": "x*"} }, "dangerous", "needs exact patterns"},
		"dangerous assign":      {func(r *Rule) { r.Dangerous, r.Where = true, map[string]string{"command": "ls", "assign": "x*"} }, "dangerous", "needs exact patterns"},
		"dangerous, two tools":  {func(r *Rule) { r.Dangerous, r.Tool, r.Where = true, "Write|Edit", map[string]string{"file_path": "x"} }, "dangerous", "needs exact patterns"},
		"dangerous path":        {func(r *Rule) { r.Dangerous, r.Tool, r.Where = true, "Write", map[string]string{"file_path": "src/**"} }, "dangerous", "needs exact patterns"},
	} {
		t.Run(name, func(t *testing.T) {
			r := with(ok, func(r *Rule) { r.Where = map[string]string{"command": "npm run *"} })
			tt.change(&r)
			var e *Error
			if err := r.Check(); !errors.As(err, &e) {
				t.Fatalf("Check = %v, want an *Error", err)
			}
			if tt.field != "" && e.Field != tt.field || !strings.Contains(e.Problem, tt.why) {
				t.Errorf("%s: %s; want %s: …%s…", e.Field, e.Problem, tt.field, tt.why)
			}
			if strings.ContainsFunc(e.Error(), func(r rune) bool { return r < ' ' }) {
				t.Errorf("the error %q has control characters", e.Error())
			}
			if _, err := Compile([]Rule{ok, r}); !errors.As(err, &e) {
				t.Errorf("Compile = %v, want the same refusal", err)
			}
			r.Enabled = false
			if _, err := set(t, ok).With(r); !errors.As(err, &e) {
				t.Errorf("With a disabled one = %v, want the same refusal", err)
			}
		})
	}
}

func TestCheckTakes(t *testing.T) {
	for name, r := range map[string]Rule{
		"plain":              rule(Allow, "Bash", "command", "npm run *"),
		"draft":              {Tool: "Bash", Decision: Allow},
		"deny with a limit":  with(rule(Deny, "*"), func(r *Rule) { r.MaxUses = 3 }),
		"reason on allow":    with(rule(Allow, "*"), func(r *Rule) { r.Reason = "ok – fine" }),
		"tool expression":    rule(Deny, "re:a b"),
		"dangerous words":    with(rule(Allow, "Bash", "command", "ls", "description", "x", "read", "y", "write", "z", "assign", "A=1"), func(r *Rule) { r.Dangerous = true }),
		"dangerous address":  with(rule(Allow, "WebFetch", "url", "https://docs.rs/x"), func(r *Rule) { r.Dangerous = true }),
		"any tool, command":  rule(Deny, "*", "command", "rm *"),
		"mcp, exact command": rule(Allow, "mcp__x__run", "command", "git status"),
		"dangerous":          with(rule(Allow, "Bash", "command", "git push --force origin x"), func(r *Rule) { r.Dangerous = true }),
		"dangerous line":     with(rule(Allow, "Bash", "command", "line:make | sh"), func(r *Rule) { r.Dangerous = true }),
		"dangerous path":     with(rule(Allow, "Write", "file_path", "~/.bashrc"), func(r *Rule) { r.Dangerous = true }),
		"root project":       with(rule(Allow, "*"), func(r *Rule) { r.Scope.Project = "/" }),
		"expires":            with(rule(Allow, "*"), func(r *Rule) { r.ExpiresAt = r.CreatedAt.Add(time.Minute) }),
		"ten parameters":     rule(Allow, "T", "a", "1", "b", "1", "c", "1", "d", "1", "e", "1", "f", "1", "g", "1", "h", "1", "i", "1", "j", "1"),
	} {
		if err := r.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCompileKeepsIDsApart(t *testing.T) {
	a := rule(Allow, "Bash")
	if _, err := Compile([]Rule{a, a}); err == nil || !strings.Contains(err.Error(), "id: is that of another rule") {
		t.Errorf("two rules of one id: %v", err)
	}
	for id, want := range map[string]string{"": "rule number 2: tool:", "x\x1b": "rule number 2: id:", "x": "rule x: tool:"} {
		if _, err := Compile([]Rule{a, {ID: id, Decision: Deny}}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", id, err)
		}
	}
	a.ID = ""
	if s, err := Compile([]Rule{a, a}); err != nil || len(s.Rules()) != 2 {
		t.Errorf("two rules without id: %v", err)
	}
}

func TestSetsDoNotChange(t *testing.T) {
	w := newWorld(t)
	c := Prepare(w.bash(t, "npm test"))
	a := rule(Allow, "Bash", "command", "npm *")
	s := set(t, a)
	d, err := s.With(rule(Deny, "Bash"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.With(with(a, func(r *Rule) { r.Where = map[string]string{"command": "yarn *"} }))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		set  *Set
		want Verdict
		n    int
	}{
		"first":      {s, Allow, 1},
		"with deny":  {d, Deny, 2},
		"replaced":   {other, Ask, 1},
		"without":    {s.Without(a.ID), Ask, 0},
		"not there":  {s.Without("x"), Allow, 1},
		"empty id":   {set(t, with(a, func(r *Rule) { r.ID = "" })).Without(""), Allow, 1},
		"back again": {d.Without("deny Bash "), Allow, 1},
	} {
		if got := judge(t, tt.set, c); got.Verdict != tt.want || len(tt.set.Rules()) != tt.n {
			t.Errorf("%s: %s with %d rules, want %s with %d", name, got.Verdict, len(tt.set.Rules()), tt.want, tt.n)
		}
	}
}

func TestRulesAreListedInOrder(t *testing.T) {
	a, b := with(rule(Allow, "A"), func(r *Rule) { r.Priority = 5 }), with(rule(Deny, "B"), func(r *Rule) { r.Enabled = false })
	c := with(rule(Ask, "C"), func(r *Rule) { r.CreatedAt = made.Add(-time.Hour) })
	var got []string
	for _, r := range set(t, b, c, a).Rules() {
		got = append(got, r.Tool)
	}
	if strings.Join(got, "") != "ACB" {
		t.Errorf("listed as %v", got)
	}
}
