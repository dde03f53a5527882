package workspace

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
)

// brought is a repository in which tests ask what git would bring.
type brought struct {
	t   *testing.T
	top string
}

func newBrought(t *testing.T) brought {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	b := brought{t, t.TempDir()}
	b.git("init", "-q", "-b", "main")
	b.write("a.go", "one\n")
	b.write(".claude/settings.json", "{}")
	b.write(".gitignore", "local.conf\nbuild\n")
	b.git("add", ".")
	b.git("commit", "-qm", "first")
	return b
}

func (b brought) git(args ...string) {
	b.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-C", b.top}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (b brought) write(name, text string) {
	b.t.Helper()
	file := filepath.Join(b.top, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// branch commits a file on a branch of its own and goes back to main.
func (b brought) branch(name string, files ...string) {
	b.t.Helper()
	b.git("switch", "-qc", name)
	for _, f := range files {
		b.write(f, "content of "+f+"\n")
	}
	b.git("add", "-f", ".")
	b.git("commit", "-qm", name)
	b.git("switch", "-q", "main")
}

// files is the answer as one text, "?" when it is not known.
func (b brought) files(what effects.Brings) string {
	b.t.Helper()
	list, known := PlaceOf(b.top, b.top, "/home/nobody", nil).Brings(b.top, what)
	if !known {
		return "?"
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func (b brought) want(what effects.Brings, want string) {
	b.t.Helper()
	if got := b.files(what); got != want {
		b.t.Errorf("%+v brings %q, want %q", what, got, want)
	}
}

func TestBranchBrings(t *testing.T) {
	b := newBrought(t)
	b.branch("topic", "b.go", "dir/c.go")
	b.branch("agent", ".claude/settings.json")
	b.want(effects.Brings{By: "switch", Rev: "topic"}, "b.go dir/c.go")
	b.want(effects.Brings{By: "switch", Rev: "topic~1"}, "")
	b.want(effects.Brings{By: "switch", Rev: "HEAD"}, "")
	b.want(effects.Brings{By: "switch", Rev: "agent"}, ".claude/settings.json")
	b.want(effects.Brings{By: "switch", Rev: "nothing"}, "?")
	b.want(effects.Brings{By: "other", Rev: "topic"}, "?")
}

// What git does not have lies where the branch has a file: ignored, it would be written over.
func TestBranchWritesOver(t *testing.T) {
	b := newBrought(t)
	b.branch("topic", "local.conf", "build/x")
	b.want(effects.Brings{By: "switch", Rev: "topic"}, "build/x local.conf")
	b.write("local.conf", "mine")
	b.want(effects.Brings{By: "switch", Rev: "topic"}, "?")
	if err := os.Remove(filepath.Join(b.top, "local.conf")); err != nil {
		t.Fatal(err)
	}
	b.write("build", "a file where the branch has a folder")
	b.want(effects.Brings{By: "switch", Rev: "topic"}, "?")
}

// A link may lead anywhere, and a tag of a branch's name is another commit to some commands of git.
func TestBranchUnsure(t *testing.T) {
	b := newBrought(t)
	b.git("switch", "-qc", "links")
	if err := os.Symlink("/etc", filepath.Join(b.top, "etc")); err != nil {
		t.Fatal(err)
	}
	b.git("add", ".")
	b.git("commit", "-qm", "links")
	b.git("switch", "-q", "main")
	b.want(effects.Brings{By: "switch", Rev: "links"}, "?")
	b.branch("topic", "b.go")
	b.git("tag", "topic", "main")
	b.want(effects.Brings{By: "switch", Rev: "topic"}, "?")
	b.git("config", "core.fsmonitor", "./x")
	b.want(effects.Brings{By: "switch", Rev: "HEAD"}, "?")
}

func TestMergeBrings(t *testing.T) {
	b := newBrought(t)
	b.branch("topic", "b.go")
	b.want(effects.Brings{By: "merge", Rev: "topic", Editor: true}, "b.go")
	b.write("own.go", "x")
	b.git("add", ".")
	b.git("commit", "-qm", "own")
	b.want(effects.Brings{By: "merge", Rev: "topic"}, "b.go own.go")
	b.want(effects.Brings{By: "merge", Rev: "topic", Editor: true}, "?")
	b.want(effects.Brings{By: "pick", Rev: "topic"}, "b.go own.go")
	b.want(effects.Brings{By: "revert", Rev: "HEAD"}, "own.go")
	b.git("merge", "-qm", "both", "topic")
	b.want(effects.Brings{By: "revert", Rev: "HEAD"}, "?")
	b.git("switch", "-q", "--orphan", "other")
	b.git("commit", "-qm", "alone", "--allow-empty")
	b.want(effects.Brings{By: "merge", Rev: "main"}, "?")
}

// newBroughtFolder has a folder "old" of three files, and a branch "topic" that put a fourth into it.
func newBroughtFolder(t *testing.T) brought {
	t.Helper()
	b := newBrought(t)
	for _, name := range []string{"old/a", "old/b", "old/c"} {
		b.write(name, strings.Repeat(name+"\n", 20))
	}
	b.git("add", ".")
	b.git("commit", "-qm", "old")
	b.branch("topic", "old/hooks.json")
	return b
}

// A folder that one side renamed takes what the other side puts into the old one.
func TestMergeFollowsRenames(t *testing.T) {
	b := newBroughtFolder(t)
	b.git("mv", "old", ".codex")
	b.git("commit", "-qm", "moved")
	if got := b.files(effects.Brings{By: "merge", Rev: "topic"}); !strings.Contains(got, ".codex/a") {
		t.Errorf("the new folder is not named: %s", got)
	}
}

// What is staged and not committed renames as well, for commands that take it as their side.
func TestPickFollowsStagedRenames(t *testing.T) {
	b := newBroughtFolder(t)
	b.write("old/a", "changed\n")
	b.git("stash", "-q")
	b.git("mv", "old", ".codex")
	for _, by := range []effects.Brings{{By: "pick", Rev: "topic"}, {By: "revert", Rev: "HEAD~0"}, {By: "pop", Rev: "stash@{0}"}} {
		if got := b.files(by); !strings.Contains(got, ".codex/a") {
			t.Errorf("%s: the new folder is not named: %s", by.By, got)
		}
	}
}

func TestStashBrings(t *testing.T) {
	b := newBrought(t)
	b.want(effects.Brings{By: "stash"}, "")
	b.want(effects.Brings{By: "pop", Rev: "stash@{0}"}, "?")
	b.write("a.go", "two\n")
	b.write("new.go", "new\n")
	b.want(effects.Brings{By: "stash"}, "a.go")
	// A folder where git has a file: what lies there, git would take away for good.
	if err := os.Remove(filepath.Join(b.top, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	b.write(".gitignore/notes.txt", "x")
	b.want(effects.Brings{By: "stash"}, "?")
	if err := os.RemoveAll(filepath.Join(b.top, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	b.git("checkout", "-q", "--", ".gitignore")
	b.write(".claude/settings.json", `{"hooks":{}}`)
	b.want(effects.Brings{By: "stash"}, ".claude/settings.json a.go")
	b.git("stash", "-qu")
	b.want(effects.Brings{By: "pop", Rev: "stash@{0}"}, ".claude/settings.json a.go new.go")
}

// A branch with very many files is not looked through.
func TestTooMuchToBring(t *testing.T) {
	b := newBrought(t)
	b.git("switch", "-qc", "many")
	for i := range maxBrought + 1 {
		b.write("many/"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26), "")
	}
	b.git("add", ".")
	b.git("commit", "-qm", "many")
	b.git("switch", "-q", "main")
	b.want(effects.Brings{By: "switch", Rev: "many"}, "?")
}

// The branch is moved while the call waits, to a commit with other files.
func TestBroughtIsStamped(t *testing.T) {
	b := newBrought(t)
	b.branch("topic", "b.go")
	b.branch("agent", ".claude/settings.json")
	input, err := json.Marshal(map[string]string{"command": "git switch topic"})
	if err != nil {
		t.Fatal(err)
	}
	c := rules.Prepare(rules.Question{Tool: "Bash", Input: input, Agent: "claude", Place: PlaceOf(b.top, b.top, "/home/nobody", nil)})
	before := CallStamp(c)
	if before == "" || CallStamp(c) != before {
		t.Fatal("no stamp, or another one of the same")
	}
	b.git("branch", "-qf", "topic", "agent")
	moved := CallStamp(c)
	if moved == before {
		t.Error("another commit has the same stamp")
	}
	b.git("checkout", "-q", "HEAD~0")
	if CallStamp(c) == moved {
		t.Error("another HEAD has the same stamp")
	}
}

// What git takes on trust, has elsewhere or merges in ways of its own, nobody looks into.
func TestOddRepositoriesBring(t *testing.T) {
	for name, make := range map[string]func(b brought){
		"on trust":     func(b brought) { b.git("update-index", "--assume-unchanged", "a.go") },
		"sparse":       func(b brought) { b.git("config", "core.sparseCheckout", "true") },
		"partial":      func(b brought) { b.git("config", "remote.origin.promisor", "true") },
		"an extension": func(b brought) { b.git("config", "extensions.partialClone", "origin") },
		"own merging":  func(b brought) { b.git("config", "merge.renames", "true") },
		"a filter": func(b brought) {
			b.write(".gitattributes", "*.bin filter=lfs\n")
			b.git("add", ".")
			b.git("commit", "-qm", "lfs")
		},
		"own filter":    func(b brought) { b.write(".git/info/attributes", "*.bin filter=lfs\n") },
		"two worktrees": func(b brought) { b.git("config", "extensions.worktreeConfig", "true") },
	} {
		b := newBrought(t)
		b.branch("topic", "b.go")
		b.want(effects.Brings{By: "switch", Rev: "topic"}, "b.go")
		make(b)
		if got := b.files(effects.Brings{By: "switch", Rev: "topic"}); got != "?" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
