package risk

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
)

// What a call is given beside its line or its file.
func TestInputsOfCalls(t *testing.T) {
	line := func(input string) Risk {
		return Assess(Call{Tool: "Bash", Line: lineOf(run("ls")), Input: json.RawMessage(input)}, place())
	}
	for _, name := range []string{"cwd", "workdir", "directory", "dir_path"} {
		for value, want := range map[string]bool{`"/x"`: true, `"/home/u/src/app"`: false, `""`: false, `7`: false} {
			if r := line(fmt.Sprintf(`{"command":"ls",%q:%s}`, name, value)); finds(r, "may run in another folder") != want {
				t.Errorf("%s %s: %+v", name, value, r)
			}
		}
	}
	for value, want := range map[string]bool{"true": true, "false": false, `"true"`: false} {
		if r := line(`{"command":"ls","dangerouslyDisableSandbox":` + value + `}`); finds(r, "leaves the agent's sandbox") != want {
			t.Errorf("no sandbox %s: %+v", value, r)
		}
	}
	for name, want := range map[string]Class{"description": Safe, "timeout": Safe, "run_in_background": Safe, "shell": Normal} {
		if r := line(fmt.Sprintf(`{"command":"ls",%q:1}`, name)); r.Class != want {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for input, want := range map[string]Class{
		`{"file_path":"a"}`: Safe, `{"file_path":"a\tb"}`: Normal, `{"file_path":"a","note":"x\ty\nz"}`: Safe, `{"file_path":"a","note":"\u202e"}`: Normal, `{"file_path":"a","n\u200b":1}`: Normal, `{"file_path":["a"]}`: Normal, `{"file_path":7}`: Normal, `{}`: Normal,
		`{"file_path":""}`: Normal, `{"file_path":"$x"}`: Normal, `{"file_path":"a\\b"}`: Normal, `{"file_path":"ä"}`: Normal, `{"file_path":" a"}`: Normal, `{"file_path":"~a"}`: Normal, `{"file_path":"../x"}`: Normal, `{"file_path":"link/x"}`: Normal,
		`{"file_path":"a","note":["x",{"y":"\u200b"}]}`: Normal, `{"file_path":"a","note":["x",{"y":"z"}]}`: Safe, `not JSON`: Normal,
	} {
		if r := assessTool("Read", input); r.Class != want {
			t.Errorf("Read %s: %+v", input, r)
		}
	}
	for name := range strings.FieldsSeq("path paths file files dir directory cwd folder myPath otherDir") {
		if r := assessTool("Read", fmt.Sprintf(`{"file_path":"a",%q:"b"}`, name)); r.Class != Normal {
			t.Errorf("Read with another %s: %+v", name, r)
		}
	}
	for input, want := range map[string]Class{
		`Glob {"pattern":"*.go"}`: Safe, `Glob {"pattern":"/x/*"}`: Normal, `Glob {"pattern":"../*"}`: Normal, `Glob {"pattern":"~/*"}`: Normal, `Glob {"pattern":"a~"}`: Normal, `Glob {"pattern":""}`: Normal, `Glob {"pattern":7}`: Normal, `Glob {}`: Normal, `Glob {"pattern":".env"}`: Dangerous,
		`Glob {"pattern":".claude/*"}`: Dangerous, `Grep {"pattern":"x"}`: Safe, `Grep {"pattern":"x","glob":"*.go"}`: Safe, `Grep {"pattern":"x","glob":"../*"}`: Normal, `Grep {"pattern":"x","glob":7}`: Normal, `Grep {"pattern":"x","path":"/etc"}`: Normal, `Grep {"pattern":"x","glob":".env"}`: Dangerous,
		`LS {"path":"src"}`: Safe, `LS {}`: Safe, `LS {"note":"\u0007"}`: Normal, `LS {"path":".."}`: Normal, `Write {"file_path":"a"}`: Normal, `mcp__x__delete_all {}`: Dangerous, `mcp__x__deleteAll {}`: Dangerous, `mcp__x__send {}`: Normal, `MCP:drop_table {}`: Dangerous, `x__delete_all {}`: Normal, `mcp__delete__get {}`: Normal,
		`Tool {"a":"~/.aws/credentials"}`: Dangerous, `Tool {"a":["x",{"b":"file:///home/u/.aws/credentials"}]}`: Dangerous, `Tool {"a":"x\n~/.aws/credentials"}`: Normal, `Tool {"command":"sudo ls"}`: Dangerous, `Tool {"cmd":"sudo ls"}`: Dangerous, `Tool {"script":"sudo ls"}`: Dangerous, `Tool {"code":"sudo ls"}`: Dangerous,
		`Tool {"text":"sudo ls"}`: Normal, `Tool {"command":"b(){ b|b& };b"}`: Dangerous, `Tool {"command":"b(){ b|b& }\nb"}`: Dangerous, `apply_patch {"input":"*** Add File:.claude/x"}`: Dangerous, `apply_patch {"input":"*** Delete File: .claude/x"}`: Dangerous, `apply_patch {"input":"*** Move to: .claude/x"}`: Dangerous, `apply_patch {"input":"*** Update File: a"}`: Normal,
		`apply_patch {"input":"*** Update File: /etc/passwd"}`: Dangerous, `apply_patch {"input":"*** Delete File: /etc/x"}`: Dangerous,
	} {
		tool, in, _ := strings.Cut(input, " ")
		if r := assessTool(tool, in); r.Class != want {
			t.Errorf("%s: %v %+v", input, r.Class, r.Findings)
		}
	}
	for input, want := range map[string]string{
		`{"typed":"/x"}`: "may run shell commands in its text, which ask nobody", `{"typed":"/x","unknown":"too long"}`: "may run commands in the text of what was typed: too long", `{"runs":["ls"]}`: "runs the shell commands in the text of what was typed",
		`{"head":"hooks"}`: "brings hooks, or an agent that may have some, and they run unasked", `{"runs":["sudo ls"]}`: "runs as another user", `{"head":"sudo ls"}`: "runs as another user",
	} {
		if r := assessTool("SlashCommand", input); !finds(r, want) {
			t.Errorf("SlashCommand %s: %+v", input, r)
		}
	}
	for _, text := range []string{`{"typed":"/x"}`, `{"head":"x"}`} {
		if r := assessTool("SlashCommand", text); finds(r, "runs the shell commands in the text of what was typed") {
			t.Errorf("SlashCommand %s: %+v", text, r)
		}
	}
}

// What stands in an address.
func TestAddresses(t *testing.T) {
	for url, want := range map[string]string{
		"http://localhost/": "reaches a service of this machine", "http://x.localhost/": "reaches a service of this machine", "http://127.0.0.1/": "reaches a service of this machine", "http://[::1]/": "reaches a service of this machine", "http://[::ffff:127.0.0.1]/": "reaches a service of this machine",
		"https://10.0.0.1/": "reaches an address without a name", "https://0x7f.1/": "reaches an address without a name", "https://3232235777/": "reaches an address without a name", "http://a.b/": "goes over the network unencrypted", "https://u:p@a.b/": "has a password in its address",
		"https://a.b/?" + strings.Repeat("x", 301): "sends a long query", "https://a b/%zz": "its address cannot be read", "file:///home/u/.aws/credentials": "reads keys or credentials", "http://2852039166/": "reaches the cloud's metadata", "http://0xa9fea9fe/": "reaches the cloud's metadata",
		"http://0xa9.0xfe.0xa9.0xfe/": "reaches the cloud's metadata", "http://0251.0376.0251.0376/": "reaches the cloud's metadata", "http://[::ffff:169.254.169.254]/": "reaches the cloud's metadata", "metadata": "reaches the cloud's metadata", "169.254.170.2": "reaches the cloud's metadata",
	} {
		if r := assessTool("WebFetch", fmt.Sprintf(`{"url":%q}`, url)); !finds(r, want) {
			t.Errorf("%.60s: %+v; want %s", url, r.Findings, want)
		}
	}
	for _, url := range []string{"https://a.b/", "a.b/c", "https://a.b/?" + strings.Repeat("x", 300), "https://1a.b/"} {
		if r := assessTool("WebFetch", fmt.Sprintf(`{"url":%q,"prompt":"look at localhost"}`, url)); len(r.Findings) > 0 {
			t.Errorf("%.60s: %+v", url, r.Findings)
		}
	}
	if r := assessTool("web_fetch", `{"prompt":"see https://a.b/ and http://localhost/x"}`); !finds(r, "reaches a service of this machine") {
		t.Errorf("an address in a prompt: %+v", r.Findings)
	}
}

// A program's name is the same whatever its folder, case and version.
func TestNamesOfPrograms(t *testing.T) {
	for word, want := range map[string]string{
		"/usr/bin/Git": "git", "git.exe": "git", "python3.12": "python", "pypy3": "pypy", "ruby3.2": "ruby", "perl5.36.0": "perl", "php8.2": "php", "lua5.4": "lua", "node18": "node", "pip3.11": "pip", "gcc-12": "gcc", "clang-15": "clang", "tclsh8.6": "tclsh", "bash5": "bash", "sha256sum": "sha256sum", "base64": "base64", "7z": "7z", "x-1": "x-1",
	} {
		if got := cmdline.Program(word); got != want {
			t.Errorf("%s is %s", word, got)
		}
	}
	a := cmdline.Of(run("x -ab --long=1 -o v -pw - y -- -z =q"))
	for option, want := range map[string]bool{"-a": true, "-b": true, "-c": false, "--long": true, "--longer": true, "--lo": false, "-z": false, "-": true, "--": false, "-w": true, "-ab": true, "-ba": false} {
		if a.Has(option) != want {
			t.Errorf("has %s: %v", option, !want)
		}
	}
	if got := strings.Join(a.Operands(), " "); got != "v - y -z =q" {
		t.Errorf("operands %s", got)
	}
	for option, want := range map[string]string{"-o": "v", "--long": "1", "-p": "w", "-z": "", "-x": ""} {
		if got, ok := a.Value(option); got != want || ok != (want != "") {
			t.Errorf("value of %s: %q, %v", option, got, ok)
		}
	}
	if got, ok := cmdline.Of(run("x -o")).Value("-o"); ok {
		t.Errorf("value of an option at the end: %q", got)
	}
	for line, want := range map[string]string{"x sub a": "a", "x -o sub a": "a", "x -o v sub a": "a", "x --o=v sub a": "a", "x v sub": "-", "x -o v w sub": "-", "x sub sub": "sub", "x -o": "-", "x": "-", "x subx": "-", "x --o=v w sub": "-"} {
		rest, ok := cmdline.Of(run(line)).Sub("sub")
		if got := strings.Join(rest, " "); !ok && want != "-" || ok && got != want {
			t.Errorf("%s: %q, %v", line, got, ok)
		}
	}
	for line, want := range map[string]bool{"x a b": true, "x -o a b": true, "x a -o v b": true, "x a c b": false, "x a": false, "x -o a a b": true, "x b a": false} {
		if _, ok := cmdline.Of(run(line)).Sub("a b"); ok != want {
			t.Errorf("%s has a b: %v", line, ok)
		}
	}
}

// A copy into a folder is judged by the file that comes to be there, and what is not known
// of a path by the names that it ends in.
func TestFilesThatComeToBe(t *testing.T) {
	for _, program := range []string{"cp", "mv", "ln", "install", "rsync"} {
		if r := assessLine(run(program + " x/.bashrc ~")); !finds(r, "changes a shell start-up file") {
			t.Errorf("%s: %+v", program, r.Findings)
		}
	}
	for line, want := range map[string]bool{"cp -t ~ .bashrc": true, "cp --target-directory=~ .bashrc": true, "cp .bashrc .": false, "cp .bashrc": false, "cp x/. ~": false, "cp x/.. ~": false, "cp x/ ~": false, "cp .bashrc x ~": true, "cat .bashrc ~": false, "cp .bashrc ''": false, "cp x/.. ~/.bashrc/x": false, "cp x/. ~/.profile": false, "cp x/ ~/.profile": false} {
		if r := assessLine(run(line)); finds(r, "changes a shell start-up file") != want {
			t.Errorf("%s: %+v", line, r.Findings)
		}
	}
	for text, want := range map[string]string{
		"> $HOME/.bashrc": "changes a shell start-up file", "> ${HOME}/.bashrc": "changes a shell start-up file", `> "$HOME/.bashrc"`: "changes a shell start-up file", "2>> $HOME/.bashrc": "changes a shell start-up file", "> $X/.ssh/x": "changes keys or credentials",
		"> $X": "", "> $X/": "", "> $HOME": "",
	} {
		r := assessLine(shell.Element{Kind: shell.Write, Text: text, Unsure: "not known"})
		if want != "" && !finds(r, want) || want == "" && finds(r, "changes a shell start-up file") {
			t.Errorf("%s: %+v", text, r.Findings)
		}
	}
	for _, name := range []string{"apply_patch", "applypatch", "apply-patch", "/x/apply_patch"} {
		if !AppliesPatch(run(name)) {
			t.Errorf("%s applies none", name)
		}
	}
	if AppliesPatch(run("patch")) || AppliesPatch(shell.Element{Kind: shell.Read, Argv: []string{"apply_patch"}}) || AppliesPatch(shell.Element{Kind: shell.Command}) {
		t.Error("something else applies a patch")
	}
}
