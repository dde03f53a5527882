package rules

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// A dangerous line runs when rules for dangerous calls name each part of it exactly.
func TestDangerousNeedsEachPartNamed(t *testing.T) {
	w := newWorld(t)
	home := w.place.Home
	d := func(tool string, where ...string) Rule {
		return with(rule(Allow, tool, where...), func(r *Rule) { r.Dangerous = true })
	}
	for name, tt := range map[string]struct {
		line  string
		rules []Rule
		want  Verdict
	}{
		"read":                    {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "cat"), d("Bash", "read", "~/.aws/credentials")}, Allow},
		"read, absolute":          {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "cat"), d("Bash", "read", home+"/.aws/credentials")}, Allow},
		"read by Read":            {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "cat"), d("Read", "file_path", "~/.aws/credentials")}, Allow},
		"read by Write":           {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "cat"), d("Write", "file_path", "~/.aws/credentials")}, Ask},
		"read of another":         {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "cat"), d("Bash", "read", "~/.aws/config")}, Ask},
		"read with wildcards":     {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "cat"), rule(Allow, "Bash", "read", "~/.aws/*")}, Ask},
		"read, not dangerous":     {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "cat"), rule(Allow, "Bash", "read", "~/.aws/credentials")}, Ask},
		"read as a written one":   {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "cat"), d("Bash", "write", "~/.aws/credentials")}, Ask},
		"only the file":           {"cat < ~/.aws/credentials", []Rule{d("Bash", "read", "~/.aws/credentials")}, Ask},
		"only the command":        {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "cat")}, Ask},
		"any command":             {"cat < ~/.aws/credentials", []Rule{rule(Allow, "Bash", "command", "*"), d("Bash", "read", "~/.aws/credentials")}, Ask},
		"both in one rule":        {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "cat", "read", "~/.aws/credentials")}, Allow},
		"the whole line":          {"cat < ~/.aws/credentials", []Rule{d("Bash", "command", "line:cat < ~/.aws/credentials")}, Allow},
		"the whole line by plain": {"cat < ~/.aws/credentials", []Rule{rule(Allow, "Bash", "command", "line:cat < ~/.aws/credentials")}, Ask},
		"write":                   {"echo x > ~/.bashrc", []Rule{d("Bash", "command", "echo x"), d("Bash", "write", "~/.bashrc")}, Allow},
		"write by Write":          {"echo x > ~/.bashrc", []Rule{d("Bash", "command", "echo x"), d("Write", "file_path", "~/.bashrc")}, Allow},
		"write by Read":           {"echo x > ~/.bashrc", []Rule{d("Bash", "command", "echo x"), d("Read", "file_path", "~/.bashrc")}, Ask},
		"write with wildcards":    {"echo x > ~/.bashrc", []Rule{d("Bash", "command", "echo x"), rule(Allow, "Bash", "write", "~/*")}, Ask},
		"write by Write, any":     {"echo x > ~/.bashrc", []Rule{d("Bash", "command", "echo x"), rule(Allow, "Write", "file_path", "~/*")}, Ask},
		"write by notebook":       {"echo x > ~/.bashrc", []Rule{d("Bash", "command", "echo x"), d("Write", "notebook_path", "~/.bashrc")}, Ask},
		"write, more asked for":   {"echo x > ~/.bashrc", []Rule{d("Bash", "command", "echo x"), d("Write", "file_path", "~/.bashrc", "content", "x")}, Ask},
		"variable with wildcards": {"LD_PRELOAD=x ls", []Rule{d("Bash", "command", "ls"), rule(Allow, "Bash", "assign", "LD_PRELOAD=*")}, Ask},
		"another variable":        {"LD_PRELOAD=x ls", []Rule{d("Bash", "command", "ls"), d("Bash", "assign", "LD_PRELOAD=y")}, Ask},
		"command":                 {"git push --force o x", []Rule{d("Bash", "command", "git push --force o x")}, Allow},
		"another command":         {"git push --force o x", []Rule{d("Bash", "command", "git push --force o y")}, Ask},
		"command of another tool": {"git push --force o x", []Rule{d("Monitor", "command", "git push --force o x")}, Ask},
		"behind a wrapper":        {"sudo ls", []Rule{d("Bash", "command", "ls")}, Ask},
		"its wrapper named":       {"sudo ls", []Rule{d("Bash", "command", "sudo ls")}, Allow},
	} {
		if a := judge(t, set(t, tt.rules...), Prepare(w.bash(t, tt.line))); a.Verdict != tt.want {
			t.Errorf("%s: %s, %s", name, a.Verdict, a.Reason)
		}
	}
	for name, tt := range map[string]struct {
		tool  string
		input map[string]any
		rule  Rule
		want  Verdict
	}{
		"file":                {"Write", map[string]any{"file_path": "~x/../../home/ana/.bashrc"}, d("Write", "file_path", "~/.bashrc"), Ask},
		"file, named":         {"Write", map[string]any{"file_path": home + "/.bashrc"}, d("Write", "file_path", "~/.bashrc"), Allow},
		"file, not dangerous": {"Write", map[string]any{"file_path": home + "/.bashrc"}, rule(Allow, "Write", "file_path", "~/.bashrc"), Ask},
		"another file":        {"Write", map[string]any{"file_path": home + "/.bashrc", "path": home + "/.zshrc"}, d("Write", "file_path", "~/.bashrc"), Ask},
		"both files":          {"Write", map[string]any{"file_path": home + "/.bashrc", "path": home + "/.zshrc"}, d("Write", "file_path", "~/.bashrc", "path", "~/.zshrc"), Allow},
		"an address as well":  {"Write", map[string]any{"file_path": home + "/.bashrc", "url": "https://a.b/"}, d("Write", "file_path", "~/.bashrc"), Ask},
		"a text as well":      {"Write", map[string]any{"file_path": home + "/.bashrc", "content": "x"}, d("Write", "file_path", "~/.bashrc"), Allow},
	} {
		if a := judge(t, set(t, tt.rule), Prepare(w.question(t, tt.tool, tt.input))); a.Verdict != tt.want {
			t.Errorf("%s: %s, %s", name, a.Verdict, a.Reason)
		}
	}
}

// A rule of a project speaks for what works in it.
func TestRuleOfAProject(t *testing.T) {
	w := newWorld(t)
	in := func(p string, where ...string) Rule {
		return with(rule(Allow, "Bash", where...), func(r *Rule) { r.Scope.Project = p })
	}
	cd := rule(Allow, "Bash", "command", "cd ..|cd src")
	for name, tt := range map[string]struct {
		rules []Rule
		line  string
		want  Verdict
	}{
		"in it":              {[]Rule{in(w.project, "command", "ls")}, "ls", Allow},
		"below it":           {[]Rule{in(w.project, "command", "ls"), cd}, "cd src && ls", Allow},
		"of a folder above":  {[]Rule{in(w.root, "command", "ls"), cd}, "cd src && ls", Allow},
		"outside":            {[]Rule{in(w.project, "command", "ls"), cd}, "cd .. && ls", Ask},
		"of all, outside":    {[]Rule{rule(Allow, "Bash", "command", "ls"), cd}, "cd .. && ls", Ask},
		"outside, the line":  {[]Rule{in(w.project, "command", "line:cd /srv && ls")}, "cd /srv && ls", Ask},
		"of another project": {[]Rule{in(w.root+"/shop-evil", "command", "ls")}, "ls", Ask},
	} {
		if a := judge(t, set(t, tt.rules...), w.trusted(t, tt.line)); a.Verdict != tt.want {
			t.Errorf("%s: %s, %s", name, a.Verdict, a.Reason)
		}
	}
	// The folder that the session is in may be written otherwise than the project is.
	if err := os.Symlink(w.project, w.root+"/alias"); err != nil {
		t.Fatal(err)
	}
	w.place.CWD = w.root + "/alias"
	if a := judge(t, set(t, in(w.project, "command", "ls")), w.trusted(t, "ls")); a.Verdict != Allow {
		t.Errorf("by another name of the folder: %s, %s", a.Verdict, a.Reason)
	}
}

// Of several answers the worst one stands.
func TestWorstRulingStands(t *testing.T) {
	e := &entry{}
	list := []ruling{
		{verdict: Deny, entry: e}, {verdict: Ask, entry: e}, {verdict: Defer, entry: e}, {verdict: Ask, cause: notKnown}, {verdict: Ask, cause: nothingAllows}, {verdict: Allow, entry: e}, {},
	}
	for i := range list[1:] {
		if badness(list[i]) <= badness(list[i+1]) {
			t.Errorf("%+v is no worse than %+v", list[i], list[i+1])
		}
	}
	for _, same := range [][2]ruling{
		{{verdict: Ask, cause: guarded}, {verdict: Ask, cause: notKnown}},
		{{verdict: Ask, cause: maybeDenied, entry: e}, {verdict: Ask, cause: notExact}},
		{{verdict: Ask, cause: leavesProject}, {verdict: Ask, cause: notPlain}},
	} {
		if badness(same[0]) != badness(same[1]) {
			t.Errorf("%+v and %+v differ", same[0], same[1])
		}
	}
	w := newWorld(t)
	at := func(n int, r Rule) Rule { return with(r, func(r *Rule) { r.Priority = n }) }
	for line, want := range map[string]string{
		"a && b": "ask Bash command b", "b && a": "ask Bash command b", "a && c": "deny Bash command c", "c && d": "deny Bash command d", "d && c": "deny Bash command d", "x && a": "ask Bash command a", "e && a": "ask Bash command a", "e && x": "defer Bash command e", "x && e": "defer Bash command e",
	} {
		s := set(t, at(50, rule(Ask, "Bash", "command", "a")), at(5, rule(Ask, "Bash", "command", "b")), rule(Deny, "Bash", "command", "c"), at(2, rule(Deny, "Bash", "command", "d")), at(1, rule(Defer, "Bash", "command", "e")))
		if a := judge(t, s, w.trusted(t, line)); a.Rule != want {
			t.Errorf("%s: %s, %s", line, a.Rule, a.Reason)
		}
	}
}

// Which rules are live, by their ends, uses and askers.
func TestNumbersOfARule(t *testing.T) {
	if _, err := Compile(slices.Repeat([]Rule{{Enabled: true, Tool: "T", Decision: Deny}}, MaxRules+1)); err == nil || !strings.Contains(err.Error(), fmt.Sprint(MaxRules)) {
		t.Errorf("too many rules: %v", err)
	}
	full := set(t, slices.Repeat([]Rule{{Enabled: true, Tool: "T", Decision: Deny}}, MaxRules)...)
	if _, err := full.With(Rule{ID: "x", Tool: "T", Decision: Deny}); err == nil {
		t.Error("one more than there may be is added")
	}
	ok := rule(Allow, "Bash", "command", "npm *")
	for name, change := range map[string]func(*Rule){
		"priority 0": func(r *Rule) { r.Priority = 0 }, "priority": func(r *Rule) { r.Priority = MaxPriority }, "reason": func(r *Rule) { r.Reason = strings.Repeat("x", MaxReason) },
		"id": func(r *Rule) { r.ID = strings.Repeat("x", maxName) }, "project": func(r *Rule) { r.Scope.Project = "/" + strings.Repeat("x", maxPath-1) },
		"parameter": func(r *Rule) { r.Where[strings.Repeat("x", maxName)] = "y" }, "deep": func(r *Rule) { r.Where["a.b.c.d"] = "y" }, "pattern": func(r *Rule) { r.Where["description"] = strings.Repeat("x", patterns.MaxPattern) },
		"expression": func(r *Rule) { r.Where["description"] = "re:" + strings.Repeat("x", patterns.MaxRE) }, "no time of making": func(r *Rule) { r.CreatedAt, r.ExpiresAt = time.Time{}, made },
	} {
		r := with(ok, func(r *Rule) { r.Where = map[string]string{"command": "npm *"}; change(r) })
		if err := r.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*Rule){
		"id": func(r *Rule) { r.ID = strings.Repeat("x", maxName+1) }, "created_by": func(r *Rule) { r.CreatedBy = "\x1b" }, "created_from": func(r *Rule) { r.CreatedFrom = "\x1b" },
		"scope.session": func(r *Rule) { r.Scope.Session = strings.Repeat("x", maxName+1) }, "scope.project": func(r *Rule) { r.Scope.Project = "/" + strings.Repeat("x", maxPath) },
		"where": func(r *Rule) { r.Where[strings.Repeat("x", maxName+1)] = "y" }, "where.a.b.c.d.e": func(r *Rule) { r.Where["a.b.c.d.e"] = "y" },
	} {
		r := with(ok, func(r *Rule) { r.Where = map[string]string{"command": "npm *"}; change(r) })
		if err := r.Check(); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The input of a call as patterns see it.
func TestInputAsPatternsSeeIt(t *testing.T) {
	w := newWorld(t)
	deep := map[string]any{"a": map[string]any{"b": map[string]any{"c": map[string]any{"d": map[string]any{"e": "x"}}}}}
	c := Prepare(w.question(t, "Tool", deep))
	if c.input.params["a.b.c.d"] == nil || c.input.params["a.b.c.d.e"] != nil {
		t.Errorf("parameters %v", slices.Sorted(maps.Keys(c.input.params)))
	}
	for name, tt := range map[string]struct {
		input map[string]any
		rule  Rule
		want  Verdict
	}{
		"nothing set":          {map[string]any{"command": "npm test", "x": nil}, rule(Allow, "Bash", "command", "npm *"), Allow},
		"empty":                {map[string]any{"command": "npm test", "x": ""}, rule(Allow, "Bash", "command", "npm *"), Allow},
		"zero":                 {map[string]any{"command": "npm test", "x": 0}, rule(Allow, "Bash", "command", "npm *"), Ask},
		"nested path":          {map[string]any{"command": "npm test", "description": map[string]any{"path": "src/../x"}}, rule(Deny, "Bash", "description.path", "x"), Deny},
		"nested address":       {map[string]any{"command": "npm test", "description": map[string]any{"url": "https://u@evil.org"}}, rule(Deny, "Bash", "description.url", "evil.org"), Deny},
		"many paths":           {map[string]any{"command": "npm test", "description": map[string]any{"paths": slices.Repeat([]any{"a"}, maxPlaces)}}, rule(Allow, "Bash", "command", "npm *"), Allow},
		"too many paths":       {map[string]any{"command": "npm test", "description": map[string]any{"paths": slices.Repeat([]any{"a"}, maxPlaces+1)}}, rule(Allow, "Bash", "command", "npm *"), Ask},
		"a path that is none":  {map[string]any{"command": "npm test", "cwd": 7}, rule(Allow, "Bash", "command", "npm *"), Ask},
		"a list of such":       {map[string]any{"command": "npm test", "description": map[string]any{"paths": []any{"a", 7}}}, rule(Allow, "Bash", "command", "npm *"), Ask},
		"hidden in a list":     {map[string]any{"command": "npm test", "description": []any{"\u202e"}}, rule(Allow, "Bash", "command", "npm *"), Ask},
		"hidden in an object":  {map[string]any{"command": "npm test", "description": map[string]any{"a": "\u200b"}}, rule(Allow, "Bash", "command", "npm *"), Ask},
		"broken bytes":         {map[string]any{"command": "npm test", "description": "\ufffd"}, rule(Allow, "Bash", "command", "npm *"), Ask},
		"several lines":        {map[string]any{"command": "npm test", "description": "a\n\tb"}, rule(Allow, "Bash", "command", "npm *"), Allow},
		"words of an argument": {map[string]any{"command": []any{"npm", "a b"}}, rule(Allow, "Bash", "command", "npm 'a b'"), Allow},
		"an argument with '":   {map[string]any{"command": []any{"npm", "a'b"}}, rule(Allow, "Bash", "command", `npm "a'b"`), Allow},
		"no arguments":         {map[string]any{"command": []any{}}, rule(Allow, "Bash"), Ask},
	} {
		if a := judge(t, set(t, tt.rule), Prepare(w.question(t, "Bash", tt.input))); a.Verdict != tt.want {
			t.Errorf("%s: %s, %s", name, a.Verdict, a.Reason)
		}
	}
}
