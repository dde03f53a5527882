package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
)

// about is a rule about effects.
func about(v Verdict, names string) Rule {
	s, err := effects.Parse(names)
	if err != nil {
		panic(err)
	}
	return Rule{ID: string(v) + " " + names, Priority: DefaultPriority, Enabled: true, Tool: EffectsTool, Effects: s, Decision: v}
}

// A call passes when all that its parts do is granted, by one rule or by several.
func TestGrants(t *testing.T) {
	w := newWorld(t)
	look, work := about(Allow, "look"), about(Allow, "look, edit, check")
	for _, tt := range []struct {
		line  string
		rules []Rule
		want  Verdict
		by    string
	}{
		{"ls -la", nil, Ask, ""},
		{"ls -la", []Rule{look}, Allow, "allow look"},
		{"ls -la && git log | head -3", []Rule{look}, Allow, "allow look"},
		{`echo "$PATH" $HOME; ls`, []Rule{look}, Allow, "allow look"},
		{`echo "$PATH"`, []Rule{look}, Allow, "allow look"},
		{`echo "$API_KEY"`, []Rule{look}, Ask, ""},
		{"go test ./...", []Rule{look}, Ask, ""},
		{"cd src && go test ./... 2>&1 | tail -5", []Rule{work}, Allow, "allow look, edit, check"},
		{"go test ./... > out.txt", []Rule{work}, Allow, "allow look, edit, check"},
		{"go test ./... > out.txt", []Rule{about(Allow, "check")}, Ask, ""},
		{"go test ./... > out.txt", []Rule{about(Allow, "check"), about(Allow, "edit")}, Allow, "allow check allow edit"},
		{"go test ./... > ../out.txt", []Rule{work}, Ask, ""},
		{"go mod tidy", []Rule{about(Allow, "edit"), about(Allow, "fetch")}, Allow, "allow edit allow fetch"},
		{"unheard-of", []Rule{about(Allow, effects.Grantable.String())}, Ask, ""},
		{"ls; unheard-of", []Rule{work}, Ask, ""},
		{"cat .env", []Rule{work}, Ask, ""},
		{"cat ../x", []Rule{work}, Ask, ""},
		{"sudo ls", []Rule{work}, Ask, ""},
		{"rm a.go", []Rule{work}, Ask, ""},
		{"echo x > .git/hooks/pre-commit", []Rule{work}, Ask, ""},
		{"echo x > .claude/settings.json", []Rule{work}, Ask, ""},
		{"echo x > .github/workflows/a.yml", []Rule{work}, Ask, ""},
		{"git commit -m x", []Rule{work}, Ask, ""},
		{"ls -la", []Rule{look, about(Ask, "look")}, Ask, "ask look"},
		{"git push", []Rule{about(Deny, "push, network")}, Deny, "deny push, network"},
		{"go test ./...", []Rule{work, rule(Ask, "Bash", "command", "go test *")}, Ask, "ask Bash command go test *"},
		{"go test ./...", []Rule{work, rule(Deny, "Bash", "command", "go *")}, Deny, "deny Bash command go *"},
		{"make x; unheard-of", []Rule{work, rule(Allow, "Bash", "command", "unheard-of")}, Allow, "allow look, edit, check allow Bash command unheard-of"},
		{"ls", []Rule{with(look, func(r *Rule) { r.Enabled = false })}, Ask, ""},
		{"ls", []Rule{with(look, func(r *Rule) { r.Scope.Project = w.root + "/other" })}, Ask, ""},
		{"ls", []Rule{with(look, func(r *Rule) { r.Scope.Project = w.project })}, Allow, "allow look"},
	} {
		a := judge(t, set(t, tt.rules...), w.trusted(t, tt.line))
		by := strings.Join(a.Rules, " ")
		if a.Verdict == Ask {
			by = a.Rule
		}
		if a.Verdict != tt.want || by != tt.by {
			t.Errorf("%s with %v: %s by %q (%s)", tt.line, ids(tt.rules), a.Verdict, by, a.Reason)
		}
	}
}

// What a pattern of a shell stands for must be plain files of the project: links lead elsewhere. An
// element without a say of its own passes only with what the others are granted.
func TestGrantsOfPatterns(t *testing.T) {
	w := newWorld(t)
	all := set(t, about(Allow, effects.Grantable.String()))
	found := map[string][]string{"docs": {"a.md", "b.md"}, "out": {"a.md", "link.md"}, "keys": {"key.md"}}
	at := func(folder, name string) string { return w.project + "/" + folder + "/" + name }
	for _, tt := range []struct {
		line  string
		whole bool
		want  Verdict
	}{
		{"cat docs/*.md", true, Allow},
		{"cat docs/*.md", false, Ask},
		{"cat out/*/b.md", true, Ask},
		{"cat docs/*/b.md", true, Allow},
		{"cat out/*.md", true, Ask},
		{"cat keys/*.md", true, Ask},
		{"set | grep TOKEN", true, Ask},
		{"true | grep x", true, Allow},
	} {
		q := w.question(t, "Bash", map[string]any{"command": tt.line})
		q.Trusted = true
		q.Matches = func(pattern string) (files []string, all bool) {
			for folder, names := range found {
				if strings.HasPrefix(pattern, w.project+"/"+folder+"/") && !strings.HasSuffix(pattern, "/b.md") {
					for _, name := range names {
						files = append(files, at(folder, name))
					}
				}
			}
			return files, tt.whole
		}
		real := q.Place.Real
		q.Place.Real = func(p string) (string, error) {
			switch p {
			case at("out", "link.md"):
				return w.root + "/other/a.md", nil
			case at("keys", "key.md"):
				return w.project + "/.env", nil
			}
			return real(p)
		}
		if a := judge(t, all, Prepare(q)); a.Verdict != tt.want {
			t.Errorf("%s, all seen %t: %s (%s)", tt.line, tt.whole, a.Verdict, a.Reason)
		}
	}
}

func ids(list []Rule) (out []string) {
	for _, r := range list {
		out = append(out, r.ID)
	}
	return out
}

// A doubt about names alone is lifted by a grant, whose effects were looked up on the disk, and by no other
// rule.
func TestGrantsOfDoubtfulNames(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		line   string
		dashes bool
		rule   Rule
		want   Verdict
	}{
		{"touch *.md", false, about(Allow, "look, edit"), Allow},
		{"touch *.md", true, about(Allow, "look, edit"), Ask},
		{"touch *.md", false, about(Allow, "look"), Ask},
		{"touch *.md", false, rule(Allow, "Bash", "command", "touch *"), Ask},
		{"touch *.md", false, rule(Allow, "Bash", "command", "touch *.md"), Ask},
		{"touch *.md ../x", false, about(Allow, "look, edit"), Ask},
		{"awk *", false, about(Allow, "look, edit"), Ask},
		{"git mv a.md b.md && cat b.md", false, about(Allow, "look, edit, commit"), Allow},
		{"git mv a.md b.md && cat b.md", false, about(Allow, "edit"), Ask},
		{"git mv a.md b.md && echo x > c.md", false, about(Allow, "look, edit, commit"), Allow},
		{"git mv a.md b.md && echo x > ../c.md", false, about(Allow, "look, edit, commit"), Ask},
		{"git mv a.md b.md && cat b.md", false, rule(Allow, "Bash", "command", "*"), Ask},
		{"git mv up b.md && cat b.md", false, about(Allow, "look, edit, commit"), Ask},
	} {
		q := w.question(t, "Bash", map[string]any{"command": tt.line})
		q.Trusted, q.Place.Dashes = true, func(string) bool { return tt.dashes }
		q.Place.Matches = func(string) ([]string, bool) { return nil, true }
		q.Place.Below = func(dir string) risk.Below { return risk.Below{Whole: true, Special: strings.HasSuffix(dir, "/up")} }
		if a := judge(t, set(t, tt.rule), Prepare(q)); a.Verdict != tt.want {
			t.Errorf("%s with %s, dashes %t: %s (%s)", tt.line, tt.rule.ID, tt.dashes, a.Verdict, a.Reason)
		}
	}
}

// Tools that change files are granted like lines that do, in the project alone and by plain paths.
func TestGrantsOfTools(t *testing.T) {
	w := newWorld(t)
	s := set(t, about(Allow, effects.Grantable.String()))
	for input, want := range map[string]Verdict{
		`{"file_path":"src/a.go","old_string":"a","new_string":"b"}`: Allow,
		`{"file_path":"` + w.project + `/new.go","content":"x"}`:     Allow,
		`{"file_path":"../a.go"}`:                                    Ask, `{"file_path":"/etc/passwd"}`: Ask, `{"file_path":"~/a"}`: Ask, `{}`: Ask, `{"file_path":7}`: Ask,
		`{"file_path":".env"}`: Ask, `{"file_path":".git/config"}`: Ask, `{"file_path":".claude/settings.json"}`: Ask, `{"file_path":"link/x"}`: Ask,
		`{"file_path":"src/a.go","edits":[{"file_path":"/etc/passwd","old_string":"a","new_string":"b"}]}`: Ask, `{"file_path":"src/a.go","target":"/etc/passwd"}`: Ask, `{"file_path":"src/a.go","edits":[{"old_string":"a","new_string":"b"}]}`: Allow,
		`{"file_path":"src/a.go","more":{"path":"/etc/x"}}`: Ask, `{"file_path":"src/a.go","other_path":"/etc/x"}`: Ask,
	} {
		for _, tool := range []string{"Edit", "Write"} {
			q := w.question(t, tool, map[string]any{})
			q.Input, q.Trusted = json.RawMessage(input), true
			if a := judge(t, s, Prepare(q)); a.Verdict != want {
				t.Errorf("%s %s: %s (%s)", tool, input, a.Verdict, a.Reason)
			}
			q.Trusted = false
			if a := judge(t, s, Prepare(q)); a.Verdict != Ask {
				t.Errorf("%s %s by a tool of somebody's: %s", tool, input, a.Verdict)
			}
		}
	}
	for _, tool := range []string{"WebFetch", "mcp__x__edit", "Skill", "Task", "unheard"} {
		q := w.question(t, tool, map[string]any{"file_path": "src/a.go", "url": "https://x.example"})
		q.Trusted = true
		if a := judge(t, s, Prepare(q)); a.Verdict != Ask {
			t.Errorf("%s: %s (%s)", tool, a.Verdict, a.Reason)
		}
	}
}

// A rule about effects is about nothing else, and allows only what can be granted.
func TestRulesAboutEffects(t *testing.T) {
	for want, change := range map[string]func(*Rule){
		"":                                func(*Rule) {},
		"effects":                         func(r *Rule) { r.Effects |= effects.Of(effects.Push) },
		"effects: is empty":               func(r *Rule) { r.Effects = 0 },
		"tool: does not go":               func(r *Rule) { r.Tool = "Bash" },
		"where: does not go":              func(r *Rule) { r.Where = map[string]string{"command": "x"} },
		"dangerous: does not go":          func(r *Rule) { r.Dangerous = true },
		"tool: does not go with effects:": func(r *Rule) { r.Tool = "*" },
	} {
		err := with(about(Allow, "look, edit"), change).Check()
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if err := about(Deny, "push, unknown").Check(); err != nil {
		t.Error(err)
	}
}

// An explanation says what each part does and which grant speaks for it.
func TestGrantsAreExplained(t *testing.T) {
	w := newWorld(t)
	s := set(t, about(Allow, "look"), about(Allow, "check"))
	a := judge(t, s, w.trusted(t, "cat src/a.go && npm test"))
	if a.Verdict != Allow || a.Reason != `rules "look" and "check" allow it` || !slices.Equal(a.Rules, []string{"allow look", "allow check"}) {
		t.Errorf("%s: %s %v", a.Verdict, a.Reason, a.Rules)
	}
	var got []string
	for _, e := range a.Elements {
		got = append(got, fmt.Sprint(e.Text, ": ", e.Effects, " by ", e.Matches))
	}
	if want := []string{"cat src/a.go: look by [allow look]", "src/a.go: look by [allow look]", "npm test: check by [allow check]"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	builtin := set(t, LookGrant())
	if a := judge(t, builtin, w.trusted(t, "ls")); a.Verdict != Allow || a.Rule != BuiltinLook || a.Reason != "only looks, inside the project" {
		t.Errorf("%s by %s: %s", a.Verdict, a.Rule, a.Reason)
	}
	off := with(about(Allow, "check"), func(r *Rule) { r.Enabled = false })
	if id := set(t, off).SwitchedOff(w.trusted(t, "npm test"), testNow); id != off.ID {
		t.Errorf("a grant that is switched off is not named: %q", id)
	}
}

// A program of the project is the project's code. One in the home folder is not, in whatever words.
func TestGrantsOfPrograms(t *testing.T) {
	w := newWorld(t)
	all := set(t, about(Allow, effects.Grantable.String()))
	for line, want := range map[string]Verdict{"./run.sh": Allow, "scripts/run.sh -x": Allow, "~/run.sh": Ask, "../run.sh": Ask, "/opt/run.sh": Ask, "bash ~/run.sh": Ask} {
		if a := judge(t, all, w.trusted(t, line)); a.Verdict != want {
			t.Errorf("%s: %s (%s)", line, a.Verdict, a.Reason)
		}
	}
}

// What cp puts into a folder may be written through a link that is there, and settings may get a new
// place. mv replaces the link.
func TestGrantsOfCopies(t *testing.T) {
	w := newWorld(t)
	all := set(t, about(Allow, effects.Grantable.String()))
	for line, want := range map[string]Verdict{
		"cp a.md docs": Allow, "cp a.md docs/new.md": Allow, "cp link.md docs": Ask, "cp -f link.md docs/": Ask, "cp x/link.md y.md docs": Ask,
		"cp -r src docs": Allow, "cp -r deep docs": Ask, "cp -a deep docs": Ask, "cp -r deep new": Allow, "cp src/.mcp.json docs": Ask, "mv x/.envrc docs": Ask, "cp -r x/. docs": Ask,
		"cp -r src .vscode": Ask, "cp tasks.json .vscode": Ask, "mv src .github": Ask, "git mv src .cargo": Ask, "git mv a.md docs": Allow, "mv src .config/x": Ask,
		"cp a.md doc*": Ask, "mv a.md d?cs": Ask, "cp a.md 'doc*'": Allow,
	} {
		q := w.question(t, "Bash", map[string]any{"command": line})
		q.Trusted = true
		docs := w.project + "/docs"
		there := []string{docs, docs + "/.", docs + "/a.md", docs + "/link.md", docs + "/deep"}
		q.Exists = func(p string) bool { return slices.Contains(there, p) }
		real := q.Place.Real
		q.Place.Real = func(p string) (string, error) {
			if p == docs+"/link.md" {
				return w.root + "/other/x", nil
			}
			return real(p)
		}
		if a := judge(t, all, Prepare(q)); a.Verdict != want {
			t.Errorf("%s: %s (%s) %v", line, a.Verdict, a.Reason, a.Does)
		}
	}
}

// What is written to a pipe goes to another program.
func TestGrantsOfPipes(t *testing.T) {
	w := newWorld(t)
	all := set(t, about(Allow, effects.Grantable.String()))
	for line, want := range map[string]Verdict{"echo x > file": Allow, "echo x > pipe": Ask, "cat pipe": Ask} {
		q := w.question(t, "Bash", map[string]any{"command": line})
		q.Trusted = true
		q.Special = func(p string) bool { return strings.HasSuffix(p, "/pipe") }
		if a := judge(t, all, Prepare(q)); a.Verdict != want {
			t.Errorf("%s: %s (%s)", line, a.Verdict, a.Reason)
		}
	}
}
