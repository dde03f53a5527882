package install

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// operatorToken begins every token that allows.
const operatorToken = "aoctl_op_" // #nosec G101 -- a prefix, not a token

// steering says what a variable can do to a gate when it stands in an agent's settings;
// "" for one that leaves it alone.
func steering(name string) string {
	for _, s := range []struct{ what, names string }{
		{"where a hook asks, and with which token", "AOCTL_* XDG_RUNTIME_DIR XDG_STATE_HOME HOME"},
		{"how long a hook waits", "AGENT_ORCHESTRATOR_APPROVAL_TIMEOUT"},
		{"which programs run in place of others", "PATH SHELL CLAUDE_CODE_SHELL CLAUDE_CODE_SHELL_PREFIX CLAUDE_CODE_SHELL_LAUNCHER_SCRIPT"},
		{"what is loaded into the shell that runs a hook", "LD_* DYLD_* GCONV_PATH BASH_ENV ENV BASH_FUNC_* SHELLOPTS BASHOPTS ZDOTDIR"},
		{"what is loaded into Claude Code", "NODE_OPTIONS NODE_PATH BUN_OPTIONS BUN_INSPECT_PRELOAD"},
		{"which settings and hooks Claude Code reads", "CLAUDE_CONFIG_DIR CLAUDE_CODE_SIMPLE CLAUDE_CODE_SAFE_MODE CLAUDE_CODE_RESTRICTED " +
			"CLAUDE_CODE_RESTRICT_PERSONAL_CONFIG CLAUDE_CODE_PERSONAL_HOOKS_OFF CLAUDE_CODE_PERSONAL_CONFIG_FIX CLAUDE_CODE_MANAGED_SETTINGS_PATH " +
			"CLAUDE_CODE_REMOTE_SETTINGS_PATH CLAUDE_CODE_MCP_SERVE_SETTINGS CLAUDE_CODE_DISABLE_ADMIN_ENV_UNION CLAUDE_CODE_*HOOK*"},
		{"which agent, and which project, a hook says it is for", "CLAUDECODE CLAUDE_PID CLAUDE_PROJECT_DIR CLAUDE_CODE_SESSION_ID CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ATTENDED " +
			"GEMINI_* QWEN_CODE* COPILOT_CLI OPENCODE CURSOR_VERSION"},
	} {
		if slices.ContainsFunc(strings.Fields(s.names), func(pattern string) bool { return fitsName(pattern, name) }) {
			return s.what
		}
	}
	return ""
}

// fitsName matches name with NAME, BEGIN* or BEGIN*MIDDLE*.
func fitsName(pattern, name string) bool {
	first, rest, open := strings.Cut(pattern, "*")
	if !open {
		return name == pattern
	}
	middle := strings.TrimSuffix(rest, "*")
	after, ok := strings.CutPrefix(name, first)
	return ok && strings.Contains(after, middle)
}

// claudeEnvironment looks at what settings set for Claude Code and its hooks: a repository
// can bring such a file. In a project's file whatever steers a gate fails, in the user's
// own it is said; an operator token fails in any.
func (c *checker) claudeEnvironment(files []*claudeFile) {
	seen, found := 0, 0
	for _, f := range files {
		if f.doc == nil {
			c.claudeUnreadVariables(f)
			continue
		}
		env := f.doc.Root.Member("env")
		if env == nil || env.Kind != jsonc.ObjectKind {
			continue
		}
		for i, v := range env.Items {
			seen++
			if c.claudeVariable(f, env.Keys[i].Name, v) {
				found++
			}
		}
	}
	if seen > 0 && found == 0 {
		c.add(OK, "variables", "", "%s in the settings, none of which steers a gate", count(seen, "variable"))
	}
}

// claudeUnreadVariables speaks up for a project's file that is no strict JSON and may set
// variables: a key that stands twice, for instance, Claude Code may read all the same.
func (c *checker) claudeUnreadVariables(f *claudeFile) {
	may := bytes.Contains(f.data, []byte(`"env"`)) || bytes.Contains(f.data, []byte(`\u`))
	if may && (f.shared || f.name == "local") {
		c.add(Fail, "variables", "correct the file by hand", "%s: which variables it sets cannot be told, and Claude Code may read it otherwise", f.path)
	}
}

// claudeVariable reports a variable of f that matters. Its value is not shown: it may be
// a secret.
func (c *checker) claudeVariable(f *claudeFile, name string, v *jsonc.Node) bool {
	line, _ := jsonc.Locate(f.doc.Src, v.Start)
	cure := "take " + shorten(name) + " out of " + f.path
	if strings.Contains(v.String(), operatorToken) {
		c.add(Fail, "variables", cure+", and revoke the token in the console (r, t, x)",
			"%s:%d: %s holds an operator token: with it the agent can allow its own calls", f.path, line, shorten(name))
		return true
	}
	what := steering(name)
	switch {
	case what == "":
		return false
	case f.shared || f.name == "local":
		c.add(Fail, "variables", cure, "%s:%d: the project sets %s, and so %s", f.path, line, shorten(name), what)
	default:
		c.add(Warn, "variables", "see that you meant it, or "+cure, "%s:%d sets %s, and so %s", f.path, line, shorten(name), what)
	}
	return true
}
