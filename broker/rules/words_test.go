package rules

import (
	"os"
	"strings"
	"testing"
)

// The tests here have a call for each word of the tables by which calls are read.

// decides judges one line under one allow rule about commands.
func (w world) decides(t *testing.T, pattern, line string) Verdict {
	t.Helper()
	return judge(t, set(t, rule(Allow, "Bash", "command", pattern)), w.trusted(t, line)).Verdict
}

// A wrapper that runs the very command behind it needs no rule of its own; any other does.
func TestWrappers(t *testing.T) {
	w := newWorld(t)
	for _, front := range []string{
		"time", "/usr/bin/time", "timeout 5", "gtimeout 5", "nice", "nohup", "env", "command", "stdbuf -oL", "ionice -c 3", "setsid", "caffeinate -i", "chrt -b 0",
		"taskset -c 0", "unbuffer", "bundle exec", "poetry run", "pipenv run", "hatch run", "pdm run", "rye run", "uv run",
	} {
		if v := w.decides(t, "npm test", front+" npm test"); v != Allow {
			t.Errorf("%s npm test: %s", front, v)
		}
	}
	for _, line := range []string{"sh -c 'npm test'", "bash -c 'npm test'", "zsh -c 'npm test'", "dash -c 'npm test'", "/bin/sh -c 'npm test'", "bash -ec 'npm test'", "find src -exec wc -l {} +", "find src | xargs wc -l"} {
		if v := w.decides(t, "npm test|find *|wc *", line); v != Allow {
			t.Errorf("%s: %s", line, v)
		}
	}
	for _, line := range []string{
		"exec npm test", "eval 'npm test'", "trap 'npm test' EXIT", "builtin npm test", "noglob npm test", "nocorrect npm test", "find src -exec npm test ';'",
		"echo x | xargs npm test", "sudo npm test", "strace npm test", "fish -c 'npm test'", "ssh h npm test", "watch npm test", "parallel npm test ::: x",
	} {
		if v := w.decides(t, "npm test|find src|echo x", line); v != Ask {
			t.Errorf("%s: %s", line, v)
		}
	}
}

// A rule that refuses may name a wrapper by its path, as the line does; one that allows says
// no more by it.
func TestWrappersByPath(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		pattern, line string
		deny          bool
	}{
		{"/usr/bin/nice *", "/usr/bin/nice -n 5 npm test", true},
		{"/usr/bin/nice *", "nice npm test", false},
		{"/usr/bin/nice npm test", "/usr/bin/nice npm test", true},
		{"nice *", "/usr/bin/nice npm test", true},
		{"re:/usr/bin/nice .*", "/usr/bin/nice npm test", true},
		{"re:nice .*", "/usr/bin/nice npm test", true},
		{"*/nice *", "/usr/bin/nice npm test", true},
		{"/USR/bin/NICE *", "/usr/bin/nice npm test", true},
		{"/opt/nice *", "/usr/bin/nice npm test", false},
		{"/bin/sh *", "/bin/sh -c 'npm test'", true},
		{"/bin/sh -c npm *", "/bin/sh -c 'npm test'", true},
		{"/bin/sh *", "sh -c 'npm test'", false},
		{"/bin/sh *", "timeout 5 /bin/sh -ec 'echo x; nice npm test'", true},
		{"timeout /bin/sh *", "timeout 5 /bin/sh -c 'npm test'", true},
		{"/usr/bin/uv run *", "/usr/bin/uv run npm test", true},
		{"/usr/bin/uv run npm test", "/usr/bin/uv run npm test", true},
		{"zsh-5.9 *", "zsh-5.9 -c 'npm test'", true},
		{"/usr/bin/nice *", `for x in nice /usr/bin/nice; do timeout 5 "$x" npm test; done`, true},
	} {
		a := judge(t, set(t, rule(Allow, "Bash", "command", "npm test|echo x"), rule(Deny, "Bash", "command", c.pattern)), w.trusted(t, c.line))
		if want := map[bool]Verdict{true: Deny, false: Allow}[c.deny]; a.Verdict != want {
			t.Errorf("%s denied by %s: %s, want %s (%s)", c.line, c.pattern, a.Verdict, want, a.Reason)
		}
		if v := w.decides(t, c.pattern, c.line); v != Ask && c.pattern != c.line {
			t.Errorf("%s allowed by %s: %s", c.line, c.pattern, v)
		}
	}
}

// A rule that spells out a runner and its program says less than one about the program.
func TestRunnersSpelledOut(t *testing.T) {
	w := newWorld(t)
	for _, front := range []string{"bundle exec", "poetry run", "pipenv run", "hatch run", "pdm run", "rye run", "uv run"} {
		if v := w.decides(t, front+" pytest *", front+" pytest -q"); v != Allow {
			t.Errorf("%s pytest -q: %s", front, v)
		}
	}
	if v := w.decides(t, "nice pytest *", "nice pytest -q"); v != Ask {
		t.Errorf("nice pytest -q: %s", v)
	}
}

// A parameter that changes nothing about what a line means needs no word in a rule. Any
// other does.
func TestParametersBesideALine(t *testing.T) {
	w := newWorld(t)
	npm := set(t, rule(Allow, "*", "command", "npm *"))
	verdict := func(tool, key string, value any) Verdict {
		return judge(t, npm, Prepare(w.question(t, tool, map[string]any{"command": "npm test", key: value}))).Verdict
	}
	for _, key := range []string{
		"description", "timeout", "timeout_ms", "run_in_background", "is_background", "persistent", "yield_time_ms", "max_output_tokens",
		"max_output_chars", "justification", "wait_for_previous", "delay_ms", "max_events", "idle_timeout_ms", "tty", "login",
	} {
		if v := verdict("Bash", key, true); v != Allow {
			t.Errorf("%s: %s", key, v)
		}
	}
	for _, key := range []string{"workdir", "cwd", "dir", "directory", "dir_path"} {
		if v := verdict("Bash", key, "src"); v != Allow {
			t.Errorf("%s in the project: %s", key, v)
		}
		if v := verdict("Bash", key, "../shop-evil"); v != Ask {
			t.Errorf("%s outside of the project: %s", key, v)
		}
	}
	for _, key := range []string{"shell", "env", "sandbox", "Description", "dangerouslyDisableSandbox", "with_escalated_permissions"} {
		if v := verdict("Bash", key, "x"); v != Ask {
			t.Errorf("%s: %s", key, v)
		}
	}
	all := set(t, rule(Allow, "*"))
	for key, want := range map[string]Verdict{
		"dangerouslyX": Ask, "DangerouslyX": Ask, "with_escalated_permissions": Ask, "sandbox_permissions": Ask, "Sandbox_Permissions": Ask,
		"shell": Allow, "runs": Allow, "head": Allow, "unknown": Allow,
	} {
		if a := judge(t, all, Prepare(w.question(t, "Tool", map[string]any{key: "x"}))); a.Verdict != want {
			t.Errorf("%s of a tool that runs no line: %s", key, a.Verdict)
		}
	}
	for key, want := range map[string]Verdict{"runs": Ask, "head": Ask, "unknown": Ask, "typed": Allow, "source": Allow} {
		if a := judge(t, all, Prepare(w.question(t, "SlashCommand", map[string]any{key: "x"}))); a.Verdict != want {
			t.Errorf("%s of a typed command: %s", key, a.Verdict)
		}
	}
	two := map[string]any{"command": "npm test", "cwd": ".", "workdir": "."}
	if a := judge(t, npm, Prepare(w.question(t, "Bash", two))); a.Verdict != Ask || !strings.Contains(a.Reason, "more than one folder") {
		t.Errorf("two folders to start in: %s, %s", a.Verdict, a.Reason)
	}
}

// Each tool that runs command lines is read as one, by its own parameter.
func TestToolsThatRunLines(t *testing.T) {
	w := newWorld(t)
	for tool, param := range map[string]string{
		"Bash": "command", "Monitor": "command", "run_shell_command": "command", "Shell": "command", "shell": "command", "exec_command": "cmd",
	} {
		s := set(t, rule(Allow, "*", param, "npm *"))
		for line, want := range map[string]Verdict{"npm test": Allow, "npm test; rm x": Ask} {
			if a := judge(t, s, Prepare(w.question(t, tool, map[string]any{param: line}))); a.Verdict != want {
				t.Errorf("%s %s: %s, %s", tool, line, a.Verdict, a.Reason)
			}
		}
	}
	for _, tool := range []string{"AskUserQuestion", "ExitPlanMode"} {
		if a := judge(t, set(t, rule(Allow, "*")), Prepare(w.question(t, tool, map[string]any{}))); a.Verdict != Ask || !strings.Contains(a.Reason, "only you") {
			t.Errorf("%s: %s, %s", tool, a.Verdict, a.Reason)
		}
	}
}

// Parameters that hold paths are compared by where these lead.
func TestParametersThatHoldPaths(t *testing.T) {
	w := newWorld(t)
	for _, key := range []string{"file_path", "notebook_path", "path", "file", "dir", "directory", "cwd", "workdir", "paths", "old_path", "filePath"} {
		s := set(t, rule(Allow, "Tool", key, "src/**"), rule(Deny, "Tool", key, "/**/shop-evil/**"))
		for p, want := range map[string]Verdict{"src/x": Allow, "src/../x": Ask, "link/x": Deny} {
			if a := judge(t, s, Prepare(w.question(t, "Tool", map[string]any{key: p}))); a.Verdict != want {
				t.Errorf("%s %s: %s, %s", key, p, a.Verdict, a.Reason)
			}
		}
	}
	if a := judge(t, set(t, rule(Allow, "Tool", "text", "src/*")), Prepare(w.question(t, "Tool", map[string]any{"text": "src/../x"}))); a.Verdict != Allow {
		t.Errorf("a text: %s, %s", a.Verdict, a.Reason)
	}
}

// Temporary files lie outside of every project, and harm nobody's.
func TestTemporaryFiles(t *testing.T) {
	w := newWorld(t)
	w.place.Real = nil // this machine's temporary folder may itself be one of them
	w.place.Project, w.place.CWD, w.place.Home = "/home/ana/shop", "/home/ana/shop", "/home/ana"
	for file, want := range map[string]Verdict{
		"/tmp/x": Allow, "/var/tmp/x": Allow, "/private/tmp/x": Allow, "/private/var/tmp/x": Allow, "/dev/null": Allow, "x": Allow,
		"/var/x": Ask, "/private/x": Ask, "/home/ana/x": Ask, "/tmpx/x": Ask, "/dev/nullx": Ask, "../x": Ask,
	} {
		if v := w.decides(t, "cp *", "cp go.mod "+file); v != want {
			t.Errorf("%s: %s", file, v)
		}
	}
	w.place.Project, w.place.CWD = "/tmp/shop", "/tmp/shop"
	if v := w.decides(t, "cp *", "cp go.mod /tmp/other/x"); v != Ask {
		t.Errorf("beside a temporary project: %s", v)
	}
	if v := w.decides(t, "cp *", "cp go.mod /var/tmp/x"); v != Allow {
		t.Errorf("elsewhere than a temporary project: %s", v)
	}
}

// The built-in rule lets these tools look, and knows the settings of each agent.
func TestBuiltinTools(t *testing.T) {
	w := newWorld(t)
	verdict := func(tool string, input map[string]any) Verdict {
		q := w.question(t, tool, input)
		q.Trusted = true
		return judge(t, set(t), Prepare(q)).Verdict
	}
	for tool, param := range map[string]string{"Read": "file_path", "NotebookRead": "notebook_path", "LS": "path", "Grep": "path"} {
		if v := verdict(tool, map[string]any{param: "src/a.go"}); v != Allow {
			t.Errorf("%s: %s", tool, v)
		}
		if v := verdict(tool, map[string]any{param: "src/a.go", "file": "src/a.go"}); v != Ask {
			t.Errorf("%s with another file: %s", tool, v)
		}
		if v, want := verdict(tool, map[string]any{}), param == "path"; (v == Allow) != want {
			t.Errorf("%s of nothing: %s", tool, v)
		}
		if v, want := verdict(tool, map[string]any{param: ""}), param == "path"; (v == Allow) != want {
			t.Errorf("%s of an empty path: %s", tool, v)
		}
	}
	if v := verdict("Glob", map[string]any{"path": "src", "pattern": "*"}); v != Allow {
		t.Errorf("Glob: %s", v)
	}
	for _, tool := range []string{"TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "TaskOutput", "BashOutput", "ToolSearch"} {
		if v := verdict(tool, map[string]any{"x": "y"}); v != Allow {
			t.Errorf("%s: %s", tool, v)
		}
		if v := verdict(tool, map[string]any{"path": "src/a.go"}); v != Ask {
			t.Errorf("%s of a file: %s", tool, v)
		}
	}
	for _, dir := range []string{".claude", ".codex", ".gemini", ".qwen", ".cursor", ".copilot", ".opencode", ".aoctl", "src/.claude", ".CODEX"} {
		if err := os.MkdirAll(w.project+"/"+dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(w.project+"/"+dir+"/x", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for tool, input := range map[string]map[string]any{
			"Read": {"file_path": dir + "/x"}, "LS": {"path": dir}, "Glob": {"pattern": "*", "path": dir},
		} {
			if v := verdict(tool, input); v != Ask {
				t.Errorf("%s %v: %s", tool, input, v)
			}
		}
		if v := verdict("Glob", map[string]any{"pattern": dir + "/*"}); v != Ask {
			t.Errorf("Glob %s/*: %s", dir, v)
		}
	}
	if err := os.WriteFile(w.project+"/.claude.json", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if v := verdict("Read", map[string]any{"file_path": ".claude.json"}); v != Ask {
		t.Errorf("Read .claude.json: %s", v)
	}
	for _, pattern := range []string{".claude.js*", ".claude.?son", ".claude.json", ".c*", ".g*", ".q*", ".o*", ".a*", "src/.cl*", "{.x,.claude}", "../*", "src/../*", "/x", "~/x", "a~b", "", "secrets/../state/*"} {
		if v := verdict("Glob", map[string]any{"pattern": pattern}); v != Ask {
			t.Errorf("Glob %s: %s", pattern, v)
		}
	}
	for _, pattern := range []string{"*", "**/*.go", "*.{go,md}", ".x*", "src/*.go", "*claude*", "{a,b}/c", "a.b/{c,d}"} {
		if v := verdict("Glob", map[string]any{"pattern": pattern}); v != Allow {
			t.Errorf("Glob %s: %s", pattern, v)
		}
	}
}

// A shell that runs a line is known by the option for one.
func TestRunsItself(t *testing.T) {
	for via, want := range map[string]bool{"bash -c": true, "/bin/sh -ec": true, "bash x -c": false, "bash c": false, "bash -x": false, "perl -c": false} {
		if runsItself(via) != want {
			t.Errorf("%s: %t", via, !want)
		}
	}
}

// What a tool's folder makes of a relative path counts, not the session's folder.
func TestRiskInTheFolderOfTheTool(t *testing.T) {
	w := newWorld(t)
	for dir, want := range map[string]bool{w.project + "/.claude": true, w.project + "/src": false} {
		c := Prepare(w.question(t, "exec_command", map[string]any{"cmd": "rm settings.json", "workdir": dir}))
		if c.risk.Guarded != want {
			t.Errorf("%s: guarded %t", dir, c.risk.Guarded)
		}
	}
}

// In a project that is the home folder itself, going home does not leave it.
func TestHomeIsTheProject(t *testing.T) {
	w := newWorld(t)
	w.place.Home = w.project
	for line, want := range map[string]Verdict{"cd && ls": Allow, "cd ~ && ls": Allow, "cd ~/src && ls": Allow, "cd ~/.. && ls": Ask} {
		if v := w.decides(t, "ls", line); v != want {
			t.Errorf("%s: %s", line, v)
		}
	}
	w.place.CWD = w.root
	if v := w.decides(t, "cd *", "cd "+w.project); v != Allow {
		t.Errorf("into the project: %s", v)
	}
}

// A new folder that a copy makes holds no agent's settings that anybody looks at yet,
// unless the line goes there.
func TestCopyThatMakesAFolder(t *testing.T) {
	w := newWorld(t)
	if err := os.MkdirAll(w.project+"/there/src", 0o700); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]Verdict{
		"cp -r src new": Allow, "cp -r src there/new": Allow, "cp -r ./src ./new": Allow, "cp -a src src2": Allow, "cp -r .x new": Allow, "cp -r link src2": Allow,
		"cp -r src/ new": Allow, "cp -r src link": Ask, "cp -r src there": Ask, "cp -r src there/": Ask, "cp -r src/ there": Ask, "cp -r src/. there": Ask,
		"cp -r go there": Allow, "cp -r go there/": Allow, "cp -r src .new": Ask, "cp -r src there/.new": Ask, "cp -r src .": Ask, "cp -r src ..": Ask, "cp -r src ../new": Ask,
		"cp -r src $X": Ask, "cp -r src /tmp/new": Ask, "cp -r src ~/new": Ask,
		"cd there; cp -r src new": Ask, "cp -r src new; cd new": Ask, "chdir there; cp -r src new": Ask, "cp -r src new && pushd new": Ask, "cp -r src new && chdir new": Ask, "cp -r src new; popd": Ask, "popd; cp -r src new": Ask, "cp -r src new; ls": Allow,
	} {
		if v := w.decides(t, "cp *|cd *|chdir *|pushd *|popd|ls", line); v != want {
			t.Errorf("%s: %s, want %s", line, v, want)
		}
	}
}
