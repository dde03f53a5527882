package risk

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/shell"
)

func TestGuarded(t *testing.T) {
	for path, want := range map[string]bool{
		".claude": true, ".claude/settings.json": true, "/home/u/.claude/settings.local.json": true, "~/.claude.json": true,
		".Claude/Settings.json": true, ".CLAUDE": true, ".\u200cclaude/x": true, "managed-\u017fettings.json": true, ".codex/hooks.json": true,
		"sub/.gemini/settings.json": true, "~/.qwen": true, ".cursor/hooks.json": true, "~/.copilot/x": true, ".opencode/x": true,
		".aoctl/rules.toml": true, ".mcp.json": true, "managed-settings.json": true, "/etc/claude-code/managed-settings.d/x.json": true,
		".github/hooks/x.json": true, ".github/workflows/x.yml": false, "opencode.json": true,
		"CLAUDE.md": false, "AGENTS.md": false, "claude/x": false, "src/claude.go": false, ".clauderc": false, "docs/aoctl.md": false,
		"/home/u/.local/state/aoctl/aoctl.db": true, "/home/u/.local/state": true, "/home/u": true, "/": true,
		"/run/user/1000/aoctl/broker.sock": true, "/opt/tools/aoctl": true, "/opt/tools": true, "/opt/tools/aoctl2": false,
		"/home/u/.local/state/aoctl-other": false, "../../.claude/x": true, "rules": true, "link/../.claude": true,
		"/home/u/src/app": false, "src": false, "": false, ".cl*": true, ".c?aude/x": true, "*": false,
	} {
		if got := Guarded(path, place()); got != want {
			t.Errorf("Guarded(%q) = %v", path, got)
		}
	}
}

// A worktree that an agent keeps below its own folder is a project like any other; its
// settings are guarded all the same.
func TestGuardedWorktrees(t *testing.T) {
	for _, c := range []struct {
		project, path string
		want          bool
	}{
		{"/w/repo/.claude/worktrees/a", "main.go", false},
		{"/w/repo/.claude/worktrees/a", ".claude/settings.json", true},
		{"/w/repo/.claude/worktrees/a", "../../settings.json", true},
		{"/w/repo/.claude", "settings.json", true},
		{"/w/repo/.claude/hooks", "check.sh", true},
		{"/home/u/.config/aoctl", "config.toml", true},
	} {
		if got := Guarded(c.path, Place{CWD: c.project, Project: c.project, Home: "/home/u"}); got != c.want {
			t.Errorf("%s in %s: %v", c.path, c.project, got)
		}
	}
	// The names of a path are the same for the questions that come after this one.
	j := newResolver(Place{Project: "/w/repo/.claude/worktrees/a"})
	at := j.resolve("/w/repo/.claude/worktrees/a/x", spot{})
	if _, yes := j.guarded(at, false, false); yes || strings.Join(at.forms[0].Names, "/") != "w/repo/.claude/worktrees/a/x" {
		t.Errorf("guarded %t, and the names are %q", yes, at.forms[0].Names)
	}
}

// aoctl's own files may lie in the project; reading the project's folder is fine then,
// deleting it is not.
func TestOwnFilesInTheProject(t *testing.T) {
	at := place()
	at.Own = []string{"/home/u/src/app/bin/aoctl"}
	for _, c := range []struct {
		e    shell.Element
		want bool
	}{
		{tree(read(".")), false},
		{tree(read("bin")), true},
		{read("bin"), false},
		{read("bin/aoctl"), true},
		{read("BIN/AOCTL"), true},
		{tree(remove(".")), true},
		{tree(remove("bin")), true},
		{remove("bin/*"), true},
		{remove("bin"), true},
		{tree(remove("src")), false},
		{write("bin/aoctl"), true},
	} {
		if r := Assess(Call{Tool: "Bash", Line: lineOf(c.e)}, at); r.Guarded != c.want {
			t.Errorf("%s: guarded %v", c.e.Text, r.Guarded)
		}
	}
}

func TestGuardedCalls(t *testing.T) {
	for name, r := range map[string]Risk{
		"redirection":    assessLine(write("/home/u/.claude/settings.json")),
		"read":           assessLine(read(".claude/settings.json")),
		"variable":       assessLine(set1("AOCTL_SOCKET", "/tmp/x")),
		"agent's":        assessLine(set1("CLAUDE_CONFIG_DIR", "/tmp/x")),
		"kill":           assessLine(run("pgrep -f aoctl"), run("kill ''")),
		"kill by xargs":  assessLine(piped(1, run("pgrep aoctl")), via(piped(-1, run("kill")), "xargs")),
		"rules":          assessLine(run("aoctl rules add --allow x")),
		"write tool":     assessTool("Write", `{"file_path":"/home/u/src/app/.claude/settings.json","content":""}`),
		"own settings":   assessTool("Write", `{"file_path":"~/.config/aoctl/config.toml","content":"observe = true"}`),
		"edit of them":   assessTool("Edit", `{"file_path":"/home/u/.config/aoctl/config.toml"}`),
		"by redirection": assessLine(write("/home/u/.config/aoctl/config.toml")),
		"their folder":   assessLine(remove("/home/u/.config/aoctl")),
		"edit tool":      assessTool("Edit", `{"file_path":".mcp.json"}`),
		"read tool":      assessTool("Read", `{"file_path":"~/.claude/settings.json"}`),
		"blanks":         assessTool("Write", `{"file_path":" /home/u/.claude/settings.json "}`),
		"grep tool":      assessTool("Grep", `{"pattern":"x","path":"/home/u/.local"}`),
		"glob tool":      assessTool("Glob", `{"pattern":".claude/**"}`),
		"unknown":        assessTool("mcp__fs__read_file", `{"args":{"path":["/home/u/.codex/config.toml"]}}`),
		"uri":            assessTool("mcp__fs__read", `{"uri":"file:///home/u/.claude.json"}`),
		"patch":          assessTool("apply_patch", `{"input":"*** Begin Patch\n*** Update File: .codex/hooks.json\n+x"}`),
		"not parsed":     Assess(Call{Tool: "Bash", Line: &shell.Line{Raw: "echo x > .claude/settings.json '"}}, place()),
	} {
		if !r.Guarded || r.Class != Dangerous || !r.Findings[0].Guarded {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, r := range map[string]Risk{
		"instructions": assessTool("Edit", `{"file_path":"/home/u/src/app/CLAUDE.md"}`),
		"kill":         assessLine(run("kill 12")),
		"kill a child": assessLine(run("pgrep node"), run("kill ''")),
		"a search":     assessLine(piped(1, run("ps ax")), piped(-1, run("grep aoctl"))),
		"a look":       assessLine(run("pgrep aoctl"), run("ls")),
		"variable":     assessLine(set1("AO", "1")),
		"prose":        assessTool("mcp__x__note", `{"text":"see .claude for settings"}`),
	} {
		if r.Guarded {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// What Claude Code writes down in plan mode is words for people: its file is one outside the project
// like any other. All else beside it stays guarded, and so does what is not surely such a file.
func TestAPlanIsNoSettings(t *testing.T) {
	for path, want := range map[string]bool{
		"/home/u/.claude/plans/blue-owl.md":           false,
		"~/.claude/plans/blue-owl.md":                 false,
		"/home/u/.Claude/Plans/blue-owl.MD":           false,
		"/home/u/.claude/plans/../settings.json":      true,
		"/home/u/.claude/plans/blue-owl.json":         true,
		"/home/u/.claude/plans/a/blue-owl.md":         true,
		"/home/u/.claude/plans/*.md":                  true,
		"/home/u/.claude/plans":                       true,
		"/home/u/.claude/commands/blue-owl.md":        true,
		"/home/u/src/app/.claude/plans/blue-owl.md":   true,
		"/home/u/.claude/x/.claude/plans/blue-owl.md": true,
	} {
		if got := Guarded(path, place()); got != want {
			t.Errorf("Guarded(%q) = %v", path, got)
		}
	}
	check(t, assessTool("Write", `{"file_path":"/home/u/.claude/plans/blue-owl.md","content":"# Plan"}`), Normal, "writes outside the project")
	linked := place()
	linked.Real = func(p string) (string, error) {
		if p == "/home/u/.claude/plans/blue-owl.md" {
			return "/home/u/.claude/settings.json", nil
		}
		return p, nil
	}
	if !Guarded("/home/u/.claude/plans/blue-owl.md", linked) {
		t.Error("a plan's name that leads to settings is not guarded")
	}
}

// A skill or a command of an agent may be read like any file; what sets how the agent works may not, and
// nothing there may be changed.
func TestReadingAnAgentsFolder(t *testing.T) {
	for line, guarded := range map[string]bool{
		"ls .claude": false, "ls -la .claude/": false, "cat .claude/commands/x.md": false, "sed -n 1,5p .claude/skills/x/SKILL.md": false, "wc -l .cursor/rules/x.mdc": false,
		"cat .claude/settings.json": true, "cat .claude/settings.local.json": true, "cat .mcp.json": true, "cat .codex/config.toml": true, "grep -rn x .claude": true, "cat .claude/*.md": true,
		"ls .aoctl": true, "cat ~/.claude/commands/x.md": true, "cat ../other/.claude/x.md": true,
		"sed -i s/a/b/ .claude/commands/x.md": true, "tee .claude/x.md": true, "foo .claude/x.md": true, "rm .claude/commands/x.md": true, "sort -o .claude/x.md a": true, "ls > .claude/x.md": true,
	} {
		if r := assessText(line); r.Guarded != guarded {
			t.Errorf("%s: guarded %v, %s", line, r.Guarded, r.Why)
		}
	}
}

// What Claude Code checks out in its folder is read as the project is, and its own settings there are guarded.
func TestReadingAWorktree(t *testing.T) {
	for line, guarded := range map[string]bool{
		"cat .claude/worktrees/fix-1.2/src/a.go": false, "ls .claude/worktrees/fix-1.2": false, "grep -rn x .claude/worktrees/a/src": false, "cat .claude/worktrees/a/package.json": false,
		"cat .claude/worktrees/a/.claude/settings.json": true, "cat .claude/worktrees/a/.mcp.json": true, "cat .claude/worktrees/a/../../settings.json": true, "grep -rn x .claude/worktrees": true,
		"cat ../other/.claude/worktrees/a/b.go": true, "cat .codex/worktrees/a/b.go": true, "touch .claude/worktrees/a/b.go": true, "rm -r .claude/worktrees/a": true, "ls > .claude/worktrees/a/b.go": true,
	} {
		if r := assessText(line); r.Guarded != guarded {
			t.Errorf("%s: guarded %v, %s", line, r.Guarded, r.Why)
		}
	}
	for file, private := range map[string]bool{".claude/worktrees/a/src/b.go": false, ".claude/worktrees/a/src": false, ".claude/worktrees/a/.claude/settings.json": true, ".claude/worktrees": true} {
		if Private(file, place()) != private {
			t.Errorf("%s: private %v", file, !private)
		}
	}
}

// A tool that reads a file may read such a text; a folder it may go through, so that is none.
func TestPrivate(t *testing.T) {
	at := place()
	for file, private := range map[string]bool{
		".claude/commands/x.md": false, ".claude/skills/x/run.PY": false, "src/a.go": false,
		".claude": true, ".claude/skills": true, ".claude/settings.json": true, ".mcp.json": true, ".aoctl/x.md": true, "~/.claude/x.md": true, "../other/.claude/x.md": true, ".claude/*.md": true,
	} {
		if Private(file, at) != private {
			t.Errorf("%s: private %v", file, !private)
		}
	}
}
