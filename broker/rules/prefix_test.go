package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is offered for commands like one: its program and subcommands, with any words
// behind them. Where that would say nothing about what runs there is the exact form only.
func TestCommandPrefix(t *testing.T) {
	for line, want := range map[string]string{
		"git status -s": "git status *", "npm ls x": "npm ls *", "pnpm list x": "pnpm list *", "yarn why x": "yarn why *", "bun pm ls": "bun pm *",
		"go vet ./...": "go vet *", "cargo check -q": "cargo check *", "gh pr list x": "gh pr list *", "glab mr view 1": "glab mr view *",
		"pip show x": "pip show *", "pip3 show x": "pip3 show *", "uv tree x": "uv tree *", "poetry show x": "poetry show *", "docker ps -a": "docker ps *",
		"podman images -a": "podman images *", "kubectl get pods": "kubectl get *", "helm list -A": "helm list *", "terraform plan -out x": "terraform plan *",
		"brew info x": "brew info *", "apt show x": "apt show *", "apt-get check x": "apt-get check *", "systemctl status x": "systemctl status *", "dotnet build x": "dotnet build *",
		"swift build -v": "swift build *", "flutter doctor -v": "flutter doctor *", "dart format x": "dart format *", "mix test x": "mix test *", "aws s3 ls x": "aws s3 ls *",
		"gcloud compute instances list x": "gcloud compute instances list *", "az vm list x": "az vm list *", "gem list x": "gem list *", "bundle info x": "bundle info *",
		"rustup show x": "rustup show *", "deno lint x": "deno lint *", "turbo ls x": "turbo ls *", "nx show x": "nx show *", "composer show x": "composer show *",
		"conda list x": "conda list *", "svn status x": "svn status *", "hg status x": "hg status *",

		"npm run test -- -x": "npm run test *", "pnpm run test:a b": "pnpm run test:a *", "yarn run b_c": "yarn run b_c *", "bun run d2": "bun run d2 *",
		"npm run": "npm run", "npm run Test": "npm run Test", "npm run -s test": "npm run -s test", "deno run x.ts y": "deno run x.ts y", "npm test run x": "npm test *",

		"mytool build x": "mytool build *", "mytool -x y": "mytool *", "mytool X y": "mytool *", "mytool": "mytool *", "mytool 2fast": "mytool *", "mytool a.b": "mytool *",
		"grep todo x": "grep *", "ls": "ls *", "tsc x": "tsc *", "cd src": "cd *",

		"./run x": "./run x", "/usr/bin/git status": "/usr/bin/git status", "python3.12 x": "python3.12 x", "python a": "python a", "make all": "make all", "node a.js": "node a.js",
		"git push x": "git push x", "npm install x": "npm install x", "go get x": "go get x", "mytool exec x": "mytool exec x", "cargo get x": "cargo get *", "gh pr create x": "gh pr create x",
		"aws s3 rm x": "aws s3 rm x",
	} {
		if got := commandPrefix(strings.Fields(line)); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	// An option in the place of a subcommand that is known to be there: nobody knows what it says.
	for program := range strings.FieldsSeq(`git npm pnpm yarn bun go cargo gh glab pip pip3 uv poetry docker podman kubectl helm terraform brew apt apt-get
		systemctl dotnet swift flutter dart mix aws gcloud az gem bundle rustup deno turbo nx composer conda svn hg`) {
		if got, want := commandPrefix([]string{program, "-x", "y"}), program+" -x y"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := commandPrefix([]string{program}); got != program {
			t.Errorf("%s alone: %s", program, got)
		}
	}
	for _, line := range []string{"gh pr", "glab mr -x", "aws s3", "az vm -x", "gcloud compute instances", "gcloud compute -x list"} {
		if got := commandPrefix(strings.Fields(line)); got != line {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// What stands in an offer says what the call needs, and no more.
func TestWhatOffersName(t *testing.T) {
	w := newWorld(t)
	p := w.project
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"npm test < src/a.go", []string{"command=line:npm test < src/a.go", "command=npm test", "command=npm test *"}}, // the built-in rule reads it
		{"npm test < ../shop-evil/x", []string{"command=line:npm test < ../shop-evil/x", "command=npm test ; read=" + w.root + "/shop-evil/x", "command=npm test * ; read=" + w.root + "/shop-evil/x"}},
		{"FOO=1 npm test", []string{"command=line:FOO=1 npm test", "assign=FOO=1 ; command=npm test", "assign=FOO=1 ; command=npm test *"}},
		{"FOO='a*b' npm test", []string{"command=line:FOO='a*b' npm test", `assign=FOO=a\*b ; command=npm test`, `assign=FOO=a\*b ; command=npm test *`}},
		{"npm test > a && npm test > b", []string{"command=line:npm test > a && npm test > b", "command=npm test ; write=" + p + "/a|" + p + "/b", "command=npm test * ; write=" + p + "/a|" + p + "/b"}},
		{"npm test && npm test", []string{"command=line:npm test && npm test", "command=npm test", "command=npm test *"}},
		{"npm test && git status && npm test", []string{"command=line:npm test && git status && npm test", "command=npm test|git status", "command=npm test *|git status *"}},
		{"git status && npm test && ls && npm test", []string{"command=line:git status && npm test && ls && npm test", "command=git status|npm test|ls", "command=git status *|npm test *|ls *"}},
		{"cd src && npm test", []string{"command=line:cd src && npm test", "command=npm test", "command=npm test *"}},
		{"cd src", []string{"command=cd src", "command=cd *"}},
		{"cat src/a.go", []string{"command=cat src/a.go", "command=cat *"}},
		{"cp go.mod ../shop-evil/x", []string{"command=cp go.mod ../shop-evil/x"}},
		{"cp go.mod ../shop-evil/x && ls", []string{"command=line:cp go.mod ../shop-evil/x && ls"}},
		{"strace npm test", []string{"command=strace npm test"}},
		{"strace npm test && ls", []string{"command=line:strace npm test && ls"}},
		{"npm test;", []string{"command=npm test", "command=npm test *"}},
		{"nice npm test;", []string{"command=line:nice npm test;", "command=npm test", "command=npm test *"}},
		{"strace npm test;", []string{"command=line:strace npm test;"}},
		{"echo \\a", nil},
		{"python3 -c 'x' && ls", []string{"command=line:python3 -c 'x' && ls", "command=python3 -c x|ls"}},
		{"eval 'npm test'", []string{"command=eval 'npm test'"}},
		{"echo \"it's\"", []string{`command=echo "it's"`, "command=echo *"}},
		{"echo re:x", []string{"command=echo 're:x'", "command=echo *"}},
		{"npm run 'x", nil},
		{"ls > .claude/settings.json", nil},
		{"ls .aoctl", nil},
		{"cat .claude/settings.json", nil},
		{"ls .claude", []string{"command=ls .claude", "command=ls *"}},
	} {
		c := Prepare(w.trusted(t, tt.line).q)
		var got []string
		for _, r := range Offer(c) {
			got = append(got, show(r))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, diff)
		}
	}
	for _, tt := range []struct {
		tool  string
		input map[string]any
		want  []string
	}{
		{"Bash", map[string]any{"command": "npm test", "sandbox": "no*"}, []string{`command=npm test ; sandbox=no\*`, `command=npm test * ; sandbox=no\*`}},
		{"Tool", map[string]any{"dangerouslyX": true}, []string{"dangerouslyX=true"}},
		{"Tool", map[string]any{"paths": []any{"src/a.go", "src/b.go", "go.mod", "src/a.go"}}, []string{
			"paths=" + p + "/src/a.go|" + p + "/src/b.go|" + p + "/go.mod", "paths=" + p + "/src/**|" + p + "/**", "paths=" + p + "/**",
		}},
		{"Tool", map[string]any{"path": "."}, []string{"path=" + p, "path=" + p + "/**"}},
		{"Tool", map[string]any{"path": "src/a.go", "file": "../shop-evil/x"}, []string{"file=" + w.root + "/shop-evil/x ; path=" + p + "/src/a.go"}},
		{"Tool", map[string]any{"url": "http://docs.rs/x"}, []string{"url=http://docs.rs/x", "url=http://docs.rs/**"}},
		{"Tool", map[string]any{"url": 7}, nil},
		{"Tool", map[string]any{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6", "g": "7", "h": "8", "i": "9", "j": "10"}, []string{"a=1 ; b=2 ; c=3 ; d=4 ; e=5 ; f=6 ; g=7 ; h=8 ; i=9 ; j=10", ""}},
		{"Tool", map[string]any{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6", "g": "7", "h": "8", "i": "9", "j": "10", "k": "11"}, []string{""}},
		{"mcp__fs__read", map[string]any{"path": "src/a.go"}, []string{"path=" + p + "/src/a.go", "path=" + p + "/src/**", "path=" + p + "/**", ""}},
		{"mcp__web__get", map[string]any{"url": "https://docs.rs/"}, []string{"url=https://docs.rs/", "url=https://docs.rs/**", ""}},
		{"Tool", map[string]any{"a": "re:x"}, []string{`a=\re:x`, ""}},
		{"AskUserQuestion", map[string]any{}, nil},
	} {
		var got []string
		for _, r := range Offer(Prepare(w.question(t, tt.tool, tt.input))) {
			got = append(got, show(r))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", tt.tool, tt.input, diff)
		}
	}
}

// A pattern that an agent suggests is offered only when it is no wider than ours.
func TestNarrowPatterns(t *testing.T) {
	for pattern, want := range map[string]bool{
		"npm run test": true, "npm run test *": true, "npm run test -- -u *": true, "git log --oneline *": true, "line:a && b": true, "mytool build *": true, "mytool build x *": true, "ls *": true, "ls -l *": true,
		"mytool *": true, "npm *": false, "npm run *": false, "git *": false, "make *": false, "make x *": false, "git push *": false, "* x": false, "npm * x *": false, "a|b": false, "a|b *": false,
		"re:npm .*": false, "a 'b' *": false, `a "b" *`: false, `a\b *`: false, " *": false, "mytool -x *": true, "mytoolx build *": true, "npm run testx *": true,
	} {
		if got := narrowCommand(pattern); got != want {
			t.Errorf("%s: %t", pattern, got)
		}
	}
	w := newWorld(t)
	c := Prepare(w.question(t, "Edit", map[string]any{"file_path": "src/a.go"}))
	for _, tt := range []struct {
		rule Rule
		want bool
	}{
		{rule(Allow, "Edit", "file_path", "src/**"), true},
		{rule(Allow, "Edit", "file_path", w.project+"/src/**"), true},
		{rule(Allow, "NotebookEdit", "notebook_path", "src/**"), true},
		{rule(Allow, "Edit", "file_path", w.project+"-evil/**"), false},
		{rule(Allow, "Edit", "file_path", "/etc/**"), false},
		{rule(Allow, "Edit", "file_path", "~/x"), false},
		{rule(Allow, "Edit", "file_path", "src/../x"), false},
		{rule(Allow, "Edit", "file_path", "src/a|x"), false},
		{rule(Allow, "LS", "path", "/etc"), false},
		{rule(Allow, "Edit"), false},
		{rule(Deny, "Edit", "file_path", "src/**"), false},
		{rule(Allow, "Tool", "query", "/etc/../x|~"), true},
		{with(rule(Allow, "Edit", "file_path", "src/**"), func(r *Rule) { r.Dangerous = true }), false},
	} {
		if got := narrow(tt.rule, c.q.Place.Project); got != tt.want {
			t.Errorf("%s: %t", tt.rule.ID, got)
		}
	}
	w.place.Project = ""
	c = Prepare(w.question(t, "Edit", map[string]any{"file_path": "src/a.go"}))
	if narrow(rule(Allow, "Edit", "file_path", "src/**"), c.q.Place.Project) {
		t.Error("files of no project")
	}
}
