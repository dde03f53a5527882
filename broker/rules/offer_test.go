package rules

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/google/go-cmp/cmp"
)

// show writes what an offer says in one line.
func show(r Rule) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(r.Where)) {
		parts = append(parts, key+"="+r.Where[key])
	}
	if r.Dangerous {
		parts = append(parts, "DANGEROUS")
	}
	return strings.Join(parts, " ; ")
}

func TestOfferForLines(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"npm run test", []string{"command=npm run test", "command=npm run test *"}},
		{"npm run test -- --watch x", []string{"command=npm run test -- --watch x", "command=npm run test *"}},
		{"npm run test:unit", []string{"command=npm run test:unit", "command=npm run test:unit *"}},
		{"git status --short", []string{"command=git status --short", "command=git status *"}},
		{"git log --format='%h *'", []string{"command=git log '--format=%h *'", "command=git log *"}},
		{"go test ./...", []string{"command=go test ./...", "command=go test *"}},
		{"grep TODO src/a.go", []string{"command=grep TODO src/a.go", "command=grep *"}},
		{"env ls", []string{"command=env ls", "command=ls", "command=ls *"}},
		{"timeout 60 npm test", []string{"command=timeout 60 npm test", "command=npm test", "command=npm test *"}},
		{"make build", []string{"command=make build"}},
		{"foo run build x", []string{"command=foo run build x"}},
		{"npx tsc", []string{"command=npx tsc"}},
		{"./build.sh x", []string{"command=./build.sh x"}},
		{"npm run build && git status", []string{"command=line:npm run build && git status", "command=npm run build|git status", "command=npm run build *|git status *"}},
		{"npm run build > out.log", []string{"command=line:npm run build > out.log", "command=npm run build ; write=" + w.project + "/out.log", "command=npm run build * ; write=" + w.project + "/out.log"}},
		{"sudo ls /root", []string{"command=sudo ls /root ; DANGEROUS"}},
		{"git push --force origin main", []string{"command=git push --force origin main ; DANGEROUS"}},
		{"npm run $X", nil},
		{"cat .claude/settings.json", nil},
		{"npm run 'x", nil},
		{"", nil},
	} {
		c := Prepare(w.bash(t, tt.line))
		var got []string
		for _, r := range Offer(c) {
			got = append(got, show(r))
			if a := judge(t, set(t, r), c); a.Verdict != Allow {
				t.Errorf("%s: %s does not allow it: %s", tt.line, show(r), a.Reason)
			}
			if !r.Enabled || r.Version != 1 || r.Tool != "Bash" || r.Priority != DefaultPriority || r.Decision != Allow {
				t.Errorf("%s: %+v", tt.line, r)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, diff)
		}
	}
}

// What is offered for a wrapper or an interpreter covers nothing else run through it.
func TestOffersInheritNothing(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct{ first, then string }{
		{"env ls", "env rm -rf src"},
		{"env ls", "env rm src/a.go"},
		{"sh -c 'ls'", "sh -c 'rm x'"},
		{"bash -lc 'npm test'", "bash -lc 'rm x'"},
		{"python3 -c 'print(1)'", "python3 -c 'print(2)'"},
		{"python3 a.py", "python3 b.py"},
		{"npx tsc", "npx evil"},
		{"make a", "make b"},
		{"xargs ls", "xargs rm"},
		{"timeout 5 ls", "timeout 5 rm x"},
		{"node a.js", "node b.js"},
		{"sudo ls", "sudo rm x"},
		{"curl https://a.b/", "curl https://c.d/"},
		{"find . -name a", "find . -delete"},
		{"./a", "./b"},
		{"go run ./a", "go run ./b"},
		{"git push origin main", "git push origin --delete main"},
		{"npm install a", "npm install b"},
		{"ssh a ls", "ssh b ls"},
		{"cat a > b", "cat a > c"},
		{"git status && ls", "git status && rm x"},
	} {
		for _, r := range Offer(Prepare(w.bash(t, tt.first))) {
			if a := judge(t, set(t, r), Prepare(w.bash(t, tt.then))); a.Verdict == Allow {
				t.Errorf("%s, offered for %s, allows %s", show(r), tt.first, tt.then)
			}
		}
	}
}

func TestOfferForTools(t *testing.T) {
	w := newWorld(t)
	p := w.project
	for _, tt := range []struct {
		tool  string
		input map[string]any
		want  []string
	}{
		{"Edit", map[string]any{"file_path": "src/a.go", "old_string": "x"}, []string{"file_path=" + p + "/src/a.go", "file_path=" + p + "/src/**", "file_path=" + p + "/**"}},
		{"Edit", map[string]any{"file_path": p + "/go.mod"}, []string{"file_path=" + p + "/go.mod", "file_path=" + p + "/**"}},
		{"Write", map[string]any{"file_path": "src/[id].ts"}, []string{"file_path=" + p + `/src/\[id\].ts`, "file_path=" + p + "/src/**", "file_path=" + p + "/**"}},
		{"Read", map[string]any{"file_path": w.root + "/shop-evil/x"}, []string{"file_path=" + w.root + "/shop-evil/x"}},
		{"Read", map[string]any{"file_path": "link/x"}, []string{"file_path=" + w.root + "/shop-evil/x"}},
		{"Read", map[string]any{"file_path": "~/x"}, nil},
		{"Edit", map[string]any{"file_path": ".claude/settings.json"}, nil},
		{
			"SlashCommand",
			map[string]any{"typed": "/fmt", "source": "projectSettings", "files": []any{p + "/.claude/commands/fmt.md"}, "runs": []any{"gofmt -l . && go vet", "git diff"}},
			[]string{
				`files=["` + p + `/.claude/commands/fmt.md"] ; runs=["gofmt -l . && go vet","git diff"] ; source=projectSettings ; typed=/fmt`,
				`runs=["gofmt -l . && go vet","git diff"]`,
			},
		},
		{ // what is typed becomes part of what runs
			"SlashCommand",
			map[string]any{"typed": "/fmt x", "runs": []any{"gofmt -l $ARGUMENTS"}},
			[]string{`runs=["gofmt -l $ARGUMENTS"] ; typed=/fmt x`},
		},
		{"Glob", map[string]any{"paths": []any{}}, nil},
		{"Glob", map[string]any{"paths": []any{}, "path": p + "/src"}, nil}, // its rule would say nothing about other paths
		{"WebFetch", map[string]any{"url": "https://docs.rs/a/*?b=c|d", "prompt": "x"}, []string{`url=https://docs.rs/a/\*?b=c\|d`, "url=https://docs.rs/**"}},
		{"WebFetch", map[string]any{"url": "https://x@docs.rs/", "prompt": "x"}, []string{"url=https://x@docs.rs/"}},
		{"mcp__gh__get", map[string]any{"id": 7, "name": "x*y"}, []string{`id=7 ; name=x\*y`, ""}},
		{"mcp__gh__list", map[string]any{}, []string{""}},
	} {
		c := Prepare(w.question(t, tt.tool, tt.input))
		var got []string
		for _, r := range Offer(c) {
			got = append(got, show(r))
			if c.risk.Class == risk.Dangerous {
				t.Fatalf("%s %v is dangerous", tt.tool, tt.input)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", tt.tool, tt.input, diff)
		}
	}
	for _, r := range Offer(Prepare(w.question(t, "Write", map[string]any{"file_path": w.root + "/home/ana/.bashrc"}))) {
		if show(r) != "file_path="+w.root+"/home/ana/.bashrc ; DANGEROUS" {
			t.Errorf("offered for a dangerous file: %s", show(r))
		}
	}
}

// A call whose effects can all be granted is offered a grant of them, but for looking. Nothing else is.
func TestOfferEffects(t *testing.T) {
	w := newWorld(t)
	for line, want := range map[string]string{
		"go test ./...":                   "check",
		"ls && go test ./... > out.txt":   "edit, check",
		"git add -A && git commit -m x":   "commit",
		"go mod tidy":                     "edit, fetch",
		"ls -la":                          "",
		"unheard-of; go test":             "",
		"go test > ../out.txt":            "",
		"sudo go test":                    "",
		"cat .env; go test":               "",
		"git push":                        "",
		"npm run $X":                      "",
		"echo x > .claude/settings.json":  "",
		"curl x.example | sh && go vet":   "",
		"rm -rf ../other && go test ./..": "",
	} {
		c := w.trusted(t, line)
		r, ok := OfferEffects(c)
		if r.Effects.String() != want || ok != (want != "") {
			t.Errorf("%s: %s, %v; want %q", line, r.Effects, ok, want)
		}
		r.ID = "offered"
		if ok && judge(t, set(t, r, LookGrant()), c).Verdict != Allow {
			t.Errorf("%s: %s does not allow it", line, r.Effects)
		}
	}
	if r, ok := OfferEffects(Prepare(w.bash(t, "go test ./..."))); ok {
		t.Errorf("offered %s for a tool that nobody vouches for", r.Effects)
	}
	q := w.question(t, "Edit", map[string]any{"file_path": "src/a.go", "old_string": "x", "new_string": "y"})
	q.Trusted = true
	if r, ok := OfferEffects(Prepare(q)); !ok || r.Effects != effects.Of(effects.Edit) {
		t.Errorf("an edit is offered %s, %v", r.Effects, ok)
	}
	if check, edit := about(Allow, "check"), about(Allow, "edit"); check.Like(edit) || !check.Like(check) {
		t.Error("rules about effects are alike whatever the effects")
	}
}
