package claude

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/google/go-cmp/cmp"
)

// short is a rule as one line.
func short(r rules.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Decision, r.Tool)
	for _, key := range slices.Sorted(maps.Keys(r.Where)) {
		fmt.Fprintf(&b, " %s=%s", key, r.Where[key])
	}
	return b.String()
}

func settingsWith(list, line string) []byte {
	return fmt.Appendf(nil, `{"permissions": {%q: [%q]}}`, list, line)
}

func TestImportClaude(t *testing.T) {
	for _, c := range []struct {
		list, line string
		want       []string
	}{
		{"allow", "Bash(npm run test:*)", []string{"allow Bash command=npm run test *"}},
		{"allow", "Bash(npm run test *)", []string{"allow Bash command=npm run test *"}},
		{"allow", "Bash(npm run build)", []string{"allow Bash command=npm run build"}},
		{"allow", "Bash(npm run*)", []string{"allow Bash command=npm run* *"}},
		{"allow", "Bash(git log * main)", []string{"allow Bash command=git log * ** main"}},
		{"allow", "Bash(* --version)", []string{"allow Bash command=* --version"}},
		{"allow", "Bash(git * --force *)", []string{"allow Bash command=git * ** --force * *"}},
		{"allow", "Bash(ls a*b)", []string{"allow Bash command=ls a*b"}},
		{"allow", "Bash(echo \"a b\")", []string{`allow Bash command=echo "a b"`}},
		{"allow", "Bash(git add . && git commit -m x)", []string{"allow Bash command=line:git add . && git commit -m x"}},
		{"allow", "Bash(NODE_ENV=test npm test)", []string{"allow Bash command=line:NODE_ENV=test npm test"}},
		{"allow", "Bash(re:x)", []string{`allow Bash command=\re:x`}},
		{"deny", "Bash", []string{"deny Bash|Monitor"}},
		{"ask", "Bash(*)", []string{"ask Bash|Monitor"}},
		{"deny", "Bash(rm:*)", []string{"deny Bash|Monitor command=rm *"}},
		{"deny", "Bash(* --force)", []string{"deny Bash|Monitor command=** --force"}},
		{"deny", "Bash(git * main)", []string{"deny Bash|Monitor command=git ** main"}},
		{"deny", "Bash(ls a*b)", []string{"deny Bash|Monitor command=ls a*b|ls a* ** *b"}},
		{"deny", "Bash(npm *st x)", []string{"deny Bash|Monitor command=npm ** *st x"}},
		{"deny", "Bash(npm te* x)", []string{"deny Bash|Monitor command=npm te* ** x"}},
		{"deny", "Bash(FOO=1 rm *)", []string{"deny Bash|Monitor command=rm *"}},
		{"deny", `Bash(curl "http://x*)`, []string{"deny Bash|Monitor command=curl *"}},
		{"deny", "Bash(run_in_background:true)", []string{"deny Bash run_in_background=true"}},

		{"allow", "Read(~/x/**)", []string{"allow Read file_path=~/x/**", "allow Grep|Glob|LS path=~/x/**", "allow NotebookRead notebook_path=~/x/**"}},
		{"allow", "Edit(src/**)", []string{"allow Edit|Write|MultiEdit file_path=src/**", "allow NotebookEdit notebook_path=src/**"}},
		{"allow", "Edit(/docs/**)", []string{"allow Edit|Write|MultiEdit file_path=docs/**", "allow NotebookEdit notebook_path=docs/**"}},
		{"allow", "Edit(//tmp/scratch.txt)", []string{"allow Edit|Write|MultiEdit file_path=/tmp/scratch.txt", "allow NotebookEdit notebook_path=/tmp/scratch.txt"}},
		{"allow", "Edit(*.md)", []string{"allow Edit|Write|MultiEdit file_path=**/*.md", "allow NotebookEdit notebook_path=**/*.md"}},
		{"allow", "Edit(./notes.md)", []string{"allow Edit|Write|MultiEdit file_path=notes.md", "allow NotebookEdit notebook_path=notes.md"}},
		{"allow", "Edit(docs/)", []string{"allow Edit|Write|MultiEdit file_path=**/docs/**/*", "allow NotebookEdit notebook_path=**/docs/**/*"}},
		{"allow", "Edit(a{b,c}|d)", []string{`allow Edit|Write|MultiEdit file_path=**/a\{b\,c\}\|d`, `allow NotebookEdit notebook_path=**/a\{b\,c\}\|d`}},
		{"deny", "Read(./.env)", []string{"deny Read|Edit|Write|MultiEdit file_path=./**/.env|./**/.env/**", "deny Grep|Glob|LS path=./**/.env|./**/.env/**", "deny NotebookRead|NotebookEdit notebook_path=./**/.env|./**/.env/**"}},
		{"deny", "Edit(**/.env)", []string{"deny Edit|Write|MultiEdit file_path=./**/.env|./**/.env/**", "deny NotebookEdit notebook_path=./**/.env|./**/.env/**"}},
		{"deny", "Edit(secrets/**)", []string{"deny Edit|Write|MultiEdit file_path=./**/secrets/**", "deny NotebookEdit notebook_path=./**/secrets/**"}},
		{"deny", "Edit(a/b/**)", []string{"deny Edit|Write|MultiEdit file_path=./**/a/b/**", "deny NotebookEdit notebook_path=./**/a/b/**"}},
		{"deny", "Write(../x/**)", []string{"deny Edit|Write|MultiEdit file_path=/home/me/src/x/**", "deny NotebookEdit notebook_path=/home/me/src/x/**"}},
		{"deny", "Edit(//etc)", []string{"deny Edit|Write|MultiEdit file_path=/etc|/etc/**", "deny NotebookEdit notebook_path=/etc|/etc/**"}},
		{"deny", "Edit", []string{"deny Edit"}},

		{"allow", "WebFetch(domain:Example.com.)", []string{"allow WebFetch url=example.com"}},
		{"allow", "WebFetch(domain:*.example.com)", []string{"allow WebFetch url=*.example.com"}},
		{"allow", "WebFetch(domain:example.*)", []string{`allow WebFetch url=re:https?://example\.[^./?#:@]*([/?#].*)?`}},
		{"deny", "WebFetch(domain:example.*)", []string{"deny WebFetch url=example.*"}},
		{"allow", "WebSearch", []string{"allow WebSearch"}},
		{"allow", "mcp__github", []string{"allow mcp__github__*"}},
		{"allow", "mcp__github__*", []string{"allow mcp__github__*"}},
		{"allow", "mcp__github__get_*", []string{"allow mcp__github__get_*"}},
		{"allow", "mcp__github__create_issue", []string{"allow mcp__github__create_issue"}},
		{"deny", "mcp__*", []string{"deny mcp__*__*"}},
		{"deny", "*", []string{"deny *"}},
		{"allow", "Agent(Explore)", []string{"allow Agent|Task subagent_type=Explore"}},
		{"deny", "Task(Explore)", []string{"deny Agent|Task subagent_type=Explore"}},
		{"deny", "Agent(model:opus)", []string{"deny Agent|Task model=opus"}},
		{"allow", "Skill(deploy)", []string{"allow Skill skill=deploy"}},
		{"allow", "Skill(deploy *)", []string{"allow Skill skill=deploy"}},
		{"deny", "Skill(deploy:*)", []string{"deny Skill skill=deploy*"}},
	} {
		t.Run(c.list+" "+c.line, func(t *testing.T) {
			list, skipped, err := Import(settingsWith(c.list, c.line), "/home/me/src/api", "/home/me")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range list {
				got = append(got, short(r))
				if r.Scope.Project != "/home/me/src/api" || !r.Enabled {
					t.Errorf("rule is %+v", r)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\nskipped: %v", diff, skipped)
			}
		})
	}
}

func TestImportClaudeSkips(t *testing.T) {
	for _, c := range []struct{ list, line, why string }{
		{"allow", "Bash", "every command"},
		{"allow", "Bash(*)", "every command"},
		{"allow", "Bash(:*)", "every command"},
		{"allow", "Bash()", "no effect"},
		{"deny", "Bash(rm", "not closed"},
		{"deny", "(x)", "name of a tool"},
		{"deny", "Stop Task", "name of a tool"},
		{"allow", "Bash(curl * | bash)", "operator"},
		{"deny", "Bash(curl * | bash)", "operator"},
		{"allow", "Bash(A=1 npm run *)", "variables"},
		{"allow", `Bash(echo "a*")`, "inside quotes"},
		{"deny", "Bash(ls " + strings.Repeat("a*", 60) + "b)", "too many"},
		{"deny", "Bash(ls a*b a*b a*b a*b a*b)", "too many"},
		{"allow", "Bash(timeout:60)", "parameters"},
		{"allow", "PowerShell(Get-ChildItem *)", "PowerShell"},
		{"allow", "Write(docs/**)", "takes no notice"},
		{"allow", "Read(!secret)", "glob"},
		{"deny", "Read(//srv/a[b)", "glob"},
		{"allow", "Read(a/../b)", "refused here"},
		{"allow", "WebFetch(https://x.org)", "domain:"},
		{"allow", "mcp__*", "server"},
		{"allow", "B*", "name its tool"},
		{"allow", "TodoWrite(x)", "no condition"},
		{"allow", "Agent(model:opus)", "parameters"},
		{"deny", "Grep(path:/etc)", ""},
		{"deny", "Foo(url:x)", "takes no notice"},
		{"deny", "Foo(bar)", "of this form"},
		{"deny", "Cd(~/x)", "not a call"},
	} {
		t.Run(c.list+" "+c.line, func(t *testing.T) {
			list, skipped, err := Import(settingsWith(c.list, c.line), "/p", "/home/me")
			if err != nil || len(skipped) != 1 || !strings.Contains(skipped[0].Why, c.why) || skipped[0].Text != c.list+": "+c.line {
				t.Errorf("skipped %q, %v", skipped, err)
			}
			if c.why != "" && len(list) != 0 {
				t.Errorf("and still %v", list)
			}
		})
	}
}

// TestImportClaudeHalf: what can be said in part is taken over, and the rest is told.
func TestImportClaudeHalf(t *testing.T) {
	for _, line := range []string{"Agent(general-purpose)", "Read(.env)"} {
		list, skipped, err := Import(settingsWith("deny", line), "", "/home/me")
		if err != nil || len(list) == 0 || len(skipped) != 1 || !strings.Contains(skipped[0].Why, "was taken over") {
			t.Errorf("%s: %v, %v, %v", line, list, skipped, err)
		}
	}
}

func TestImportClaudeUserSettings(t *testing.T) {
	data := []byte(`{"model": "x", "permissions": {"allow": ["WebSearch", "Edit(/x/**)"], "ask": ["Bash(git push *)"], "deny": ["WebFetch"], "defaultMode": "plan"}}`)
	list, skipped, err := Import(data, "", "/home/me")
	if err != nil || len(skipped) != 0 {
		t.Fatalf("%v, %v", skipped, err)
	}
	var got []string
	for _, r := range list {
		got = append(got, fmt.Sprintf("%d %s %s", r.Priority, short(r), r.Scope.Project))
	}
	want := []string{
		"90 deny WebFetch ", "90 ask Bash|Monitor command=git push * ", "100 allow WebSearch ",
		"100 allow Edit|Write|MultiEdit file_path=~/.claude/x/** ", "100 allow NotebookEdit notebook_path=~/.claude/x/** ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImportClaudeRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"comment":          "{} // x",
		"no object":        "[]",
		"permissions list": `{"permissions": []}`,
		"list of numbers":  `{"permissions": {"allow": [1]}}`,
		"text for a list":  `{"permissions": {"deny": "Bash"}}`,
		"too large":        `{"x": "` + strings.Repeat("x", rules.MaxFile) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			list, skipped, err := Import([]byte(text), "", "")
			if err == nil || list != nil || skipped != nil {
				t.Errorf("got %v, %v, %v", list, skipped, err)
			}
			if name == "too large" && !strings.Contains(err.Error(), "larger than 1 MiB") {
				t.Error(err)
			}
		})
	}
	for name, text := range map[string]string{
		"empty":              `{}`,
		"another case":       `{"Permissions": {"allow": ["WebSearch"]}}`,
		"as large as may be": `{"x": "` + strings.Repeat("x", rules.MaxFile-len(`{"x": ""}`)) + `"}`,
		"null":               `{"permissions": null}`,
		"last one counts":    `{"permissions": {"allow": ["WebSearch"]}, "permissions": {}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if list, _, err := Import([]byte(text), "", ""); err != nil || len(list) != 0 {
				t.Errorf("got %v, %v", list, err)
			}
		})
	}
}

// FuzzImportClaude: no line makes a rule that is refused, and none is lost silently.
func FuzzImportClaude(f *testing.F) {
	for _, line := range []string{"Bash(npm run:*)", "Bash(a*b *'c*' d)", `Read(//x/\*[a-z]{,}/**)`, "WebFetch(domain:*.a.*)", "mcp__a__*", "Skill(x *)", `Bash(echo \(\))`} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, d := range []rules.Verdict{rules.Allow, rules.Deny, rules.Ask} {
			im := &claudeImport{project: "/p", home: "/home/me"}
			im.add(d, line)
			if len(im.list)+len(im.skipped) == 0 {
				t.Fatalf("%s %q was lost", d, line)
			}
			for _, r := range im.list {
				if err := r.Check(); err != nil || r.Decision != d {
					t.Fatalf("%s %q became %+v: %v", d, line, r, err)
				}
			}
		}
	})
}
