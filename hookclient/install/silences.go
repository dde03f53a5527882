package install

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// silencers are members of Claude Code's settings that keep installed hooks from running.
var silencers = []string{"disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization"}

// Silences says why a settings file of Claude Code must not take effect while aoctl guards
// it: it switches hooks off, sets a variable that steers a gate, or cannot be read as
// strict JSON, which Claude Code may read otherwise. "" is nothing of the kind.
//
// It is asked before a session reads changed settings, and again for the files of projects that
// are worked in. A value that is odd counts as one that switches off.
func Silences(settings []byte) string {
	if len(strings.TrimSpace(string(settings))) == 0 {
		return ""
	}
	// Claude Code reads some texts that strict JSON is not, so a text that cannot be read here
	// may still say anything.
	d, err := ParseClaude(settings)
	if err != nil || d.Root.Kind != jsonc.ObjectKind {
		return "it is not strict JSON, so aoctl cannot tell what it sets"
	}
	for _, name := range silencers {
		if v := d.Root.Member(name); v != nil && (v.Kind != jsonc.BoolKind || v.Text != "false") {
			return name + " in it switches hooks off"
		}
	}
	env := d.Root.Member("env")
	switch {
	case env == nil:
		return ""
	// An odd kind is not passed over: what Claude Code makes of it is not known.
	case env.Kind != jsonc.ObjectKind:
		return "aoctl cannot tell which variables it sets"
	}
	for _, k := range env.Keys {
		if what := Steers(k.Name); what != "" {
			return "its variable " + machine.Shorten(k.Name) + " sets " + what
		}
	}
	return ""
}

// ProgramsIn are the programs that hooks of aoctl in a settings file of an agent run, as
// absolute paths; none when the file cannot be read, or is no settings file: too large, or
// not text. It is for finding aoctl's own files, which calls must not change unasked.
func ProgramsIn(file string) []string {
	data, err := machine.ReadBounded(file, MaxSettings)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return nil
	}
	var list []string
	for _, a := range agents() {
		for _, path := range a.programs(data) {
			if filepath.IsAbs(path) && !slices.Contains(list, path) {
				list = append(list, path)
			}
		}
	}
	return list
}

// programs are what hooks of ours for this agent run in data.
func (a agent) programs(data []byte) []string {
	if a.plugin != nil {
		return a.plugin.programs(data)
	}
	d, err := a.document(data)
	if err != nil {
		return nil
	}
	var list []string
	hooks := d.Root.Member("hooks")
	for i := 0; hooks != nil && i < len(hooks.Items); i++ {
		for _, group := range hooks.Items[i].Children("") {
			for _, handler := range a.handlers(group) {
				if path := a.programOf(handler); path != "" {
					list = append(list, path)
				}
			}
		}
	}
	return list
}

// programOf is what a handler of ours runs, "" when it is not ours.
func (l layout) programOf(handler *jsonc.Node) string {
	if !l.isOurs(handler) {
		return ""
	}
	return hookline.ProgramOf(handler.Member(l.line).Text, l.agent)
}

// UserFiles are the settings of the user's own in which hooks would be installed, one for
// each agent whose folder is known.
func UserFiles() []string {
	var list []string
	for _, a := range agents() {
		if dir, err := a.home(); err == nil {
			list = append(list, filepath.Join(dir, a.settings().File))
		}
	}
	return list
}

// Steers says what a variable can do to a gate when it stands in an agent's settings;
// "" for one that leaves it alone. Names are patterns: BEGIN* for all that begin so. The list is
// of what was seen to matter, agent by agent.
func Steers(name string) string {
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
