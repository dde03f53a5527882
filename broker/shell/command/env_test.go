package command

import (
	"strings"
	"testing"
)

func TestAssignUnsure(t *testing.T) {
	for _, row := range []struct{ name, value, want string }{
		// Harmless even where programs see them.
		{"NODE_ENV", "test", "neutral"},
		{"CI", "true", "neutral"},
		{"FORCE_COLOR", "0", "neutral"},
		{"LC_ALL", "C", "neutral"},
		{"LANG", "en_US.UTF-8", "neutral"},
		{"TZ", "Europe/Berlin", "neutral"},
		{"GOOS", "linux", "neutral"},
		{"DEBUG", "app:*,lib/*", "neutral"},
		{"PYTHONUNBUFFERED", "1", "neutral"},
		{"GIT_TERMINAL_PROMPT", "0", "neutral"},
		{"npm_config_loglevel", "warn", "neutral"},
		// Unless the value leads to a file.
		{"LC_ALL", "/tmp/x", "exact"},
		{"LANG", "../x", "exact"},
		{"TZ", ":/tmp/x", "exact"},
		{"TZ", "/tmp/x", "exact"},
		{"NODE_ENV", "../../x", "exact"},
		// One value of theirs is harmless.
		{"PAGER", "cat", "neutral"},
		{"GIT_PAGER", "", "neutral"},
		{"GIT_PAGER", "less", "unsure"},
		{"EDITOR", "true", "neutral"},
		{"GIT_SEQUENCE_EDITOR", ":", "neutral"},
		{"GIT_EDITOR", "sh -c id", "unsure"},
		{"NODE_OPTIONS", "--max-old-space-size=4096", "neutral"},
		{"NODE_OPTIONS", "--require ./x", "unsure"},
		{"NODE_OPTIONS", "--max-old-space-size=1 --require x", "unsure"},
		// They decide what runs.
		{"PATH", "/tmp:/bin", "unsure"},
		{"IFS", "x", "unsure"},
		{"LD_PRELOAD", "x.so", "unsure"},
		{"DYLD_INSERT_LIBRARIES", "x", "unsure"},
		{"BASH_ENV", "x", "unsure"},
		{"ENV", "x", "unsure"},
		{"PROMPT_COMMAND", "id", "unsure"},
		{"PS4", "$(id)", "unsure"},
		{"GIT_SSH_COMMAND", "x", "unsure"},
		{"GIT_EXTERNAL_DIFF", "x", "unsure"},
		{"GIT_CONFIG_COUNT", "1", "unsure"},
		{"LESSOPEN", "|x", "unsure"},
		{"MANPAGER", "x", "unsure"},
		{"PYTHONSTARTUP", "x", "unsure"},
		{"PERL5OPT", "-Mx", "unsure"},
		{"RUBYOPT", "-rx", "unsure"},
		{"GOFLAGS", "-toolexec=x", "unsure"},
		{"CARGO_BUILD_RUSTC_WRAPPER", "x", "unsure"},
		{"RUSTC_WRAPPER", "x", "unsure"},
		{"MAKEFLAGS", "--eval=x", "unsure"},
		{"CC", "x", "unsure"},
		{"HOME", "/tmp", "unsure"},
		{"TMPDIR", "/tmp", "unsure"},
		{"XDG_CONFIG_HOME", "x", "unsure"},
		{"DOCKER_HOST", "x", "unsure"},
		{"KUBECONFIG", "x", "unsure"},
		{"AWS_CONFIG_FILE", "x", "unsure"},
		{"CDPATH", "x", "unsure"},
		{"ZDOTDIR", "x", "unsure"},
		{"http_proxy", "x", "unsure"},
		{"HTTPS_PROXY", "x", "unsure"},
		{"NPM_CONFIG_SCRIPT_SHELL", "x", "unsure"},
		{"npm_config_script_shell", "x", "unsure"},
		{"fpath", "x", "unsure"},
		{"functions", "x", "unsure"},
		{"TAR_OPTIONS", "--to-command=x", "unsure"},
		{"RIPGREP_CONFIG_PATH", "x", "unsure"},
		{"a b", "x", "unsure"},
		{"", "x", "unsure"},
		// Of these, and of those that nobody knows, the whole command must be named.
		{"PYTHONPATH", "src", "exact"},
		{"PYTHONPATH", "/tmp", "unsure"},
		{"PYTHONPATH", "a:../b", "unsure"},
		{"AWS_PROFILE", "x", "exact"},
		{"GIT_AUTHOR_NAME", "x", "exact"},
		{"FOO", "x", "exact"},
		{"foo", "x", "exact"},
	} {
		exact, unsure := Setting(row.name, row.value, true)
		if got := toldAssign(exact, unsure); got != row.want {
			t.Errorf("export %s=%s: %s, want %s", row.name, row.value, got, row.want)
		}
	}
}

// Without export, only names that the environment may hold already matter.
func TestAssignWithoutExport(t *testing.T) {
	for _, row := range []struct{ name, want string }{
		{"foo", "neutral"},
		{"fooBar", "neutral"},
		{"FOO", "neutral"},
		{"VERSION", "neutral"},
		{"OUT_DIR", "neutral"},
		{"PATH", "unsure"},
		{"path", "unsure"},
		{"IFS", "unsure"},
		{"GIT_DIR", "unsure"},
		{"EDITOR", "unsure"},
		{"BASH_ENV", "unsure"},
		{"MY_TOOL_OPTIONS", "exact"},
		{"FOO_WRAPPER", "exact"},
		{"my_tool_options", "neutral"},
	} {
		exact, unsure := Setting(row.name, "x", false)
		if got := toldAssign(exact, unsure); got != row.want {
			t.Errorf("%s=x: %s, want %s", row.name, got, row.want)
		}
	}
}

// No name is both harmless and in a list of those that matter.
func TestVariableLists(t *testing.T) {
	for name := range harmlessVariables.All() {
		if _, both := dangerousNames()[name]; both {
			t.Errorf("%s is in two lists", name)
		}
		if strings.HasSuffix(name, "PATH") || strings.HasSuffix(name, "OPTIONS") {
			t.Errorf("%s does not sound harmless", name)
		}
	}
}

func toldAssign(exact, unsure string) string {
	switch {
	case unsure != "":
		return "unsure"
	case exact != "":
		return "exact"
	}
	return "neutral"
}

func TestNamesThatMayBeExported(t *testing.T) {
	for _, name := range strings.Fields("X_OPTS X_OPTIONS X_FLAGS X_EDITOR X_PAGER X_COMMAND X_PROXY X_PRELOAD X_ASKPASS X_WRAPPER") {
		if !maybeExported(name) || maybeExported(strings.ToLower(name)) || maybeExported(name+"X") {
			t.Error(name)
		}
	}
}
