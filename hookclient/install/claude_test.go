package install

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

var update = flag.Bool("update", false, "rewrite the expected files")

// testProgram lies in a folder whose name tests the quoting.
var testProgram = Program{Path: "/home/ana o'neil/.local/bin/aoctl-hook"}

func gateHooks() []Hook { return claudeHooks(testProgram, Gate, 10*time.Minute) }

func mustInstall(t *testing.T, src []byte, hooks []Hook) []byte {
	t.Helper()
	out, err := claudeLayout().install(src, hooks)
	if err != nil {
		t.Fatalf("install into %q: %v", src, err)
	}
	return out
}

// mustRemove takes ours out again, without the help of a backup.
func mustRemove(t *testing.T, src []byte) []byte {
	t.Helper()
	d, err := ParseClaude(src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = claudeLayout().remove(d, func(string, *jsonc.Node) bool { return false }); err != nil {
		t.Fatal(err)
	}
	return d.Src
}

func TestClaudeInstallGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/settings/*.in")
	if err != nil || len(names) < 11 {
		t.Fatalf("inputs: %v, %v", names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			in, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := mustInstall(t, in, gateHooks())
			golden := strings.TrimSuffix(name, ".in") + ".out"
			if *update {
				if err = os.WriteFile(golden, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("settings after the installation (-want +got):\n%s", diff)
			}
			if !json.Valid(got) {
				t.Error("the result is not JSON")
			}
			if again := mustInstall(t, got, gateHooks()); !bytes.Equal(again, got) {
				t.Errorf("a second installation changed the file:\n%s", cmp.Diff(string(got), string(again)))
			}
		})
	}
}

// What was not empty comes back byte for byte, with no backup to help.
func TestClaudeRemoveIsInverse(t *testing.T) {
	for _, name := range []string{"other-hooks", "minified", "one-line", "unicode", "brace-on-line"} {
		t.Run(name, func(t *testing.T) {
			in, err := os.ReadFile("testdata/settings/" + name + ".in")
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range Modes() {
				installed := mustInstall(t, in, claudeHooks(testProgram, mode, time.Hour))
				if bytes.Equal(installed, in) {
					t.Fatal("nothing was installed")
				}
				if diff := cmp.Diff(string(in), string(mustRemove(t, installed))); diff != "" {
					t.Errorf("mode %s: settings after removal (-want +got):\n%s", mode, diff)
				}
			}
		})
	}
}

func TestClaudeInstallReplacesOurs(t *testing.T) {
	base := []byte("{\n  \"model\": \"opus\"\n}\n")
	first := mustInstall(t, base, gateHooks())
	moved := claudeHooks(Program{Path: "/opt/aoctl", Args: []string{"hook"}}, Gate, 30*time.Minute)
	prompts := claudeHooks(testProgram, Prompts, 10*time.Minute)

	t.Run("moved binary, in place", func(t *testing.T) {
		got := mustInstall(t, first, moved)
		if diff := cmp.Diff(string(mustInstall(t, base, moved)), string(got)); diff != "" {
			t.Errorf("differs from a fresh installation:\n%s", diff)
		}
	})
	t.Run("other mode", func(t *testing.T) {
		got := string(mustInstall(t, first, prompts))
		if strings.Contains(got, "PreToolUse") || strings.Count(got, "aoctl-hook") != 2+len(ClaudeWatched) {
			t.Errorf("hooks of the mode before are left, or some are missing:\n%s", got)
		}
		if diff := cmp.Diff(string(first), string(mustInstall(t, mustRemove(t, []byte(got)), gateHooks()))); diff != "" {
			t.Errorf("not the same after going back:\n%s", diff)
		}
	})
	t.Run("narrowed matcher", func(t *testing.T) {
		narrow := strings.Replace(string(first), `"matcher": "*"`, `"matcher": "Bash"`, 1)
		got := string(mustInstall(t, []byte(narrow), gateHooks()))
		if strings.Contains(got, `"Bash"`) || strings.Count(got, "aoctl-hook") != len(ClaudeEvents()) {
			t.Errorf("the gate does not see every call:\n%s", got)
		}
	})
	t.Run("weakened handler", func(t *testing.T) {
		for _, line := range []string{",\n            \"onFailure\": \"block\"", "\"timeout\": 660,\n            "} {
			weak := strings.Replace(string(first), line, "", 1)
			if weak == string(first) {
				t.Fatalf("%q is not in\n%s", line, first)
			}
			if diff := cmp.Diff(string(first), string(mustInstall(t, []byte(weak), gateHooks()))); diff != "" {
				t.Errorf("not mended:\n%s", diff)
			}
		}
	})
}

func TestClaudeRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		src       string
		line, col int
		problem   string
	}{
		"comment":            {"{\n  // mine\n}", 2, 3, "comment"},
		"block comment":      {"{ /* mine */ }", 1, 3, "comment"},
		"trailing comma":     {"{\n  \"a\": 1,\n}", 2, 9, "comma before the closing '}'"},
		"comma in array":     {"{\"a\": [1,]}", 1, 9, "comma before the closing ']'"},
		"same key twice":     {"{\"ä\":1,\n \"ä\":2}", 2, 2, `key "ä" appears twice in one object, first in line 1`},
		"escaped key twice":  {`{"hooks":{},"hoo\u006bs":{}}`, 1, 13, `key "hooks" appears twice`},
		"byte order mark":    {"\xef\xbb\xbf{}", 1, 1, "byte order mark"},
		"top level array":    {"[]", 1, 1, "settings are an object, this is an array"},
		"top level null":     {" null", 1, 2, "this is null"},
		"cut off":            {"{\n \"a\": {", 2, 8, "the file ends too early"},
		"cut off in array":   {"{\"a\": [1", 1, 9, "the file ends too early"},
		"cut off in string":  {"{\"a\": \"x", 1, 9, "the file ends too early"},
		"cut off in escape":  {"{\"a\": \"\\", 1, 9, "the file ends too early"},
		"no value":           {"{\"a\":", 1, 6, "the file ends too early"},
		"single quotes":      {"{'a': 1}", 1, 2, `invalid character '\''`},
		"bare key":           {"{a: 1}", 1, 2, `"a" is no JSON value`},
		"no colon":           {"{\"a\" 1}", 1, 6, "invalid character '1' after object name"},
		"no comma":           {"{\"é\": 1 \"b\": 2}", 1, 9, "expecting ',' or '}'"},
		"text after the end": {"{}\n{}", 2, 1, "after top-level value"},
		"bad number":         {"{\"a\": 01}", 1, 7, `"01" is no JSON value`},
		"bad word":           {"{\"a\": True}", 1, 7, `"True" is no JSON value`},
		"bad escape":         {`{"a": "\x41"}`, 1, 7, `"\"\\x41\"" is no JSON value`},
		"raw newline":        {"{\"a\": \"x\ny\"}", 1, 7, `"\"x\ny\"" is no JSON value`},
		"bad UTF-8":          {"{\"a\": \"\xff\"}", 1, 7, "not valid UTF-8"},
		"bad byte":           {"{\xff}", 1, 2, `invalid character '\xff'`},
		"too deep":           {strings.Repeat("[", 300), 1, 202, "nested more than 200 levels"},
		"hooks an array":     {"{\"hooks\":\n []}", 2, 2, `"hooks" must be an object, this is an array`},
		"hooks null":         {"{\"hooks\": null}", 1, 11, `"hooks" must be an object`},
		"event an object":    {`{"hooks": {"Stop": {}}}`, 1, 20, `"hooks.Stop" must be an array`},
		"group a string":     {`{"hooks": {"Stop": ["x"]}}`, 1, 21, `must be an object, this is a string`},
		"group without":      {`{"hooks": {"Stop": [{}]}}`, 1, 21, `has no "hooks" array`},
		"matcher a list":     {`{"hooks": {"Stop": [{"matcher": [], "hooks": []}]}}`, 1, 33, `"matcher" must be a string`},
		"handlers an object": {`{"hooks": {"Stop": [{"hooks": {}}]}}`, 1, 31, `must be an array, this is an object`},
		"handler a string":   {`{"hooks": {"Stop": [{"hooks": ["say"]}]}}`, 1, 32, `a hook of Stop must be an object`},
		"no type":            {`{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}`, 1, 32, `has no "type"`},
		"no command":         {`{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}`, 1, 32, `has no "command"`},
		"timeout as text":    {`{"hooks": {"Stop": [{"hooks": [{"type": "http", "timeout": "60"}]}]}}`, 1, 60, `"timeout" must be a positive number`},
		"negative timeout":   {`{"hooks": {"Stop": [{"hooks": [{"type": "http", "timeout": -1}]}]}}`, 1, 60, `"timeout" must be a positive number`},
		"onFailure deny":     {`{"hooks": {"Stop": [{"hooks": [{"type": "http", "onFailure": "deny"}]}]}}`, 1, 62, `"onFailure" must be`},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := claudeLayout().install([]byte(tc.src), gateHooks())
			syntax, ok := err.(*jsonc.SyntaxError) //nolint:errorlint // the very type is promised here
			if !ok || out != nil {
				t.Fatalf("got %q, %v; want a *SyntaxError", out, err)
			}
			if syntax.Line != tc.line || syntax.Col != tc.col {
				t.Errorf("place = %d:%d, want %d:%d (%s)", syntax.Line, syntax.Col, tc.line, tc.col, syntax.Problem)
			}
			if !strings.Contains(syntax.Problem, tc.problem) || syntax.Cure == "" {
				t.Errorf("problem = %q, cure = %q; want %q and a cure", syntax.Problem, syntax.Cure, tc.problem)
			}
		})
	}
}

// A file of a few megabytes is edited in place, too.
func TestClaudeInstallHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts no goroutine")
	}
	var b strings.Builder
	b.WriteString("{\n  \"permissions\": {\n    \"allow\": [\n")
	rules := 30_000
	if testing.Short() {
		rules = 3000
	}
	for range rules {
		b.WriteString("      \"Bash(npm run test:*)\",\n")
	}
	b.WriteString("      \"Read\"\n    ]\n  }\n}\n")
	in := []byte(b.String())
	out := mustInstall(t, in, gateHooks())
	if len(out) < len(in) || !bytes.Equal(mustRemove(t, out), in) {
		t.Error("not the same after installing and removing")
	}
}
