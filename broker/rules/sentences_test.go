package rules

import (
	"strings"
	"testing"
)

// Whoever is asked reads what the rules say of each part, and in which order they speak.
func TestSentences(t *testing.T) {
	w := newWorld(t)
	npm := func(word string) Rule { return rule(Allow, "Bash", "command", word) }
	for _, tt := range []struct {
		line  string
		rules []Rule
		want  string
	}{
		{"a", []Rule{npm("a")}, `rule "a" allows it`},
		{"a; b", []Rule{npm("a"), npm("b")}, `rules "a" and "b" allow it`},
		{"a; b; c", []Rule{npm("a"), npm("b"), npm("c")}, `rules "a", "b" and "c" allow it`},
		{"a; b; c; d", []Rule{npm("a"), npm("b"), npm("c"), npm("d")}, `rules "a", "b", "c" and … allow it`},
		{"a; a", []Rule{npm("a")}, `rule "a" allows it`},
		{"a < src/a.go", []Rule{npm("a")}, `rules "a" and for reads inside the project allow it`},
		{"a", []Rule{rule(Allow, "Bash")}, `rule "Bash" allows it`},
		{"a > b", []Rule{npm("a"), rule(Allow, "Bash", "write", "b")}, `rules "a" and "Bash write b" allow it`},
		{"a", []Rule{with(rule(Deny, "Bash", "command", "a"), func(r *Rule) { r.Reason = "no" })}, `denied by rule "a": no`},
		{"a", []Rule{rule(Deny, "Bash", "command", "a")}, `denied by rule "a"`},
		{"a", []Rule{rule(Ask, "Bash", "command", "a")}, `rule "a" asks`},
		{"a", []Rule{with(rule(Ask, "Bash", "command", "a"), func(r *Rule) { r.Reason = "look" })}, `rule "a" asks: look`},
		{"a", []Rule{rule(Defer, "Bash", "command", "a")}, `deferred by rule "a"`},
		{"a", nil, `nothing allows "a"`},
		{"cd src", nil, `nothing allows "cd src"`},
		{" a > b ", []Rule{npm("a")}, `nothing allows writing "b"`},
		{"a < ../x", []Rule{npm("a")}, `nothing allows reading "../x"`},
		{"cp a ../x", []Rule{npm("cp *")}, `outside the project, so only a rule for that file or the whole line can allow writing "../x"`},
	} {
		a := judge(t, set(t, tt.rules...), w.trusted(t, tt.line))
		if a.Reason != tt.want {
			t.Errorf("%s: %s; want %s", tt.line, a.Reason, tt.want)
		}
	}
	for _, tt := range []struct {
		tool  string
		input map[string]any
		want  string
	}{
		{"Write", map[string]any{"file_path": "x"}, "nothing allows Write"},
		{"Write", map[string]any{"file_path": "~/x"}, `the path "~/x" begins with a tilde, which only some programs expand`},
		{"Write", map[string]any{"file_path": 7}, "its file_path is no text"},
		{"Write", map[string]any{"file_path": ".claude/settings.json"}, "no rule may allow it: touches an agent's own settings"},
		{"Bash", map[string]any{"command": ""}, "its command line runs nothing"},
		{"Bash", map[string]any{}, "it has no command line"},
	} {
		if a := judge(t, set(t), Prepare(w.question(t, tt.tool, tt.input))); a.Reason != tt.want {
			t.Errorf("%s %v: %s; want %s", tt.tool, tt.input, a.Reason, tt.want)
		}
	}

	for line, want := range map[string]string{"strace cd /": "runs through strace", "cd /": "leaves the project", "cd / && ls": "leaves the project"} {
		if e := judge(t, set(t, npm("*")), w.trusted(t, line)).Elements[0]; !strings.HasSuffix(e.Why, want) {
			t.Errorf("%s: %s, want %s", line, e.Why, want)
		}
	}

	// Which rules match a part, and which only would if they were allowed to speak.
	list := []Rule{
		npm("python3 *"), with(rule(Allow, "Bash", "command", "*"), func(r *Rule) { r.Priority = 1 }), npm("python3 -c x"), rule(Ask, "Bash", "command", "python3 *"), with(rule(Allow, "Bash"), func(r *Rule) { r.Priority = 200 }),
	}
	e := judge(t, set(t, list...), w.trusted(t, "python3 -c x")).Elements[0]
	if got, want := strings.Join(e.Matches, ", "), "ask Bash command python3 *, allow Bash command python3 -c x"; got != want {
		t.Errorf("matches %s, want %s", got, want)
	}
	if got, want := strings.Join(e.Idle, ", "), "allow Bash command *, allow Bash command python3 *, allow Bash "; got != want {
		t.Errorf("idle %s, want %s", got, want)
	}
	a := judge(t, set(t, npm("cat *"), rule(Deny, "Read", "file_path", "secrets/**")), w.trusted(t, "cat sec*/k*"))
	if a.Rule != "" || a.Verdict != Ask {
		t.Errorf("what a rule may deny is %s by %q", a.Verdict, a.Rule)
	}
}

// A call of which nothing may be parsed is refused by its text, and allowed by nothing.
func TestUnreadCalls(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		tool, input string
		rule        Rule
		want        Verdict
	}{
		{"Bash", `{"command":"curl x"}`, rule(Deny, "Bash", "command", "curl *"), Deny},
		{"Bash", `{"command":"curl x"}`, rule(Allow, "Bash", "command", "curl *"), Ask},
		{"Bash", `{"command":"curl x"}`, rule(Allow, "Bash", "command", "line:curl x"), Ask},
		{"Bash", `{"cmd":"curl x"}`, rule(Deny, "Bash", "command", "curl *"), Ask},
		{"Bash", `{"x":"y","command":"curl x"}`, rule(Deny, "Bash", "command", "y"), Ask},
		{"Bash", `{"command":7,"x":"curl"}`, rule(Deny, "Bash", "command", "re:.*curl.*"), Deny},
		{"Bash", `not JSON curl`, rule(Deny, "Bash", "command", "curl *"), Deny},
		{"Read", `{"file_path":"x"}`, rule(Deny, "Read"), Deny},
		{"Read", `{"file_path":"x"}`, rule(Allow, "Read"), Ask},
		{"Bash", `{"command":"curl x"}`, with(rule(Deny, "Bash", "command", "curl *"), func(r *Rule) { r.Scope.Project = w.project }), Deny},
		{"Bash", `{"command":"curl x"}`, with(rule(Deny, "Bash", "command", "curl *"), func(r *Rule) { r.Scope.Project = w.project + "-evil" }), Ask},
	} {
		q := w.question(t, tt.tool, nil)
		q.Input = []byte(tt.input)
		c := Unread(q, "is too long")
		if a := judge(t, set(t, tt.rule), c); a.Verdict != tt.want || a.Unread != "is too long" {
			t.Errorf("%s %s with %s: %s, %s", tt.tool, tt.input, tt.rule.ID, a.Verdict, a.Reason)
		}
		if len(Offer(c)) > 0 {
			t.Errorf("%s %s: a rule is offered", tt.tool, tt.input)
		}
	}
	if a := judge(t, set(t, rule(Allow, "*")), Prepare(Question{Tool: "apply_patch", Input: []byte("{"), Place: w.place})); a.Verdict != Ask {
		t.Errorf("a patch that cannot be read: %s", a.Verdict)
	}
}

// Each part of a line says why it asks itself, and the dangerous one speaks for the line.
func TestEachPartSaysItsOwnReason(t *testing.T) {
	w := newWorld(t)
	a := judge(t, set(t), w.trusted(t, "make && rm -rf /srv/www && FOO=1 ls"))
	const danger = "deletes /srv/www, outside the project"
	if want := `no wildcard rule can allow "rm -rf /srv/www": ` + danger; a.Reason != want {
		t.Errorf("the line: %s, want %s", a.Reason, want)
	}
	for _, e := range a.Elements {
		if got, want := strings.Contains(e.Why, danger), e.Text == "rm -rf /srv/www"; got != want {
			t.Errorf("%s: %s", e.Text, e.Why)
		}
	}
	if got, want := a.Elements[0].Why, `no wildcard rule can allow "make": another part of the line is dangerous`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
