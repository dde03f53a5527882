package workspace

import (
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// Attack: words that look as if they left the secret out do not: a later pattern takes it
// in again, the word is the value of another option, or it leaves out something else.
func TestNotLeftOut(t *testing.T) {
	dir := RealPath(t.TempDir()) + "/proj"
	for _, name := range []string{".env", "a.go", "src/a.go", "src/a.ts"} {
		gitFile(t, dir, name, "x")
	}
	set := gitRules(t, "grep **", "rg **", "tar **", "zip **", "find **", "cat **", "rsync **", "ag **", "ack **")
	for want, lines := range map[rules.Verdict][]string{
		rules.Ask: {
			"grep -rn X --exclude-dir=.env .", "grep -r --exclude=.env --include=.env X .", "grep -r -e --exclude=.env -e X .", "grep -r --label --include=*.go X .",
			"grep -r --regexp --include=*.go X .", "grep -r --exclude=x --include=*.go X .", "grep -r --exclude=.ENV X .", "grep -r --exclude='.[!f]nv' --exclude='\\.env' X .", "grep -r --exclude .envx X .",
			"grep -rf a.go --include=*.go --include-dir=x X .", "grep -r -m --include=*.go X .", "grep -r -xyzQ --include=*.go X .", "grep -r X . -- --include=*.go", "grep -r --no-such --include=*.go X .",
			"rg -g .env X", "rg --iglob .ENV X", "rg -g '.e*' X", "rg -t go --type-add go:.env -. X", "rg -. -e -tgo -e X", "rg -. -r -tgo X", "rg -. -g '!.env' -g .env X", "rg -. -g '!.env' --iglob .env X", "rg -. --iglob .env -g '!.env' X",
			"rg -. -g '!.env/' X", "rg -. -g '!.env/**' X", "rg -. -g '!**/.env/**' X", "rg -. -g '!/src/.env' X", "rg -. -g '# x' X", "rg -. -g '' X", "rg -. -g '\\.env' X", "rg -. -g '{.env,x}' X", "rg -. -g '.[a-z]nv' X", "rg -. -g '.[!]]nv' X",
			"rg -tgo -g .env X", "rg -. -t all X", "rg -t tf -. X", "rg -. -Tgo X", "rg --ignore-file=a.go X", "rg -m -tgo -. X", "rg -uu X", "rg -.tgo -tall X",
			"tar c . --exclude=.env", "tar --anchored -c --exclude=.env .", "tar --exclude=.ENV -c .", "tar --exclude=.env/ -c .",
			"zip -r a.zip . -x .envx", "zip -r -P -x a.zip .", "rsync -a --include=.env --exclude=.env ./ new", "rsync -a -f '+ .env' --exclude=.env ./ new", "rsync -a --exclude=/x/.env ./ new",
			"find . -printf -name -type f -exec cat {} +", "find . -type f -exec cat {} + -name '*.go'", "find . -name '*.go' -o -name .env -exec cat {} +", "find . -newer -name -type f -exec cat {} +", "find . -name '\\.env' -exec cat {} +", "find . -type f -print0 -name '*.go' | xargs -0 cat",
			"ag --hidden X", "ag -u X", "ack X",
		},
		rules.Allow: {
			"grep -rn --include=*.go X .", "grep -rn X . --include '*.go' --include='*.ts'", "grep -rn --exclude=.env X .", "grep -rnE --exclude-dir=node_modules --include=*.go X .", "grep -rn --include=*.go --exclude=x X .", "grep -rn --color=never -A3 --include=*.go X .", "grep -rl --exclude='.e*' X .",
			"rg X", "rg -n -i X", "rg -tgo X", "rg -. -t go X", "rg -. -g '*.{go,ts}' X", "rg -. -g '**/*.go' X", "rg -. -g 'src/**/*.ts' X", "rg -. -g '!.env' X", "rg -. -g '!**/.env' X", "rg -. -g '!*.env' X", "rg -g '!node_modules' X", "rg -. -t java X", "rg -. -g '*.[ch]' X",
			"tar -c --exclude='.env*' .", "tar -c --exclude=.env .", "rsync -an --exclude=.env ./ new", "tar czf a.tgz --exclude='*.env' .", "zip -r a.zip . -x '*.env'", "rsync -an --exclude='.e*' ./ new", "find . -name '*.go' -exec cat {} +", "find . -type f -name '*.go' -maxdepth 2 -print0 | xargs -0 cat", "ag X", "ag -l --ignore-case X",
		},
	} {
		for _, line := range lines {
			if a := set.Judge(gitCall(t, dir, "", line), time.Now()); a.Verdict != want || want == rules.Ask && !strings.Contains(a.Why, "keys or credentials") && a.Why != "" {
				t.Errorf("%s: %s: %s (%s)", line, a.Verdict, a.Reason, a.Why)
			}
		}
	}
}

// The same with the tool that searches.
func TestGlobsThatTakeSecretsIn(t *testing.T) {
	dir := RealPath(t.TempDir()) + "/proj"
	for _, name := range []string{".env", "a.go", "src/a.ts"} {
		gitFile(t, dir, name, "x")
	}
	none, err := rules.Compile([]rules.Rule{{ID: "a", Enabled: true, Decision: rules.Allow, Tool: "Grep|grep_search|grep|read_many_files|mcp__x__grep"}})
	if err != nil {
		t.Fatal(err)
	}
	for want, globs := range map[rules.Verdict][]string{
		rules.Ask:   {`\.env`, `**/\.env`, "!.env/", "!.env/**", "!**/.env/**", "!.env .env", "!.env,.env", ".env !.go", "*.{go,env} .env", "{src/.env,.env}", "{x,.env}", "# x", "", " ", "!", ".[a-f]nv", ".[!]]nv", "?env", "!.ENV", "*", "!{.env}", "!src", "**/.e*"},
		rules.Allow: {"*.go", "**/*.{go,ts}", "*.{go,ts}", "*.go,*.ts", "*.go *.ts", "src/**/*.ts", "!.env", "!**/.env", "!*.env", "!.e*", "*.ts !src", "*.[ch]"},
	} {
		for _, glob := range globs {
			a := none.Judge(toolCall(t, dir, "Grep", map[string]any{"pattern": "x", "glob": glob}), time.Now())
			if a.Verdict != want || want == rules.Ask && !strings.Contains(a.Why, "keys or credentials") {
				t.Errorf("Grep %q: %s: %s (%s)", glob, a.Verdict, a.Reason, a.Why)
			}
		}
	}
	for _, c := range []struct {
		tool  string
		input map[string]any
		want  rules.Verdict
	}{
		{"Grep", map[string]any{"pattern": "x", "include": "*.go"}, rules.Ask},
		{"Grep", map[string]any{"pattern": "x", "glob": []any{"*.go"}}, rules.Ask},
		{"Grep", map[string]any{"pattern": "x", "type": "go", "glob": ".env"}, rules.Ask},
		{"Grep", map[string]any{"pattern": "x", "type": "tf"}, rules.Ask},
		{"grep_search", map[string]any{"pattern": "x", "include": "!.env"}, rules.Ask},
		{"grep_search", map[string]any{"pattern": "x", "include": "*.go"}, rules.Allow},
		{"grep", map[string]any{"pattern": "x", "include": "*.{go,ts}"}, rules.Allow},
		{"read_many_files", map[string]any{"paths": []any{"*"}}, rules.Ask},
		{"read_many_files", map[string]any{"paths": []any{"src/*"}}, rules.Allow},
		{"mcp__x__grep", map[string]any{"pattern": "x", "glob": "*.go"}, rules.Ask},
	} {
		if a := none.Judge(toolCall(t, dir, c.tool, c.input), time.Now()); a.Verdict != c.want {
			t.Errorf("%s %v: %s: %s (%s)", c.tool, c.input, a.Verdict, a.Reason, a.Why)
		}
	}
}
