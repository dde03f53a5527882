package service_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// Only plain reads inside the project pass without a person: not by a parent folder,
// a link, a look-alike name, a hidden character, nor the files that hold the gate.
func TestReadOnlyRule(t *testing.T) {
	root := shortDir(t)
	project, outside := filepath.Join(root, "shop"), filepath.Join(root, "shop-evil")
	t.Setenv("HOME", filepath.Join(root, "home", "ana"))
	for _, dir := range []string{project + "/~/.ssh", project + "/ /etc", project + "/src", project + "/.claude", project + "/state", outside, root + "/home/ana/code"} {
		must(t, os.MkdirAll(dir, 0o700))
	}
	for _, f := range []string{project + "/~/.ssh/id", project + "/src/a.go ", project + "/src/\u00e4.go", project + "/go.mod", project + "/src/a.go", project + "/.claude/settings.json", project + "/state/aoctl.db", outside + "/x"} {
		must(t, os.WriteFile(f, []byte("x"), 0o600))
	}
	must(t, os.Symlink(outside, project+"/link"))
	must(t, os.Symlink("loop", project+"/loop"))
	must(t, os.Symlink("../shop-evil/later", project+"/dangling"))

	b := newBroker(t, brokertest.NewMemory(), service.Options{Guard: service.Guard{Paths: []string{project + "/state"}}})
	in := func(kv ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	for name, tc := range map[string]struct {
		tool    string
		input   map[string]any
		project string
		want    broker.State
	}{
		"read":                           {"Read", in("file_path", project+"/src/a.go"), project, broker.Allowed},
		"read relative":                  {"Read", in("file_path", "src/a.go"), project, broker.Allowed},
		"grep":                           {"Grep", in("pattern", "TODO", "path", project+"/src"), project, broker.Allowed},
		"grep over keys":                 {"Grep", in("pattern", "TODO"), project, broker.Pending},
		"glob":                           {"Glob", in("pattern", "**/*.go"), project, broker.Allowed},
		"todo":                           {"TodoWrite", in("todos", []any{in("content", "fix it", "status", "pending")}), project, broker.Allowed},
		"read nothing":                   {"Read", in(), project, broker.Pending},
		"read a number":                  {"Read", in("file_path", 7), project, broker.Pending},
		"read outside":                   {"Read", in("file_path", outside+"/x"), project, broker.Pending},
		"read missing":                   {"Read", in("file_path", project+"/nothing"), project, broker.Pending},
		"read a link to nothing outside": {"Read", in("file_path", project+"/dangling"), project, broker.Pending},
		"read dots":                      {"Read", in("file_path", project+"/../shop-evil/x"), project, broker.Pending},
		"read look-alike":                {"Read", in("file_path", project+"-evil/x"), project, broker.Pending},
		"read through link":              {"Read", in("file_path", project+"/link/x"), project, broker.Pending},
		"read loop":                      {"Read", in("file_path", project+"/loop"), project, broker.Pending},
		"read NUL":                       {"Read", in("file_path", project+"/go.mod\x00/etc/passwd"), project, broker.Pending},
		"read bidi":                      {"Read", in("file_path", project+"/go.mod", "note", "\u202e"), project, broker.Pending},
		"read agent settings":            {"Read", in("file_path", project+"/.claude/settings.json"), project, broker.Pending},
		"read our state":                 {"Read", in("file_path", project+"/state/aoctl.db"), project, broker.Pending},
		"grep tilde":                     {"Grep", in("pattern", "x", "path", "~/.ssh"), project, broker.Pending},
		"read tilde":                     {"Read", in("file_path", "~/.ssh/id"), project, broker.Pending},
		"grep blank":                     {"Grep", in("pattern", "x", "path", " /etc"), project, broker.Pending},
		"glob blank":                     {"Glob", in("pattern", "*", "path", " /etc"), project, broker.Pending},
		"read blank behind":              {"Read", in("file_path", "src/a.go "), project, broker.Pending},
		"read other letters":             {"Read", in("file_path", "src/\u00e4.go"), project, broker.Pending},
		"glob blank pattern":             {"Glob", in("pattern", " /etc/*"), project, broker.Pending},
		"glob outside":                   {"Glob", in("pattern", "/etc/*"), project, broker.Pending},
		"glob up":                        {"Glob", in("pattern", "{.,..}/*"), project, broker.Pending},
		"glob home":                      {"Glob", in("pattern", "~/*"), project, broker.Pending},
		"grep outside":                   {"Grep", in("pattern", "x", "path", outside), project, broker.Pending},
		"project is root":                {"Read", in("file_path", project+"/go.mod"), "/", broker.Pending},
		"project holds home":             {"Read", in("file_path", root+"/home/ana/code"), root + "/home", broker.Pending},
		"write":                          {"Write", in("file_path", project+"/go.mod", "content", "x"), project, broker.Pending},
		"bash":                           {"Bash", in("command", "make"), project, broker.Pending},
		"other case":                     {"read", in("file_path", project+"/go.mod"), project, broker.Pending},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(tc.input)
			must(t, err)
			q := bash("s-"+name, "1", "")
			q.ToolName, q.ToolInput, q.CWD, q.Trusted = tc.tool, raw, project, true
			q.Session.ProjectDir = tc.project
			got := submit(t, b, q)
			if got.State != tc.want {
				t.Errorf("%s %s: %s, want %s", tc.tool, raw, got.State, tc.want)
			}
			if got.State == broker.Allowed && (got.Outcome.By.Kind != broker.ByRule || got.Outcome.By.ID != broker.RuleReadOnly) {
				t.Errorf("allowed by %+v, want the rule by name", got.Outcome.By)
			}
			q.Trusted, q.Key = false, name+" untrusted"
			if got := submit(t, b, q); got.State != broker.Pending {
				t.Errorf("the same from the plain API: %s, want pending", got.State)
			}
		})
	}
}
