package rules

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func changed(r Rule, change func(*Rule)) Rule {
	change(&r)
	return r
}

func where(d Verdict, tool string, pairs ...string) Rule {
	r := Rule{Enabled: true, Priority: DefaultPriority, Decision: d, Tool: tool, Where: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		r.Where[pairs[i]] = pairs[i+1]
	}
	return r
}

// TestLint: findings as "index kind other's index".
func TestLint(t *testing.T) {
	bash := func(d Verdict, pattern string) Rule { return where(d, "Bash", "command", pattern) }
	lower := func(r *Rule) { r.Priority-- }
	for _, c := range []struct {
		name string
		list []Rule
		want []string
	}{
		{"other effects", []Rule{about(Allow, "look, edit"), about(Allow, "look, check"), about(Ask, "edit"), bash(Allow, "ls *")}, nil},
		{"effects of a wider grant", []Rule{about(Allow, "look, edit"), about(Allow, "edit")}, []string{"1 redundant 0"}},
		{"a grant that is denied", []Rule{about(Allow, "look, edit"), about(Deny, "look, edit, push")}, []string{"0 shadowed 1"}},
		{"a grant that is asked about", []Rule{about(Allow, "look"), changed(about(Ask, "look"), func(r *Rule) { r.Priority = MaxPriority })}, []string{"0 shadowed 1"}},
		{"a part of a grant that is denied", []Rule{about(Allow, "look, edit"), about(Deny, "edit")}, nil},
		{"a grant in any tool's rule", []Rule{about(Allow, "look"), {Enabled: true, Decision: Allow, Tool: "*"}}, nil},
		{"nothing", []Rule{bash(Allow, "npm test *"), bash(Deny, "npm publish *"), bash(Ask, "git push *")}, nil},
		{"deny over allow", []Rule{bash(Allow, "npm run test *"), bash(Deny, "npm *")}, []string{"0 shadowed 1"}},
		{"deny of the tool over allow", []Rule{bash(Allow, "npm run test *"), {Enabled: true, Decision: Deny, Tool: "*"}}, []string{"0 shadowed 1"}},
		{"deny over ask", []Rule{bash(Deny, "npm *"), bash(Ask, "npm publish")}, []string{"1 shadowed 0"}},
		{"ask of the same priority over allow", []Rule{bash(Ask, "npm *"), bash(Allow, "npm run test *")}, []string{"1 shadowed 0"}},
		{"ask of a worse priority", []Rule{bash(Ask, "npm *"), changed(bash(Allow, "npm run test *"), lower)}, nil},
		{"narrower deny", []Rule{bash(Allow, "npm *"), bash(Deny, "npm publish *")}, nil},
		{"deny with another case of letters", []Rule{bash(Allow, "npm test"), bash(Deny, "NPM *")}, []string{"0 shadowed 1"}},
		{"word boundary", []Rule{bash(Allow, "npm run-test"), bash(Deny, "npm run *")}, nil},
		{"inside a word", []Rule{bash(Allow, "npm run test:unit *"), bash(Deny, "npm run test:* *")}, []string{"0 shadowed 1"}},
		{"twice the same", []Rule{bash(Allow, "npm test *"), bash(Allow, "npm test *")}, []string{"1 redundant 0"}},
		{"contained", []Rule{bash(Allow, "npm run test *"), bash(Allow, "npm run *")}, []string{"0 redundant 1"}},
		{"contained with a better priority", []Rule{changed(bash(Allow, "npm run test *"), lower), bash(Allow, "npm run *")}, nil},
		{"exact speaks where a wildcard must not", []Rule{bash(Allow, "npm run test"), bash(Allow, "npm run *")}, nil},
		{"exact deny in a wider one", []Rule{bash(Deny, "npm run test"), bash(Deny, "npm run *")}, []string{"0 redundant 1"}},
		{"a dangerous one speaks where another must not", []Rule{changed(bash(Allow, "rm -rf x"), func(r *Rule) { r.Dangerous = true }), bash(Allow, "rm -rf x")}, []string{"1 redundant 0"}},
		{"one names the way out of the sandbox", []Rule{where(Allow, "Bash", "command", "npm *", "dangerouslyDisableSandbox", "true"), bash(Allow, "npm *")}, nil},
		{"a wildcard that would climb", []Rule{bash(Allow, "npm src/../x *"), bash(Allow, "npm src/* *")}, nil},
		{"many words in the middle", []Rule{bash(Deny, "npm run"), bash(Deny, "npm ** test")}, nil},
		{"beginning and end of a word", []Rule{bash(Deny, "npm t*:x:*t"), bash(Deny, "npm t*t")}, []string{"0 redundant 1"}},
		{"alternatives", []Rule{bash(Deny, "npm test|npm run x"), bash(Deny, "npm *|yarn *")}, []string{"0 redundant 1"}},
		{"one alternative only", []Rule{bash(Deny, "npm test|pnpm test"), bash(Deny, "npm *|yarn *")}, nil},
		{"wider one ends", []Rule{bash(Deny, "npm test"), changed(bash(Deny, "npm *"), func(r *Rule) { r.ExpiresAt = testNow.Add(time.Hour) })}, nil},
		{"wider one is counted", []Rule{bash(Deny, "npm test"), changed(bash(Deny, "npm *"), func(r *Rule) { r.MaxUses = 2 })}, nil},
		{"wider one is disabled", []Rule{bash(Deny, "npm test"), changed(bash(Deny, "npm *"), func(r *Rule) { r.Enabled = false })}, nil},
		{"wider one elsewhere", []Rule{bash(Deny, "npm test"), changed(bash(Deny, "npm *"), func(r *Rule) { r.Scope.Project = "/p" })}, nil},
		{"wider one in the folder above", []Rule{
			changed(bash(Allow, "npm test"), func(r *Rule) { r.Scope.Project = "/p/q" }),
			changed(bash(Deny, "npm *"), func(r *Rule) { r.Scope.Project = "/p" }),
		}, []string{"0 shadowed 1"}},
		{"look-alike folder", []Rule{
			changed(bash(Allow, "npm test"), func(r *Rule) { r.Scope.Project = "/p-evil" }),
			changed(bash(Deny, "npm *"), func(r *Rule) { r.Scope.Project = "/p" }),
		}, nil},
		{"paths", []Rule{where(Allow, "Edit", "file_path", "src/app/**"), where(Deny, "Edit|Write", "file_path", "src/**")}, []string{"0 shadowed 1"}},
		{"relative paths of two projects", []Rule{
			changed(where(Allow, "Edit", "file_path", "src/**"), func(r *Rule) { r.Scope.Project = "/p" }), where(Deny, "Edit", "file_path", "src/**"),
		}, nil},
		{"any depth", []Rule{where(Allow, "Read", "file_path", "**/.env"), where(Deny, "Read", "file_path", "**/.env")}, []string{"0 shadowed 1"}},
		{"urls", []Rule{where(Allow, "WebFetch", "url", "https://docs.rs/std/**"), where(Deny, "WebFetch", "url", "docs.rs")}, []string{"0 shadowed 1"}},
		{"url of another host", []Rule{where(Allow, "WebFetch", "url", "docs.rs.evil.org"), where(Deny, "WebFetch", "url", "docs.rs")}, nil},
		{"an exact url in a host", []Rule{where(Deny, "WebFetch", "url", "https://docs.rs/x?y=1"), where(Deny, "WebFetch", "url", "docs.rs")}, nil},
		{"a host beside an exact url", []Rule{where(Deny, "WebFetch", "url", "docs.rs"), where(Deny, "WebFetch", "url", "https://docs.rs/x?y=1")}, nil},
		{"the same path of urls", []Rule{where(Deny, "WebFetch", "url", "*.rs/std/*"), where(Deny, "WebFetch", "url", "docs.rs/std/*")}, []string{"1 redundant 0"}},
		{"another path of urls", []Rule{where(Deny, "WebFetch", "url", "docs.rs/std/*"), where(Deny, "WebFetch", "url", "docs.rs/core/*")}, nil},
		{"an allowed url of another scheme", []Rule{where(Allow, "WebFetch", "url", "https://docs.rs"), where(Allow, "WebFetch", "url", "http://docs.rs")}, nil},
		{"a path of this folder and one of any", []Rule{where(Deny, "Edit", "file_path", "./a/**"), where(Deny, "Edit", "file_path", "a/**")}, []string{"1 redundant 0"}},
		{"the same path, anywhere and here", []Rule{where(Deny, "Edit", "file_path", "/a/**"), where(Deny, "Edit", "file_path", "a/**")}, nil},
		{"everything below this folder", []Rule{where(Allow, "Edit", "file_path", "a/*"), where(Allow, "Edit", "file_path", "**")}, []string{"0 redundant 1"}},
		{"for one project and for all", []Rule{
			bash(Deny, "npm *"), changed(bash(Deny, "npm *"), func(r *Rule) { r.Scope.Project = "/" }),
		}, []string{"1 redundant 0"}},
		{"the tool beside a command", []Rule{where(Allow, "Bash"), bash(Allow, "npm run *")}, nil},
		{"mcp", []Rule{where(Allow, "mcp__github__get_issue"), where(Deny, "mcp__github__*")}, []string{"0 shadowed 1"}},
		{"more parameters", []Rule{where(Deny, "Agent", "model", "opus", "isolation", "worktree"), where(Deny, "Agent", "model", "opus")}, []string{"0 redundant 1"}},
		{"conflict", []Rule{bash(Ask, "npm test *"), changed(bash(Allow, "npm test *"), lower)}, []string{"0 conflict 1"}},
		{"conflict of a rule that puts off", []Rule{bash(Ask, "npm test *"), changed(bash(Defer, "npm test *"), lower)}, []string{"0 conflict 1"}},
		{"a counted deny before an ask", []Rule{bash(Ask, "npm test *"), changed(bash(Deny, "npm test *"), func(r *Rule) { r.Priority--; r.MaxUses = 2 })}, nil},
		{"the same words of two parameters", []Rule{where(Deny, "*", "command", "npm *"), where(Allow, "*", "cmd", "npm x")}, nil},
		{"a list in a wider one", []Rule{bash(Deny, "npm run *"), bash(Deny, "npm run x|npm run y")}, []string{"1 redundant 0"}},
		{"relative reads of two projects", []Rule{
			changed(where(Deny, "Bash", "read", "src/**"), func(r *Rule) { r.Scope.Project = "/p" }), where(Deny, "Bash", "read", "src/**"),
		}, nil},
		{"relative writes of two projects", []Rule{
			changed(where(Deny, "Bash", "write", "src/**"), func(r *Rule) { r.Scope.Project = "/p" }), where(Deny, "Bash", "write", "src/**"),
		}, nil},
		{"expired", []Rule{changed(bash(Deny, "npm *"), func(r *Rule) { r.ExpiresAt = testNow })}, []string{"0 expired "}},
		{"used up", []Rule{changed(bash(Deny, "npm *"), func(r *Rule) { r.MaxUses, r.Uses = 2, 2 })}, []string{"0 used up "}},
		{"broken", []Rule{bash("perhaps", "npm *")}, []string{"0 broken "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range c.list {
				c.list[i].ID = fmt.Sprint(i)
			}
			var got []string
			for _, f := range Lint(c.list, testNow) {
				got = append(got, fmt.Sprintf("%s %s %s", f.ID, f.Kind, f.Other))
				if f.Why == "" {
					t.Errorf("no reason in %+v", f)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLintIsSound: a rule that is shadowed or redundant can be taken away, and no call
// gets another verdict.
func TestLintIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(smallRule(), 2, 5).Draw(t, "rules")
		for i := range list {
			list[i].ID = fmt.Sprint(i)
		}
		for _, f := range Lint(list, testNow) {
			if f.Kind == Conflict {
				continue
			}
			rest := append(append([]Rule(nil), list[:f.Index]...), list[f.Index+1:]...)
			for range 20 {
				c := smallCall().Draw(t, "call")
				with, _ := mustCompileRapid(t, list).Verdict(c, testNow)
				without, _ := mustCompileRapid(t, rest).Verdict(c, testNow)
				if with != without {
					t.Fatalf("%+v, but %s %s gets %s with it and %s without", f, c.q.Tool, c.About(), with, without)
				}
			}
		}
	})
}

func mustCompileRapid(t *rapid.T, list []Rule) *Set {
	s, err := Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// smallRule draws from few words, so that rules often overlap.
func smallRule() *rapid.Generator[Rule] {
	commands := []string{
		"npm *", "npm run *", "npm run test *", "npm run test", "npm run t*", "npm run t* *", "npm|yarn *", "NPM *", "* run", "** test",
		"npm ** test", "./npm *", "npm ./a/*", "npm ./a/b", "npm run test|ls", "re:npm .*", "line:npm run test", "rm *", "rm -rf *", "sudo *", "env *",
	}
	files := []string{"**", "src/**", "src/*", "src/a/**", "src/a/b", "**/b", "/home/me/src/api/src/**", "~/src/**", "SRC/**", "src/a|src/b", "src/{a,b}/**"}
	return rapid.Custom(func(t *rapid.T) Rule {
		r := Rule{
			Enabled: rapid.IntRange(0, 9).Draw(t, "enabled") > 0, Priority: rapid.IntRange(1, 3).Draw(t, "priority"),
			Decision: rapid.SampledFrom([]Verdict{Allow, Deny, Ask}).Draw(t, "decision"),
			Scope:    Scope{Project: rapid.SampledFrom([]string{"", "", "/home/me/src", "/home/me/src/api"}).Draw(t, "project")},
			MaxUses:  rapid.SampledFrom([]int{0, 0, 0, 3}).Draw(t, "max uses"), Uses: rapid.SampledFrom([]int{0, 3}).Draw(t, "uses"),
		}
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			r.Tool = rapid.SampledFrom([]string{"*", "Bash", "Read", "Edit|Write", "B*|R*", "re:Bash|Edit"}).Draw(t, "tool")
		case 1:
			r.Tool = rapid.SampledFrom([]string{"Read", "Edit|Write", "*", "Read|Edit"}).Draw(t, "tool")
			r.Where = map[string]string{"file_path": rapid.SampledFrom(files).Draw(t, "path")}
		case 2:
			r.Tool = "Bash"
			r.Where = map[string]string{rapid.SampledFrom([]string{"read", "write"}).Draw(t, "part"): rapid.SampledFrom(files).Draw(t, "path")}
		default:
			r.Tool = rapid.SampledFrom([]string{"Bash", "Bash|Monitor", "B*"}).Draw(t, "tool")
			r.Where = map[string]string{"command": rapid.SampledFrom(commands).Draw(t, "command")}
			if rapid.IntRange(0, 4).Draw(t, "both") == 0 {
				r.Where["write"] = rapid.SampledFrom(files).Draw(t, "write")
			}
		}
		if r.Decision == Allow && rapid.IntRange(0, 3).Draw(t, "dangerous") == 0 {
			r.Dangerous = true
		}
		return r
	}).Filter(func(r Rule) bool { return r.Check() == nil })
}

func smallCall() *rapid.Generator[*Call] {
	lines := []string{
		"npm run test", "npm run test x", "npm", "npm run t", "NPM run test", "./npm run test", "npm ./a/b", "npm ./a/../b", "npm run test > src/a/b",
		"npm run test && ls", "ls; rm -rf src", "sudo npm run test", "env npm run test", "npm run $X", "cat src/a/b", "npm run test < src/b", "echo x > b",
		"rm -rf src/a", "rm -rf /", "sh -c 'npm run test'", "timeout 5 npm run test", "npm x test", "ls run", "cd src && npm run test > a/b", "yarn", "npm run 'test",
	}
	paths := []string{"src/a/b", "src/b", "/home/me/src/api/src/a", "src/../b", "b", "src/A/b", "/etc/passwd"}
	return rapid.Custom(func(t *rapid.T) *Call {
		if rapid.Bool().Draw(t, "bash") {
			return bashCall(rapid.SampledFrom(lines).Draw(t, "line"))
		}
		q := bashQuestion("", "/home/me/src/api")
		q.Tool = rapid.SampledFrom([]string{"Read", "Edit", "Write", "Grep"}).Draw(t, "tool")
		q.Trusted = rapid.Bool().Draw(t, "trusted")
		q.Input = fmt.Appendf(nil, `{"file_path": %q}`, rapid.SampledFrom(paths).Draw(t, "path"))
		return Prepare(q)
	})
}
