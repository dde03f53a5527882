package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Attack: a Read of a pipe takes what is in it from the program that waits for that, or
// never ends.
func TestReadOfPipeAsks(t *testing.T) {
	p, dir := New(Options{Home: "/home/nobody-here", Vet: Trusting{}}), t.TempDir()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	must(os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	must(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	none, err := rules.Compile(nil)
	must(err)
	for name, want := range map[string]rules.Verdict{"file": rules.Allow, "pipe": rules.Ask} {
		input, err := json.Marshal(map[string]string{"file_path": filepath.Join(dir, name)})
		must(err)
		req := broker.Request{ToolName: "Read", ToolInput: input, CWD: dir}
		if a := none.Judge(p.PrepareAt(workspace.NewPaths(), req, dir, true), time.Now()); a.Verdict != want {
			t.Errorf("%s: %s, %s", name, a.Verdict, a.Reason)
		}
	}
}
