package workspace

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// toolCall is a call of a tool in a project, by an agent whose reading is allowed inside it.
func toolCall(t *testing.T, project, tool string, input map[string]any) *rules.Call {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	return rules.Prepare(rules.Question{Tool: tool, Input: raw, Trusted: true, Exists: FileExists, Special: SpecialFile, Place: PlaceOf(project, project, "/home/nobody-here", nil)})
}

// secretProject holds keys in several places, and sources beside them.
func secretProject(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(RealPath(t.TempDir()), "proj")
	for _, name := range []string{"a.go", "src/a.go", "deploy/.env", "deploy/a.go", "keys/id_rsa", "keys/readme.md", "plain/a.txt", "node_modules/x/server.pem"} {
		gitFile(t, dir, name, "x")
	}
	return dir
}

// Attack: a search, an archive or a pattern shows the secret that a read by its name would
// have asked about.
func TestSearchesOverSecrets(t *testing.T) {
	dir := secretProject(t)
	set := gitRules(t, "grep **", "rg **", "tar **", "zip **", "cat **", "cp **", "find **", "xargs **", "ls **", "wc **", "head **", "rsync **", "du **")
	for line, secret := range map[string]string{
		"grep -r x .":                    "deploy/.env",
		"grep -rn x":                     "deploy/.env",
		"grep -rn x deploy":              ".env",
		"grep -rn x src":                 "",
		"grep -rn --include=*.go x .":    "",
		"grep -rn --include='*.env' x .": "deploy/.env",
		"grep -r --exclude-dir=deploy --exclude-dir=keys x .": "",
		"grep -r --exclude-dir=deploy x .":                    "keys/id_rsa",
		"rg x":                                                "keys/id_rsa",
		"rg x deploy":                                         "", // rg passes over hidden files
		"rg --hidden x deploy":                                ".env",
		"rg -uu x deploy":                                     ".env",
		"rg -t go x":                                          "",
		"rg -g '*.go' x":                                      "",
		"rg -g '!keys' x":                                     "",
		"tar czf a.tgz .":                                     "deploy/.env",
		"tar czf a.tgz src":                                   "",
		"zip -r a.zip keys":                                   "id_rsa",
		"cp -r keys new":                                      "id_rsa",
		"rsync -an deploy/ new":                               ".env",
		"cat keys/*":                                          "id_rsa",
		"cat k*/*":                                            "keys/id_rsa",
		"cat keys/*.md":                                       "",
		"cat src/*":                                           "",
		"head -n 3 plain/*":                                   "",
		"find . -type f -exec cat {} +":                       "deploy/.env",
		"find . -name '*.go' -exec cat {} +":                  "",
		"find . -type f | xargs cat":                          "deploy/.env",
		"find . -type f":                                      "",
		"find . -type f -exec ls {} +":                        "",
		"ls -R .":                                             "",
		"wc -l keys/*":                                        "",
		"du -sh .":                                            "",
	} {
		a := set.Judge(gitCall(t, dir, "", line), time.Now())
		asks := strings.Contains(a.Why, "keys or credentials: "+secret)
		if (secret == "") == (a.Verdict != rules.Allow) || secret != "" && !asks {
			t.Errorf("%s: %s: %s (%s); want %q", line, a.Verdict, a.Reason, a.Why, secret)
		}
	}
}

// The tools that search ask in the same places, and where they leave the secret out they do not.
func TestSearchToolsOverSecrets(t *testing.T) {
	dir := secretProject(t)
	for _, c := range []struct {
		tool   string
		input  map[string]any
		secret string
	}{
		{"Grep", map[string]any{"pattern": "x"}, "deploy/.env"},
		{"Grep", map[string]any{"pattern": "x", "path": dir + "/keys"}, "id_rsa"},
		{"Grep", map[string]any{"pattern": "x", "path": dir + "/src"}, ""},
		{"Grep", map[string]any{"pattern": "x", "glob": "*.go"}, ""},
		{"Grep", map[string]any{"pattern": "x", "glob": "**/*.{go,ts}"}, ""},
		{"Grep", map[string]any{"pattern": "x", "type": "go"}, ""},
		{"Grep", map[string]any{"pattern": "x", "type": "all"}, "deploy/.env"},
		{"Grep", map[string]any{"pattern": "x", "glob": "!deploy"}, "keys/id_rsa"},
		{"Grep", map[string]any{"pattern": "x", "file_path": dir + "/keys"}, "id_rsa"}, // as Cursor's agent calls it
		{"Glob", map[string]any{"pattern": "**/*"}, ""},
		{"LS", map[string]any{"path": dir}, ""},
		{"Read", map[string]any{"file_path": dir + "/src/a.go"}, ""},
	} {
		set, err := rules.Compile(nil)
		if err != nil {
			t.Fatal(err)
		}
		a := set.Judge(toolCall(t, dir, c.tool, c.input), time.Now())
		if (c.secret == "") != (a.Verdict == rules.Allow) || !strings.Contains(a.Why, c.secret) {
			t.Errorf("%s %v: %s: %s (%s); want %q", c.tool, c.input, a.Verdict, a.Reason, a.Why, c.secret)
		}
	}
	for tool, input := range map[string]map[string]any{
		"search_file_content": {"pattern": "x"}, "grep_search": {"pattern": "x"}, "grep": {"pattern": "x"}, "read_many_files": {"paths": []any{"keys/*"}},
		"mcp__ripgrep__search": {"pattern": "x"}, "mcp__files__read_text_file": {"path": "deploy/.env"}, "Edit": {"file_path": dir + "/deploy/.env"},
	} {
		all, err := rules.Compile([]rules.Rule{{ID: "a", Enabled: true, Decision: rules.Allow, Tool: tool}})
		if err != nil {
			t.Fatal(err)
		}
		if a := all.Judge(toolCall(t, dir, tool, input), time.Now()); a.Verdict != rules.Ask || !strings.Contains(a.Why, "keys or credentials") {
			t.Errorf("%s %v: %s: %s", tool, input, a.Verdict, a.Reason)
		}
	}
}

// A folder that is too large to be looked at asks; its time runs by the clock that it is given.
func TestLookForSecretsEnds(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		if err := os.WriteFile(filepath.Join(dir, "f"+strings.Repeat("x", i%90)+string(rune('a'+i%26))+".go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ticks := 0
	slow := func() time.Time { ticks++; return time.Unix(int64(ticks), 0) }
	if s := lookForSecrets(dir, func(string) bool { return false }, slow); s.whole {
		t.Errorf("a look that ran out of time calls itself whole")
	}
	if s := lookForSecrets(dir, func(string) bool { return true }, time.Now); s.whole || len(s.files) > maxSecrets {
		if len(s.files) > maxSecrets {
			t.Errorf("%d files are remembered", len(s.files))
		}
	}
	if s := lookForSecrets(dir, func(string) bool { return false }, time.Now); !s.whole {
		t.Errorf("a small folder is not looked at as a whole")
	}
}

// Attack: git shows the content of a file that holds keys: one that the repository keeps.
func TestGitShowsSecrets(t *testing.T) {
	dir := indexedProject(t) // keeps src/server.pem
	set := gitRules(t, "git **")
	for line, want := range map[string]rules.Verdict{
		"git grep x":                     rules.Ask,
		"git grep x -- src":              rules.Ask,
		"git grep x -- '*.go'":           rules.Allow,
		"git diff":                       rules.Ask,
		"git diff --stat":                rules.Allow,
		"git diff -- a.go":               rules.Allow,
		"git show HEAD":                  rules.Ask,
		"git show HEAD:a.go":             rules.Allow,
		"git show HEAD:.env":             rules.Ask,
		"git show HEAD:src/server.pem":   rules.Ask,
		"git log":                        rules.Allow,
		"git log -p":                     rules.Ask,
		"git log --oneline -- .env":      rules.Allow,
		"git archive HEAD":               rules.Ask,
		"git status":                     rules.Allow,
		"git add .env":                   rules.Allow,
		"git cat-file -p HEAD:src/x.pem": rules.Ask,
		"git blame .netrc":               rules.Ask,
	} {
		if a := set.Judge(gitCall(t, dir, "", line), time.Now()); a.Verdict != want {
			t.Errorf("%s: %s: %s; want %s", line, a.Verdict, a.Reason, want)
		}
	}
	realGit(t, dir, "rm", "-q", "--cached", "-r", "src")
	if a := set.Judge(gitCall(t, dir, "", "git grep x"), time.Now()); a.Verdict != rules.Allow {
		t.Errorf("where the repository keeps none: %s: %s", a.Verdict, a.Reason)
	}
}

// A repository's own settings are passed over by a search, unless they hold a password.
func TestSearchPassesGit(t *testing.T) {
	dir := gitProject(t)
	set := gitRules(t, "grep **")
	if a := set.Judge(gitCall(t, dir, "src", "grep -r x .."), time.Now()); a.Verdict != rules.Allow {
		t.Errorf("plain settings: %s: %s", a.Verdict, a.Reason)
	}
	gitFile(t, dir, ".git/config", "[remote \"origin\"]\nurl = https://me:secret@example.com/x.git\n")
	if a := set.Judge(gitCall(t, dir, "src", "grep -r x .."), time.Now()); a.Verdict != rules.Ask {
		t.Errorf("with a password: %s: %s", a.Verdict, a.Reason)
	}
}

// Attack: a path that each process sees as its own is looked at in the console's place, and
// leads the agent elsewhere.
func TestOwnViews(t *testing.T) {
	dir := filepath.Join(RealPath(t.TempDir()), "proj")
	gitFile(t, dir, "a.txt", "x")
	for name, to := range map[string]string{"own": "/proc/self/cwd", "far": "own", "fd": "/dev/fd", "up": "/proc/thread-self/../self/cwd", "plain": "a.txt", "cpu": "/proc/cpuinfo"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir) // where the console runs, such a path seems to lead into the project
	set := gitRules(t, "cat **", "ls **")
	none, err := rules.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]rules.Verdict{
		"/proc/self/cwd/a.txt": rules.Ask, "/proc/thread-self/cwd/a.txt": rules.Ask, "/proc/1/root/etc/hosts": rules.Ask, "/proc/self/root" + dir + "/a.txt": rules.Ask,
		"/dev/fd/3": rules.Ask, "own/a.txt": rules.Ask, "far/a.txt": rules.Ask, "fd/3": rules.Ask, "up/a.txt": rules.Ask, "./own/../own/a.txt": rules.Ask,
		"plain": rules.Allow, "a.txt": rules.Allow,
	} {
		if a := set.Judge(gitCall(t, dir, "", "cat "+p), time.Now()); a.Verdict != want {
			t.Errorf("cat %s: %s: %s; want %s", p, a.Verdict, a.Reason, want)
		}
		if a := none.Judge(gitCall(t, dir, "", "true < "+p), time.Now()); a.Verdict != want {
			t.Errorf("< %s: %s: %s; want %s", p, a.Verdict, a.Reason, want)
		}
		if a := none.Judge(toolCall(t, dir, "Read", map[string]any{"file_path": p}), time.Now()); a.Verdict != want {
			t.Errorf("Read %s: %s: %s; want %s", p, a.Verdict, a.Reason, want)
		}
	}
	if _, err := NewPaths().real("/proc/cpuinfo"); err != nil {
		t.Errorf("a file of the machine: %v", err)
	}
}
