package workspace

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoctl/aoctl/broker/rules"
)

// BenchmarkLookAgain is what allowing a call looks at once more: where its paths lead, what git
// would run, and the stamp of its files.
func BenchmarkLookAgain(b *testing.B) {
	root := filepath.Join(RealPath(b.TempDir()), "home/ana")
	project := filepath.Join(root, "work/team/shop")
	for _, name := range []string{".git/HEAD", ".git/refs/heads/main", "src/cart/a.go", "src/cart/b.go", "build/run.sh", "go.mod"} {
		file := filepath.Join(project, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x\n"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for _, bm := range []struct {
		name, tool string
		input      map[string]any
	}{
		{"edit", "Edit", map[string]any{"file_path": "src/cart/a.go", "old_string": "a", "new_string": "b"}},
		{"test", "Bash", map[string]any{"command": "go test ./src/cart/..."}},
		{"git", "Bash", map[string]any{"command": "git add src/cart/a.go src/cart/b.go && git commit -m x"}},
		{"script", "Bash", map[string]any{"command": "cd src && bash ../build/run.sh cart/a.go > cart/new.txt 2>&1"}},
		{"search", "Bash", map[string]any{"command": "grep -rn Total src/cart/a.go src/cart/b.go go.mod | sort | head -20"}},
	} {
		input, err := json.Marshal(bm.input)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := rules.Prepare(rules.Question{
					Tool: bm.tool, Input: input, Agent: "claude", Trusted: true, Exists: FileExists, Matches: Matches, Special: SpecialFile,
					Place: PlaceOf(project, project, root, []string{filepath.Join(root, "state")}),
				})
				if CallStamp(c) == "" && bm.name != "test" {
					b.Fatal("no file of the call is looked at")
				}
			}
		})
	}
}
