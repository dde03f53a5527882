package rules

import (
	"strings"
	"testing"
)

// Only plain reads inside the project pass without a person: not by a parent folder,
// a link, a look-alike name, a hidden character, nor the files that hold the gate.
func TestBuiltinRule(t *testing.T) {
	w := newWorld(t)
	in := func(kv ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	p := w.project
	for name, tt := range map[string]struct {
		tool    string
		input   map[string]any
		project string
		want    Verdict
	}{
		"read":                 {"Read", in("file_path", p+"/src/a.go"), p, Allow},
		"read relative":        {"Read", in("file_path", "src/a.go"), p, Allow},
		"grep everywhere":      {"Grep", in("pattern", "TODO"), p, Allow},
		"glob":                 {"Glob", in("pattern", "**/*.go"), p, Allow},
		"glob below":           {"Glob", in("pattern", "*.go", "path", "src"), p, Allow},
		"todo":                 {"TodoWrite", in("todos", []any{in("content", "fix it", "status", "pending")}), p, Allow},
		"read nothing":         {"Read", in(), p, Ask},
		"read a number":        {"Read", in("file_path", 7), p, Ask},
		"read a list":          {"Read", in("file_path", []any{"src/a.go"}), p, Ask},
		"read outside":         {"Read", in("file_path", w.root+"/shop-evil/x"), p, Ask},
		"read missing":         {"Read", in("file_path", p+"/nothing"), p, Ask},
		"read dangling":        {"Read", in("file_path", p+"/dangling"), p, Ask},
		"read dots":            {"Read", in("file_path", p+"/../shop-evil/x"), p, Ask},
		"read look-alike":      {"Read", in("file_path", p+"-evil/x"), p, Ask},
		"read through link":    {"Read", in("file_path", p+"/link/x"), p, Ask},
		"read loop":            {"Read", in("file_path", p+"/loop"), p, Ask},
		"read NUL":             {"Read", in("file_path", p+"/go.mod\x00/etc/passwd"), p, Ask},
		"read bidi":            {"Read", in("file_path", p+"/go.mod", "note", "\u202e"), p, Ask},
		"read agent settings":  {"Read", in("file_path", p+"/.claude/settings.json"), p, Ask},
		"read our state":       {"Read", in("file_path", p+"/state/aoctl.db"), p, Ask},
		"grep tilde":           {"Grep", in("pattern", "x", "path", "~/.ssh"), p, Ask},
		"read tilde":           {"Read", in("file_path", "~/.ssh/id"), p, Ask},
		"grep blank":           {"Grep", in("pattern", "x", "path", " /etc"), p, Ask},
		"glob blank":           {"Glob", in("pattern", "*", "path", " /etc"), p, Ask},
		"read blank behind":    {"Read", in("file_path", "src/a.go "), p, Ask},
		"read other letters":   {"Read", in("file_path", "src/\u00e4.go"), p, Ask},
		"glob blank pattern":   {"Glob", in("pattern", " /etc/*"), p, Ask},
		"glob outside":         {"Glob", in("pattern", "/etc/*"), p, Ask},
		"glob up":              {"Glob", in("pattern", "{.,..}/*"), p, Ask},
		"glob home":            {"Glob", in("pattern", "~/*"), p, Ask},
		"glob settings":        {"Glob", in("pattern", ".claude/*"), p, Ask},
		"glob settings hidden": {"Glob", in("pattern", "src/../.cl*/*"), p, Ask},
		"glob settings, any":   {"Glob", in("pattern", ".*/*"), p, Ask},
		"glob settings, brace": {"Glob", in("pattern", "{.claude,x}/*"), p, Ask},
		"glob our state":       {"Glob", in("pattern", "state/*"), p, Ask},
		"glob in our state":    {"Glob", in("pattern", "*", "path", "state"), p, Ask},
		"glob nothing":         {"Glob", in(), p, Ask},
		"grep outside":         {"Grep", in("pattern", "x", "path", w.root+"/shop-evil"), p, Ask},
		"no project":           {"Read", in("file_path", p+"/go.mod"), "", Ask},
		"write":                {"Write", in("file_path", p+"/go.mod", "content", "x"), p, Ask},
		"bash":                 {"Bash", in("command", "ls"), p, Ask},
		"other case":           {"read", in("file_path", p+"/go.mod"), p, Ask},
	} {
		t.Run(name, func(t *testing.T) {
			q := w.question(t, tt.tool, tt.input)
			q.Place.Project, q.Trusted = tt.project, true
			a := judge(t, set(t), Prepare(q))
			if a.Verdict != tt.want || a.Verdict == Allow && (a.Rule != BuiltinReadOnly || a.Reason != "reads inside the project") {
				t.Errorf("%s %s: %s by %s, %s; want %s", tt.tool, q.Input, a.Verdict, a.Rule, a.Reason, tt.want)
			}
			q.Trusted = false
			if a := judge(t, set(t), Prepare(q)); a.Verdict != Ask {
				t.Errorf("the same from the plain API: %s", a.Verdict)
			}
		})
	}
}

// The built-in rule is the last to speak.
func TestBuiltinRuleIsLast(t *testing.T) {
	w := newWorld(t)
	q := w.question(t, "Read", map[string]any{"file_path": "src/a.go"})
	q.Trusted = true
	for _, tt := range []struct {
		rule Rule
		want Verdict
	}{
		{with(rule(Ask, "Read"), func(r *Rule) { r.Priority = MaxPriority }), Ask},
		{rule(Deny, "Read", "file_path", "src/**"), Deny},
		{with(rule(Allow, "Read"), func(r *Rule) { r.Priority = MaxPriority }), Allow},
	} {
		if a := judge(t, set(t, tt.rule), Prepare(q)); a.Verdict != tt.want || a.Rule != tt.rule.ID {
			t.Errorf("%s: %s by %q", tt.rule.ID, a.Verdict, a.Rule)
		}
	}
	line := w.bash(t, "npm test < src/a.go")
	npm := rule(Allow, "Bash", "command", "npm *")
	if a := judge(t, set(t, npm), Prepare(line)); a.Verdict != Ask {
		t.Errorf("redirection, not trusted: %s", a.Reason)
	}
	line.Trusted = true
	a := judge(t, set(t, npm), Prepare(line))
	if a.Verdict != Allow || strings.Join(a.Rules, ",") != npm.ID+","+BuiltinReadOnly {
		t.Errorf("redirection from the project: %s %v, %s", a.Verdict, a.Rules, a.Reason)
	}
}
