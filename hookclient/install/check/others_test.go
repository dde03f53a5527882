package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/hookclient/install/installtest"
)

// A guarded line of each agent as its manual page has it, with the program of the test.
func guardedLine(o Options, agent string) string {
	const no = `\"decision\":\"deny\",\"reason\":\"aoctl: hook client failed, call refused\"`
	client := o.Program.Path + " " + agent + " --timeout 10m"
	switch agent {
	case "codex":
		return "{ trap : HUP INT TERM; " + client + " || { echo 'aoctl: hook client failed, call refused' >&2; exit 2; }; }"
	case "gemini":
		return `{ printf '%s\\n' '{` + no + `}' >&2; exec 2>&-; ` + client + " --gate || exit 2; }"
	}
	return olderLine(o, agent)
}

// olderLine is what aoctl wrote before it knew of signals.
func olderLine(o Options, agent string) string {
	return "{ " + o.Program.Path + " " + agent + " --timeout 10m || { echo 'aoctl: hook client failed, call refused' >&2; exit 2; }; }"
}

func TestCheckHandMade(t *testing.T) {
	o, _ := checking(t)
	h := filepath.Dir(o.Project)
	trust := func(key string) string { return "[hooks.state.\"" + key + "\"]\ntrusted_hash = \"sha256:5d0c\"\n" }
	codex := func(timeout, more string) string {
		return `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "` + guardedLine(o, "codex") + `", "timeout": ` + timeout + more + `}]}]}}`
	}
	gemini := func(timeout, more string) string {
		return "{ // mine\n" + `"hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "command": "` + guardedLine(o, "gemini") + `", "timeout": ` + timeout + `,}]}]}` + more + `}`
	}
	qwen := func(timeout, more string) string {
		return `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "` + guardedLine(o, "qwen") + `", "timeout": ` + timeout + `}]}` + more + `]}}`
	}
	copilot := func(event, more string) string {
		return `{"version": 1, "hooks": {"` + event + `": [{"type": "command", "bash": "` + guardedLine(o, "copilot") + `", "timeoutSec": 660` + more + `}]}}`
	}
	cursor := func(more, entry string) string {
		return `{` + more + `"hooks": {"preToolUse": [{"command": "` + guardedLine(o, "cursor") + `", "timeout": 660` + entry + `}]}}`
	}
	const codexFile, geminiFile, qwenFile, copilotFile, cursorFile = ".codex/hooks.json", ".gemini/settings.json", ".qwen/settings.json", ".copilot/hooks/a/aoctl.json", ".cursor/hooks.json"
	plugin := "spawn(\"aoctl\"); export const A = async () => ({ \"tool.execute.before\": async () => { throw new Error(\"no\") } })"
	for name, tc := range map[string]struct {
		agent  string
		files  map[string]string // below the home folder, in pairs with their text
		status Status
		find   string // "" for: all is well but for what is always said
		words  string
	}{
		"codex":              {"codex", map[string]string{codexFile: codex("660", ""), ".codex/config.toml": trust(filepath.Join(h, codexFile) + ":pre_tool_use:0:0")}, OK, "hook trust", "trusted as sha256:5d0c"},
		"codex line":         {"codex", map[string]string{codexFile: codex("660", "")}, OK, "command", "guarded"},
		"codex older line":   {"codex", map[string]string{codexFile: strings.Replace(codex("660", ""), "trap : HUP INT TERM; ", "", 1)}, Fail, "command", "when a signal ends the hook"},
		"codex untrusted":    {"codex", map[string]string{codexFile: codex("660", "")}, Fail, "hook trust", "skips it without a word"},
		"codex moved":        {"codex", map[string]string{codexFile: codex("660", ""), ".codex/config.toml": trust(filepath.Join(h, codexFile) + ":pre_tool_use:1:0")}, Fail, "hook trust", "does not trust"},
		"codex disabled":     {"codex", map[string]string{codexFile: codex("660", ""), ".codex/config.toml": trust(filepath.Join(h, codexFile)+":pre_tool_use:0:0") + "enabled = false\n"}, Fail, "hook trust", "switched off"},
		"codex no hooks":     {"codex", map[string]string{codexFile: codex("660", ""), ".codex/config.toml": "[features]\nhooks = false\n"}, Fail, "settings", "no hook runs"},
		"codex bad toml":     {"codex", map[string]string{codexFile: codex("660", ""), ".codex/config.toml": "[["}, Warn, "settings", "config.toml"},
		"codex short":        {"codex", map[string]string{codexFile: codex("600", "")}, Fail, "timeout", "stops waiting first"},
		"codex text":         {"codex", map[string]string{codexFile: codex(`"660"`, "")}, Fail, "timeout", "drops the whole file"},
		"codex async":        {"codex", map[string]string{codexFile: codex("660", `, "async": true`)}, Fail, "handler", "nobody waits"},
		"codex comment":      {"codex", map[string]string{codexFile: "// mine\n" + codex("660", "")}, Fail, "settings", "drops the whole file"},
		"codex silent guard": {"codex", map[string]string{codexFile: strings.Replace(codex("660", ""), "echo 'aoctl: hook client failed, call refused' >&2; ", "", 1)}, Fail, "command", "without a word"},
		"codex matcher":      {"codex", map[string]string{codexFile: strings.Replace(codex("660", ""), `"*"`, `"Bash"`, 1)}, Fail, "matcher", `"Bash"`},
		"codex in project":   {"codex", map[string]string{"work/.codex/hooks.json": codex("660", "")}, Warn, "gate", "work/.codex/hooks.json:1, PreToolUse"},
		"codex stdin":        {"codex", map[string]string{codexFile: codex("660", "")}, Warn, "write_stdin", "never asked about"},
		"codex more":         {"codex", map[string]string{codexFile: strings.Replace(codex("660", ""), "; }\"", "; }; true\"", 1)}, Warn, "command", "cannot be judged"},
		"codex elsewhere":    {"codex", map[string]string{codexFile: strings.Replace(codex("660", ""), "PreToolUse", "Stop", 1)}, Warn, "gate", "none on an event that decides"},
		"codex none":         {"codex", map[string]string{codexFile: "{}"}, Skipped, "program", "not found"},

		"gemini":           {"gemini", map[string]string{geminiFile: gemini("660000", ""), ".gemini/trustedFolders.json": `{"` + h + `": "TRUST_FOLDER"}`}, OK, "folder trust", "is trusted"},
		"gemini line":      {"gemini", map[string]string{geminiFile: gemini("660000", "")}, OK, "command", "guarded"},
		"gemini older":     {"gemini", map[string]string{geminiFile: strings.Replace(gemini("660000", ""), guardedLine(o, "gemini"), olderLine(o, "gemini"), 1)}, Fail, "command", "when a signal ends the hook"},
		"gemini allows":    {"gemini", map[string]string{geminiFile: strings.Replace(gemini("660000", ""), "deny", "allow", 1)}, Warn, "command", "cannot be judged"},
		"gemini editors":   {"gemini", map[string]string{geminiFile: gemini("660000", "")}, Fail, "editors", "calls run unasked"},
		"gemini seconds":   {"gemini", map[string]string{geminiFile: gemini("660", "")}, Fail, "timeout", "Gemini CLI after 660ms"},
		"gemini overflow":  {"gemini", map[string]string{geminiFile: gemini("2147483648", "")}, Fail, "timeout", "stops waiting first"},
		"gemini typed":     {"gemini", map[string]string{geminiFile: gemini("660000", ""), "work/.gemini/commands/zap.toml": "prompt = 'say !{id}'"}, Warn, "custom commands", "work/.gemini/commands/zap.toml may hold shell text"},
		"gemini off":       {"gemini", map[string]string{geminiFile: gemini("660000", ""), "work/.gemini/settings.json": `{"hooksConfig": {"enabled": false}}`}, Fail, "settings", "no hook runs"},
		"gemini named":     {"gemini", map[string]string{geminiFile: gemini("660000", ""), "work/.gemini/settings.json": `{"hooksConfig": {"disabled": ["aoctl"]}}`}, Fail, "settings", `disables the hook "aoctl"`},
		"gemini untrusted": {"gemini", map[string]string{geminiFile: gemini("660000", ""), ".gemini/trustedFolders.json": `{"` + h + `": "TRUST_FOLDER", "` + o.Project + `": "DO_NOT_TRUST"}`}, Fail, "folder trust", "not trusted"},
		"gemini unknown":   {"gemini", map[string]string{geminiFile: gemini("660000", "")}, Warn, "folder trust", "not known to be trusted"},
		"gemini no trust":  {"gemini", map[string]string{geminiFile: gemini("660000", `, "security": {"folderTrust": {"enabled": false}}`)}, OK, "folder trust", "switched off"},

		"qwen older":  {"qwen", map[string]string{qwenFile: qwen("660", "")}, Fail, "command", "when a signal ends the hook"},
		"qwen claims": {"qwen", map[string]string{qwenFile: qwen("660000", "")}, Fail, "timeout", "after 10m0s, Qwen Code after 1m0s, whatever its settings say: the agent stops waiting first"},
		"qwen close":  {"qwen", map[string]string{qwenFile: strings.Replace(qwen("660", ""), "10m", "55s", 1)}, Warn, "timeout", "less than 10s between them"},
		"qwen short":  {"qwen", map[string]string{qwenFile: strings.Replace(qwen("660", ""), "10m", "50s", 1)}, OK, "timeout", "the client gives up after 50s, Qwen Code after 1m0s, whatever its settings say; a call can be given no more time"},
		"qwen agent":  {"qwen", map[string]string{qwenFile: strings.Replace(qwen("40", ""), "10m", "50s", 1)}, Fail, "timeout", "stops waiting first"},
		"qwen 1000":   {"qwen", map[string]string{qwenFile: qwen("1000", "")}, Fail, "timeout", "Qwen Code after 1s"},
		"qwen typed":  {"qwen", map[string]string{qwenFile: qwen("660", ""), ".qwen/commands/git/zap.md": "say !{id}"}, Warn, "custom commands", ".qwen/commands/git/zap.md may hold shell text"},
		"qwen words":  {"qwen", map[string]string{qwenFile: qwen("660", ""), ".qwen/commands/zap.toml": "prompt = 'hi {{args}}!'"}, OK, "custom commands", "none of yours"},
		"qwen off":    {"qwen", map[string]string{qwenFile: qwen("660", ""), "work/.qwen/settings.json": `{"disableAllHooks": true}`}, Fail, "settings", "no hook runs"},

		"copilot":           {"copilot", map[string]string{copilotFile: copilot("PreToolUse", "")}, OK, "timeout", "after 11m0s"},
		"copilot star":      {"copilot", map[string]string{copilotFile: copilot("preToolUse", `, "matcher": "*"`)}, Fail, "matcher", `"*"`},
		"copilot star, big": {"copilot", map[string]string{copilotFile: copilot("PreToolUse", `, "matcher": "*"`)}, OK, "command", ""},
		"copilot empty":     {"copilot", map[string]string{copilotFile: copilot("PreToolUse", `, "matcher": ""`)}, Fail, "matcher", `""`},
		"copilot comment":   {"copilot", map[string]string{copilotFile: "// x\n" + copilot("PreToolUse", "")}, Fail, "settings", "drops it"},
		"copilot version":   {"copilot", map[string]string{copilotFile: strings.Replace(copilot("PreToolUse", ""), "1", "2", 1)}, Fail, "settings", "version 2"},
		"copilot claude's":  {"copilot", map[string]string{copilotFile: copilot("PreToolUse", ""), "work/.claude/settings.json": `{"disableAllHooks": true}`}, Fail, "settings", "no hook runs"},
		"copilot default":   {"copilot", map[string]string{copilotFile: strings.Replace(copilot("PreToolUse", ""), `, "timeoutSec": 660`, "", 1)}, Fail, "timeout", "Copilot CLI after 30s"},

		"opencode":       {"opencode", map[string]string{".config/opencode/plugins/a.js": plugin}, Warn, "gate", "plugin made by hand"},
		"opencode typed": {"opencode", map[string]string{".config/opencode/plugins/a.js": plugin, "work/.opencode/command/zap.md": "say !`id`"}, Warn, "custom commands", "zap.md may hold shell text"},
		"opencode json":  {"opencode", map[string]string{".config/opencode/plugins/a.js": plugin, "work/opencode.json": "{\"command\": {\"zap\": {\"template\": \"say !`id`\"}}}"}, Warn, "custom commands", "opencode.json may hold shell text"},
		"opencode idle":  {"opencode", map[string]string{".config/opencode/plugins/a.js": "aoctl"}, Fail, "plugin", "no tool.execute.before"},
		"opencode mild":  {"opencode", map[string]string{".config/opencode/plugin/a.ts": strings.Replace(plugin, "throw", "return", 1)}, Fail, "plugin", "never throws"},
		"opencode allow": {"opencode", map[string]string{".config/opencode/plugins/a.js": plugin, "work/opencode.json": `{"permission": {"bash": "allow"}, /* */ }`}, Warn, "permission", "beats your own"},

		"cursor":          {"cursor", map[string]string{cursorFile: cursor(`"version": 1, `, `, "failClosed": true`)}, OK, "timeout", "Cursor after 11m0s"},
		"cursor open":     {"cursor", map[string]string{cursorFile: cursor(`"version": 1, `, ``)}, Fail, "fail-closed", `no "failClosed"`},
		"cursor version":  {"cursor", map[string]string{cursorFile: cursor(``, `, "failClosed": true`)}, Fail, "settings", `no "version": 1`},
		"cursor event":    {"cursor", map[string]string{cursorFile: strings.Replace(cursor(`"version": 1, `, ``), `"hooks": {`, `"hooks": {"onStop": [], `, 1)}, Fail, "settings", `no event "onStop"`},
		"cursor slashes":  {"cursor", map[string]string{cursorFile: strings.Replace(cursor(`"version": 1, `, ``), "echo 'aoctl", "echo 'https://aoctl", 1)}, Fail, "settings", "drops the whole file"},
		"cursor braces":   {"cursor", map[string]string{cursorFile: strings.Replace(strings.Replace(cursor(`"version": 1, `, ``), "\"{ ", "\"", 1), "; }; }", "; }", 1)}, Warn, "command", "without braces"},
		"cursor neighbor": {"cursor", map[string]string{cursorFile: strings.Replace(cursor(`"version": 1, `, ``), `"hooks": {`, `"hooks": {"stop": [{"command": "x", "timeout": -1}], `, 1)}, Fail, "settings", "an entry's timeout is -1"},
	} {
		t.Run(name, func(t *testing.T) {
			for file, text := range tc.files {
				installtest.Put(t, filepath.Join(h, file), text)
			}
			defer func() {
				for file := range tc.files {
					_ = os.Remove(filepath.Join(h, file))
				}
			}()
			wantFinding(t, reportOn(t, o, tc.agent), tc.status, tc.find, tc.words)
		})
	}
}

// What another hook of Qwen Code says cannot override a refusal of ours.
func TestQwenHasNoRivals(t *testing.T) {
	o, _ := checking(t)
	installtest.Put(t, filepath.Join(filepath.Dir(o.Project), ".qwen/settings.json"),
		`{"hooks": {"PreToolUse": [{"hooks": [{"command": "`+guardedLine(o, "qwen")+`", "timeout": 60}]}, {"hooks": [{"command": "yes-man"}]}]}}`)
	for _, f := range reportOn(t, o, "qwen").Findings {
		if f.Name == "other hooks" {
			t.Errorf("%s: %s", f.Name, f.Seen)
		}
	}
}

// What is well is said to be well: a whole gate of another agent has no failure.
func TestCheckHandMadeWell(t *testing.T) {
	o, _ := checking(t)
	h := filepath.Dir(o.Project)
	installtest.Put(t, filepath.Join(h, ".cursor/hooks.json"), `{"version": 1, "hooks": {"preToolUse": [{"command": "`+guardedLine(o, "cursor")+`", "timeout": 660, "failClosed": true}]}}`)
	r := reportOn(t, o, "cursor")
	for _, f := range r.Findings {
		if f.Status == Fail {
			t.Errorf("%s: %s", f.Name, f.Seen)
		}
	}
	if len(r.Gates) != 1 || !r.Gates[0].Own || r.Gates[0].Event != "preToolUse" {
		t.Errorf("gates %+v", r.Gates)
	}
}

// An agent that runs unguarded is a warning, with its version beside the one we know.
func TestCheckUnguarded(t *testing.T) {
	o, _ := checking(t)
	installtest.Put(t, filepath.Join(os.Getenv("PATH"), "codex"), "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(os.Getenv("PATH"), "codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := reportOn(t, o, "codex")
	wantFinding(t, r, OK, "program", "version 1.2.3, newer than 0.169.0")
	wantFinding(t, r, Warn, "gate", "no aoctl hook is installed: aoctl does not see its calls")
}
