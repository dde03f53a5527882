package hookclient

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestArguments(t *testing.T) {
	t.Setenv("AOCTL_SOCKET", "/run/x.sock")
	t.Setenv(timeoutEnv, "")
	cwd, err := os.Getwd()
	must(t, err)
	for line, want := range map[string]settings{
		"claude":                                      {agent: "claude", console: address{socket: "/run/x.sock"}, timeout: 10 * time.Minute, atMost: 10 * time.Minute},
		"--timeout 90s claude":                        {agent: "claude", console: address{socket: "/run/x.sock"}, timeout: 90 * time.Second, atMost: 90 * time.Second},
		"claude --timeout=1h":                         {agent: "claude", console: address{socket: "/run/x.sock"}, timeout: time.Hour, atMost: time.Hour},
		"claude --timeout 10m --at-most 1h":           {agent: "claude", console: address{socket: "/run/x.sock"}, timeout: 10 * time.Minute, atMost: time.Hour},
		"claude --at-most=1h":                         {agent: "claude", console: address{socket: "/run/x.sock"}, timeout: 10 * time.Minute, atMost: time.Hour},
		"claude --timeout 2h --at-most 1h":            {agent: "claude", console: address{socket: "/run/x.sock"}, timeout: time.Hour, atMost: time.Hour},
		"codex --socket s --timeout 1m":               {agent: "codex", console: address{socket: cwd + "/s", pinned: true}, timeout: time.Minute, atMost: time.Minute},
		"--socket=/a/../b gemini-cli_2.x":             {agent: "gemini-cli_2.x", console: address{socket: "/b", pinned: true}, timeout: 10 * time.Minute, atMost: 10 * time.Minute},
		"gemini --gate":                               {agent: "gemini", console: address{socket: "/run/x.sock"}, timeout: 10 * time.Minute, atMost: 10 * time.Minute, gate: true},
		"qwen --timeout 10m --at-most 1h":             {agent: "qwen", console: address{socket: "/run/x.sock"}, timeout: 50 * time.Second, atMost: 50 * time.Second},
		"qwen":                                        {agent: "qwen", console: address{socket: "/run/x.sock"}, timeout: 50 * time.Second, atMost: 50 * time.Second},
		"qwen --timeout 20s --at-most 40s":            {agent: "qwen", console: address{socket: "/run/x.sock"}, timeout: 20 * time.Second, atMost: 40 * time.Second},
		"--help":                                      {help: true},
		"claude --what -h":                            {},
		"claude --socket /a --url http://localhost:1": {},
		"claude --socket /a --token-file /t":          {},
		"claude --token-file /t":                      {},
	} {
		got, err := parseArgs(strings.Fields(line))
		if want == (settings{}) {
			if err == nil {
				t.Errorf("%q is accepted as %+v", line, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%q becomes %+v, %v; want %+v", line, got, err, want)
		}
	}
}

func TestBadArgumentsRefuse(t *testing.T) {
	for line, words := range map[string]string{
		"":                     "the agent's name is missing; usage: aoctl hook",
		"claude codex":         `unexpected argument "codex"`,
		"claude --force":       `unknown flag "--force"`,
		"claude -x":            `unknown flag "-x"`,
		"claude --timeout":     "--timeout needs a value",
		"claude --timeout=":    "--timeout needs a value",
		"claude --socket=":     "--socket needs a value",
		"claude --url":         "--url needs a value",
		"claude --token-file=": "--token-file needs a value",
		"claude --timeout 600": `--timeout "600" is not a duration`,
		"claude --timeout -1s": `--timeout "-1s" is not a duration`,
		"claude --timeout 0s":  `--timeout "0s" is not a duration`,
		"claude --timeout 25h": `--timeout "25h" is not a duration`,
		"claude --at-most":     "--at-most needs a value",
		"claude --at-most 1":   `--at-most "1" is not a duration`,
		"claude --at-most 0s":  `--at-most "0s" is not a duration`,
		"claude --at-most 25h": `--at-most "25h" is not a duration`,
		"../../sessions":       `unknown agent "../../sessions"`,
		"..":                   `unknown agent ".."`,
		"a\rb":                 `unknown agent "a`,
	} {
		args := strings.Fields(line)
		if line == "a\rb" {
			args = []string{line}
		}
		wantRefused(t, runWith(t, &hook{}, args...), words)
	}
}

func TestHelpIsNoPermission(t *testing.T) {
	got := runWith(t, &hook{}, "--help")
	if got.code != exitRefused || got.stdout != "" || got.stderr != usage {
		t.Errorf("got %+v", got)
	}
}

func TestTimeoutFromTheEnvironment(t *testing.T) {
	for env, want := range map[string]time.Duration{
		"30": 30 * time.Second, "0.5": 500 * time.Millisecond, "1e-9": time.Millisecond, "86400": 24 * time.Hour,
		"0": 0, "-1": 0, "NaN": 0, "Inf": 0, "86401": 0, "10m": 0, "ten": 0,
	} {
		t.Setenv(timeoutEnv, env)
		got, err := parseTimeout("", false)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%s=%s means %s, %v; want %s", timeoutEnv, env, got, err, want)
		}
		if got, err = parseTimeout("5m", false); got != 5*time.Minute || err != nil {
			t.Errorf("the flag does not win over %s: %s, %v", env, got, err)
		}
	}
	t.Setenv(timeoutEnv, "ten")
	wantRefused(t, runWith(t, &hook{}, "claude"), timeoutEnv+`="ten" is not a number of seconds`)
}

func TestNoHomeRefuses(t *testing.T) {
	for _, name := range []string{"HOME", "AOCTL_HOME", "AOCTL_SOCKET", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, "")
	}
	wantRefused(t, runWith(t, &hook{}, "claude"), "HOME is not set; set HOME, AOCTL_HOME or AOCTL_SOCKET")
	if _, err := socketPath(""); !errors.Is(err, ErrInput) {
		t.Errorf("socketPath returned %v", err)
	}
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		10 * time.Minute: "10m", time.Hour: "1h", 90 * time.Second: "1m30s", 2 * time.Second: "2s", 60*time.Minute + time.Second: "1h0m1s",
	} {
		if got := shortDuration(d); got != want {
			t.Errorf("%s is written %q, want %q", d, got, want)
		}
	}
}

// The help fits a terminal of 80 columns.
func TestHelpFits(t *testing.T) {
	for line := range strings.Lines(usage) {
		if len(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
