package rules

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
)

// patchOf is a patch of parts such as "add a.go", "update a.go", "delete a.go" and
// "move a.go b.go".
func patchOf(parts ...string) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	for _, p := range parts {
		switch w := strings.SplitN(p, " ", 3); w[0] {
		case "add":
			b.WriteString("*** Add File: " + w[1] + "\n+x\n")
		case "update":
			b.WriteString("*** Update File: " + w[1] + "\n@@\n-x\n+y\n")
		case "delete":
			b.WriteString("*** Delete File: " + w[1] + "\n")
		case "move":
			b.WriteString("*** Update File: " + w[1] + "\n*** Move to: " + w[2] + "\n@@\n-x\n+y\n")
		}
	}
	return b.String() + "*** End Patch\n"
}

// TestPatches: a rule about the tools that write speaks for a patch when it fits all of its
// files, and against it when it fits one.
func TestPatches(t *testing.T) {
	w := newWorld(t)
	src := rule(Allow, "Edit|Write|MultiEdit", "file_path", "src/**")
	edits, writes := rule(Allow, "Edit", "file_path", "src/**"), rule(Allow, "Write", "file_path", "src/**")
	own := rule(Allow, "apply_patch", "file_path", "src/**")
	for name, tt := range map[string]struct {
		rules []Rule
		patch string
		want  Verdict
	}{
		"nothing allows it":                    {nil, patchOf("update src/a.go"), Ask},
		"all inside":                           {[]Rule{src}, patchOf("update src/a.go", "add src/b.go"), Allow},
		"one outside":                          {[]Rule{src}, patchOf("update src/a.go", "update go.mod"), Ask},
		"moved outside":                        {[]Rule{src}, patchOf("move src/a.go lib.go"), Ask},
		"moved inside":                         {[]Rule{src}, patchOf("move src/a.go src/b.go"), Allow},
		"out by dots":                          {[]Rule{src}, patchOf("update src/../go.mod"), Ask},
		"out by a link":                        {[]Rule{rule(Allow, "Write", "file_path", "**")}, patchOf("add link/x"), Ask},
		"absolute":                             {[]Rule{src}, patchOf("update " + w.project + "/src/a.go"), Allow},
		"each file by a rule of its own":       {[]Rule{src, rule(Allow, "Write", "file_path", "go.mod")}, patchOf("update src/a.go", "update go.mod"), Ask},
		"edits by a rule about edits":          {[]Rule{edits}, patchOf("update src/a.go"), Allow},
		"a new file by a rule about edits":     {[]Rule{edits}, patchOf("add src/b.go"), Ask},
		"a deletion by a rule about edits":     {[]Rule{edits}, patchOf("delete src/a.go"), Ask},
		"a move by a rule about edits":         {[]Rule{edits}, patchOf("move src/a.go src/b.go"), Ask},
		"edits by a rule about writing":        {[]Rule{writes}, patchOf("update src/a.go"), Allow},
		"by its own name":                      {[]Rule{own}, patchOf("delete src/a.go"), Allow},
		"by its own name, outside":             {[]Rule{own}, patchOf("delete src/a.go", "delete go.mod"), Ask},
		"denied for a notebook":                {[]Rule{src, rule(Deny, "NotebookEdit", "file_path", "**/*.ipynb")}, patchOf("update src/a.ipynb"), Deny},
		"denied to another agent":              {[]Rule{src, with(rule(Deny, "Edit", "file_path", "src/**"), func(r *Rule) { r.Scope.Agent = "gemini" })}, patchOf("update src/a.go"), Allow},
		"an empty patch":                       {[]Rule{src, own}, patchOf(), Ask},
		"a rule about notebooks":               {[]Rule{rule(Allow, "NotebookEdit")}, patchOf("update src/a.go"), Ask},
		"denied for one file":                  {[]Rule{src, rule(Deny, "Write", "file_path", "**/*.lock")}, patchOf("update src/a.go", "update src/x.lock"), Deny},
		"denied by a rule about edits":         {[]Rule{src, rule(Deny, "Edit", "file_path", "src/secret*")}, patchOf("add src/b.go", "add SRC/secret.txt"), Deny},
		"denied for where it moves":            {[]Rule{src, rule(Deny, "Edit", "file_path", "src/z*")}, patchOf("move src/a.go src/z.go"), Deny},
		"denied as a whole":                    {[]Rule{src, rule(Deny, "Write")}, patchOf("update src/a.go"), Deny},
		"asks for one file":                    {[]Rule{src, with(rule(Ask, "Write", "file_path", "src/b*"), func(r *Rule) { r.Priority = 1 })}, patchOf("add src/b.go"), Ask},
		"no patch at all":                      {[]Rule{rule(Allow, "Write"), rule(Allow, "apply_patch")}, "echo hi", Ask},
		"not readable":                         {[]Rule{rule(Allow, "Write"), rule(Allow, "apply_patch")}, "<<EOF\n" + patchOf("update src/a.go") + "EOF", Ask},
		"not readable, and denied":             {[]Rule{rule(Deny, "Write", "file_path", "src/**")}, "<<EOF\n" + patchOf("update src/a.go") + "EOF", Deny},
		"hidden by a blank, and denied":        {[]Rule{src, rule(Deny, "Write", "file_path", "go.mod")}, "*** Begin Patch\n*** Add File: src/b\n+x\n *** Delete File: go.mod\n*** End Patch", Deny},
		"an agent's settings":                  {[]Rule{rule(Allow, "Write"), rule(Allow, "apply_patch")}, patchOf("update src/a.go", "add .claude/settings.json"), Ask},
		"aoctl's own files":                    {[]Rule{rule(Allow, "Write"), rule(Allow, "apply_patch")}, patchOf("move src/a.go state/aoctl.db"), Ask},
		"a shell's start-up file":              {[]Rule{rule(Allow, "Write"), rule(Allow, "apply_patch")}, patchOf("update ../home/ana/.bashrc"), Ask},
		"what only looks like a mark":          {[]Rule{src}, "*** Begin Patch\n*** Add File: src/b\n+*** Delete File: go.mod\n*** End Patch", Allow},
		"a name that is read in several ways":  {[]Rule{rule(Allow, "Write")}, patchOf("add ~/x"), Ask},
		"more files than are followed":         {[]Rule{src}, patchOf(slices.Repeat([]string{"update src/a.go"}, 3)...), Allow},
		"a rule about another parameter of it": {[]Rule{rule(Allow, "Edit", "new_string", "*")}, patchOf("update src/a.go"), Ask},
	} {
		t.Run(name, func(t *testing.T) {
			c := Prepare(w.question(t, "apply_patch", map[string]any{"command": tt.patch}))
			s := compiled(t, tt.rules...)
			if v, id := s.Verdict(c, made); v != tt.want {
				t.Errorf("%s by %q", v, id)
			}
			if a := s.Judge(c, made); a.Verdict != tt.want || a.Reason == "" {
				t.Errorf("%s: %s", a.Verdict, a.Reason)
			}
		})
	}
	if c := Prepare(w.question(t, "apply_patch", map[string]any{"patch": patchOf("update src/a.go")})); verdictOn(t, c, rule(Allow, "apply_patch")) != Ask {
		t.Error("a patch in a parameter that nobody knows is allowed")
	}
}

// TestFolders: a line that may start in either of two folders is nobody's to allow by rule.
func TestFolders(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		input map[string]any
		want  Verdict
	}{
		{map[string]any{"command": "ls", "workdir": w.project}, Allow},
		{map[string]any{"command": "ls", "workdir": w.project, "dir_path": ""}, Allow},
		{map[string]any{"command": "ls", "workdir": "/etc", "dir_path": w.project}, Ask},
	} {
		if got := verdictOn(t, Prepare(w.question(t, "Bash", tt.input)), rule(Allow, "Bash", "command", "ls")); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.input, got, tt.want)
		}
	}
}

// TestPatchElsewhere: a patch in a parameter of another reader is allowed by no rule, and
// refused by those about its files, also where it stands beside one that is harmless.
func TestPatchElsewhere(t *testing.T) {
	w := newWorld(t)
	for _, input := range []map[string]any{
		{"patchText": patchOf("update go.mod")},
		{"input": "<<EOF\n" + patchOf("update go.mod")},
		{"command": patchOf("update src/a.go"), "patch": patchOf("update go.mod")},
	} {
		c := Prepare(w.question(t, "apply_patch", input))
		if got := verdictOn(t, c, rule(Allow, "apply_patch"), rule(Allow, "Write")); got != Ask {
			t.Errorf("%v: %s, want ask", input, got)
		}
		if got := verdictOn(t, c, rule(Allow, "apply_patch"), rule(Deny, "Edit", "file_path", "go.mod")); got != Deny {
			t.Errorf("%v: %s, want deny", input, got)
		}
	}
}

func compiled(t *testing.T, list ...Rule) *Set {
	t.Helper()
	s, err := Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func verdictOn(t *testing.T, c *Call, list ...Rule) Verdict {
	t.Helper()
	v, _ := compiled(t, list...).Verdict(c, time.Time{})
	return v
}

// TestPatchRisk: a patch is as dangerous as the worst of its files.
func TestPatchRisk(t *testing.T) {
	w := newWorld(t)
	for text, want := range map[string]risk.Class{
		patchOf("update src/a.go"):                                risk.Normal,
		patchOf("update src/a.go", "add .claude/settings.json"):   risk.Dangerous,
		patchOf("move src/a.go .codex/hooks.json"):                risk.Dangerous,
		patchOf("add ../home/ana/.bashrc"):                        risk.Dangerous,
		patchOf("update ../home/ana/.ssh/authorized_keys"):        risk.Dangerous,
		"<<EOF\n " + patchOf("add .claude/settings.json") + "EOF": risk.Dangerous,
	} {
		c := Prepare(w.question(t, "apply_patch", map[string]any{"command": text}))
		if c.Risk().Class != want {
			t.Errorf("%q: %+v", text, c.Risk())
		}
		if strings.Contains(text, ".cl") && !c.Risk().Guarded {
			t.Errorf("%q is not guarded", text)
		}
	}
}

// TestShellPatch: a patch that a command line applies is one too.
func TestShellPatch(t *testing.T) {
	w := newWorld(t)
	here := func(text string) string { return "apply_patch <<'EOF'\n" + text + "EOF" }
	broad := rule(Allow, "Bash", "command", "apply_patch*|apply_patch *")
	for line, want := range map[string]Verdict{
		here(patchOf("update src/a.go")):                                                         Ask,
		here(patchOf("update src/a.go", "update src/secret")):                                    Deny,
		"apply_patch '" + patchOf("update src/secret") + "'":                                     Deny,
		"cd src && " + here(patchOf("update secret")):                                            Deny,
		"cd src && apply_patch '" + patchOf("update secret") + "'":                               Deny,
		"cd src && apply_patch $'*** Begin Patch\\n*** Delete File: src/secret\\n*** End Patch'": Deny,
		"apply_patch": Ask,
	} {
		c := Prepare(w.bash(t, line))
		if v := verdictOn(t, c, broad, rule(Deny, "Edit", "file_path", "src/secret")); v != want {
			t.Errorf("%q: %s", line, v)
		}
	}
	for _, line := range []string{here(patchOf("update src/a.go", "add .claude/settings.json")), "apply_patch '" + patchOf("add .codex/hooks.json") + "'"} {
		if r := Prepare(w.bash(t, line)).Risk(); !r.Guarded || r.Class != risk.Dangerous {
			t.Errorf("%q: %+v", line, r)
		}
	}
	if r := Prepare(w.bash(t, "cd ../home/ana && "+here(patchOf("add .bashrc")))).Risk(); r.Class != risk.Dangerous {
		t.Errorf("a patch of a shell's start-up file: %+v", r)
	}
	for tool, want := range map[string]Verdict{"Write": Deny, "Edit": Deny, "MultiEdit": Deny, "W*": Deny, "Read": Ask, "Write2": Ask} {
		if v := verdictOn(t, Prepare(w.bash(t, here(patchOf("update src/a.go")))), broad, rule(Deny, tool, "file_path", "src/**")); v != want {
			t.Errorf("deny %s: %s", tool, v)
		}
		all := rule(Allow, "apply_patch")
		if v := verdictOn(t, Prepare(w.question(t, "apply_patch", map[string]any{"command": patchOf("update src/a.go")})), all, rule(Deny, tool)); (v == Deny) != (want == Deny) {
			t.Errorf("deny %s of a patch: %s", tool, v)
		}
	}
	exact := rule(Allow, "Bash", "command", "make")
	if v := verdictOn(t, Prepare(w.bash(t, "make")), exact, rule(Deny, "Edit")); v != Allow {
		t.Errorf("a line without a patch: %s", v)
	}
}

// TestPatchOffer: what is offered covers every file, and the files are watched.
func TestPatchOffer(t *testing.T) {
	w := newWorld(t)
	c := Prepare(w.question(t, "apply_patch", map[string]any{"command": patchOf("update src/a.go", "add src/b.go")}))
	var got []string
	for _, r := range Offer(c) {
		got = append(got, r.Where["file_path"])
	}
	p := w.project
	if want := []string{p + "/src/a.go|" + p + "/src/b.go", p + "/src/**", p + "/**"}; !slices.Equal(got, want) {
		t.Errorf("offered %q, want %q", got, want)
	}
	if files := c.Files(); !slices.Contains(files, p+"/src/a.go") || !slices.Contains(files, p+"/src/b.go") {
		t.Errorf("files %q", files)
	}
}

// TestReadsOnePath: a tool that reads is vouched for only when the built-in rule looks at
// every path that it is given.
func TestReadsOnePath(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		tool  string
		input map[string]any
		want  Verdict
	}{
		{"Read", map[string]any{"file_path": "src/a.go"}, Allow},
		{"Read", map[string]any{"file_path": "src/a.go", "offset": 1}, Allow},
		{"Read", map[string]any{"file_path": "src/a.go", "absolute_path": "/etc/passwd"}, Ask},
		{"Read", map[string]any{"file_path": "src/a.go", "paths": []any{"/etc/passwd"}}, Ask},
		{"Read", map[string]any{"file_path": "src/a.go", "more": map[string]any{"path": "/etc/passwd"}}, Ask},
		{"LS", map[string]any{"path": "src", "dir_path": "/etc"}, Ask},
		{"Grep", map[string]any{"pattern": "x", "path": "src", "directory": "/etc"}, Ask},
	} {
		q := w.question(t, tt.tool, tt.input)
		q.Trusted = true
		if got := verdictOn(t, Prepare(q)); got != tt.want {
			t.Errorf("%s %v: %s", tt.tool, tt.input, got)
		}
	}
}
