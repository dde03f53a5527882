package claude

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/google/go-cmp/cmp"
)

// Each tool, input and form of path that Claude Code's rules may name.
func TestImportClaudeWords(t *testing.T) {
	file := func(d, pattern string) []string {
		return []string{d + " Edit|Write|MultiEdit file_path=" + pattern, d + " NotebookEdit notebook_path=" + pattern}
	}
	read := func(pattern string) []string {
		return []string{"ask Read file_path=" + pattern, "ask Grep|Glob|LS path=" + pattern, "ask NotebookRead notebook_path=" + pattern}
	}
	for line, want := range map[string][]string{
		"allow Agent": {"allow Agent|Task"}, "allow Task": {"allow Agent|Task"}, "deny Monitor": {"deny Monitor"}, "deny PowerShell": {"deny PowerShell"},
		"allow Skill": {"allow Skill"}, "allow Skill(*)": {"allow Skill"}, "allow WebFetch(*)": {"allow WebFetch"}, "deny B*": {"deny B*"}, "deny mcp__a": {"deny mcp__a__*"},
		"deny mcp__a__b": {"deny mcp__a__b"}, "deny mcp__a*__b": {"deny mcp__a*__b"}, "deny mcp__": {"deny mcp__"}, "allow a.b:c-D_9": {"allow a.b:c-D_9"}, "allow aZz09": {"allow aZz09"},
		"deny Agent(isolation:x)": {"deny Agent|Task isolation=x"}, "deny Agent(mode:x)": {"deny Agent|Task mode=x"}, "deny Agent(run_in_background:true)": {"deny Agent|Task run_in_background=true"},
		"deny Agent(name:x)": {"deny Agent|Task name=x"}, "deny Agent(team_name:x)": {"deny Agent|Task team_name=x"}, "deny Agent(effort:x)": {"deny Agent|Task effort=x"},
		"deny Task(model : o*s)": {"deny Agent|Task model=o*s"},
		"deny Foo(bar:b*z)":      {"deny Foo bar=b*z"}, "deny Foo(bar: x|y )": {`deny Foo bar=x\|y`},
		"allow Skill(a*b)": {`allow Skill skill=a\*b`}, "deny Skill(a*b)": {"deny Skill skill=a*b"}, "deny Skill(a *)": {"deny Skill skill=a*"}, "allow Skill(a:*)": {"allow Skill skill=a"},
		"allow WebFetch(domain: a.b )": {"allow WebFetch url=a.b"}, "allow WebFetch(domain:*)": {"allow WebFetch url=*"}, "allow WebFetch(domain:a*.b)": {`allow WebFetch url=re:https?://a[^./?#:@]*\.b([/?#].*)?`},
		"ask WebFetch(domain:a*.b)": {"ask WebFetch url=a*.b"}, "allow WebFetch(domain:*.a.*)": {`allow WebFetch url=re:https?://[^./?#:@]*\.a\.[^./?#:@]*([/?#].*)?`},

		"deny Bash(timeout:5)": {"deny Bash timeout=5"}, "deny Bash(description:x*)": {"deny Bash description=x*"}, "deny Bash(dangerouslyDisableSandbox:true)": {"deny Bash dangerouslyDisableSandbox=true"},
		"deny Bash(a:b)": {"deny Bash|Monitor command=a:b"}, "allow Bash(a:b)": {"allow Bash command=a:b"}, `deny Bash(a 'b c' "d")`: {`deny Bash|Monitor command=a 'b c' "d"`},
		"allow Bash(A=1)": {"allow Bash command=A=1"}, "allow Bash(A=1 b)": {"allow Bash command=line:A=1 b"}, "deny Bash(A=1 B=2 b *)": {"deny Bash|Monitor command=b *"}, "deny Bash(A-=1 b *)": {"deny Bash|Monitor command=A-=1 b *"},
		"deny Bash(aZ_09=1 b *)": {"deny Bash|Monitor command=b *"}, "deny Bash(a@=1 b *)": {"deny Bash|Monitor command=a@=1 b *"}, "deny Bash(a`=1 b)": {"deny Bash|Monitor command=line:a`=1 b"}, "deny Bash(=1 b *)": {"deny Bash|Monitor command==1 b *"},
		"deny Bash(a{=1 b *)": {"deny Bash|Monitor command=a{=1 b *"}, "deny Bash(a[=1 b *)": {"deny Bash|Monitor command=a[=1 b *"}, "deny Bash(a/=1 b *)": {"deny Bash|Monitor command=a/=1 b *"}, "deny Bash(a:=1 b *)": {"deny Bash|Monitor command=a:=1 b *"},
		"deny Bash(a; b)": {"deny Bash|Monitor command=line:a; b"}, "deny Bash(a > b)": {"deny Bash|Monitor command=line:a > b"}, "deny Bash(a ';' *)": {"deny Bash|Monitor command=a ';' *"}, `deny Bash(a \; *)`: {`deny Bash|Monitor command=a \; *`},
		"deny Bash(line:x)": {`deny Bash|Monitor command=\line:x`}, "deny Bash(re:x*)": {`deny Bash|Monitor command=\re:x* *`}, "deny Bash(a 'b*' c)": {"deny Bash|Monitor command=a *"}, `deny Bash(a \* c)`: {"deny Bash|Monitor command=a *"},
		"allow Bash(* a *)": {"allow Bash command=* a * *"}, "deny Bash(* a *)": {"deny Bash|Monitor command=** a *"}, "deny Bash(a *)": {"deny Bash|Monitor command=a *"}, "allow Bash(a * *)": {"allow Bash command=a * ** * *"},
		"allow Bash(a b*)": {"allow Bash command=a b* *"}, "deny Bash(a b*)": {"deny Bash|Monitor command=a b* *"}, "allow Bash(a b**c)": {"allow Bash command=a b*c"}, "deny Bash(a b**c)": {"deny Bash|Monitor command=a b*c|a b* ** *c"},
		"deny Bash(a b*c*d)": {"deny Bash|Monitor command=a b*c*d|a b*c* ** *d|a b* ** *c*d|a b* ** *c* ** *d"}, "deny Bash(a *b* c)": {"deny Bash|Monitor command=a ** *b* ** c"}, "allow Bash(a *b* c)": {"allow Bash command=a *b* c"},
		"allow Bash(a   b)": {"allow Bash command=a b"}, "allow Bash(a\tb *)": {"allow Bash command=a b *"}, "deny Bash(*\t)": {"deny Bash|Monitor"}, "deny Bash(\t* *)": {"deny Bash|Monitor"},

		"allow Edit(~/x)": file("allow", "~/x"), "allow Edit(a/b)": file("allow", "a/b"), "allow Edit(a)": file("allow", "**/a"), "allow Edit(./a)": file("allow", "a"), "allow Edit(**/a)": file("allow", "**/a"),
		"allow Edit(a/)": file("allow", "**/a/**/*"), "allow Edit(a/b/)": file("allow", "a/b/**/*"), "allow Edit(/)": file("allow", "**"), "allow Edit(//)": file("allow", "/**"), "allow Edit(/a)": file("allow", "a"), "allow Edit(a/**)": file("allow", "a/**"),
		"allow Edit(a**/)": file("allow", "**/a**/**/*"), "allow Edit(a/**/)": file("allow", "a/**/*/**/*"), "allow Edit(**/)": file("allow", "**/*/**/*"), "allow Edit(a**)": file("allow", "**/a**"), "allow Edit(./)": file("allow", "**"),
		"deny Edit(a**)": file("deny", "./**/a**|./**/a**/**"), "deny Edit(**a)": file("deny", "./**/**a|./**/**a/**"), "deny Edit(//a/b**)": file("deny", "/a/b**|/a/b**/**"), "deny Edit(a/**/)": file("deny", "./**/a/**"), "deny Edit(**/)": file("deny", "./**"), "deny Edit(/)": file("deny", "**"),
		`allow Edit(a\*b)`: file("allow", `**/a\*b`), "allow Edit(../x)": file("allow", "/home/me/src/x"), "allow Edit(../../x/y)": file("allow", "/home/me/x/y"), "allow Edit(../../../../../x)": file("allow", "/x"), "allow Edit(./../x)": file("allow", "/home/me/src/x"),
		"deny Write(a)": file("deny", "./**/a|./**/a/**"), "deny MultiEdit(a/)": file("deny", "./**/a|./**/a/**"), "deny NotebookEdit(**)": file("deny", "./**"), "deny Edit(~/x)": file("deny", "~/x|~/x/**"), "deny Edit(//x/**)": file("deny", "/x/**"),
		"ask Read(a)": read("./**/a|./**/a/**"), "ask Grep(a)": read("./**/a|./**/a/**"), "ask Glob(a)": read("./**/a|./**/a/**"), "ask LS(a)": read("./**/a|./**/a/**"), "ask NotebookRead(a)": read("./**/a|./**/a/**"),
	} {
		d, rule, _ := strings.Cut(line, " ")
		list, _, err := Import(settingsWith(d, rule), "/home/me/src/api", "/home/me")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range list {
			got = append(got, short(r))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
	for line, why := range map[string]string{
		"allow Monitor": "every command", "allow PowerShell": "every command", "allow Bash( * )": "every command", "allow Bash(*\t)": "every command", "deny Bash(\t)": "names no command", "deny Bash( )": "names no command", "allow Bash(\t)": "names no command", "allow mcp__a*__b": "must name its server", "deny PowerShell(x)": "PowerShell", "allow Cd": "command of the person",
		"allow Grep(a)": "takes no notice", "allow Glob(a)": "takes no notice", "allow LS(a)": "takes no notice", "allow NotebookRead(a)": "takes no notice", "allow MultiEdit(a)": "takes no notice", "allow NotebookEdit(a)": "takes no notice",
		"deny Read(#a)": "glob", "deny Read(!a)": "glob", "deny Read( a)": "glob", "deny Read(a )": "glob", "deny Foo(command:x)": "takes no notice of command", "deny Foo(file_path:x)": "takes no notice of file_path", "deny Foo(path:x)": "takes no notice of path",
		"deny Foo(notebook_path:x)": "takes no notice of notebook_path", "deny Foo(url:x)": "takes no notice of url", "deny Foo(:x)": "of this form", "deny Foo(x:)": "of this form", "deny Foo(x)": "of this form", "allow WebFetch(domain:)": "domain:HOST", "allow WebFetch(a.b)": "domain:HOST",
		"allow Agent(name:x)": "parameters", "allow Bash(description:x)": "parameters", "allow Bash(a *; b)": "operator", "deny Bash(a * < b)": "operator", "deny Bash(a * & b)": "operator", "deny Bash(a *) b": "", "deny Bash(a ` *)": "operator", "deny Bash(a* $(b))": "operator",
		"allow Bash(A=1 b *)": "variables", `allow Bash(a \*)`: "inside quotes", `deny Bash("a*")`: "inside quotes", "deny Bash(a x*x*x*x*x*x*x b)": "too many", "deny é": "name of a tool", "deny a b": "name of a tool", "deny a/b": "name of a tool", "deny a@b": "name of a tool",
		"deny a[b": "name of a tool", "deny a{b": "name of a tool", "deny a`b": "name of a tool", "deny a;b": "name of a tool", "deny Foo(x": "not closed", "deny Foo()": "no effect",
	} {
		d, rule, _ := strings.Cut(line, " ")
		_, skipped, err := Import(settingsWith(d, rule), "/p", "/home/me")
		if err != nil || len(skipped) != 1 || !strings.Contains(skipped[0].Why, why) {
			t.Errorf("%s: %q, %v; want %s", line, skipped, err, why)
		}
	}
	// A search is warned of once.
	_, skipped, err := Import([]byte(`{"permissions":{"deny":["Read(a)","Read(b)"],"ask":["Grep(c)"]}}`), "/p", "/home/me")
	if err != nil || len(skipped) != 1 {
		t.Errorf("%q, %v", skipped, err)
	}
	list, _, err := Import(settingsWith("deny", "Foo(x:"+strings.Repeat("é", rules.MaxReason)+")"), "/p", "/home/me")
	if err != nil || len(list) != 1 || len(list[0].Reason) > rules.MaxReason || !strings.HasPrefix(list[0].Reason, "imported from Claude Code: deny Foo(x:é") {
		t.Errorf("%v, %v", list, err)
	}
	var many []string
	for i := range rules.MaxRules + 1 {
		many = append(many, fmt.Sprintf("%q", fmt.Sprint("T", i)))
	}
	if _, _, err := Import([]byte(`{"permissions":{"deny":[`+strings.Join(many, ",")+`]}}`), "", ""); err == nil {
		t.Error("more rules than there may be are imported")
	}
	if list, _, err := Import([]byte(`{"permissions":{"deny":[`+strings.Join(many[1:], ",")+`]}}`), "", ""); err != nil || len(list) != rules.MaxRules {
		t.Errorf("%d rules are imported: %v", len(list), err)
	}
}
