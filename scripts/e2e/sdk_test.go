package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// sdkModel is a model that has two commands, changed or not, and a question.
var sdkModel = map[string]modelScript{"": {
	useBash("echo hi > canary"),
	useBash("echo hi > second"),
	useBash("echo hi > third"),
	asks("Which region?", false, "eu", "us"),
	{Text: "all done"},
}}

// sdkProgram is a program on the Agent SDK, or one that speaks as that does, with the words that it has
// for what is asked.
type sdkProgram struct {
	line       []string
	canUseTool string
	bypass     string // the mode in which Claude Code asks nobody
}

// Programs on the Agent SDK ask through the packages in clients: what the operator allows runs, what they
// deny does not, what they change runs as they wrote it, and their answer reaches the model. Without a
// console nothing runs.
func TestE2EAgentSDK(t *testing.T) {
	p := findE2E(t)
	for name, find := range map[string]func(*testing.T, e2ePrograms) sdkProgram{"js": sdkJS, "python": sdkPython} {
		t.Run(name, func(t *testing.T) {
			program := find(t, p)
			t.Parallel()
			for _, tt := range []struct {
				name  string
				model map[string]modelScript
				play  func(r *rig, program ...string)
				args  []string
			}{
				{"canUseTool", sdkModel, sdkAsked, []string{program.canUseTool}},
				{"gate", sdkModel, sdkAsked, []string{"gate", program.bypass}},
				{"gate asks once", oneCall, sdkOnce, []string{"gate"}},
				{"canUseTool without a console", oneCall, sdkNoConsole, []string{program.canUseTool}},
				{"hooks without a console", oneCall, sdkNoConsole, []string{"hooks", program.bypass}},
				{"canUseTool when the console is killed", oneCall, sdkOrphaned, []string{program.canUseTool, "", `{"timeout":4}`}},
				{"hooks when the console is killed", oneCall, sdkOrphaned, []string{"hooks", program.bypass, `{"timeout":4}`}},
				{"canUseTool interrupted", oneCall, sdkInterrupted, []string{program.canUseTool}},
				{"hooks interrupted", oneCall, sdkInterrupted, []string{"hooks", program.bypass}},
				{"canUseTool is not asked about what a mode allows", oneCall, sdkUnasked, []string{program.canUseTool, program.bypass}},
			} {
				t.Run(tt.name, func(t *testing.T) {
					t.Parallel()
					playSDK(t, p, tt.model, tt.play, append(program.line, tt.args...))
				})
			}
		})
	}
}

// What a rule of the program allows is not asked about, and hooks that are installed are not read.
func TestE2EAgentSDKUngated(t *testing.T) {
	p := findE2E(t)
	program := sdkJS(t, p)
	for name, args := range map[string][]string{
		"canUseTool and a rule": {"canUseTool", `{"allowedTools":["Bash"]}`}, "installed hooks": {"none", program.bypass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playSDK(t, p, oneCall, sdkUnasked, append(program.line, args...))
		})
	}
}

// What the package for JavaScript declares fits what the SDK declares.
func TestE2EAgentSDKTypes(t *testing.T) {
	sdk, tsc := os.Getenv("AOCTL_E2E_AGENT_SDK"), os.Getenv("AOCTL_E2E_TSC")
	if sdk == "" || tsc == "" {
		t.Skip("no Agent SDK or no TypeScript found: set AOCTL_E2E_AGENT_SDK to the one's folder and AOCTL_E2E_TSC to the other's program")
	}
	t.Parallel()
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "sdk", "types.ts"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := filepath.Abs(filepath.Join("..", "..", "clients", "js"))
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(dir, "node_modules")
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "types.ts"), text, 0o600), os.MkdirAll(filepath.Join(modules, "@anthropic-ai"), 0o700),
		os.Symlink(ours, filepath.Join(modules, "aoctl")), os.Symlink(sdk, filepath.Join(modules, "@anthropic-ai", "claude-agent-sdk")),
	); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), tsc, "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "types.ts")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// playSDK plays a scene in a home whose settings have aoctl's hooks, which programs on the SDK do not read
// here.
func playSDK(t *testing.T, p e2ePrograms, model map[string]modelScript, play func(r *rig, program ...string), line []string) {
	t.Helper()
	r := newRig(t, p, model)
	r.run(p.aoctl, "install", "claude")
	play(r, line...)
	if r.alarmed() {
		t.Errorf("there was an alarm, and nothing ran otherwise than allowed%s", r.lastScreen())
	}
}

// sdkJS is a program on the SDK for JavaScript.
func sdkJS(t *testing.T, p e2ePrograms) sdkProgram {
	t.Helper()
	sdk := os.Getenv("AOCTL_E2E_AGENT_SDK")
	if sdk == "" {
		t.Skip("no Agent SDK found: set AOCTL_E2E_AGENT_SDK to its folder (…/node_modules/@anthropic-ai/claude-agent-sdk)")
	}
	return sdkProgram{
		line: sdkLine(t, "node", "agent.mjs", sdk, p.claude), canUseTool: "canUseTool",
		bypass: `{"permissionMode":"bypassPermissions","allowDangerouslySkipPermissions":true}`,
	}
}

// sdkPython is one that speaks as the SDK for Python does.
func sdkPython(t *testing.T, p e2ePrograms) sdkProgram {
	t.Helper()
	return sdkProgram{line: sdkLine(t, "python3", "agent.py", p.claude), canUseTool: "can_use_tool", bypass: "bypass"}
}

// sdkLine is the beginning of the line that starts a program of testdata/sdk.
func sdkLine(t *testing.T, interpreter, file string, args ...string) []string {
	t.Helper()
	program, err := exec.LookPath(interpreter)
	if err != nil {
		t.Skipf("there is no %s on the PATH", interpreter)
	}
	if file, err = filepath.Abs(filepath.Join("testdata", "sdk", file)); err != nil {
		t.Fatal(err)
	}
	return slices.Clip(append([]string{program, file}, args...))
}

func sdkAsked(r *rig, program ...string) {
	console := r.editing(`sed -i s/hi/edited/ "$1"`)
	agent := r.start(program...)
	q := r.waiting("canary")
	if r.exists("canary") {
		r.t.Fatal("the call ran before it was allowed")
	}
	if q.ToolUseID == "" || q.CWD != r.project || q.Agent == "" {
		r.t.Errorf("the console shows %+v", q)
	}
	console.allowsThenDenies(q)
	q = r.waiting("third")
	console.shows("$ echo hi > third")
	console.edit("+ echo edited > third")
	console.press("a", q)
	q = r.opens(console, "Which region?")
	console.marks("2", "(•) us")
	console.press("Enter", q)
	agent.completed()
	if r.exists("second") {
		r.t.Error("the denied call ran")
	}
	if got := r.content("third"); got != "edited\n" {
		r.t.Errorf("the changed call left %q", got)
	}
	r.told("A person denied this call in aoctl", `"Which region?"="us"`)
}

// sdkOnce has both gates in place: what the hook allowed is not asked again.
func sdkOnce(r *rig, program ...string) {
	console := r.console("console")
	agent := r.start(program...)
	q := r.waiting("canary")
	console.shows("echo hi > canary")
	console.press("a", q)
	agent.completed()
	if !r.exists("canary") {
		r.t.Error("the call was allowed and did not run")
	}
}

func sdkNoConsole(r *rig, program ...string) {
	r.start(program...).completed()
	r.refused("no console is listening", `start one with "aoctl"`)
}

func sdkOrphaned(r *rig, program ...string) {
	r.console("console")
	agent := r.start(program...)
	r.waiting("canary")
	r.signalConsole(syscall.SIGKILL)
	agent.completed()
	r.refused("the console ended while this call waited")
}

// sdkInterrupted ends the program's turn while its call waits: the card goes.
func sdkInterrupted(r *rig, program ...string) {
	r.console("console")
	agent := r.start(program...)
	q := r.waiting("canary")
	agent.interrupt()
	r.until("the end of the card", func() bool { return !r.isPending(q.ID) })
	<-agent.done //nolint:errcheck // how the program ends is its own affair
	if r.exists("canary") {
		r.t.Error("the call ran")
	}
}

// sdkUnasked shows what the packages' documents warn of.
func sdkUnasked(r *rig, program ...string) {
	r.console("console")
	r.start(program...).completed()
	if !r.exists("canary") {
		r.t.Errorf("the call did not run: %s", strings.TrimSpace(r.model.Results()))
	}
	if q := r.pending(); len(q) > 0 {
		r.t.Errorf("the console was asked: %+v", q)
	}
}
