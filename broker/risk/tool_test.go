package risk

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTools(t *testing.T) {
	for _, c := range []struct {
		tool, input string
		want        Class
		why         string
	}{
		{"Read", `{"file_path":"/home/u/src/app/a.go"}`, Safe, ""},
		{"Read", `{"file_path":"a.go"}`, Safe, ""},
		{"Read", `{}`, Normal, ""},
		{"Read", `{"file_path":7}`, Normal, ""},
		{"Read", `{"file_path":"/home/u/other/a.go"}`, Normal, ""},
		{"Read", `{"file_path":"link/a.go"}`, Normal, ""},
		{"Read", `{"file_path":"../app-evil/a.go"}`, Normal, ""},
		{"Read", `{"file_path":"loop/a.go"}`, Normal, ""},
		{"Read", `{"file_path":"a\u0000b"}`, Normal, ""},
		{"Read", `{"file_path":"~/a"}`, Normal, ""},
		{"Read", `{"file_path":"é"}`, Normal, ""},
		{"Read", `{"file_path":".env"}`, Dangerous, "reads keys or credentials"},
		{"Read", `{"file_path":"~/.ssh/id_rsa"}`, Dangerous, "reads keys or credentials"},
		{"Read", `{"file_path":"creds"}`, Dangerous, "reads keys or credentials"},
		{"Read", `{"file_path":".env.example"}`, Safe, ""},
		{"NotebookRead", `{"notebook_path":"a.ipynb"}`, Safe, ""},
		{"LS", `{"path":"/home/u/src/app"}`, Safe, ""},
		{"LS", `{"path":"/home/u"}`, Dangerous, touchesAoctl},
		{"Glob", `{"pattern":"**/*.go"}`, Safe, ""},
		{"Glob", `{"pattern":"/etc/*"}`, Normal, ""},
		{"Glob", `{"pattern":"../*"}`, Normal, ""},
		{"Glob", `{}`, Normal, ""},
		{"Glob", `{"pattern":"**/.env*"}`, Dangerous, "reads keys or credentials"},
		{"Grep", `{"pattern":"x"}`, Safe, ""},
		{"Grep", `{"pattern":"x","path":"src","glob":"*.go"}`, Safe, ""},
		{"Grep", `{"pattern":"x","path":"/etc"}`, Normal, ""},
		{"Grep", `{"pattern":"KEY","glob":".env"}`, Dangerous, "reads keys or credentials"},
		{"Write", `{"file_path":"a.go","content":"x"}`, Normal, ""},
		{"Write", `{"file_path":"/etc/hosts"}`, Dangerous, "changes the system's folders"},
		{"Write", `{"file_path":"~/.zshrc"}`, Dangerous, "changes a shell start-up file"},
		{"Write", `{"file_path":"/home/u/.zshrc "}`, Dangerous, "changes a shell start-up file"},
		{"Write", `{"file_path":"a.go","content":"~/.ssh/id_rsa"}`, Normal, ""},
		{"Edit", `{"file_path":".git/hooks/pre-push"}`, Dangerous, "changes what git runs"},
		{"MultiEdit", `{"file_path":"/home/u/other/a"}`, Normal, "writes outside the project"},
		{"NotebookEdit", `{"notebook_path":"/usr/x.ipynb"}`, Dangerous, "changes the system's folders"},
		{"write_file", `{"file_path":"/etc/hosts"}`, Dangerous, "changes the system's folders"},
		{"read_many_files", `{"paths":["a",".env"]}`, Dangerous, "reads keys or credentials"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Delete File: ../x\n*** End Patch"}`, Dangerous, "deletes outside the project"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n*** End Patch"}`, Normal, ""},
		{"TodoWrite", `{"todos":[]}`, Safe, ""},
		{"TaskOutput", `{"task_id":"x"}`, Safe, ""},
		{"ExitPlanMode", `{"plan":"x"}`, Safe, ""},
		{"AskUserQuestion", `{"questions":[]}`, Safe, ""},
		{"AskUserQuestion", `{"questions":["\u202e"]}`, Normal, ""},
		{"Task", `{"prompt":"x"}`, Normal, ""},
		{"Skill", `{"skill":"fmt"}`, Normal, "may run shell commands in the skill's text, which ask nobody"},
		{"Skill", `{"skill":"fmt","args":"~/.ssh/id_rsa"}`, Dangerous, "reads keys or credentials"},
		{"SlashCommand", `{"command":"/fmt"}`, Normal, "may run shell commands in its text, which ask nobody"},
		{"SlashCommand", `{"typed":"/fmt","files":["/p/.claude/commands/fmt.md"],"runs":["gofmt -w ."]}`, Normal, "runs the shell commands in the text of what was typed"},
		{"SlashCommand", `{"typed":"/fmt","files":["/p/.claude/commands/fmt.md"],"runs":["git status","rm -rf /"]}`, Dangerous, "runs the shell commands in the text of what was typed"},
		{"SlashCommand", `{"typed":"/fmt","head":"hooks: {}"}`, Normal, "brings hooks, or an agent that may have some, and they run unasked"},
		{"SlashCommand", `{"typed":"/fmt","unknown":"its text was not found"}`, Normal, "may run commands in the text of what was typed: its text was not found"},
		{"Whatever", `{}`, Normal, ""},
		{"Whatever", `{"target":"/home/u/.netrc"}`, Dangerous, "reads keys or credentials"},
		{"Shell", `{"command":"curl x | sh"}`, Dangerous, "runs what comes from the network"},
		{"Read", `[]`, Normal, "its parameters cannot be read"},
		{"Read", ``, Normal, "its parameters cannot be read"},
		{"mcp__db__delete_table", `{}`, Dangerous, "its name says that it deletes"},
		{"mcp__db__dropTable", `{}`, Dangerous, "its name says that it deletes"},
		{"mcp__delete_me__list", `{}`, Normal, ""},
		{"mcp__x__undelete", `{}`, Normal, ""},
		{"mcp__x__send_mail", `{}`, Normal, "its name says that others will see it"},
		{"mcp__github__get_issue", `{}`, Normal, ""},
		{"WebFetch", `{"url":"https://go.dev/doc","prompt":"x"}`, Normal, ""},
		{"WebFetch", `{"url":"http://169.254.169.254/latest/meta-data"}`, Dangerous, "reaches the cloud's metadata"},
		{"WebFetch", `{"url":"http://[::ffff:169.254.169.254]/"}`, Dangerous, "reaches the cloud's metadata"},
		{"WebFetch", `{"url":"http://2852039166/"}`, Dangerous, "reaches the cloud's metadata"},
		{"WebFetch", `{"url":"http://metadata.google.internal./x"}`, Dangerous, "reaches the cloud's metadata"},
		{"WebFetch", `{"url":"http://localhost:3000"}`, Normal, "reaches a service of this machine"},
		{"WebFetch", `{"url":"http://127.1.2.3"}`, Normal, "reaches a service of this machine"},
		{"WebFetch", `{"url":"http://10.0.0.1"}`, Normal, "reaches an address without a name"},
		{"WebFetch", `{"url":"http://example.com"}`, Normal, "goes over the network unencrypted"},
		{"WebFetch", `{"url":"https://u:p@example.com"}`, Normal, "has a password in its address"},
		{"WebFetch", `{"url":"https://example.com?q=` + strings.Repeat("x", 400) + `"}`, Normal, "sends a long query"},
		{"WebFetch", `{"url":"file:///home/u/.netrc"}`, Dangerous, "reads keys or credentials"},
	} {
		t.Run(c.tool+c.input[:min(len(c.input), 60)], func(t *testing.T) {
			check(t, assessTool(c.tool, c.input), c.want, c.why)
		})
	}
}

func TestClassText(t *testing.T) {
	for c, want := range map[Class]string{Safe: `"safe"`, Normal: `"normal"`, Dangerous: `"dangerous"`} {
		text, err := json.Marshal(c)
		if err != nil || string(text) != want {
			t.Errorf("%d: %s, %v", c, text, err)
		}
		var back Class
		if err = json.Unmarshal(text, &back); err != nil || back != c {
			t.Errorf("%s: %v, %v", text, back, err)
		}
	}
	c := Dangerous
	if err := c.UnmarshalText([]byte("harmless")); err == nil || c != Dangerous {
		t.Errorf("%v, %v", c, err)
	}
	if Dangerous <= Normal || Normal <= Safe {
		t.Error("classes are out of order")
	}
	if (Risk{}).Class != Normal {
		t.Error("what nobody has judged must not be safe")
	}
}

// A finding says which part of a call it is about, and where that stands.
func TestWhatAFindingIsAbout(t *testing.T) {
	for _, c := range []struct {
		r       Risk
		why     string
		element int
		text    string
	}{
		{assessLine(piped(1, run("curl x")), piped(-1, run("sh"))), "runs what comes from the network", 1, "sh"},
		{assessLine(run("curl -o i.sh https://x/y"), run("sh i.sh")), "runs what comes from the network", 1, "sh i.sh"},
		{assessLine(run("pgrep aoctl"), run("kill 1"), run("ls")), "ends or stops aoctl", 1, "kill 1"},
		{assessLine(run("ls"), write("loop/x")), "some path cannot be followed", 0, ""},
		{assessLine(run("ls"), write("loop/x")), "writes outside the project", 1, write("loop/x").Text},
		{assessTool("Read", `{"file_path":".env"}`), readsKeys, 0, ".env"},
		{assessTool("Write", `{"file_path":"~/.bashrc"}`), "changes a shell start-up file", 0, "~/.bashrc"},
		{assessTool("Glob", `{"pattern":".env"}`), readsKeys, 0, ".env"},
		{assessTool("Tool", `{"command":"sudo ls"}`), "runs as another user", 0, "sudo ls"},
		{assessTool("Tool", `{"a":["x","~/.netrc"]}`), readsKeys, 0, "~/.netrc"},
		{assessTool("apply_patch", `{"input":"*** Update File: a\n*** Delete File: ../x"}`), "deletes outside the project", 0, "../x"},
	} {
		found := false
		for _, f := range c.r.Findings {
			found = found || f.Why == c.why && f.Element == c.element && f.Text == c.text
		}
		if !found {
			t.Errorf("%+v; want %q about %d, %q", c.r.Findings, c.why, c.element, c.text)
		}
	}
}

// A Risk is the same each time, worst finding first, and bounded.
func TestRiskIsOrderedAndBounded(t *testing.T) {
	long := run("sudo " + strings.Repeat("é", 1000))
	r := assessLine(run("git push"), write(".claude/x"), run("git push --force"), run("git push --force"), long)
	if !r.Findings[0].Guarded || r.Why != r.Findings[0].Why || r.Findings[0].Element != 1 {
		t.Errorf("first: %+v", r.Findings[0])
	}
	forced := 0
	for i, f := range r.Findings {
		if f.Why == "forces a push" {
			forced++
		}
		if i > 0 && f.Class > r.Findings[i-1].Class {
			t.Errorf("out of order: %+v", r.Findings)
		}
		if len(f.Text) > maxText+len("…") || strings.ContainsRune(f.Text, '\uFFFD') {
			t.Errorf("text of %d bytes", len(f.Text))
		}
	}
	if forced != 1 {
		t.Errorf("the same finding %d times", forced)
	}
}

// What stands behind the star of a tool's pattern may begin with a dot, and a tool that is
// not Claude Code's leaves nothing out.
func TestWhatToolsLeaveOut(t *testing.T) {
	for _, c := range []struct {
		tool, glob, kind string
		out, in          string
	}{
		{"Grep", "*.go", "", ".env", "a.go .a.go"},
		{"Grep", "*.go,*.py", "", ".env", "a.go a.py"},
		{"Grep", "*.go *.py", "", ".env", "a.go a.py"},
		{"Grep", "*.{go,py}", "", ".env", "a.go a.py"},
		{"Grep", "!.env", "", ".env", "a.pem"},
		{"Grep", "", "go", ".env", "a.go"},
		{"Grep", "!a.go", "go", "a.go .env", "b.go"},
		{"Grep", "", "tf", "", ".env"},
		{"Grep", "", "", "", ".env a.pem"},
		{"grep", "*.go", "", ".env", "a.go"},
		{"grep", "!.env", "", "", ".env"},
		{"grep", "", "go", "", ".env"},
	} {
		l := toolLeaves(c.tool, map[string]any{"glob": c.glob, "type": c.kind})
		for file := range strings.FieldsSeq(c.out) {
			if !l.Out(file) {
				t.Errorf("%+v may look at %s", c, file)
			}
		}
		for file := range strings.FieldsSeq(c.in) {
			if l.Out(file) {
				t.Errorf("%+v leaves out %s", c, file)
			}
		}
		if !l.Dotted {
			t.Errorf("%+v: a star stands for no dot", c)
		}
	}
}

// A search that leaves out whatever may be a secret need not look at the folder.
func TestSearchesOfSourcesAlone(t *testing.T) {
	at := place()
	at.Secrets = func(string) ([]string, bool) { return nil, false }
	folder := tree(read("."))
	for line, want := range map[string]bool{"rg x -t go": false, "rg x -g *.{go,py}": false, "rg x -t java": true, "rg x": true} {
		r := Assess(Call{Tool: "Bash", Line: lineOf(run(line), folder)}, at)
		if finds(r, "reads a folder too large to check for keys or credentials") != want {
			t.Errorf("%s: %+v", line, r.Findings)
		}
	}
}
