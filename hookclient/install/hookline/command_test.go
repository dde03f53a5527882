package hookline

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/aoctl/aoctl/broker/brokertest/seeded" // rapid draws the same in every run
	"github.com/aoctl/aoctl/hookclient/profile"
)

var testProgram = Program{Path: "/home/ana o'neil/.local/bin/aoctl-hook"}

func TestIsOurs(t *testing.T) {
	const guard = "{ echo 'aoctl: hook client failed, call refused' >&2; exit 2; }"
	for command, want := range map[string]bool{
		testProgram.Gate("claude", time.Minute):    true,
		testProgram.Watch("claude", time.Minute):   true,
		"aoctl hook claude":                        true,
		"/usr/bin/aoctl hook claude --timeout 10m": true,
		"aoctl-hook claude":                        true,
		"/usr/bin/aoctl hook claude || " + guard:   true,
		"{ aoctl hook claude || " + guard + "; }":  true,
		"/opt/renamed hook claude || " + guard:     true,
		"/opt/renamed claude || " + guard:          true,
		"{ /opt/renamed claude" + gateGuard + shut: true,
		`"/opt/with blank/aoctl" hook claude`:      true,
		`/opt/with\ blank/aoctl-dev hook claude`:   true,
		"":                                         false,
		"aoctl":                                    false,
		"aoctl hook":                               false,
		"aoctl hook codex":                         false,
		"aoctl-hook codex":                         false,
		"aoctl log":                                false,
		"/opt/renamed hook claude":                 false,
		"echo claude":                              false,
		"aoctl hook claude; rm -rf ~":              false,
		"aoctl hook claude && say done":            false,
		"aoctl hook claude | tee log":              false,
		"aoctl hook claude > log":                  false,
		"tee log | aoctl hook claude":              false,
		"aoctl hook $AGENT":                        false,
		"aoctl hook \"`id`\"":                      false,
		"aoctl hook 'claude":                       false,
		"{ aoctl hook claude":                      false,
		"FOO=1 aoctl hook claude":                  false,
		"say done || " + guard:                     false,
		"{ '/x/aoctl-hook' claude || " + guard + "; } && say done; }":  false,
		"{ '/x/aoctl-hook' claude || { echo 'mine' >&2; exit 2; }; }":  false,
		"{ '/x/aoctl-hook' claude\n|| : 'aoctl only observes here'; }": false,
	} {
		if got := IsOurs(command, "claude"); got != want {
			t.Errorf("IsOurs(%q) = %v, want %v", command, got, want)
		}
	}
}

// A line that leaves calls to the agent's prompt is recognised, and written again as it was.
func TestAskDownLine(t *testing.T) {
	p := testProgram
	p.AskDown = true
	line := p.Gate("claude", time.Minute)
	l, ok := Read(line, "claude")
	if !ok || !l.AskDown || !IsOurs(line, "claude") || l.Program().Gate("claude", l.Timeout) != line {
		t.Errorf("%s is read as %+v", line, l)
	}
	for _, strict := range []string{p.Strict().Gate("claude", time.Minute), p.Watch("claude", time.Minute), p.Prompt("claude", time.Minute, []string{"--x"})} {
		if strings.Contains(strict, "--on-down") {
			t.Errorf("%s has nothing to leave to a prompt", strict)
		}
	}
}

// Whatever a folder is called, the shell runs the program in it with the words meant,
// and the line is recognised again.
func TestCommandRunsUnderShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	parent, count := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringOfN(rapid.RuneFrom([]rune("a '\"\\$`!*?;&|<>(){}#~\n\té-")), 1, 12, -1).Draw(rt, "folder")
		count++
		path := filepath.Join(parent, strconv.Itoa(count), name, "aoctl-hook")
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			rt.Fatal(err)
		}
		if err = os.WriteFile(path, []byte("#!/bin/sh\necho \"$#:$*\"\n"), 0o700); err != nil {
			rt.Fatal(err)
		}
		p := Program{Path: path}
		for _, command := range []string{p.Gate("claude", time.Hour), p.Watch("claude", time.Hour)} {
			out, err := exec.CommandContext(t.Context(), sh, "-c", command).CombinedOutput()
			if err != nil || string(out) != "3:claude --timeout 1h0m0s\n" {
				rt.Fatalf("%s: %v, %q", command, err, out)
			}
			if !IsOurs(command, "claude") {
				rt.Fatalf("not recognised: %s", command)
			}
		}
	})
}

// What the agent sees of a client that fails, in both shapes, under every shell here.
func TestCommandFailures(t *testing.T) {
	for _, shell := range []string{"sh", "dash", "bash", "zsh", "busybox"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		argv := []string{path, "-c"}
		if shell == "busybox" {
			argv = []string{path, "sh", "-c"}
		}
		for name, tc := range map[string]struct {
			body        string // of the client; "" for none
			gate, watch int    // exit codes
			stdout      string
		}{
			"answers": {"echo '{}'", 0, 0, "{}\n"},
			"fails":   {"exit 1", 2, 0, ""},
			"refuses": {"echo 'aoctl: it says so, call refused' >&2; exit 2", 2, 0, ""},
			"killed":  {"kill -9 $$", 2, 0, ""},
			"missing": {"", 2, 0, ""},
		} {
			t.Run(shell+" "+name, func(t *testing.T) {
				p := Program{Path: filepath.Join(t.TempDir(), "aoctl-hook")}
				if tc.body != "" {
					if err := os.WriteFile(p.Path, []byte("#!/bin/sh\n"+tc.body+"\n"), 0o700); err != nil {
						t.Fatal(err)
					}
				}
				for command, want := range map[string]int{
					p.Gate("claude", time.Minute):  tc.gate,
					p.Watch("claude", time.Minute): tc.watch,
				} {
					var stdout, stderr strings.Builder
					run := exec.CommandContext(t.Context(), argv[0], append(slices.Clone(argv[1:]), command)...)
					run.Stdout, run.Stderr = &stdout, &stderr
					_ = run.Run() // the exit code is looked at
					if got := run.ProcessState.ExitCode(); got != want || stdout.String() != tc.stdout {
						t.Errorf("%s: exit %d, stdout %q; want %d, %q", command, got, stdout.String(), want, tc.stdout)
					}
					if want == 2 && strings.Count(stderr.String(), "call refused") != 1 {
						t.Errorf("%s: want one reason: %q", command, stderr.String())
					}
				}
			})
		}
	}
}

// What an agent is left with when a signal ends its hook: the line's own shell dies, or all
// of the hook is asked to end, before and after the client has answered.
func TestDeathOfTheLine(t *testing.T) {
	for _, shell := range []string{"sh", "dash", "bash", "zsh", "busybox"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		argv := []string{path, "-c"}
		if shell == "busybox" {
			argv = []string{path, "sh", "-c"}
		}
		for _, agent := range []string{"codex", "gemini", "qwen"} {
			for name, body := range map[string]string{
				"shell killed":      "kill -9 $PPID",
				"shell ended":       "kill -TERM $PPID; exit 2",
				"shell hung up":     "kill -HUP $PPID; exit 2",
				"client killed":     "kill -9 $$",
				"client interfered": "echo noise >&2; exit 2",
				"client missing":    "",
			} {
				t.Run(shell+" "+agent+" "+name, func(t *testing.T) {
					p := Program{Path: filepath.Join(t.TempDir(), "aoctl-hook")}
					if body != "" {
						if err := os.WriteFile(p.Path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
							t.Fatal(err)
						}
					}
					var stdout, stderr strings.Builder
					run := exec.CommandContext(t.Context(), argv[0], append(slices.Clone(argv[1:]), p.Gate(agent, time.Minute))...)
					run.Stdout, run.Stderr = &stdout, &stderr
					_ = run.Run() // how it ended is looked at
					if stdout.Len() > 0 {
						t.Errorf("stdout %q", stdout.String())
					}
					if agent == "codex" {
						if code := run.ProcessState.ExitCode(); name != "shell killed" && (code != 2 || !strings.Contains(stderr.String(), "call refused")) {
							t.Errorf("exit %d, stderr %q: Codex runs the call", code, stderr.String())
						}
						return
					}
					if want := string(profile.Refusal(agent, failed)); stderr.String() != want || !json.Valid([]byte(want)) {
						t.Errorf("stderr %q, want %q", stderr.String(), want)
					}
					if code := run.ProcessState.ExitCode(); !strings.HasPrefix(name, "shell") && code != 2 {
						t.Errorf("exit %d, want 2", code)
					}
				})
			}
		}
	}
}
